/*
 * lists.c - sorted files as lists of a job.
 */
#include "lists.h"

#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>

int list_files_open(struct list_files *lists, const char *command, int argc)
{
    *lists =
        (struct list_files){.files = memory_for(command, (size_t)argc + 1, sizeof(char *))};
    if (lists->files)
        memset(lists->files, 0, ((size_t)argc + 1) * sizeof(char *));
    return !lists->files;
}

void list_files_close(struct list_files *lists)
{
    free(lists->tables);
    free(lists->sources);
    free(lists->files);
}

int list_files_begin(struct list_files *lists, struct work *work)
{
    uint32_t count = 0;

    while (lists->files[count])
        count++;
    count += count == 0; /* standard input */
    lists->sources = memory_for(work->command, count, sizeof *lists->sources);
    lists->tables = memory_for(work->command, count, sizeof *lists->tables);
    if (!lists->sources || !lists->tables)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        lists->sources[i] = (struct source){.path = lists->files[i],
                                            .bytes = work->order.order->element_bytes,
                                            .what = work->order.what};
    work->sources = lists->sources;
    work->source_count = count;
    work->parts = "files";
    work->part_count = count;
    return 0;
}

/* A list that is not sorted would be merged to something that is not, either. */
static int check_sorted(const struct work *work, const struct source *source,
                        const mw_table *table, mw_context *context)
{
    mw_job job = MW_JOB_INIT;
    uint64_t at = 0;
    mw_status status;

    job.operation = MW_CHECK;
    job.order = work->order.order;
    job.in = table;
    job.cuts = &at;
    status = mw_run(context, &job);
    if (status != MW_OK)
        return complain(work->command, "%s", device_error(context, status));
    if (at < table->count)
        return complain(work->command,
                        "%s is not in order at position %" PRIu64 " (sort it first)",
                        source->input.name, at);
    return 0;
}

int list_files_prepare(struct list_files *lists, struct work *work, mw_context *context)
{
    for (uint32_t i = 0; i < work->source_count; i++) {
        const struct source *const s = &lists->sources[i];

        lists->tables[i] = (mw_table){.elements = s->data, .count = s->count};
        lists->rows += s->count;
        if (check_sorted(work, s, &lists->tables[i], context))
            return -1;
    }
    work->job.in = lists->tables;
    work->job.in_count = work->source_count;
    return 0;
}
