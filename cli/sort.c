/*
 * sort.c - `multiway sort`: files of keys or records in, the same in order out; or the
 * positions of a sorted sequence, values from files of their own, segments.
 */
#include "check.h"
#include "cli.h"
#include "files.h"
#include "sort_table.h"

struct sort {
    struct work work;
    struct file_work files;
    struct sort_table table;
    int is_check;
};

/* What sort_table does has one input, and needs all of it in memory. */
static int sort_in_memory(struct sort *sort)
{
    const struct file_work *const files = &sort->files;

    if (files->file_count > 1 || files->is_merge || files->is_unique || files->memory ||
        files->folders.count || files->format || sort->is_check)
        return complain("sort", "--column, --segments and --positions take one file, and "
                                "none of -c, -m, -u, -S, -T and --format");
    sort->table.input = files->files[0];
    sort->table.output = files->output;
    return sort_table(&sort->table, &sort->work);
}

static int sort_files(struct sort *sort)
{
    struct file_work *const files = &sort->files;

    if (file_work_begin(files))
        return EXIT_TROUBLE;
    if (sort_table_is_wanted(&sort->table, &sort->work))
        return sort_in_memory(sort) ? EXIT_TROUBLE : EXIT_FINE;
    if (sort->is_check && files->file_count > 1)
        return complain("sort", "-c takes one file, not %u", files->file_count);
    if (sort->is_check && files->output)
        return complain("sort", "-c and -o: expected one of them");
    if (sort->is_check)
        return check_order(&sort->work.order, files->files[0], files->is_unique);
    return work_begin(&sort->work) || file_work_run(files) ? EXIT_TROUBLE : EXIT_FINE;
}

int command_sort(int argc, char **argv)
{
    struct sort c = {.work = WORK_INIT("sort")};
    /* clang-format off */
    const struct option options[] = {
        WORK_ORDER_OPTIONS(c.work, "the exact reverse order"),
        OUTPUT_OPTION(c.files.output),
        FILE_OPTIONS(c.files),
        {"merge",    'm', NULL,   OPTION_FLAG, &c.files.is_merge,     0,
         "merge files that are sorted already"},
        {"check",    'c', NULL,   OPTION_FLAG, &c.is_check,           0,
         "only check that a file is sorted; exit status 0 or 1"},
        SORT_TABLE_OPTIONS(c.table),
        WORK_POSITIONS_OPTION(c.work),
        WORK_DEVICE_OPTIONS(c.work),
        TUNING_OPTIONS(c.work.tuning),
        CACHE_OPTIONS(c.work.cache),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "sort",
        .usage =
            "--type TYPE [--desc] [-S SIZE] [-o FILE] [FILE ...]\n"
            "       multiway sort --record BYTES --key FIELD ... [-o FILE] [FILE ...]\n"
            "       multiway sort [--key NAME] [-o FILE.npy] FILE.npy ...",
        .about =
            "Sort keys: numbers by value, -0 before +0, NaNs after all numbers by their\n"
            "bits. Or sort records by fields; equal ones keep their order. Every device\n"
            "writes the same bytes. Files may be larger than memory: sorted runs then go\n"
            "to temporary files without a name, and are merged. The output appears under\n"
            "its name when it is complete and synced, and may be an input. With\n"
            "--segments, segment i is the rows from offset i up to offset i + 1; "
            "positions\n"
            "then count from its beginning. --segments, --positions and --column take one\n"
            "file, which must fit the memory, and write raw numbers.",
        .options = options,
        .takes_files = argc,
        .more = KEY_HELP
        "Of a .npy file with fields, NAME and NAME:desc are keys, too.\n"
        "\n"
        "SIZE is in KiB, or has a unit: b, K, M, G, T (1024 times the one before) or %,\n"
        "of the machine's memory. Without -S, half of the free memory is used.\n"
        "\n"
        "What is not given of engine, ways, warps, threads, items and base is the\n"
        "library's choice for the device; the CPU ignores all of them. Engine auto is\n"
        "heap if warps, threads or base are given, and tile if only ways or items are;\n"
        "otherwise tile, or for many keys tally (1 and 2 bytes) or deal (4 and 8 bytes).\n"
        "\n"
        "  multiway sort --type u64 -o sorted.bin keys.bin\n"
        "  multiway sort --type u64 -S 256M -T /tmp -o sorted.bin keys.bin keys.bin\n"
        "  multiway sort --type f32 --desc --device cpu:4 -v < keys.bin > sorted.bin\n"
        "  multiway sort --type i32 --engine heap --ways 8 -o keys.bin keys.bin\n"
        "  multiway sort --record 16 --key 8:u32:desc --key 0:bytes:8 -o r.bin keys.bin\n"
        "  multiway sort --type u64 --positions u32 -o positions.bin keys.bin\n"
        "  multiway sort --type u64 --segments offsets.bin -o sorted.bin keys.bin\n",
    };
    int status = file_work_open(&c.files, &c.work, argc) ? EXIT_TROUBLE : OPTIONS_RUN;

    if (status == OPTIONS_RUN)
        status = options_parse(&command, argc, argv, c.files.files);
    if (status == OPTIONS_RUN)
        status = sort_files(&c);
    file_work_close(&c.files);
    return status;
}
