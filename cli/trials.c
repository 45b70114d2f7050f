/*
 * trials.c - sort one made input by one tuning after the other; verify and time it.
 */
#include "trials.h"

#include "cli.h"
#include "device.h"
#include "placed.h"
#include "tally.h"

#include <stdlib.h>

static int exit_with(const struct trials *trials, mw_status status)
{
    return status == MW_OK
               ? EXIT_FINE
               : complain(trials->command, "%s", device_error(trials->context, status));
}

int trials_simulate(struct trials *trials)
{
    const struct cache_choice none = {NULL, 1};
    mw_status status = device_open(&trials->context, "sim", none, NULL);

    if (status == MW_OK)
        status = mw_set_timing(trials->context, MW_TIMING_LAUNCHES);
    return exit_with(trials, status);
}

int trials_open(struct trials *trials)
{
    const size_t size = mw_type_size(trials->type);
    struct kit_input input;
    mw_status status;

    trials->input = memory_for(trials->command, trials->count, size);
    trials->output =
        trials->input ? memory_for(trials->command, trials->count, size) : NULL;
    if (!trials->output)
        return EXIT_TROUBLE;
    status =
        kit_input_open(&input, trials->type, trials->count, trials->shape, trials->seed);
    if (status == MW_OK)
        kit_input_fill(&input, 0, trials->count, trials->input);
    kit_input_close(&input);
    if (status != MW_OK)
        return complain(trials->command, "no memory for the tables of this shape");
    kit_fingerprint_add(&trials->print, trials->type, trials->input, trials->count);
    return exit_with(trials,
                     mw_alloc(trials->context, trials->count * size, &trials->keys));
}

void trials_close(struct trials *trials)
{
    if (trials->keys) {
        mw_free(trials->context, trials->workspace);
        mw_free(trials->context, trials->keys);
    }
    free(trials->output);
    free(trials->input);
}

/* A workspace of at least that many bytes. */
static mw_status make_room(struct trials *trials, uint64_t bytes)
{
    mw_status status;

    if (bytes <= trials->workspace_bytes)
        return MW_OK;
    mw_free(trials->context, trials->workspace);
    trials->workspace = NULL;
    trials->workspace_bytes = 0;
    status = mw_alloc(trials->context, bytes, &trials->workspace);
    trials->workspace_bytes = status == MW_OK ? bytes : 0;
    return status;
}

/* Set the tuning, load its kernels and make room for it. */
static int prepare(struct trials *trials, const mw_tuning *tuning)
{
    uint64_t bytes = 0;
    mw_status status = mw_set_tuning(trials->context, tuning);

    if (status == MW_OK)
        status = kit_sort_workspace(trials->context, trials->type, trials->count, &bytes);
    if (status == MW_UNSUPPORTED || status == MW_COMPILE_FAILED)
        return TRIALS_CANNOT;
    if (status == MW_OK)
        status = make_room(trials, bytes);
    return exit_with(trials, status);
}

/* One trial: the input again, then the sort, in milliseconds. */
static mw_status sort_once(struct trials *trials, double *time)
{
    const uint64_t bytes = trials->count * mw_type_size(trials->type);
    mw_status status = mw_upload(trials->context, trials->keys, trials->input, bytes);
    const double start = kit_seconds();

    if (status == MW_OK)
        status = kit_sort_device(trials->context, trials->type, trials->direction,
                                 trials->keys, trials->count, trials->workspace,
                                 trials->workspace_bytes, NULL);
    if (status == MW_OK)
        status = mw_wait(trials->context);
    *time = 1000 * (kit_seconds() - start);
    return status;
}

static int verify(const struct trials *trials)
{
    struct kit_fingerprint print = {0, 0};
    const mw_status status = mw_download(trials->context, trials->output, trials->keys,
                                         trials->count * mw_type_size(trials->type));

    if (status != MW_OK)
        return exit_with(trials, status);
    kit_fingerprint_add(&print, trials->type, trials->output, trials->count);
    if (!kit_fingerprint_equal(print, trials->print) ||
        kit_first_disorder(trials->type, trials->direction, trials->output,
                           trials->count) != trials->count)
        return EXIT_NO;
    return EXIT_FINE;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;

    return (x > y) - (x < y);
}

struct times times_of(double *trial, int trials)
{
    struct times times = {0};

    qsort(trial, (size_t)trials, sizeof *trial, by_value);
    for (int i = 0; i < trials; i++)
        times.mean += trial[i] / trials;
    times.median = (trial[(trials - 1) / 2] + trial[trials / 2]) / 2;
    times.least = trial[0];
    times.most = trial[trials - 1];
    return times;
}

int trials_run(struct trials *trials, const mw_tuning *tuning, struct times *times)
{
    double trial[TRIALS_MOST];
    int result = prepare(trials, tuning);

    for (int i = -trials->warm_ups; i < trials->trials && result == EXIT_FINE; i++)
        result = exit_with(trials, sort_once(trials, &trial[i < 0 ? 0 : i]));
    if (result == EXIT_FINE)
        result = verify(trials);
    if (result == EXIT_FINE && times)
        *times = times_of(trial, trials->trials);
    return result;
}

int trials_count(struct trials *trials, const mw_tuning *tuning, struct tally *tally)
{
    const int result = trials_run(trials, tuning, NULL);

    if (result == EXIT_TROUBLE)
        return result;
    if (result == TRIALS_CANNOT ||
        tally_make(tally, trials->context, trials->type) != MW_OK)
        return complain(trials->command, "%s", mw_error(trials->context));
    tally->correct = result == EXIT_FINE;
    return tally->correct && tally_holds(tally) ? EXIT_FINE : EXIT_NO;
}

/* Run the job of a task, and copy its result to the host. */
static mw_status run_task(struct trials *trials, struct placed *placed)
{
    const mw_job job = kit_work_job(&placed->work, &placed->there);
    uint64_t bytes = 0;
    mw_status status = mw_prepare(trials->context, &job, &bytes);

    if (status == MW_OK)
        status = make_room(trials, bytes);
    if (status == MW_OK)
        status = mw_enqueue(trials->context, &job, trials->workspace,
                            trials->workspace_bytes, NULL);
    if (status == MW_OK)
        status = mw_wait(trials->context);
    return status == MW_OK ? placed_fetch(placed) : status;
}

static const char *judge_task(const struct trials *trials, const struct placed *placed)
{
    struct kit_judge judge = {
        .work = &placed->work, .keys = trials->input, .out = placed->out};
    struct kit_faults faults = {.descents = 0};

    judge.out_values = placed->work.out_value_bytes ? placed->out_values : NULL;
    if (kit_judge_begin(&judge, &faults))
        return "no memory";
    kit_judge_rows(&judge, 0, placed->work.count, &faults);
    return kit_judge_end(&judge, &faults);
}

int trials_count_task(struct trials *trials, const struct kit_task *task,
                      const mw_tuning *tuning, struct tally *tally)
{
    struct placed placed = {
        .command = trials->command, .context = trials->context, .keys = trials->keys};
    int result = exit_with(trials, mw_set_tuning(trials->context, tuning));

    if (result == EXIT_FINE &&
        placed_open(&placed, task, trials->type, trials->count, trials->input))
        result = EXIT_TROUBLE;
    if (result == EXIT_FINE)
        result = exit_with(trials, run_task(trials, &placed));
    if (result == EXIT_FINE)
        result = exit_with(trials, tally_add(tally, trials->context));
    if (result == EXIT_FINE) {
        tally->correct = judge_task(trials, &placed) == NULL;
        result = tally->correct ? EXIT_FINE : EXIT_NO;
    }
    placed_close(&placed);
    mw_close(placed.host);
    return result;
}
