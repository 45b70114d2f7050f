/*
 * order.inl - arrays that need no sorting: is it in order, turn it around.
 */

/* Whether keys[0] to keys[count] go up, go down, both or neither. */
static inline unsigned order_of(const key *keys, size_t count, int is_float, key flip)
{
    rank rises = 0;
    rank falls = 0;

    for (size_t i = 0; i < count; i++) {
        const rank a = enter(keys[i], is_float, flip);
        const rank b = enter(keys[i + 1], is_float, flip);

        rises |= a < b;
        falls |= b < a;
    }
    return (falls ? 0 : ORDER_UP) | (rises ? 0 : ORDER_DOWN);
}

static unsigned order(const void *keys, uint64_t count, struct code code)
{
    const key *const all = (const key *)keys;
    const key flip = flip_of(code);
    unsigned found = ORDER_UP | ORDER_DOWN;

    /* Small steps: an array in disorder shows it at once. */
    for (uint64_t at = 0; found && at + 1 < count;) {
        const uint64_t left = count - 1 - at;
        const uint64_t most = at ? 256 : 16;
        const size_t step = (size_t)(left < most ? left : most);

        if (code.is_float)
            found &= order_of(all + at, step, float_of(code), flip);
        else
            found &= order_of(all + at, step, 0, flip);
        at += step;
    }
    return found;
}

static void reverse(void *keys, uint64_t count, uint64_t first, uint64_t last)
{
    key *const all = (key *)keys;

    for (uint64_t i = first; i < last; i++) {
        const key swapped = all[i];

        all[i] = all[count - 1 - i];
        all[count - 1 - i] = swapped;
    }
}
