/*
 * report.h - the results of a run: on the terminal, in files, and as a page.
 */
#ifndef MW_BENCH_REPORT_H
#define MW_BENCH_REPORT_H

#include "../cli/output.h"
#include "bench.h"

#include <stdio.h>

/* A plain copy of `bytes` bytes. */
struct copy {
    uint64_t bytes;
    struct times ms;
};

/* What describes a run, line by line. */
struct field_text {
    const char *name, *text;
};

enum { HEADER_LINES = 9 };

/* One of the files that a run writes to. */
struct file {
    const char *path; /* NULL: not asked for */
    FILE *to;
    char *created; /* its real name if it was not there before */
};

enum { FILE_TSV, FILE_LAUNCHES, FILE_JSON, FILE_COUNT };

/* A whole run: result `who` of case `i` is number i * field.count + who. */
struct run {
    struct wish wish;
    struct stage stage;
    struct cases cases;
    struct field field;
    struct result *results;
    int measured;        /* how many results there are so far */
    struct copy *copies; /* one for each number of bytes */
    int copy_count;
    struct field_text header[HEADER_LINES];
    char command[2048], date[32]; /* texts of the header */
    struct file files[FILE_COUNT];
    int begun; /* 1: the files have been emptied */
    struct output report;
};

/* One result with all that belongs to it. */
struct entry {
    int who;          /* the contestant's number, ... */
    const char *name; /* ... and name */
    struct one_case what;
    const struct result *result;
    double ratio; /* time / time of contestant 0; 0 unless both were right */
};

int run_total(const struct run *run); /* how many results there will be */
struct entry run_entry(const struct run *run, int number);

/* The copy of `bytes` bytes, or NULL. */
const struct copy *run_copy(const struct run *run, uint64_t bytes);

/* ---- table.c: the terminal ---- */
void table_header(const struct run *run);
void table_copy(const struct copy *copy);
void table_titles(const struct run *run);
void table_case(const struct run *run, const struct one_case *what);
void table_result(const struct run *run, int number);
void table_notes(const struct run *run);
void table_phases(const struct run *run);
void table_summary(const struct run *run);

/* ---- files.c: TSV, which grows as the run goes, and JSON, written at its end ---- */

/* Open all files, change none, and refuse two names of one file. */
int files_open(struct run *run);
int files_begin(struct run *run); /* empties all and writes headers */
void files_copy(struct run *run, const struct one_case *what, const struct copy *copy);
void files_result(struct run *run, int number);
int files_close(struct run *run); /* removes new files if the run never began */

/* ---- json.c ---- */
extern const char *const outcome_names[];

void run_json(const struct run *run, FILE *to); /* what was measured so far, an object */

/* The report, an HTML page; needs all results. */
int page_aim(struct run *run); /* refuses what cannot be written, before any work */
int page_write(struct run *run);
void page_drop(struct run *run);

#endif
