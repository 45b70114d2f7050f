/*
 * merge.c - `multiway merge`: sorted files in, one sorted file out; or positions.
 */
#include "cli.h"
#include "files.h"
#include "lists.h"

#include <stdlib.h>

struct merge {
    struct work work;
    struct file_work files;
    struct list_files lists;
    struct result result;
    mw_table out;
    void *positions;
};

static int prepare(struct work *work, mw_context *context, void *command)
{
    struct merge *const merge = command;
    const size_t bytes = mw_type_size(work->position_type);

    if (list_files_prepare(&merge->lists, work, context))
        return -1;
    merge->positions = memory_for("merge", merge->lists.rows, bytes);
    merge->out.count = merge->lists.rows;
    work->job.operation = MW_MERGE;
    work->job.out = &merge->out;
    work->job.positions = merge->positions;
    work->job.position_type = work->position_type;
    merge->result.data = merge->positions;
    merge->result.bytes = merge->lists.rows * bytes;
    return !merge->positions;
}

/* Positions need all files in memory. */
static int merge_positions(struct merge *merge)
{
    struct work *const work = &merge->work;
    const struct file_work *const files = &merge->files;
    int bad;

    if (files->is_unique || files->memory || files->folders.count || files->format)
        return complain("merge", "--positions goes with none of -u, -S, -T and --format");
    merge->lists.files = merge->files.files;
    merge->result.path = merge->files.output;
    work->results = &merge->result;
    work->result_count = 1;
    bad = work_begin(work) || list_files_begin(&merge->lists, work) ||
          work_run(work, prepare, merge) || work_write(work);
    work_end(work);
    free(merge->positions);
    merge->lists.files = NULL;
    list_files_close(&merge->lists);
    return bad;
}

static int merge(struct merge *merge)
{
    int bad;

    merge->files.is_merge = 1;
    bad = file_work_begin(&merge->files);
    if (!bad)
        bad = merge->work.positions
                  ? merge_positions(merge)
                  : work_begin(&merge->work) || file_work_run(&merge->files);
    return bad ? EXIT_TROUBLE : EXIT_FINE;
}

int command_merge(int argc, char **argv)
{
    struct merge c = {.work = WORK_INIT("merge")};
    const struct option options[] = {
        WORK_ORDER_OPTIONS(c.work, "files are in the exact reverse order"),
        WORK_POSITIONS_OPTION(c.work),
        OUTPUT_OPTION(c.files.output),
        FILE_OPTIONS(c.files),
        WORK_DEVICE_OPTIONS(c.work),
        CACHE_OPTIONS(c.work.cache),
        {0},
    };
    const struct command command = {
        .name = "merge",
        .usage = "--type TYPE [--desc] [-o FILE] FILE ...\n"
                 "       multiway merge --record BYTES --key FIELD ... [-o FILE] FILE ...",
        .about =
            "Merge sorted files into one, which is the stable sort of all of them: equal\n"
            "keys in the order of their files. A file that is not sorted is an error. "
            "Files\n"
            "may be larger than memory. The output appears under its name when it is\n"
            "complete and synced, and may be an input.",
        .options = options,
        .takes_files = argc,
        .more =
            KEY_HELP "\n"
                     "Positions count as if the files were concatenated.\n"
                     "\n"
                     "  multiway merge --type u64 -o merged.bin sorted.bin sorted.bin\n",
    };
    int status = file_work_open(&c.files, &c.work, argc) ? EXIT_TROUBLE : OPTIONS_RUN;

    if (status == OPTIONS_RUN)
        status = options_parse(&command, argc, argv, c.files.files);
    if (status == OPTIONS_RUN)
        status = merge(&c);
    file_work_close(&c.files);
    return status;
}
