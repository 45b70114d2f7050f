/*
 * report.h - what is told of a benchmark: on the terminal, and in files.
 */
#ifndef MW_BENCH_REPORT_H
#define MW_BENCH_REPORT_H

#include "../cli/json.h"
#include "stage.h"

/* A whole run: result `who` of case `i` is results[i * field.count + who]. */
struct run {
    struct wish wish;
    struct stage stage;
    struct cases cases;
    struct field field;
    struct result *results;
    char date[32];
    FILE *tsv;      /* or NULL */
    FILE *launches; /* or NULL */
    FILE *json_file;
    struct json json;
};

const struct result *run_result(const struct run *run, int i, int who);

/* How many times as long as the first one; 0 unless both were right. */
double run_ratio(const struct run *run, int i, int who);

/* ---- table.c: the terminal ---- */
void table_header(const struct run *run);
void table_copy(uint64_t bytes, const struct figures *figures);
void table_titles(const struct run *run);
void table_case(const struct run *run, const struct one_case *what);
void table_result(const struct run *run, int i, int who);
void table_notes(const struct run *run);
void table_phases(const struct run *run);
void table_summary(const struct run *run);

/* ---- files.c: TSV and JSON; 0, or -1 after a complaint ---- */
int files_open(struct run *run);
void files_copy(struct run *run, const struct one_case *what, uint64_t bytes,
                const struct figures *figures);
void files_results(struct run *run); /* after the last copy */
void files_result(struct run *run, int i, int who);
int files_close(struct run *run);

#endif
