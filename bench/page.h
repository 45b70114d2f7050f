/*
 * page.h - what the files that write the report share.
 *
 * The report is one HTML page that needs nothing else: no script, no network, no
 * fonts of its own. It is well-formed as XML, too, which is how tests read it.
 */
#ifndef MW_BENCH_PAGE_H
#define MW_BENCH_PAGE_H

#include "chart.h"
#include "markup.h"
#include "report.h"

/* What throughput is told in: so that figures are neither long nor mostly zeros. */
struct unit {
    const char *name;
    double factor; /* times keys / ms */
};

struct page {
    FILE *to;
    const struct run *run;
    struct unit unit;
    struct chart *chart; /* for one after another */
};

/* Keys over time in the page's unit; 0 if there is no time. */
double page_throughput(const struct page *page, uint64_t count, const struct figures *ms);

/* "i32 random 2^20", raised where it should be. */
void page_case(const struct page *page, int i);

/* ---- page_style.c ---- */
void page_style(FILE *to);

/* ---- page_charts.c ---- */
void page_charts(const struct page *page);

/* ---- page_tables.c ---- */
void page_summary(const struct page *page);
void page_copies(const struct page *page);
void page_cases(const struct page *page);

/* ---- page_phases.c ---- */
void page_phases(const struct page *page);

#endif
