/*
 * report.h - what is told of a benchmark: on the terminal, and in files.
 */
#ifndef MW_BENCH_REPORT_H
#define MW_BENCH_REPORT_H

#include "../cli/json.h"
#include "../cli/output.h"
#include "stage.h"

/* A plain copy of so many bytes. */
struct copy {
    uint64_t bytes;
    struct figures ms;
};

/* A whole run: result `who` of case `i` is results[i * field.count + who]. */
struct run {
    struct wish wish;
    struct stage stage;
    struct cases cases;
    struct field field;
    struct result *results;
    struct copy *copies; /* none twice; room for one a case */
    int copy_count;
    char date[32];
    FILE *tsv;      /* or NULL */
    FILE *launches; /* or NULL */
    FILE *json_file;
    char *created[3]; /* real names of those that were not there before */
    int created_count;
    int begun; /* 1: the files have been emptied and grow */
    struct json json;
    struct output report; /* if one is asked for */
};

const struct result *run_result(const struct run *run, int i, int who);

/* How many times as long as the first one; 0 unless both were right. */
double run_ratio(const struct run *run, int i, int who);

/* Was it sorted in a time that can be told, rightly or wrongly? */
int result_has_time(const struct result *result);

/* The copy of as many bytes, or NULL. */
const struct copy *run_copy(const struct run *run, uint64_t bytes);

/* What describes a run, line by line. `room` holds the texts made here. */
struct field_text {
    const char *name;
    const char *text;
};

enum { HEADER_LINES = 9, HEADER_ROOM = 2048 };

void run_describe(const struct run *run, struct field_text lines[HEADER_LINES],
                  char room[HEADER_ROOM]);

/* ---- table.c: the terminal ---- */
void table_header(const struct run *run);
void table_copy(uint64_t bytes, const struct figures *figures);
void table_titles(const struct run *run);
void table_case(const struct run *run, const struct one_case *what);
void table_result(const struct run *run, int i, int who);
void table_notes(const struct run *run);
void table_phases(const struct run *run);
void table_summary(const struct run *run);

/* ---- names.c ---- */

/*
 * 0 if no two of the files to write are one, or -1 after a complaint. Ask before any is
 * opened, so that none is harmed, and again when they are there: then links to nothing
 * are seen through, and names that a file system takes for one.
 */
int names_apart(const struct wish *wish);

/* ---- files.c: TSV and JSON; 0, or -1 after a complaint ---- */
int files_open(struct run *run);  /* changes none that is there */
int files_begin(struct run *run); /* empties all and writes their headers */
void files_copy(struct run *run, const struct one_case *what, uint64_t bytes,
                const struct figures *figures);
void files_results(struct run *run); /* after the last copy */
void files_result(struct run *run, int i, int who);
int files_close(struct run *run); /* removes those made by files_open if none began */

/* ---- page.c: the report, an HTML page; needs all results ---- */
int report_aim(struct run *run); /* refuses what cannot be written, before any work */
int report_write(struct run *run);
void report_drop(struct run *run);

#endif
