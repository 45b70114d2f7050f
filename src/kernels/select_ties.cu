/*
 * select_ties.cu - selection by codes of several words: rows around the wanted ranks, the
 * window, were selected by the first word of their codes and sorted by all words. The
 * window holds the result, unless it lacks rows whose first word is that of the first or
 * the last wanted row. Then all rows are sorted.
 */
enum { select_ties_blocks = 8 };

/* Do two rows of the window have the same first word? */
DEVICE int same_word(const struct select_ties_args *args, wide a, wide b)
{
    const unsigned_cell *const window = (const unsigned_cell *)args->window;

    return bits_of_parts(&args->source, LOAD(window + a)) ==
           bits_of_parts(&args->source, LOAD(window + b));
}

/* The first launch flags missing rows; the second copies numbers from where they are. */
KERNEL(select_ties, struct select_ties_args)
{
    const wide i = (wide)BLOCK * THREADS + THREAD;

    if (!args.all) {
        if (i == 0)
            STORE((unsigned_cell *)args.flag,
                  (unsigned)((args.cut_below && same_word(&args, 0, args.skip)) ||
                             (args.cut_above && same_word(&args, args.skip + args.count - 1,
                                                          args.window_count - 1))));
    } else if (i < args.count) {
        const unsigned *const from = LOAD((unsigned_cell *)args.flag)
                                         ? args.all + args.first
                                         : args.window + args.skip;

        STORE_AS(BULK, (unsigned_cell *)args.out + i,
                 LOAD_AS(BULK, (const unsigned_cell *)from + i));
    }
}
