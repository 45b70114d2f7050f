/*
 * easy.c - the everyday calls, each a job of a few lines.
 */
#include "context.h"

/* Run a job that sorts keys of a built-in type. */
static mw_status run_typed(mw_context *context, mw_type type, mw_direction direction,
                           mw_job *job)
{
    mw_status status;

    TRY(context_ready(context));
    job->order = mw_order_of(type, direction);
    if (!job->order)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "type number %d in direction number %d: expected 0 to %d, and 0 or 1",
                    (int)type, (int)direction, MW_TYPE_COUNT - 1);
    TRY(mw_run(context, job));
done:
    return status;
}

mw_status mw_sort(mw_context *context, mw_type type, mw_direction direction, void *keys,
                  uint64_t count)
{
    const mw_table table = {.elements = keys, .count = count};
    mw_job job = MW_JOB_INIT;

    job.in = &table;
    return run_typed(context, type, direction, &job);
}

mw_status mw_sort_pairs(mw_context *context, mw_type type, mw_direction direction,
                        void *keys, void *values, uint32_t value_bytes, uint64_t count)
{
    const mw_column column = {values, value_bytes};
    const mw_table table = {keys, count, &column, 1};
    mw_job job = MW_JOB_INIT;

    job.in = &table;
    return run_typed(context, type, direction, &job);
}

mw_status mw_argsort(mw_context *context, mw_type type, mw_direction direction,
                     const void *keys, void *positions, mw_type position_type,
                     uint64_t count)
{
    const mw_table table = {.elements = (void *)(uintptr_t)keys, .count = count};
    const mw_table nothing = {.elements = NULL};
    mw_job job = MW_JOB_INIT;

    job.in = &table;
    job.out = &nothing;
    job.positions = positions;
    job.position_type = position_type;
    return run_typed(context, type, direction, &job);
}

mw_status mw_sort_records(mw_context *context, const mw_order *order, void *records,
                          uint64_t count)
{
    const mw_table table = {.elements = records, .count = count};
    mw_job job = MW_JOB_INIT;

    job.order = order;
    job.in = &table;
    return mw_run(context, &job);
}
