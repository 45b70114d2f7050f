/*
 * page_tables.c - the report's tables: ratios in short, copies, and every figure.
 */
#include "page.h"

#include <math.h>

static void open_table(FILE *to, const char *const *heads)
{
    fputs("<div class=\"wide\">\n<table>\n<thead><tr>", to);
    for (; *heads; heads++) { /* a head that begins with a blank is over figures */
        const int figures = **heads == ' ';

        fprintf(to, "<th scope=\"col\"%s>%s</th>", figures ? " class=\"n\"" : "",
                *heads + figures);
    }
    fputs("</tr></thead>\n", to);
}

static void close_table(FILE *to)
{
    fputs("</table>\n</div>\n", to);
}

static void figure_cell(FILE *to, double value, int decimals)
{
    char text[FIGURE_TEXT];

    fprintf(to, "<td class=\"n\">%s</td>", figure_text(value, decimals, text));
}

/* The case with the least (`sign` 1) or the greatest (-1) ratio of `who`; -1: none. */
static int extreme(const struct run *run, int who, int sign)
{
    int at = -1;

    for (int i = 0; i < cases_total(&run->cases); i++) {
        const double ratio = run_ratio(run, i, who);

        if (ratio > 0 && (at < 0 || sign * ratio < sign * run_ratio(run, at, who)))
            at = i;
    }
    return at;
}

static void extreme_cells(const struct page *page, int who, int sign)
{
    const int at = extreme(page->run, who, sign);

    if (at < 0) {
        fputs("<td class=\"n\">" DASH "</td><td></td>", page->to);
        return;
    }
    figure_cell(page->to, run_ratio(page->run, at, who), 2);
    fputs("<td class=\"quiet\">", page->to);
    page_case(page, at);
    fputs("</td>", page->to);
}

static void summary_row(const struct page *page, int who)
{
    const struct run *const run = page->run;
    int known = 0;
    int below = 0;

    for (int i = 0; i < cases_total(&run->cases); i++) {
        const double ratio = run_ratio(run, i, who);

        known += ratio > 0;
        below += ratio > 0 && ratio < 1;
    }
    fputs("<tr><th scope=\"row\" class=\"who\">", page->to);
    markup_text(page->to, run->field.list[who].name);
    fputs("</th>", page->to);
    extreme_cells(page, who, 1);
    extreme_cells(page, who, -1);
    if (known)
        fprintf(page->to, "<td class=\"%s\">%d of %d</td>", below ? "n below" : "n", below,
                known);
    else
        fputs("<td class=\"n\">" DASH "</td>", page->to);
    fputs("</tr>\n", page->to);
}

void page_summary(const struct page *page)
{
    static const char *const heads[] = {"",   " least ratio",   "in", " greatest",
                                        "in", " cases below 1", NULL};
    const struct field *const field = &page->run->field;

    if (field->count < 2)
        return;
    fputs("<h2>In short</h2>\n<p>How many times as long as ", page->to);
    markup_text(page->to, field->list[0].name);
    fputs(" each of the others takes; below 1, it is faster than ", page->to);
    markup_text(page->to, field->list[0].name);
    fputs(".</p>\n", page->to);
    open_table(page->to, heads);
    fputs("<tbody>\n", page->to);
    for (int who = 1; who < field->count; who++)
        summary_row(page, who);
    fputs("</tbody>\n", page->to);
    close_table(page->to);
}

/* A clock that did not move is a figure here, since the other end has one. */
static const char *end_text(double value, char text[FIGURE_TEXT])
{
    return value == 0 ? "0" : figure_text(value, 4, text);
}

static void range_cell(FILE *to, const struct figures *ms)
{
    char least[FIGURE_TEXT];
    char most[FIGURE_TEXT];

    fprintf(to, "<td class=\"n\">%s " DASH " %s</td>", end_text(ms->least, least),
            end_text(ms->most, most));
}

void page_copies(const struct page *page)
{
    static const char *const heads[] = {" bytes", " median ms", " min " DASH " max ms",
                                        " TB/s", NULL};
    const struct run *const run = page->run;

    fputs("<h2>Copies</h2>\n", page->to);
    if (run->copy_count == 0) {
        fputs("<p>Copies inside this device cannot be timed without the rivals&#8217; "
              "plugin.</p>\n",
              page->to);
        return;
    }
    open_table(page->to, heads);
    fputs("<tbody>\n", page->to);
    for (int i = 0; i < run->copy_count; i++) {
        const struct copy *const copy = &run->copies[i];

        fputs("<tr><td class=\"n\">", page->to);
        markup_count(page->to, copy->bytes);
        fputs("</td>", page->to);
        figure_cell(page->to, copy->ms.median, 4);
        range_cell(page->to, &copy->ms);
        figure_cell(page->to, 2e-9 * (double)copy->bytes / copy->ms.median, 3);
        fputs("</tr>\n", page->to);
    }
    fputs("</tbody>\n", page->to);
    close_table(page->to);
}

/* What became of it, in words. */
static void outcome_cell(FILE *to, const struct result *result)
{
    static const char *const error[] = {
        [NOT_RUN] = DASH, [RIGHT] = "verified", [WRONG] = "WRONG", [FAILED] = "FAILED"};
    const int bad = result->outcome == WRONG || result->outcome == FAILED;

    fprintf(to, "<td class=\"%s\">%s", bad ? "word bad" : "word quiet",
            error[result->outcome]);
    if (*result->why) {
        fputs(result->outcome == NOT_RUN ? " " : ": ", to);
        markup_text(to, result->why);
    }
    fputs("</td>", to);
}

static void ratio_cell(const struct page *page, int i, int who)
{
    const double ratio = run_ratio(page->run, i, who);
    char text[FIGURE_TEXT];

    fprintf(page->to, "<td class=\"%s\">%s</td>", ratio > 0 && ratio < 1 ? "n below" : "n",
            who ? figure_text(ratio, 2, text) : "");
}

static void case_row(const struct page *page, int i, int who)
{
    const struct run *const run = page->run;
    const struct one_case what = cases_at(&run->cases, i);
    const struct result *const result = run_result(run, i, who);

    fprintf(page->to, "<tr%s>", who || run->field.count < 2 ? "" : " class=\"ours\"");
    if (who == 0) {
        const int rows = run->field.count;

        fprintf(page->to, "<th scope=\"rowgroup\" rowspan=\"%d\">%s</th>", rows,
                mw_type_name(what.type));
        fprintf(page->to, "<td class=\"word\" rowspan=\"%d\">", rows);
        markup_text(page->to, what.shape->name);
        fprintf(page->to, "</td><td class=\"n\" rowspan=\"%d\">", rows);
        markup_count(page->to, what.count);
        fputs("</td>", page->to);
    }
    fputs("<td class=\"who\">", page->to);
    markup_text(page->to, run->field.list[who].name);
    fputs("</td>", page->to);
    if (result_has_time(result)) {
        figure_cell(page->to, result->ms.median, 4);
        range_cell(page->to, &result->ms);
        figure_cell(page->to, page_throughput(page, what.count, &result->ms), 3);
    } else {
        for (int cell = 0; cell < 3; cell++)
            fputs("<td class=\"n\">" DASH "</td>", page->to);
    }
    if (run->field.count > 1)
        ratio_cell(page, i, who);
    outcome_cell(page->to, result);
    fputs("</tr>\n", page->to);
}

void page_cases(const struct page *page)
{
    const char *heads[] = {
        "type", "shape",  " keys",  "who", " median ms", " min " DASH " max ms",
        NULL,   " ratio", "result", NULL};
    const struct run *const run = page->run;
    char unit[32];

    snprintf(unit, sizeof unit, " %s", page->unit.name);
    heads[6] = unit;
    if (run->field.count < 2) { /* nobody to be held against */
        heads[7] = heads[8];
        heads[8] = NULL;
    }
    fputs("<h2>Every case</h2>\n", page->to);
    open_table(page->to, heads);
    for (int i = 0; i < cases_total(&run->cases); i++) {
        fputs("<tbody class=\"case\">\n", page->to);
        for (int who = 0; who < run->field.count; who++)
            case_row(page, i, who);
        fputs("</tbody>\n", page->to);
    }
    close_table(page->to);
}
