/*
 * backend_select.c - SELECT on a device: the rows of some ranks, in order.
 */
#include "backend_select.h"

mw_status select_launch(struct select_run *run, enum kernel_id kernel, uint64_t blocks,
                        uint32_t threads, uint32_t shared_bytes, const void *args,
                        size_t args_bytes)
{
    return passes_enqueue(&run->queue, run->mover, kernel, blocks, threads, shared_bytes,
                          args, args_bytes);
}

/* ---- The result ---------------------------------------------------------------------- */

static mw_status gather(struct select_run *run, const void *in, void *out,
                        const unsigned *positions, uint32_t bytes)
{
    const uint64_t rows = GATHER_ROWS(bytes);
    const struct gather_rows_args args = {.in = in,
                                          .out = out,
                                          .positions = positions,
                                          .count = run->count,
                                          .bytes = bytes,
                                          .some = 1};

    return select_launch(run, KERNEL_GATHER_ROWS, (run->count + rows - 1) / rows,
                         gather_rows_threads, 0, &args, sizeof args);
}

mw_status select_write(struct select_run *run, uint32_t first, const unsigned *numbers)
{
    mw_status status = MW_OK;

    for (uint32_t i = first; i < run->request->column_count; i++) {
        const struct request_column c = request_column(run->request, i);

        if (c.out)
            TRY(gather(run, c.in, c.out, numbers, c.bytes));
    }
done:
    return status;
}

int select_has_keys(const struct request *request)
{
    return request->element_type && rows_is_number(&request->order);
}

struct select_result select_result(const struct request *request, uint32_t code_bytes,
                                   unsigned *numbers)
{
    const uint32_t first = select_has_keys(request);
    struct select_result result = {.positions = request->positions,
                                   .keys = first ? request_column(request, 0).out : NULL,
                                   .position_bytes = (int)request->position_bytes,
                                   .code_bytes = (int)code_bytes};

    if (first && !rows_is_key(&request->order))
        result.from = request_column(request, 0).in;
    for (uint32_t i = first; i < request->column_count; i++) {
        if (request_column(request, i).out)
            result.numbers = numbers;
    }
    if (request->only_positions)
        result.numbers = numbers;
    return result;
}

mw_status select_write_positions(struct select_run *run, const unsigned *numbers)
{
    const struct widen_positions_args args = {
        .in = numbers, .out = run->request->positions, .count = run->count, .bytes = 8};
    const uint64_t each = widen_positions_threads;

    if (run->request->position_bytes == 4)
        return gather(run, numbers, run->request->positions, NULL, 4);
    if (run->request->position_bytes == 8)
        return select_launch(run, KERNEL_WIDEN_POSITIONS, (run->count + each - 1) / each,
                             widen_positions_threads, 0, &args, sizeof args);
    return MW_OK;
}

/* ---- By sorting ---------------------------------------------------------------------- */

/* The request that finds the order of all rows, to `positions`. */
struct request select_all(const struct request *request, unsigned *positions)
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
    const uint64_t room = round_up(4 * request->count, PLAN_ALIGNMENT);
    const struct request all = select_all(request, positions);
    mw_status status;

    TRY(backend_check_workspace(run->backend, run->bytes, room));
    TRY(rows_enqueue(run->backend, &all, run->workspace + room, run->bytes - room,
                     run->queue.stream));
    run->queue.begun = 1;
    TRY(select_write(run, 0, positions + request->first));
    TRY(select_write_positions(run, positions + request->first));
done:
    return status;
}

/* ---- Codes --------------------------------------------------------------------------- */

/* What does not depend on the data: rows travel as numbers. 0: all rows are to be sorted */
int select_by_codes(struct backend *backend, const struct request *request,
                    struct rows_shape *shape)
{
    if (request->order.field_count == 0 ||
        rows_shape(shape, request, backend->error) != MW_OK || shape->words > 1)
        return 0;
    rows_by_number(shape);
    return 1;
}

void select_source(const struct request *request, const struct rows_shape *shape,
                   struct tile_source *source, struct key_code *enter)
{
    struct tile_carry carry;
    struct rows rows;
    void *unused;

    rows_make(&rows, shape, request, 0, 0, 0, 0, NULL);
    rows_carry(&rows, ROWS_IN, ROWS_A, &carry, &unused);
    *source = carry.source;
    *enter = (struct key_code){.flip = rows.code.flip, .is_float = rows.code.is_float};
}

void select_load_whole(struct tile_source *source, uint32_t bytes)
{
    const struct code_part *const part = &source->part[0];

    if (source->part_count != 1 || part->bytes != (int)bytes || part->pitch != bytes ||
        part->is_string || part->drop != 0 || part->bits != (int)(8 * bytes) ||
        (uintptr_t)part->at % bytes != 0)
        return;
    source->keys = part->at;
    source->pitch = part->pitch;
    source->part_count = 0;
    source->is_whole = 1;
}

/* ---- Verbs --------------------------------------------------------------------------- */

/* What sorting up to `count` rows takes. */
static mw_status prepare_sorting(struct backend *backend, const struct request *request,
                                 uint64_t count, uint64_t *workspace_bytes)
{
    struct request all = select_all(request, NULL);
    mw_status status;

    all.count = count;
    TRY(rows_prepare(backend, &all, workspace_bytes));
    *workspace_bytes += round_up(4 * count, PLAN_ALIGNMENT);
done:
    return status;
}

mw_status select_prepare(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes)
{
    const uint64_t wanted = request->last - request->first;
    uint64_t sorting = 0, selecting = 0;
    struct rows_shape shape;
    struct program *program;
    mw_status status;

    *workspace_bytes = 0;
    if (request->result_count == 0)
        return MW_OK;
    TRY(passes_load_rows(backend_device(backend), &program));
    if (request_has_segments(request)) {
        TRY(select_segments_prepare(backend, request, workspace_bytes));
        return MW_OK;
    }
    if (!select_by_codes(backend, request, &shape)) {
        TRY(prepare_sorting(backend, request, request->count, workspace_bytes));
        if (select_by_words(backend, request, 1, &shape)) /* perhaps for fewer ranks */
            TRY(select_words_prepare(backend, request, *workspace_bytes, workspace_bytes));
        return MW_OK;
    }
    TRY(prepare_sorting(backend, request, select_most_sorted(request->count, wanted),
                        &sorting));
    if (select_is_worth(request->count, 1)) /* perhaps for fewer ranks */
        TRY(select_rank_prepare(backend, request, &shape, &selecting));
    *workspace_bytes = sorting > selecting ? sorting : selecting;
done:
    return status;
}

mw_status select_enqueue(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream)
{
    struct select_run run = {.backend = backend,
                             .request = request,
                             .count = request->result_count,
                             .workspace = workspace,
                             .bytes = bytes,
                             .queue = device_queue(backend, stream)};
    struct rows_shape shape;
    mw_status status = MW_OK;

    backend->counts = (mw_counts)MW_COUNTS_INIT;
    if (run.count == 0)
        return MW_OK;
    TRY(passes_load_rows(backend_device(backend), &run.mover));
    if (request_has_segments(request))
        TRY(select_segments_enqueue(&run));
    else if (select_is_worth(request->count, run.count) &&
             select_by_codes(backend, request, &shape))
        TRY(select_by_rank(&run, &shape));
    else if (select_by_words(backend, request, run.count, &shape))
        TRY(select_words_enqueue(&run, &shape));
    else
        TRY(select_by_sorting(&run));
    backend->counts.count = request->count;
done:
    return status;
}
