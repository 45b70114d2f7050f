/*
 * bars.c - a chart of bars in groups.
 */
#include "chart.h"
#include "markup.h"
#include "scale.h"

/* Lengths in the SVG's own units, in which a letter is at most LETTER wide. */
enum {
    WIDTH = 560,
    TOP = 28,
    BOTTOM = 42,
    LETTER = 7,
    GROUP_LETTERS = 24,
    FIGURE_ROOM = 64, /* behind the longest bar */
    BAR = 12,
    LEAST_BAR = 2, /* wide, to be seen at all */
    PITCH = 14,
    GROUP_GAP = 12
};

struct frame {
    FILE *to;
    struct scale scale;
    double left, wide, group_high;
    int bars; /* of a group */
};

static double place(const struct frame *frame, double value)
{
    return frame->left + frame->wide * scale_place(&frame->scale, value);
}

static struct frame frame_of(FILE *to, const struct chart *chart)
{
    struct frame frame = {.to = to};
    double most = chart->line;
    int letters = 1;

    for (int s = 0; s < chart->series_count; s++) {
        const struct series *const series = &chart->series[s];

        frame.bars += series->style != STYLE_LIMIT;
        for (int i = 0; i < series->count; i++) {
            if (scale_takes(series->points[i].y) && series->points[i].y > most)
                most = series->points[i].y;
        }
    }
    for (int g = 0; g < chart->group_count; g++) {
        const int length = markup_length(chart->groups[g], GROUP_LETTERS);

        letters = length > letters ? length : letters;
    }
    frame.scale = scale_linear(most, 5);
    frame.left = 16 + LETTER * letters;
    frame.wide = WIDTH - frame.left - FIGURE_ROOM;
    frame.group_high = frame.bars * PITCH + GROUP_GAP;
    return frame;
}

static void draw_axis(const struct frame *frame, const struct chart *chart)
{
    const double high = frame->group_high * chart->group_count;
    char text[TICK_TEXT];

    fprintf(frame->to,
            "<rect class=\"plot\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%.1f\"/>\n",
            frame->left, TOP, frame->wide, high);
    for (int i = 0; i < frame->scale.count; i++) {
        const double x = place(frame, frame->scale.ticks[i]);

        fprintf(frame->to,
                "<path class=\"grid\" d=\"M%.1f %dv%.1f\"/>"
                "<text class=\"tick middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                x, TOP, high + 4, x, TOP + high + 18,
                scale_text(frame->scale.ticks[i], text));
    }
    fprintf(frame->to, "<text class=\"unit middle\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            frame->left + frame->wide / 2, TOP + high + 35, chart->unit);
    for (int g = 0; g < chart->group_count; g++) {
        fprintf(frame->to, "<text class=\"group end\" x=\"%.1f\" y=\"%.1f\">",
                frame->left - 8, TOP + frame->group_high * (g + 0.5) + 4);
        markup_short(frame->to, chart->groups[g], GROUP_LETTERS);
        fputs("</text>\n", frame->to);
    }
}

/* Behind a bar its figure; where there is no bar, who it is that has none. */
static void write_figure(const struct frame *frame, const struct series *series,
                         const struct point *point)
{
    char text[FIGURE_TEXT];

    if (scale_takes(point->y)) {
        fputs(point->wrong ? "WRONG" : figure_text(point->y, 3, text), frame->to);
    } else {
        fputs(DASH " ", frame->to);
        markup_short(frame->to, series->name, GROUP_LETTERS);
    }
}

/* `row` is the bar's number in its group. */
static void draw_bar(const struct frame *frame, const struct series *series,
                     const struct point *point, int row)
{
    const double y = TOP + frame->group_high * point->x + GROUP_GAP / 2.0 + row * PITCH;
    const double length = place(frame, point->y) - frame->left;
    const double seen = !scale_takes(point->y) ? 0
                        : length > LEAST_BAR   ? length
                                               : LEAST_BAR;

    fputs("<g class=\"", frame->to);
    svg_class(frame->to, series->style);
    fputs("\">", frame->to);
    svg_tip(frame->to, series->name, point->tip);
    if (seen > 0)
        fprintf(frame->to,
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>",
                point->wrong ? "bar bad" : "bar", frame->left, y + 1, seen, BAR);
    fprintf(frame->to, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">",
            point->wrong ? "figure bad" : "figure", frame->left + seen + 5, y + 11);
    write_figure(frame, series, point);
    fputs("</text></g>\n", frame->to);
}

/* Across each group, since groups may have different limits. */
static void draw_limit(const struct frame *frame, const struct series *series)
{
    for (int i = 0; i < series->count; i++) {
        const struct point *const point = &series->points[i];
        const double x = place(frame, point->y);

        if (!scale_takes(point->y))
            continue;
        fputs("<g class=\"limit\">", frame->to);
        svg_tip(frame->to, series->name, point->tip);
        for (int top = 0; top < 2; top++) /* on a ground that sets it off from the bars */
            fprintf(frame->to, "<path class=\"%s\" d=\"M%.1f %.1fv%.1f\"/>",
                    top ? "line" : "ground", x, TOP + frame->group_high * point->x + 2,
                    frame->group_high - 4);
        if (i == 0) {
            fprintf(frame->to, "<text class=\"name middle\" x=\"%.1f\" y=\"%d\">", x,
                    TOP - 6);
            markup_text(frame->to, series->name);
            fputs("</text>", frame->to);
        }
        fputs("</g>\n", frame->to);
    }
}

static void draw_straight(const struct frame *frame, const struct chart *chart)
{
    const double x = place(frame, chart->line);

    fprintf(frame->to, "<path class=\"line s0 ours\" d=\"M%.1f %dv%.1f\"/>", x, TOP,
            frame->group_high * chart->group_count);
    fprintf(frame->to, "<text class=\"name middle\" x=\"%.1f\" y=\"%d\">", x, TOP - 6);
    markup_short(frame->to, chart->line_name, GROUP_LETTERS);
    fputs("</text>\n", frame->to);
}

void chart_bars(FILE *to, const struct chart *chart)
{
    const struct frame frame = frame_of(to, chart);
    int row = 0;

    svg_open(to, "chart", WIDTH, TOP + frame.group_high * chart->group_count + BOTTOM,
             chart->title);
    draw_axis(&frame, chart);
    for (int s = 0; s < chart->series_count; s++) {
        const struct series *const series = &chart->series[s];

        if (series->style == STYLE_LIMIT)
            continue;
        for (int i = 0; i < series->count; i++)
            draw_bar(&frame, series, &series->points[i], row);
        row++;
    }
    for (int s = 0; s < chart->series_count; s++) {
        if (chart->series[s].style == STYLE_LIMIT)
            draw_limit(&frame, &chart->series[s]);
    }
    if (chart->line > 0)
        draw_straight(&frame, chart);
    fputs("</svg>\n", to);
}
