/*
 * split.c - `multiway split`: where to cut sorted files, so that what lies before the cuts
 * is the beginning of their merge.
 */
#include "cli.h"
#include "lists.h"

#include <inttypes.h>
#include <stdlib.h>

struct split {
    struct work work;
    struct list_files lists;
    char *at;
    uint64_t *ranks; /* in this order */
    uint64_t *cuts;  /* a row for each rank, a number for each file */
    uint64_t rank_count;
};

/* `R1,R2,...`; the text is cut at its commas. */
static int read_ranks(struct split *split)
{
    uint64_t room = 1;

    for (const char *c = split->at; *c; c++)
        room += *c == ',';
    split->ranks = memory_for("split", room, sizeof *split->ranks);
    if (!split->ranks)
        return -1;
    for (char *next = split->at; next;) {
        char *const text = next;

        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        if (kit_parse_count(text, &split->ranks[split->rank_count++]))
            return complain("split",
                            "--at: %s is no rank (expected numbers with commas, as in "
                            "1000,5M,2^20)",
                            *text ? text : "nothing");
    }
    return 0;
}

static int prepare(struct work *work, mw_context *context, void *command)
{
    struct split *const split = command;

    if (list_files_prepare(&split->lists, work, context))
        return -1;
    split->cuts =
        memory_for("split", split->rank_count, work->source_count * sizeof *split->cuts);
    work->job.operation = MW_SPLIT;
    work->job.ranks = split->ranks;
    work->job.rank_count = split->rank_count;
    work->job.cuts = split->cuts;
    return !split->cuts;
}

static void print_cuts(const struct split *split)
{
    const uint64_t files = split->work.source_count;

    for (uint64_t i = 0; i < split->rank_count * files; i++)
        printf("%" PRIu64 "%c", split->cuts[i], (i + 1) % files ? ' ' : '\n');
}

static int split(struct split *split)
{
    struct work *const work = &split->work;
    int bad = work_begin(work) || read_ranks(split) ||
              list_files_begin(&split->lists, work) || work_run(work, prepare, split);

    if (!bad)
        print_cuts(split);
    bad = bad || work_write(work);
    work_end(work);
    free(split->cuts);
    free(split->ranks);
    return bad ? EXIT_TROUBLE : EXIT_FINE;
}

int command_split(int argc, char **argv)
{
    struct split c = {.work = WORK_INIT("split")};
    /* clang-format off */
    const struct option options[] = {
        WORK_ORDER_OPTIONS(c.work, "files are in the exact reverse order"),
        {"at", 0, "RANKS", OPTION_TEXT, &c.at, 1,
         "where to cut, with commas: 1000,5M,2^20"},
        WORK_DEVICE_OPTIONS(c.work),
        CACHE_OPTIONS(c.work.cache),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "split",
        .usage = "--type TYPE [--desc] --at RANKS FILE ...\n"
                 "       multiway split --record BYTES --key FIELD ... --at RANKS FILE ...",
        .about =
            "Cut sorted files at ranks of their merge, without merging them. Print a line\n"
            "for each rank R, in the order given, with a number for each file: how many\n"
            "of its rows are among the first R of all. The numbers of a line add up to R,\n"
            "or to all rows if there are fewer. Equal keys go by the order of the files.",
        .options = options,
        .takes_files = argc,
        .more =
            KEY_HELP "\n"
                     "  multiway split --type u64 --at 1000,2^20 sorted.bin sorted.bin\n",
    };
    int status = list_files_open(&c.lists, "split", argc) ? EXIT_TROUBLE : OPTIONS_RUN;

    if (status == OPTIONS_RUN)
        status = options_parse(&command, argc, argv, c.lists.files);
    if (status == OPTIONS_RUN)
        status = split(&c);
    list_files_close(&c.lists);
    return status;
}
