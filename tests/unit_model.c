/*
 * unit_model.c - the claims of `multiway count` and `model`, against the ledger: for
 * every engine, key size and number of ways, on whole and ragged inputs, each count lies
 * within its bounds, and is exact where nothing is cut.
 *
 *   unit_model [percent]
 *
 * `percent` runs that part of the cases, evenly spread.
 */
#include "../cli/tally.h"

#include "tap.h"
#include "trial.h"

#include <stdlib.h>

static const char *const shapes[] = {
    "random", "sorted",       "reversed",   "organ",    "equal",
    "few:7",  "sawtooth:256", "blocks:333", "swaps:50", "conflict:17,256,worst"};
static const mw_type types[] = {MW_F32, MW_I64, MW_U8, MW_I16}; /* one of each size */
static const uint32_t all_ways[] = {2, 4, 8, 16, 32};
static const uint64_t counts[] = {1, 997, 8192, 8209, 32768, 40009, 65536};

/*
 * Must this claim have no allowance? Heap with one warp cuts nothing; tally moves the ends
 * of the array key by key.
 */
static int exact(const mw_tuning *tuning, int claim)
{
    if (tuning->engine == MW_ENGINE_TALLY)
        return claim == WRITES || claim == MERGING + READS;
    if (claim < MERGING || (tuning->engine == MW_ENGINE_HEAP && tuning->warps == 1))
        return 1;
    if (claim == MERGING + READS)
        return tuning->engine == MW_ENGINE_PAIR;
    return claim != MERGING + READ_SECTORS && tuning->engine != MW_ENGINE_TILE;
}

static int bounds_hold(mw_context *context, const struct trial *t)
{
    struct outcome outcome;
    struct tally tally;
    int passed = trial_run(context, t, &outcome);

    if (!passed)
        tap_note("%s", outcome.why);
    trial_close(&outcome);
    passed = passed && tally_make(&tally, context, t->type) == MW_OK;
    for (int i = 0; passed && i < tally.claim_count; i++) {
        const struct claim *const c = &tally.claims[i];

        if (claim_holds(c) && (i >= PLANNED || !exact(&t->tuning, i) || c->allowance == 0))
            continue;
        tap_note("%s: %llu, expected %llu by %s and up to %llu more", c->what,
                 (unsigned long long)c->counted, (unsigned long long)c->formula, c->text,
                 (unsigned long long)c->allowance);
        passed = 0;
    }
    return passed;
}

static void test_bounds(struct tap *tap, mw_context *context, int percent)
{
    static const struct {
        mw_engine engine;
        uint32_t warps; /* heap */
        uint32_t base;  /* 0: the engine's own */
    } rows[] = {
        {MW_ENGINE_HEAP,  1,  1024},
        {MW_ENGINE_HEAP,  0,  1024},
        {MW_ENGINE_HEAP,  13, 2048},
        {MW_ENGINE_TILE,  0,  2048},
        {MW_ENGINE_TILE,  0,  0   },
        {MW_ENGINE_PAIR,  0,  0   },
        {MW_ENGINE_TALLY, 0,  0   },
    };
    const int each = COUNT_OF(types) * COUNT_OF(all_ways);

    for (int i = 0; i < (int)COUNT_OF(rows) * each * 2; i++) {
        const mw_engine engine = rows[i / 2 / each].engine;
        struct trial t = {.type = types[i / 2 % COUNT_OF(types)],
                          .shape = shapes[i % COUNT_OF(shapes)],
                          .seed = (uint64_t)i,
                          .count = counts[i % COUNT_OF(counts)],
                          .tuning = MW_TUNING_INIT};
        char text[TRIAL_TEXT];

        if ((i + 1) * percent / 100 == i * percent / 100 ||
            (engine == MW_ENGINE_TALLY && mw_type_size(t.type) > 2))
            continue;
        t.tuning.engine = engine;
        t.tuning.warps = rows[i / 2 / each].warps;
        t.tuning.ways = engine == MW_ENGINE_PAIR
                            ? 0
                            : all_ways[i / 2 / COUNT_OF(types) % COUNT_OF(all_ways)];
        t.tuning.base = rows[i / 2 / each].base;
        trial_text(&t, text);
        tap_ok(tap, bounds_hold(context, &t), "bounds", text);
    }
}

/* The exit status of `multiway count` and `model` depends on this. */
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
    if (tap.failed == 0)
        test_bounds(&tap, context, percent);
    mw_close(context);
    return tap_end(&tap);
}
