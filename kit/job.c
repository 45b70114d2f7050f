/*
 * job.c - jobs that sort keys of one type in place.
 */
#include "kit.h"

static mw_job sort_of(mw_type type, mw_direction direction, const mw_table *table)
{
    mw_job job = MW_JOB_INIT;

    job.order = mw_order_of(type, direction);
    job.in = table;
    return job;
}

mw_status kit_sort_workspace(mw_context *context, mw_type type, uint64_t count,
                             uint64_t *bytes)
{
    const mw_table table = {.count = count};
    const mw_job job = sort_of(type, MW_ASCENDING, &table);

    return mw_prepare(context, &job, bytes);
}

mw_status kit_sort_device(mw_context *context, mw_type type, mw_direction direction,
                          void *keys, uint64_t count, void *workspace,
                          uint64_t workspace_bytes, void *stream)
{
    const mw_table table = {.elements = keys, .count = count};
    const mw_job job = sort_of(type, direction, &table);

    return mw_enqueue(context, &job, workspace, workspace_bytes, stream);
}

mw_status kit_get_plan(mw_context *context, mw_type type, uint64_t count, mw_plan *plan)
{
    const mw_table table = {.count = count};
    const mw_job job = sort_of(type, MW_ASCENDING, &table);

    return mw_get_plan(context, &job, plan);
}
