/*
 * table.h - figures for readers (text), programs (JSON) and files (tab-separated values):
 * fields and tables, described once, written in the form asked for.
 */
#ifndef MW_CLI_TABLE_H
#define MW_CLI_TABLE_H

#include "json.h"

struct report {
    enum { REPORT_TEXT, REPORT_TSV, REPORT_JSON } form;
    struct json json; /* its stream serves all forms */
};

struct cell {
    enum { CELL_TEXT, CELL_COUNT, CELL_REAL, CELL_TRUTH, CELL_TUNING, CELL_TRAFFIC } kind;
    union {
        const char *text;
        uint64_t count;
        double real; /* less than 0: unknown */
        int truth;
        const mw_tuning *tuning;
        const mw_traffic *traffic;
    };
};

/* clang-format off */
#define TEXT(value)    (struct cell){.kind = CELL_TEXT,    .text = (value)}
#define COUNT(value)   (struct cell){.kind = CELL_COUNT,   .count = (value)}
#define REAL(value)    (struct cell){.kind = CELL_REAL,    .real = (value)}
#define TRUTH(value)   (struct cell){.kind = CELL_TRUTH,   .truth = (value)}
#define TUNING(value)  (struct cell){.kind = CELL_TUNING,  .tuning = (value)}
#define TRAFFIC(value) (struct cell){.kind = CELL_TRAFFIC, .traffic = (value)}
/* clang-format on */

/* One figure: a line of text, unless it is "", or a member of the open JSON object. */
void report_field(struct report *report, const char *name, struct cell cell);

/* The same for a made input: type, count, shape, seed. */
void report_input(struct report *report, mw_type type, uint64_t count,
                  struct kit_shape shape, uint64_t seed);

/* A report on standard output, of which the first object is open. */
struct report report_begin(int json);

/* Begin and end an object of JSON, or a part of the text that begins with an empty line. */
void report_open(struct report *report, const char *name);
void report_close(struct report *report);

/*
 * Columns are named and given a width in text: "kernel:-11 launches:8 serial:0". Below
 * 0 is left-aligned, 0 is not in text. A traffic column is named "traffic". In JSON a
 * table is an array of objects, named `name`.
 */
struct table {
    struct report *report;
    const char *columns;
};

struct table table_open(struct report *report, const char *name, const char *columns);
void table_cells(const struct table *table, const struct cell *cells);
void table_close(const struct table *table);

#define table_row(table, ...) table_cells(table, (const struct cell[]){__VA_ARGS__})

#endif
