/*
 * select_segment.cuh - segments of a selection, and where rows of their results go.
 */

/* Number `i` of the caller's; a negative one becomes greater than any count. */
DEVICE wide number_of(const struct select_segments_args *args, const void *numbers, wide i)
{
    if (args->segment_bytes == 8)
        return LOAD_AS(BULK, (const wide_cell *)numbers + i);

    const unsigned number = LOAD_AS(BULK, (const unsigned_cell *)numbers + i);

    return args->is_signed ? (wide)(long long)(int)number : number;
}

/* Where a segment begins, and how many rows it has. */
DEVICE unsigned segment_of(const struct select_segments_args *args, wide segment,
                           wide *begin)
{
    const wide end = number_of(args, args->ends, segment);

    *begin = number_of(args, args->begins, segment);
    return *begin < end && end <= args->count ? (unsigned)(end - *begin) : 0;
}

/* How many rows of a segment of `count` rows are wanted. */
DEVICE unsigned wanted_of(const struct select_segments_args *args, unsigned count)
{
    const wide last = count < args->last ? count : args->last;

    return last > args->first ? (unsigned)(last - args->first) : 0;
}

/* Write row `i` of the result of a segment. */
DEVICE void write_row(const struct select_segments_args *args, wide segment, wide i,
                      wide begin, unsigned row, wide code)
{
    write_result(&args->result, &args->enter, segment * (args->last - args->first) + i, row,
                 begin, code);
}

/* Write GATHER_NONE for wanted rows that do not exist: i, i + step and so on. */
DEVICE void write_none(const struct select_segments_args *args, wide segment, wide i,
                       wide step)
{
    const wide wanted = args->last - args->first;

    for (; args->result.numbers && i < wanted; i += step)
        STORE_AS(BULK, (unsigned_cell *)args->result.numbers + segment * wanted + i,
                 GATHER_NONE);
}

/* `count` rows from row `begin` on. */
DEVICE struct select_view view_part(const struct select_segments_args *args, wide begin,
                                    unsigned count)
{
    struct select_view view =
        view_rows(&args->source, &args->enter, begin, count, args->result.code_bytes);

    view.parts = 0; /* codes were made of them */
    return view;
}

/* Write the rows of a segment that follow `skip` others in a list of `count`. */
DEVICE void write_list(const struct select_segments_args *args,
                       const struct select_list *list, wide segment, wide begin,
                       unsigned wanted, unsigned skip, unsigned count, unsigned thread,
                       unsigned threads)
{
    unsigned i = thread;

    for (; i < wanted && skip + i < count; i += threads)
        write_row(args, segment, i, begin, listed_row(list, skip + i),
                  listed_code(list, skip + i));
    write_none(args, segment, i, threads);
}
