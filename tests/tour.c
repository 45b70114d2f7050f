/*
 * tour.c - a short tour of every kernel on one device: each type by each engine, few
 * ways and many, counts that end in the middle of everything. Each sort is planned by
 * mw_get_plan first, and launches what was planned.
 *
 *   tour cuda      or under compute-sanitizer: see CONTRIBUTING.md
 *
 * The long tables are sort_matrix's; this one is short enough for a tool that
 * makes every access a hundred times slower.
 */
#include "tap.h"
#include "trial.h"

enum { SIZE = sizeof(mw_tuning), LAUNCHES = MW_TIMING_LAUNCHES, PHASES = MW_TIMING_PHASES };

/* clang-format off */
static const struct row {
    const char *name;
    mw_tuning tuning; /* size, engine, ways, warps, threads, items, base */
    int timing;
} rows[] = {
    {"auto", {SIZE, MW_ENGINE_AUTO, 0, 0, 0, 0, 0}, LAUNCHES},
    {"auto, heap's base", {SIZE, MW_ENGINE_AUTO, 4, 0, 0, 0, 1024}, LAUNCHES},
    {"heap, 2 ways, small base", {SIZE, MW_ENGINE_HEAP, 2, 24, 64, 0, 1024}, LAUNCHES},
    {"heap, 32 ways", {SIZE, MW_ENGINE_HEAP, 32, 5, 0, 0, 1024}, PHASES},
    {"heap, large base", {SIZE, MW_ENGINE_HEAP, 4, 0, 0, 0, 0}, LAUNCHES},
    {"tile, 2 ways", {SIZE, MW_ENGINE_TILE, 2, 0, 0, 0, 0}, LAUNCHES},
    {"tile, large tiles", {SIZE, MW_ENGINE_TILE, 8, 0, 256, 0, 0}, LAUNCHES},
    {"tile, many tiles", {SIZE, MW_ENGINE_TILE, 8, 0, 64, 32, 0}, LAUNCHES},
    {"tile, many, in phases", {SIZE, MW_ENGINE_TILE, 8, 0, 64, 32, 0}, PHASES},
    {"pair", {SIZE, MW_ENGINE_PAIR, 0, 0, 0, 0, 0}, LAUNCHES},
    {"tally", {SIZE, MW_ENGINE_TALLY, 0, 0, 0, 0, 0}, LAUNCHES},
};

static const struct {
    const char *shape;
    uint64_t count;
} inputs[] = {
    {"specials", 0}, {"specials", 1}, {"specials", 1024},
    {"random", 9001}, {"few:3", 30011}};
/* clang-format on */

/* A count of more tiles of 2048 keys than find their own cuts. */
static uint64_t many_tiles(mw_context *context)
{
    mw_info info = MW_INFO_INIT;

    if (mw_get_info(context, &info) != MW_OK || info.processors < 16)
        return 64 * 2048 + 1;
    return 4 * 2048 * (uint64_t)info.processors + 1;
}

/* Is the merge of a round launched as planned? Cutters of tile_merge are extra blocks. */
static int merge_agrees(const mw_plan *plan, const mw_launch *l, mw_timing timing)
{
    const mw_plan_round *const round = &plan->round[l->round - 1];
    const int cuts_inside = plan->tuning.engine == MW_ENGINE_TILE && !round->joined &&
                            timing != MW_TIMING_PHASES;

    return l->threads == plan->tuning.threads &&
           (cuts_inside ? l->blocks > round->blocks : l->blocks == round->blocks);
}

/* The launches of a sort, the last of each round being its merge, against the plan. */
static int launches_agree(const mw_plan *plan, const mw_launch *l, size_t count,
                          mw_timing timing)
{
    const size_t passes = plan->tuning.engine == MW_ENGINE_TALLY ? 1 : count;
    int right = (count > 0) == (plan->count > 0);
    uint32_t round = 0;

    for (size_t i = 0; right && i < count && i < passes; i++) {
        if (i == 0)
            right = l->round == 0 && l->blocks == plan->first_blocks &&
                    l->threads == plan->first_threads;
        else if (i + 1 == count || l[i + 1].round != l[i].round)
            right = l[i].round == ++round && merge_agrees(plan, &l[i], timing);
        else
            right = l[i].round == round + 1;
    }
    return right && round == plan->rounds &&
           (timing == MW_TIMING_PHASES ? count >= plan->launches : count == plan->launches);
}

/* Plan and sort; is it sorted, as planned, and are the counts those of the plan? */
static int visit(mw_context *context, const struct trial *t, mw_timing timing)
{
    mw_plan plan = MW_PLAN_INIT;
    mw_counts counts = MW_COUNTS_INIT;
    const mw_launch *launches;
    struct outcome outcome;
    uint64_t workspace;
    size_t count;
    int right = mw_set_timing(context, timing) == MW_OK &&
                mw_set_tuning(context, &t->tuning) == MW_OK &&
                kit_get_plan(context, t->type, t->count, &plan) == MW_OK &&
                kit_sort_workspace(context, t->type, t->count, &workspace) == MW_OK &&
                plan.workspace_bytes <= workspace;

    if (!trial_run(context, t, &outcome)) {
        tap_note("%s", outcome.why);
        right = 0;
    }
    trial_close(&outcome);
    return right && mw_get_launches(context, &launches, &count) == MW_OK &&
           launches_agree(&plan, launches, count, timing) &&
           mw_get_counts(context, &counts) == MW_OK && counts.rounds == plan.rounds &&
           counts.launches == count && counts.count == t->count && plan.count == t->count &&
           memcmp(&counts.tuning, &plan.tuning, sizeof counts.tuning) == 0;
}

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "sim";
    struct tap tap = {0};
    mw_context *const context = trial_open(&tap, device);

    for (size_t i = 0; context && i < COUNT_OF(rows) * MW_TYPE_COUNT * COUNT_OF(inputs);
         i++) {
        const struct row *const row = &rows[i / COUNT_OF(inputs) / MW_TYPE_COUNT];
        const size_t input = i % COUNT_OF(inputs);
        const mw_type type = (mw_type)(i / COUNT_OF(inputs) % MW_TYPE_COUNT);
        const int many = row->tuning.items && input + 1 == COUNT_OF(inputs) &&
                         (type == MW_U32 || type == MW_U64);
        const struct trial t = {.type = type,
                                .direction = (mw_direction)(type % 2),
                                .shape = inputs[input].shape,
                                .seed = 1 + i,
                                .count = many ? many_tiles(context) : inputs[input].count,
                                .tuning = row->tuning,
                                .device_memory = 1};

        if (row->tuning.engine == MW_ENGINE_TALLY && mw_type_size(type) > 2)
            continue;
        tap_case(&tap, visit(context, &t, (mw_timing)row->timing), "%s: %s, %llu %s",
                 row->name, mw_type_name(type), (unsigned long long)t.count, t.shape);
    }
    mw_close(context);
    return tap_end(&tap);
}
