/*
 * unit_model.c - what `multiway model` says, held against the plan and against the
 * simulator's ledger:
 *
 *   the forecast's rounds, groups and pieces are the plan's, up to 2^40 keys
 *   full inputs, count = base * K^r: every figure that is exact is counted exactly,
 *   the others stay within their bounds; which are exact is part of the test
 *   ragged inputs: the same, and what is exact there too
 *   the paper's formulas, against values worked out by hand
 *
 *   unit_model [percent]
 *
 * `percent` runs so many of the cases only, evenly spread.
 */
#include "../cli/pem.h"
#include "backend_device.h"
#include "context.h"

#include "foretold.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

static const char *const shapes[] = {
    "random", "sorted",       "reversed",   "organ",    "equal",
    "few:7",  "sawtooth:256", "blocks:333", "swaps:50", "conflict:17,256,worst"};
static const mw_type types[] = {MW_F32, MW_I64, MW_U8, MW_I16}; /* one of each size */
static const uint32_t all_ways[] = {2, 4, 8, 16, 32};

/* ---- The plan -------------------------------------------------------------- */

static int rounds_agree(const struct plan *plan, const struct forecast *f)
{
    int same =
        plan->rounds == f->rounds &&
        plan->launches == (uint32_t)f->figures[LAUNCHES].least &&
        plan->merge_shared / (plan->tuning.threads / 32) == f->figures[WARP_BYTES].least;

    for (uint32_t i = 0; same && i < plan->rounds; i++) {
        const struct plan_round *const a = &plan->round[i];
        const struct forecast_round *const b = &f->round[i];

        same = a->run == b->run && a->groups == b->groups && a->pieces == b->pieces &&
               a->ways == b->ways;
    }
    return same;
}

static int plans_agree(const mw_info *info, const mw_tuning *wish, size_t size)
{
    static const uint64_t counts[] = {0,
                                      1,
                                      31,
                                      1024,
                                      1025,
                                      4352,
                                      65536,
                                      99991,
                                      UINT64_C(1) << 20,
                                      (UINT64_C(1) << 26) + 5,
                                      (UINT64_C(1) << 32) - 1,
                                      UINT64_C(1) << 33,
                                      UINT64_C(1) << 40};
    int agree = 1;

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        struct error error;
        struct plan plan;
        struct forecast f;

        if (plan_make(&plan, wish, info, size, counts[i], &error) != MW_OK)
            continue; /* engine tile has fewer than 2^32 keys */
        forecast_make(&f, &plan.tuning, size, counts[i]);
        if (!rounds_agree(&plan, &f)) {
            tap_note("%llu keys of %zu bytes, engine %d, ways %u, warps %u: another plan",
                     (unsigned long long)counts[i], size, (int)wish->engine, wish->ways,
                     wish->warps);
            agree = 0;
        }
    }
    return agree;
}

static void test_plans(struct tap *tap, const mw_info *info)
{
    static const uint32_t all_warps[] = {0, 1, 13, 1000};

    for (size_t size = 1; size <= 8; size *= 2) {
        mw_tuning wish = MW_TUNING_INIT;
        int agree[MW_ENGINE_PAIR + 1] = {1, 1, 1, 1};

        wish.engine = MW_ENGINE_PAIR;
        agree[MW_ENGINE_PAIR] = plans_agree(info, &wish, size);
        for (size_t i = 0; i < COUNT_OF(all_ways) * COUNT_OF(all_warps); i++) {
            wish.ways = all_ways[i % COUNT_OF(all_ways)];
            wish.warps = all_warps[i / COUNT_OF(all_ways)];
            for (wish.engine = MW_ENGINE_HEAP; wish.engine <= MW_ENGINE_TILE; wish.engine++)
                agree[wish.engine] &= plans_agree(info, &wish, size);
        }
        tap_case(tap, agree[MW_ENGINE_HEAP], "heap, %zu bytes: rounds of the plan", size);
        tap_case(tap, agree[MW_ENGINE_TILE], "tile, %zu bytes: rounds of the plan", size);
        tap_case(tap, agree[MW_ENGINE_PAIR], "pair, %zu bytes: rounds of the plan", size);
    }
}

/* ---- The ledger ------------------------------------------------------------ */

/* Figures that are exact on every input, whole or not, for one engine. */
static int always_exact(mw_engine engine, enum figure_name name)
{
    switch (name) {
    case MERGE_READS:
        return engine == MW_ENGINE_PAIR;
    case MERGE_READ_SECTORS:
        return 0;
    case MERGE_WRITES:
    case MERGE_WRITE_SECTORS:
        return engine != MW_ENGINE_TILE;
    case FIRST_WAVEFRONTS:
    case CONFLICTS:
        return engine == MW_ENGINE_HEAP;
    default:
        return 1;
    }
}

/* Is the forecast as exact as it is documented to be? One warp: no list is cut. */
static int exact_enough(const struct trial *t, const struct forecast *f)
{
    const int alone = t->tuning.engine == MW_ENGINE_HEAP && t->tuning.warps == 1;

    for (int i = 0; i < FIGURES; i++) {
        const int wanted = alone || always_exact(t->tuning.engine, (enum figure_name)i);

        if (wanted && !figure_exact(&f->figures[i])) {
            tap_note("%s %s is not exact", f->figures[i].pass, f->figures[i].what);
            return 0;
        }
    }
    return 1;
}

static int model_holds(mw_context *context, const struct trial *t)
{
    struct forecast f;

    return foretold(context, t, &f) && exact_enough(t, &f);
}

/* One engine, with what its tuning leaves to choose. */
static const struct row {
    mw_engine engine;
    uint32_t warps; /* heap */
    uint32_t base;  /* 0: the engine's own */
} rows[] = {
    {MW_ENGINE_HEAP, 1,  1024},
    {MW_ENGINE_HEAP, 0,  1024},
    {MW_ENGINE_HEAP, 13, 2048},
    {MW_ENGINE_HEAP, 1,  4096},
    {MW_ENGINE_TILE, 0,  2048},
    {MW_ENGINE_TILE, 0,  0   },
    {MW_ENGINE_PAIR, 0,  0   },
};

/* Which cases are run, and how many there were. */
struct table {
    int number;
    int percent;
};

static void run_case(struct tap *tap, mw_context *context, struct table *table,
                     const struct trial *t)
{
    const int number = table->number++;
    char text[TRIAL_TEXT];

    if ((number + 1) * table->percent / 100 == number * table->percent / 100)
        return;
    trial_text(t, text);
    tap_ok(tap, model_holds(context, t), "sim", text);
}

/* The base that the library takes for `count` keys, where the row leaves it open. */
static uint64_t base_of(mw_context *context, const struct trial *t, uint64_t count)
{
    mw_tuning tuning;

    if (mw_set_tuning(context, &t->tuning) != MW_OK ||
        kit_get_tuning(context, t->type, count, &tuning) != MW_OK)
        return 1024;
    return tuning.base;
}

/* N = base * K^r, as far as it is quickly sorted, then ragged ones near it. */
static void run_counts(struct tap *tap, mw_context *context, struct table *table,
                       struct trial *t)
{
    static const uint64_t ragged[] = {1, 997, 8209, 40009, 69997};
    const uint32_t ways = t->tuning.ways ? t->tuning.ways : 2;
    const uint64_t most = t->tuning.engine == MW_ENGINE_TILE ? 70000 : 40000;
    const uint64_t base = base_of(context, t, most);
    uint32_t rounds = 0;

    for (uint64_t count = base; count <= most; count *= ways) {
        if (rounds++ > 0 && ways * count <= most && ways < 8)
            continue; /* of the powers of a few ways the first and the last will do */
        t->count = count;
        t->shape = shapes[table->number % COUNT_OF(shapes)];
        t->seed = (uint64_t)table->number;
        run_case(tap, context, table, t);
    }
    t->count = ragged[table->number % COUNT_OF(ragged)];
    t->shape = shapes[table->number / 3 % COUNT_OF(shapes)];
    run_case(tap, context, table, t);
}

static void test_ledger(struct tap *tap, mw_context *context, int percent)
{
    struct table table = {.percent = percent};

    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        for (size_t type = 0; type < COUNT_OF(types); type++) {
            for (size_t ways = 0; ways < COUNT_OF(all_ways); ways++) {
                struct trial t = {.type = types[type], .tuning = MW_TUNING_INIT};

                t.tuning.engine = rows[row].engine;
                t.tuning.warps = rows[row].warps;
                t.tuning.ways = rows[row].engine == MW_ENGINE_PAIR ? 0 : all_ways[ways];
                t.tuning.base = rows[row].base;
                run_counts(tap, context, &table, &t);
            }
        }
    }
}

/* ---- The paper's formulas --------------------------------------------------- */

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_pem(struct tap *tap)
{
    /* N/(P B) = 2^9, log_16 (N/M) = 2.5, log2 N = 20, log_(M/B) (N/B) = 3 */
    struct pem pem = {.n = 1048576, .p = 64, .m = 1024, .b = 32, .w = 32, .k = 16};

    tap_ok(tap, near(pem_merge_ios(&pem), 512 * 2.5), "pem", "I/Os of merging, K = 16");
    tap_ok(tap, near(pem_all_ios(&pem), 512 * 3.5 + 16 * 20 * 2.5), "pem", "all I/Os");
    tap_ok(tap, near(pem_least_ios(&pem), 512 * 3 + 20), "pem", "the least I/Os");
    tap_ok(tap, near(pem_pairwise_work(&pem), 512 * 20), "pem", "pairwise work");
    tap_ok(tap, near(pem_heap_work(&pem), 512 * 20 * 5), "pem", "work with a heap");
    tap_ok(tap, near(pem_heap_keys(&pem), 32 * 31), "pem", "keys of a heap");
    pem.k = 2;
    tap_ok(tap, near(pem_merge_ios(&pem), 512 * 10), "pem", "I/Os of merging, K = 2");
    pem.n = 1000;
    tap_ok(tap, pem_merge_ios(&pem) == 0, "pem", "nothing to merge");
    pem.n = 0;
    tap_ok(tap,
           pem_all_ios(&pem) == 0 && pem_least_ios(&pem) == 0 && pem_heap_work(&pem) == 0,
           "pem", "nothing to sort");
}

int main(int count, char **error)
{
    const int percent = count > 1 ? atoi(error[1]) : 100;
    struct tap tap = {0, 0};
    mw_context *context;

    test_pem(&tap);
    tap_ok(&tap, mw_open(&context, "sim", NULL) == MW_OK, "open", "sim");
    if (tap.failed == 0) {
        test_plans(&tap, &context->backend->info);
        test_ledger(&tap, context, percent);
    }
    mw_close(context);
    return tap_end(&tap);
}
