/*
 * work.c - operations other than sort: merges, splits, selections and segmented sorts.
 *
 * Each contestant reads the same arrays and writes to others, which are overwritten before
 * each trial. The host judges results.
 */
#include "bench.h"

#include <stdlib.h>

int work_is_on(const struct stage *stage)
{
    return stage->what.task && stage->what.task->operation != KIT_SORT;
}

void work_free(struct stage *stage)
{
    struct kit_arrays *const arrays = &stage->arrays;

    mw_free(stage->context, arrays->values);
    mw_free(stage->context, arrays->out);
    mw_free(stage->context, arrays->out_values);
    mw_free(stage->context, (void *)arrays->segments);
    mw_free(stage->context, (void *)arrays->ranks);
    *arrays = (struct kit_arrays){NULL, NULL, NULL, NULL, NULL, NULL};
    free(stage->out_values);
    free(stage->out);
    stage->out = stage->out_values = NULL;
    kit_work_close(&stage->work);
}

static int no_memory(const struct stage *stage, mw_status status)
{
    return complain("bench", "arrays of a job: %s", device_error(stage->context, status));
}

/* Sort each list on the CPU: an input that is not sorted would give a wrong result. */
static int sort_lists(struct stage *stage)
{
    const struct cache_choice none = {NULL, 1};
    const mw_job job = kit_work_lists(&stage->work, stage->input);
    mw_status status = MW_OK;

    if (!stage->host)
        status = device_open(&stage->host, "cpu", none, NULL);
    if (status == MW_OK)
        status = mw_run(stage->host, &job);
    return status == MW_OK
               ? 0
               : complain("bench", "lists: %s", device_error(stage->host, status));
}

/* Device memory with a copy of `from`, or with anything if that is NULL. */
static mw_status place(struct stage *stage, void **memory, const void *from, uint64_t bytes)
{
    const mw_status status = mw_alloc(stage->context, bytes, memory);

    return status == MW_OK && from ? mw_upload(stage->context, *memory, from, bytes)
                                   : status;
}

static mw_status place_values(struct stage *stage)
{
    const struct kit_work *const work = &stage->work;
    const uint64_t bytes = work->count * work->task.value_bytes;
    void *const numbers = malloc(bytes + 1);
    mw_status status = MW_NO_MEMORY;

    if (numbers) {
        kit_work_numbers(work, numbers);
        status = place(stage, &stage->arrays.values, numbers, bytes);
    }
    free(numbers);
    return status;
}

static mw_status place_segments(struct stage *stage)
{
    const uint64_t bytes = (stage->work.parts + 1) * sizeof(uint32_t);
    uint32_t *const segments = malloc(bytes);
    void *there = NULL;
    mw_status status = MW_NO_MEMORY;

    if (segments) {
        kit_work_segments(&stage->work, segments);
        status = place(stage, &there, segments, bytes);
    }
    stage->arrays.segments = there;
    free(segments);
    return status;
}

static mw_status place_all(struct stage *stage)
{
    const struct kit_work *const work = &stage->work;
    struct kit_arrays *const arrays = &stage->arrays;
    void *ranks = NULL;
    mw_status status;

    arrays->keys = stage->plugin ? stage->pristine : stage->keys;
    status = mw_upload(stage->context, arrays->keys, stage->input, stage->bytes);
    if (status == MW_OK)
        status = place(stage, &arrays->out, NULL, work->out_bytes);
    if (status == MW_OK && work->out_value_bytes)
        status = place(stage, &arrays->out_values, NULL, work->out_value_bytes);
    if (status == MW_OK && work->out_value_bytes && !work->task.positions)
        status = place_values(stage);
    if (status == MW_OK && work->task.operation >= KIT_SELECT)
        status = place_segments(stage);
    if (status == MW_OK && work->rank_count) {
        status = place(stage, &ranks, work->ranks, work->rank_count * sizeof *work->ranks);
        arrays->ranks = ranks;
    }
    return status;
}

int work_load(struct stage *stage)
{
    const struct one_case *const what = &stage->what;
    char text[CASE_TEXT];
    const char *wrong;
    mw_status status;

    work_free(stage);
    wrong = kit_work_open(&stage->work, what->task, what->type, what->count);
    if (wrong)
        return complain("bench", "%s: %s", case_text(what, text), wrong);
    if (what->task->operation != KIT_SELECT && what->task->operation != KIT_SEGMENTS &&
        sort_lists(stage))
        return -1;
    stage->out = malloc(stage->work.out_bytes + 1);
    stage->out_values = malloc(stage->work.out_value_bytes + 1);
    if (!stage->out || !stage->out_values)
        return complain("bench", "no memory for a result");
    status = place_all(stage);
    return status == MW_OK ? 0 : no_memory(stage, status);
}

/* With keys of the input, as far as these suffice. */
static int overwrite(struct stage *stage, void *memory, uint64_t bytes)
{
    const uint64_t most = bytes < stage->bytes ? bytes : stage->bytes;

    if (!memory)
        return 0;
    if (stage->plugin)
        return stage->plugin->copy(memory, stage->arrays.keys, most, stage->stream);
    return mw_upload(stage->context, memory, stage->input, most) != MW_OK;
}

int work_refill(struct stage *stage)
{
    const struct kit_work *const work = &stage->work;

    return overwrite(stage, stage->arrays.out, work->out_bytes) ||
           overwrite(stage, stage->arrays.out_values, work->out_value_bytes);
}

int work_job(struct stage *stage, const struct contestant *who, mw_job *job)
{
    *job = kit_work_job(&stage->work, &stage->arrays);
    if (!who->plain)
        return 0;
    job->segment_begins = job->segment_ends = NULL;
    job->segment_count = 0;
    return stage->work.parts != 1;
}

static void judge_share(const void *what, uint64_t first, uint64_t last,
                        struct kit_faults *faults)
{
    kit_judge_rows(what, first, last, faults);
}

/* Of equal keys, cub::DeviceMerge and cub::DeviceTopK may take any. */
const char *work_judge(struct stage *stage, const struct contestant *who)
{
    const struct kit_work *const work = &stage->work;
    struct kit_judge judge = {.work = work, .keys = stage->input, .out = stage->out};
    struct kit_faults faults = {.descents = 0};

    judge.out_values = work->out_value_bytes ? stage->out_values : NULL;
    judge.is_loose = who->rival && work->task.operation != KIT_SEGMENTS;
    if (mw_download(stage->context, stage->out, stage->arrays.out, work->out_bytes) !=
            MW_OK ||
        (judge.out_values &&
         mw_download(stage->context, stage->out_values, stage->arrays.out_values,
                     work->out_value_bytes) != MW_OK))
        return mw_error(stage->context);
    if (kit_judge_begin(&judge, &faults))
        return "no memory to judge it";
    in_shares(judge_share, &judge, work->count, &faults);
    return kit_judge_end(&judge, &faults);
}
