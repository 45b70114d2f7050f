/*
 * svg.c - the small parts that charts are made of.
 */
#include "chart.h"
#include "markup.h"

/* Not as many as there are colours, so that those who share a colour differ here. */
static const char *const marks[] = {
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-3.5 -3.5h7v7h-7z",
    "M0 -4.6L4.4 3.4H-4.4z",
    "M0 -5L5 0L0 5L-5 0z",
    "M0 4.6L4.4 -3.4H-4.4z",
    "M-4.5 -1.5h3v-3h3v3h3v3h-3v3h-3v-3h-3z",
    "M-5 -2h10v4h-10z",
};

enum { MARK_COUNT = sizeof marks / sizeof *marks };

void svg_open(FILE *to, const char *class_name, double width, double height,
              const char *title)
{
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" "
            "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"",
            class_name, width, height);
    markup_text(to, title);
    fputs("\">\n", to);
}

void svg_class(FILE *to, int style)
{
    if (style == STYLE_LIMIT)
        fputs("limit", to);
    else
        fprintf(to, "s%d%s%s", style % CHART_STYLES, style == 0 ? " ours" : "",
                style >= CHART_STYLES ? " again" : "");
}

void svg_mark(FILE *to, int style, double x, double y)
{
    if (style == STYLE_LIMIT)
        return;
    fprintf(to, "<path class=\"mark\" transform=\"translate(%.1f %.1f)\" d=\"%s\"/>", x, y,
            marks[style % MARK_COUNT]);
}

void svg_tip(FILE *to, const char *name, const char *tip)
{
    fputs("<title>", to);
    markup_text(to, name);
    fputs(": ", to);
    markup_text(to, tip);
    fputs("</title>", to);
}

void svg_swatch(FILE *to, int style, enum swatch kind)
{
    fputs(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"swatch\" viewBox=\"0 0 28 14\" "
        "aria-hidden=\"true\"><g class=\"",
        to);
    svg_class(to, style);
    fputs("\">", to);
    if (kind == SWATCH_BAR) {
        fputs("<rect class=\"bar\" x=\"8\" y=\"1\" width=\"12\" height=\"12\"/>", to);
    } else {
        fputs("<path class=\"line\" d=\"M1 7H27\"/>", to);
        svg_mark(to, style, 14, 7);
    }
    fputs("</g></svg>", to);
}

int chart_has_points(const struct chart *chart)
{
    for (int s = 0; s < chart->series_count; s++) {
        for (int i = 0; i < chart->series[s].count; i++) {
            if (chart->series[s].style != STYLE_LIMIT && chart->series[s].points[i].y > 0)
                return 1;
        }
    }
    return 0;
}
