/*
 * passes_less.c - the passes of a sort by a comparison, in a few device verbs.
 *
 *   first pass   sorted tiles
 *   each round   cuts: where each tile of the output begins in each list
 *                check: groups whose cuts contradict each other are flagged; where a
 *                group has few tiles, each of them looks for itself instead
 *                merge: every `ways` neighbouring runs become one
 *   positions    rows of all columns are gathered by the sorted positions
 *
 * Two arrays of items take turns, as in passes.c.
 */
#include "less.h"

#include "kernels/launch.h"

/* Everything the launches of one sort have in common. */
struct less_run {
    struct pass_queue queue;
    const struct request *request;
    const struct less_plan *plan;
    struct program *program; /* PROGRAM_LESS, compiled for the comparison */
    struct program *rows;    /* PROGRAM_ROWS, or NULL */
    struct less_order order;
    char *workspace;
};

static mw_status launch(struct less_run *run, enum kernel_id kernel, uint64_t blocks,
                        uint32_t threads, uint32_t shared_bytes, const void *args,
                        size_t args_bytes)
{
    const int by_less = (run->plan->kernels & KERNEL_SET(kernel)) != 0;

    return passes_enqueue(&run->queue, by_less ? run->program : run->rows, kernel, blocks,
                          threads, shared_bytes, args, args_bytes);
}

/* Blocks of `threads` that give each of `tasks` `each` threads. */
static uint64_t blocks_for(uint64_t tasks, uint32_t each, uint32_t threads)
{
    const uint64_t part = threads / each;

    return (tasks + part - 1) / part;
}

static mw_status sort_tiles(struct less_run *run, const void *in, void *out)
{
    const struct less_plan *const plan = run->plan;
    const struct less_sort_args args = {
        .in = in,
        .out = out,
        .flags = plan->rounds ? (wide *)(run->workspace + plan->flags_offset) : NULL,
        .flag_count = plan->flag_count,
        .count = run->request->count,
        .order = run->order};

    return launch(run, KERNEL_LESS_SORT,
                  (run->request->count + plan->tile - 1) / plan->tile,
                  plan->program.tile.rows, plan->shared, &args, sizeof args);
}

static mw_status merge_round(struct less_run *run, uint32_t number, const void *in,
                             void *out)
{
    const struct less_plan *const plan = run->plan;
    const struct less_plan_round *const r = &plan->round[number];
    const struct less_cut_args args = {
        .round = {.in = in,
                  .out = out,
                  .cuts = (wide *)(run->workspace + plan->cuts_offset),
                  .flags = (wide *)(run->workspace + plan->flags_offset),
                  .count = run->request->count,
                  .run = r->run,
                  .tile = r->tile,
                  .number = number + 1,
                  .groups = (unsigned)r->groups,
                  .pieces = (unsigned)r->pieces,
                  .ways = (int)r->ways,
                  .scans = r->scans,
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

    if (r->by_blocks)
        TRY(launch(run, KERNEL_LESS_CUT_BLOCK, tiles + r->groups, less_cut_block_threads,
                   LESS_SAMPLES_SHARED, &args, sizeof args));
    else
        TRY(launch(run, KERNEL_LESS_CUT,
                   blocks_for(tiles + r->groups, WARP, less_cut_threads), less_cut_threads,
                   0, &args, sizeof args));
    if (!r->scans)
        TRY(launch(run, KERNEL_CHECK_CUTS, blocks_for(tiles, WARP, check_cuts_threads),
                   check_cuts_threads, 0, &check_args, sizeof check_args));
    TRY(launch(run, KERNEL_LESS_MERGE, tiles, plan->program.tile.rows, plan->shared,
               &merge_args, sizeof merge_args));
done:
    return status;
}

/* Sort the items of `in`, or all positions if it is NULL, to `out`; `spare` is scratch. */
static mw_status sort_items(struct less_run *run, const void *in, void *out, void *spare)
{
    void *const buffer[2] = {out, spare};
    uint32_t at = run->plan->rounds % 2; /* where the runs are; 0 after the last round */
    mw_status status;

    TRY(sort_tiles(run, in, buffer[at]));
    for (uint32_t i = 0; i < run->plan->rounds; i++) {
        if (run->queue.log)
            run->queue.log->round = i + 1;
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
                  gather_rows_threads, 0, &args, sizeof args);
}

/* Gather a column; in place it goes by way of the workspace. */
static mw_status gather_column(struct less_run *run, uint32_t number,
                               const unsigned *positions)
{
    const struct request_column column = request_column(run->request, number);
    void *const rows = run->workspace + run->plan->spare_offset;
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
            : (unsigned *)(run->workspace + run->plan->positions_offset);
    mw_status status;

    TRY(sort_items(run, NULL, positions, run->workspace + run->plan->spare_offset));
    for (uint32_t i = 0; i < request->column_count; i++)
        TRY(gather_column(run, i, positions));
    if (request->position_bytes == 8) {
        const struct widen_positions_args args = {.in = positions,
                                                  .out = request->positions,
                                                  .count = request->count,
                                                  .bytes = 8};

        TRY(launch(run, KERNEL_WIDEN_POSITIONS,
                   blocks_for(request->count, 1, widen_positions_threads),
                   widen_positions_threads, 0, &args, sizeof args));
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
                       const mw_tuning *wish, uint64_t *workspace_bytes)
{
    struct request smaller = *request;
    mw_status status;

    *workspace_bytes = 0;
    do {
        struct less_plan plan;
        struct program *program;
        struct program *rows;

        TRY(less_plan(&plan, &smaller, wish, &device->info, device->error));
        TRY(load(device, &plan, &program, &rows));
        if (plan.workspace_bytes > *workspace_bytes)
            *workspace_bytes = plan.workspace_bytes;
        smaller.count = less_next_count(smaller.count);
    } while (smaller.count && request->operation != MW_CHECK);
done:
    return status;
}

/* Find the first row out of order: of each block, then of all. */
static mw_status check_order(struct less_run *run)
{
    enum { SHARED_BYTES = CHECK_THREADS / WARP * sizeof(wide) };
    const uint64_t count = run->request->count;
    wide *const least = (wide *)run->workspace;
    const struct less_check_args args = {
        .least = least, .count = count, .order = run->order};
    const struct check_last_args last = {.least = least,
                                         .blocks = (count + CHECK_ROWS - 1) / CHECK_ROWS,
                                         .count = count,
                                         .result = (wide *)run->request->cuts};
    mw_status status = MW_OK;

    if (count)
        TRY(launch(run, KERNEL_LESS_CHECK, last.blocks, CHECK_THREADS, SHARED_BYTES, &args,
                   sizeof args));
    TRY(launch(run, KERNEL_CHECK_LAST, 1, CHECK_THREADS, SHARED_BYTES, &last, sizeof last));
done:
    return status;
}

mw_status less_enqueue(struct device *device, const struct request *request,
                       const struct less_plan *plan, void *workspace, void *stream,
                       struct pass_log *log)
{
    const struct request_column elements = request_column(request, 0);
    struct less_run run = {
        .queue = {.device = device, .stream = stream, .log = log},
        .request = request,
        .plan = plan,
        .workspace = workspace
    };
    mw_status status;

    TRY(load(device, plan, &run.program, &run.rows));
    run.order = (struct less_order){.less_on_host = request->order.less_on_host,
                                    .rows = plan->positions ? elements.in : NULL,
                                    .bytes = request->order.element_bytes};
    if (request->operation == MW_CHECK)
        TRY(check_order(&run));
    else if (request->count && plan->positions)
        TRY(sort_positions(&run));
    else if (request->count && elements.out)
        TRY(sort_items(&run, elements.in, elements.out,
                       run.workspace + plan->spare_offset));
done:
    return status;
}
