/*
 * plan_cover.c - the workspace and kernels that serve every sort of up to some count, for
 * mw_prepare; and a proof that they do.
 *
 * Engine tile's plans are taken at the ends of intervals of counts in which nothing but
 * the count changes: the row of tune.def, so the geometry; the levels of merging; and
 * the number of passes, so the run and the ways of each round. Inside such an interval:
 *
 *   rows of cuts   do not fall as the count rises. Round by round, `most` keys of a piece
 *                  and g = run * ways are constant. Up to g keys there is one group,
 *                  and ceil(count / most) + 1 rows; beyond, ceil(count / g) groups of
 *                  ceil(g / most) + 1 rows. At count = g the two agree.
 *   joined         holds up to some number of keys and not beyond: the blocks of a round
 *                  are counted in the same way. A joined round has no cells.
 *   workspace      so does not fall either: keys, cells and samples rise.
 *   kernels        a round that is joined somewhere is joined at the first count, and one
 *                  that is not is not at the last count: both ends have all kernels. One
 *                  by ranks is so at the first count, too. At the last, at most twice
 *                  as many keys, it is joined at the worst, as it has under 64 tiles.
 *
 * With the levels given, p passes take p * start + count * each(p). Of two numbers of
 * passes the greater is the better one only if its each(p) is less, so from some count on:
 * the chosen number does not fall inside an interval of constant levels. Where it is the
 * same at both ends it is the same between them; otherwise the interval is halved.
 *
 * Engine deal serves counts from some on up to another, more than twice as great, and
 * counts of one number of levels differ less. So if both ends are dealt, all between them
 * are, and what that needs besides rises with the count (plan_deal.c).
 */
#include "plan_parts.h"

#include <assert.h>

/* What stays the same while counts are tried. */
struct question {
    struct plan_cover *cover;
    const mw_tuning *wish;
    const mw_info *info;
    struct plan_keys keys;
};

static void add_program(struct plan_cover *cover, const struct plan *plan)
{
    struct plan_program *program = cover->program;
    const struct plan_program *const end = program + cover->program_count;

    if (!plan->kernels)
        return;
    while (program < end && !same_program(&program->name, &plan->program))
        program++;
    if (program == end) {
        assert(cover->program_count < PLAN_MOST_PROGRAMS);
        *program = (struct plan_program){.name = plan->program};
        cover->program_count++;
    }
    program->kernels |= plan->kernels;
}

static void add_bytes(struct plan_cover *cover, uint64_t bytes)
{
    cover->workspace_bytes =
        bytes > cover->workspace_bytes ? bytes : cover->workspace_bytes;
}

static mw_status make(const struct question *q, struct plan *plan, uint64_t count)
{
    struct error error; /* a smaller count may be refused: no failure of the cover */
    const mw_status status = plan_make(plan, q->wish, q->info, q->keys, count, &error);

    if (status == MW_OK) {
        add_program(q->cover, plan);
        add_bytes(q->cover, plan->workspace_bytes);
    }
    return status;
}

/* Counts of [first, last], which have one geometry and one number of levels. */
static void cover_levels(const struct question *q, uint64_t first, uint64_t last)
{
    struct plan plan;
    uint32_t rounds;
    int dealt;

    make(q, &plan, first);
    rounds = plan.rounds;
    dealt = plan.deal.buckets != 0;
    make(q, &plan, last);
    if ((rounds == plan.rounds && dealt == (plan.deal.buckets != 0)) || last - first < 2)
        return;

    const uint64_t middle = first + (last - first) / 2;

    cover_levels(q, first, middle);
    cover_levels(q, middle + 1, last);
}

static void cover_tile(const struct question *q, uint64_t count)
{
    uint64_t last;

    for (uint64_t first = 1; first <= count; first = last + 1) {
        struct plan plan;
        const mw_status status = make(q, &plan, first);

        last = plan_tile_row_end(first);
        last = last < count ? last : count;
        if (status != MW_OK || plan.program.engine != MW_ENGINE_TILE)
            continue;

        uint64_t end = plan.tuning.base;

        while (end < first)
            end *= 2;
        last = last < end ? last : end;
        cover_levels(q, first, last);
    }
}

/* The base depends on the count, so the number of cells is not monotone: a bound is. */
static void cover_heap(const struct question *q, const struct plan *plan, uint64_t count)
{
    const uint32_t least_base = q->wish->base ? q->wish->base : HEAP_GRID;
    const uint64_t cells = plan_heap_cells(&plan->tuning, least_base, count);

    if (plan->rounds)
        add_bytes(q->cover,
                  plan->cuts_offset + round_up(cells * sizeof(wide), PLAN_ALIGNMENT));
}

mw_status plan_cover(struct plan_cover *cover, const mw_tuning *wish, const mw_info *info,
                     struct plan_keys keys, uint64_t count, struct error *error)
{
    const struct question q = {cover, wish, info, keys};
    struct plan plan;
    mw_status status;

    *cover = (struct plan_cover){0};
    TRY(plan_make(&plan, wish, info, keys, count, error));
    add_program(cover, &plan);
    add_bytes(cover, plan.workspace_bytes); /* engines pair, tally: rises with the count */
    if (plan.tuning.engine == MW_ENGINE_HEAP)
        cover_heap(&q, &plan, count);
    if (plan.program.engine == MW_ENGINE_TILE)
        cover_tile(&q, count);
    else if (wish->engine == MW_ENGINE_AUTO && plan.tuning.engine == MW_ENGINE_TALLY)
        cover_tile(&q, plan_tally_least(keys) - 1); /* counts that engine tile sorts */
    else if (wish->engine == MW_ENGINE_AUTO && count > UINT32_MAX)
        cover_tile(&q, count < PLAN_MOST_TILED ? count : PLAN_MOST_TILED);
done:
    return status;
}
