/*
 * select_guess.cuh - for select_sample: guess from samples between which codes the wanted
 * ranks lie.
 */

/* The range of codes that has the sample of rank `rank`, and little else. */
DEVICE struct select_range range_of_rank(struct select_shared *sm, const wide *code,
                                         unsigned rank, wide high)
{
    struct select_range range;

    range.low = 0;
    range.high = high;
    range.rank = rank;
    range.found = 0;
    while (!range.found) {
        const wide span = range.high - range.low;
        const int shift = shift_of(span, SELECT_DIGIT);

        clear_bins(sm);
        UNROLL
        for (int i = 0; i < SELECT_SAMPLES / SELECT_THREADS; i++)
            add_to_bin(sm->bins[0], (unsigned)((code[i] - range.low) >> shift),
                       code[i] - range.low <= span);
        BARRIER();
        find_bin(sm, sm->bins[0], range.rank);
        narrow(&range, sm->found, SELECT_DIGIT, 2);
    }
    return range;
}

DEVICE void guess(const struct select_args *args, struct select_shared *sm)
{
    const struct select_view view = view_job(args, args->code_bytes);
    const wide highest = args->code_bytes == 4 ? 0xffffffffu : ~(wide)0;
    wide code[SELECT_SAMPLES / SELECT_THREADS];
    wide low = 0, high = highest;

    if (args->code_bytes == 4)
        unsigned_sample(&view, code);
    else
        wide_sample(&view, code);
    if (args->sample[0] < SELECT_SAMPLES)
        low = range_of_rank(sm, code, (unsigned)args->sample[0], highest).low;
    if (args->sample[1] < SELECT_SAMPLES)
        high = range_of_rank(sm, code, (unsigned)args->sample[1], highest).high;
    if (THREAD == 0) {
        STORE(cell_of(&args->state->low), low);
        STORE(cell_of(&args->state->high), high);
    }
}
