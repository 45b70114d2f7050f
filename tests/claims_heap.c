/*
 * claims_heap.c - the paper's claims, counted on the simulator for engine heap:
 *
 *   C1  no bank conflict in base case and merge, whatever the input
 *   C2  as many rounds, and as many bulk accesses, as the formulas say
 *   C3  bulk accesses are coalesced
 *   C4  B (2 K - 1) keys of shared memory for a warp that merges
 *
 *   claims_heap [percent]
 *
 * `percent` runs that part of the cases, evenly spread.
 */
#include "claim.h"

#include <stdlib.h>

enum parameter { TYPE, SHAPE, WAYS, DIRECTION, COUNT, BASE, WARPS, PARAMETERS };

static const uint32_t all_ways[] = {2, 4, 8, 16, 32};
static const uint32_t all_bases[] = {1024, 2048, 4096, 0};
static const uint32_t all_warps[] = {0, 1, 13};

/* Counts in quarters of a base, and plus how many keys; full where those are 0. */
static const uint64_t counts[][2] = {
  /* clang-format off */
    {4, 0}, {8, 0}, {32, 0}, {64, 0}, {3, 7}, {17, 31}, {36, 5}, {61, 999},
  /* clang-format on */
};

/* C2 and C4, by the plan. */
static int plan_holds(const struct claim *c)
{
    const mw_tuning *const t = &c->plan.tuning;
    const uint64_t heap = 32 * (2 * t->ways - 1) * c->size;
    uint32_t rounds = 0;

    for (uint64_t covered = t->base; covered < c->trial->count; covered *= t->ways)
        rounds++;
    if (c->plan.rounds == rounds && c->counts.warp_shared == heap &&
        c->plan.merge_shared == t->threads / 32 * heap)
        return 1;
    tap_note("C2: %u rounds, not %u; C4: %llu bytes for a warp, not %llu", c->plan.rounds,
             rounds, (unsigned long long)c->counts.warp_shared, (unsigned long long)heap);
    return 0;
}

/* C1: not one line conflicts, and something was counted. */
static int conflict_free(const struct claim *c)
{
    uint64_t requests = 0;
    int free = 1;

    for (size_t i = 0; i < c->line_count; i++) {
        const mw_traffic *const t = &c->lines[i].traffic;

        requests += t->shared_requests;
        if (t->shared_wavefronts != t->shared_ideal || t->shared_ideal < t->shared_requests)
            free = claim_conflict(&c->lines[i]);
    }
    return free && requests > 0;
}

/* From `least` to `most` requests, of as few sectors as possible, or one more each. */
static int coalesced(mw_traffic t, uint64_t least, uint64_t most, int more_sectors)
{
    if (t.global_requests >= least && t.global_requests <= most &&
        t.global_sectors >= t.global_requests &&
        t.global_sectors <= t.global_ideal + (more_sectors ? t.global_requests : 0))
        return 1;
    tap_note("C2, C3: %llu requests, not %llu to %llu, of %llu sectors, ideally %llu",
             (unsigned long long)t.global_requests, (unsigned long long)least,
             (unsigned long long)most, (unsigned long long)t.global_sectors,
             (unsigned long long)t.global_ideal);
    return 0;
}

/*
 * C2 and C3 of one kernel that moves all keys `passes` times. Loads may be `more`, each
 * with a sector more, where lists begin and end anywhere. A full input has no short
 * block, and 32 keys of any type are whole sectors.
 */
static int bulk_holds(const struct claim *c, const char *kernel, uint64_t passes,
                      uint64_t more)
{
    const uint64_t blocks = passes * claim_blocks(c->trial->count);
    const int ragged = c->trial->count % c->plan.tuning.base != 0;

    return coalesced(claim_sum(c, kernel, MW_ACCESS_BULK, 0), blocks, blocks + more,
                     more > 0) &&
           coalesced(claim_sum(c, kernel, MW_ACCESS_BULK, 1), blocks, blocks, ragged);
}

static void run_case(struct tap *tap, mw_context *context, const struct trial *t)
{
    uint64_t segments = 0; /* of lists in all merge tasks: each may have a short request */
    char text[TRIAL_TEXT];
    struct claim c;
    int holds = claim_make(&c, context, t);

    for (uint32_t i = 0; holds && i < c.plan.rounds; i++)
        segments += c.plan.round[i].groups * c.plan.round[i].pieces * c.plan.round[i].ways;
    trial_text(t, text);
    tap_ok(tap,
           holds && plan_holds(&c) && conflict_free(&c) &&
               bulk_holds(&c, "heap_base", 1, 0) &&
               bulk_holds(&c, "heap_merge", c.plan.rounds, segments),
           "sim", text);
}

int main(int argc, char **argv)
{
    const int percent = argc > 1 ? atoi(argv[1]) : 100;
    char shapes[MOST_SHAPES][SHAPE_TEXT];
    const int values[PARAMETERS] = {[TYPE] = MW_TYPE_COUNT,
                                    [SHAPE] = trial_shapes(shapes, 4),
                                    [WAYS] = (int)COUNT_OF(all_ways),
                                    [DIRECTION] = 2,
                                    [COUNT] = (int)COUNT_OF(counts),
                                    [BASE] = (int)COUNT_OF(all_bases),
                                    [WARPS] = (int)COUNT_OF(all_warps)};
    struct tap tap = {0, 0};
    mw_context *const context = claim_open(&tap);
    struct cover cover;

    tap_ok(&tap, cover_open(&cover, PARAMETERS, values) == 0,
           "every pair of values has a case", "");
    for (int i = 0; context && i < cover.count; i++) {
        const int *const v = cover.cases + i * PARAMETERS;
        struct trial t = {.type = (mw_type)v[TYPE],
                          .direction = (mw_direction)v[DIRECTION],
                          .shape = shapes[v[SHAPE]],
                          .seed = (uint64_t)i,
                          .tuning = MW_TUNING_INIT};

        t.tuning.engine = MW_ENGINE_HEAP;
        t.tuning.ways = all_ways[v[WAYS]];
        t.tuning.base = all_bases[v[BASE]];
        t.tuning.warps = all_warps[v[WARPS]];
        t.count = (t.tuning.base ? t.tuning.base : 2048) / 4 * counts[v[COUNT]][0] +
                  counts[v[COUNT]][1];
        if (claim_chosen(i, percent))
            run_case(&tap, context, &t);
    }
    mw_close(context);
    cover_close(&cover);
    return tap_end(&tap);
}
