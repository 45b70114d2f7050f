/*
 * passes_less.c - the passes of a sort by a comparison, in a few device verbs.
 *
 *   first pass   sorted tiles
 *   each round   cuts: where each tile of the output begins in each list
 *                check: groups whose cuts contradict each other are flagged
 *                merge: every `ways` neighbouring runs become one
 *   positions    rows of all columns are gathered by the sorted positions
 *
 * Two arrays of items take turns, as in passes.c.
 */
#include "less.h"

#include "kernels/launch.h"

/* Everything the launches of one sort have in common. */
struct less_run {
    struct device *device;
    const struct request *request;
    struct less_plan plan;
    struct program *program; /* by the comparison */
    struct program *rows;    /* PROGRAM_ROWS, or NULL */
    struct less_order order;
    char *workspace;
    void *stream;
    int begun;
};

static mw_status launch(struct less_run *run, enum kernel_id kernel, uint64_t blocks,
                        uint32_t threads, const void *args, size_t args_bytes)
{
    const int by_less = (run->plan.kernels & 1u << kernel) != 0;
    const int in_tiles = kernel == KERNEL_LESS_SORT || kernel == KERNEL_LESS_MERGE;
    const struct launch what = {.program = by_less ? run->program : run->rows,
                                .kernel = kernel,
                                .blocks = blocks,
                                .threads = threads,
                                .shared_bytes = in_tiles ? run->plan.shared : 0,
                                .args = args,
                                .args_bytes = args_bytes,
                                .stream = run->stream,
                                .follows = run->begun};

    run->begun = 1;
    return run->device->verbs->launch(run->device, &what);
}

/* Blocks that give each of `tasks` as many threads as `each`. */
static uint64_t blocks_for(uint64_t tasks, uint32_t each, uint32_t threads)
{
    const uint64_t part = threads / each;

    return (tasks + part - 1) / part;
}

static mw_status sort_tiles(struct less_run *run, const void *in, void *out)
{
    const struct less_plan *const plan = &run->plan;
    const struct less_sort_args args = {
        .in = in,
        .out = out,
        .flags = plan->rounds ? (wide *)(run->workspace + plan->flags_offset) : NULL,
        .flag_count = plan->flag_count,
        .count = run->request->count,
        .order = run->order};

    return launch(run, KERNEL_LESS_SORT,
                  (run->request->count + plan->tile - 1) / plan->tile,
                  plan->program.tile.rows, &args, sizeof args);
}

static mw_status merge_round(struct less_run *run, uint32_t number, const void *in,
                             void *out)
{
    const struct less_plan *const plan = &run->plan;
    const struct less_plan_round *const r = &plan->round[number];
    const struct less_cut_args args = {
        .round = {.in = in,
                  .out = out,
                  .cuts = (wide *)(run->workspace + plan->cuts_offset),
                  .flags = (wide *)(run->workspace + plan->flags_offset),
                  .count = run->request->count,
                  .run = r->run,
                  .tile = plan->merge_tile,
                  .number = number + 1,
                  .groups = (unsigned)r->groups,
                  .pieces = (unsigned)r->pieces,
                  .ways = (int)r->ways,
                  .order = run->order}
    };
    const struct less_merge_args merge_args = {.round = args.round};
    const struct check_cuts_args check_args = {.cuts = args.round.cuts,
                                               .flags = args.round.flags,
                                               .number = args.round.number,
                                               .groups = args.round.groups,
                                               .pieces = args.round.pieces,
                                               .ways = args.round.ways};
    const uint64_t tiles = r->groups * r->pieces;
    mw_status status;

    TRY(launch(run, KERNEL_LESS_CUT, blocks_for(tiles + r->groups, WARP, less_cut_threads),
               less_cut_threads, &args, sizeof args));
    TRY(launch(run, KERNEL_CHECK_CUTS, blocks_for(tiles, WARP, check_cuts_threads),
               check_cuts_threads, &check_args, sizeof check_args));
    TRY(launch(run, KERNEL_LESS_MERGE, tiles, plan->program.tile.rows, &merge_args,
               sizeof merge_args));
done:
    return status;
}

/* Sort the items of `in`, or all positions if it is NULL, to `out` by way of `spare`. */
static mw_status sort_items(struct less_run *run, const void *in, void *out, void *spare)
{
    void *const buffer[2] = {out, spare};
    uint32_t at = run->plan.rounds % 2; /* where the runs are; 0 after the last round */
    mw_status status;

    TRY(sort_tiles(run, in, buffer[at]));
    for (uint32_t i = 0; i < run->plan.rounds; i++) {
        TRY(merge_round(run, i, buffer[at], buffer[1 - at]));
        at = 1 - at;
    }
done:
    return status;
}

static mw_status gather(struct less_run *run, const void *in, void *out,
                        const unsigned *positions, uint32_t bytes)
{
    const uint64_t rows = GATHER_ROWS(bytes);
    const struct gather_rows_args args = {.in = in,
                                          .out = out,
                                          .positions = positions,
                                          .count = run->request->count,
                                          .bytes = bytes};

    return launch(run, KERNEL_GATHER_ROWS, (args.count + rows - 1) / rows,
                  gather_rows_threads, &args, sizeof args);
}

/* Gather a column; in place it goes by way of the workspace. */
static mw_status gather_column(struct less_run *run, uint32_t number,
                               const unsigned *positions)
{
    const struct request_column column = request_column(run->request, number);
    void *const rows = run->workspace + run->plan.spare_offset;
    mw_status status = MW_OK;

    if (!column.out)
        return MW_OK;
    if (column.out != column.in)
        return gather(run, column.in, column.out, positions, column.bytes);
    TRY(gather(run, column.in, rows, positions, column.bytes));
    TRY(gather(run, rows, column.out, NULL, column.bytes));
done:
    return status;
}

static mw_status sort_positions(struct less_run *run)
{
    const struct request *const request = run->request;
    unsigned *const positions =
        request->position_bytes == 4
            ? (unsigned *)request->positions
            : (unsigned *)(run->workspace + run->plan.positions_offset);
    mw_status status;

    TRY(sort_items(run, NULL, positions, run->workspace + run->plan.spare_offset));
    for (uint32_t i = 0; i < request->column_count; i++)
        TRY(gather_column(run, i, positions));
    if (request->position_bytes == 8) {
        const struct widen_positions_args args = {positions, (wide *)request->positions,
                                                  request->count};

        TRY(launch(run, KERNEL_WIDEN_POSITIONS,
                   blocks_for(request->count, 1, widen_positions_threads),
                   widen_positions_threads, &args, sizeof args));
    }
done:
    return status;
}

/* Load the kernels of a plan; `rows` stays NULL if it needs none of those. */
static mw_status load(struct device *device, const struct less_plan *plan,
                      struct program **program, struct program **rows)
{
    const struct program_name name = {.engine = PROGRAM_ROWS};
    mw_status status = MW_OK;

    *rows = NULL;
    if (plan->kernels)
        TRY(device->verbs->load(device, &plan->program, plan->kernels, program));
    if (plan->rows_kernels)
        TRY(device->verbs->load(device, &name, plan->rows_kernels, rows));
done:
    return status;
}

mw_status less_prepare(struct device *device, const struct request *request,
                       uint64_t *workspace_bytes)
{
    struct less_plan plan;
    struct program *program;
    struct program *rows;
    mw_status status;

    TRY(less_plan(&plan, request, &device->info, device->error));
    TRY(load(device, &plan, &program, &rows));
    *workspace_bytes = plan.workspace_bytes;
done:
    return status;
}

mw_status less_enqueue(struct device *device, const struct request *request,
                       void *workspace, void *stream)
{
    const struct request_column elements = request_column(request, 0);
    struct less_run run = {
        .device = device, .request = request, .workspace = workspace, .stream = stream};
    mw_status status;

    TRY(less_plan(&run.plan, request, &device->info, device->error));
    if (request->count == 0)
        return MW_OK;
    TRY(load(device, &run.plan, &run.program, &run.rows));
    run.order = (struct less_order){.less_on_host = request->order.less_on_host,
                                    .rows = run.plan.positions ? elements.in : NULL,
                                    .bytes = request->order.element_bytes};
    if (run.plan.positions)
        TRY(sort_positions(&run));
    else if (elements.out)
        TRY(sort_items(&run, elements.in, elements.out,
                       run.workspace + run.plan.spare_offset));
done:
    return status;
}
