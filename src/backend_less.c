/*
 * backend_less.c - requests by a comparison on a device.
 */
#include "backend_device.h"

#include "less.h"

/* The plan, in its own terms and in those of other plans. */
static mw_status make_plan(struct backend *backend, const struct request *request,
                           struct less_plan *less, struct plan *plan)
{
    mw_status status;

    TRY(less_plan(less, request, &backend->tuning, &backend_device(backend)->info,
                  backend->error));
    less_plan_tell(less, request->count, plan);
done:
    return status;
}

mw_status comparison_plan(struct backend *backend, const struct request *request,
                          struct plan *plan)
{
    struct less_plan less;

    return make_plan(backend, request, &less, plan);
}

mw_status comparison_prepare(struct backend *backend, const struct request *request,
                             uint64_t *workspace_bytes)
{
    return less_prepare(backend_device(backend), request, &backend->tuning,
                        workspace_bytes);
}

mw_status comparison_enqueue(struct backend *backend, const struct request *request,
                             void *workspace, uint64_t bytes, void *stream,
                             struct pass_log *log)
{
    struct less_plan less;
    struct plan plan;
    mw_status status;

    TRY(make_plan(backend, request, &less, &plan));
    TRY(backend_check_workspace(backend, bytes, less.workspace_bytes));
    TRY(less_enqueue(backend_device(backend), request, &less, workspace, stream, log));
    device_note(backend, request, &plan);
done:
    return status;
}
