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
 * less than one of a million jobs: by Poisson's law the chance of n or more is about
 * mean^n / n! at most, and a large mean is not exceeded by five times its root.
 */
static uint64_t most_before(double mean)
{
    double chance = 1;
    uint64_t n = 0;

    if (mean > 8)
        return (uint64_t)mean + 5 * root_of((uint64_t)mean + 1) + 3;
    while (chance > 1e-6)
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

void select_plan(struct select_plan *plan, const mw_info *info, uint32_t code_bytes,
                 uint64_t count, uint64_t first, uint64_t last)
{
    const uint64_t wanted = last - first;
    uint64_t at;

    *plan = (struct select_plan){.code_bytes = code_bytes};
    plan->tiles = SELECT_TILES(count, code_bytes);
    plan->blocks = (uint64_t)info->processors * SELECT_BLOCKS_EACH;
    plan->blocks = plan->blocks < plan->tiles ? plan->blocks : plan->tiles;
    plan->filters = (uint64_t)info->processors * SELECT_FILTERS_EACH;
    plan->span[0] = plan->tiles >= SELECT_SPAN * plan->filters ? SELECT_SPAN : 1;
    plan->capacity = count / 8 + 2 * wanted + SELECT_SAMPLES;
    enclose(plan, count, first, last);
    plan->is_sampled = count >= (uint64_t)info->processors * SELECT_SAMPLED_EACH &&
                       count >= SELECT_SAMPLES &&
                       enclosed(plan, count) + wanted <= plan->capacity;

    plan->span[1] = plan->is_sampled ? 1 : plan->span[0];
    plan->filters = plan->filters < plan->tiles ? plan->filters : plan->tiles;

    plan->bins_cell = SELECT_STATE_CELLS;
    plan->tiles_cell[0] = plan->bins_cell + 2 * SELECT_BINS * SELECT_PASSES;
    plan->tiles_cell[1] = plan->tiles_cell[0] + 2 * plan->tiles;
    plan->cells = plan->tiles_cell[1] + 2 * plan->tiles;
    at = round_up(plan->cells * sizeof(wide), PLAN_ALIGNMENT);
    plan->codes_offset = at;
    at += round_up(plan->capacity * code_bytes, PLAN_ALIGNMENT);
    plan->rows_offset = at;
    at += round_up(plan->capacity * sizeof(unsigned), PLAN_ALIGNMENT);
    plan->out_offset = at;
    at += round_up(wanted * sizeof(unsigned), PLAN_ALIGNMENT);
    plan->sort_offset = at;
}
