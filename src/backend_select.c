/*
 * backend_select.c - SELECT on a device: the rows of some ranks, in order.
 */
#include "backend_device.h"

/* Everything that the steps of one request have in common. */
struct select_run {
    struct backend *backend;
    const struct request *request;
    uint64_t count; /* rows of the result */
    struct program *mover;
    char *workspace;
    uint64_t bytes; /* of it */
    void *stream;
    struct pass_log *log;
};

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
}

static mw_status load_mover(struct backend *backend, struct program **program)
{
    struct device *const device = backend_device(backend);
    const struct program_name name = {.engine = PROGRAM_ROWS};

    return device->verbs->load(device, &name, kernels_of(PROGRAM_ROWS), program);
}

static mw_status launch(const struct select_run *run, enum kernel_id kernel,
                        uint64_t blocks, uint32_t threads, const void *args,
                        size_t args_bytes)
{
    const struct launch what = {.program = run->mover,
                                .kernel = kernel,
                                .blocks = blocks,
                                .threads = threads,
                                .args = args,
                                .args_bytes = args_bytes,
                                .stream = run->stream,
                                .follows = !run->log};

    return passes_launch(backend_device(run->backend), &what, run->log);
}

/* ---- The result ---------------------------------------------------------------------- */

static mw_status gather(const struct select_run *run, const void *in, void *out,
                        const unsigned *positions, uint32_t bytes)
{
    const uint64_t rows = GATHER_ROWS(bytes);
    const struct gather_rows_args args = {
        .in = in, .out = out, .positions = positions, .count = run->count, .bytes = bytes};

    return launch(run, KERNEL_GATHER_ROWS, (run->count + rows - 1) / rows,
                  gather_rows_threads, &args, sizeof args);
}

/* Write the rows whose numbers `positions` has in order; and the numbers themselves. */
static mw_status write_rows(const struct select_run *run, const unsigned *positions)
{
    const struct request *const request = run->request;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(request, i);

        if (c.out)
            TRY(gather(run, c.in, c.out, positions, c.bytes));
    }
    if (request->position_bytes == 4 && request->positions != positions)
        TRY(gather(run, positions, request->positions, NULL, 4));
    if (request->position_bytes == 8) {
        const struct widen_positions_args args = {positions, (wide *)request->positions,
                                                  run->count};
        const uint64_t each = widen_positions_threads;

        TRY(launch(run, KERNEL_WIDEN_POSITIONS, (run->count + each - 1) / each,
                   widen_positions_threads, &args, sizeof args));
    }
done:
    return status;
}

/* ---- By sorting ---------------------------------------------------------------------- */

/* The request that finds the order of all rows, to `positions`. */
static struct request all_in_order(const struct request *request, unsigned *positions)
{
    struct request all = *request;

    all.operation = MW_SORT;
    all.result_count = request->count;
    all.out = (mw_table){.elements = NULL};
    all.positions = positions;
    all.position_bytes = 4;
    all.only_positions = 1;
    return all;
}

/* Sort the numbers of all rows, and take those that are wanted. */
static mw_status select_by_sorting(struct select_run *run)
{
    const struct request *const request = run->request;
    unsigned *const positions = (unsigned *)run->workspace;
    const uint64_t room = aligned(4 * request->count);
    const struct request all = all_in_order(request, positions);
    mw_status status;

    TRY(backend_check_workspace(run->backend, run->bytes, room));
    TRY(rows_enqueue(run->backend, &all, run->workspace + room, run->bytes - room,
                     run->stream));
    TRY(write_rows(run, positions + request->first));
done:
    return status;
}

/* ---- Verbs --------------------------------------------------------------------------- */

mw_status select_prepare(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes)
{
    const struct request all = all_in_order(request, NULL);
    struct program *program;
    mw_status status;

    *workspace_bytes = 0;
    if (request_has_segments(request))
        return fail(backend->error, MW_UNSUPPORTED, "%s does not select in segments",
                    backend->info.device);
    if (request->first == request->last)
        return MW_OK;
    TRY(load_mover(backend, &program));
    TRY(rows_prepare(backend, &all, workspace_bytes));
    *workspace_bytes += aligned(4 * request->count);
done:
    return status;
}

mw_status select_enqueue(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream)
{
    struct select_run run = {.backend = backend,
                             .request = request,
                             .count = request->last - request->first,
                             .workspace = workspace,
                             .bytes = bytes,
                             .stream = stream,
                             .log = device_begin(backend)};
    mw_status status = MW_OK;

    backend->counts = (mw_counts)MW_COUNTS_INIT;
    if (request_has_segments(request))
        return fail(backend->error, MW_UNSUPPORTED, "%s does not select in segments",
                    backend->info.device);
    if (run.count == 0)
        return MW_OK;
    TRY(load_mover(backend, &run.mover));
    TRY(select_by_sorting(&run));
done:
    return status;
}
