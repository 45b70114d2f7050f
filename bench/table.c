/*
 * table.c - the run on the terminal.
 */
#include "report.h"

enum { FIRST_WIDTH = 18, OTHER_WIDTH = 25 }; /* of a contestant's columns */

const struct result *run_result(const struct run *run, int i, int who)
{
    return &run->results[i * run->field.count + who];
}

const struct copy *run_copy(const struct run *run, uint64_t bytes)
{
    for (int i = 0; i < run->copy_count; i++) {
        if (run->copies[i].bytes == bytes)
            return &run->copies[i];
    }
    return NULL;
}

double run_ratio(const struct run *run, int i, int who)
{
    const struct result *const first = run_result(run, i, 0);
    const struct result *const other = run_result(run, i, who);

    if (first->outcome != RIGHT || other->outcome != RIGHT || !(first->ms.median > 0))
        return 0;
    return other->ms.median / first->ms.median;
}

void table_header(const struct run *run)
{
    const struct stage *const stage = &run->stage;
    const mw_info *const info = &stage->info;

    printf("%s: %s%s%s\n", info->device, info->name, *info->driver ? ", driver " : "",
           info->driver);
    if (*stage->clocks)
        printf("clocks: %s\n", stage->clocks);
    if (stage->plugin)
        printf("rivals: %s\n", stage->plugin->built);
    else
        printf("no rivals: %s\n", stage->no_rivals);
    printf("times: %s; medians of %u trial%s after %d warm-ups\n", stage_clock(stage),
           (unsigned)stage->trials, stage->trials == 1 ? "" : "s", WARM_UPS);
    if (run->field.count > 1)
        printf("ratios: time / time of %s\n", run->field.list[0].name);
    putchar('\n');
}

void table_copy(const struct copy *copy)
{
    char text[COUNT_TEXT];

    printf("copy %10s bytes %10.4f ms %8.3f TB/s\n", count_text(copy->bytes, text),
           copy->ms.median, 2e-9 * (double)copy->bytes / copy->ms.median);
    fflush(stdout);
}

/* Width of the column with the shapes. */
static int shape_width(const struct run *run)
{
    int width = 14;

    for (int i = 0; i < run->cases.shape_count; i++) {
        const int length = (int)strlen(run->cases.shapes[i].name);

        width = length > width ? length : width;
    }
    return width;
}

void table_titles(const struct run *run)
{
    const int width = shape_width(run);

    printf("\n%-4s %-*s %11s", "", width, "", "");
    for (int i = 0; i < run->field.count; i++)
        printf(" | %-*s", i ? OTHER_WIDTH : FIRST_WIDTH, run->field.list[i].name);
    printf("\n%-4s %-*s %11s", "type", width, "shape", "count");
    for (int i = 0; i < run->field.count; i++)
        printf(" | %10s %7s%s", "ms", "Gkeys/s", i ? "  ratio" : "");
    putchar('\n');
}

void table_case(const struct run *run, const struct one_case *what)
{
    char text[COUNT_TEXT];

    printf("%-4s %-*s %11s", mw_type_name(what->type), shape_width(run), what->shape->name,
           count_text(what->count, text));
}

void table_result(const struct run *run, int i, int who)
{
    const struct result *const result = run_result(run, i, who);
    const double ratio = run_ratio(run, i, who);
    const uint64_t count = cases_at(&run->cases, i).count;

    if (result->ms.median > 0)
        printf(" | %10.4f %7.3f", result->ms.median,
               1e-6 * (double)count / result->ms.median);
    else
        printf(" | %10s %7s", result->outcome == FAILED ? "FAILED" : "-", "-");
    if (result->outcome == WRONG)
        printf("%s", who ? "  WRONG" : " WRONG");
    else if (who && ratio > 0)
        printf(" %6.2f", ratio);
    else if (who)
        printf(" %6s", "-");
    if (who + 1 == run->field.count)
        putchar('\n');
    fflush(stdout);
}

/* Why there is no time, or a wrong result, case by case. */
void table_notes(const struct run *run)
{
    for (int i = 0; i < cases_total(&run->cases); i++) {
        const struct one_case what = cases_at(&run->cases, i);

        for (int who = 0; who < run->field.count; who++) {
            const struct result *const result = run_result(run, i, who);
            char text[CASE_TEXT];

            /* The dash says that a rival does not take a case. */
            if (!*result->why || (result->outcome == NOT_RUN && run->field.list[who].rival))
                continue;
            printf("%s on %s: %s%s\n", run->field.list[who].name, case_text(&what, text),
                   result->outcome == WRONG ? "WRONG: " : "", result->why);
        }
    }
}

/* The time of the launches from number `i` on of one kernel, or, if NULL, of all. */
static double sum_of(const struct result *result, size_t i, const char *kernel)
{
    double sum = 0;

    for (; i < result->launch_count; i++) {
        if (!kernel || strcmp(result->launches[i].kernel, kernel) == 0)
            sum += result->launches[i].milliseconds;
    }
    return sum;
}

/* Each kernel's share of the whole, in one line. */
static void print_shares(const struct result *result, double total)
{
    for (size_t i = 0; i < result->launch_count; i++) {
        const char *const kernel = result->launches[i].kernel;
        size_t first = 0;

        while (strcmp(result->launches[first].kernel, kernel) != 0)
            first++;
        if (first == i)
            printf("%s%s %.1f %%", i ? ", " : "  together: ", kernel,
                   100 * sum_of(result, i, kernel) / total);
    }
    putchar('\n');
}

static void print_phases(const struct run *run, int i, int who)
{
    const struct one_case what = cases_at(&run->cases, i);
    const struct result *const result = run_result(run, i, who);
    const double total = sum_of(result, 0, NULL);
    char text[CASE_TEXT];

    printf("\nlaunches of %s, %s: medians of %u, %.4f ms together\n",
           run->field.list[who].name, case_text(&what, text), (unsigned)run->stage.trials,
           total);
    printf("  %4s  %-12s %10s %7s %10s %7s\n", "pass", "kernel", "blocks", "threads", "ms",
           "share");
    for (size_t l = 0; l < result->launch_count; l++) {
        const mw_launch *const launch = &result->launches[l];

        printf("  %4u  %-12s %10llu %7u %10.4f %5.1f %%\n", (unsigned)launch->round,
               launch->kernel, (unsigned long long)launch->blocks,
               (unsigned)launch->threads, launch->milliseconds,
               100 * launch->milliseconds / total);
    }
    print_shares(result, total);
}

void table_phases(const struct run *run)
{
    for (int i = 0; i < cases_total(&run->cases); i++) {
        for (int who = 0; who < run->field.count; who++) {
            if (run_result(run, i, who)->launch_count)
                print_phases(run, i, who);
        }
    }
}

static void print_ratio(const struct run *run, int i, int who, const char *name)
{
    const struct one_case what = cases_at(&run->cases, i);
    char text[CASE_TEXT];

    printf("  %-12s %6.3f %s", name, run_ratio(run, i, who), case_text(&what, text));
}

/* The least ratio of one contestant, and every case in which it is below 1. */
static void summarise(const struct run *run, int who)
{
    const int total = cases_total(&run->cases);
    int least = -1;
    int below = 0;
    int known = 0;

    for (int i = 0; i < total; i++) {
        const double ratio = run_ratio(run, i, who);

        known += ratio > 0;
        below += ratio > 0 && ratio < 1;
        if (ratio > 0 && (least < 0 || ratio < run_ratio(run, least, who)))
            least = i;
    }
    if (least < 0) {
        printf("  %-12s      - in no case\n", run->field.list[who].name);
        return;
    }
    print_ratio(run, least, who, run->field.list[who].name);
    printf("; below 1 in %d of %d case%s\n", below, known, known == 1 ? "" : "s");
    for (int i = 0; i < total; i++) {
        if (run_ratio(run, i, who) > 0 && run_ratio(run, i, who) < 1) {
            print_ratio(run, i, who, "");
            putchar('\n');
        }
    }
}

void table_summary(const struct run *run)
{
    if (run->field.count < 2)
        return;
    printf("\nleast ratio, and cases below 1 (%s is slower there):\n",
           run->field.list[0].name);
    for (int who = 1; who < run->field.count; who++)
        summarise(run, who);
}
