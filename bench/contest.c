/*
 * contest.c - one contestant on one input: prepared, timed, checked.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

static int note(struct result *result, enum outcome outcome, const char *why)
{
    snprintf(result->why, sizeof result->why, "%s", why);
    result->outcome = outcome;
    return -1;
}

/* Allocate the workspace that `who` needs for the present case. */
static int prepare(struct stage *stage, const struct contestant *who,
                   const struct rival_case *judged, struct result *result)
{
    const struct one_case *const what = &stage->what;
    uint64_t bytes = 0;
    mw_status status = MW_OK;
    mw_job job;

    if (who->rival) {
        if (!who->rival->takes(judged))
            return note(result, NOT_RUN, "does not take this case");
        if (who->rival->workspace(judged, &bytes))
            return note(result, FAILED, stage_error(stage));
    } else {
        mw_tuning tuning = MW_TUNING_INIT;

        tuning.engine = who->engine;
        tuning.ways = who->ways;
        tuning.warps = who->warps;
        status = mw_set_tuning(stage->context, &tuning);
        if (work_is_on(stage) && work_job(stage, who, &job))
            return note(result, NOT_RUN, "serves one segment only");
        if (status == MW_OK && work_is_on(stage))
            status = mw_prepare(stage->context, &job, &bytes);
        else if (status == MW_OK)
            status = kit_sort_workspace(stage->context, what->type, what->count, &bytes);
        if (status == MW_UNSUPPORTED)
            return note(result, NOT_RUN, mw_error(stage->context));
    }
    result->workspace_bytes = bytes;
    if (status == MW_OK && bytes > stage->workspace_bytes) {
        mw_free(stage->context, stage->workspace);
        stage->workspace = NULL;
        stage->workspace_bytes = 0;
        status = mw_alloc(stage->context, bytes, &stage->workspace);
        stage->workspace_bytes = status == MW_OK ? bytes : 0;
    }
    return status == MW_OK ? 0 : note(result, FAILED, mw_error(stage->context));
}

static int run_work(struct stage *stage, const struct contestant *who,
                    const struct rival_case *judged)
{
    mw_job job;

    if (who->rival)
        return who->rival->run(judged, &stage->placed.there, stage->workspace,
                               stage->workspace_bytes, stage->stream);
    return work_job(stage, who, &job) ||
           mw_enqueue(stage->context, &job, stage->workspace, stage->workspace_bytes,
                      stage->stream) != MW_OK;
}

static int sort(struct stage *stage, const struct contestant *who,
                const struct rival_case *judged, void **sorted)
{
    *sorted = stage->keys;
    if (work_is_on(stage))
        return run_work(stage, who, judged);
    if (who->rival)
        return who->rival->sort(judged, stage->keys, stage->workspace,
                                stage->workspace_bytes, stage->stream, sorted);
    return kit_sort_device(stage->context, stage->what.type, MW_ASCENDING, stage->keys,
                           stage->what.count, stage->workspace, stage->workspace_bytes,
                           stage->stream) != MW_OK;
}

/* Is the result in order, with the fingerprint of the input? */
static int judge(struct stage *stage, const struct contestant *who,
                 const struct rival_case *judged, const void *sorted, struct result *result)
{
    struct rival_verdict verdict = {0, 0};
    const char *wrong;

    if (work_is_on(stage)) {
        wrong = work_judge(stage, who);
        return wrong ? note(result, WRONG, wrong) : 0;
    }
    if (stage_check(stage, judged, sorted, &verdict))
        return note(result, FAILED, stage_error(stage));
    if (verdict.descents)
        return note(result, WRONG, "out of order");
    if (verdict.fingerprint != stage->original.fingerprint)
        return note(result, WRONG, "not the same keys as the input");
    return 0;
}

/* `trials` timed sorts after the warm-ups; the last result is checked. */
static int measure(struct stage *stage, const struct contestant *who,
                   const struct rival_case *judged, double *times, struct result *result)
{
    void *sorted = NULL;

    for (int i = -WARM_UPS; i < (int)stage->trials; i++) {
        double began = 0;
        double ms = 0;

        if (stage_refill(stage) || stage_start(stage, &began))
            return note(result, FAILED, stage_error(stage));
        if (sort(stage, who, judged, &sorted))
            return note(result, FAILED,
                        who->rival ? stage_error(stage) : mw_error(stage->context));
        if (stage_stop(stage, began, &ms))
            return note(result, FAILED, stage_error(stage));
        if (i >= 0)
            times[i] = ms;
    }
    return judge(stage, who, judged, sorted, result);
}

/* The launches of one timed sort after another: launch i of trial t at [i * trials + t]. */
static int time_launches(struct stage *stage, const struct contestant *who,
                         const struct rival_case *judged, double **times,
                         struct result *result)
{
    for (uint32_t t = 0; t < stage->trials; t++) {
        const mw_launch *launches = NULL;
        void *sorted;
        size_t count = 0;

        if (stage_refill(stage))
            return note(result, FAILED, stage_error(stage));
        if (sort(stage, who, judged, &sorted) ||
            mw_get_launches(stage->context, &launches, &count) != MW_OK)
            return note(result, FAILED, mw_error(stage->context));
        if (count == 0)
            return 0;
        if (!*times) {
            *times = malloc(count * stage->trials * sizeof **times);
            result->launches = malloc(count * sizeof *launches);
            if (!*times || !result->launches)
                return note(result, FAILED, "no memory for the times of launches");
            memcpy(result->launches, launches, count * sizeof *launches);
            result->launch_count = count;
        }
        for (size_t i = 0; i < count; i++)
            (*times)[i * stage->trials + t] = launches[i].milliseconds;
    }
    return 0;
}

/* The median time of each launch, of our engines only. */
static int measure_phases(struct stage *stage, const struct contestant *who,
                          const struct rival_case *judged, struct result *result)
{
    double *times = NULL;
    int failed;

    mw_set_timing(stage->context, MW_TIMING_PHASES);
    failed = time_launches(stage, who, judged, &times, result);
    mw_set_timing(stage->context, MW_TIMING_OFF);
    for (size_t i = 0; !failed && i < result->launch_count; i++)
        result->launches[i].milliseconds =
            times_of(times + i * stage->trials, (int)stage->trials).median;
    free(times);
    return failed;
}

void stage_run(struct stage *stage, const struct contestant *who, int phases,
               struct result *result)
{
    struct rival_case judged = stage_rival_case(&stage->what);
    double *const times = calloc(stage->trials, sizeof *times);

    *result = (struct result){.outcome = NOT_RUN};
    if (!who->rival)
        judged.order = ORDER_TOTAL;
    if (work_is_on(stage))
        judged.work = &stage->placed.work;
    if (!times) {
        note(result, FAILED, "no memory for the times of trials");
    } else if (prepare(stage, who, &judged, result) == 0) {
        if (measure(stage, who, &judged, times, result) == 0)
            result->outcome = RIGHT;
        if (result->outcome != FAILED)
            result->ms = times_of(times, (int)stage->trials);
        if (result->outcome == RIGHT && phases && !who->rival)
            measure_phases(stage, who, &judged, result);
    }
    free(times);
}
