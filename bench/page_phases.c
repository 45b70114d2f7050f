/*
 * page_phases.c - where the time of our own sorts goes, launch by launch.
 */
#include "page.h"

enum { BAR_WIDTH = 560, BAR_HIGH = 22 };

/* The number of a launch's kernel, in the order in which kernels appear. */
static int kernel_number(const struct result *result, size_t launch)
{
    int number = 0;

    for (size_t i = 0; i < launch; i++) {
        size_t before = 0;

        if (strcmp(result->launches[i].kernel, result->launches[launch].kernel) == 0)
            return kernel_number(result, i);
        while (strcmp(result->launches[before].kernel, result->launches[i].kernel) != 0)
            before++;
        number += before == i;
    }
    return number;
}

static int is_first(const struct result *result, size_t launch)
{
    for (size_t i = 0; i < launch; i++) {
        if (strcmp(result->launches[i].kernel, result->launches[launch].kernel) == 0)
            return 0;
    }
    return 1;
}

/* All time, or that of one kernel. */
static double time_of(const struct result *result, const char *kernel)
{
    double sum = 0;

    for (size_t i = 0; i < result->launch_count; i++) {
        if (!kernel || strcmp(result->launches[i].kernel, kernel) == 0)
            sum += result->launches[i].milliseconds;
    }
    return sum;
}

/* One bar, cut into launches. */
static void write_bar(FILE *to, const struct result *result, double total)
{
    double left = 0;

    svg_open(to, "share", BAR_WIDTH, BAR_HIGH, "The launches' shares of the time");
    for (size_t i = 0; i < result->launch_count; i++) {
        const mw_launch *const launch = &result->launches[i];
        const double width = BAR_WIDTH * launch->milliseconds / total;
        char tip[CHART_TIP];

        snprintf(tip, sizeof tip, "pass %u, %.6f ms, %.1f %%", (unsigned)launch->round,
                 launch->milliseconds, 100 * launch->milliseconds / total);
        fputs("<g class=\"", to);
        svg_class(to, kernel_number(result, i));
        fputs("\">", to);
        svg_tip(to, launch->kernel, tip);
        fprintf(to,
                "<rect class=\"part\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"/>"
                "</g>\n",
                left, width, BAR_HIGH);
        left += width;
    }
    fputs("</svg>\n", to);
}

/* Each kernel's share of the whole. */
static void write_shares(FILE *to, const struct result *result, double total)
{
    fputs("<ul class=\"legend\">\n", to);
    for (size_t i = 0; i < result->launch_count; i++) {
        const char *const kernel = result->launches[i].kernel;

        if (!is_first(result, i))
            continue;
        fputs("<li>", to);
        svg_swatch(to, kernel_number(result, i), SWATCH_BAR);
        markup_text(to, kernel);
        fprintf(to, " %.1f %%</li>\n", 100 * time_of(result, kernel) / total);
    }
    fputs("</ul>\n", to);
}

static void write_launches(FILE *to, const struct result *result, double total)
{
    fputs(
        "<div class=\"wide\">\n<table>\n<thead><tr><th scope=\"col\" class=\"n\">pass</th>"
        "<th scope=\"col\">kernel</th><th scope=\"col\" class=\"n\">blocks</th>"
        "<th scope=\"col\" class=\"n\">threads</th><th scope=\"col\" class=\"n\">ms</th>"
        "<th scope=\"col\" class=\"n\">share</th></tr></thead>\n<tbody>\n",
        to);
    for (size_t i = 0; i < result->launch_count; i++) {
        const mw_launch *const launch = &result->launches[i];
        char ms[FIGURE_TEXT];
        char share[FIGURE_TEXT];

        figure_text(total > 0 ? 100 * launch->milliseconds / total : 0, 1, share);
        fprintf(to, "<tr><td class=\"n\">%u</td><td>", (unsigned)launch->round);
        markup_text(to, launch->kernel);
        fprintf(to,
                "</td><td class=\"n\">%llu</td><td class=\"n\">%u</td>"
                "<td class=\"n\">%s</td><td class=\"n\">%s %%</td></tr>\n",
                (unsigned long long)launch->blocks, (unsigned)launch->threads,
                figure_text(launch->milliseconds, 4, ms), share);
    }
    fputs("</tbody>\n</table>\n</div>\n", to);
}

static void write_phases(const struct page *page, int i, int who)
{
    const struct result *const result = run_result(page->run, i, who);
    const double total = time_of(result, NULL);
    char text[FIGURE_TEXT];

    fputs("<h3>", page->to);
    markup_text(page->to, page->run->field.list[who].name);
    fputs(" on ", page->to);
    page_case(page, i);
    fprintf(page->to, ": %s ms together</h3>\n", figure_text(total, 4, text));
    if (total > 0) {
        write_bar(page->to, result, total);
        write_shares(page->to, result, total);
    }
    write_launches(page->to, result, total);
}

void page_phases(const struct page *page)
{
    const struct run *const run = page->run;
    int told = 0;

    if (!run->wish.phases)
        return;
    fputs("<h2>Launches</h2>\n", page->to);
    for (int i = 0; i < cases_total(&run->cases); i++) {
        for (int who = 0; who < run->field.count; who++) {
            if (!run_result(run, i, who)->launch_count)
                continue;
            write_phases(page, i, who);
            told = 1;
        }
    }
    if (!told)
        fputs(
            "<p>No launches were timed: only our own on a GPU or the simulator are.</p>\n",
            page->to);
}
