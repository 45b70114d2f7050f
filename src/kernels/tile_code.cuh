/*
 * tile_code.cuh - all keys of a thread translated together: what enter() and leave()
 * (key.cuh) make of each, of 8-byte keys in half the instructions or fewer.
 *
 * Where codes are ascending, or will be, no key need be tested for being a NaN with
 * the sign set, whose code is to be mended (code.inl): those are at one end. There is
 * a loop for ascending floats and one for descending ones, because a flip that is a
 * constant costs nothing.
 */

/*
 * Keys of 8 and 16 bits are integers. Floats of 4 bytes are translated one by one: the
 * short way saves them little, and makes tile_sort slower for the integers.
 */
enum { MAY_BE_FLOATS = KEY_BITS >= 32, HURRIED = KEY_BITS == 64 && !PLACED };

/* All ones for keys that descend, else 0: the flip of floats. */
DEVICE key turn_of(const struct key_code *code)
{
    return (key)(0 - (code->flip & 1));
}

/*
 * Integers, in either direction: add `base`, which only 8-byte keys have, and flip.
 * Of those that ascend no more than the sign bit is flipped, which is to add it:
 * together with the base that takes one instruction (pipes.cuh), or none.
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
 * From the caller's bits to what are codes as soon as they were sorted and mended by
 * mend_sorted(). Items with places cannot be mended then, because equal ones come in
 * the order of their places in either direction; their keys are translated at once.
 */
DEVICE void enter_all(bare *k, const int count, const struct key_code *code)
{
    if (!MAY_BE_FLOATS || !code->is_float) {
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
 * Mend codes in sorted registers, if there are any to be mended. They are a run at
 * one end, and mending reverses it: what went up now goes up and down, or down and
 * up, and that is what clean_registers() sorts.
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
        clean_registers(r, count, ITEMS_NEAR);
    }
}

DEVICE void leave_floats(bare *k, const int count, bare base, const key turn)
{
    UNROLL
    for (int j = 0; j < count; j++)
        k[j] = code_leave_most((key)(k[j] + base), turn);
}

/* Back to the caller's bits, from codes in ascending order less `base`. */
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
