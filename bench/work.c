/*
 * work.c - operations other than sort: merges, splits, selections and segmented sorts.
 *
 * Each contestant reads the same arrays and writes to others, which are overwritten before
 * each trial. The host judges results.
 */
#include "bench.h"

int work_is_on(const struct stage *stage)
{
    return stage->what.task && stage->what.task->operation != KIT_SORT;
}

int work_load(struct stage *stage)
{
    const struct one_case *const what = &stage->what;
    struct placed *const placed = &stage->placed;

    placed_close(placed);
    placed->command = "bench";
    placed->context = stage->context;
    placed->keys = stage->plugin ? stage->pristine : stage->keys;
    return placed_open(placed, what->task, what->type, what->count, stage->input);
}

/* With keys of the input, as far as these suffice. */
static int overwrite(struct stage *stage, void *memory, uint64_t bytes)
{
    const uint64_t most = bytes < stage->bytes ? bytes : stage->bytes;

    if (!memory)
        return 0;
    if (stage->plugin)
        return stage->plugin->copy(memory, stage->placed.keys, most, stage->stream);
    return mw_upload(stage->context, memory, stage->input, most) != MW_OK;
}

int work_refill(struct stage *stage)
{
    const struct kit_arrays *const there = &stage->placed.there;
    const struct kit_work *const work = &stage->placed.work;

    return overwrite(stage, there->out, work->out_bytes) ||
           overwrite(stage, there->out_values, work->out_value_bytes);
}

int work_job(struct stage *stage, const struct contestant *who, mw_job *job)
{
    *job = kit_work_job(&stage->placed.work, &stage->placed.there);
    if (!who->plain)
        return 0;
    job->segment_begins = job->segment_ends = NULL;
    job->segment_count = 0;
    return stage->placed.work.parts != 1;
}

static void judge_share(const void *what, uint64_t first, uint64_t last,
                        struct kit_faults *faults)
{
    kit_judge_rows(what, first, last, faults);
}

/* Of equal keys, cub::DeviceMerge and cub::DeviceTopK may take any. */
const char *work_judge(struct stage *stage, const struct contestant *who)
{
    struct placed *const placed = &stage->placed;
    const struct kit_work *const work = &placed->work;
    struct kit_judge judge = {.work = work, .keys = stage->input, .out = placed->out};
    struct kit_faults faults = {.descents = 0};

    judge.out_values = work->out_value_bytes ? placed->out_values : NULL;
    judge.is_loose = who->rival && work->task.operation != KIT_SEGMENTS;
    if (placed_fetch(placed) != MW_OK)
        return mw_error(stage->context);
    if (kit_judge_begin(&judge, &faults))
        return "no memory to judge it";
    in_shares(judge_share, &judge, work->count, &faults);
    return kit_judge_end(&judge, &faults);
}
