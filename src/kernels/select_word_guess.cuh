/*
 * select_word_guess.cuh - guess from samples two bounds between which the wanted ranks lie,
 * for codes of one width: see select_word.cuh.
 */

/* Count my samples that lie in a range, by its bins. */
DEVICE void SELECT_NAME(count_samples)(struct select_shared *sm, const SELECT_CODE *code,
                                       wide count, const struct select_range *range)
{
    const wide span = range->high - range->low;
    const int shift = shift_of(span, SELECT_DIGIT);

    if (range->by_row) {
        UNROLL
        for (int i = 0; i < SELECT_SAMPLES_EACH; i++) {
            const wide place = place_in(range, code[i], my_sample(i, count));

            if (place <= span)
                ADD(PLAIN, &sm->bins[1][place >> shift], 1u);
        }
        return;
    }
    UNROLL
    for (int i = 0; i < SELECT_SAMPLES_EACH; i++) {
        const SELECT_CODE place = (SELECT_CODE)(code[i] - (SELECT_CODE)range->low);

        if (place <= (SELECT_CODE)span)
            ADD(PLAIN, &sm->bins[1][place >> shift], 1u);
    }
}

/* Find the sample of rank `rank` of those in [low, high], and post it. */
DEVICE void SELECT_NAME(post_sample)(struct select_shared *sm, const SELECT_CODE *code,
                                     wide count, wide low, wide high, unsigned rank,
                                     struct select_bound *bound)
{
    struct select_range range = {low, high, 0, rank, 0, 0};
    unsigned row;

    narrow_by_row(&range, count);
    while (!range.found) {
        clear_bins(sm, 0);
        SELECT_NAME(count_samples)(sm, code, count, &range);
        BARRIER();
        find_bin(sm, sm->bins[1], range.rank);
        narrow(&range, sm->found, SELECT_DIGIT, 0, 0);
        range.found = LOAD(&sm->found[2]) == 1; /* no other sample is in the range */
        narrow_by_row(&range, count);
    }
    low = range.by_row ? range.code : range.low;
    high = range.by_row ? range.code : range.high;
    UNROLL
    for (int i = 0; i < SELECT_SAMPLES_EACH; i++) {
        if (code[i] < (SELECT_CODE)low || code[i] > (SELECT_CODE)high)
            continue;
        row = my_sample(i, count);
        if (!range.by_row || row - range.low <= range.high - range.low) {
            STORE(cell_of(&bound->code), code[i]);
            STORE(cell_of(&bound->row), row);
        }
    }
    BARRIER();
}

DEVICE void SELECT_NAME(guess)(const struct select_args *args, struct select_shared *sm)
{
    struct select_state *const state = args->state;
    SELECT_CODE code[SELECT_SAMPLES_EACH];
    SELECT_CODE least = (SELECT_CODE) ~(SELECT_CODE)0, most = 0;
    wide low, high;

    UNROLL
    for (int i = 0; i < SELECT_SAMPLES_EACH; i++)
        code[i] = (SELECT_CODE)LOAD_AS(
            SAMPLE, cell_of(args->samples + i * SELECT_THREADS + THREAD));
    UNROLL
    for (int i = 0; i < SELECT_SAMPLES_EACH; i++) {
        least = code[i] < least ? code[i] : least;
        most = code[i] > most ? code[i] : most;
    }
    low = least;
    high = most;
    widen_by_block(&low, &high, SELECT_BITS / 8, sm->ends);
    NO_UNROLL
    for (int side = 0; side < 2; side++) {
        const wide rank = args->sample[side];

        if (rank >= SELECT_SAMPLES)
            continue;
        if (side && rank < SELECT_WARPS)
            high = nearer_end(sm, (unsigned)rank);
        SELECT_NAME(post_sample)
        (sm, code, args->count, low, high, (unsigned)rank,
         side ? &state->high : &state->low);
    }
    if (args->sample[1] >= SELECT_SAMPLES && THREAD == 0) {
        STORE(cell_of(&state->high.code), ~(wide)0);
        STORE(cell_of(&state->high.row), ~(wide)0);
    }
}
