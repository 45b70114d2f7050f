/*
 * tile_code.cuh - enter() and leave() (key.cuh) for all keys of a thread at once; 8-byte
 * keys take at most half the instructions.
 *
 * NaNs with the sign set have codes that need mending (code.inl). In sorted order these
 * are at one end, so only the first and the last key are tested. Ascending and descending
 * floats have loops of their own, because a constant flip costs no instruction.
 */

/*
 * Keys of 8 bits are integers. Floats of 2 and 4 bytes are coded one by one: the short
 * way saves little for them and makes tile_sort slower for integers.
 */
#ifdef TILE_LISTS /* keys of a list that is not sorted could not be mended */
enum { MAY_BE_FLOATS = KEY_BITS >= 16, HURRIED = 0 };
#else
enum { MAY_BE_FLOATS = KEY_BITS >= 16, HURRIED = KEY_BITS == 64 && !PLACED };
#endif

/* The flip of floats: all ones if they descend, else 0. */
DEVICE key turn_of(const struct key_code *code)
{
    return (key)(0 - (code->flip & 1));
}

/*
 * Integers, in either direction: add `base`, which only 8-byte keys have, and flip. For
 * ascending keys at most the sign bit is flipped, which equals adding it. Together with
 * the base that takes one instruction (pipes.cuh), or none.
 */
DEVICE void turn_integers(bare *k, const int count, bare base, key flip)
{
    if (KEY_BITS == 64 && !(flip & 1)) {
        if (base + flip != 0) {
            UNROLL
            for (int j = 0; j < count; j++)
                k[j] = add_base(k[j], base + flip);
        }
    } else if (flip) {
        UNROLL
        for (int j = 0; j < count; j++)
            k[j] = add_base(k[j], base) ^ flip;
    }
}

DEVICE void enter_floats(bare *k, const int count, const key turn)
{
    UNROLL
    for (int j = 0; j < count; j++)
        k[j] = code_enter_most((key)k[j], turn);
}

/*
 * Keys of 2 bytes are flipped first, whatever they are, and floats undo that: if loaded
 * keys went two ways, tile_sort would spill registers.
 */
DEVICE void enter_short(bare *k, const int count, const struct key_code *code)
{
    turn_integers(k, count, 0, (key)code->flip);
    if (code->is_float) {
        UNROLL
        for (int j = 0; j < count; j++)
            k[j] = enter((key)(k[j] ^ (key)code->flip), code);
    }
}

/*
 * From the caller's bits to codes that mend_sorted() completes after sorting. Items with
 * places cannot be mended after sorting, because equal keys are ordered by place in
 * either direction; their keys are coded completely here.
 */
DEVICE void enter_all(bare *k, const int count, const struct key_code *code)
{
    if (KEY_BITS == 16) {
        enter_short(k, count, code);
    } else if (!MAY_BE_FLOATS || !code->is_float) {
        turn_integers(k, count, 0, (key)code->flip);
    } else if (!HURRIED) {
        UNROLL
        for (int j = 0; j < count; j++)
            k[j] = enter((key)k[j], code);
    } else if (turn_of(code)) {
        enter_floats(k, count, (key) ~(key)0);
    } else {
        enter_floats(k, count, 0);
    }
}

/*
 * Mend codes in sorted registers, if any need it. They are a run at one end, and mending
 * reverses that run. The result is a bitonic sequence, which clean_registers() sorts.
 */
DEVICE void mend_sorted(item *r, const int count, const struct key_code *code)
{
    const key turn = turn_of(code);

    if (!HURRIED || !code->is_float)
        return;
    if (code_to_mend((key)key_of(r[0]), turn) ||
        code_to_mend((key)key_of(r[count - 1]), turn)) {
        UNROLL
        for (int j = 0; j < count; j++)
            r[j] = item_of(code_mend((key)key_of(r[j]), turn), 0);
        clean_registers(r, count, 0);
    }
}

DEVICE void leave_floats(bare *k, const int count, bare base, const key turn)
{
    UNROLL
    for (int j = 0; j < count; j++)
        k[j] = code_leave_most((key)(k[j] + base), turn);
}

/* From ascending codes, from which `base` was subtracted, to the caller's bits. */
DEVICE void leave_all(bare *k, const int count, bare base, const struct key_code *code)
{
    const key turn = turn_of(code);

    if (!MAY_BE_FLOATS || !code->is_float) {
        turn_integers(k, count, base, (key)code->flip);
        return;
    }
    if (!HURRIED) {
        UNROLL
        for (int j = 0; j < count; j++)
            k[j] = leave((key)(k[j] + base), code);
        return;
    }
    if (code_to_mend((key)(k[0] + base), turn) ||
        code_to_mend((key)(k[count - 1] + base), turn)) {
        UNROLL
        for (int j = 0; j < count; j++)
            k[j] = code_mend((key)(k[j] + base), turn) - base;
    }
    if (turn)
        leave_floats(k, count, base, (key) ~(key)0);
    else
        leave_floats(k, count, base, 0);
}
