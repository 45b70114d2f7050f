/*
 * backend_select_rank.c - SELECT on a device by rank: rows that cannot be in the result are
 * read once or twice and never sorted.
 */
#include "backend_select.h"

/* The sort of the selected rows by their numbers, which lie at `numbers`. */
struct select_sort {
    struct request request;
    struct rows_shape shape;
    struct plan plan;
    struct program *program;
};

static mw_status plan_sort(struct select_run *run, struct select_sort *sort,
                           unsigned *numbers)
{
    struct device *const device = backend_device(run->backend);
    mw_status status;

    sort->request = select_all(run->request, numbers);
    sort->request.count = run->count;
    TRY(plan_make(&sort->plan, &run->backend->tuning, &device->info,
                  rows_keys(&sort->shape, 0), run->count, run->backend->error));
    TRY(device->verbs->load(device, &sort->plan.program,
                            device_kernels(run->backend, sort->plan.kernels),
                            &sort->program));
done:
    return status;
}

static struct select_args make_args(const struct select_run *run,
                                    const struct select_plan *plan, unsigned *numbers)
{
    const struct request *const request = run->request;
    wide *const cells = (wide *)run->workspace;

    return (struct select_args){
        .count = request->count,
        .first = request->first,
        .last = request->last,
        .state = (struct select_state *)cells,
        .bins = cells + plan->bins_cell,
        .buckets = cells + plan->buckets_cell,
        .cells = cells,
        .cell_count = plan->cells,
        .tiles = cells + plan->tiles_cell,
        .codes = run->workspace + plan->codes_offset,
        .rows = (unsigned *)(run->workspace + plan->rows_offset),
        .capacity = plan->capacity,
        .samples = (wide *)(run->workspace + plan->samples_offset),
        .collected = (wide *)(run->workspace + plan->collected_offset),
        .rest = (wide *)(run->workspace + plan->rest_offset),
        .out = numbers,
        .sample = {plan->sample[0], plan->sample[1]},
        .result = select_result(request, plan->code_bytes, numbers),
        .is_sampled = plan->is_sampled,
        .is_sorted = plan->is_sorted,
        .is_two_sided = request->first > 0,
        .slack = plan->slack,
        .span = plan->span
    };
}

mw_status select_find(struct select_run *run, const struct rows_shape *shape,
                      const struct select_plan *plan, unsigned *numbers)
{
    struct select_args args = make_args(run, plan, numbers);
    mw_status status;

    select_source(run->request, shape, &args.source, &args.enter);
    select_load_whole(&args.source, plan->code_bytes);
    TRY(select_launch(run, KERNEL_SELECT_SAMPLE, SELECT_SAMPLES / SELECT_FILTER_THREADS,
                      SELECT_FILTER_THREADS, 0, &args, sizeof args));
    if (plan->is_sampled) {
        TRY(select_launch(run, KERNEL_SELECT_GUESS, 1, SELECT_THREADS, SELECT_SHARED, &args,
                          sizeof args));
        TRY(select_launch(run, KERNEL_SELECT_STAGE, plan->stages, SELECT_FILTER_THREADS,
                          SELECT_STAGE_SHARED, &args, sizeof args));
    }
    TRY(select_launch(run, KERNEL_SELECT_COUNT, plan->counts, SELECT_THREADS,
                      plan->is_sorted ? SELECT_COUNT_SHARED : SELECT_SHARED, &args,
                      sizeof args));
    if (!plan->is_sorted)
        TRY(select_launch(run, KERNEL_SELECT_FILTER, plan->filters, SELECT_FILTER_THREADS,
                          SELECT_FILTER_SHARED, &args, sizeof args));
done:
    return status;
}

/* Sort the selected rows by their codes; 8-byte positions are written on the way. */
static mw_status sort_rows(const struct select_run *run, const struct select_sort *sort,
                           char *workspace)
{
    struct rows rows;

    rows_make(&rows, &sort->shape, &sort->request, 0, 1, 1, sort->plan.rounds,
              workspace + sort->plan.workspace_bytes);
    if (run->request->position_bytes == 8)
        rows.more_positions = run->request->positions;
    return passes_sort_rows(backend_device(run->backend), sort->program, &sort->plan, &rows,
                            workspace, run->queue.stream, run->queue.log);
}

/* Few rows are sorted by select_count, so nothing is planned or launched for their sort. */
mw_status select_by_rank(struct select_run *run, const struct rows_shape *shape)
{
    const struct request *const request = run->request;
    struct select_sort sort; /* of many rows */
    struct select_plan plan;
    unsigned *numbers;
    uint64_t bytes;
    mw_status status;

    select_plan(&plan, &backend_device(run->backend)->info,
                (uint32_t)rows_keys(shape, 0).size, request->count, request->first,
                request->last);
    numbers = request->position_bytes == 4 && !plan.is_sorted
                  ? (unsigned *)request->positions
                  : (unsigned *)(run->workspace + plan.out_offset);
    bytes = plan.sort_offset;
    if (!plan.is_sorted) {
        sort.shape = *shape;
        TRY(plan_sort(run, &sort, numbers));
        bytes += sort.plan.workspace_bytes + rows_temp_bytes(shape, run->count);
    }
    TRY(backend_check_workspace(run->backend, run->bytes, bytes));
    TRY(select_find(run, shape, &plan, numbers));
    if (!plan.is_sorted)
        TRY(sort_rows(run, &sort, run->workspace + plan.sort_offset));
    TRY(select_write(run, plan.is_sorted ? (uint32_t)select_has_keys(request) : 0,
                     numbers));
done:
    return status;
}

mw_status select_rank_prepare(struct backend *backend, const struct request *request,
                              const struct rows_shape *shape, uint64_t *bytes)
{
    struct device *const device = backend_device(backend);
    const struct plan_keys keys = rows_keys(shape, 0);
    const uint64_t wanted = request->last - request->first;
    struct select_plan plan;
    uint64_t sorting;
    mw_status status = MW_OK;

    select_plan(&plan, &device->info, (uint32_t)keys.size, request->count, 0, wanted);
    *bytes = plan.sort_offset;
    if (plan.is_sorted)
        return MW_OK;
    TRY(device_cover(backend, keys, wanted, &sorting));
    *bytes += sorting + rows_temp_bytes(shape, wanted);
done:
    return status;
}
