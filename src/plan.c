/*
 * plan.c - choose the engine of a sort; plans of engine heap; the workspace.
 */
#include "plan_parts.h"

#include <string.h>

/* One row of tune.def for engine heap. */
struct tune_row {
    uint32_t arch;
    uint32_t kib; /* of shared memory that an SM must have */
    size_t size;
    uint32_t ways;
    uint32_t warps; /* per SM */
    uint32_t threads;
    uint32_t base;
};

static const struct tune_row tune_rows[] = {
#define TUNE(arch, kib, size, ways, warps, threads, base) \
    {arch, kib, size, ways, warps, threads, base},
#include "tune.def"
};

enum { TUNE_ROW_COUNT = sizeof tune_rows / sizeof *tune_rows };

/* The first row that fits, or NULL. */
static const struct tune_row *tune_row(const mw_info *info, size_t size)
{
    for (int i = 0; i < TUNE_ROW_COUNT; i++) {
        const struct tune_row *const row = &tune_rows[i];

        if (row->arch <= info->architecture && row->size == size &&
            row->kib * UINT64_C(1024) <= info->shared_per_processor)
            return row;
    }
    return NULL;
}

mw_status plan_no_row(const char *engine, const mw_info *info, size_t key_size,
                      struct error *error)
{
    return fail(error, MW_UNSUPPORTED,
                "tune.def has no row of engine %s for keys of %zu bytes on sm_%u", engine,
                key_size, info->architecture);
}

mw_status plan_check(const mw_tuning *t, struct error *error)
{
    if (t->engine != MW_ENGINE_AUTO && t->engine != MW_ENGINE_HEAP &&
        t->engine != MW_ENGINE_TILE && t->engine != MW_ENGINE_PAIR &&
        t->engine != MW_ENGINE_TALLY && t->engine != MW_ENGINE_DEAL)
        return fail(error, MW_BAD_ARGUMENT, "tuning: there is no engine %d",
                    (int)t->engine);
    if (t->ways && (!power_of_two(t->ways) || t->ways < 2 || t->ways > HEAP_MOST_WAYS))
        return fail(error, MW_BAD_ARGUMENT,
                    "tuning: ways must be 2, 4, 8, 16 or 32, not %u", t->ways);
    if (t->threads % WARP != 0 || t->threads > heap_merge_threads)
        return fail(error, MW_BAD_ARGUMENT,
                    "tuning: threads must be a multiple of 32 up to %d, not %u",
                    heap_merge_threads, t->threads);
    if (t->engine == MW_ENGINE_PAIR) /* has numbers of its own, which depend on the type */
        return MW_OK;
    if (t->items && t->items != 8 && t->items != 16 && t->items != 32)
        return fail(error, MW_BAD_ARGUMENT,
                    "tuning: a thread has 8, 16 or 32 items, not %u", t->items);
    if (t->base &&
        (!power_of_two(t->base) || t->base < PLAN_LEAST_BASE || t->base > HEAP_MOST_BASE))
        return fail(error, MW_BAD_ARGUMENT,
                    "tuning: base must be 512, 1024, 2048, 4096, 8192 or 16384, not %u",
                    t->base);
    return MW_OK;
}

/* Merge rounds that runs of `base` keys need: ceil(log_ways(count / base)). */
static uint32_t rounds_for(uint64_t count, uint64_t base, uint32_t ways)
{
    uint64_t runs = divide_up(count, base);
    uint32_t rounds = 0;

    for (; runs > 1; rounds++)
        runs = divide_up(runs, ways);
    return rounds;
}

static uint32_t base_shared(uint64_t base, size_t key_size)
{
    return (uint32_t)(base / HEAP_GRID * HEAP_GRID_CELLS(key_size) * key_size);
}

static uint32_t merge_shared(const mw_tuning *t, size_t key_size)
{
    return (uint32_t)(t->threads / WARP * HEAP_NODES(t->ways) * HEAP_NODE_KEYS * key_size);
}

/*
 * The base size (P7): the fewest rounds that the largest base allows, and then
 * the smallest base that needs no more, so that no round merges fewer lists
 * than it could.
 */
static uint32_t choose_base(uint64_t count, uint32_t ways, uint32_t most)
{
    const uint32_t rounds = rounds_for(count, most, ways);
    uint32_t base = most;

    while (base > HEAP_GRID && rounds_for(count, base / 2, ways) == rounds)
        base /= 2;
    return base;
}

static mw_status heap_tuning(mw_tuning *t, const mw_info *info, size_t key_size,
                             uint64_t count, struct error *error)
{
    const struct tune_row *const row = tune_row(info, key_size);

    if (!row)
        return plan_no_row("heap", info, key_size, error);

    uint32_t most_base = row->base;

    if (t->items && t->items != WARP)
        return fail(error, MW_UNSUPPORTED, "engine heap has 32 items a thread, not %u",
                    t->items);
    t->items = WARP;
    if (t->base && t->base < HEAP_GRID)
        return fail(error, MW_UNSUPPORTED, "engine heap has a base of 1024 or more, not %u",
                    t->base);
    if (!t->ways)
        t->ways = row->ways;
    if (!t->warps)
        t->warps = row->warps * info->processors;
    if (!t->threads) {
        t->threads = row->threads;
        while (t->threads > WARP && merge_shared(t, key_size) > info->shared_per_block)
            t->threads -= WARP;
    }
    while (most_base > HEAP_GRID &&
           base_shared(most_base, key_size) > info->shared_per_block)
        most_base /= 2;
    if (!t->base)
        t->base = choose_base(count, t->ways, most_base);
    if (base_shared(t->base, key_size) > info->shared_per_block)
        return fail(error, MW_UNSUPPORTED,
                    "a base of %u keys needs %u bytes of shared memory; a block has %llu",
                    t->base, base_shared(t->base, key_size),
                    (unsigned long long)info->shared_per_block);
    if (merge_shared(t, key_size) > info->shared_per_block)
        return fail(error, MW_UNSUPPORTED,
                    "%u threads merging %u ways need %u bytes of shared memory; "
                    "a block has %llu",
                    t->threads, t->ways, merge_shared(t, key_size),
                    (unsigned long long)info->shared_per_block);
    return MW_OK;
}

/*
 * Cut each group's output into pieces for all warps: as many tasks as warps,
 * or a little fewer, and never a piece under 32 keys.
 */
static struct plan_round heap_round(const mw_tuning *t, uint64_t count, uint64_t run)
{
    const uint64_t group = run > count / t->ways ? count : run * t->ways;
    struct plan_round round = {.run = run, .ways = t->ways};

    round.groups = divide_up(count, group);
    round.piece = round_up(divide_up(count, t->warps), HEAP_NODE_KEYS);
    round.pieces = divide_up(group, round.piece);
    round.piece = round_up(divide_up(group, round.pieces), HEAP_NODE_KEYS);
    round.pieces = divide_up(group, round.piece);

    const uint64_t tasks = round.groups * round.pieces;
    const uint64_t warps = tasks < t->warps ? tasks : t->warps;

    round.blocks = divide_up(warps, t->threads / WARP);
    if (round.blocks > INT32_MAX) /* a warp then takes several tasks */
        round.blocks = INT32_MAX;
    return round;
}

static mw_status plan_heap(struct plan *plan, const mw_info *info, size_t key_size,
                           uint64_t count, struct error *error)
{
    mw_tuning *const t = &plan->tuning;
    mw_status status;

    TRY(heap_tuning(t, info, key_size, count, error));
    plan->base_blocks = divide_up(count, t->base);
    plan->base_threads = t->base / WARP;
    plan->base_shared = base_shared(t->base, key_size);
    plan->merge_shared = merge_shared(t, key_size);
    for (uint64_t run = t->base; run < count; run *= t->ways)
        plan->round[plan->rounds++] = heap_round(t, count, run);
    plan->launches = count ? 1 + 2 * plan->rounds : 0;
    plan->kernels = count ? KERNEL_SET(KERNEL_HEAP_BASE) : 0;
    if (plan->rounds)
        plan->kernels |= KERNEL_SET(KERNEL_HEAP_CUT) | KERNEL_SET(KERNEL_HEAP_MERGE);
done:
    return status;
}

/*
 * With w warps, groups of g keys and pieces of at least max(32, count / w) keys a round
 * has pieces < g / max(32, count / w) + 1 for each group. If there is one group, g =
 * count and pieces <= min(w, ceil(count / 32)). Otherwise groups < count / g + 1 <= 2
 * count / g, so groups * (pieces + 1) < 2 min(w, count / 32) + 2 groups. No run is
 * shorter than HEAP_GRID or the base wished for, which limits the groups. The bound
 * rises with the count: it holds for all smaller ones.
 */
uint64_t plan_heap_cells(const mw_tuning *tuning, uint32_t least_base, uint64_t count)
{
    const uint64_t smallest = divide_up(count, WARP);
    const uint64_t tasks = smallest < tuning->warps ? smallest : tuning->warps;
    const uint64_t groups = divide_up(count, (uint64_t)least_base * tuning->ways);

    return 2 * (tasks + groups) * tuning->ways;
}

/* The second array, what each round's cuts need at most, and of engine tile samples. */
void plan_workspace(struct plan *plan, struct plan_keys keys, uint64_t count)
{
    const int tile = plan->program.engine == MW_ENGINE_TILE;

    plan->cut_cells = 0;
    if (plan->rounds == 0)
        return;
    for (uint32_t i = 0; i < plan->rounds; i++) {
        const struct plan_round *const round = &plan->round[i];
        const uint64_t rows = round->groups * (round->pieces + 1);
        const uint64_t cells =
            round->joined ? 0
                          : rows * TILE_CUT_CELLS(round->ways, 8 * keys.size, keys.places);

        plan->cut_cells = cells > plan->cut_cells ? cells : plan->cut_cells;
    }
    plan->cuts_offset = keys.places ? 0 : round_up(plan->key_bytes, PLAN_ALIGNMENT);
    plan->workspace_bytes =
        plan->cuts_offset + round_up(plan->cut_cells * sizeof(wide), PLAN_ALIGNMENT);
    if (!tile)
        return;

    const uint64_t samples =
        round_up(divide_up(count, TILE_SAMPLE) * keys.size, PLAN_ALIGNMENT);

    plan->samples_offset = plan->workspace_bytes;
    plan->spare_samples_offset = plan->samples_offset + (plan->rounds > 1 ? samples : 0);
    plan->workspace_bytes = plan->spare_samples_offset + samples;
}

/*
 * Engine tile is faster than heap, and tally and deal are faster than tile where they can
 * be used. A wish for warps chooses engine heap, which alone has them; so does one for
 * threads or a base (mw_tuning). A wish for ways or items chooses engine tile. It merges
 * lists of fewer than 2^32 keys, so for 2^32 keys and more it may need many ways.
 */
static mw_engine choose_engine(const mw_tuning *wish, const mw_info *info,
                               struct plan_keys keys, uint64_t count)
{
    if (wish->engine != MW_ENGINE_AUTO)
        return wish->engine;
    if (wish->warps || wish->threads || wish->base)
        return MW_ENGINE_HEAP;
    if (!wish->ways && !wish->items && plan_tally_serves(info, keys) &&
        count >= plan_tally_least(keys))
        return MW_ENGINE_TALLY;
    if (!wish->ways && !wish->items && !keys.places &&
        count >= PLAN_DEAL_LEAST / keys.size && count <= UINT32_MAX)
        return MW_ENGINE_DEAL; /* or tile, if keys of this size are not dealt */
    if (count <= UINT32_MAX || keys.places)
        return MW_ENGINE_TILE;
    return keys.size >= 4 && count <= PLAN_MOST_TILED && (!wish->ways || wish->ways >= 16)
               ? MW_ENGINE_TILE
               : MW_ENGINE_HEAP;
}

mw_status plan_make(struct plan *plan, const mw_tuning *wish, const mw_info *info,
                    struct plan_keys keys, uint64_t count, struct error *error)
{
    const uint64_t most = (UINT64_C(1) << 62) / keys.size;
    mw_status status;

    memset(plan, 0, offsetof(struct plan, round)); /* of the rounds, only some are used */
    plan->key_bytes = count * keys.size;
    plan->tuning = *wish;
    if (count > most || divide_up(count, HEAP_GRID) > INT32_MAX)
        return fail(error, MW_BAD_ARGUMENT, "count %llu is beyond what can be sorted",
                    (unsigned long long)count);
    plan->tuning.size = sizeof plan->tuning;
    plan->tuning.engine = choose_engine(wish, info, keys, count);
    plan->program =
        (struct program_name){.engine = plan->tuning.engine, .bits = (int)(8 * keys.size)};
    if (plan->tuning.engine == MW_ENGINE_DEAL)
        plan->program.engine = MW_ENGINE_TILE;
    plan->program.tile.places = (unsigned)keys.places;
    if (keys.places && plan->tuning.engine != MW_ENGINE_TILE)
        return fail(
            error, MW_UNSUPPORTED,
            "the engine of the tuning sorts bare keys only; engine tile sorts rows");
    if (plan->tuning.engine == MW_ENGINE_PAIR)
        return plan_pair(plan, keys.size, count, error);
    if (plan->tuning.engine == MW_ENGINE_TALLY)
        return plan_tally(plan, info, keys, count, error);
    if (plan->program.engine == MW_ENGINE_TILE)
        TRY(plan_tile(plan, info, keys, count, error));
    else
        TRY(plan_heap(plan, info, keys.size, count, error));
    plan_workspace(plan, keys, count);
    if (plan->tuning.engine == MW_ENGINE_DEAL && plan_may_deal(&plan->program, count))
        plan_deal(plan, info, keys.size, count);
    else if (plan->tuning.engine == MW_ENGINE_DEAL)
        plan->tuning.engine = MW_ENGINE_TILE;
done:
    return status;
}
