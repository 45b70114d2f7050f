/*
 * select_word_tied.cuh - wanted rows that all have the least code, for codes of one width:
 * see select_word.cuh and select_tied.cuh.
 */

/* Bit i: my code `i` is this one. */
DEVICE unsigned SELECT_NAME(tied)(const struct SELECT_NAME(alone) * mine, SELECT_CODE least)
{
    unsigned tied = 0;

    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++)
        tied |= (unsigned)(mine->code[i] == least) << i;
    return tied & mine->has;
}

/*
 * Write the ties of a unit, which are wanted ranks [begin, end). A thread has packs of
 * neighbouring rows: their counts are summed up to its lane, each in a byte.
 */
DEVICE void SELECT_NAME(write_unit)(const struct select_args *args,
                                    struct select_shared *sm,
                                    struct SELECT_NAME(alone) * mine, SELECT_CODE least,
                                    unsigned unit, unsigned begin, unsigned end)
{
    enum { PACK = SELECT_NAME(pack), PACKS = SELECT_NAME(each) / PACK };
    const unsigned last = end < (unsigned)args->last ? end : (unsigned)args->last;
    unsigned tied, counts = 0, before, all, at, found;

    SELECT_NAME(visit)(mine, unit);
    tied = SELECT_NAME(tied)(mine, least);
    UNROLL
    for (int i = 0; i < PACKS; i++)
        counts |= (unsigned)BITS(tied >> i * PACK & ((1u << PACK) - 1)) << 8 * i;
    before = sum_up_to_lane(counts);
    all = SHUFFLE(before, WARP - 1);
    before -= counts;
    found = SUM((unsigned)BITS(tied));
    BARRIER(); /* the sums may be overwritten */
    if (LANE == 0)
        STORE(&sm->sums[THREAD / WARP], found);
    BARRIER();
    at = begin + SUM(LANE < THREAD / WARP ? LOAD(&sm->sums[LANE]) : 0);
    found = begin + SUM(LOAD(&sm->sums[LANE]));
    NO_UNROLL
    for (int i = 0; i < PACKS; i++) {
        unsigned some = tied >> i * PACK & ((1u << PACK) - 1);

        NO_UNROLL
        for (unsigned place = at + (before >> 8 * i & 0xff); some && place < last;
             place++) {
            const int which = i * PACK + LOWEST_BIT(some);
            const wide row = SELECT_NAME(begin)(unit) + SELECT_NAME(offset)(which);

            write_result(&args->result, &args->enter, place, row_at(&mine->view, row), 0,
                         least);
            some &= some - 1;
        }
        at += all >> 8 * i & 0xff;
    }
    if (args->result.numbers) { /* fewer only if keys change meanwhile */
        for (unsigned i = found + (unsigned)THREAD; i < last; i += SELECT_THREADS)
            STORE_AS(BULK, (unsigned_cell *)args->result.numbers + i, GATHER_NONE);
    }
}

AGREE(SELECT_NAME(pack) * (int)WARP < 256 && SELECT_NAME(each) / SELECT_NAME(pack) <= 4);

/* The same for all units of my block. */
DEVICE void SELECT_NAME(write_ties)(const struct select_args *args,
                                    struct select_shared *sm,
                                    struct SELECT_NAME(alone) * mine, unsigned units)
{
    const unsigned_cell *const begins = ties_before(sm);
    const wide unlike = PEEK(CUT, cell_of(&args->state->seen[0][1].unlike));

    NO_UNROLL
    for (unsigned i = next_owned(sm, 0, units); i < units;
         i = next_owned(sm, i + 1, units)) {
        const unsigned begin = LOAD(&begins[i]), end = LOAD(&begins[i + 1]);

        if (begin < end && begin < args->last)
            SELECT_NAME(write_unit)
        (args, sm, mine, (SELECT_CODE)~unlike, i, begin, end);
    }
}
