/*
 * claims.c - the paper's claims C1 to C4, one by one and by name, for engines heap and
 * tile on every shape of the kit, counted on the simulator:
 *
 *   C1  no bank conflict; tile: none but where its merges may have two-way ones, and
 *       in its searches
 *   C2  16 ways merge with a factor log2 16 fewer I/Os than two do on the same runs:
 *       exactly so where lists are not cut (heap with one warp), else within 8 %
 *   C3  bulk requests are coalesced: they touch the sectors that their bytes fill,
 *       and one more where a list begins between two
 *   C4  B (2 K - 1) keys of shared memory for a warp that merges; tile: as much for
 *       16 ways as for 2
 *
 * and of engine tile that no pass moves more than its keys, samples and cuts.
 *
 * C1, C3 and passes are judged as `multiway count` judges them. conflicts.c and
 * tile_claims.c go further, with other types, counts, ways and bases, and their own
 * judgement.
 *
 *   claims [percent]
 *
 * `percent` runs so many of the cases only, evenly spread.
 */
#include "../cli/tally.h"

#include "foretold.h"
#include "tap.h"

#include <stdlib.h>

enum { MANY = 16 };

/* What is sorted: MANY runs, so that 16 ways need one round and two ways four. */
static const struct row {
    mw_engine engine;
    mw_type type;
    uint32_t warps;
    uint32_t base;
    double slack; /* by which C2 may be missed */
} rows[] = {
    {MW_ENGINE_HEAP, MW_I32, 1,  1024, 0   },
    {MW_ENGINE_HEAP, MW_F64, 1,  1024, 0   },
    {MW_ENGINE_HEAP, MW_U16, 16, 4096, 0.08},
    {MW_ENGINE_TILE, MW_I32, 0,  8192, 0.08},
    {MW_ENGINE_TILE, MW_F64, 0,  4096, 0.08},
};

/* One sort, and what came of it. */
struct found {
    int sorted;
    struct forecast forecast;
    struct tally tally;
};

static struct found find(mw_context *context, const struct row *row, const char *shape,
                         uint32_t ways)
{
    struct found found;
    struct trial t = {.type = row->type,
                      .shape = shape,
                      .seed = ways,
                      .count = (uint64_t)MANY * row->base,
                      .tuning = MW_TUNING_INIT};

    t.tuning.engine = row->engine;
    t.tuning.ways = ways;
    t.tuning.warps = row->warps;
    t.tuning.base = row->base;
    found.sorted = foretold(context, &t, &found.forecast) &&
                   tally_make(&found.tally, context, t.type) == MW_OK;
    return found;
}

/* Do all claims of that row hold, and is there one? */
static int holds(const struct found *found, const char *row)
{
    int seen = 0;

    for (int i = 0; found->sorted && i < found->tally.claim_count; i++) {
        const struct claim *const claim = &found->tally.claims[i];

        if (strcmp(claim->row, row) != 0)
            continue;
        seen = 1;
        if (!claim_holds(claim)) {
            tap_note("%s: %llu, by the formula %llu and at most %llu more", claim->what,
                     (unsigned long long)claim->counted, (unsigned long long)claim->formula,
                     (unsigned long long)claim->allowance);
            return 0;
        }
    }
    return seen;
}

/* What the judgement itself says of made-up counts, which the exit status hangs on. */
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
        {"as many more as allowed",    107, 7,  1},
        {"one more than allowed",      108, 7,  0},
        {"one less, whatever allowed", 99,  10, 0},
    };

    for (size_t i = 0; i < COUNT_OF(made_up); i++) {
        struct tally tally = {.claim_count = 3};

        for (int j = 0; j < tally.claim_count; j++) /* the odd one is in the middle */
            tally.claims[j] = (struct claim){.counted = 100, .formula = 100};
        tally.claims[1].counted = made_up[i].counted;
        tally.claims[1].allowance = made_up[i].allowance;
        tap_ok(tap, tally_holds(&tally) == made_up[i].holds, "judgement", made_up[i].name);
    }
}

/* Nothing at all conflicts in engine heap; in tile, what is not said to may not. */
static int no_conflicts(const struct found *found)
{
    return holds(found, "C1") && found->tally.total.shared_requests > 0 &&
           (found->tally.counts.tuning.engine == MW_ENGINE_TILE ||
            traffic_conflicts(&found->tally.total) == 0);
}

static double merge_ios(const struct found *found)
{
    return (double)(found->forecast.figures[MERGE_READS].counted +
                    found->forecast.figures[MERGE_WRITES].counted);
}

static int fewer_ios(const struct row *row, const struct found *two,
                     const struct found *many)
{
    const double factor = merge_ios(two) / merge_ios(many);

    if (!two->sorted || !many->sorted || many->tally.counts.rounds != 1 ||
        two->tally.counts.rounds != 4)
        return 0;
    if (factor > 4 * (1 + row->slack) || factor < 4 * (1 - row->slack)) {
        tap_note("%.0f I/Os pairwise, %.0f with 16 ways: %.3f times", merge_ios(two),
                 merge_ios(many), factor);
        return 0;
    }
    return holds(two, "C2") && holds(many, "C2");
}

static int shared_fits(const struct row *row, const struct found *two,
                       const struct found *many)
{
    const uint64_t size = mw_type_size(row->type);

    if (!two->sorted || !many->sorted)
        return 0;
    if (row->engine == MW_ENGINE_TILE)
        return two->tally.counts.warp_shared == many->tally.counts.warp_shared &&
               two->tally.counts.warp_shared > 0;
    return two->tally.counts.warp_shared == 32 * 3 * size &&
           many->tally.counts.warp_shared == 32 * (2 * MANY - 1) * size;
}

static void run_row(struct tap *tap, mw_context *context, const struct row *row,
                    int percent)
{
    const char *const engine = row->engine == MW_ENGINE_HEAP ? "heap" : "tile";
    const char *const type = mw_type_name(row->type);
    char shape[SHAPE_TEXT];

    for (int i = 0; trial_shape(i, shape); i++) {
        struct found two;
        struct found many;

        if ((i + 1) * percent / 100 == i * percent / 100)
            continue;
        two = find(context, row, shape, 2);
        many = find(context, row, shape, MANY);
        tap_case(tap, no_conflicts(&two) && no_conflicts(&many), "C1 %s %s %s", engine,
                 type, shape);
        tap_case(tap, fewer_ios(row, &two, &many), "C2 %s %s %s", engine, type, shape);
        tap_case(tap, holds(&two, "C3") && holds(&many, "C3"), "C3 %s %s %s", engine, type,
                 shape);
        tap_case(tap, shared_fits(row, &two, &many), "C4 %s %s %s", engine, type, shape);
        if (row->engine == MW_ENGINE_TILE)
            tap_case(tap, holds(&two, "") && holds(&many, ""), "passes %s %s %s", engine,
                     type, shape);
    }
}

int main(int count, char **error)
{
    const int percent = count > 1 ? atoi(error[1]) : 100;
    struct tap tap = {0, 0};
    mw_context *context;

    test_judgement(&tap);
    tap_ok(&tap,
           mw_open(&context, "sim", NULL) == MW_OK && mw_set_timing(context, 1) == MW_OK,
           "open", "sim");
    for (size_t i = 0; context && i < COUNT_OF(rows); i++)
        run_row(&tap, context, &rows[i], percent);
    mw_close(context);
    return tap_end(&tap);
}
