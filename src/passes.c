/*
 * passes.c - the passes of a multiway mergesort, in a few device verbs.
 *
 *   first pass   sorted runs: the base case of engine heap, the tiles of engines
 *                tile and pair; keys become unsigned numbers
 *   each round   cuts: where each piece of the output begins in each list; engine tile
 *                      finds them in the merge's launch
 *                merge: every `ways` neighbouring runs become one;
 *                       the last round turns numbers back into keys
 *
 * Two buffers alternate as input and output. The first pass may sort in place, so
 * it writes to whichever buffer makes the last round end in the caller's.
 */
#include "passes.h"

#include "kernels/launch.h"

/* Everything the passes of one sort have in common. */
struct pass_run {
    struct pass_queue queue;
    struct program *program;
    const struct plan *plan;
    uint64_t count;
    char *workspace;
    uint64_t samples; /* engine tile: offset of the runs' samples in the workspace */
    int floats;       /* of the keys (passes_floats) */
    const struct tile_carry *carry; /* of the pass, for rows; NULL: bare keys */
    const wide *condition; /* engine deal: merges do nothing while this word is 0 */
};

/* Arguments of tile kernels; programs without places get only the first member. */
struct sort_args {
    struct tile_sort_args bare;
    struct tile_carry carry;
};

struct cut_args {
    struct tile_cut_args bare;
    struct tile_carry carry;
};

struct merge_args {
    struct tile_merge_args bare;
    struct tile_carry carry;
};

static const struct key_code no_code = {0, 0, 0};

static mw_status launch(struct pass_run *run, enum kernel_id kernel, uint64_t blocks,
                        uint32_t threads, uint32_t shared_bytes, const void *args,
                        size_t args_bytes)
{
    return passes_enqueue(&run->queue, run->program, kernel, blocks, threads, shared_bytes,
                          args, args_bytes);
}

/* Blocks of `threads` that give each of `tasks` a warp. */
static uint64_t blocks_for(uint64_t tasks, uint32_t threads)
{
    const uint64_t warps = threads / WARP;

    return (tasks + warps - 1) / warps;
}

/* Engine heap: sort runs of `base` keys from `in` to `out`, which may be the same. */
static mw_status heap_base(struct pass_run *run, const void *in, void *out,
                           struct key_code enter, struct key_code leave)
{
    const struct plan *const plan = run->plan;
    const struct heap_base_args args = {.in = in,
                                        .out = out,
                                        .count = run->count,
                                        .base = plan->tuning.base,
                                        .enter = enter,
                                        .leave = leave};

    return launch(run, KERNEL_HEAP_BASE, plan->base_blocks, plan->base_threads,
                  plan->base_shared, &args, sizeof args);
}

/* Merge runs from `in` to `out`: first the cuts, then the merge between them. */
static mw_status heap_merge(struct pass_run *run, const struct plan_round *round,
                            const void *in, void *out, struct key_code leave)
{
    const struct plan *const plan = run->plan;
    const uint64_t cuts = round->groups * (round->pieces + 1);
    const struct heap_round shape = {.in = in,
                                     .out = out,
                                     .cuts = (wide *)(run->workspace + plan->cuts_offset),
                                     .count = run->count,
                                     .run = round->run,
                                     .piece = round->piece,
                                     .groups = round->groups,
                                     .pieces = round->pieces,
                                     .ways = (int)round->ways};
    const struct heap_cut_args cut_args = {.round = shape};
    const struct heap_merge_args merge_args = {.round = shape, .leave = leave};
    mw_status status;

    TRY(launch(run, KERNEL_HEAP_CUT, blocks_for(cuts, heap_cut_threads), heap_cut_threads,
               0, &cut_args, sizeof cut_args));
    TRY(launch(run, KERNEL_HEAP_MERGE, round->blocks, plan->tuning.threads,
               plan->merge_shared, &merge_args, sizeof merge_args));
done:
    return status;
}

/* Engine tile: the offset of the other array of samples. */
static uint64_t spare_samples(const struct pass_run *run)
{
    return run->plan->samples_offset + run->plan->spare_samples_offset - run->samples;
}

/* Engine tile: the arguments that sort tiles of bare keys from `in` to `out`. */
static struct tile_sort_args tile_sort_args(const struct pass_run *run, const void *in,
                                            void *out, struct key_code enter,
                                            struct key_code leave)
{
    const struct plan *const plan = run->plan;
    char *const space = run->workspace; /* may be NULL if there are no rounds */

    return (struct tile_sort_args){.in = in,
                                   .out = out,
                                   .samples = plan->rounds ? space + run->samples : NULL,
                                   .cuts =
                                       space ? (wide *)(space + plan->cuts_offset) : NULL,
                                   .cells = plan->cut_cells,
                                   .count = run->count,
                                   .enter = enter,
                                   .leave = leave};
}

/* Engine tile: sort tiles from `in` to `out`, which may be the same buffer. */
static mw_status tile_sort(struct pass_run *run, const void *in, void *out,
                           struct key_code enter, struct key_code leave)
{
    const struct plan *const plan = run->plan;
    struct sort_args args;

    args.bare = tile_sort_args(run, in, out, enter, leave);
    if (run->carry)
        args.carry = *run->carry;
    return launch(run, KERNEL_TILE_SORT, plan->base_blocks, plan->base_threads,
                  plan->base_shared, &args, run->carry ? sizeof args : sizeof args.bare);
}

/* The round as kernels get it: samples are in one array, new ones go to the other. */
static struct tile_round tile_shape(const struct pass_run *run,
                                    const struct plan_round *round, const void *in,
                                    void *out)
{
    const struct plan *const plan = run->plan;
    char *const space = run->workspace;
    const int is_last = round == &plan->round[plan->rounds - 1];

    return (struct tile_round){.in = in,
                               .out = out,
                               .samples = space + run->samples,
                               .out_samples = is_last ? NULL : space + spare_samples(run),
                               .cuts = (wide *)(space + plan->cuts_offset),
                               .count = run->count,
                               .run = round->run,
                               .piece = round->piece,
                               .groups = (unsigned)round->groups,
                               .pieces = (unsigned)round->pieces,
                               .number = (unsigned)(round - plan->round) + 1,
                               .ways = (int)round->ways,
                               .floats = run->floats};
}

/* Merge all runs by the ranks of their keys. */
static mw_status tile_ranks(struct pass_run *run, const struct plan_round *round,
                            const void *in, void *out, struct key_code leave)
{
    const struct tile_merge_args args = {.round = tile_shape(run, round, in, out),
                                         .leave = leave,
                                         .condition = run->condition};

    return launch(run, KERNEL_TILE_RANKS, round->blocks, run->plan->tuning.threads,
                  (uint32_t)run->plan->key_bytes, &args, sizeof args);
}

/*
 * Merge runs from `in` to `out` in one launch: every block finds the cuts of its own tile
 * (a joined round), or some blocks find cuts for the others. With MW_TIMING_PHASES the cuts
 * get a launch of their own.
 */
static mw_status tile_merge(struct pass_run *run, const struct plan_round *round,
                            const void *in, void *out, struct key_code leave)
{
    const struct plan *const plan = run->plan;
    const int apart =
        run->queue.log && run->queue.log->phases && !round->joined && !run->condition;
    const uint64_t cutters = apart || round->joined ? 0 : round->cutters;
    const uint64_t blocks = round->blocks + cutters;
    const int is_spare = run->condition && !round->joined; /* deal: may do nothing */
    const uint64_t most = is_spare ? plan->deal.mergers : blocks;
    struct cut_args cut_args;
    struct merge_args args;
    mw_status status;

    if (round->joined && round->ranked)
        return tile_ranks(run, round, in, out, leave);
    cut_args.bare = (struct tile_cut_args){.round = tile_shape(run, round, in, out)};
    args.bare = (struct tile_merge_args){.round = cut_args.bare.round,
                                         .cutters = (unsigned)cutters,
                                         .ahead = cutters ? (unsigned)round->ahead : 0,
                                         .rate = (unsigned)((cutters << 32) / blocks + 1),
                                         .leave = leave,
                                         .condition = run->condition};
    if (run->carry)
        cut_args.carry = args.carry = *run->carry;
    if (apart)
        TRY(launch(run, KERNEL_TILE_CUT,
                   blocks_for(round->groups * (round->pieces + 1), tile_cut_threads),
                   tile_cut_threads, 0, &cut_args,
                   run->carry ? sizeof cut_args : sizeof cut_args.bare));
    TRY(launch(run,
               round->joined ? KERNEL_TILE_JOIN
               : is_spare    ? KERNEL_DEAL_MERGE
                             : KERNEL_TILE_MERGE,
               blocks < most ? blocks : most, plan->tuning.threads, plan->merge_shared,
               &args, run->carry ? sizeof args : sizeof args.bare));
    run->samples = spare_samples(run);
done:
    return status;
}

/* Engine pair: sort tiles from `in` to `out`, which may be the same buffer. */
static mw_status pair_sort(struct pass_run *run, const void *in, void *out,
                           struct key_code enter, struct key_code leave)
{
    const struct plan *const plan = run->plan;
    const struct pair_sort_args args = {
        .in = in, .out = out, .count = run->count, .enter = enter, .leave = leave};

    return launch(run, KERNEL_PAIR_SORT, plan->base_blocks, plan->base_threads,
                  plan->base_shared, &args, sizeof args);
}

/* Merge pairs of runs from `in` to `out`: where tiles begin, then the tiles. */
static mw_status pair_merge(struct pass_run *run, const struct plan_round *round,
                            const void *in, void *out, struct key_code leave)
{
    const struct plan *const plan = run->plan;
    const struct pair_round shape = {.in = in,
                                     .out = out,
                                     .cuts = (wide *)(run->workspace + plan->cuts_offset),
                                     .count = run->count,
                                     .span = round->run / round->piece,
                                     .tiles = round->blocks};
    const struct pair_cut_args cut_args = {.round = shape};
    const struct pair_merge_args merge_args = {.round = shape, .leave = leave};
    const uint64_t cut_blocks = (round->blocks + pair_cut_threads - 1) / pair_cut_threads;
    mw_status status;

    TRY(launch(run, KERNEL_PAIR_CUT, cut_blocks, pair_cut_threads, 0, &cut_args,
               sizeof cut_args));
    TRY(launch(run, KERNEL_PAIR_MERGE, round->blocks, plan->tuning.threads,
               plan->merge_shared, &merge_args, sizeof merge_args));
done:
    return status;
}

/* What differs between the engines: how to make runs, how to merge them. */
struct engine {
    mw_status (*first)(struct pass_run *run, const void *in, void *out,
                       struct key_code enter, struct key_code leave);
    mw_status (*merge)(struct pass_run *run, const struct plan_round *round, const void *in,
                       void *out, struct key_code leave);
};

static const struct engine engines[] = {
    [MW_ENGINE_HEAP] = {heap_base, heap_merge},
    [MW_ENGINE_TILE] = {tile_sort, tile_merge},
    [MW_ENGINE_PAIR] = {pair_sort, pair_merge},
    [MW_ENGINE_DEAL] = {tile_sort, tile_merge}, /* after passes_deal */
    [MW_ENGINE_TALLY] = {NULL,      NULL      }
};

mw_status passes_sort(struct device *device, struct program *program,
                      const struct plan *plan, struct code code, void *keys, uint64_t count,
                      void *workspace, void *stream, struct pass_log *log)
{
    const struct engine *const engine = &engines[plan->tuning.engine];
    const struct key_code ours = {.flip = code.flip, .is_float = code.is_float};
    /* No programmatic launch for heap: its grid is sized for an idle GPU. */
    const struct pass_queue queue = {.device = device,
                                     .stream = stream,
                                     .log = log,
                                     .is_strict = plan->program.engine != MW_ENGINE_TILE};
    struct pass_run run = {.queue = queue,
                           .program = program,
                           .plan = plan,
                           .count = count,
                           .workspace = workspace,
                           .samples = plan->samples_offset,
                           .floats = passes_floats(ours)};
    void *const buffer[2] = {keys, workspace};
    uint32_t at = plan->rounds % 2; /* where the runs are; 0 after the last round */
    mw_status status;

    if (plan->tuning.engine == MW_ENGINE_TALLY)
        return passes_tally(device, program, plan, code, keys, count, workspace, stream,
                            log);
    if (plan->deal.buckets) {
        const struct tile_sort_args merged =
            tile_sort_args(&run, keys, buffer[at], ours, no_code);

        TRY(passes_deal(device, program, plan, &merged, ours, workspace, stream, log));
        run.condition = (const wide *)((char *)workspace + plan->deal.head) + DEAL_FAILED;
        run.queue.begun = 1;
    } else {
        TRY(engine->first(&run, keys, buffer[at], ours,
                          plan->rounds == 0 ? ours : no_code));
    }
    for (uint32_t i = 0; i < plan->rounds; i++) {
        const int last = i + 1 == plan->rounds;

        if (log)
            log->round = i + 1;
        TRY(engine->merge(&run, &plan->round[i], buffer[at], buffer[1 - at],
                          last ? ours : no_code));
        at = 1 - at;
    }
done:
    return status;
}

mw_status passes_sort_rows(struct device *device, struct program *program,
                           const struct plan *plan, const struct rows *rows,
                           void *workspace, void *stream, struct pass_log *log)
{
    const struct key_code code = {.flip = rows->code.flip, .is_float = rows->code.is_float};
    struct tile_carry carry;
    struct pass_run run = {
        .queue = {.device = device, .stream = stream, .log = log},
        .program = program,
        .plan = plan,
        .count = rows->count,
        .workspace = workspace,
        .samples = plan->samples_offset,
        .floats = passes_floats(code),
        .carry = &carry
    };
    enum rows_side from = ROWS_IN;
    mw_status status = MW_OK;

    for (uint32_t pass = 0; pass <= plan->rounds; pass++) {
        const enum rows_side to = rows_side(pass, plan->rounds);
        const int leaves = to == ROWS_OUT && rows->way == ROWS_KEYED;
        void *out;

        rows_carry(rows, from, to, &carry, &out);
        if (log)
            log->round = pass;
        if (pass == 0)
            TRY(tile_sort(&run, NULL, out, code, leaves ? code : no_code));
        else
            TRY(tile_merge(&run, &plan->round[pass - 1], NULL, out,
                           leaves ? code : no_code));
        from = to;
    }
done:
    return status;
}
