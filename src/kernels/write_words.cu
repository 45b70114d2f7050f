/*
 * write_words.cu - write words that are an argument of the launch. A job may be captured
 * in a graph, so no host memory can be read later.
 */

enum { write_words_blocks = 4 };

/* All blocks write zeros; the first one writes the words. */
KERNEL(write_words, struct write_words_args)
{
    const wide step = (wide)BLOCKS * THREADS;

    if (BLOCK == 0) {
        for (int i = THREAD; i < (int)args.count; i += THREADS)
            STORE((wide_cell *)args.to + i, args.word[i]);
    }
    for (wide i = (wide)BLOCK * THREADS + THREAD; i < args.zero_count; i += step)
        STORE((wide_cell *)args.zeros + i, 0);
}
