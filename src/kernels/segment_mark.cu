/*
 * segment_mark.cu - mark where segments begin and end (launch_segments.h).
 */

enum { segment_mark_blocks = 8 };

/* A number of the caller's; a negative one becomes greater than any count. */
DEVICE wide segment_number(const struct segment_mark_args *args, const void *numbers,
                           wide i)
{
    if (args->bytes == 8)
        return LOAD_AS(BULK, (const wide_cell *)numbers + i);

    const unsigned number = LOAD_AS(BULK, (const unsigned_cell *)numbers + i);

    return args->is_signed ? (wide)(long long)(int)number : number;
}

DEVICE void set_mark(wide *marks, wide row)
{
    POST_BITS(PLAIN, (wide_cell *)marks + row / SEGMENT_WORD,
              (wide)1 << row % SEGMENT_WORD);
}

/* Each thread clears a word of each array, or marks a segment. */
KERNEL(segment_mark, struct segment_mark_args)
{
    const wide i = (wide)BLOCK * THREADS + THREAD;

    if (!args.begins) {
        if (i < (args.marks.count + SEGMENT_WORD - 1) / SEGMENT_WORD) {
            STORE_AS(BULK, (wide_cell *)args.marks.begins + i, 0);
            STORE_AS(BULK, (wide_cell *)args.marks.ends + i, 0);
        }
        return;
    }
    if (i < args.segments) {
        const wide begin = segment_number(&args, args.begins, i);
        const wide end = segment_number(&args, args.ends, i);

        if (begin < end && end <= args.marks.count) {
            set_mark(args.marks.begins, begin);
            if (end < args.marks.count)
                set_mark(args.marks.ends, end);
        }
    }
}
