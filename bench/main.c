/*
 * main.c - multiway-bench, which `multiway bench` runs: our sorts and rivals in one
 * process, on the same inputs, every result verified.
 */
#define _POSIX_C_SOURCE 200809L

#include "../cli/options.h"
#include "report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* The case with the most bytes. 0, or not 0 after an error message. */
static int find_largest(const struct cases *cases, struct one_case *largest)
{
    uint64_t most = 0;

    for (int i = 0; i < cases_total(cases); i++) {
        const struct one_case what = cases_at(cases, i);
        const uint64_t size = mw_type_size(what.type);

        if (what.count > (UINT64_C(1) << 48) / size)
            return complain("bench",
                            "--counts: %llu keys are too many (at most 2^48 bytes)",
                            (unsigned long long)what.count);
        if (what.count * size > most) {
            most = what.count * size;
            *largest = what;
        }
    }
    return 0;
}

/* The copy rows: one for each number of bytes that some case has. */
static int run_copies(struct run *run)
{
    const int total = cases_total(&run->cases);

    for (int i = 0; stage_copies(&run->stage) && i < total; i++) {
        const struct one_case what = cases_at(&run->cases, i);
        struct copy *const copy = &run->copies[run->copy_count];

        copy->bytes = what.count * mw_type_size(what.type);
        if (run_copy(run, copy->bytes))
            continue;
        if (stage_copy(&run->stage, copy->bytes, &copy->ms))
            return -1;
        run->copy_count++;
        table_copy(copy);
        files_copy(run, &what, copy);
    }
    return 0;
}

static int run_cases(struct run *run)
{
    table_titles(run);
    for (int i = 0; i < cases_total(&run->cases); i++) {
        const struct one_case what = cases_at(&run->cases, i);

        if (stage_load(&run->stage, &what, run->wish.seed))
            return -1;
        table_case(run, &what);
        for (int who = 0; who < run->field.count; who++) {
            const int number = run->measured++;

            stage_run(&run->stage, &run->field.list[who], run->wish.phases,
                      &run->results[number]);
            table_result(run, number);
            files_result(run, number);
        }
    }
    return 0;
}

/* 0 if every result was right, 1 if one was wrong, 2 if one failed. */
static int verdict(const struct run *run)
{
    int failed = 0;
    int wrong = 0;

    for (int i = 0; i < run->measured; i++) {
        failed |= run->results[i].outcome == FAILED;
        wrong |= run->results[i].outcome == WRONG;
    }
    return wrong ? EXIT_NO : failed ? EXIT_TROUBLE : EXIT_FINE;
}

/* The table, the files and the page. */
static int measure_all(struct run *run)
{
    struct one_case largest;
    int status = EXIT_TROUBLE;

    if (find_largest(&run->cases, &largest) == 0 &&
        stage_reserve(&run->stage, &largest) == 0 && page_aim(run) == 0 &&
        files_open(run) == 0 && files_begin(run) == 0) {
        table_header(run);
        if (run_copies(run) == 0 && run_cases(run) == 0) {
            table_notes(run);
            table_phases(run);
            table_summary(run);
            status = page_write(run) ? EXIT_TROUBLE : verdict(run);
        }
    }
    page_drop(run);
    return files_close(run) ? EXIT_TROUBLE : status;
}

static int bench(const struct wish *wish)
{
    struct run *const run = calloc(1, sizeof *run);
    int status = EXIT_TROUBLE;

    if (!run)
        return complain("bench", "no memory");
    run->wish = *wish;
    if (stage_open(&run->stage, wish) == 0 &&
        lists_read_cases(wish, &run->stage.info, &run->cases) == 0 &&
        lists_read_field(wish, &run->stage, &run->field) == 0) {
        const size_t cases = (size_t)cases_total(&run->cases);

        run->results = calloc(cases * (size_t)run->field.count, sizeof *run->results);
        run->copies = calloc(cases, sizeof *run->copies);
        status = run->results && run->copies
                     ? measure_all(run)
                     : complain("bench", "no memory for the results");
    }
    for (int i = 0; i < run->measured; i++)
        free(run->results[i].launches);
    free(run->copies);
    free(run->results);
    stage_close(&run->stage);
    free(run);
    return status;
}

static const char about[] =
    "Time our engines and, if the rivals plugin was built, CUB's merge sort and radix\n"
    "sort, Thrust's comparison sort and modernGPU's mergesort: keys in device memory,\n"
    "one process, the same input for all, every result verified. --operation times other\n"
    "jobs than sorts, beside a tree of cub::DeviceMerge, cub::DeviceTopK and\n"
    "cub::DeviceSegmentedSort.";

static const char more[] =
    "Items of a list are separated by commas. Times are medians; before each trial the\n"
    "input is restored, which is not timed. A ratio is the time of a contestant / the\n"
    "time of the first. The exit status is 1 if a result was wrong. On cpu and sim there\n"
    "are no rivals without --rivals-from, and the clock is the wall clock.\n"
    "`--with heap:8` is engine heap with 8 ways, `heap:8:4000` with 8 ways and 4000\n"
    "warps.\n"
    "\n"
    "Jobs of an operation, with the usual ones:\n"
    "  merge     LISTS, zipf:LISTS; 16+8: with a value of 8 bytes (2,4,8,16,64,256)\n"
    "  split     LISTS, long:LISTS: 10000 random ranks (64)\n"
    "  select    K, K/COLUMNS: the greatest, of each row of a matrix (16,64,4096)\n"
    "  segments  LENGTH, to:LENGTH, mixed, one; 8+4: with a value, 8+positions\n"
    "            (8,to:2000,65536,mixed,one)\n"
    "\n"
    "  multiway bench --device cpu --types u32,f64 --counts 2^16,100003 --trials 3\n"
    "  multiway bench --device sim --types i32 --counts 20k --trials 1 --phases\n"
    "  multiway bench --operation merge --jobs 4,zipf:64 --counts 2^16 --trials 3\n";

/* Read the command line and run what it asks for. */
static int read_and_run(int argc, char **argv)
{
    struct wish wish = {
        .device = "auto", .commit = "unknown", .trials = 10, .operation = "sort"};
    /* clang-format off */
#define TEXT(name, argument, to, help) {name, 0, argument, OPTION_TEXT, &wish.to, 0, help}
    const struct option options[] = {
        TEXT("device", "NAME", device, "auto, cuda, cuda:N, cpu, cpu:N, sim (auto)"),
        TEXT("operation", "NAME", operation, "sort, merge, split, select, segments (sort)"),
        TEXT("jobs", "LIST", jobs, "lists, ranks or segments, see below"),
        TEXT("types", "LIST", types, "element types, or all (by operation: i32,i64)"),
        TEXT("counts", "LIST", counts, "numbers of keys: 2^20,1000003 (by device)"),
        TEXT("shapes", "LIST", shapes, "shapes of the input, see gen, or all (random)"),
        {"seed", 0, "N", OPTION_COUNT, &wish.seed, 0, "seed of the input (0)"},
        TEXT("with", "LIST", with, "tile,cub-merge ... (all but deal, tally and auto)"),
        TEXT("ours", "NAME", ours, "the contestant that ratios refer to (the first)"),
        {"trials", 0, "N", OPTION_NUMBER, &wish.trials, 0, "trials after 2 warm-ups (10)"},
        {"phases", 0, NULL, OPTION_FLAG, &wish.phases, 0,
         "time our launches too, one by one"},
        TEXT("tsv", "FILE", tsv, "write every time as a line of TSV"),
        TEXT("phases-tsv", "FILE", launches, "write our launches as TSV"),
        TEXT("json", "FILE", json, "write times and launches as JSON"),
        TEXT("report", "FILE", report, "write an HTML page with tables and charts"),
        TEXT("commit", "TEXT", commit, "commit to name in the files (unknown)"),
        TEXT("rivals-from", "FILE", rivals_from, "open this rivals plugin"),
        CACHE_OPTIONS(wish.cache),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "bench",
        .usage = "[--device NAME] [--types LIST] [--counts LIST] [option ...]",
        .about = about,
        .more = more,
        .options = options};
    const int parsed = options_parse(&command, argc, argv, NULL);

    wish.arguments = argv + 1;
    if (parsed != OPTIONS_RUN)
        return parsed;
    if (wish.trials > MOST_TRIALS)
        return complain("bench", "--trials must be 1 to %d", MOST_TRIALS);
    wish.phases |= wish.launches != NULL;
    return bench(&wish);
}

int main(int argc, char **argv)
{
    int status;

    signal(SIGPIPE, SIG_IGN);
    status = read_and_run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        status = complain("bench", "cannot write standard output: %s", strerror(errno));
    return status;
}
