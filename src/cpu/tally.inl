/*
 * tally.inl - narrow keys: counted, not compared.
 *
 * An array of 8-bit or 16-bit ranks is described completely by a table of how often
 * each rank occurs.
 */
enum { RANKS = 1 << KEY_BITS };

static void tally(const void *keys, uint64_t count, struct code code, uint64_t *table)
{
    const key *const all = (const key *)keys;
    const key flip = flip_of(code);

    if (KEY_BITS == 16 && code.is_float)
        for (uint64_t i = 0; i < count; i++)
            table[enter(all[i], float_of(code), flip)]++;
    else
        for (uint64_t i = 0; i < count; i++)
            table[enter(all[i], 0, flip)]++;
}

static void spread(void *keys, uint64_t first, uint64_t last, struct code code,
                   const uint64_t *table)
{
    key *const all = (key *)keys;
    const int is_float = KEY_BITS == 16 ? code.is_float : 0;
    uint64_t at = 0;

    for (unsigned i = 0; i < RANKS && at < last; at += table[i++]) {
        const uint64_t begin = at > first ? at : first;
        const uint64_t end = at + table[i] < last ? at + table[i] : last;
        const key value = leave((rank)i, is_float, flip_of(code));

        for (uint64_t to = begin; to < end; to++)
            all[to] = value;
    }
}
