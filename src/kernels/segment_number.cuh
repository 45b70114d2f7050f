/*
 * segment_number.cuh - where the caller's segments begin and end (launch_segments.h).
 */

/* A number of the caller's; a negative one becomes greater than any count. */
DEVICE wide segment_number(const struct segment_numbers *numbers, const void *from, wide i)
{
    if (numbers->bytes == 8)
        return LOAD_AS(BULK, (const wide_cell *)from + i);

    const unsigned number = LOAD_AS(BULK, (const unsigned_cell *)from + i);

    return numbers->is_signed ? (wide)(long long)(int)number : number;
}

/* The only segment: `count` rows from `begin` on. */
struct segment_only {
    wide begin;
    wide count;
};

/* It is in an array of `count` rows, or has no rows. */
DEVICE struct segment_only only_segment(const struct segment_numbers *numbers, wide count)
{
    const wide begin = segment_number(numbers, numbers->begins, 0);
    const wide end = segment_number(numbers, numbers->ends, 0);
    struct segment_only segment = {0, 0};

    if (begin < end && end <= count) {
        segment.begin = begin;
        segment.count = end - begin;
    }
    return segment;
}
