/*
 * segment_mark.cu - mark where segments begin and end (launch_segments.h).
 */

enum { segment_mark_blocks = 8 };

/* A number of the caller's; a negative one becomes greater than any count. */
DEVICE wide segment_number(const struct segment_numbers *numbers, const void *from, wide i)
{
    if (numbers->bytes == 8)
        return LOAD_AS(BULK, (const wide_cell *)from + i);

    const unsigned number = LOAD_AS(BULK, (const unsigned_cell *)from + i);

    return numbers->is_signed ? (wide)(long long)(int)number : number;
}

/*
 * Set the mark of a row, if it is `there`. Neighbouring lanes often have rows of one word:
 * the first of them sets all their marks.
 */
DEVICE void set_mark(wide *marks, wide row, int there)
{
    const unsigned word = there ? (unsigned)(row / SEGMENT_WORD) : ~0u;
    const unsigned before = SHUFFLE(word, (LANE - 1) & (WARP - 1));
    wide bits = there ? (wide)1 << row % SEGMENT_WORD : 0;

    UNROLL
    for (int step = 1; step < WARP; step *= 2) {
        const unsigned other = SHUFFLE(word, (LANE + step) & (WARP - 1));
        const wide more = SHUFFLE(bits, (LANE + step) & (WARP - 1));

        if (other == word)
            bits |= more;
    }
    if (there && (LANE == 0 || before != word))
        POST_BITS(PLAIN, (wide_cell *)marks + word, bits);
}

/*
 * Mark my segment. Its end needs no mark if the next lane's segment begins there.
 */
DEVICE void mark_segment(const struct segment_mark_args *args, wide number)
{
    const struct segment_numbers *const numbers = &args->numbers;
    const int there = number < numbers->count;
    const wide begin = there ? segment_number(numbers, numbers->begins, number) : 0;
    const wide end = there ? segment_number(numbers, numbers->ends, number) : 0;
    const int valid = begin < end && end <= args->marks.count;
    const wide next = SHUFFLE(valid ? begin : ~(wide)0, (LANE + 1) & (WARP - 1));

    set_mark(args->marks.begins, begin, valid);
    set_mark(args->marks.ends, end, valid && end < args->marks.count && end != next);
}

/* Each thread clears a word of each array, or marks a segment. */
KERNEL(segment_mark, struct segment_mark_args)
{
    const wide i = (wide)BLOCK * THREADS + THREAD;

    if (args.numbers.begins) {
        mark_segment(&args, i);
    } else if (i < (args.marks.count + SEGMENT_WORD - 1) / SEGMENT_WORD) {
        STORE_AS(BULK, (wide_cell *)args.marks.begins + i, 0);
        STORE_AS(BULK, (wide_cell *)args.marks.ends + i, 0);
    }
}
