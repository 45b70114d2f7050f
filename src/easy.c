/*
 * easy.c - the everyday calls, each a job of a few lines.
 */
#include "context.h"

mw_status mw_sort(mw_context *context, mw_type type, mw_direction direction, void *keys,
                  uint64_t count)
{
    const mw_table table = {.elements = keys, .count = count};
    mw_job job = MW_JOB_INIT;
    mw_status status;

    TRY(context_ready(context));
    job.order = mw_order_of(type, direction);
    job.in = &table;
    if (!job.order)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "type number %d in direction number %d: expected 0 to %d, and 0 or 1",
                    (int)type, (int)direction, MW_TYPE_COUNT - 1);
    TRY(mw_run(context, &job));
done:
    return status;
}
