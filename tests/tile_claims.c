/*
 * tile_claims.c - what engine tile claims, counted on the simulator:
 *
 *   no bank conflict in loads and stores of tiles and of samples, none in the
 *   gathers and scatters of tile_sort; in those of tile_merge and tile_join two-way
 *   ones at the worst, where groups end inside a warp; searches are counted apart; rows
 *   that do not fill the banks once cost loads and stores a second turn at most
 *   each pass reads and writes each key once, in whole requests but for the ends
 *   of lists; from 2^17 keys on, where tiles take 256 keys or more of each list,
 *   bulk requests and the sectors that their bytes fill are within 5 % of that
 *   a bulk request touches at most one sector more than its bytes fill
 *   distinct sectors of each pass are those of each key once, of samples and cuts, and
 *   few more (pass_traffic.h; tile_passes.c has the passes with most of them)
 *   a cut is found in a few rounds of a few loads, however the lists look
 *
 *   tile_claims [percent]
 *
 * `percent` runs so many of the cases only, evenly spread.
 */
#include "backend_device.h"
#include "context.h"

#include "cover.h"
#include "pass_traffic.h"
#include "tap.h"
#include "tile_rows.h"
#include "trial.h"

#include <stdlib.h>

enum parameter { TYPE, SHAPE, COUNT, WAYS, DIRECTION, GEOMETRY, PARAMETERS };
enum { MOST_SHAPES = 64, LARGE = 1 << 17, GEOMETRIES = 4, MOST_LOADS = 60 };

/* A type of each width first: the others differ from them at the two ends only. */
static const mw_type all_types[] = {MW_U8, MW_I16, MW_U32, MW_F64, MW_F32, MW_I64};
static const uint32_t all_ways[] = {0, 2, 4, 8, 16, 32};

/* Counts in tiles, plus some keys; full where those are 0. */
static const struct {
    int64_t tiles;
    int64_t keys;
} count_rows[] = {
    {1,  0        },
    {1,  -1       },
    {2,  0        },
    {2,  1        },
    {4,  0        },
    {5,  77       },
    {20, 3        },
    {9,  -31      },
    {16, 5        },
    {0,  LARGE + 1},
};

/* What all lines, and those of one kind, came to. */
struct sums {
    mw_traffic searches;
    mw_traffic gathers;  /* of merges, ... */
    mw_traffic scatters; /* ... and of them, too */
    mw_traffic bulk;
    uint64_t other_requests;
    uint64_t cuts;
    uint64_t cut_loads;
};

/* All cases together, for the reader. */
struct totals {
    struct sums sums;
    double most_requests; /* bulk requests of a large sort over the ideal */
    double most_packed;   /* sectors its bytes fill over the ideal */
    double most_sectors;  /* sectors its requests touch over the ideal */
    double most_gather;   /* wavefronts of the gathers over the ideal, ... */
    double most_scatter;  /* ... and of the scatters */
    double most_loads;    /* of a cut, on average over one sort */
    double most_moved;    /* by a pass, in percent more than its keys */
};

/* Searches for a row's split, and for cuts among samples in shared memory. */
static int is_search(const mw_ledger_line *line)
{
    return line->access == MW_ACCESS_SEARCH || line->access == MW_ACCESS_PROBE;
}

/* A cut is stored at once, wherever it goes. */
static int is_cut_itself(const mw_ledger_line *line)
{
    return line->access == MW_ACCESS_CUT && line->stores;
}

static int is_of_merge(const mw_ledger_line *line)
{
    return strcmp(line->kernel, "tile_merge") == 0 ||
           strcmp(line->kernel, "tile_join") == 0;
}

/* Rows to registers and back: free of conflicts inside a group, however short they are. */
static int is_row_move(const mw_ledger_line *line)
{
    return line->access == MW_ACCESS_GATHER || line->access == MW_ACCESS_SCATTER;
}

/* Add up the lines; each must be free of conflicts, or within its bound. */
static int sum_lines(const mw_ledger_line *lines, size_t count, int other_rows,
                     struct sums *sums)
{
    int passed = 1;

    for (size_t i = 0; i < count; i++) {
        const mw_traffic *const t = &lines[i].traffic;
        uint64_t most = t->shared_ideal;

        if (lines[i].access == MW_ACCESS_BULK) {
            traffic_add(&sums->bulk, t);
            passed &= t->global_sectors <= t->global_ideal + t->global_requests;
        }
        if (is_cut_itself(&lines[i]))
            sums->cuts += t->global_requests + t->shared_requests;
        else if (lines[i].access == MW_ACCESS_PROBE)
            sums->cut_loads += t->global_requests + t->shared_requests;
        if (is_search(&lines[i])) {
            traffic_add(&sums->searches, t);
            continue;
        }
        if (is_row_move(&lines[i]) && is_of_merge(&lines[i])) {
            traffic_add(lines[i].stores ? &sums->scatters : &sums->gathers, t);
            most = t->shared_worst <= 2 ? 2 * most : 0;
        } else {
            sums->other_requests += t->shared_requests;
            if (other_rows && !is_row_move(&lines[i]))
                most *= 2;
        }
        if (t->shared_wavefronts > most || t->shared_ideal < t->shared_requests) {
            tap_note("%s, %s:%d: %llu wavefronts, worst %llu, at most %llu: %s",
                     lines[i].kernel, lines[i].file, lines[i].line,
                     (unsigned long long)t->shared_wavefronts,
                     (unsigned long long)t->shared_worst, (unsigned long long)most,
                     lines[i].text);
            passed = 0;
        }
    }
    return passed;
}

static double over(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b - 1 : 0;
}

static void keep_most(double *most, double value)
{
    *most = value > *most ? value : *most;
}

/* Tiles take 256 keys or more of each list. */
static int is_large(const struct trial *t, const struct plan *plan)
{
    return t->count >= LARGE && plan->tuning.base / plan->tuning.ways >= 256;
}

/* Each key read once and written once a pass. */
static int traffic_fits(const struct trial *t, const struct plan *plan,
                        const struct sums *sums, struct totals *totals)
{
    const uint64_t moves = 2 * (1 + (uint64_t)plan->rounds);
    const uint64_t blocks = (t->count + 31) / 32;
    const uint64_t bytes = t->count * mw_type_size(t->type);
    const double requests = over(sums->bulk.global_requests, moves * blocks);
    const double packed = over(sums->bulk.global_ideal * 32, moves * bytes);

    uint64_t ends =
        plan->base_blocks; /* short requests: both ends of a tile's parts, ... */

    for (uint32_t i = 0; i < plan->rounds;
         i++) /* ... and of what each of its warps writes */
        ends += plan->round[i].blocks *
                (2 * plan->round[i].ways + plan->program.tile.rows / 32 + 1);
    if (sums->bulk.global_requests < moves * blocks ||
        sums->bulk.global_requests > moves * blocks + ends) {
        tap_note("%llu bulk requests", (unsigned long long)sums->bulk.global_requests);
        return 0;
    }
    if (!is_large(t, plan) ||
        plan->program.tile.items <
            16) /* each warp writes few keys, and one request too many */
        return 1;
    keep_most(&totals->most_requests, requests);
    keep_most(&totals->most_packed, packed);
    keep_most(&totals->most_sectors, over(sums->bulk.global_sectors * 32, moves * bytes));
    if (requests < 0 || requests > 0.05 || packed < 0 || packed > 0.05 ||
        over(sums->bulk.global_sectors * 32, moves * bytes) > 0.05) {
        tap_note("%.1f %% more requests, %.1f %% more sectors filled than needed",
                 100 * requests, 100 * packed);
        return 0;
    }
    return 1;
}

/*
 * One load waits for another, so they are what a cut takes. A search that halves one
 * window at a time would need hundreds.
 */
static int cuts_fit(const struct sums *sums, struct totals *totals)
{
    const double loads = sums->cuts ? (double)sums->cut_loads / (double)sums->cuts : 0;

    keep_most(&totals->most_loads, loads);
    if (loads <= MOST_LOADS)
        return 1;
    tap_note("%.1f loads a cut", loads);
    return 0;
}

static int claims_hold(mw_context *context, const struct trial *t, struct totals *totals)
{
    const mw_ledger_line *lines;
    const size_t size = mw_type_size(t->type);
    mw_counts counts = MW_COUNTS_INIT;
    struct sums sums = {.other_requests = 0};
    struct error error;
    struct plan plan;
    size_t count;
    int passed;

    if (mw_get_ledger(context, &lines, &count) != MW_OK ||
        mw_get_counts(context, &counts) != MW_OK ||
        plan_make(&plan, &t->tuning, &context->backend->info, size, t->count, &error) != MW_OK)
        return 0;
    passed = sum_lines(lines, count, plan.program.tile.items * (size == 8 ? 8 : 4) != 128,
                       &sums);
    if (counts.tuning.engine != MW_ENGINE_TILE || sums.other_requests == 0 ||
        sums.searches.shared_requests == 0 ||
        (sums.gathers.shared_requests == 0) != (counts.rounds == 0)) {
        tap_note("nothing was counted, or by another engine");
        passed = 0;
    }
    traffic_add(&totals->sums.searches, &sums.searches);
    traffic_add(&totals->sums.gathers, &sums.gathers);
    traffic_add(&totals->sums.scatters, &sums.scatters);
    keep_most(&totals->most_gather,
              over(sums.gathers.shared_wavefronts, sums.gathers.shared_ideal));
    keep_most(&totals->most_scatter,
              over(sums.scatters.shared_wavefronts, sums.scatters.shared_ideal));
    passed &=
        pass_traffic_fits(context, &plan, size, is_large(t, &plan), &totals->most_moved);
    return passed & traffic_fits(t, &plan, &sums, totals) & cuts_fit(&sums, totals);
}

static void run_case(struct tap *tap, mw_context *context, const struct trial *t,
                     struct totals *totals)
{
    struct outcome outcome;
    char text[TRIAL_TEXT];
    int passed = trial_run(context, t, &outcome);

    if (!passed)
        tap_note("%s", outcome.why);
    passed = passed && claims_hold(context, t, totals);
    trial_text(t, text);
    tap_ok(tap, passed, "sim", text);
    trial_close(&outcome);
}

/* All of the kit's shapes, sawtooths of every power of two, mixtures of ordered parts. */
static int list_shapes(char (*shapes)[SHAPE_TEXT])
{
    static const char *const more[] = {
        "interleaved:2", "interleaved:32", "interleaved:257", "blocks:8192", "blocks:4096",
        "blocks:33",     "sawtooth:12289", "few:2",           "swaps:1"};
    int count = 0;

    while (trial_shape(count, shapes[count]))
        count++;
    for (int bit = 1; bit <= 16; bit++)
        snprintf(shapes[count++], SHAPE_TEXT, "sawtooth:%d", 1 << bit);
    for (size_t i = 0; i < COUNT_OF(more); i++)
        snprintf(shapes[count++], SHAPE_TEXT, "%s", more[i]);
    return count;
}

static void note_wavefronts(const char *what, const mw_traffic *sum, double most)
{
    tap_note("%s of merges: %.2f %% more wavefronts than needed, %.2f %% at the most", what,
             100 * over(sum->shared_wavefronts, sum->shared_ideal), 100 * most);
}

static void run_cases(struct tap *tap, mw_context *context, const struct cover *cover,
                      char (*shapes)[SHAPE_TEXT], int percent)
{
    struct totals totals = {.most_requests = 0};

    for (int i = 0; i < cover->count; i++) {
        const int *const values = cover->cases + i * PARAMETERS;
        struct trial t = {.type = all_types[values[TYPE]],
                          .direction = (mw_direction)values[DIRECTION],
                          .shape = shapes[values[SHAPE]],
                          .seed = (uint64_t)i,
                          .tuning = MW_TUNING_INIT};
        const struct tile_geometry *const geometry =
            tile_of_size(mw_type_size(t.type), values[GEOMETRY]);
        int64_t tile;

        if ((i + 1) * percent / 100 == i * percent / 100)
            continue;
        t.tuning.engine = MW_ENGINE_TILE;
        t.tuning.ways = all_ways[values[WAYS]];
        if (geometry) { /* or else the table's choice by count */
            t.tuning.threads = geometry->rows;
            t.tuning.items = geometry->items;
        }
        tile = geometry ? (int64_t)geometry->rows * geometry->items : 8192;
        t.count = (uint64_t)(tile * count_rows[values[COUNT]].tiles +
                             count_rows[values[COUNT]].keys);
        run_case(tap, context, &t, &totals);
    }
    note_wavefronts("gathers", &totals.sums.gathers, totals.most_gather);
    note_wavefronts("scatters", &totals.sums.scatters, totals.most_scatter);
    tap_note("searches: %.2f wavefronts a request, of %llu requests",
             1 + over(totals.sums.searches.shared_wavefronts,
                      totals.sums.searches.shared_requests),
             (unsigned long long)totals.sums.searches.shared_requests);
    tap_note("bulk, at the most: %.2f %% more requests, %.2f %% more sectors filled, "
             "%.2f %% more touched",
             100 * totals.most_requests, 100 * totals.most_packed,
             100 * totals.most_sectors);
    tap_note("cuts: %.1f loads, at the most", totals.most_loads);
    tap_note("distinct sectors of a pass, at the most: %.2f %% more than each key once",
             totals.most_moved);
}

int main(int count, char **error)
{
    const int percent = count > 1 ? atoi(error[1]) : 100;
    char shapes[MOST_SHAPES][SHAPE_TEXT];
    int values[PARAMETERS] = {[TYPE] = (int)COUNT_OF(all_types),
                              [COUNT] = (int)COUNT_OF(count_rows),
                              [WAYS] = (int)COUNT_OF(all_ways),
                              [DIRECTION] = 2,
                              [GEOMETRY] = GEOMETRIES + 1};
    struct tap tap = {0, 0};
    mw_context *context;
    struct cover cover;

    values[SHAPE] = list_shapes(shapes);
    tap_ok(&tap, cover_open(&cover, PARAMETERS, values) == 0 && cover_missing(&cover) == 0,
           "every pair of values has a case", "");
    tap_ok(&tap, mw_open(&context, "sim", NULL) == MW_OK, "open", "sim");
    if (tap.failed == 0 && mw_set_timing(context, MW_TIMING_LAUNCHES) == MW_OK)
        run_cases(&tap, context, &cover, shapes, percent);
    mw_close(context);
    cover_close(&cover);
    return tap_end(&tap);
}
