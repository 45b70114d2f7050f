/*
 * backend_segments_one.c - one segment of short keys: they are copied to an array of their
 * own, which is filled up with keys that sort last, sorted as bare keys are, and copied
 * back. Only the device knows where the segment is, so the array has room for all rows.
 */
#include "backend_segments.h"

int segments_may_be_one(struct backend *backend, const struct request *request)
{
    const mw_tuning *const wish = &backend->tuning;
    const struct request_field *const field = &request->order.field[0];
    struct request seen = *request; /* which pointers are NULL always counts */

    if ((wish->engine != MW_ENGINE_AUTO && wish->engine != MW_ENGINE_TILE) || wish->ways ||
        wish->warps || wish->threads || wish->items || wish->base)
        return 0;
    seen.with_data = 1;
    return request->element_type && request->element_type->size <= 4 &&
           request->column_count == 1 && !request->position_bytes &&
           request_column(&seen, 0).out && field->code.rotate == 0 &&
           field->code.low == 0 && field->code.high == field->code.mask &&
           field->code.zero == 0;
}

static struct code code_of(const struct request *request)
{
    const struct type_row *const type = request->element_type;

    return (struct code){.flip = request->order.field[0].code.flip,
                         .is_float =
                             type->size == 2 ? (int)type->lowest : type->lowest != 0};
}

/* The bits whose code is the greatest. */
static uint64_t filler_of(const struct request *request)
{
    const struct type_row *const type = request->element_type;
    const uint64_t flip = request->order.field[0].code.flip;

    return type->lowest && flip ? type->lowest : ~flip;
}

static uint64_t keys_room(const struct request *request)
{
    return round_up(request->count * request->element_type->size, PLAN_ALIGNMENT);
}

mw_status segments_one_prepare(struct backend *backend, const struct request *request,
                               uint64_t *workspace_bytes)
{
    mw_status status;

    TRY(device_cover(backend, plan_bare(request->element_type->size), request->count,
                     workspace_bytes));
    *workspace_bytes += keys_room(request);
done:
    return status;
}

static mw_status copy(struct segments_run *run, const struct request *request,
                      const void *in, void *out, int back)
{
    const struct segment_copy_args args = {.numbers = segments_numbers(request),
                                           .in = in,
                                           .out = out,
                                           .count = request->count,
                                           .filler = filler_of(request),
                                           .bytes = (int)request->element_type->size,
                                           .back = back};

    return segments_launch(run, NULL, KERNEL_SEGMENT_COPY,
                           divide_up(request->count, SEGMENT_COPIED * segment_copy_threads),
                           segment_copy_threads, 0, &args, sizeof args);
}

mw_status segments_one_enqueue(struct segments_run *run, const struct request *request,
                               char *workspace, uint64_t bytes)
{
    struct backend *const backend = run->backend;
    struct device *const device = backend_device(backend);
    const struct request_column keys = request_column(request, 0);
    const uint64_t room = keys_room(request);
    struct program *program;
    struct plan plan;
    mw_status status;

    TRY(plan_make(&plan, &backend->tuning, &device->info,
                  plan_bare(request->element_type->size), request->count, backend->error));
    TRY(backend_check_workspace(backend, bytes, room + plan.workspace_bytes));
    TRY(device->verbs->load(device, &plan.program, device_kernels(backend, plan.kernels),
                            &program));
    TRY(copy(run, request, keys.in, workspace, 0));
    TRY(passes_sort(device, program, &plan, code_of(request), workspace, request->count,
                    workspace + room, run->queue.stream, run->queue.log));
    /* May the next launch overlap? */
    run->queue.begun = plan.tuning.engine == MW_ENGINE_TILE;
    TRY(copy(run, request, workspace, keys.out, 1));
    device_note(backend, request, &plan);
done:
    return status;
}
