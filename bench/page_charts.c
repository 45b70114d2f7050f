/*
 * page_charts.c - from results to charts: throughput and ratios over the number of
 * keys, times and ratios over shapes.
 *
 * Lines are drawn if there is more than one count. Bars are drawn over the shapes, at
 * the greatest count, if there is more than one; and where there is one shape and one
 * count, over the types, so that every report has a picture.
 */
#include "page.h"

/* What two charts side by side show, one type and shape or one count. */
struct view {
    const struct page *page;
    int cases[CHART_POINTS]; /* in the order in which they are drawn */
    int count;
    char title[160];
};

static void clear(struct chart *chart, const char *title, const char *unit)
{
    chart->title = title;
    chart->unit = unit;
    chart->line = 0;
    chart->line_name = "";
    chart->series_count = 0;
    chart->group_count = 0;
}

static struct series *add_series(struct chart *chart, const char *name, int style)
{
    struct series *const series = &chart->series[chart->series_count++];

    series->name = name;
    series->style = style;
    series->count = 0;
    return series;
}

/* The exact figures behind a point. */
static void tell(struct point *point, const struct page *page, const struct one_case *what,
                 const struct figures *ms)
{
    char keys[COUNT_TEXT];
    char figures[4][FIGURE_TEXT];

    snprintf(point->tip, sizeof point->tip, "%s %s, %s ms (%s to %s), %s %s%s",
             count_text(what->count, keys), mw_type_name(what->type),
             figure_text(ms->median, 6, figures[0]), figure_text(ms->least, 6, figures[1]),
             figure_text(ms->most, 6, figures[2]),
             figure_text(page_throughput(page, what->count, ms), 4, figures[3]),
             page->unit.name, point->wrong ? ", WRONG" : "");
}

/* A point for each case; `over_keys`: throughput over keys, else time over groups. */
static void add_times(const struct view *view, int who, int over_keys)
{
    const struct run *const run = view->page->run;
    struct series *const series =
        add_series(view->page->chart, run->field.list[who].name, who);

    for (int i = 0; i < view->count; i++) {
        const struct one_case what = cases_at(&run->cases, view->cases[i]);
        const struct result *const result = run_result(run, view->cases[i], who);
        struct point *const point = &series->points[series->count++];

        *point = (struct point){.x = over_keys ? (double)what.count : i};
        if (!result_has_time(result)) {
            snprintf(point->tip, sizeof point->tip, "%s",
                     result->outcome == FAILED ? "FAILED" : "no time");
            continue;
        }
        point->y = over_keys ? page_throughput(view->page, what.count, &result->ms)
                             : result->ms.median;
        point->wrong = result->outcome == WRONG;
        tell(point, view->page, &what, &result->ms);
    }
}

/* The same for a plain copy of the keys, which no sort can beat. */
static void add_copy(const struct view *view, int over_keys)
{
    const struct run *const run = view->page->run;
    struct series *const series = add_series(view->page->chart, "copy", STYLE_LIMIT);

    for (int i = 0; i < view->count; i++) {
        const struct one_case what = cases_at(&run->cases, view->cases[i]);
        const struct copy *const copy = run_copy(run, what.count * mw_type_size(what.type));
        struct point *const point = &series->points[series->count++];

        *point = (struct point){.x = over_keys ? (double)what.count : i};
        if (!copy || !(copy->ms.median > 0))
            continue;
        point->y = over_keys ? page_throughput(view->page, what.count, &copy->ms)
                             : copy->ms.median;
        tell(point, view->page, &what, &copy->ms);
    }
}

static void add_ratios(const struct view *view, int who, int over_keys)
{
    const struct run *const run = view->page->run;
    struct series *const series =
        add_series(view->page->chart, run->field.list[who].name, who);

    for (int i = 0; i < view->count; i++) {
        const struct one_case what = cases_at(&run->cases, view->cases[i]);
        struct point *const point = &series->points[series->count++];
        char keys[COUNT_TEXT];
        char figure[FIGURE_TEXT];

        *point = (struct point){.x = over_keys ? (double)what.count : i,
                                .y = run_ratio(run, view->cases[i], who)};
        snprintf(point->tip, sizeof point->tip, "%s %s, ratio %s",
                 count_text(what.count, keys), mw_type_name(what.type),
                 figure_text(point->y, 4, figure));
    }
}

static void add_groups(const struct view *view, int by_type)
{
    struct chart *const chart = view->page->chart;

    for (int i = 0; i < view->count; i++) {
        const struct one_case what = cases_at(&view->page->run->cases, view->cases[i]);

        chart->groups[chart->group_count++] =
            by_type ? mw_type_name(what.type) : what.shape->name;
    }
}

static void write_figure(const struct page *page, void draw(FILE *, const struct chart *),
                         const char *caption)
{
    fputs("<figure>\n", page->to);
    draw(page->to, page->chart);
    fprintf(page->to, "<figcaption>%s</figcaption>\n</figure>\n", caption);
}

enum kind { LINES, BARS_BY_SHAPE, BARS_BY_TYPE };

/* Ours is the straight line at 1; whoever lies above it takes longer. */
static void write_ratios(const struct view *view, enum kind kind)
{
    const struct run *const run = view->page->run;
    struct chart *const chart = view->page->chart;

    if (run->field.count < 2)
        return;
    clear(chart, "Ratios", "times as long");
    chart->line = 1;
    chart->line_name = run->field.list[0].name;
    for (int who = 1; who < run->field.count; who++)
        add_ratios(view, who, kind == LINES);
    if (kind != LINES)
        add_groups(view, kind == BARS_BY_TYPE);
    if (chart_has_points(chart))
        write_figure(view->page, kind == LINES ? chart_lines : chart_bars,
                     "Time of each over the time of the first; above 1, the first is "
                     "faster.");
}

static void write_view(const struct view *view, enum kind kind)
{
    const struct run *const run = view->page->run;
    struct chart *const chart = view->page->chart;
    FILE *const to = view->page->to;

    fputs("<h3>", to);
    markup_text(to, view->title);
    fputs("</h3>\n", to);
    clear(chart, kind == LINES ? "Throughput over the number of keys" : "Times",
          kind == LINES ? view->page->unit.name : "ms");
    for (int who = 0; who < run->field.count; who++)
        add_times(view, who, kind == LINES);
    add_copy(view, kind == LINES);
    if (kind != LINES)
        add_groups(view, kind == BARS_BY_TYPE);
    if (!chart_has_points(chart)) {
        fputs("<p>There is no time to draw.</p>\n", to);
        return;
    }
    fputs("<div class=\"pair\">\n", to);
    write_figure(view->page, kind == LINES ? chart_lines : chart_bars,
                 kind == LINES ? "Throughput: higher is better."
                               : "Time: shorter is better.");
    write_ratios(view, kind);
    fputs("</div>\n", to);
}

static void write_legend(const struct page *page, enum swatch swatch)
{
    const struct field *const field = &page->run->field;

    fputs("<ul class=\"legend\">\n", page->to);
    for (int who = 0; who < field->count; who++) {
        fputs("<li>", page->to);
        svg_swatch(page->to, who, swatch);
        markup_text(page->to, field->list[who].name);
        fputs("</li>\n", page->to);
    }
    if (page->run->copy_count) {
        fputs("<li>", page->to);
        svg_swatch(page->to, STYLE_LIMIT, SWATCH_LINE);
        fputs("copy of the keys</li>\n", page->to);
    }
    fputs("</ul>\n", page->to);
}

/* The numbers of the counts, ascending. Few: the simplest sort will do. */
static void order_counts(const struct cases *cases, int order[MOST_ITEMS])
{
    for (int i = 0; i < cases->count_count; i++) {
        int at = i;

        for (; at > 0 && cases->counts[order[at - 1]] > cases->counts[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static int case_number(const struct cases *cases, int type, int shape, int count)
{
    return (type * cases->shape_count + shape) * cases->count_count + count;
}

static void write_lines(const struct page *page, const int order[MOST_ITEMS])
{
    const struct cases *const cases = &page->run->cases;
    struct view view = {.page = page};

    fputs("<h2>Over the number of keys</h2>\n", page->to);
    write_legend(page, SWATCH_LINE);
    for (int type = 0; type < cases->type_count; type++) {
        for (int shape = 0; shape < cases->shape_count; shape++) {
            view.count = cases->count_count;
            for (int i = 0; i < view.count; i++)
                view.cases[i] = case_number(cases, type, shape, order[i]);
            snprintf(view.title, sizeof view.title, "%s, %s",
                     mw_type_name(cases->types[type]), cases->shapes[shape].name);
            write_view(&view, LINES);
        }
    }
}

static void write_shapes(const struct page *page, int count)
{
    const struct cases *const cases = &page->run->cases;
    struct view view = {.page = page};
    char keys[COUNT_TEXT];

    fputs("<h2>Over the shapes</h2>\n", page->to);
    write_legend(page, SWATCH_BAR);
    for (int type = 0; type < cases->type_count; type++) {
        view.count = cases->shape_count;
        for (int shape = 0; shape < view.count; shape++)
            view.cases[shape] = case_number(cases, type, shape, count);
        snprintf(view.title, sizeof view.title, "%s, %s keys",
                 mw_type_name(cases->types[type]), count_text(cases->counts[count], keys));
        write_view(&view, BARS_BY_SHAPE);
    }
}

static void write_types(const struct page *page)
{
    const struct cases *const cases = &page->run->cases;
    struct view view = {.page = page, .count = cases->type_count};
    char keys[COUNT_TEXT];

    fputs("<h2>Over the types</h2>\n", page->to);
    write_legend(page, SWATCH_BAR);
    for (int type = 0; type < cases->type_count; type++)
        view.cases[type] = case_number(cases, type, 0, 0);
    snprintf(view.title, sizeof view.title, "%s, %s keys", cases->shapes[0].name,
             count_text(cases->counts[0], keys));
    write_view(&view, BARS_BY_TYPE);
}

void page_charts(const struct page *page)
{
    const struct cases *const cases = &page->run->cases;
    int order[MOST_ITEMS];
    uint64_t least;
    uint64_t most;

    order_counts(cases, order);
    least = cases->counts[order[0]];
    most = cases->counts[order[cases->count_count - 1]];
    if (least < most)
        write_lines(page, order);
    if (cases->shape_count > 1)
        write_shapes(page, order[cases->count_count - 1]);
    else if (least == most)
        write_types(page);
}
