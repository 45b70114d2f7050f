/*
 * merge.c - `multiway merge`: sorted files in, one sorted file out.
 */
#include "cli.h"
#include "lists.h"

#include <stdlib.h>

struct merge {
    struct work work;
    struct list_files lists;
    struct result result;
    mw_table out;
    void *merged; /* rows, or positions */
};

static int prepare(struct work *work, mw_context *context, void *command)
{
    struct merge *const merge = command;
    const size_t bytes = work->positions ? mw_type_size(work->position_type)
                                         : work->order.order->element_bytes;

    if (list_files_prepare(&merge->lists, work, context))
        return -1;
    merge->merged = memory_for("merge", merge->lists.rows, bytes);
    merge->out.count = merge->lists.rows;
    work->job.operation = MW_MERGE;
    work->job.out = &merge->out;
    if (work->positions) {
        work->job.positions = merge->merged;
        work->job.position_type = work->position_type;
    } else {
        merge->out.elements = merge->merged;
    }
    merge->result.data = merge->merged;
    merge->result.bytes = merge->lists.rows * bytes;
    return !merge->merged;
}

static int merge(struct merge *merge)
{
    struct work *const work = &merge->work;
    int bad;

    work->results = &merge->result;
    work->result_count = 1;
    bad = work_begin(work) || list_files_begin(&merge->lists, work) ||
          work_run(work, prepare, merge) || work_write(work);
    work_end(work);
    free(merge->merged);
    return bad ? EXIT_TROUBLE : EXIT_FINE;
}

int command_merge(int argc, char **argv)
{
    struct merge c = {.work = WORK_INIT("merge")};
    const struct option options[] = {
        WORK_ORDER_OPTIONS(c.work, "files are in the exact reverse order"),
        WORK_POSITIONS_OPTION(c.work),
        OUTPUT_OPTION(c.result.path),
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
            "keys in the order of their files. A file that is not sorted is an error. The\n"
            "output appears under its name when it is complete, and may be an input.",
        .options = options,
        .takes_files = argc,
        .more =
            KEY_HELP "\n"
                     "Positions count as if the files were concatenated.\n"
                     "\n"
                     "  multiway merge --type u64 -o merged.bin sorted.bin sorted.bin\n",
    };
    int status = list_files_open(&c.lists, "merge", argc) ? EXIT_TROUBLE : OPTIONS_RUN;

    if (status == OPTIONS_RUN)
        status = options_parse(&command, argc, argv, c.lists.files);
    if (status == OPTIONS_RUN)
        status = merge(&c);
    list_files_close(&c.lists);
    return status;
}
