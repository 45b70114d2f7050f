/*
 * claims_tile.c - what engine tile claims, counted on the simulator:
 *
 *   C1  no bank conflict in loads and stores of tiles and of samples, none in the
 *       gathers and scatters of tile_sort; in those of merges two-way ones at the worst,
 *       where groups end inside a warp. Searches are not held to it; rows that do not
 *       fill the banks cost loads and stores a second wavefront at most.
 *   C2  each pass reads and writes each key once, in whole requests but for the ends of
 *       lists; where tiles take 256 keys or more of each list, bulk requests and the
 *       sectors that their bytes fill are within 5 % of that
 *   C3  a bulk request touches at most one sector more than its bytes fill
 *
 * The distinct sectors of each pass are those of each key once, of samples and of cuts;
 * where a tile takes 512 bytes or more of each list, that is within 5 % of the keys
 * alone. A cut is found in a few rounds of a few loads, however the lists look.
 *
 *   claims_tile [percent]
 *
 * `percent` runs that part of the cases, evenly spread.
 */
#include "claim.h"
#include "kernels/launch.h"
#include "tile_rows.h"

#include <stdlib.h>

enum parameter { TYPE, SHAPE, COUNT, WAYS, DIRECTION, GEOMETRY, PARAMETERS };
enum { LARGE = 1 << 17, GEOMETRIES = 7, MOST_LOADS = 60, PERCENT = 5, LEAST_BYTES = 512 };

/* A type of each width first: the others differ from them at the two ends only. */
static const mw_type all_types[] = {MW_U8, MW_I16, MW_U32, MW_F64, MW_F32, MW_I64};
static const uint32_t all_ways[] = {0, 2, 4, 8, 16, 32};

/* clang-format off */
/* Counts in tiles, plus some keys; full where those are 0. */
static const struct {
    int64_t tiles;
    int64_t keys;
} counts[] = {
    {1, 0}, {1, -1}, {2, 1}, {4, 0}, {5, 77}, {20, 3}, {9, -31}, {0, LARGE + 1}};
/* clang-format on */

/* C1 of one line. `short_rows`: rows of a tile do not fill the banks. */
static int line_holds(const mw_ledger_line *line, int short_rows)
{
    const mw_traffic *const t = &line->traffic;
    const int merges = strcmp(line->kernel, "tile_sort") != 0;
    const int moves_rows =
        line->access == MW_ACCESS_GATHER || line->access == MW_ACCESS_SCATTER;
    uint64_t most = t->shared_ideal;

    if (line->access == MW_ACCESS_SEARCH || line->access == MW_ACCESS_PROBE)
        return 1;
    if (moves_rows ? merges : short_rows)
        most *= 2;
    if (t->shared_wavefronts > most || t->shared_ideal < t->shared_requests ||
        (moves_rows && t->shared_worst > 2))
        return claim_conflict(line);
    return 1;
}

/* Rounds that merge; in one by ranks every block reads all keys. */
static uint32_t merges_of(const struct claim *c)
{
    uint32_t merges = 0;

    for (uint32_t i = 0; i < c->plan.rounds; i++)
        merges += c->plan.round[i].joined != 2;
    return merges;
}

static int banks_hold(const struct claim *c)
{
    const int short_rows = c->plan.tuning.items * (c->size == 8 ? 8 : 4) != 128;
    const uint64_t moves = claim_sum(c, "tile_merge", MW_ACCESS_GATHER, 0).shared_requests +
                           claim_sum(c, "tile_join", MW_ACCESS_GATHER, 0).shared_requests;
    int holds = claim_sum(c, "tile_", MW_ACCESS_SEARCH, 0).shared_requests > 0 &&
                (moves > 0) == (merges_of(c) > 0);

    for (size_t i = 0; i < c->line_count; i++)
        holds &= line_holds(&c->lines[i], short_rows);
    return holds;
}

/* Is `counted` at least `needed` and at most PERCENT more? */
static int near(uint64_t counted, uint64_t needed)
{
    return counted >= needed && counted * 100 <= needed * (100 + PERCENT);
}

/* C2 and C3. */
static int bulk_holds(const struct claim *c)
{
    const uint64_t moves = 1 + (uint64_t)merges_of(c); /* of each key, in and out */
    const uint64_t blocks = 2 * moves * claim_blocks(c->trial->count);
    const uint64_t bytes = 2 * moves * c->trial->count * c->size;
    const mw_traffic in = claim_sum(c, "tile_", MW_ACCESS_BULK, 0);
    const mw_traffic out = claim_sum(c, "tile_", MW_ACCESS_BULK, 1);
    const uint64_t requests = in.global_requests + out.global_requests;
    const uint64_t sectors = in.global_sectors + out.global_sectors;
    const uint64_t ideal = in.global_ideal + out.global_ideal;
    uint64_t ends = c->plan.first_blocks; /* short requests: at a tile's end, ... */
    int holds;

    for (uint32_t i = 0; i < c->plan.rounds; i++) /* ... of parts, and of its warps */
        ends += c->plan.round[i].blocks *
                (2 * c->plan.round[i].ways + c->plan.tuning.threads / 32 + 1);
    holds = requests >= blocks && requests <= blocks + ends && sectors <= ideal + requests;
    if (c->trial->count >= LARGE && c->plan.tuning.items >= 16 &&
        c->plan.tuning.base / c->plan.tuning.ways >= 256)
        holds = holds && near(requests, blocks) && near(ideal * 32, bytes) &&
                near(sectors * 32, bytes);
    if (!holds)
        tap_note("%llu bulk requests, %llu sectors; ideally %llu and %llu", (wide)requests,
                 (wide)sectors, (wide)blocks, (wide)bytes / 32);
    return holds;
}

/* Cells of a round's cuts, if it keeps them in memory. */
static uint64_t cells_of(const mw_plan_round *round)
{
    return round->joined ? 0 : round->groups * (round->pieces + 1) * round->ways;
}

static uint64_t sectors_of(uint64_t bytes)
{
    return (bytes + 31) / 32;
}

/*
 * What a pass has to move. It reads and writes each key once, and writes samples but in
 * the last pass. The first pass clears the cells of cuts; the others read samples, and
 * some blocks write cells before others read them.
 */
static int pass_holds(const struct claim *c, const mw_launch *launch)
{
    const mw_plan *const plan = &c->plan;
    const uint64_t keys = 2 * sectors_of(c->trial->count * c->size);
    const uint64_t samples = sectors_of(claim_blocks(c->trial->count) * c->size);
    const uint64_t moved = launch->traffic.global_distinct;
    uint64_t cells = 0;
    uint64_t least;
    uint64_t most;

    for (uint32_t i = 0; i < plan->rounds; i++) {
        const uint64_t more = cells_of(&plan->round[i]);

        if (launch->round == i + 1 || (launch->round == 0 && more > cells))
            cells = more;
    }
    least = keys + (launch->round < plan->rounds ? samples : 0) + sectors_of(cells * 8);
    most = least + (launch->round ? samples : 0);
    if (c->trial->count >= LARGE &&
        plan->tuning.base / plan->tuning.ways * c->size >= LEAST_BYTES &&
        most > keys * (100 + PERCENT) / 100)
        most = keys * (100 + PERCENT) / 100;
    if (moved >= least && moved <= most)
        return 1;
    tap_note("pass %u moves %llu distinct sectors, not %llu to %llu", launch->round,
             (wide)moved, (wide)least, (wide)most);
    return 0;
}

/* One load waits for another; a search that halves one window at a time needs hundreds. */
static int cuts_hold(const struct claim *c)
{
    const mw_traffic cuts = claim_sum(c, "tile_", MW_ACCESS_CUT, 1);
    const mw_traffic loads = claim_sum(c, "tile_", MW_ACCESS_PROBE, 0);
    const uint64_t found = cuts.global_requests + cuts.shared_requests;
    const uint64_t made = loads.global_requests + loads.shared_requests;

    if (made > MOST_LOADS * found)
        tap_note("%llu loads for %llu cuts", (wide)made, (wide)found);
    return made <= MOST_LOADS * found && (found > 0) == (merges_of(c) > 0);
}

static void run_case(struct tap *tap, mw_context *context, const struct trial *t)
{
    char text[TRIAL_TEXT];
    struct claim c;
    int holds =
        claim_make(&c, context, t) && banks_hold(&c) && bulk_holds(&c) && cuts_hold(&c);

    for (size_t i = 0; holds && i < c.launch_count; i++)
        holds = pass_holds(&c, &c.launches[i]);
    trial_text(t, text);
    tap_ok(tap, holds, "sim", text);
}

/* Every pair of values. */
static void run_pairs(struct tap *tap, mw_context *context, int percent)
{
    char shapes[MOST_SHAPES][SHAPE_TEXT];
    const int values[PARAMETERS] = {[TYPE] = (int)COUNT_OF(all_types),
                                    [SHAPE] = trial_shapes(shapes, 2),
                                    [COUNT] = (int)COUNT_OF(counts),
                                    [WAYS] = (int)COUNT_OF(all_ways),
                                    [DIRECTION] = 2,
                                    [GEOMETRY] = GEOMETRIES + 1};
    struct cover cover;

    tap_ok(tap, cover_open(&cover, PARAMETERS, values) == 0,
           "every pair of values has a case", "");
    for (int i = 0; i < cover.count; i++) {
        const int *const v = cover.cases + i * PARAMETERS;
        struct trial t = {.type = all_types[v[TYPE]],
                          .direction = (mw_direction)v[DIRECTION],
                          .shape = shapes[v[SHAPE]],
                          .seed = (uint64_t)i,
                          .tuning = MW_TUNING_INIT};
        const struct tile_geometry *const g = /* or else the table's choice by count */
            tile_of_size(mw_type_size(t.type), v[GEOMETRY]);
        const int64_t tile = g ? (int64_t)g->rows * g->items : 8192;

        t.tuning.engine = MW_ENGINE_TILE;
        t.tuning.ways = all_ways[v[WAYS]];
        t.tuning.threads = g ? g->rows : 0;
        t.tuning.items = g ? g->items : 0;
        t.count = (uint64_t)(tile * counts[v[COUNT]].tiles + counts[v[COUNT]].keys);
        if (claim_chosen(i, percent))
            run_case(tap, context, &t);
    }
    cover_close(&cover);
}

/* Rounds that are not joined, on all shapes; types take turns. */
static void run_many_tiles(struct tap *tap, mw_context *context, int percent)
{
    char shape[SHAPE_TEXT];

    for (int i = 0; trial_shape(i, shape); i++) {
        struct trial t = {.type = all_types[(size_t)i % COUNT_OF(all_types)],
                          .shape = shape,
                          .seed = (uint64_t)i,
                          .count = LARGE + 1,
                          .tuning = MW_TUNING_INIT};

        t.tuning.engine = MW_ENGINE_TILE;
        if (i < 2) { /* the table's tiles */
            t.count = 600000;
        } else {
            t.tuning.ways = mw_type_size(t.type) == 1 ? 4 : 8;
            t.tuning.threads = 64;
            t.tuning.items = 32;
        }
        if (claim_chosen(i, percent))
            run_case(tap, context, &t);
    }
}

int main(int argc, char **argv)
{
    const int percent = argc > 1 ? atoi(argv[1]) : 100;
    struct tap tap = {0, 0};
    mw_context *const context = claim_open(&tap);

    if (context) {
        run_pairs(&tap, context, percent);
        run_many_tiles(&tap, context, percent);
    }
    mw_close(context);
    return tap_end(&tap);
}
