/*
 * split_rows.cu - where to cut lists so that a given number of rows lies before the cuts,
 * by an order of fields of any length.
 */
#include "split.cuh"

typedef struct split_rows_args split_order;

/* Where a field of row `row` of list `list` is. */
DEVICE const char *split_field(const struct split_rows_args *args, int field, unsigned list,
                               wide row)
{
    const wide at = LOAD((const wide_cell *)args->lists.at +
                         (wide)field * args->lists.list_count + list);

    return (const char *)(at + row * args->field[field].pitch);
}

DEVICE int split_less(const struct split_rows_args *args, unsigned i, wide a, unsigned j,
                      wide b)
{
    NO_UNROLL
    for (int f = 0; f < args->field_count; f++) {
        const int order = compare_fields(&args->field[f], split_field(args, f, i, a),
                                         split_field(args, f, j, b));

        if (order)
            return order < 0;
    }
    return 0;
}

#include "split_by.inl"

enum { split_rows_blocks = 4 };

/* Each warp cuts by one rank after another. */
KERNEL(split_rows, struct split_rows_args)
{
    const wide warp = ((wide)BLOCK * THREADS + THREAD) / WARP;
    struct split_task t = split_task_of(&args.lists, warp);

    if (warp >= args.lists.warps)
        return;
    NO_UNROLL
    for (wide number = warp; number < args.lists.rank_count; number += args.lists.warps)
        split_by_order(&t, &args, number);
}
