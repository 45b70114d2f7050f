/*
 * claim.c - one sort by a plan, and its ledger by kinds of access.
 */
#include "claim.h"

#include "base/base.h"

int claim_make(struct claim *claim, mw_context *context, const struct trial *trial)
{
    struct outcome outcome;
    int passed = trial_run(context, trial, &outcome);

    if (!passed)
        tap_note("%s", outcome.why);
    trial_close(&outcome);
    *claim = (struct claim){.context = context,
                            .trial = trial,
                            .size = mw_type_size(trial->type),
                            .plan = {.size = sizeof claim->plan},
                            .counts = MW_COUNTS_INIT};
    return passed &&
           kit_get_plan(context, trial->type, trial->count, &claim->plan) == MW_OK &&
           mw_get_counts(context, &claim->counts) == MW_OK &&
           mw_get_ledger(context, &claim->lines, &claim->line_count) == MW_OK &&
           mw_get_launches(context, &claim->launches, &claim->launch_count) == MW_OK &&
           claim->counts.tuning.engine == trial->tuning.engine &&
           claim->counts.rounds == claim->plan.rounds &&
           claim->launch_count == claim->plan.launches;
}

mw_traffic claim_sum(const struct claim *claim, const char *kernel, mw_access access,
                     int stores)
{
    mw_traffic sum = {0};

    for (size_t i = 0; i < claim->line_count; i++) {
        const mw_ledger_line *const line = &claim->lines[i];

        if (strncmp(line->kernel, kernel, strlen(kernel)) == 0 && line->access == access &&
            line->stores == stores)
            traffic_add(&sum, &line->traffic);
    }
    return sum;
}

int claim_conflict(const mw_ledger_line *line)
{
    tap_note("%s, %s:%d, %s: %llu wavefronts, ideally %llu, worst %llu: %s", line->kernel,
             line->file, line->line, mw_access_name(line->access),
             (unsigned long long)line->traffic.shared_wavefronts,
             (unsigned long long)line->traffic.shared_ideal,
             (unsigned long long)line->traffic.shared_worst, line->text);
    return 0;
}

uint64_t claim_blocks(uint64_t count)
{
    return (count + 31) / 32;
}

int claim_chosen(int number, int percent)
{
    return (number + 1) * percent / 100 != number * percent / 100;
}

mw_context *claim_open(struct tap *tap)
{
    mw_context *context;
    const int opened = mw_open(&context, "sim", NULL) == MW_OK &&
                       mw_set_timing(context, MW_TIMING_LAUNCHES) == MW_OK;

    tap_ok(tap, opened, "open", "sim");
    if (opened)
        return context;
    mw_close(context);
    return NULL;
}
