/*
 * plan_lists.c - how to merge lists: see plan_lists.h.
 */
#include "plan_lists.h"

/* One row of tune.def. */
struct geometry {
    uint32_t arch;
    uint32_t kib;
    size_t size;
    struct tile_geometry tile;
};

/* clang-format off */
static const struct geometry geometries[] = {
#define TUNE_LISTS(arch, kib, size, rows, items, merge_blocks) \
    {arch, kib, size, {rows, items, 0, merge_blocks, 0, 0}},
#define TUNE_LISTS_PLACES(arch, kib, size, rows, items, merge_blocks) \
    {arch, kib, size, {rows, items, 0, merge_blocks, 1, 0}},
#include "tune.def"
};
/* clang-format on */

/*
 * The first geometry that fits, or NULL; one with the threads that the caller wishes goes
 * first. Other wishes are about sorts.
 */
static const struct tile_geometry *geometry_of(const mw_tuning *wish, const mw_info *info,
                                               struct plan_keys keys)
{
    const struct tile_geometry *first = NULL;

    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        const struct geometry *const row = &geometries[i];

        if (row->arch > info->architecture || row->size != keys.size ||
            row->tile.places != (unsigned)keys.places ||
            row->kib * UINT64_C(1024) > info->shared_per_processor)
            continue;
        if (row->tile.rows == wish->threads)
            return &row->tile;
        first = first ? first : &row->tile;
    }
    return first;
}

/* Take room for `bytes` bytes from the workspace. */
static uint64_t take(struct lists_plan *plan, uint64_t bytes)
{
    const uint64_t offset = plan->workspace_bytes;

    plan->workspace_bytes += round_up(bytes, PLAN_ALIGNMENT);
    return offset;
}

/* Keys of a tile whose cuts may be off. */
static uint64_t rough_piece(const struct tile_geometry *tile, uint32_t ways)
{
    return plan_tile_piece(tile, ways, tile->places ? LISTS_PLACED_SLACK : LISTS_SLACK);
}

/*
 * A round has at most count / piece + groups tiles and as many cuts, and one more for each
 * group. Groups have more than half of `ways` lists each, unless there is only one, so
 * groups * ways is at most twice the lists, or 32. Cuts of two lists may have four cells.
 */
static uint64_t most_cells(const struct tile_geometry *tile, uint32_t list_count,
                           uint64_t count)
{
    const uint64_t tiles = divide_up(count, rough_piece(tile, TILE_MOST_WAYS));

    return tiles * TILE_MOST_WAYS + 2 * (2 * (uint64_t)list_count + 2 * TILE_MOST_WAYS);
}

mw_status lists_plan_room(struct lists_plan *plan, const mw_tuning *wish,
                          const mw_info *info, const struct lists_shape *shape,
                          uint32_t list_count, uint64_t count, struct error *error)
{
    const struct tile_geometry *const tile = geometry_of(wish, info, shape->keys);
    const uint64_t words = (uint64_t)(shape->arrays + 3) * list_count + 1; /* of a round */

    if (!tile)
        return plan_no_row("tile", info, shape->keys.size, error);
    *plan = (struct lists_plan){.program.engine = PROGRAM_LISTS,
                                .program.bits = (int)(8 * shape->keys.size),
                                .program.tile = *tile};
    plan->shared = tile_merge_shared(&plan->program);
    plan->table_offset = take(plan, LISTS_MOST_ROUNDS * words * sizeof(wide));
    plan->cut_cells = most_cells(tile, list_count, count);
    plan->cuts_offset = take(plan, (1 + plan->cut_cells) * sizeof(wide));
    if (list_count > 2)
        plan->spare_offset = take(plan, shape->spare_bytes);
    return MW_OK;
}

/* ceil(log2 n), at least 1. */
static uint32_t levels_of(uint64_t n)
{
    uint32_t levels = 1;

    while (UINT64_C(1) << levels < n)
        levels++;
    return levels;
}

/*
 * The round that merges up to 2^levels lists at once so that at most `left` lists remain,
 * and as few lists of the caller's as possible are merged. Returns 0 if that cannot be.
 */
static int make_round(struct lists_round *r, uint32_t list_count, uint32_t levels,
                      uint64_t left)
{
    const uint32_t theirs = list_count - r->taken;
    const uint64_t ways = UINT64_C(1) << levels;
    uint32_t lo = 0, hi = theirs; /* how many of them are merged */

    r->lists = r->runs + theirs;
    if (divide_up(r->lists, ways) > left || r->lists <= (left == 1 ? 1 : left))
        return 0;
    while (lo < hi) {
        const uint32_t middle = lo + (hi - lo) / 2;

        if (divide_up((uint64_t)r->runs + middle, ways) + (theirs - middle) <= left)
            hi = middle;
        else
            lo = middle + 1;
    }
    r->merged = r->runs + lo;
    r->groups = (uint32_t)divide_up(r->merged, ways);
    r->ways = 1u << levels_of(divide_up(r->merged, r->groups));
    return 1;
}

/* Rounds of these levels, the last one first in `levels`; returns the time they take. */
static uint64_t try_levels(struct lists_round *round, const uint32_t *levels,
                           uint32_t rounds, struct plan_keys keys, const uint64_t *firsts,
                           uint32_t list_count)
{
    struct lists_round next = {.runs = 0};
    uint64_t time = 0;

    for (uint32_t i = 0; i < rounds; i++) {
        uint64_t left = 1;

        for (uint32_t j = i + 1; j < rounds; j++)
            left <<= levels[j];
        if (!make_round(&next, list_count, levels[i], left))
            return UINT64_MAX;
        round[i] = next;
        next.taken += next.merged - next.runs;
        next.runs = next.groups;
        time += plan_pass_time(keys, firsts[next.taken], levels_of(round[i].ways));
    }
    return time;
}

/* Keys of a tile. Cuts of two lists are exact, so their tiles can be full. */
static uint64_t piece_of(const struct tile_geometry *tile, struct plan_keys keys,
                         const struct lists_round *r)
{
    return LISTS_CUTS(r->ways, r->groups, keys.places) > 1 ? tile->rows * tile->items
                                                           : rough_piece(tile, r->ways);
}

void lists_plan_rounds(struct lists_plan *plan, struct plan_keys keys,
                       const uint64_t *firsts, uint32_t list_count)
{
    enum { LEVELS = 5 };
    uint64_t best = UINT64_MAX;

    plan->rounds = list_count == 1;
    plan->round[0] = (struct lists_round){.lists = 1, .merged = 1, .groups = 1, .ways = 2};
    for (uint32_t rounds = 1; rounds <= LISTS_MOST_ROUNDS && list_count > 1; rounds++) {
        uint32_t levels[LISTS_MOST_ROUNDS] = {1, 1, 1, 1};
        uint32_t i = 0;

        while (i < rounds) {
            struct lists_round tried[LISTS_MOST_ROUNDS];
            const uint64_t time =
                try_levels(tried, levels, rounds, keys, firsts, list_count);

            if (time < best) {
                best = time;
                plan->rounds = rounds;
                for (uint32_t j = 0; j < rounds; j++)
                    plan->round[j] = tried[j];
            }
            for (i = 0; i < rounds && levels[i] == LEVELS; i++) /* the next levels */
                levels[i] = 1;
            if (i < rounds)
                levels[i]++;
        }
    }
    for (uint32_t i = 0; i < plan->rounds; i++)
        plan->round[i].piece = piece_of(&plan->program.tile, keys, &plan->round[i]);
}

uint64_t lists_round_tiles(const struct lists_round *round, uint64_t *firsts)
{
    uint64_t tiles = 0;

    for (uint32_t i = 0; i < round->groups; i++) {
        const uint32_t first = lists_group_first(round, i);

        tiles += divide_up(firsts[lists_group_first(round, i + 1)] - firsts[first],
                           round->piece);
        firsts[i] = firsts[first]; /* i <= first: it has been read */
    }
    for (uint32_t i = round->merged; i <= round->lists; i++)
        firsts[round->groups + i - round->merged] = firsts[i];
    return tiles;
}
