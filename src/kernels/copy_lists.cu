/*
 * copy_lists.cu - concatenate the lists: copy one array of each, list after list, to one
 * array.
 */
#include "lists.cuh"

enum { copy_lists_blocks = 4 };

/* Copy `bytes` bytes by one warp, in the largest words that both addresses allow. */
DEVICE void copy_bytes(const char *from, char *to, wide bytes)
{
    const wide bits = (wide)from | (wide)to | bytes;
    const int word = bits % 16 == 0 ? 16 : bits % 4 == 0 ? 4 : 1;

    NO_UNROLL
    for (wide i = (wide)(LANE * word); i < bytes; i += (wide)(WARP * word)) {
        if (word == 16)
            STORE_AS(BULK, (quad_cell *)(to + i),
                     LOAD_AS(BULK, (const quad_cell *)(from + i)));
        else if (word == 4)
            STORE_AS(BULK, (unsigned_cell *)(to + i),
                     LOAD_AS(BULK, (const unsigned_cell *)(from + i)));
        else
            STORE_AS(BULK, (byte_cell *)(to + i),
                     LOAD_AS(BULK, (const byte_cell *)(from + i)));
    }
}

/* Copy rows whose values do not lie one after the other, or that are their numbers. */
DEVICE void copy_values(const struct copy_lists_args *args, wide at, wide begin, wide first,
                        wide last)
{
    NO_UNROLL
    for (wide row = first + LANE; row < last; row += WARP) {
        const byte_cell *const from =
            (const byte_cell *)(at + (row - begin) * args->in_pitch);
        byte_cell *const to = (byte_cell *)args->out + row * args->out_pitch;
        wide value = (at & ~LISTS_NUMBERS) + (row - begin);

        if (!(at & LISTS_NUMBERS)) {
            value = 0;
            for (unsigned i = 0; i < args->bytes; i++)
                value |= (wide)LOAD_AS(BULK, from + i) << 8 * i;
        }
        for (unsigned i = 0; i < args->out_bytes; i++)
            STORE_AS(BULK, to + i, (byte)(value >> 8 * i));
    }
}

/* Copy the rows [first, last) of all lists by one warp. */
DEVICE void copy_rows(const struct copy_lists_args *args, wide first, wide last)
{
    unsigned list = list_of_row(args->firsts, args->list_count, first);

    NO_UNROLL
    while (first < last) {
        const wide begin = LOAD((const wide_cell *)args->firsts + list);
        const wide end = LOAD((const wide_cell *)args->firsts + list + 1);
        const wide until = end < last ? end : last;

        if (first < until) {
            const wide at = LOAD((const wide_cell *)args->at + list);

            if (args->in_pitch == args->bytes && args->out_pitch == args->bytes &&
                !(at & LISTS_NUMBERS))
                copy_bytes((const char *)at + (first - begin) * args->bytes,
                           (char *)args->out + first * args->bytes,
                           (until - first) * args->bytes);
            else
                copy_values(args, at, begin, first, until);
            first = until;
        }
        list++;
    }
}

/* Is there nothing to do? */
DEVICE int is_not_wanted(const struct copy_lists_args *args)
{
    const wide flag = args->condition ? LOAD((const wide_cell *)args->condition) : 0;

    return args->condition && (args->number ? flag != args->number : flag == 0);
}

/* Warps take LISTS_COPY_ROWS rows in turn. */
KERNEL(copy_lists, struct copy_lists_args)
{
    const wide rows = LISTS_COPY_ROWS(args.bytes);
    const wide warp = ((wide)BLOCK * THREADS + THREAD) / WARP;
    const wide step = (wide)BLOCKS * LISTS_COPY_WARPS * rows;

    if (is_not_wanted(&args))
        return;
    NO_UNROLL
    for (wide first = warp * rows; first < args.count; first += step)
        copy_rows(&args, first, first + rows < args.count ? first + rows : args.count);
}
