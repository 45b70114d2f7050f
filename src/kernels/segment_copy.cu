/*
 * segment_copy.cu - copy the keys of one segment to an array of their own, and back.
 */

enum { segment_copy_blocks = 6 };

/* The segment: `count` rows from `begin` on. */
struct segment_copied {
    wide begin;
    wide count;
};

DEVICE struct segment_copied copied_segment(const struct segment_copy_args *args)
{
    const wide begin = segment_number(&args->numbers, args->numbers.begins, 0);
    const wide end = segment_number(&args->numbers, args->numbers.ends, 0);
    struct segment_copied segment = {0, 0};

    if (begin < end && end <= args->count) {
        segment.begin = begin;
        segment.count = end - begin;
    }
    return segment;
}

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
    const struct segment_copied segment = copied_segment(&args);
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
