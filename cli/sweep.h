/*
 * sweep.h - many tunings of one sort, each timed once: a table as it grows, and the
 * fastest of them.
 */
#ifndef MW_CLI_SWEEP_H
#define MW_CLI_SWEEP_H

#include "trials.h"

#include <stdio.h>

enum { SWEEP_MOST = 256 };

struct sweep_row {
    mw_tuning wish;
    mw_tuning used; /* the same with every field filled in */
    uint32_t rounds;
    struct times times;
};

/* The first part is the caller's, with `trials` open. */
struct sweep {
    struct trials *trials;
    mw_tuning only; /* the engine; other fields that are not 0 are not swept */
    int quick;      /* fewer tunings */
    uint32_t processors;
    FILE *tsv; /* or NULL */

    struct sweep_row rows[SWEEP_MOST]; /* ratios are to the first */
    int count;
    int left_out;  /* tunings that the device does not support, ... */
    char why[256]; /* ... and its message for the first */
};

/* The names of the table's columns. */
void sweep_head(FILE *to, int tsv);

/*
 * Time this tuning, unless an earlier one had the same plan; print its row. A tuning
 * that the device does not support is left out, which is no failure.
 */
int sweep_try(struct sweep *sweep, const mw_tuning *wish);

/* Sweep engine `only.engine`. */
int sweep_engine(struct sweep *sweep);

/* P9 of the paper, its first part: the best number of warps for each number of ways. */
int sweep_paper(struct sweep *sweep);

/* The fastest row, or of those with `ways` if that is not 0; NULL: there is none. */
const struct sweep_row *sweep_best(const struct sweep *sweep, uint32_t ways);

#endif
