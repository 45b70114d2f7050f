#include "sweep.h"

#include "cli.h"
#include "device.h"
#include "options.h"

#include <inttypes.h>

void sweep_head(void)
{
    printf("ways   warps threads items   base rounds median ms   mean ms    min ms    "
           "max ms     Gk/s  ratio\n");
}

void sweep_head_tsv(FILE *tsv)
{
    fprintf(tsv, "engine\ttype\tcount\tways\twarps\tthreads\titems\tbase\trounds\t"
                 "median_ms\tmean_ms\tmin_ms\tmax_ms\tgkeys_s\n");
}

/* Billions of keys a second. */
static double rate(const struct times *times)
{
    return times->median > 0 ? (double)times->counts.count / times->median / 1e6 : 0;
}

static void print_row(const struct sweep *sweep, const struct times *times)
{
    const mw_tuning *const t = &times->counts.tuning;
    const double first = sweep->rows[0].times.median;

    printf("%4u %7u %7u %5u %6u %6u %9.3f %9.3f %9.3f %9.3f %8.3f %6.3f\n", t->ways,
           t->warps, t->threads, t->items, t->base, times->counts.rounds, times->median,
           times->mean, times->least, times->most, rate(times),
           times->median > 0 ? first / times->median : 0);
    fflush(stdout);
    if (sweep->tsv)
        fprintf(sweep->tsv,
                "%s\t%s\t%" PRIu64 "\t%u\t%u\t%u\t%u\t%u\t%u\t%.4f\t%.4f\t%.4f\t%.4f\t"
                "%.3f\n",
                engine_name(t->engine), mw_type_name(sweep->trials->type),
                times->counts.count, t->ways, t->warps, t->threads, t->items, t->base,
                times->counts.rounds, times->median, times->mean, times->least, times->most,
                rate(times));
}

static int same(const mw_tuning *a, const mw_tuning *b)
{
    return a->engine == b->engine && a->ways == b->ways && a->warps == b->warps &&
           a->threads == b->threads && a->items == b->items && a->base == b->base;
}

/* What `wish` comes to on this device; TRIALS_CANNOT if to nothing. */
static enum trials_result ask(struct sweep *sweep, const mw_tuning *wish, mw_tuning *used)
{
    struct trials *const trials = sweep->trials;
    mw_status status = mw_set_tuning(trials->context, wish);

    if (status == MW_OK)
        status = kit_get_tuning(trials->context, trials->type, trials->count, used);
    if (status == MW_OK)
        return TRIALS_FINE;
    if (status == MW_UNSUPPORTED)
        return TRIALS_CANNOT;
    complain(trials->command, "%s", device_error(trials->context, status));
    return TRIALS_TROUBLE;
}

/* Did an earlier wish come to the same? */
static int tried(const struct sweep *sweep, const mw_tuning *used)
{
    for (int i = 0; i < sweep->count; i++) {
        if (same(&sweep->rows[i].times.counts.tuning, used))
            return 1;
    }
    return 0;
}

enum trials_result sweep_try(struct sweep *sweep, const mw_tuning *wish)
{
    struct sweep_row *const row = &sweep->rows[sweep->count];
    mw_tuning used = MW_TUNING_INIT;
    enum trials_result result = ask(sweep, wish, &used);

    if (sweep->count == SWEEP_MOST || (result == TRIALS_FINE && tried(sweep, &used)))
        return TRIALS_FINE;
    if (result == TRIALS_FINE)
        result = trials_run(sweep->trials, wish, &row->times);
    if (result == TRIALS_CANNOT) {
        if (sweep->left_out++ == 0)
            snprintf(sweep->why, sizeof sweep->why, "%s", mw_error(sweep->trials->context));
        return TRIALS_FINE;
    }
    if (result == TRIALS_WRONG)
        complain(sweep->trials->command,
                 "the result is wrong: engine %s, ways %u, warps %u, threads %u, items %u, "
                 "base %u",
                 engine_name(used.engine), used.ways, used.warps, used.threads, used.items,
                 used.base);
    if (result != TRIALS_FINE)
        return result;
    row->wish = *wish;
    sweep->count++;
    print_row(sweep, &row->times);
    return TRIALS_FINE;
}

const struct sweep_row *sweep_best(const struct sweep *sweep, uint32_t ways)
{
    const struct sweep_row *best = NULL;

    for (int i = 0; i < sweep->count; i++) {
        const struct sweep_row *const row = &sweep->rows[i];

        if (ways && row->times.counts.tuning.ways != ways)
            continue;
        if (!best || row->times.median < best->times.median)
            best = row;
    }
    return best;
}
