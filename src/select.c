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
 * Which samples enclose the ranks [first, last)? Of the rows before a rank about r are
 * among the samples, give or take a few times the root of r: six times and five more are
 * exceeded once in 10^9 jobs. All samples: none is needed.
 */
static void enclose(struct select_plan *plan, uint64_t count, uint64_t first, uint64_t last)
{
    const uint64_t low = first * SELECT_SAMPLES / count;
    const uint64_t high = last * SELECT_SAMPLES / count + 1;
    const uint64_t under =
        6 * root_of(low < SELECT_SAMPLES - low ? low : SELECT_SAMPLES - low) + 5;
    const uint64_t above =
        6 * root_of(high < SELECT_SAMPLES / 2 ? high : SELECT_SAMPLES / 2) + 5;

    plan->sample[0] = low > under ? low - under : UINT64_MAX;
    plan->sample[1] = high + above < SELECT_SAMPLES ? high + above : UINT64_MAX;
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
