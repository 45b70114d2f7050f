/*
 * easy.c - the everyday calls, each a job of a few lines.
 */
#include "context.h"

#include <stdlib.h>

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

mw_status mw_merge(mw_context *context, mw_type type, mw_direction direction,
                   const void *const *lists, const uint64_t *counts, uint32_t list_count,
                   void *out)
{
    mw_table *tables = NULL;
    mw_table merged = {.elements = out};
    mw_job job = MW_JOB_INIT;
    mw_status status;

    TRY(context_ready(context));
    if (list_count && (!lists || !counts))
        return fail(&context->error, MW_BAD_ARGUMENT, "%s is NULL while list_count is %u",
                    lists ? "counts" : "lists", list_count);
    tables = calloc((size_t)list_count + 1, sizeof *tables);
    if (!tables)
        return fail(&context->error, MW_NO_MEMORY, "no memory for %u tables", list_count);
    for (uint32_t i = 0; i < list_count; i++) {
        tables[i].elements = (void *)(uintptr_t)lists[i];
        tables[i].count = counts[i];
        merged.count += counts[i];
    }
    job.operation = MW_MERGE;
    job.in = tables;
    job.in_count = list_count;
    job.out = &merged;
    TRY(run_typed(context, type, direction, &job));
done:
    free(tables);
    return status;
}

mw_status mw_top(mw_context *context, mw_type type, mw_direction direction,
                 const void *keys, uint64_t count, uint64_t k, void *out, void *positions,
                 mw_type position_type)
{
    const mw_table table = {.elements = (void *)(uintptr_t)keys, .count = count};
    const mw_table first = {.elements = out, .count = k};
    mw_job job = MW_JOB_INIT;

    job.operation = MW_SELECT;
    job.in = &table;
    job.out = &first;
    job.last = k;
    job.positions = positions;
    job.position_type = position_type;
    return run_typed(context, type, direction, &job);
}
