/*
 * page.c - the report: what was run where, what came of it, and what was timed.
 */
#define _POSIX_C_SOURCE 200809L

#include "page.h"

#include <stdlib.h>

double page_throughput(const struct page *page, uint64_t count, const struct figures *ms)
{
    return ms->median > 0 ? page->unit.factor * (double)count / ms->median : 0;
}

void page_case(const struct page *page, int i)
{
    const struct one_case what = cases_at(&page->run->cases, i);

    fprintf(page->to, "%s ", mw_type_name(what.type));
    markup_text(page->to, what.shape->name);
    putc(' ', page->to);
    markup_count(page->to, what.count);
}

/* By the fastest, who then has a figure of one to three digits before the point. */
static struct unit unit_of(const struct run *run)
{
    double most = 0;

    for (int i = 0; i < cases_total(&run->cases); i++) {
        for (int who = 0; who < run->field.count; who++) {
            const struct result *const result = run_result(run, i, who);
            const double count = (double)cases_at(&run->cases, i).count;

            if (result_has_time(result) && count / result->ms.median > most)
                most = count / result->ms.median;
        }
    }
    if (most > 0 && most < 100)
        return (struct unit){"kkeys/s", 1};
    if (most > 0 && most < 1e5)
        return (struct unit){"Mkeys/s", 1e-3};
    return (struct unit){"Gkeys/s", 1e-6};
}

static void write_head(const struct page *page)
{
    const struct run *const run = page->run;

    fputs("<!DOCTYPE html>\n"
          "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
          "<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>multiway bench: ",
          page->to);
    markup_text(page->to, run->stage.info.name);
    fprintf(page->to, ", %s</title>\n<style>\n", run->date);
    page_style(page->to);
    fputs("</style>\n</head>\n<body>\n<h1>Sorting on ", page->to);
    markup_text(page->to, run->stage.info.name);
    fputs("</h1>\n", page->to);
}

/* How many results came out so. */
static int outcomes(const struct run *run, enum outcome outcome)
{
    const int total = cases_total(&run->cases) * run->field.count;
    int count = 0;

    for (int i = 0; i < total; i++)
        count += run->results[i].outcome == outcome;
    return count;
}

/* Whether the figures can be trusted comes before the figures. */
static void write_verdict(const struct page *page)
{
    const int right = outcomes(page->run, RIGHT);
    const int wrong = outcomes(page->run, WRONG);
    const int failed = outcomes(page->run, FAILED);

    fprintf(page->to, "<p class=\"verdict%s\">", wrong || failed ? " bad" : "");
    if (wrong)
        fprintf(page->to, "<strong>%d result%s WRONG.</strong> ", wrong,
                wrong == 1 ? " is" : "s are");
    if (failed)
        fprintf(page->to, "<strong>%d sort%s FAILED.</strong> ", failed,
                failed == 1 ? "" : "s");
    fprintf(page->to, "%d result%s verified: in order, and the same keys as before.</p>\n",
            right, right == 1 ? " is" : "s are");
}

static void write_machine(const struct page *page)
{
    struct field_text lines[HEADER_LINES];
    char room[HEADER_ROOM];

    run_describe(page->run, lines, room);
    fputs("<table class=\"facts\">\n<tbody>\n", page->to);
    for (int i = 0; i < HEADER_LINES; i++) {
        const int is_command = strcmp(lines[i].name, "command") == 0;

        if (!*lines[i].text)
            continue;
        fprintf(page->to, "<tr><th scope=\"row\">%s</th><td>%s", lines[i].name,
                is_command ? "<code>" : "");
        markup_text(page->to, lines[i].text);
        fprintf(page->to, "%s</td></tr>\n", is_command ? "</code>" : "");
    }
    if (!page->run->stage.plugin) {
        fputs("<tr><th scope=\"row\">no rivals</th><td>", page->to);
        markup_text(page->to, page->run->stage.no_rivals);
        fputs("</td></tr>\n", page->to);
    }
    fputs("</tbody>\n</table>\n", page->to);
}

static void write_contestants(const struct page *page)
{
    const struct field *const field = &page->run->field;

    fputs("<h2>Who sorts</h2>\n<table class=\"facts\">\n<tbody>\n", page->to);
    for (int i = 0; i < field->count; i++) {
        fputs("<tr><th scope=\"row\">", page->to);
        markup_text(page->to, field->list[i].name);
        fputs("</th><td>", page->to);
        markup_text(page->to, field->list[i].about);
        fputs("</td></tr>\n", page->to);
    }
    fputs("</tbody>\n</table>\n", page->to);
}

static void write_notes(const struct page *page)
{
    const struct run *const run = page->run;
    const unsigned trials = (unsigned)run->stage.trials;

    fputs("<h2>What was timed</h2>\n<ul>\n<li>Times are told by: ", page->to);
    markup_text(page->to, stage_clock(&run->stage));
    fprintf(page->to, ". They are medians of %u trial%s after %d warm-ups.</li>\n", trials,
            trials == 1 ? "" : "s", WARM_UPS);
    fprintf(page->to,
            "<li>Keys lie in the device&#8217;s memory before and after. Before each trial "
            "the input is %s anew, which is not timed; all contestants sort the same "
            "keys.</li>\n",
            run->stage.plugin ? "copied" : "uploaded");
    fputs("<li>Every sort has its workspace before the clock starts.</li>\n"
          "<li>The last result of each is judged: in order, and with the same sum over the "
          "mixed bits of all keys as the input. A wrong one has no ratio and no line in "
          "the charts, only a cross.</li>\n",
          page->to);
    if (run->copy_count)
        fputs("<li>The copy is a plain one of as many bytes as the keys have, by the same "
              "clock: what one pass over memory costs at the very least. Its TB/s count "
              "both directions.</li>\n",
              page->to);
    if (run->field.count > 1) {
        fputs("<li>A ratio is the time of each over the time of ", page->to);
        markup_text(page->to, run->field.list[0].name);
        fputs(": above 1, ", page->to);
        markup_text(page->to, run->field.list[0].name);
        fputs(" is faster. A dash means that a contestant has no such sort.</li>\n",
              page->to);
    }
    if (run->wish.phases)
        fputs("<li>Launches are timed in sorts of their own, after the trials; what tells "
              "their times costs a little, so that their sum is somewhat above the time in "
              "the table.</li>\n",
              page->to);
    fputs("</ul>\n", page->to);
}

static void write_page(const struct page *page)
{
    write_head(page);
    write_verdict(page);
    write_machine(page);
    page_summary(page);
    page_charts(page);
    page_copies(page);
    page_cases(page);
    page_phases(page);
    write_contestants(page);
    write_notes(page);
    fprintf(page->to,
            "<footer>Written by <code>multiway bench --report</code>, %d.%d.%d."
            "</footer>\n</body>\n</html>\n",
            MW_VERSION_MAJOR, MW_VERSION_MINOR, MW_VERSION_PATCH);
}

int report_aim(struct run *run)
{
    if (!run->wish.report)
        return 0;
    if (strcmp(run->wish.report, "-") == 0) {
        complain("bench", "--report needs the name of a file");
        return -1;
    }
    return output_aim(&run->report, "bench", run->wish.report);
}

/* In memory first, so that a file is complete or not there. */
int report_write(struct run *run)
{
    struct page page = {.run = run, .unit = unit_of(run)};
    char *text = NULL;
    size_t bytes = 0;
    int failed = 1;

    if (!run->wish.report)
        return 0;
    page.chart = calloc(1, sizeof *page.chart);
    page.to = open_memstream(&text, &bytes);
    if (page.chart && page.to) {
        write_page(&page);
        failed = ferror(page.to);
    }
    if (page.to)
        failed |= fclose(page.to) != 0;
    free(page.chart);
    if (failed)
        complain("bench", "no memory for the report");
    else
        failed = output_open(&run->report) || output_write(&run->report, text, bytes) ||
                 output_finish(&run->report);
    free(text);
    return failed ? -1 : 0;
}

void report_drop(struct run *run)
{
    if (run->wish.report)
        output_drop(&run->report);
}
