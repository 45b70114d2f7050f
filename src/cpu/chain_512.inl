/*
 * chain_512.inl - the four chains of a quantum with AVX-512: eight 64-bit ranks or sixteen
 * 32-bit ranks at a time.
 *
 * A step loads the next WIDE ranks of both lists, those of `b` in reverse. The minima of
 * the lanes are the WIDE smallest ranks. `a` advances by the number of lanes where it has
 * the minimum, `b` by the others. Only the two heads are carried to the next step.
 */
struct heads {
    const rank *a;
    const rank *b;
};

#define LANE_REVERSED(i, n) ((n) - (i))

/* The ranks of a bitonic register in order. */
static inline wide wide_ordered(wide values)
{
#if WIDE == 16
    values = wide_sorted(values, SWAPPED(values, 8), 8);
#endif
    values = wide_sorted(values, SWAPPED(values, 4), 4);
    values = wide_sorted(values, SWAPPED(values, 2), 2);
    return wide_sorted(values, SWAPPED(values, 1), 1);
}

/* Write the WIDE smallest ranks. Of each list WIDE are read, in order or not. */
static inline void heads_step(struct heads *heads, rank *to)
{
    const wide a = wide_load(heads->a);
    const wide b = wide_load(heads->b);
    const wide turned =
        (wide)__builtin_shufflevector(b, b, EACH_LANE(LANE_REVERSED, WIDE - 1));
    const size_t from_a = (size_t)__builtin_popcount(WIDE_UP_TO(a, turned));

    wide_store(to, wide_ordered(WIDE_MIN(a, turned)));
    heads->a += from_a;
    heads->b += WIDE - from_a;
}

/* Write the first QUANTUM ranks of a and b, which `cuts` cut into PARTS. */
static inline void merge_chains(const rank *a, const rank *b, const size_t cuts[PARTS],
                                rank *to)
{
    struct heads heads[PARTS];

    for (size_t part = 0; part < PARTS; part++) {
        const size_t cut = part > 0 ? cuts[part - 1] : 0;

        heads[part] = (struct heads){a + cut, b + (part * PART - cut)};
    }
    for (size_t i = 0; i < PART; i += WIDE) {
        UNROLL
        for (size_t part = 0; part < PARTS; part++)
            heads_step(&heads[part], to + part * PART + i);
    }
}
