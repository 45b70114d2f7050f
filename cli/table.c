/*
 * table.c - fields and tables, as text, JSON or TSV.
 */
#include "table.h"

#include "options.h"

#include <inttypes.h>

enum { WORDS = 192, DECIMALS = 3 };

static const char traffic_head[] =
    "     shared wavefronts conflicts    global   sectors  distinct   shuffles  barriers";

static void traffic_text(const mw_traffic *t, char text[WORDS])
{
    snprintf(text, WORDS,
             "%10" PRIu64 " %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64
             " %10" PRIu64 " %9" PRIu64,
             t->shared_requests, t->shared_wavefronts,
             t->shared_wavefronts - t->shared_ideal, t->global_requests, t->global_sectors,
             t->global_distinct, t->shuffles, t->barriers);
}

/* The cell's text; what is unknown is a dash. */
static const char *cell_text(const struct cell *cell, char text[WORDS])
{
    switch (cell->kind) {
    case CELL_TEXT:
        return cell->text;
    case CELL_TRUTH:
        return cell->truth ? "yes" : "NO";
    case CELL_COUNT:
        snprintf(text, WORDS, "%" PRIu64, cell->count);
        break;
    case CELL_REAL:
        if (cell->real < 0)
            return "-";
        snprintf(text, WORDS, "%.*f", DECIMALS, cell->real);
        break;
    case CELL_TUNING:
        snprintf(text, WORDS, "engine %s, ways %u, warps %u, threads %u, items %u, base %u",
                 engine_name(cell->tuning->engine), cell->tuning->ways, cell->tuning->warps,
                 cell->tuning->threads, cell->tuning->items, cell->tuning->base);
        break;
    case CELL_TRAFFIC:
        traffic_text(cell->traffic, text);
        break;
    }
    return text;
}

static void json_cell(struct json *json, const char *name, const struct cell *cell)
{
    switch (cell->kind) {
    case CELL_TEXT:
        json_text(json, name, cell->text);
        break;
    case CELL_COUNT:
        json_count(json, name, cell->count);
        break;
    case CELL_REAL:
        if (cell->real >= 0)
            json_real(json, name, cell->real);
        break;
    case CELL_TRUTH:
        json_truth(json, name, cell->truth);
        break;
    case CELL_TUNING:
        json_tuning(json, name, cell->tuning);
        break;
    case CELL_TRAFFIC:
        json_traffic(json, name, cell->traffic);
        break;
    }
}

void report_field(struct report *report, const char *name, struct cell cell)
{
    char text[WORDS] = "";
    const char *const value = cell_text(&cell, text);

    if (report->form == REPORT_JSON)
        json_cell(&report->json, name, &cell);
    else if (*value)
        fprintf(report->json.to, "%-20s %s\n", name, value);
}

void report_input(struct report *report, mw_type type, uint64_t count,
                  struct kit_shape shape, uint64_t seed)
{
    char text[SHAPE_WORDS];

    shape_text(shape, text);
    report_field(report, "type", TEXT(mw_type_name(type)));
    report_field(report, "count", COUNT(count));
    report_field(report, "shape", TEXT(text));
    report_field(report, "seed", COUNT(seed));
}

struct report report_begin(int json)
{
    struct report report = {json ? REPORT_JSON : REPORT_TEXT, {.to = stdout}};

    if (json)
        json_open(&report.json, NULL, '{');
    return report;
}

void report_open(struct report *report, const char *name)
{
    if (report->form == REPORT_JSON)
        json_open(&report->json, name, '{');
    else
        putc('\n', report->json.to);
}

void report_close(struct report *report)
{
    if (report->form == REPORT_JSON)
        json_close(&report->json, '{');
}

/* Take the first of the columns; returns the rest, or NULL if there was none. */
static const char *next_column(const char *columns, char name[WORDS], int *width)
{
    int length = 0;

    if (sscanf(columns, " %31[^:]:%d%n", name, width, &length) < 2)
        return NULL;
    return columns + length;
}

/* A row, or without cells the names of columns. No blanks follow the last one. */
static void write_row(const struct table *table, const struct cell *cells)
{
    const int tabs = table->report->form == REPORT_TSV;
    FILE *const to = table->report->json.to;
    const char *between = "";
    const char *rest = table->columns;
    char name[WORDS];
    char text[WORDS];
    int width;

    for (int i = 0; (rest = next_column(rest, name, &width)); i++) {
        const char *const head = strcmp(name, "traffic") == 0 ? traffic_head : name;

        if (!tabs && width == 0)
            continue;
        fprintf(to, "%s%*s", between, tabs || (!*rest && width < 0) ? 0 : width,
                cells ? cell_text(&cells[i], text) : head);
        between = tabs ? "\t" : " ";
    }
    putc('\n', to);
    fflush(to);
}

struct table table_open(struct report *report, const char *name, const char *columns)
{
    const struct table table = {report, columns};

    if (report->form == REPORT_JSON) {
        json_open(&report->json, name, '[');
        return table;
    }
    if (report->form == REPORT_TEXT)
        putc('\n', report->json.to);
    write_row(&table, NULL);
    return table;
}

void table_cells(const struct table *table, const struct cell *cells)
{
    struct json *const json = &table->report->json;
    const char *rest = table->columns;
    char name[WORDS];
    int width;

    if (table->report->form != REPORT_JSON) {
        write_row(table, cells);
        return;
    }
    json_open(json, NULL, '{');
    for (int i = 0; (rest = next_column(rest, name, &width)); i++)
        json_cell(json, name, &cells[i]);
    json_close(json, '{');
}

void table_close(const struct table *table)
{
    if (table->report->form == REPORT_JSON)
        json_close(&table->report->json, '[');
}
