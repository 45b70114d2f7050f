/*
 * chart.h - charts as inline SVG: lines over a number of keys, and bars over groups.
 *
 * Colours, fonts and widths are those of the page's style sheet (report_style.c),
 * by class: `s0` to `s7` for the series, `limit` for what bounds them. Every point
 * and bar tells its exact figures to the mouse that rests on it.
 */
#ifndef MW_BENCH_CHART_H
#define MW_BENCH_CHART_H

#include <stdio.h>

enum { CHART_SERIES = 65, CHART_POINTS = 64, CHART_TIP = 224, CHART_STYLES = 8 };

/* The style of a series that is a limit, not a contestant. */
enum { STYLE_LIMIT = -1 };

struct point {
    double x, y; /* x: keys, or the number of a group; y: 0 for a gap */
    int wrong;   /* a figure that does not count */
    char tip[CHART_TIP];
};

/* Points in the order of their x. */
struct series {
    const char *name;
    int style; /* from 0, or STYLE_LIMIT */
    int count;
    struct point points[CHART_POINTS];
};

/* Large; callers allocate one and use it again. */
struct chart {
    const char *title; /* for who cannot see it */
    const char *unit;  /* of y */
    double line;       /* a straight line at this y, in the style of number 0; 0: none */
    const char *line_name;
    int series_count;
    struct series series[CHART_SERIES];
    int group_count; /* of bars */
    const char *groups[CHART_POINTS];
};

/* Has it a point that can be drawn? */
int chart_has_points(const struct chart *chart);

/* Lines over keys; both axes are logarithmic. */
void chart_lines(FILE *to, const struct chart *chart);

/*
 * Bars from zero, a group a heading. A series of style STYLE_LIMIT is drawn as a
 * mark across its group.
 */
void chart_bars(FILE *to, const struct chart *chart);

/* ---- shared by the above, and by legends ---- */

void svg_open(FILE *to, const char *class_name, double width, double height,
              const char *title);
void svg_class(FILE *to, int style);
void svg_mark(FILE *to, int style, double x, double y);
void svg_tip(FILE *to, const char *name, const char *tip);

/* A bit of line with its mark, or a box, as a picture of its own. */
enum swatch { SWATCH_LINE, SWATCH_BAR };
void svg_swatch(FILE *to, int style, enum swatch kind);

#endif
