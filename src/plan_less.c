/*
 * plan_less.c - plans of sorts by a comparison.
 */
#include "less.h"

#include "plan_parts.h"

/* One row of tune.def. */
static const struct geometry {
    uint32_t kib; /* of shared memory that an SM must have */
    uint32_t bits;
    uint64_t most; /* items; 0: any number */
    uint32_t threads;
    uint32_t items;
} geometries[] = {
#define TUNE_LESS(kib, bits, most, threads, items) {kib, bits, most, threads, items},
#include "tune.def"
};

/* What a geometry is chosen by. */
struct less_shape {
    uint64_t count;
    uint32_t bits; /* of an item; 0: a position */
    uint32_t cell; /* its bytes in shared memory */
};

/* Items as large as they must be: 32, 64 or 128 bits for a row, 0 for a position. */
static uint32_t item_bits(const struct request *request)
{
    const uint32_t bytes = request->order.element_bytes;

    if (request->operation == MW_CHECK || request->column_count > 1 ||
        request->position_bytes || bytes > 16)
        return 0;
    return bytes <= 4 ? 32 : bytes <= 8 ? 64 : 128;
}

/*
 * The geometry that the caller wishes, or the tuned one, with fewer threads where a block
 * has less shared memory.
 */
static struct tile_geometry geometry_of(const struct less_shape *shape,
                                        const mw_tuning *wish, const mw_info *info)
{
    const struct geometry *row = geometries;
    struct tile_geometry tile = {.rows = wish->threads, .items = wish->items};
    uint64_t blocks;

    while (row->bits != shape->bits || (row->most && shape->count > row->most) ||
           row->kib * UINT64_C(1024) > info->shared_per_processor)
        row++;
    tile.items = tile.items ? tile.items : row->items;
    if (!tile.rows) {
        tile.rows = row->threads;
        while (tile.rows > TILE_LEAST_ROWS &&
               LESS_SHARED(tile.rows, tile.items, shape->cell) > info->shared_per_block)
            tile.rows /= 2;
    }
    blocks = LESS_BLOCKS(tile.rows, tile.items, shape->cell, info->shared_per_processor);
    tile.sort_blocks = tile.merge_blocks = blocks ? (uint32_t)blocks : 1;
    return tile;
}

/* MW_UNSUPPORTED for a wish that the kernels cannot follow. */
static mw_status check_wish(const mw_tuning *wish, const struct tile_geometry *tile,
                            uint32_t cell, const mw_info *info, struct error *error)
{
    if (wish->engine != MW_ENGINE_AUTO && wish->engine != MW_ENGINE_TILE)
        return fail(error, MW_UNSUPPORTED,
                    "only engine tile serves an order by an expression");
    if (tile->items % 2 == 0 || tile->rows % WARP || tile->rows < TILE_LEAST_ROWS ||
        wish->ways > LESS_MOST_WAYS ||
        LESS_SHARED(tile->rows, tile->items, cell) > info->shared_per_block)
        return fail(
            error, MW_UNSUPPORTED,
            "tuning: %u threads, %u items and %u ways; an order by an expression "
            "takes an odd number of items that fit shared memory, and up to %d ways",
            tile->rows, tile->items, wish->ways, LESS_MOST_WAYS);
    return MW_OK;
}

/* ceil(log2 n) */
static uint32_t levels_of(uint64_t n)
{
    uint32_t levels = 0;

    while (UINT64_C(1) << levels < n)
        levels++;
    return levels;
}

/*
 * Ways of the next of `left` rounds. Levels of merging are distributed evenly: ways that
 * are no power of two would waste a part of a level. One way less is taken where the
 * group then fills its tiles better, at no more levels later.
 */
static uint32_t choose_ways(const struct less_plan *plan, uint64_t run, uint64_t runs,
                            uint32_t left)
{
    const uint32_t levels = levels_of(runs) / left;
    const uint64_t ways = UINT64_C(1) << levels;
    const uint64_t tiles = divide_up(ways * run, plan->merge_tile);
    const uint64_t fewer = divide_up((ways - 1) * run, plan->merge_tile);

    if (left == 1 || ways >= runs)
        return (uint32_t)runs;
    if (levels > 1 && fewer * ways < tiles * (ways - 1) &&
        levels_of(divide_up(runs, ways - 1)) <= levels_of(runs) - levels)
        return (uint32_t)ways - 1;
    return (uint32_t)ways;
}

/*
 * A round of up to LESS_BLOCK_CUTS cuts has a block for each: all of them run at once.
 * Tiles look through the cuts of their group if no thread looks at more than LESS_SCANS.
 */
enum { LESS_BLOCK_CUTS = 1024, LESS_SCANS = 16 };

/* As few rounds as possible; the tiles of a group are of about the same size. */
static void make_rounds(struct less_plan *plan, uint64_t count, uint32_t most_ways)
{
    const uint32_t most = levels_of(most_ways + 1) - 1; /* floor(log2 most_ways) */
    uint64_t runs = divide_up(count, plan->tile);
    uint64_t run = plan->tile;
    const uint64_t most_scanned = (uint64_t)LESS_SCANS * plan->program.tile.rows;

    plan->rounds = (uint32_t)divide_up(levels_of(runs), most);
    for (uint32_t i = 0; i < plan->rounds; i++) {
        const uint32_t ways = choose_ways(plan, run, runs, plan->rounds - i);
        const uint64_t groups = divide_up(runs, ways);
        const uint64_t items = groups == 1 ? count : ways * run;
        const uint64_t pieces = divide_up(items, plan->merge_tile);
        const int few = groups * (pieces + 1) <= LESS_BLOCK_CUTS;

        plan->round[i] = (struct less_plan_round){.run = run,
                                                  .groups = groups,
                                                  .pieces = pieces,
                                                  .tile = divide_up(items, pieces),
                                                  .ways = ways,
                                                  .by_blocks = few && !plan->positions,
                                                  .scans = pieces * ways <= most_scanned};
        runs = groups;
        run *= ways;
    }
}

/* The largest value of any column, the elements included. */
static uint32_t largest_column(const struct request *request)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < request->column_count; i++) {
        const uint32_t bytes = request_column(request, i).bytes;

        most = bytes > most ? bytes : most;
    }
    return most;
}

static uint64_t take(struct less_plan *plan, uint64_t bytes)
{
    const uint64_t offset = plan->workspace_bytes;

    plan->workspace_bytes += round_up(bytes, PLAN_ALIGNMENT);
    return offset;
}

/*
 * Cells of cuts, for any round and any smaller count. A round of one group has `ways`
 * cells for each of its tiles and one cut more. A round of several has at most twice
 * as many tiles as the count fills, and two cuts more for each group: the tiles of a
 * group are rounded up.
 */
static uint64_t most_cut_cells(const struct less_plan *plan, uint64_t count)
{
    return 2 * LESS_MOST_WAYS * divide_up(count, plan->merge_tile) +
           2 * divide_up(count, plan->tile) + 4 * LESS_MOST_WAYS;
}

/*
 * Rows are gathered where the second array of items was; it is large enough for both.
 */
static void lay_out(struct less_plan *plan, const struct request *request)
{
    const uint64_t count = request->count;
    uint64_t spare = plan->rounds ? count * plan->item_bytes : 0;

    if (plan->positions && !request->only_positions) {
        const uint64_t rows = count * largest_column(request);

        spare = rows > spare ? rows : spare;
    }
    plan->spare_offset = take(plan, spare);
    if (plan->positions && request->position_bytes != 4)
        plan->positions_offset = take(plan, count * plan->item_bytes);
    if (plan->rounds == 0)
        return;
    plan->cuts_offset = take(plan, most_cut_cells(plan, count) * sizeof(wide));
    plan->flag_count = divide_up(count, plan->tile);
    plan->flags_offset = take(plan, plan->flag_count * sizeof(wide));
}

static void choose_kernels(struct less_plan *plan, const struct request *request)
{
    /* Any round has at most as many cuts, for this count or a smaller one. */
    const uint64_t most_cuts = 2 * divide_up(request->count, plan->merge_tile) +
                               divide_up(request->count, plan->tile) + 2;

    plan->kernels = KERNEL_SET(KERNEL_LESS_SORT);
    if (plan->rounds) {
        plan->kernels |= KERNEL_SET(KERNEL_LESS_MERGE);
        if (!plan->positions)
            plan->kernels |= KERNEL_SET(KERNEL_LESS_CUT_BLOCK);
        if (plan->positions || most_cuts > LESS_BLOCK_CUTS)
            plan->kernels |= KERNEL_SET(KERNEL_LESS_CUT);
        plan->rows_kernels |= KERNEL_SET(KERNEL_CHECK_CUTS);
    }
    if (plan->positions && !request->only_positions)
        plan->rows_kernels |= KERNEL_SET(KERNEL_GATHER_ROWS);
    if (request->position_bytes == 8)
        plan->rows_kernels |= KERNEL_SET(KERNEL_WIDEN_POSITIONS);
}

mw_status less_plan(struct less_plan *plan, const struct request *request,
                    const mw_tuning *wish, const mw_info *info, struct error *error)
{
    const struct request_order *const order = &request->order;
    const uint32_t bits = item_bits(request);
    const struct less_shape shape = {request->count, bits, bits ? bits / 8 : 4};
    const struct tile_geometry tile = geometry_of(&shape, wish, info);
    mw_status status;

    TRY(check_wish(wish, &tile, shape.cell, info, error));
    *plan = (struct less_plan){
        .program = {.engine = PROGRAM_LESS,
                    .bits = (int)bits,
                    .tile = tile,
                    .less = order->less,
                    .declarations = order->declarations,
                    .less_on_host = order->less_on_host,
                    .element_bytes = order->element_bytes},
        .positions = bits == 0,
        .item_bytes = bits ? order->element_bytes : 4,
        .shared = LESS_SHARED(tile.rows, tile.items, shape.cell),
        .tile = LESS_SORT_TILE(tile.rows, tile.items),
        .merge_tile = LESS_MERGE_TILE(tile.rows, tile.items)
    };
    if (request->operation == MW_CHECK) {
        plan->workspace_bytes = divide_up(request->count, CHECK_ROWS) * sizeof(wide);
        plan->kernels = KERNEL_SET(KERNEL_LESS_CHECK);
        plan->rows_kernels = KERNEL_SET(KERNEL_CHECK_LAST);
        return MW_OK;
    }
    if (plan->positions && request->count > UINT32_MAX)
        return fail(
            error, MW_UNSUPPORTED,
            "%llu rows; an order by an expression serves up to 2^32 - 1, unless the "
            "rows have up to 16 bytes and neither columns nor positions",
            (unsigned long long)request->count);
    if (request->count == 0)
        return MW_OK;
    make_rounds(plan, request->count, wish->ways > 1 ? wish->ways : LESS_MOST_WAYS);
    lay_out(plan, request);
    choose_kernels(plan, request);
done:
    return status;
}

uint64_t less_next_count(uint64_t count)
{
    uint64_t next = 0;

    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++) {
        if (geometries[i].most > next && geometries[i].most < count)
            next = geometries[i].most;
    }
    return next;
}

void less_plan_tell(const struct less_plan *from, uint64_t count, struct plan *plan)
{
    const struct tile_geometry *const tile = &from->program.tile;

    *plan = (struct plan){
        .tuning = {.size = sizeof plan->tuning,
                   .engine = MW_ENGINE_TILE,
                   .ways = from->rounds ? from->round[0].ways : 2,
                   .threads = tile->rows,
                   .items = tile->items,
                   .base = from->tile},
        .program = from->program,
        .kernels = from->kernels,
        .rounds = from->rounds,
        .launches = 1,
        .base_blocks = divide_up(count, from->tile),
        .base_threads = tile->rows,
        .base_shared = from->shared,
        .merge_shared = from->shared,
        .key_bytes = count * from->item_bytes,
        .workspace_bytes = from->workspace_bytes
    };
    for (uint32_t i = 0; i < from->rounds; i++) {
        plan->launches += from->round[i].scans ? 2 : 3;
        plan->round[i] =
            (struct plan_round){.run = from->round[i].run,
                                .groups = from->round[i].groups,
                                .pieces = from->round[i].pieces,
                                .piece = from->round[i].tile,
                                .blocks = from->round[i].groups * from->round[i].pieces,
                                .ways = from->round[i].ways};
    }
}
