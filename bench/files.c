/*
 * files.c - the run as programs read it: TSV, one of times and one of launches, and
 * JSON, written as it goes, so that a run that is cut short leaves what it measured.
 */
#define _XOPEN_SOURCE 700 /* fdopen, ftruncate, realpath */

#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Letters that would break a line of TSV become blanks. */
static void write_line(FILE *to, const char *name, const char *text)
{
    fprintf(to, "# %s: ", name);
    for (; *text; text++)
        putc(*text < ' ' && *text >= 0 ? ' ' : *text, to);
    putc('\n', to);
}

/* The command line in one text, cut where it is too long. */
static void command_line(const struct run *run, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "multiway bench");

    for (char **a = run->wish.arguments; *a && used < bytes; a++)
        used += (size_t)snprintf(text + used, bytes - used, " %s", *a);
}

void run_describe(const struct run *run, struct field_text lines[HEADER_LINES],
                  char room[HEADER_ROOM])
{
    const struct stage *const stage = &run->stage;

    command_line(run, room, HEADER_ROOM);
    lines[0] = (struct field_text){"machine", stage->info.name};
    lines[1] = (struct field_text){"device", stage->info.device};
    lines[2] = (struct field_text){"driver", stage->info.driver};
    lines[3] = (struct field_text){"clocks", stage->clocks};
    lines[4] = (struct field_text){"rivals", stage->plugin ? stage->plugin->built : ""};
    lines[5] = (struct field_text){"date", run->date};
    lines[6] = (struct field_text){"commit", run->wish.commit};
    lines[7] = (struct field_text){"command", room};
    lines[8] = (struct field_text){"times", stage_clock(stage)};
}

static void begin_header(const struct run *run, FILE *to)
{
    struct field_text lines[HEADER_LINES];
    char room[HEADER_ROOM];

    run_describe(run, lines, room);
    for (int i = 0; i < HEADER_LINES; i++)
        write_line(to, lines[i].name, lines[i].text);
}

static void begin_launches(struct run *run)
{
    begin_header(run, run->launches);
    fprintf(run->launches,
            "# %u sorts; events around every launch\n"
            "type\tshape\tcount\tcontestant\tpass\tkernel\tblocks\tthreads\tmedian_ms\n",
            (unsigned)run->stage.trials);
}

static void begin_tsv(struct run *run)
{
    begin_header(run, run->tsv);
    for (int i = 0; i < run->field.count; i++)
        fprintf(run->tsv, "# %s: %s\n", run->field.list[i].name, run->field.list[i].about);
    fprintf(run->tsv,
            "# %u trials after %d warm-ups; ratio: median / median of %s\n"
            "type\tshape\tcount\tcontestant\tmedian_ms\tmean_ms\tmin_ms\tmax_ms\ttrials\t"
            "gkeys_s\tratio\tverified\tworkspace_bytes\n",
            (unsigned)run->stage.trials, WARM_UPS, run->field.list[0].name);
}

static void begin_json(struct run *run)
{
    struct field_text lines[HEADER_LINES];
    char room[HEADER_ROOM];

    run_describe(run, lines, room);
    run->json = (struct json){.to = run->json_file};
    json_open(&run->json, NULL, '{');
    for (int i = 0; i < HEADER_LINES; i++)
        json_text(&run->json, lines[i].name, lines[i].text);
    json_count(&run->json, "trials", run->stage.trials);
    json_count(&run->json, "warm_ups", WARM_UPS);
    json_text(&run->json, "ours", run->field.list[0].name);
    json_open(&run->json, "contestants", '[');
    for (int i = 0; i < run->field.count; i++) {
        json_open(&run->json, NULL, '{');
        json_text(&run->json, "name", run->field.list[i].name);
        json_text(&run->json, "about", run->field.list[i].about);
        json_close(&run->json, '{');
    }
    json_close(&run->json, '[');
    json_open(&run->json, "copies", '[');
}

static int cannot_write(const char *path)
{
    complain("bench", "cannot write %s: %s", path, strerror(errno));
    return -1;
}

/* What a file holds stays until files_begin; one that was not there is remembered. */
static int open_file(struct run *run, const char *path, FILE **file)
{
    struct stat about;
    int is_new;
    int number;

    if (!path)
        return 0;
    is_new = stat(path, &about) != 0;
    number = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (number < 0)
        return cannot_write(path);
    if (is_new) /* the path may be a link, which is to stay */
        run->created[run->created_count++] = realpath(path, NULL);
    *file = fdopen(number, "w");
    if (*file)
        return 0;
    cannot_write(path);
    close(number);
    return -1;
}

int files_open(struct run *run)
{
    return open_file(run, run->wish.tsv, &run->tsv) ||
                   open_file(run, run->wish.launches, &run->launches) ||
                   open_file(run, run->wish.json, &run->json_file)
               ? -1
               : 0;
}

/* Devices and pipes have nothing to empty. */
static int empty_file(FILE *file, const char *path)
{
    struct stat about;

    if (!file || (fstat(fileno(file), &about) == 0 && !S_ISREG(about.st_mode)))
        return 0;
    return ftruncate(fileno(file), 0) == 0 ? 0 : cannot_write(path);
}

int files_begin(struct run *run)
{
    const time_t now = time(NULL);

    if (empty_file(run->tsv, run->wish.tsv) ||
        empty_file(run->launches, run->wish.launches) ||
        empty_file(run->json_file, run->wish.json))
        return -1;
    run->begun = 1;
    strftime(run->date, sizeof run->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    if (run->tsv)
        begin_tsv(run);
    if (run->launches)
        begin_launches(run);
    if (run->json_file)
        begin_json(run);
    return 0;
}

static void json_figures(struct json *json, const struct figures *ms)
{
    json_real(json, "median_ms", ms->median);
    json_real(json, "mean_ms", ms->mean);
    json_real(json, "min_ms", ms->least);
    json_real(json, "max_ms", ms->most);
}

void files_copy(struct run *run, const struct one_case *what, uint64_t bytes,
                const struct figures *ms)
{
    if (run->tsv)
        fprintf(run->tsv, "%s\t-\t%llu\tcopy\t%.6f\t%.6f\t%.6f\t%.6f\t%u\t%.4f\t-\t-\t0\n",
                mw_type_name(what->type), (unsigned long long)what->count, ms->median,
                ms->mean, ms->least, ms->most, (unsigned)run->stage.trials,
                1e-6 * (double)what->count / ms->median);
    if (!run->json_file)
        return;
    json_open(&run->json, NULL, '{');
    json_count(&run->json, "bytes", bytes);
    json_figures(&run->json, ms);
    json_real(&run->json, "terabytes_s", 2e-9 * (double)bytes / ms->median);
    json_close(&run->json, '{');
}

void files_results(struct run *run)
{
    if (!run->json_file)
        return;
    json_close(&run->json, '[');
    json_open(&run->json, "results", '[');
}

/* A word for each outcome; a time that is absent has none. */
static const char *const outcome_names[] = {
    [NOT_RUN] = "not run", [RIGHT] = "yes", [WRONG] = "WRONG", [FAILED] = "failed"};

static void json_launches(struct json *json, const struct result *result)
{
    json_open(json, "launches", '[');
    for (size_t i = 0; i < result->launch_count; i++) {
        const mw_launch *const launch = &result->launches[i];

        json_open(json, NULL, '{');
        json_text(json, "kernel", launch->kernel);
        json_count(json, "pass", launch->round);
        json_count(json, "blocks", launch->blocks);
        json_count(json, "threads", launch->threads);
        json_real(json, "median_ms", launch->milliseconds);
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void json_result(struct run *run, int i, int who)
{
    const struct one_case what = cases_at(&run->cases, i);
    const struct result *const result = run_result(run, i, who);
    struct json *const json = &run->json;

    json_open(json, NULL, '{');
    json_text(json, "type", mw_type_name(what.type));
    json_text(json, "shape", what.shape->name);
    json_count(json, "count", what.count);
    json_text(json, "contestant", run->field.list[who].name);
    json_text(json, "verified", outcome_names[result->outcome]);
    if (*result->why)
        json_text(json, "why", result->why);
    if (result->ms.median > 0) {
        json_figures(json, &result->ms);
        json_real(json, "gkeys_s", 1e-6 * (double)what.count / result->ms.median);
        json_count(json, "workspace_bytes", result->workspace_bytes);
    }
    if (run_ratio(run, i, who) > 0)
        json_real(json, "ratio", run_ratio(run, i, who));
    if (result->launch_count)
        json_launches(json, result);
    json_close(json, '{');
}

static void tsv_launches(struct run *run, int i, int who)
{
    const struct one_case what = cases_at(&run->cases, i);
    const struct result *const result = run_result(run, i, who);

    for (size_t l = 0; l < result->launch_count; l++) {
        const mw_launch *const launch = &result->launches[l];

        fprintf(run->launches, "%s\t%s\t%llu\t%s\t%u\t%s\t%llu\t%u\t%.6f\n",
                mw_type_name(what.type), what.shape->name, (unsigned long long)what.count,
                run->field.list[who].name, (unsigned)launch->round, launch->kernel,
                (unsigned long long)launch->blocks, (unsigned)launch->threads,
                launch->milliseconds);
    }
    fflush(run->launches);
}

void files_result(struct run *run, int i, int who)
{
    const struct one_case what = cases_at(&run->cases, i);
    const struct result *const result = run_result(run, i, who);
    char ratio[32] = "-";

    if (run->json_file)
        json_result(run, i, who);
    if (run->launches)
        tsv_launches(run, i, who);
    if (!run->tsv || !(result->ms.median > 0))
        return; /* the table and the JSON say why */
    if (run_ratio(run, i, who) > 0)
        snprintf(ratio, sizeof ratio, "%.4f", run_ratio(run, i, who));
    fprintf(run->tsv, "%s\t%s\t%llu\t%s\t%.6f\t%.6f\t%.6f\t%.6f\t%u\t%.4f\t%s\t%s\t%llu\n",
            mw_type_name(what.type), what.shape->name, (unsigned long long)what.count,
            run->field.list[who].name, result->ms.median, result->ms.mean, result->ms.least,
            result->ms.most, (unsigned)run->stage.trials,
            1e-6 * (double)what.count / result->ms.median, ratio,
            outcome_names[result->outcome], (unsigned long long)result->workspace_bytes);
    fflush(run->tsv);
}

static int close_file(FILE *file, const char *path)
{
    const int failed = file && (ferror(file) | (fclose(file) != 0));

    return failed ? cannot_write(path) : 0;
}

/* A run that never began leaves no file that was not there before. */
static void forget_created(struct run *run)
{
    for (int i = 0; i < run->created_count; i++) {
        if (!run->begun && run->created[i])
            unlink(run->created[i]);
        free(run->created[i]);
    }
    run->created_count = 0;
}

int files_close(struct run *run)
{
    int failed;

    if (run->json_file && run->begun) {
        json_close(&run->json, '[');
        json_close(&run->json, '{');
    }
    failed = close_file(run->tsv, run->wish.tsv);
    failed |= close_file(run->launches, run->wish.launches);
    failed |= close_file(run->json_file, run->wish.json);
    forget_created(run);
    return failed ? -1 : 0;
}
