/*
 * sweep.h - many tunings of one sort, each timed once: a table as it grows, and
 * which of them was the fastest.
 */
#ifndef MW_CLI_SWEEP_H
#define MW_CLI_SWEEP_H

#include "trials.h"

#include <stdio.h>

enum { SWEEP_MOST = 256 };

struct sweep_row {
    mw_tuning wish;
    struct times times;
};

/* Begin with `trials` open and the rest 0; the first row is what others are held to. */
struct sweep {
    struct trials *trials;
    FILE *tsv; /* or NULL */
    struct sweep_row rows[SWEEP_MOST];
    int count;
    int left_out;  /* tunings this device does not have ... */
    char why[256]; /* ... and what it said of the first */
};

void sweep_head(void);
void sweep_head_tsv(FILE *tsv);

/*
 * Time this tuning, unless the same came of an earlier one; print its row. A tuning
 * that the device does not have is left out, which is no failure.
 */
enum trials_result sweep_try(struct sweep *sweep, const mw_tuning *wish);

/* The fastest row, or of those with `ways` if that is not 0; NULL: there is none. */
const struct sweep_row *sweep_best(const struct sweep *sweep, uint32_t ways);

#endif
