/*
 * placed.c - the arrays of a task in a device's memory.
 */
#include "placed.h"

#include "cli.h"
#include "device.h"

#include <stdlib.h>

int task_read(const char *command, const char *operation, const char *job,
              struct kit_task *task)
{
    const enum kit_operation which = kit_operation_of(operation);
    const char *wrong;

    if (which == KIT_OPERATIONS)
        return complain(command,
                        "--operation %s: expected sort, merge, split, select or segments",
                        operation);
    if (!job && which != KIT_SORT)
        return complain(command, "--operation %s needs --job, such as one of %s", operation,
                        kit_task_usual(which));
    wrong = kit_task_parse(which, job ? job : "", task);
    return wrong ? complain(command, "--job %s: %s", job, wrong) : 0;
}

/* Sort each list on the CPU: one that is not sorted would give a wrong result. */
static int sort_lists(struct placed *placed, void *input)
{
    const struct cache_choice none = {NULL, 1};
    const mw_job job = kit_work_lists(&placed->work, input);
    mw_status status = MW_OK;

    if (!placed->host)
        status = device_open(&placed->host, "cpu", none, NULL);
    if (status == MW_OK)
        status = mw_run(placed->host, &job);
    return status == MW_OK
               ? 0
               : complain(placed->command, "lists: %s", device_error(placed->host, status));
}

/* Device memory with a copy of `from`, or with anything if that is NULL. */
static mw_status place(struct placed *placed, void **memory, const void *from,
                       uint64_t bytes)
{
    const mw_status status = mw_alloc(placed->context, bytes, memory);

    return status == MW_OK && from ? mw_upload(placed->context, *memory, from, bytes)
                                   : status;
}

static mw_status place_values(struct placed *placed)
{
    const struct kit_work *const work = &placed->work;
    const uint64_t bytes = work->count * work->task.value_bytes;
    void *const numbers = malloc(bytes + 1);
    mw_status status = MW_NO_MEMORY;

    if (numbers) {
        kit_work_numbers(work, numbers);
        status = place(placed, &placed->there.values, numbers, bytes);
    }
    free(numbers);
    return status;
}

static mw_status place_segments(struct placed *placed)
{
    const uint64_t bytes = (placed->work.parts + 1) * sizeof(uint32_t);
    uint32_t *const segments = malloc(bytes);
    void *there = NULL;
    mw_status status = MW_NO_MEMORY;

    if (segments) {
        kit_work_segments(&placed->work, segments);
        status = place(placed, &there, segments, bytes);
    }
    placed->there.segments = there;
    free(segments);
    return status;
}

static mw_status place_all(struct placed *placed, const void *input)
{
    const struct kit_work *const work = &placed->work;
    struct kit_arrays *const there = &placed->there;
    void *ranks = NULL;
    mw_status status;

    there->keys = placed->keys;
    status = mw_upload(placed->context, there->keys, input,
                       work->count * mw_type_size(work->type));
    if (status == MW_OK)
        status = place(placed, &there->out, NULL, work->out_bytes);
    if (status == MW_OK && work->out_value_bytes)
        status = place(placed, &there->out_values, NULL, work->out_value_bytes);
    if (status == MW_OK && work->out_value_bytes && !work->task.positions)
        status = place_values(placed);
    if (status == MW_OK && work->task.operation >= KIT_SELECT)
        status = place_segments(placed);
    if (status == MW_OK && work->rank_count) {
        status = place(placed, &ranks, work->ranks, work->rank_count * sizeof *work->ranks);
        there->ranks = ranks;
    }
    return status;
}

int placed_open(struct placed *placed, const struct kit_task *task, mw_type type,
                uint64_t count, void *input)
{
    struct kit_work *const work = &placed->work;
    const char *const wrong = kit_work_open(work, task, type, count);
    mw_status status;

    if (wrong)
        return complain(placed->command, "%s %s of %llu keys: %s",
                        kit_operation_name(task->operation), task->text,
                        (unsigned long long)count, wrong);
    if (task->operation != KIT_SELECT && task->operation != KIT_SEGMENTS &&
        sort_lists(placed, input))
        return -1;
    placed->out = malloc(work->out_bytes + 1);
    placed->out_values = malloc(work->out_value_bytes + 1);
    if (!placed->out || !placed->out_values)
        return complain(placed->command, "no memory for a result");
    status = place_all(placed, input);
    if (status == MW_OK)
        return 0;
    return complain(placed->command, "arrays of a job: %s",
                    device_error(placed->context, status));
}

mw_status placed_fetch(struct placed *placed)
{
    const struct kit_work *const work = &placed->work;
    mw_status status =
        mw_download(placed->context, placed->out, placed->there.out, work->out_bytes);

    if (status == MW_OK && work->out_value_bytes)
        status = mw_download(placed->context, placed->out_values, placed->there.out_values,
                             work->out_value_bytes);
    return status;
}

void placed_close(struct placed *placed)
{
    struct kit_arrays *const there = &placed->there;

    mw_free(placed->context, there->values);
    mw_free(placed->context, there->out);
    mw_free(placed->context, there->out_values);
    mw_free(placed->context, (void *)there->segments);
    mw_free(placed->context, (void *)there->ranks);
    *there = (struct kit_arrays){NULL, NULL, NULL, NULL, NULL, NULL};
    free(placed->out_values);
    free(placed->out);
    placed->out = placed->out_values = NULL;
    kit_work_close(&placed->work);
}
