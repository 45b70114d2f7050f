/*
 * tile_passes.c - what memory has to move in a pass of engine tile, its cuts included,
 * counted on the simulator as distinct sectors, for all shapes and types, where rounds
 * are not joined and tiles take 512 bytes of each list, the fewest for which a percentage
 * is meant. tile_claims.c looks at other ways, counts and joined rounds.
 *
 *   tile_passes [percent]
 *
 * `percent` runs so many of the cases only, evenly spread.
 */
#include "pass_traffic.h"

#include "tap.h"
#include "trial.h"

#include <stdlib.h>

static const mw_type all_types[] = {MW_U8, MW_I16, MW_I32, MW_I64, MW_F32, MW_F64};

/* How tiles are made and merged, and of how many keys. */
static const struct row {
    const char *name;
    uint32_t threads; /* 0: the library's choice ... */
    uint32_t items;
    uint32_t ways; /* ... for so many, or by count */
    uint64_t count;
    int shapes; /* the first so many; 0: all */
} rows[] = {
    {"small tiles",       64, 32, 8, (1 << 17) + 1, 0},
    {"the table's tiles", 0,  0,  0, 600000,        2},
};

static int fits(mw_context *context, const struct trial *t, double *most)
{
    const size_t size = mw_type_size(t->type);
    struct outcome outcome;
    struct error error;
    struct plan plan;
    int passed = trial_run(context, t, &outcome);

    if (!passed)
        tap_note("%s", outcome.why);
    trial_close(&outcome);
    passed = passed &&
             plan_make(&plan, &t->tuning, &context->backend->info, size, t->count, &error) == MW_OK;
    if (passed && (plan.round[0].joined ||
                   plan.tuning.base / plan.tuning.ways * size < PASS_LEAST_BYTES)) {
        tap_note("%u ways, joined: %d", plan.tuning.ways, plan.round[0].joined);
        passed = 0;
    }
    return passed && pass_traffic_fits(context, &plan, size, 1, most);
}

static void run_row(struct tap *tap, mw_context *context, const struct row *row,
                    int percent)
{
    double most = 0;
    char shape[SHAPE_TEXT];
    int number = 0;

    for (int i = 0; (!row->shapes || i < row->shapes) && trial_shape(i, shape); i++) {
        for (size_t j = 0; j < COUNT_OF(all_types); j++, number++) {
            struct trial t = {.type = all_types[j],
                              .shape = shape,
                              .seed = (uint64_t)i,
                              .count = row->count,
                              .tuning = MW_TUNING_INIT};
            char text[TRIAL_TEXT];

            if ((number + 1) * percent / 100 == number * percent / 100)
                continue;
            t.tuning.engine = MW_ENGINE_TILE;
            t.tuning.ways = mw_type_size(t.type) == 1 ? row->ways / 2 : row->ways;
            t.tuning.threads = row->threads;
            t.tuning.items = row->items;
            trial_text(&t, text);
            tap_ok(tap, fits(context, &t, &most), row->name, text);
        }
    }
    tap_note("%s: at the most %.2f %% more than each key once", row->name, most);
}

int main(int count, char **error)
{
    const int percent = count > 1 ? atoi(error[1]) : 100;
    struct tap tap = {0, 0};
    mw_context *context;

    tap_ok(&tap,
           mw_open(&context, "sim", NULL) == MW_OK &&
               mw_set_timing(context, MW_TIMING_LAUNCHES) == MW_OK,
           "open", "sim");
    for (size_t i = 0; tap.failed == 0 && i < COUNT_OF(rows); i++)
        run_row(&tap, context, &rows[i], percent);
    mw_close(context);
    return tap_end(&tap);
}
