/*
 * segment_mark.cu - mark where segments begin and end (launch_segments.h).
 */

#include "segment_number.cuh"

enum { segment_mark_blocks = 8 };

/* Marks of one word that are not set yet. */
struct marked_word {
    wide number;
    wide bits;
};

DEVICE void set_marks(wide *marks, const struct marked_word *word)
{
    if (word->bits)
        POST_BITS(PLAIN, (wide_cell *)marks + word->number, word->bits);
}

/* If two neighbouring lanes have the same word, one of them sets its marks. */
DEVICE void join_marks(struct marked_word *word)
{
    const wide number = SHUFFLE(word->number, LANE ^ 1);
    const wide bits = SHUFFLE(word->bits, LANE ^ 1);

    if (number == word->number)
        word->bits = LANE % 2 ? 0 : word->bits | bits;
}

/* Mark a row, with others of its word. */
DEVICE void add_mark(wide *marks, struct marked_word *word, wide row)
{
    if (row / SEGMENT_WORD != word->number) {
        set_marks(marks, word);
        word->number = row / SEGMENT_WORD;
        word->bits = 0;
    }
    word->bits |= (wide)1 << row % SEGMENT_WORD;
}

/* Is it a segment of the array, with a row at least? */
DEVICE int is_segment(const struct segment_mark_args *args, wide begin, wide end)
{
    return begin < end && end <= args->marks.count;
}

/*
 * Mark SEGMENT_MARKED segments, from `first` on. Neighbours often begin in one word. The
 * end of a segment needs no mark if the next one begins there.
 */
DEVICE void mark_segments(const struct segment_mark_args *args, wide first)
{
    const struct segment_numbers *const numbers = &args->numbers;
    struct marked_word opened = {0, 0}, closed = {0, 0};
    wide begin[SEGMENT_MARKED + 1], end[SEGMENT_MARKED + 1];

    UNROLL
    for (int i = 0; i <= SEGMENT_MARKED; i++) {
        const int there = first + i < numbers->count;

        begin[i] = there ? segment_number(numbers, numbers->begins, first + i) : 0;
        end[i] = there ? segment_number(numbers, numbers->ends, first + i) : 0;
    }
    UNROLL
    for (int i = 0; i < SEGMENT_MARKED; i++) {
        const wide next =
            is_segment(args, begin[i + 1], end[i + 1]) ? begin[i + 1] : ~(wide)0;

        if (is_segment(args, begin[i], end[i])) {
            add_mark(args->marks.begins, &opened, begin[i]);
            if (end[i] < args->marks.count && end[i] != next)
                add_mark(args->marks.ends, &closed, end[i]);
        }
    }
    join_marks(&opened);
    set_marks(args->marks.begins, &opened);
    set_marks(args->marks.ends, &closed);
}

/* Each thread clears a word of each array, or marks some segments. */
KERNEL(segment_mark, struct segment_mark_args)
{
    const wide i = (wide)BLOCK * THREADS + THREAD;

    if (args.numbers.begins) {
        mark_segments(&args, SEGMENT_MARKED * i);
    } else if (i < (args.marks.count + SEGMENT_WORD - 1) / SEGMENT_WORD) {
        STORE_AS(BULK, (wide_cell *)args.marks.begins + i, 0);
        STORE_AS(BULK, (wide_cell *)args.marks.ends + i, 0);
    }
}
