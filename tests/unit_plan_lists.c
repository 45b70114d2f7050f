/*
 * unit_plan_lists.c - plans of merging lists: rounds that are valid and fit the workspace,
 * and those that are expected for some lists.
 */
#include "plan_lists.h"

#include "tap.h"

#include "kit.h"

#include <stdlib.h>

enum { MOST_LISTS = 5000 };

static const mw_info info = {.architecture = 90,
                             .processors = 132,
                             .shared_per_block = 227 << 10,
                             .shared_per_processor = 228 << 10};

static struct lists_shape shape_of(size_t size, int places, uint64_t count)
{
    return (struct lists_shape){
        .keys = {.size = size, .places = places},
          .arrays = 1, .spare_bytes = count * size
    };
}

/* Is every list merged in the end, by groups that fit the ways, within the workspace? */
static int is_valid(const struct lists_plan *plan, const uint64_t *firsts, uint32_t lists)
{
    uint32_t runs = 0, taken = 0;
    int right = plan->rounds > 0;

    for (uint32_t i = 0; right && i < plan->rounds; i++) {
        const struct lists_round *const r = &plan->round[i];
        uint64_t rows;

        right &= r->runs == runs && r->taken == taken && r->merged <= r->lists &&
                 r->lists == runs + lists - taken && r->merged >= r->runs;
        for (uint32_t g = 0; g < r->groups; g++)
            right &= lists_group_first(r, g + 1) - lists_group_first(r, g) <= r->ways;
        taken += r->merged - runs;
        runs = r->groups;
        rows = divide_up(firsts[taken], r->piece) + 2 * (uint64_t)r->groups;
        right &=
            r->ways <= TILE_MOST_WAYS &&
            rows * TILE_CUT_CELLS(r->ways, plan->program.bits, plan->program.tile.places) <=
                plan->cut_cells;
    }
    return right && runs == 1 && taken == lists;
}

static int plan_of(struct lists_plan *plan, size_t size, int places, const uint64_t *firsts,
                   uint32_t lists)
{
    const struct lists_shape shape = shape_of(size, places, firsts[lists]);
    const mw_tuning wish = MW_TUNING_INIT;
    struct error error;

    if (lists_plan_room(plan, &wish, &info, &shape, lists, firsts[lists], &error) != MW_OK)
        return 0;
    lists_plan_rounds(plan, shape.keys, firsts, lists);
    return is_valid(plan, firsts, lists);
}

/* Lists of random lengths: equal ones, few long ones, any. */
static void try_random(struct tap *tap, uint64_t *firsts)
{
    static const size_t sizes[] = {1, 2, 4, 8};
    uint64_t state = 1;
    int right = 1;

    for (int i = 0; i < 300 && right; i++) {
        const uint32_t lists = 1 + (uint32_t)(kit_mix(state++) % (i % 2 ? 70 : MOST_LISTS));
        const int places = i % 3 == 0;
        struct lists_plan plan;

        firsts[0] = 0;
        for (uint32_t j = 0; j < lists; j++) {
            const uint64_t rows = kit_mix(state++) >> 44;
            const uint64_t share = 1 + kit_mix(state++) % 1000;

            firsts[j + 1] =
                firsts[j] + 1 + rows / share + (i % 5 == 0 && j % 64 == 5 ? 1 << 20 : 0);
        }
        right = plan_of(&plan, places ? sizes[2 + i / 3 % 2] : sizes[i % 4], places, firsts,
                        lists);
    }
    tap_ok(tap, right, "rounds of random lists are valid and fit", "");
}

/* The ways of all rounds, for lists of 2^27 keys in all. */
static void expect(struct tap *tap, const char *name, uint64_t *firsts, uint32_t lists,
                   uint32_t first, uint32_t second)
{
    struct lists_plan plan;
    const int right = plan_of(&plan, 4, 0, firsts, lists);

    if (right)
        tap_note("%s: %u rounds, %u and %u ways, %.2f of the keys moved first", name,
                 plan.rounds, plan.round[0].ways, plan.rounds > 1 ? plan.round[1].ways : 0,
                 (double)firsts[plan.round[0].merged] / (double)firsts[lists]);
    tap_ok(tap,
           right && plan.rounds == (second ? 2u : 1u) && plan.round[0].ways == first &&
               (!second || plan.round[1].ways == second),
           name, "");
}

static void spread(uint64_t *firsts, uint32_t lists)
{
    for (uint32_t i = 0; i <= lists; i++)
        firsts[i] = (UINT64_C(1) << 27) * i / lists;
}

int main(void)
{
    uint64_t *const firsts = malloc((MOST_LISTS + 1) * sizeof *firsts);
    struct tap tap = {0, 0};

    if (!firsts)
        return 1;
    try_random(&tap, firsts);
    spread(firsts, 2);
    expect(&tap, "2 equal lists", firsts, 2, 2, 0);
    spread(firsts, 16);
    expect(&tap, "16 equal lists", firsts, 16, 16, 0);
    spread(firsts, 64);
    expect(&tap, "64 equal lists", firsts, 64, 8, 8);
    spread(firsts, 256);
    expect(&tap, "256 equal lists", firsts, 256, 16, 16);
    firsts[0] = 0;
    for (uint32_t i = 0; i < 64; i++) /* the shortest first */
        firsts[i + 1] = firsts[i] + (28300000 / (64 - i));
    expect(&tap, "64 lists by Zipf's law", firsts, 64, 8, 16);
    for (uint32_t i = 0; i < 16; i++)
        firsts[i + 1] = firsts[i] + (i < 15 ? 1000 : 1 << 27);
    expect(&tap, "one long list among 16", firsts, 16, 16, 2);
    free(firsts);
    return tap_end(&tap);
}
