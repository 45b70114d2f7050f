/*
 * conflicts.c - the paper's claims, counted on the simulator for engine heap:
 *
 *   C1  no bank conflict in base case and merge, whatever the input
 *   C2  as many rounds, and as many bulk accesses, as the formulas say
 *   C3  bulk accesses are coalesced
 *   C4  B (2 K - 1) keys of shared memory for a warp that merges
 *
 *   conflicts [percent]
 *
 * `percent` runs so many of the cases only, evenly spread.
 */
#include "backend_device.h"
#include "context.h"
#include "kernels/launch.h"

#include "cover.h"
#include "tap.h"
#include "trial.h"

#include <stdlib.h>

enum parameter { TYPE, DIRECTION, SHAPE, COUNT, WAYS, BASE, WARPS, PARAMETERS };
enum { MOST_SHAPES = 64 };

static const uint32_t all_ways[] = {2, 4, 8, 16, 32};
static const uint32_t all_bases[] = {1024, 2048, 4096, 0};
static const uint32_t all_warps[] = {0, 1, 13};

/* Counts in quarters of a base, plus some keys; full where those are 0. */
static const struct {
    uint64_t quarters;
    uint64_t keys;
} count_rows[] = {
    {4,  0  },
    {8,  0  },
    {32, 0  },
    {36, 0  },
    {64, 0  },
    {3,  7  },
    {17, 31 },
    {36, 5  },
    {61, 999},
};

/* What the lines of one kernel came to. */
struct sums {
    uint64_t shared_requests;
    uint64_t load_requests;
    uint64_t load_sectors;
    uint64_t load_ideal;
    uint64_t store_requests;
    uint64_t store_sectors;
    uint64_t store_ideal;
};

/* Add up the kernel's lines; every one of them must be free of conflicts. */
static int sum_kernel(const mw_ledger_line *lines, size_t count, const char *kernel,
                      struct sums *sums)
{
    int passed = 1;

    for (size_t i = 0; i < count; i++) {
        const mw_traffic *const t = &lines[i].traffic;

        if (strcmp(lines[i].kernel, kernel) != 0)
            continue;
        sums->shared_requests += t->shared_requests;
        if (t->shared_wavefronts != t->shared_ideal ||
            t->shared_ideal < t->shared_requests) {
            tap_note("%s:%d: %llu wavefronts, ideally %llu: %s", lines[i].file,
                     lines[i].line, (unsigned long long)t->shared_wavefronts,
                     (unsigned long long)t->shared_ideal, lines[i].text);
            passed = 0;
        }
        if (lines[i].access == MW_ACCESS_BULK && !lines[i].stores) {
            sums->load_requests += t->global_requests;
            sums->load_sectors += t->global_sectors;
            sums->load_ideal += t->global_ideal;
        } else if (lines[i].access == MW_ACCESS_BULK) {
            sums->store_requests += t->global_requests;
            sums->store_sectors += t->global_sectors;
            sums->store_ideal += t->global_ideal;
        }
    }
    return passed;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* ceil(log_ways(count / base)) */
static uint32_t rounds_of(const struct trial *t, uint64_t base, uint32_t ways)
{
    uint32_t rounds = 0;

    for (uint64_t covered = base; covered < t->count; covered *= ways)
        rounds++;
    return rounds;
}

/* A full input has no short block, and 32 keys of any type are whole sectors. */
static int stores_fit(const struct sums *s, uint64_t passes, uint64_t blocks, int full)
{
    return s->store_requests == passes * blocks &&
           (full ? s->store_sectors == s->store_ideal
                 : s->store_sectors <= s->store_ideal + s->store_requests) &&
           s->store_sectors >= s->store_requests;
}

/* Where a list begins anywhere, a request may take one sector more. */
static int loads_fit(const struct sums *s, uint64_t least, uint64_t most)
{
    return s->load_requests >= least && s->load_requests <= most &&
           s->load_sectors <= s->load_ideal + s->load_requests &&
           s->load_sectors >= s->load_requests;
}

/* List segments of all merge tasks: each may begin and end with a short request. */
static uint64_t segments_of(const struct plan *plan)
{
    uint64_t segments = 0;

    for (uint32_t i = 0; i < plan->rounds; i++)
        segments += plan->round[i].groups * plan->round[i].pieces * plan->tuning.ways;
    return segments;
}

static int plan_fits(mw_context *context, const struct trial *t, const struct plan *plan)
{
    const uint64_t heap = 32 * (2 * plan->tuning.ways - 1) * mw_type_size(t->type);
    const uint32_t warps = plan->tuning.threads / 32;
    mw_counts counts = MW_COUNTS_INIT;

    if (plan->rounds != rounds_of(t, plan->tuning.base, plan->tuning.ways)) {
        tap_note("C2: %u rounds", plan->rounds);
        return 0;
    }
    if (plan->merge_shared != warps * heap || mw_get_counts(context, &counts) != MW_OK ||
        counts.warp_shared != heap || counts.rounds != plan->rounds) {
        tap_note("C4: %u bytes of shared memory for %u warps", plan->merge_shared, warps);
        return 0;
    }
    return 1;
}

static int ledger_fits(mw_context *context, const struct trial *t, const struct plan *plan)
{
    const uint64_t blocks = divide_up(t->count, 32);
    const uint64_t merged = blocks * plan->rounds;
    const int full = t->count % plan->tuning.base == 0;
    struct sums base = {0};
    struct sums merge = {0};
    const mw_ledger_line *lines;
    size_t count;
    int passed;

    if (mw_get_ledger(context, &lines, &count) != MW_OK)
        return 0;
    passed = sum_kernel(lines, count, "heap_base", &base);
    passed &= sum_kernel(lines, count, "heap_merge", &merge);
    if (base.shared_requests == 0 || (merge.shared_requests == 0) != (plan->rounds == 0)) {
        tap_note("C1: nothing was counted");
        passed = 0;
    }
    if (!stores_fit(&base, 1, blocks, full) ||
        !stores_fit(&merge, plan->rounds, blocks, full)) {
        tap_note(
            "C2, C3: %llu and %llu stores of %llu and %llu, ideally %llu and %llu sectors",
            (unsigned long long)base.store_requests,
            (unsigned long long)merge.store_requests,
            (unsigned long long)base.store_sectors, (unsigned long long)merge.store_sectors,
            (unsigned long long)base.store_ideal, (unsigned long long)merge.store_ideal);
        passed = 0;
    }
    if (!loads_fit(&base, blocks, blocks) || base.load_sectors != base.load_ideal ||
        !loads_fit(&merge, merged, merged + segments_of(plan))) {
        tap_note(
            "C2, C3: %llu and %llu loads of %llu and %llu, ideally %llu and %llu sectors",
            (unsigned long long)base.load_requests, (unsigned long long)merge.load_requests,
            (unsigned long long)base.load_sectors, (unsigned long long)merge.load_sectors,
            (unsigned long long)base.load_ideal, (unsigned long long)merge.load_ideal);
        passed = 0;
    }
    return passed;
}

static void run_case(struct tap *tap, mw_context *context, const struct trial *t)
{
    struct outcome outcome;
    struct error error;
    struct plan plan;
    char text[TRIAL_TEXT];
    int passed = trial_run(context, t, &outcome);

    if (!passed)
        tap_note("%s", outcome.why);
    passed = passed && plan_make(&plan, &t->tuning, &context->backend->info, mw_type_size(t->type),
                                 t->count, &error) == MW_OK;
    passed = passed && plan_fits(context, t, &plan);
    passed = passed && ledger_fits(context, t, &plan);
    trial_text(t, text);
    tap_ok(tap, passed, "sim", text);
    trial_close(&outcome);
}

/* What all cases are made from. */
struct table {
    char shapes[MOST_SHAPES][SHAPE_TEXT];
    int values[PARAMETERS]; /* how many each parameter has */
    int number;             /* of the case */
    int percent;
};

static void run_values(struct tap *tap, mw_context *context, struct table *table,
                       const int *values)
{
    const int number = table->number++;
    struct trial t = {.type = (mw_type)values[TYPE],
                      .direction = (mw_direction)values[DIRECTION],
                      .shape = table->shapes[values[SHAPE]],
                      .seed = (uint64_t)number,
                      .tuning = MW_TUNING_INIT};

    if ((number + 1) * table->percent / 100 == number * table->percent / 100)
        return;
    t.tuning.engine = MW_ENGINE_HEAP;
    t.tuning.ways = all_ways[values[WAYS]];
    t.tuning.base = all_bases[values[BASE]];
    t.tuning.warps = all_warps[values[WARPS]];
    t.count =
        (t.tuning.base ? t.tuning.base : 2048) / 4 * count_rows[values[COUNT]].quarters +
        count_rows[values[COUNT]].keys;
    run_case(tap, context, &t);
}

/* Every pair of two parameters' values. */
static void run_pairs(struct tap *tap, mw_context *context, struct table *table)
{
    struct cover cover;

    tap_ok(tap,
           cover_open(&cover, PARAMETERS, table->values) == 0 && cover_missing(&cover) == 0,
           "every pair of values has a case", "");
    for (int i = 0; i < cover.count; i++)
        run_values(tap, context, table, cover.cases + i * PARAMETERS);
    cover_close(&cover);
}

/* Every width with every shape and every number of ways: what C1 is about. */
static void run_product(struct tap *tap, mw_context *context, struct table *table)
{
    static const mw_type widths[] = {MW_U8, MW_I16, MW_I32, MW_F64};

    for (size_t width = 0; width < COUNT_OF(widths); width++) {
        for (int shape = 0; shape < table->values[SHAPE]; shape++) {
            for (int ways = 0; ways < table->values[WAYS]; ways++) {
                int values[PARAMETERS];

                for (int i = 0; i < PARAMETERS; i++)
                    values[i] = table->number % table->values[i];
                values[TYPE] = (int)widths[width];
                values[SHAPE] = shape;
                values[WAYS] = ways;
                run_values(tap, context, table, values);
            }
        }
    }
}

static int list_shapes(char (*shapes)[SHAPE_TEXT])
{
    static const char *const more[] = {"sawtooth:2",  "sawtooth:32",   "sawtooth:1024",
                                       "sawtooth:64", "sawtooth:4096", "few:2"};
    int count = 0;

    while (trial_shape(count, shapes[count]))
        count++;
    for (size_t i = 0; i < COUNT_OF(more); i++)
        snprintf(shapes[count++], SHAPE_TEXT, "%s", more[i]);
    return count;
}

int main(int count, char **error)
{
    struct table table = {.percent = count > 1 ? atoi(error[1]) : 100};
    struct tap tap = {0, 0};
    mw_context *context;

    table.values[TYPE] = MW_TYPE_COUNT;
    table.values[DIRECTION] = 2;
    table.values[SHAPE] = list_shapes(table.shapes);
    table.values[COUNT] = (int)COUNT_OF(count_rows);
    table.values[WAYS] = (int)COUNT_OF(all_ways);
    table.values[BASE] = (int)COUNT_OF(all_bases);
    table.values[WARPS] = (int)COUNT_OF(all_warps);
    tap_ok(&tap, mw_open(&context, "sim", NULL) == MW_OK, "open", "sim");
    if (tap.failed == 0) {
        run_pairs(&tap, context, &table);
        run_product(&tap, context, &table);
    }
    mw_close(context);
    return tap_end(&tap);
}
