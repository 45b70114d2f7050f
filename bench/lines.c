/*
 * lines.c - a chart of lines over the number of keys.
 */
#include "chart.h"
#include "markup.h"
#include "scale.h"

#include <math.h>
#include <stdlib.h>

/* Lengths in the SVG's own units, in which a letter is at most LETTER wide. */
enum {
    WIDTH = 560,
    HIGH = 236,
    TOP = 28,
    BOTTOM = 42,
    LETTER = 7,
    NAME_LETTERS = 18,
    NAME_GAP = 15, /* from one name to the next */
    NAME_LEAD = 26 /* from the plot to a name */
};

struct frame {
    FILE *to;
    struct scale x, y;
    double left, wide, high;
};

/* A name at the end of its line. */
struct name {
    const char *text;
    int style;
    double from, at; /* where the line ends, where there is room */
};

static double place_x(const struct frame *frame, double x)
{
    return frame->left + frame->wide * scale_place(&frame->x, x);
}

static double place_y(const struct frame *frame, double y)
{
    return TOP + frame->high * (1 - scale_place(&frame->y, y));
}

static void widen(double value, double *least, double *most)
{
    if (!scale_takes(value))
        return;
    if (*least == 0 || value < *least)
        *least = value;
    if (value > *most)
        *most = value;
}

/* The last point of a series that is drawn, or NULL. */
static const struct point *last_point(const struct series *series)
{
    for (int i = series->count - 1; i >= 0; i--) {
        if (scale_takes(series->points[i].y))
            return &series->points[i];
    }
    return NULL;
}

static int by_end(const void *a, const void *b)
{
    const struct name *const x = a;
    const struct name *const y = b;

    return (x->from > y->from) - (x->from < y->from);
}

/* The axes, and the room that names and figures need around them. */
static struct frame frame_of(FILE *to, const struct chart *chart)
{
    struct frame frame = {.to = to};
    double x[2] = {0, 0};
    double y[2] = {0, 0};
    int names = chart->line > 0;
    int name_letters = chart->line > 0 ? markup_length(chart->line_name, NAME_LETTERS) : 0;
    int tick_letters = 1;

    widen(chart->line, &y[0], &y[1]);
    for (int s = 0; s < chart->series_count; s++) {
        const struct series *const series = &chart->series[s];
        const int letters = markup_length(series->name, NAME_LETTERS);

        for (int i = 0; i < series->count; i++) {
            widen(series->points[i].x, &x[0], &x[1]);
            widen(series->points[i].y, &y[0], &y[1]);
        }
        if (last_point(series)) {
            names++;
            name_letters = letters > name_letters ? letters : name_letters;
        }
    }
    frame.x = scale_powers(x[0], x[1], 8);
    frame.y = scale_log(y[0], y[1], 9);
    for (int i = 0; i < frame.y.count; i++) {
        char text[TICK_TEXT];
        const int letters = markup_length(scale_text(frame.y.ticks[i], text), TICK_TEXT);

        tick_letters = letters > tick_letters ? letters : tick_letters;
    }
    frame.left = 12 + LETTER * tick_letters;
    frame.wide = WIDTH - frame.left - NAME_LEAD - LETTER * name_letters;
    frame.high = names * NAME_GAP > HIGH ? names * NAME_GAP : HIGH;
    return frame;
}

static void draw_axes(const struct frame *frame, const char *unit)
{
    const double bottom = TOP + frame->high;
    char text[TICK_TEXT];

    fprintf(frame->to,
            "<rect class=\"plot\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>\n",
            frame->left, TOP, frame->wide, frame->high);
    fprintf(frame->to, "<text class=\"unit\" x=\"%.1f\" y=\"16\">%s</text>\n",
            frame->left - 4, unit);
    for (int i = 0; i < frame->y.count; i++) {
        const double y = place_y(frame, frame->y.ticks[i]);

        fprintf(frame->to,
                "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>"
                "<text class=\"tick end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                frame->left, y, frame->wide, frame->left - 7, y + 4,
                scale_text(frame->y.ticks[i], text));
    }
    for (int i = 0; i < frame->x.count; i++) {
        const double x = place_x(frame, frame->x.ticks[i]);

        fprintf(frame->to,
                "<path class=\"grid\" d=\"M%.1f %.1fv5\"/><text class=\"tick middle\" "
                "x=\"%.1f\" y=\"%.1f\">2<tspan class=\"power\" dy=\"-5\">%.0f</tspan>"
                "</text>\n",
                x, bottom, x, bottom + 20, log2(frame->x.ticks[i]));
    }
    fprintf(frame->to, "<text class=\"unit middle\" x=\"%.1f\" y=\"%.1f\">keys</text>\n",
            frame->left + frame->wide / 2, bottom + 36);
}

/* The line breaks where a result is missing or wrong. */
static void draw_line(const struct frame *frame, const struct series *series)
{
    int drawn = 0;

    fputs("<path class=\"line\" d=\"", frame->to);
    for (int i = 0; i < series->count; i++) {
        const struct point *const point = &series->points[i];

        if (!scale_takes(point->y) || point->wrong) {
            drawn = 0;
            continue;
        }
        fprintf(frame->to, "%c%.1f %.1f", drawn ? 'L' : 'M', place_x(frame, point->x),
                place_y(frame, point->y));
        drawn = 1;
    }
    fputs("\"/>\n", frame->to);
}

/* A mark for a figure that counts, a cross for one that does not. */
static void draw_point(const struct frame *frame, const struct series *series,
                       const struct point *point)
{
    const double x = place_x(frame, point->x);
    const double y = place_y(frame, point->y);

    fputs("<g>", frame->to);
    svg_tip(frame->to, series->name, point->tip);
    /* Around the mark, so that the mouse finds it. */
    fprintf(frame->to, "<circle class=\"target\" cx=\"%.1f\" cy=\"%.1f\" r=\"8\"/>", x, y);
    if (point->wrong)
        fprintf(frame->to,
                "<path class=\"wrong\" transform=\"translate(%.1f %.1f)\" "
                "d=\"M-5 -5L5 5M-5 5L5 -5\"/>",
                x, y);
    else
        svg_mark(frame->to, series->style, x, y);
    fputs("</g>\n", frame->to);
}

static void draw_points(const struct frame *frame, const struct series *series, int wrong)
{
    for (int i = 0; i < series->count; i++) {
        const struct point *const point = &series->points[i];

        if (scale_takes(point->y) && point->wrong == wrong)
            draw_point(frame, series, point);
    }
}

static void draw_series(const struct frame *frame, const struct series *series)
{
    if (!last_point(series))
        return;
    fputs("<g class=\"", frame->to);
    svg_class(frame->to, series->style);
    fputs("\">", frame->to);
    draw_line(frame, series);
    draw_points(frame, series, 0);
    fputs("</g>\n", frame->to);
}

static void draw_name(const struct frame *frame, const struct name *name)
{
    const double right = frame->left + frame->wide;

    fputs("<g class=\"", frame->to);
    svg_class(frame->to, name->style);
    fprintf(frame->to,
            "\"><path class=\"lead\" d=\"M%.1f %.1fL%.1f %.1f\"/>"
            "<text class=\"name\" x=\"%.1f\" y=\"%.1f\">",
            right + 6, name->from, right + NAME_LEAD - 6, name->at, right + NAME_LEAD - 2,
            name->at + 4);
    markup_short(frame->to, name->text, NAME_LETTERS);
    fputs("</text></g>\n", frame->to);
}

/* Each line's name at its right end, moved apart where lines end close together. */
static void draw_names(const struct frame *frame, const struct chart *chart)
{
    struct name names[CHART_SERIES + 1];
    double places[CHART_SERIES + 1];
    int count = 0;

    if (chart->line > 0)
        names[count++] = (struct name){chart->line_name, 0, place_y(frame, chart->line), 0};
    for (int s = 0; s < chart->series_count; s++) {
        const struct series *const series = &chart->series[s];
        const struct point *const last = last_point(series);

        if (last)
            names[count++] =
                (struct name){series->name, series->style, place_y(frame, last->y), 0};
    }
    qsort(names, (size_t)count, sizeof *names, by_end);
    for (int i = 0; i < count; i++)
        places[i] = names[i].from;
    scale_spread(places, count, NAME_GAP, TOP, TOP + frame->high);
    for (int i = 0; i < count; i++) {
        names[i].at = places[i];
        draw_name(frame, &names[i]);
    }
}

void chart_lines(FILE *to, const struct chart *chart)
{
    const struct frame frame = frame_of(to, chart);

    svg_open(to, "chart", WIDTH, TOP + frame.high + BOTTOM, chart->title);
    draw_axes(&frame, chart->unit);
    if (chart->line > 0)
        fprintf(to, "<path class=\"line s0 ours\" d=\"M%.1f %.1fh%.1f\"/>\n", frame.left,
                place_y(&frame, chart->line), frame.wide);
    /* The first series last, so that it lies on top, and what is wrong above all. */
    for (int s = chart->series_count - 1; s >= 0; s--)
        draw_series(&frame, &chart->series[s]);
    for (int s = 0; s < chart->series_count; s++)
        draw_points(&frame, &chart->series[s], 1);
    draw_names(&frame, chart);
    fputs("</svg>\n", to);
}
