#include "foretold.h"

#include "tap.h"

int foretold(mw_context *context, const struct trial *t, struct forecast *f)
{
    mw_counts counts = MW_COUNTS_INIT;
    const mw_ledger_line *lines;
    struct outcome outcome;
    mw_tuning tuning;
    size_t line_count;
    int passed = mw_set_tuning(context, &t->tuning) == MW_OK &&
                 kit_get_tuning(context, t->type, t->count, &tuning) == MW_OK;

    if (!passed)
        return 0;
    forecast_make(f, &tuning, mw_type_size(t->type), t->count);
    passed = trial_run(context, t, &outcome);
    if (!passed)
        tap_note("%s", outcome.why);
    trial_close(&outcome);
    if (mw_get_counts(context, &counts) != MW_OK ||
        mw_get_ledger(context, &lines, &line_count) != MW_OK)
        return 0;
    forecast_count(f, &counts, lines, line_count);
    for (int i = 0; i < FIGURES; i++) {
        const struct figure *const figure = &f->figures[i];

        if (figure_holds(figure))
            continue;
        tap_note("%s %s: %llu, but %llu to %llu were foretold by %s", figure->pass,
                 figure->what, (unsigned long long)figure->counted,
                 (unsigned long long)figure->least, (unsigned long long)figure->most,
                 figure->formula);
        passed = 0;
    }
    return passed;
}
