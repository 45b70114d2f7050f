/*
 * backend_device.c - requests on a device: plan, load, run the passes.
 */
#include "backend_device.h"

#include <stdlib.h>

static struct device_backend *own(struct backend *backend)
{
    return (struct device_backend *)backend;
}

static void close(struct backend *backend)
{
    struct device *const device = backend_device(backend);

    pass_log_close(device, &own(backend)->log);
    device->verbs->free(device, own(backend)->scratch);
    device->verbs->close(device);
    free(backend);
}

/* The verbs of a request that is not for bare keys. */
struct row_verbs {
    mw_status (*prepare)(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes);
    mw_status (*enqueue)(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream);
};

static const struct row_verbs *verbs_of(const struct request *request)
{
    static const struct row_verbs of_rows = {rows_prepare, rows_enqueue};
    static const struct row_verbs of_lists = {lists_prepare, lists_enqueue};
    static const struct row_verbs of_selection = {select_prepare, select_enqueue};
    static const struct row_verbs of_segments = {segments_prepare, segments_enqueue};

    switch (request->operation) {
    case MW_MERGE:
    case MW_SPLIT:
        return &of_lists;
    case MW_SELECT:
        return &of_selection;
    default:
        return request_has_segments(request) ? &of_segments : &of_rows;
    }
}

mw_status device_prepare(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes)
{
    uint64_t bytes = 0;
    mw_status status = MW_OK;

    if (request->list_count)
        TRY(verbs_of(request)->prepare(backend, request, &bytes));
    *workspace_bytes = bytes;
done:
    return status;
}

mw_status device_enqueue(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream)
{
    if (request->list_count)
        return verbs_of(request)->enqueue(backend, request, workspace, bytes, stream);
    device_begin(backend); /* nothing to merge or to split */
    backend->counts = (mw_counts)MW_COUNTS_INIT;
    return MW_OK;
}

/* Can the device call the order, even if there is nothing to compare? */
static mw_status check_order(struct backend *backend, const struct request *request)
{
    struct device *const device = backend_device(backend);
    const struct request_order *const order = &request->order;

    if (request->type || order->field_count)
        return MW_OK;
    return device->verbs->check_less(device, order->less, order->less_on_host);
}

/* Only sorts of all rows, and merges, have rounds to tell of. */
static mw_status make_plan(struct backend *backend, const struct request *request,
                           struct plan *plan)
{
    if (!request->type && request->operation != MW_CHECK &&
        (request->operation != MW_SORT || request_has_segments(request))) {
        mw_status status;

        *plan = (struct plan){.rounds = 0};
        status = device_prepare(backend, request, &plan->workspace_bytes);
        return status == MW_OK && request->operation == MW_MERGE && request->count
                   ? merge_plan(backend, request, plan)
                   : status;
    }
    if (!request->type)
        return rows_plan(backend, request, plan);
    return plan_make(plan, &backend->tuning, &backend_device(backend)->info,
                     plan_bare(request->type->size), request->count, backend->error);
}

static mw_status tell_plan(struct backend *backend, const struct request *request,
                           mw_plan *told)
{
    struct plan plan;
    mw_status status;

    TRY(check_order(backend, request));
    TRY(make_plan(backend, request, &plan));
    told->count = request->count;
    told->workspace_bytes = plan.workspace_bytes;
    told->first_blocks = plan.base_blocks;
    told->first_threads = plan.base_threads;
    told->first_shared = plan.base_shared;
    told->merge_shared = plan.merge_shared;
    told->launches = plan.launches;
    told->rounds = plan.rounds;
    told->tuning = plan.tuning;
    for (uint32_t i = 0; i < plan.rounds; i++)
        told->round[i] = (mw_plan_round){.run = plan.round[i].run,
                                         .groups = plan.round[i].groups,
                                         .pieces = plan.round[i].pieces,
                                         .piece = plan.round[i].piece,
                                         .blocks = plan.round[i].blocks,
                                         .ways = plan.round[i].ways,
                                         .joined = plan.round[i].ranked   ? 2
                                                   : plan.round[i].joined ? 1
                                                                          : 0};
done:
    return status;
}

kernel_set device_kernels(const struct backend *backend, kernel_set kernels)
{
    return backend->timing == MW_TIMING_PHASES ? plan_kernels_in_phases(kernels) : kernels;
}

mw_status device_cover(struct backend *backend, struct plan_keys keys, uint64_t count,
                       uint64_t *workspace_bytes)
{
    struct device *const device = backend_device(backend);
    struct plan_cover cover;
    struct program *program;
    mw_status status;

    TRY(plan_cover(&cover, &backend->tuning, &device->info, keys, count, backend->error));
    for (uint32_t i = 0; i < cover.program_count; i++)
        TRY(device->verbs->load(device, &cover.program[i].name,
                                device_kernels(backend, cover.program[i].kernels),
                                &program));
    *workspace_bytes = cover.workspace_bytes;
done:
    return status;
}

static mw_status prepare(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes)
{
    mw_status status;

    TRY(check_order(backend, request));
    if (!request->type)
        TRY(device_prepare(backend, request, workspace_bytes));
    else
        TRY(device_cover(backend, plan_bare(request->type->size), request->count,
                         workspace_bytes));
done:
    return status;
}

void device_note(struct backend *backend, const struct request *request,
                 const struct plan *plan)
{
    const uint64_t passes = plan->deal.buckets ? DEAL_PASSES : 1 + plan->rounds;
    const uint64_t bytes = request->count ? plan->key_bytes * passes : 0;
    const uint64_t warps = plan->tuning.threads / WARP; /* of a block */

    backend->counts = (mw_counts){
        .size = sizeof backend->counts,
        .count = request->count,
        .rounds = plan->rounds,
        .launches = own(backend)->log.count ? own(backend)->log.count : plan->launches,
        .bytes_read = bytes,
        .bytes_written = bytes,
        .warp_shared = plan->merge_shared / warps,
        .tuning = plan->tuning};
}

struct pass_log *device_begin(struct backend *backend)
{
    struct device *const device = backend_device(backend);
    struct pass_log *const log = &own(backend)->log;

    if (own(backend)->is_part)
        return NULL;
    log->count = 0;
    log->round = 0;
    log->phases = backend->timing == MW_TIMING_PHASES;
    own(backend)->timed = 0;
    if (device->verbs->ledger_reset)
        device->verbs->ledger_reset(device);
    return backend->timing ? log : NULL;
}

struct pass_queue device_queue(struct backend *backend, void *stream)
{
    return (struct pass_queue){
        .device = backend_device(backend), .stream = stream, .log = device_begin(backend)};
}

/* Enqueue the passes on `keys` in device memory; counts, ledger and log start anew. */
static mw_status run_passes(struct backend *backend, const struct request *request,
                            const struct plan *plan, void *keys, void *workspace,
                            void *stream)
{
    struct device *const device = backend_device(backend);
    struct pass_log *const log = device_begin(backend);
    struct program *program;
    mw_status status = MW_OK;

    if (request->count == 0)
        goto done;
    TRY(device->verbs->load(device, &plan->program, device_kernels(backend, plan->kernels),
                            &program));
    TRY(passes_sort(device, program, plan, request->code, keys, request->count, workspace,
                    stream, log));
done:
    if (status == MW_OK)
        device_note(backend, request, plan); /* while the GPU is at work */
    return status;
}

mw_status device_scratch(struct backend *backend, uint64_t bytes, char **scratch)
{
    struct device_backend *const self = own(backend);
    mw_status status = MW_OK;

    *scratch = self->scratch;
    if (self->scratch_bytes >= bytes)
        return MW_OK;
    if (backend->memory_bytes && bytes > backend->memory_bytes)
        return fail(backend->error, MW_NO_MEMORY,
                    "the job needs %llu bytes of device memory; memory_bytes allows %llu",
                    (unsigned long long)bytes, (unsigned long long)backend->memory_bytes);
    self->device->verbs->free(self->device, self->scratch);
    self->scratch = NULL;
    self->scratch_bytes = 0;
    TRY(self->device->verbs->alloc(self->device, bytes, &self->scratch));
    self->scratch_bytes = bytes;
    *scratch = self->scratch;
done:
    return status;
}

/* A request that failed leaves no figures; one that was refused touches nothing. */
static void forget(struct backend *backend, mw_status status)
{
    struct device *const device = backend_device(backend);

    if (status == MW_OK || status == MW_BAD_ARGUMENT)
        return;
    own(backend)->log.count = 0;
    backend->counts = (mw_counts)MW_COUNTS_INIT;
    if (device->verbs->ledger_reset)
        device->verbs->ledger_reset(device);
}

/* Upload the keys, sort them, download them, on the device's own stream. */
static mw_status run(struct backend *backend, const struct request *request)
{
    struct device *const device = backend_device(backend);
    void *const stream = device->stream;
    struct plan plan;
    uint64_t keys_room;
    char *scratch;
    mw_status status;

    TRY(check_order(backend, request));
    if (!request->type) {
        TRY(device_run_host(backend, request));
        return MW_OK;
    }
    TRY(make_plan(backend, request, &plan));
    if (request->count == 0)
        return run_passes(backend, request, &plan, NULL, NULL, NULL);
    keys_room = (plan.key_bytes + 255) / 256 * 256;
    if (host_is_chunked(backend, request, keys_room + plan.workspace_bytes)) {
        TRY(host_sort_chunked(backend, request));
        return MW_OK;
    }
    TRY(device_scratch(backend, keys_room + plan.workspace_bytes, &scratch));
    TRY(device->verbs->upload(device, scratch, request->keys, plan.key_bytes, stream));
    TRY(run_passes(backend, request, &plan, scratch, scratch + keys_room, stream));
    TRY(device->verbs->download(device, request->keys, scratch, plan.key_bytes, stream));
    TRY(device->verbs->wait(device, stream));
done:
    if (status != MW_OK) { /* a copy may still be using the keys */
        const struct error first = *backend->error;

        device->verbs->wait(device, stream);
        *backend->error = first;
        forget(backend, status);
    }
    return status;
}

static mw_status enqueue(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream)
{
    struct plan plan;
    mw_status status;

    TRY(check_order(backend, request));
    if (!request->type) {
        TRY(device_enqueue(backend, request, workspace, bytes, stream));
        return MW_OK;
    }
    TRY(make_plan(backend, request, &plan));
    TRY(backend_check_workspace(backend, bytes, plan.workspace_bytes));
    TRY(run_passes(backend, request, &plan, request->keys, workspace, stream));
done:
    forget(backend, status);
    return status;
}

static mw_status alloc(struct backend *backend, uint64_t bytes, void **memory)
{
    struct device *const device = backend_device(backend);

    return device->verbs->alloc(device, bytes ? bytes : 1, memory);
}

static void give(struct backend *backend, void *memory)
{
    struct device *const device = backend_device(backend);

    device->verbs->free(device, memory);
}

static mw_status upload(struct backend *backend, void *memory, const void *from,
                        uint64_t bytes)
{
    struct device *const device = backend_device(backend);
    mw_status status;

    TRY(device->verbs->upload(device, memory, from, bytes, NULL));
    TRY(device->verbs->wait(device, NULL));
done:
    return status;
}

static mw_status download(struct backend *backend, void *to, const void *memory,
                          uint64_t bytes)
{
    struct device *const device = backend_device(backend);
    mw_status status;

    TRY(device->verbs->download(device, to, memory, bytes, NULL));
    TRY(device->verbs->wait(device, NULL));
done:
    return status;
}

static mw_status wait(struct backend *backend)
{
    struct device *const device = backend_device(backend);

    return device->verbs->wait_all(device);
}

static mw_status ledger(struct backend *backend, const mw_ledger_line **lines,
                        size_t *count)
{
    struct device *const device = backend_device(backend);

    return device->verbs->ledger ? device->verbs->ledger(device, lines, count) : MW_OK;
}

static mw_status launches(struct backend *backend, const mw_launch **launches,
                          size_t *count)
{
    struct device *const device = backend_device(backend);
    struct pass_log *const log = &own(backend)->log;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < log->count && !own(backend)->timed; i++)
        TRY(device->verbs->elapsed(device, log->events[i], log->events[i + 1],
                                   &log->launches[i].milliseconds));
    own(backend)->timed = 1;
    *launches = log->launches;
    *count = log->count;
done:
    return status;
}

static const struct backend_verbs verbs = {
    .close = close,
    .plan = tell_plan,
    .prepare = prepare,
    .run = run,
    .enqueue = enqueue,
    .alloc = alloc,
    .free = give,
    .upload = upload,
    .download = download,
    .wait = wait,
    .ledger = ledger,
    .launches = launches,
};

/* A backend for a device that `status` says was opened. */
static mw_status wrap(struct backend **backend, struct device_backend *made,
                      mw_status status)
{
    *backend = NULL;
    if (status != MW_OK) {
        free(made);
        return status;
    }
    made->base.verbs = &verbs;
    made->base.error = made->device->error;
    made->base.info = made->device->info;
    *backend = &made->base;
    return MW_OK;
}

mw_status backend_open_sim(struct backend **backend, struct error *error)
{
    struct device_backend *const made = calloc(1, sizeof *made);

    return wrap(backend, made,
                made ? sim_open(&made->device, error)
                     : fail(error, MW_NO_MEMORY, "no memory for a handle"));
}

mw_status backend_open_cuda(struct backend **backend, int index, const mw_options *options,
                            struct error *error)
{
    struct device_backend *const made = calloc(1, sizeof *made);

    return wrap(backend, made,
                made ? cuda_open(&made->device, index, options, error)
                     : fail(error, MW_NO_MEMORY, "no memory for a handle"));
}
