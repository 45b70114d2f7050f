#include "trials.h"

#include "cli.h"
#include "device.h"

#include <stdlib.h>

static enum trials_result trouble(const struct trials *trials, mw_status status)
{
    complain(trials->command, "%s", device_error(trials->context, status));
    return TRIALS_TROUBLE;
}

enum trials_result trials_open(struct trials *trials, struct kit_shape shape, uint64_t seed)
{
    const size_t size = mw_type_size(trials->type);
    struct kit_input input;
    mw_status status;

    trials->input = memory_for(trials->command, trials->count, 2 * size);
    if (!trials->input)
        return TRIALS_TROUBLE;
    trials->output = (char *)trials->input + trials->count * size;
    status = kit_input_open(&input, trials->type, trials->count, shape, seed);
    if (status == MW_OK)
        kit_input_fill(&input, 0, trials->count, trials->input);
    kit_input_close(&input);
    if (status != MW_OK) {
        complain(trials->command, "no memory for the swaps");
        return TRIALS_TROUBLE;
    }
    kit_fingerprint_add(&trials->print, trials->type, trials->input, trials->count);
    status = mw_alloc(trials->context, trials->count * size, &trials->keys);
    return status == MW_OK ? TRIALS_FINE : trouble(trials, status);
}

void trials_close(struct trials *trials)
{
    if (trials->context) {
        mw_free(trials->context, trials->workspace);
        mw_free(trials->context, trials->keys);
    }
    free(trials->input);
}

/* Set the tuning, load its kernels and make room for it. */
static enum trials_result prepare(struct trials *trials, const mw_tuning *tuning)
{
    uint64_t bytes = 0;
    mw_status status = mw_set_tuning(trials->context, tuning);

    if (status == MW_OK)
        status = kit_sort_workspace(trials->context, trials->type, trials->count, &bytes);
    if (status == MW_UNSUPPORTED || status == MW_COMPILE_FAILED)
        return TRIALS_CANNOT;
    if (status == MW_OK && bytes > trials->workspace_bytes) {
        mw_free(trials->context, trials->workspace);
        trials->workspace = NULL;
        trials->workspace_bytes = 0;
        status = mw_alloc(trials->context, bytes, &trials->workspace);
        trials->workspace_bytes = status == MW_OK ? bytes : 0;
    }
    return status == MW_OK ? TRIALS_FINE : trouble(trials, status);
}

/* One trial: the input anew, then the sort, in milliseconds. */
static mw_status sort_once(struct trials *trials, double *time)
{
    const uint64_t bytes = trials->count * mw_type_size(trials->type);
    mw_status status = mw_upload(trials->context, trials->keys, trials->input, bytes);
    const double start = kit_seconds();

    if (status == MW_OK)
        status = kit_sort_device(trials->context, trials->type, MW_ASCENDING, trials->keys,
                                 trials->count, trials->workspace, trials->workspace_bytes,
                                 NULL);
    if (status == MW_OK)
        status = mw_wait(trials->context);
    *time = 1000 * (kit_seconds() - start);
    return status;
}

static enum trials_result verify(const struct trials *trials)
{
    const uint64_t count = trials->count;
    struct kit_fingerprint print = {0, 0};
    const mw_status status = mw_download(trials->context, trials->output, trials->keys,
                                         count * mw_type_size(trials->type));

    if (status != MW_OK)
        return trouble(trials, status);
    kit_fingerprint_add(&print, trials->type, trials->output, count);
    return kit_fingerprint_equal(print, trials->print) &&
                   kit_first_disorder(trials->type, MW_ASCENDING, trials->output, count) ==
                       count
               ? TRIALS_FINE
               : TRIALS_WRONG;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct times times_of(double *trial, int trials)
{
    struct times times = {.counts = MW_COUNTS_INIT};

    qsort(trial, (size_t)trials, sizeof *trial, by_value);
    for (int i = 0; i < trials; i++)
        times.mean += trial[i] / trials;
    times.median = (trial[(trials - 1) / 2] + trial[trials / 2]) / 2;
    times.least = trial[0];
    times.most = trial[trials - 1];
    return times;
}

enum trials_result trials_run(struct trials *trials, const mw_tuning *tuning,
                              struct times *times)
{
    double trial[TRIALS_MOST];
    enum trials_result result = prepare(trials, tuning);

    for (int i = -trials->warm_ups; i < trials->trials && result == TRIALS_FINE; i++) {
        double time;
        const mw_status status = sort_once(trials, &time);

        if (status != MW_OK)
            return trouble(trials, status);
        if (i >= 0)
            trial[i] = time;
    }
    if (result == TRIALS_FINE)
        result = verify(trials);
    if (result != TRIALS_FINE)
        return result;
    *times = times_of(trial, trials->trials);

    const mw_status status = mw_get_counts(trials->context, &times->counts);

    return status == MW_OK ? TRIALS_FINE : trouble(trials, status);
}
