/*
 * claims.c - the paper's claims C1 to C4, by name, for engines heap and tile on every
 * shape of the kit, counted in the simulator:
 *
 *   C1  no bank conflict; tile: none except in searches and two-way ones in merges
 *   C2  16 ways merge with a factor log2 16 fewer I/Os than two do on the same runs:
 *       exactly so where lists are not cut (heap with one warp), else within 8 %
 *   C3  bulk requests touch no more sectors than their bytes fill, and one more where a
 *       list begins inside a sector
 *   C4  B (2 K - 1) keys of shared memory for a warp that merges; tile: the same for
 *       16 ways and for 2
 *
 * and that a pass of engine tile moves at most 5 % more than its keys, once each way.
 *
 *   claims [percent]
 *
 * `percent` runs that part of the shapes, evenly spread.
 */
#include "../cli/tally.h"

#include "tap.h"
#include "trial.h"

#include <stdlib.h>

enum { MANY = 16 };

/* MANY runs are sorted: 16 ways need one round, two ways four. */
static const struct row {
    mw_engine engine;
    mw_type type;
    uint32_t warps;
    uint32_t base;
    double slack; /* of C2 */
} rows[] = {
    {MW_ENGINE_HEAP, MW_I32, 1,  1024, 0   },
    {MW_ENGINE_HEAP, MW_F64, 1,  1024, 0   },
    {MW_ENGINE_HEAP, MW_U16, 16, 4096, 0.08},
    {MW_ENGINE_TILE, MW_I32, 0,  8192, 0.08},
    {MW_ENGINE_TILE, MW_F64, 0,  4096, 0.08},
};

static int find(mw_context *context, const struct row *row, const char *shape,
                uint32_t ways, struct tally *tally)
{
    struct outcome outcome;
    struct trial t = {.type = row->type,
                      .shape = shape,
                      .seed = ways,
                      .count = (uint64_t)MANY * row->base,
                      .tuning = MW_TUNING_INIT};
    int sorted;

    t.tuning.engine = row->engine;
    t.tuning.ways = ways;
    t.tuning.warps = row->warps;
    t.tuning.base = row->base;
    sorted = trial_run(context, &t, &outcome);
    if (!sorted)
        tap_note("%s", outcome.why);
    trial_close(&outcome);
    return sorted && tally_make(tally, context, t.type) == MW_OK;
}

/* Do all claims of that row hold, and is there one? "": the one on passes, within 5 %. */
static int holds(const struct tally *tally, const char *row)
{
    int seen = 0;

    for (int i = PLANNED; i < tally->claim_count; i++) {
        const struct claim *const claim = &tally->claims[i];

        if (strcmp(claim->row, row) != 0)
            continue;
        seen = 1;
        if (!claim_holds(claim) ||
            (!*row && (double)claim->counted > 1.05 * (double)claim->formula)) {
            tap_note("%s: %llu, by the formula %llu and at most %llu more", claim->what,
                     (unsigned long long)claim->counted, (unsigned long long)claim->formula,
                     (unsigned long long)claim->allowance);
            return 0;
        }
    }
    return seen;
}

/* The exit status of `multiway count` depends on this. */
static void test_judgement(struct tap *tap)
{
    static const struct {
        const char *name;
        uint64_t counted;
        uint64_t allowance;
        int holds;
    } made_up[] = {
        {"as the formula says",        100, 0,  1},
        {"one more, none allowed",     101, 0,  0},
        {"more by the allowance",      107, 7,  1},
        {"more than the allowance",    108, 7,  0},
        {"one less, whatever allowed", 99,  10, 0},
    };

    for (size_t i = 0; i < COUNT_OF(made_up); i++) {
        struct tally tally = {.claim_count = 3}; /* the odd claim is in the middle */

        tally.claims[1] = (struct claim){.counted = made_up[i].counted,
                                         .formula = 100,
                                         .allowance = made_up[i].allowance};
        tap_ok(tap, tally_holds(&tally) == made_up[i].holds, "judgement", made_up[i].name);
    }
}

static double merge_ios(const struct tally *tally)
{
    return (double)(tally->claims[MERGING + READS].counted +
                    tally->claims[MERGING + WRITES].counted);
}

static int fewer_ios(const struct row *row, const struct tally *two,
                     const struct tally *many)
{
    const double factor = merge_ios(two) / merge_ios(many);

    if (factor > 4 * (1 + row->slack) || factor < 4 * (1 - row->slack)) {
        tap_note("%.0f I/Os pairwise, %.0f with 16 ways: %.3f times", merge_ios(two),
                 merge_ios(many), factor);
        return 0;
    }
    return two->counts.rounds == 4 && many->counts.rounds == 1 && holds(two, "C2") &&
           holds(many, "C2");
}

static int shared_fits(const struct row *row, const struct tally *two,
                       const struct tally *many)
{
    if (row->engine == MW_ENGINE_HEAP)
        return holds(two, "C4") && holds(many, "C4");
    return two->counts.warp_shared == many->counts.warp_shared &&
           two->counts.warp_shared > 0;
}

static void run_row(struct tap *tap, mw_context *context, const struct row *row,
                    int percent)
{
    const char *const engine = row->engine == MW_ENGINE_HEAP ? "heap" : "tile";
    char shape[SHAPE_TEXT];

    for (int i = 0; trial_shape(i, shape); i++) {
        struct tally two, many;
        char name[64];

        if ((i + 1) * percent / 100 == i * percent / 100)
            continue;
        snprintf(name, sizeof name, "%s %s %s", engine, mw_type_name(row->type), shape);
        if (!find(context, row, shape, 2, &two) ||
            !find(context, row, shape, MANY, &many)) {
            tap_ok(tap, 0, "sorted", name);
            continue;
        }
        tap_ok(tap, holds(&two, "C1") && holds(&many, "C1"), "C1", name);
        tap_ok(tap, fewer_ios(row, &two, &many), "C2", name);
        tap_ok(tap, holds(&two, "C3") && holds(&many, "C3"), "C3", name);
        tap_ok(tap, shared_fits(row, &two, &many), "C4", name);
        if (row->engine == MW_ENGINE_TILE)
            tap_ok(tap, holds(&two, "") && holds(&many, ""), "passes", name);
    }
}

int main(int count, char **arguments)
{
    const int percent = count > 1 ? atoi(arguments[1]) : 100;
    struct tap tap = {0, 0};
    mw_context *context;

    test_judgement(&tap);
    tap_ok(&tap,
           mw_open(&context, "sim", NULL) == MW_OK &&
               mw_set_timing(context, MW_TIMING_LAUNCHES) == MW_OK,
           "open", "sim");
    for (size_t i = 0; context && i < COUNT_OF(rows); i++)
        run_row(&tap, context, &rows[i], percent);
    mw_close(context);
    return tap_end(&tap);
}
