/*
 * select.c - the plan of a selection: see select.h.
 */
#include "select.h"

#include "kernels/launch.h"

/* The least number whose square is at least n. */
static uint64_t root_of(uint64_t n)
{
    uint64_t root = 0;

    while (root * root < n)
        root++;
    return root;
}

/*
 * If `mean` samples are expected to come before a rank, more than this come before it in
 * less than one of ten thousand jobs: by Poisson's law the chance of n or more is about
 * mean^n / n! at most, and a large mean is not exceeded by four times its root.
 */
static uint64_t most_before(double mean)
{
    double chance = 1;
    uint64_t n = 0;

    if (mean > 8)
        return (uint64_t)mean + 4 * root_of((uint64_t)mean + 1) + 3;
    while (chance > 1e-4)
        chance *= mean / (double)++n;
    return n - 1;
}

/* Which samples enclose the ranks [first, last)? All samples: none is needed. */
static void enclose(struct select_plan *plan, uint64_t count, uint64_t first, uint64_t last)
{
    const uint64_t low = first * SELECT_SAMPLES / count;
    const uint64_t under = 5 * root_of(low + 1) + 3;
    const uint64_t high = most_before((double)last * SELECT_SAMPLES / (double)count);

    plan->sample[0] = low > under ? low - under : UINT64_MAX;
    plan->sample[1] = high < SELECT_SAMPLES ? high : UINT64_MAX;
}

/* How many rows these samples should enclose at most. */
static uint64_t enclosed(const struct select_plan *plan, uint64_t count)
{
    const uint64_t from = plan->sample[0] < SELECT_SAMPLES ? plan->sample[0] : 0;
    const uint64_t to = plan->sample[1] < SELECT_SAMPLES ? plan->sample[1] : SELECT_SAMPLES;
    const uint64_t samples = to - from + 1;

    return (samples + 6 * root_of(samples) + 5) * (count / SELECT_SAMPLES + 1);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * Rows more than wanted that may be sorted with them, at each end that is not exact. To
 * sort a row for each thread of a block costs less than another pass of all blocks. What
 * was staged is mostly narrowed by one block, which costs little.
 */
static uint32_t slack_of(const struct select_plan *plan, uint64_t wanted, int is_two_sided)
{
    const uint64_t few = plan->is_sampled ? SELECT_FEW : SELECT_SORTED;
    const uint64_t most = wanted < few / 2 ? few : wanted + wanted / 2;
    const uint64_t slack = least(most, (uint64_t)SELECT_ROOM) - wanted;

    return (uint32_t)(is_two_sided ? slack / 2 : slack);
}

void select_plan(struct select_plan *plan, const mw_info *info, uint32_t code_bytes,
                 uint64_t count, uint64_t first, uint64_t last)
{
    const uint64_t wanted = last - first;
    const uint64_t tiles = SELECT_TILES(count, SELECT_FILTER_THREADS, code_bytes);
    uint64_t at;

    *plan = (struct select_plan){.code_bytes = code_bytes};
    plan->stages = least(tiles, (uint64_t)info->processors * SELECT_STAGES_EACH);
    plan->filters = (uint64_t)info->processors * SELECT_FILTERS_EACH;
    plan->span = tiles >= SELECT_SPAN * plan->filters ? SELECT_SPAN : 1;
    plan->filters = least(tiles, plan->filters);
    plan->counts = least(SELECT_TILES(count, SELECT_THREADS, code_bytes),
                         (uint64_t)info->processors * SELECT_COUNTS_EACH);
    plan->counts = least(plan->counts, SELECT_UNITS);
    plan->capacity = count / 8 + 2 * wanted + SELECT_SAMPLES;
    enclose(plan, count, first, last);
    plan->is_sorted =
        wanted <= SELECT_MOST && info->shared_per_block >= SELECT_COUNT_SHARED;
    plan->is_sampled =
        plan->is_sorted && count >= (uint64_t)info->processors * SELECT_SAMPLED_EACH &&
        count >= SELECT_SAMPLES && enclosed(plan, count) + wanted <= plan->capacity;
    plan->slack = plan->is_sorted ? slack_of(plan, wanted, first > 0) : 0;

    plan->bins_cell = SELECT_STATE_CELLS;
    plan->buckets_cell =
        plan->bins_cell + SELECT_BINS * SELECT_PASSES * (first > 0 ? 2 : 1);
    plan->tiles_cell = plan->buckets_cell + (plan->is_sorted ? SELECT_BINS : 0);
    plan->cells = plan->tiles_cell + (plan->is_sorted ? 0 : 2 * tiles);
    at = plan->bins_cell + SELECT_BINS * (2 * SELECT_PASSES + 1) + 2 * tiles;
    at = round_up(at * sizeof(wide), PLAN_ALIGNMENT); /* the same for any ranks */
    plan->codes_offset = at;
    at += round_up(plan->capacity * code_bytes, PLAN_ALIGNMENT);
    plan->rows_offset = at;
    at += round_up(plan->capacity * sizeof(unsigned), PLAN_ALIGNMENT);
    plan->samples_offset = at;
    at += SELECT_SAMPLES * sizeof(wide);
    plan->collected_offset = at;
    at += 2 * (uint64_t)SELECT_BINS * SELECT_BUCKET * sizeof(wide);
    plan->rest_offset = at;
    at += 2 * (uint64_t)SELECT_ROOM * sizeof(wide);
    plan->out_offset = at;
    at += round_up(wanted * sizeof(unsigned), PLAN_ALIGNMENT);
    plan->sort_offset = at;
}
