/*
 * table.c - the run on the terminal.
 */
#include "report.h"

enum { FIRST_WIDTH = 18, OTHER_WIDTH = 25 }; /* of a contestant's columns */

int run_total(const struct run *run)
{
    return cases_total(&run->cases) * run->field.count;
}

struct entry run_entry(const struct run *run, int number)
{
    const int who = number % run->field.count;
    const struct result *const result = &run->results[number];
    const struct result *const first = result - who;
    const int both = first->outcome == RIGHT && result->outcome == RIGHT;

    return (struct entry){
        .who = who,
        .name = run->field.list[who].name,
        .what = cases_at(&run->cases, number / run->field.count),
        .result = result,
        .ratio = both && first->ms.median > 0 ? result->ms.median / first->ms.median : 0};
}

const struct copy *run_copy(const struct run *run, uint64_t bytes)
{
    for (int i = 0; i < run->copy_count; i++) {
        if (run->copies[i].bytes == bytes)
            return &run->copies[i];
    }
    return NULL;
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

/* Width of the column with the jobs; 0: sorts have none. */
static int job_width(const struct run *run)
{
    int width = 0;

    for (int i = 0; i < run->cases.task_count; i++) {
        char text[JOB_TEXT];
        const int length = (int)strlen(job_text(&run->cases.tasks[i], text)) + 1;

        width = *run->cases.tasks[i].text && length > width ? length : width;
    }
    return width;
}

void table_titles(const struct run *run)
{
    const int width = shape_width(run);
    const int jobs = job_width(run);

    printf("\n%-*s%-4s %-*s %11s", jobs, "", "", width, "", "");
    for (int i = 0; i < run->field.count; i++)
        printf(" | %-*s", i ? OTHER_WIDTH : FIRST_WIDTH, run->field.list[i].name);
    printf("\n%-*s%-4s %-*s %11s", jobs, jobs ? "job" : "", "type", width, "shape",
           "count");
    for (int i = 0; i < run->field.count; i++)
        printf(" | %10s %7s%s", "ms", "Gkeys/s", i ? "  ratio" : "");
    putchar('\n');
}

void table_case(const struct run *run, const struct one_case *what)
{
    char text[COUNT_TEXT];
    char job[JOB_TEXT];

    if (job_width(run))
        printf("%-*s", job_width(run), job_text(what->task, job));
    printf("%-4s %-*s %11s", mw_type_name(what->type), shape_width(run), what->shape->name,
           count_text(what->count, text));
}

void table_result(const struct run *run, int number)
{
    const struct entry entry = run_entry(run, number);
    const struct result *const result = entry.result;

    if (result->ms.median > 0)
        printf(" | %10.4f %7.3f", result->ms.median,
               1e-6 * (double)entry.what.count / result->ms.median);
    else
        printf(" | %10s %7s", result->outcome == FAILED ? "FAILED" : "-", "-");
    if (result->outcome == WRONG)
        printf("%s", entry.who ? "  WRONG" : " WRONG");
    else if (entry.who && entry.ratio > 0)
        printf(" %6.2f", entry.ratio);
    else if (entry.who)
        printf(" %6s", "-");
    if (entry.who + 1 == run->field.count)
        putchar('\n');
    fflush(stdout);
}

/* Why there is no time, or a wrong result, case by case. */
void table_notes(const struct run *run)
{
    for (int n = 0; n < run_total(run); n++) {
        const struct entry entry = run_entry(run, n);
        const struct contestant *const who = &run->field.list[entry.who];
        const enum outcome outcome = entry.result->outcome;
        char text[CASE_TEXT];

        /* The dash says that a rival, or the plain sort, does not take a case. */
        if (*entry.result->why && (outcome != NOT_RUN || !(who->rival || who->plain)))
            printf("%s on %s: %s%s\n", entry.name, case_text(&entry.what, text),
                   outcome == WRONG ? "WRONG: " : "", entry.result->why);
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

static void print_phases(const struct run *run, const struct entry *entry)
{
    const struct result *const result = entry->result;
    const double total = sum_of(result, 0, NULL);
    char text[CASE_TEXT];

    printf("\nlaunches of %s, %s: medians of %u, %.4f ms together\n", entry->name,
           case_text(&entry->what, text), (unsigned)run->stage.trials, total);
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
    for (int n = 0; n < run_total(run); n++) {
        const struct entry entry = run_entry(run, n);

        if (entry.result->launch_count)
            print_phases(run, &entry);
    }
}

static void print_ratio(const struct entry *entry, const char *name, const char *more)
{
    char text[CASE_TEXT];

    printf("  %-12s %6.3f %s%s", name, entry->ratio, case_text(&entry->what, text), more);
}

/* The least ratio of one contestant, and every case in which it is below 1. */
static void summarise(const struct run *run, int who)
{
    struct entry least = {.ratio = 0};
    int below = 0;
    int known = 0;

    for (int n = who; n < run_total(run); n += run->field.count) {
        const struct entry entry = run_entry(run, n);

        known += entry.ratio > 0;
        below += entry.ratio > 0 && entry.ratio < 1;
        if (entry.ratio > 0 && (known == 1 || entry.ratio < least.ratio))
            least = entry;
    }
    if (known == 0) {
        printf("  %-12s      - in no case\n", run->field.list[who].name);
        return;
    }
    print_ratio(&least, least.name, "");
    printf("; below 1 in %d of %d case%s\n", below, known, known == 1 ? "" : "s");
    for (int n = who; n < run_total(run); n += run->field.count) {
        const struct entry entry = run_entry(run, n);

        if (entry.ratio > 0 && entry.ratio < 1)
            print_ratio(&entry, "", "\n");
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
