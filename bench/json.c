/*
 * json.c - the run as JSON, and the report: report.html with that JSON in it, which its
 * script draws.
 */
#define _POSIX_C_SOURCE 200809L

#include "../cli/json.h"

#include "report.h"

#include <stdlib.h>

const char *const outcome_names[] = {
    [NOT_RUN] = "not run", [RIGHT] = "yes", [WRONG] = "WRONG", [FAILED] = "failed"};

static void write_head(struct json *json, const struct run *run)
{
    char version[32];

    for (int i = 0; i < HEADER_LINES; i++)
        json_text(json, run->header[i].name, run->header[i].text);
    if (!run->stage.plugin)
        json_text(json, "no_rivals", run->stage.no_rivals);
    snprintf(version, sizeof version, "%d.%d.%d", MW_VERSION_MAJOR, MW_VERSION_MINOR,
             MW_VERSION_PATCH);
    json_text(json, "version", version);
    json_count(json, "trials", run->stage.trials);
    json_count(json, "warm_ups", WARM_UPS);
    json_truth(json, "phases", run->wish.phases);
    json_text(json, "ours", run->field.list[0].name);
    json_open(json, "contestants", '[');
    for (int i = 0; i < run->field.count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", run->field.list[i].name);
        json_text(json, "about", run->field.list[i].about);
        json_close(json, '{');
    }
    json_close(json, '[');
}

static void write_figures(struct json *json, const struct times *ms)
{
    json_real(json, "median_ms", ms->median);
    json_real(json, "mean_ms", ms->mean);
    json_real(json, "min_ms", ms->least);
    json_real(json, "max_ms", ms->most);
}

static void write_copy(struct json *json, const struct copy *copy)
{
    json_open(json, NULL, '{');
    json_count(json, "bytes", copy->bytes);
    write_figures(json, &copy->ms);
    json_real(json, "terabytes_s", 2e-9 * (double)copy->bytes / copy->ms.median);
    json_close(json, '{');
}

static void write_launches(struct json *json, const struct result *result)
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

static void write_result(struct json *json, const struct entry *entry)
{
    const struct result *const result = entry->result;

    char job[JOB_TEXT];

    json_open(json, NULL, '{');
    json_text(json, "job", job_text(entry->what.task, job));
    json_text(json, "type", mw_type_name(entry->what.type));
    json_text(json, "shape", entry->what.shape->name);
    json_count(json, "count", entry->what.count);
    json_text(json, "contestant", entry->name);
    json_text(json, "verified", outcome_names[result->outcome]);
    if (*result->why)
        json_text(json, "why", result->why);
    if (result->ms.median > 0) {
        write_figures(json, &result->ms);
        json_real(json, "gkeys_s", 1e-6 * (double)entry->what.count / result->ms.median);
        json_count(json, "workspace_bytes", result->workspace_bytes);
    }
    if (entry->ratio > 0)
        json_real(json, "ratio", entry->ratio);
    if (result->launch_count)
        write_launches(json, result);
    json_close(json, '{');
}

void run_json(const struct run *run, FILE *to)
{
    struct json json = {.to = to};

    json_open(&json, NULL, '{');
    write_head(&json, run);
    json_open(&json, "copies", '[');
    for (int i = 0; i < run->copy_count; i++)
        write_copy(&json, &run->copies[i]);
    json_close(&json, '[');
    json_open(&json, "results", '[');
    for (int i = 0; i < run->measured; i++) {
        const struct entry entry = run_entry(run, i);

        write_result(&json, &entry);
    }
    json_close(&json, '[');
    json_close(&json, '{');
}

extern const unsigned char report_page[]; /* report.html, ending with a 0 */

static const char mark[] = "@RESULTS@";

int page_aim(struct run *run)
{
    if (!run->wish.report)
        return 0;
    if (strcmp(run->wish.report, "-") == 0)
        return complain("bench", "--report needs the name of a file");
    return output_open(&run->report, "bench", run->wish.report);
}

/* A `<` could end the script element. JSON has it in texts only, where it may be \u003c. */
static int write_escaped(struct output *to, const char *json)
{
    for (;;) {
        const size_t length = strcspn(json, "<");

        if (output_write(to, json, length))
            return -1;
        json += length;
        if (*json++ == '\0')
            return 0;
        if (output_write(to, "\\u003c", 6))
            return -1;
    }
}

int page_write(struct run *run)
{
    const char *const page = (const char *)report_page;
    const char *const at = strstr(page, mark);
    const char *const rest = at + strlen(mark);
    struct output *const to = &run->report;
    char *json = NULL;
    size_t bytes;
    FILE *memory;
    int failed;

    if (!run->wish.report)
        return 0;
    memory = open_memstream(&json, &bytes);
    if (memory)
        run_json(run, memory);
    if (!memory || fclose(memory) != 0)
        failed = complain("bench", "no memory for the report");
    else
        failed = output_write(to, page, (size_t)(at - page)) || write_escaped(to, json) ||
                 output_write(to, rest, strlen(rest)) || output_finish(to);
    free(json);
    return failed;
}

void page_drop(struct run *run)
{
    if (run->wish.report)
        output_drop(&run->report);
}
