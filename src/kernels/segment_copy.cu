/*
 * segment_copy.cu - copy the keys of one segment to an array of their own, and back.
 */

enum { segment_copy_blocks = 6 };

/* Each thread copies SEGMENT_COPIED keys of type `cell`, which are THREADS apart. */
#define COPY_KEYS(cell)                                                              \
    do {                                                                             \
        UNROLL                                                                       \
        for (int i = 0; i < SEGMENT_COPIED; i++) {                                   \
            if (first + i * THREADS < segment.count)                                 \
                keys[i] = LOAD_AS(BULK, (const cell *)args.in + from + i * THREADS); \
        }                                                                            \
        UNROLL                                                                       \
        for (int i = 0; i < SEGMENT_COPIED; i++) {                                   \
            if (first + i * THREADS < limit)                                         \
                STORE_AS(BULK, (cell *)args.out + to + i * THREADS, keys[i]);        \
        }                                                                            \
    } while (0)

KERNEL(segment_copy, struct segment_copy_args)
{
    const struct segment_only segment = only_segment(&args.numbers, args.count);
    const wide first = (wide)BLOCK * (SEGMENT_COPIED * THREADS) + THREAD;
    const wide from = args.back ? first : segment.begin + first;
    const wide to = args.back ? segment.begin + first : first;
    const wide limit = args.back ? segment.count : args.count;
    unsigned keys[SEGMENT_COPIED];

    UNROLL
    for (int i = 0; i < SEGMENT_COPIED; i++)
        keys[i] = (unsigned)args.filler;
    if (args.bytes == 4)
        COPY_KEYS(unsigned_cell);
    else if (args.bytes == 2)
        COPY_KEYS(half_cell);
    else
        COPY_KEYS(byte_cell);
}
