/*
 * plan_tile.c - plans of engine tile: the geometry of tiles, and how many levels
 * of merging each pass takes.
 */
#include "plan_parts.h"

/* One row of tune.def for engine tile. */
struct tile_row {
    uint32_t arch;
    uint32_t kib; /* of shared memory that an SM must have */
    size_t size;
    uint64_t most; /* keys; 0: any number */
    uint32_t ways;
    struct tile_geometry tile;
};

/* clang-format off */
static const struct tile_row tile_rows[] = {
#define TUNE_TILE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) \
    {arch, kib, size, most, ways, {rows, items, sort_blocks, merge_blocks, 0, 0}},
#define TUNE_PLACES(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) \
    {arch, kib, size, most, ways, {rows, items, sort_blocks, merge_blocks, 1, 0}},
#define TUNE_LARGE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) \
    {arch, kib, size, most, ways, {rows, items, sort_blocks, merge_blocks, 0, 1}},
#include "tune.def"
};
/* clang-format on */

enum { TILE_ROW_COUNT = sizeof tile_rows / sizeof *tile_rows };

static int row_fits(const struct tile_row *row, const mw_info *info, struct plan_keys keys)
{
    return row->arch <= info->architecture && row->size == keys.size &&
           row->tile.places == (unsigned)keys.places &&
           row->tile.large == (unsigned)keys.large &&
           row->kib * UINT64_C(1024) <= info->shared_per_processor;
}

/* The first row that fits, or NULL. */
static const struct tile_row *tile_row(const mw_info *info, struct plan_keys keys,
                                       uint64_t count)
{
    for (int i = 0; i < TILE_ROW_COUNT; i++) {
        const struct tile_row *const row = &tile_rows[i];

        if (row_fits(row, info, keys) && (!row->most || row->most >= count))
            return row;
    }
    return NULL;
}

uint64_t plan_tile_row_end(uint64_t count)
{
    uint64_t end = count > UINT32_MAX ? PLAN_MOST_TILED : UINT32_MAX;

    for (int i = 0; i < TILE_ROW_COUNT; i++) {
        const uint64_t most = tile_rows[i].most;

        end = most >= count && most && most < end ? most : end;
    }
    return end;
}

/*
 * Blocks on an SM: the table's if a row has this geometry, else by TILE_BLOCKS. For 2^32
 * keys and more the table has few rows; they take the blocks of fewer keys.
 */
static void set_blocks(struct tile_geometry *tile, const mw_info *info,
                       struct plan_keys keys)
{
    for (; keys.large >= 0; keys.large--) {
        for (int i = 0; i < TILE_ROW_COUNT; i++) {
            const struct tile_geometry *const other = &tile_rows[i].tile;

            if (row_fits(&tile_rows[i], info, keys) && other->rows == tile->rows &&
                other->items == tile->items) {
                tile->sort_blocks = other->sort_blocks;
                tile->merge_blocks = other->merge_blocks;
                return;
            }
        }
    }
    tile->sort_blocks = tile->merge_blocks = 0;
}

enum { TILE_USUAL_ROWS = 256 }; /* of a tile, at most, if only a base is wished for */

/* Fill in threads, items and base: the wish's, or what follows from it, or the row's. */
static mw_status tile_tuning(struct plan *plan, const mw_info *info, struct plan_keys keys,
                             uint64_t count, struct error *error)
{
    mw_tuning *const t = &plan->tuning;
    const struct tile_row *const row = tile_row(info, keys, count);
    struct tile_geometry *const tile = &plan->program.tile;

    if (!row)
        return plan_no_row("tile", info, keys.size, error);
    *tile = row->tile;
    if (t->items)
        tile->items = t->items;
    else if (t->base && t->threads)
        tile->items = t->base / t->threads;
    else if (t->base) /* rows that the table has for small counts may be too short */
        while (tile->items < 32 && t->base / tile->items > TILE_USUAL_ROWS)
            tile->items *= 2;
    if (t->threads)
        tile->rows = t->threads;
    else if (t->base)
        tile->rows = t->base / tile->items;
    if (!power_of_two(tile->rows) || tile->rows < TILE_LEAST_ROWS ||
        tile->rows > TILE_MOST_ROWS ||
        (tile->items != 8 && tile->items != 16 && tile->items != 32))
        return fail(error, MW_UNSUPPORTED,
                    "engine tile has 64, 128, 256 or 512 threads of 8, 16 or 32 items, "
                    "not %u of %u",
                    tile->rows, tile->items);
    if (t->base && t->base != tile->rows * tile->items)
        return fail(error, MW_UNSUPPORTED,
                    "engine tile's base is its threads times its items, %u and not %u",
                    tile->rows * tile->items, t->base);
    if (keys.places && tile->rows * tile->items > TILE_MOST_PLACES)
        return fail(error, MW_UNSUPPORTED, "tiles of %u keys cannot carry rows; at most %d",
                    tile->rows * tile->items, TILE_MOST_PLACES);
    set_blocks(tile, info, keys);

    plan->base_shared = tile_sort_shared(&plan->program);
    plan->merge_shared = tile_merge_shared(&plan->program);
    if (plan->merge_shared > info->shared_per_block)
        return fail(error, MW_UNSUPPORTED,
                    "tiles of %u threads with %u items need %u bytes of shared memory; "
                    "a block has %llu",
                    tile->rows, tile->items, plan->merge_shared,
                    (unsigned long long)info->shared_per_block);
    t->threads = tile->rows;
    t->items = tile->items;
    t->base = tile->rows * tile->items;
    if (!t->ways)
        t->ways = row->ways;
    return MW_OK;
}

enum { TILE_MOST_LEVELS = 5 }; /* log2 of the most ways */

/* The time of a pass for each key, without and with places, in the unit of TUNE_PASS. */
static const uint64_t pass_each[2][TILE_MOST_LEVELS + 1] = {
#define TUNE_PASS(levels, each) [0][levels] = each,
#define TUNE_PLACES_PASS(levels, each) [1][levels] = each,
#include "tune.def"
};

enum {
    PASS_ROWS = 0
#define TUNE_PASS(levels, each) +1
#include "tune.def"
};

_Static_assert(1 << TILE_MOST_LEVELS == TILE_MOST_WAYS &&
                   (int)PASS_ROWS == TILE_MOST_LEVELS,
               "tune.def has one TUNE_PASS for each number of levels");

uint64_t plan_pass_time(struct plan_keys keys, uint64_t count, uint32_t levels)
{
    return PLAN_PASS_START + count * pass_each[keys.places][levels];
}

/* Levels of pass `i` of `passes` that share `levels` as evenly as can be, longest first. */
static uint32_t levels_of_pass(uint32_t levels, uint32_t passes, uint32_t i)
{
    return levels / passes + (i < levels % passes);
}

/* The number of passes that merges 2^levels tiles in the least time. */
static uint32_t choose_passes(struct plan_keys keys, uint64_t count, uint32_t levels,
                              uint32_t most_levels)
{
    const uint32_t fewest = (levels + most_levels - 1) / most_levels;
    uint32_t best = fewest;
    uint64_t best_time = UINT64_MAX;

    for (uint32_t passes = fewest; passes && passes <= levels; passes++) {
        uint64_t time = 0;

        for (uint32_t i = 0; i < passes; i++)
            time += plan_pass_time(keys, count, levels_of_pass(levels, passes, i));
        if (time < best_time) {
            best_time = time;
            best = passes;
        }
    }
    return best;
}

/*
 * A tile's rows hold these keys even if the cuts on both sides are off by all their slack
 * and every pair of lists ends with an almost empty row.
 */
uint64_t plan_tile_piece(const struct tile_geometry *tile, uint32_t ways, int slack)
{
    return (uint64_t)tile->rows * tile->items - 2 * (uint64_t)slack -
           ways / 2 * (tile->items - 1);
}

/* Does one block's shared memory hold the keys of all runs (tile_ranks)? */
static int is_ranked(const struct plan_round *round, const mw_info *info,
                     struct plan_keys keys, uint64_t count)
{
    return round->joined && round->groups == 1 && !keys.places && keys.size >= 4 &&
           power_of_two(round->run) && count * keys.size <= TILE_RANKS_BYTES &&
           count * keys.size <= info->shared_per_block;
}

/*
 * Pieces are of one length: no cut is to be found near the end of a group, where samples
 * are few.
 */
static struct plan_round tile_round(const struct tile_geometry *tile, const mw_info *info,
                                    struct plan_keys keys, uint64_t count, uint64_t run,
                                    uint32_t ways)
{
    const uint64_t at_once = (uint64_t)PLAN_JOINED_EACH * info->processors;
    const uint64_t most_joined = at_once > PLAN_MOST_JOINED ? at_once : PLAN_MOST_JOINED;
    const uint64_t ahead = (uint64_t)PLAN_AHEAD_EACH * info->processors;
    const uint64_t warps = tile->rows / WARP;
    const uint64_t group = run > count / ways ? count : run * ways;
    const uint64_t most = plan_tile_piece(
        tile, ways, TILE_SLACK((int)(tile->rows * tile->items), (int)tile->items));
    struct plan_round round = {.run = run, .ways = ways};

    round.groups = divide_up(count, run * ways);
    round.pieces = divide_up(group, most);
    round.piece = divide_up(group, round.pieces);
    round.blocks = round.groups * round.pieces;
    round.joined = round.blocks <= most_joined;
    if (is_ranked(&round, info, keys, count)) {
        round.ranked = 1;
        round.piece = tile->rows;
        round.pieces = round.blocks = divide_up(count, tile->rows);
    }
    round.cutters = divide_up(round.groups * (round.pieces + 1), warps);
    round.ahead = divide_up(ahead, warps);
    if (round.ahead > round.cutters)
        round.ahead = round.cutters;
    return round;
}

mw_status plan_tile(struct plan *plan, const mw_info *info, struct plan_keys keys,
                    uint64_t count, struct error *error)
{
    mw_tuning *const t = &plan->tuning;
    uint32_t most_levels = 0;
    uint32_t levels = 0;
    mw_status status;

    if (count > (keys.places || keys.size < 4 ? UINT32_MAX : PLAN_MOST_TILED))
        return fail(error, MW_UNSUPPORTED,
                    "engine tile sorts up to 2^34 keys of 4 or 8 bytes, and fewer than "
                    "2^32 others");
    keys.large |= count > UINT32_MAX;
    TRY(tile_tuning(plan, info, keys, count, error));

    const uint64_t tiles = divide_up(count, t->base);
    uint64_t run = t->base;

    while (t->ways >> most_levels > 1)
        most_levels++;
    while (UINT64_C(1) << levels < tiles)
        levels++;
    plan->rounds = choose_passes(keys, count, levels, most_levels);
    plan->launches = count ? 1 + plan->rounds : 0;
    plan->base_blocks = tiles;
    plan->base_threads = t->threads;
    plan->kernels = count ? KERNEL_SET(KERNEL_TILE_SORT) : 0;
    for (uint32_t i = 0; i < plan->rounds; i++) {
        const uint32_t ways = 1u << levels_of_pass(levels, plan->rounds, i);

        if (run > UINT32_MAX)
            return fail(error, MW_UNSUPPORTED,
                        "engine tile merges lists of fewer than 2^32 keys, which takes "
                        "more than %u ways",
                        t->ways);
        plan->round[i] = tile_round(&plan->program.tile, info, keys, count, run, ways);
        plan->kernels |= KERNEL_SET(plan->round[i].ranked   ? KERNEL_TILE_RANKS
                                    : plan->round[i].joined ? KERNEL_TILE_JOIN
                                                            : KERNEL_TILE_MERGE);
        run *= ways;
    }
    t->ways = plan->rounds ? plan->round[0].ways : 2;
    t->warps = (uint32_t)(tiles * (t->threads / WARP));
done:
    return status;
}
