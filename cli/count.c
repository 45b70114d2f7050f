/*
 * count.c - `multiway count`: one sort in the simulator, and what it cost.
 */
#include "cli.h"
#include "options.h"
#include "placed.h"
#include "tally.h"
#include "trials.h"

#include <inttypes.h>
#include <stdlib.h>

enum { BUSIEST = 12 };

struct count {
    struct trials trials; /* the input */
    int descending;
    const char *operation, *job;
    struct kit_task task;
    mw_tuning tuning;
    int all_lines;
    int json;
};

static void put_kernels(struct report *report, const struct tally *tally)
{
    const struct table table = table_open(
        report, "kernels", "kernel:-11 launches:8 traffic:-1 serial_merges:0 serial:0");

    for (int i = 0; i < tally->kernel_count; i++) {
        const struct kernel_tally *const k = &tally->kernels[i];

        table_row(&table, TEXT(k->name), COUNT(k->launches), TRAFFIC(&k->traffic),
                  COUNT(k->merges), TRAFFIC(&k->serial));
    }
    table_close(&table);
    report_field(report, "total", TRAFFIC(&tally->counts.traffic));
    report_field(report, "bulk", TRAFFIC(&tally->bulk));
    report_field(report, "searches", TRAFFIC(&tally->searches));
    if (tally->claim_count)
        report_field(report, "merging", TRAFFIC(&tally->merging));
    for (int i = 0; i < tally->kernel_count && report->form == REPORT_TEXT; i++) {
        const struct kernel_tally *const k = &tally->kernels[i];

        if (k->merges > 0)
            printf("serial merges of %s: %" PRIu64
                   " by a warp, %.1f wavefronts each; %.1f without conflicts\n",
                   k->name, k->merges,
                   (double)k->serial.shared_wavefronts / (double)k->merges,
                   (double)k->serial.shared_ideal / (double)k->merges);
    }
}

static void put_launches(struct report *report, const struct tally *tally)
{
    const struct table table = table_open(
        report, "each_launch", "kernel:-11 round:5 blocks:8 threads:7 traffic:-1");

    for (size_t i = 0; i < tally->launch_count; i++) {
        const mw_launch *const l = &tally->launches[i];

        table_row(&table, TEXT(l->kernel), COUNT(l->round), COUNT(l->blocks),
                  COUNT(l->threads), TRAFFIC(&l->traffic));
    }
    table_close(&table);
}

/* One number for how busy a line is; 0 if it caused no traffic. */
static uint64_t weight(const mw_ledger_line *line)
{
    return line->traffic.shared_wavefronts + line->traffic.global_sectors +
           line->traffic.shuffles + line->traffic.barriers;
}

static int by_weight(const void *a, const void *b)
{
    const mw_ledger_line *const x = *(const mw_ledger_line *const *)a;
    const mw_ledger_line *const y = *(const mw_ledger_line *const *)b;

    if (weight(x) != weight(y))
        return weight(x) < weight(y) ? 1 : -1;
    return (x > y) - (x < y); /* the ledger's own order */
}

/* All lines in the ledger's order, or the busiest first. */
static void put_lines(struct report *report, const struct tally *tally, int all)
{
    const mw_ledger_line **const lines = malloc((tally->line_count + 1) * sizeof *lines);
    struct table table;
    size_t used = 0;
    size_t shown;

    if (!lines)
        return;
    for (size_t i = 0; i < tally->line_count; i++) {
        if (weight(&tally->lines[i]) > 0)
            lines[used++] = &tally->lines[i];
    }
    shown = all || used < BUSIEST ? used : BUSIEST;
    if (shown < used)
        qsort(lines, used, sizeof *lines, by_weight);
    table = table_open(report, "lines",
                       "kernel:-11 file:-15 line:4 access:-7 stores:0 traffic:-1 text:-1");
    for (size_t i = 0; i < shown; i++) {
        const mw_ledger_line *const l = lines[i];

        table_row(&table, TEXT(l->kernel), TEXT(l->file), COUNT((uint64_t)l->line),
                  TEXT(mw_access_name(l->access)), TRUTH(l->stores), TRAFFIC(&l->traffic),
                  TEXT(l->text ? l->text : ""));
    }
    table_close(&table);
    if (shown < used)
        printf("and %zu more lines: --lines shows them all\n", used - shown);
    free(lines);
}

static void put_count(const struct count *count, const struct tally *tally)
{
    struct report report = report_begin(count->json);
    const struct trials *const input = &count->trials;

    report_field(&report, "device", TEXT("sim"));
    report_input(&report, input->type, input->count, input->shape, input->seed);
    if (count->job) {
        report_field(&report, "operation", TEXT(count->operation));
        report_field(&report, "job", TEXT(count->job));
    } else {
        report_field(&report, "direction",
                     TEXT(count->descending ? "descending" : "ascending"));
    }
    report_field(&report, "correct", TRUTH(tally->correct));
    if (!count->job) {
        report_field(&report, "tuning", TUNING(&tally->counts.tuning));
        report_field(&report, "rounds", COUNT(tally->counts.rounds));
    }
    report_field(&report, "launches", COUNT(tally->launch_count));
    put_kernels(&report, tally);
    put_launches(&report, tally);
    if (!count->job)
        tally_report(&report, tally, 1);
    put_lines(&report, tally, count->all_lines || count->json);
    report_close(&report);
}

static int count(struct count *count)
{
    struct trials *const trials = &count->trials;
    int result = trials_simulate(trials);
    struct tally tally;

    trials->direction = count->descending ? MW_DESCENDING : MW_ASCENDING;
    if (result == EXIT_FINE)
        result = trials_open(trials);
    if (result == EXIT_FINE)
        result = count->job
                     ? trials_count_task(trials, &count->task, &count->tuning, &tally)
                     : trials_count(trials, &count->tuning, &tally);
    trials_close(trials);
    if (result != EXIT_TROUBLE)
        put_count(count, &tally);
    mw_close(trials->context);
    return result;
}

int command_count(int argc, char **argv)
{
    struct count c = {
        .operation = "sort",
        .tuning = MW_TUNING_INIT,
        .trials = {.command = "count", .trials = 1}
    };
    /* clang-format off */
    const struct option options[] = {
        TYPE_OPTION(c.trials.type), COUNT_OPTION(c.trials.count),
        SHAPE_OPTION(c.trials.shape), SEED_OPTION(c.trials.seed),
        {"operation", 0, "NAME", OPTION_TEXT, &c.operation, 0,
         "sort, merge, split, select, segments (sort)"},
        {"job",   0, "TEXT", OPTION_TEXT, &c.job, 0, "what it does, see multiway bench"},
        {"desc",  0, NULL, OPTION_FLAG, &c.descending, 0, "sort descending"},
        TUNING_OPTIONS(c.tuning),
        {"lines", 0, NULL, OPTION_FLAG, &c.all_lines, 0, "all source lines with traffic"},
        JSON_OPTION(c.json),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "count",
        .usage = "--type TYPE --count N [--shape SHAPE] [--engine NAME] [--lines | --json]",
        .about =
            "Sort an input in the simulator, with the kernels a GPU would run, or do\n"
            "another job. Check the result. Print the memory traffic of each kernel and\n"
            "source line, and compare that of sorts with the formulas of the paper.",
        .options = options,
        .more =
            "A claim holds if the count is the formula's, or larger by at most the\n"
            "allowance, for the reason given. The exit status is 1 if the sort was wrong,\n"
            "or if a claim does not hold.\n"
            "\n"
            "  multiway count --type i32 --count 100k --shape random --ways 8\n"
            "  multiway count --type f64 --count 20k --shape organ --engine heap --lines\n"
            "  multiway count --operation merge --job 16 --type u32 --count 100k\n",
    };
    const int parsed = options_parse(&command, argc, argv, NULL);

    if (parsed != OPTIONS_RUN)
        return parsed;
    if (task_read("count", c.operation, c.job, &c.task))
        return EXIT_TROUBLE;
    if (c.job && c.descending)
        return complain("count", "--desc: only sorts have a direction");
    return count(&c);
}
