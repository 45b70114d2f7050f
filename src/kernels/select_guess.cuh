/*
 * select_guess.cuh - guess from samples two bounds between which the wanted ranks lie.
 */

enum { SAMPLES_EACH = SELECT_SAMPLES / SELECT_THREADS };

/* The row that is sample `i` of mine. */
DEVICE unsigned my_sample(int i, wide count)
{
    return (unsigned)sampled_row((wide)(i * SELECT_THREADS + THREAD), count);
}

/* Where my sample `i` is in a range. */
DEVICE wide sample_place(const struct select_range *range, wide code, int i, wide count)
{
    return range->by_row ? place_in(range, code, my_sample(i, count)) : code - range->low;
}

/* Find the sample of rank `rank` of those in [low, high], and post it. */
DEVICE void post_sample(struct select_shared *sm, const wide *code, wide count, wide low,
                        wide high, unsigned rank, struct select_bound *bound)
{
    struct select_range range = {low, high, 0, rank, 0, 0};

    narrow_by_row(&range, count);
    while (!range.found) {
        const wide span = range.high - range.low;
        const int shift = shift_of(span, SELECT_DIGIT);

        clear_bins(sm, 0);
        UNROLL
        for (int i = 0; i < SAMPLES_EACH; i++) {
            const wide place = sample_place(&range, code[i], i, count);

            if (place <= span)
                ADD(PLAIN, &sm->bins[1][place >> shift], 1u);
        }
        BARRIER();
        find_bin(sm, sm->bins[1], range.rank);
        narrow(&range, sm->found, SELECT_DIGIT, 0, 0);
        range.found = LOAD(&sm->found[2]) == 1; /* no other sample is in the range */
        narrow_by_row(&range, count);
    }
    UNROLL
    for (int i = 0; i < SAMPLES_EACH; i++) {
        if (sample_place(&range, code[i], i, count) <= range.high - range.low) {
            STORE(cell_of(&bound->code), code[i]);
            STORE(cell_of(&bound->row), my_sample(i, count));
        }
    }
    BARRIER();
}

DEVICE void guess(const struct select_args *args, struct select_shared *sm)
{
    struct select_state *const state = args->state;
    wide code[SAMPLES_EACH];
    wide low = ~(wide)0, high = 0;

    UNROLL
    for (int i = 0; i < SAMPLES_EACH; i++)
        code[i] = LOAD_AS(SAMPLE, cell_of(args->samples + i * SELECT_THREADS + THREAD));
    UNROLL
    for (int i = 0; i < SAMPLES_EACH; i++) {
        low = code[i] < low ? code[i] : low;
        high = code[i] > high ? code[i] : high;
    }
    widen_by_block(&low, &high, args->result.code_bytes, sm->ends);
    if (args->sample[0] < SELECT_SAMPLES)
        post_sample(sm, code, args->count, low, high, (unsigned)args->sample[0],
                    &state->low);
    if (args->sample[1] < SELECT_SAMPLES) {
        post_sample(sm, code, args->count, low, high, (unsigned)args->sample[1],
                    &state->high);
    } else if (THREAD == 0) {
        STORE(cell_of(&state->high.code), ~(wide)0);
        STORE(cell_of(&state->high.row), ~(wide)0);
    }
}
