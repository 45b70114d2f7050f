/*
 * tally.h - the ledger of a sort in the simulator, added up and compared with formulas.
 */
#ifndef MW_CLI_TALLY_H
#define MW_CLI_TALLY_H

#include "table.h"

/* What was counted, and what it should be. */
struct claim {
    const char *row; /* in the list of the paper's claims, "" if none */
    const char *what;
    uint64_t counted;
    uint64_t formula;
    const char *text;   /* the formula */
    uint64_t allowance; /* how much more is explained ... */
    const char *excuse; /* ... by this */
};

/* Is the count the formula's, or larger by at most the allowance? */
int claim_holds(const struct claim *claim);

struct kernel_tally {
    const char *name;
    uint64_t launches;
    mw_traffic traffic;
    mw_traffic serial; /* engine pair: reads of serial merges, ... */
    uint64_t merges;   /* ... and how many of these each warp made, added up */
};

/* The first claims follow from the plan: reads and writes, bulk requests of a warp. */
enum {
    READS,
    READ_SECTORS,
    WRITES,
    WRITE_SECTORS,
    MERGING, /* the same of merging, after those of the first pass */
    PLANNED = 2 * MERGING,
    TALLY_MOST_CLAIMS = PLANNED + 8,
    TALLY_MOST_KERNELS = 16
};

struct tally {
    mw_plan plan;
    mw_counts counts;
    const mw_ledger_line *lines; /* the handle's, as the launches */
    size_t line_count;
    const mw_launch *launches;
    size_t launch_count;
    struct kernel_tally kernels[TALLY_MOST_KERNELS];
    int kernel_count;
    mw_traffic bulk;     /* keys between global memory and blocks */
    mw_traffic searches; /* binary searches, for cuts too */
    mw_traffic probes;   /* of these, keys and samples read to find cuts */
    uint64_t cuts;       /* of lists, that were stored */
    mw_traffic merging;  /* engine tile: keys to be merged and merged keys, in merges */
    struct claim claims[TALLY_MOST_CLAIMS];
    int claim_count;
    int correct; /* the caller's: the result was the input in order */
};

/*
 * Plan a sort, after mw_set_tuning, and bound its bulk traffic; nothing is counted yet.
 * Where lists are cut depends on the keys, so such a claim has an allowance.
 * docs/model.md derives it.
 */
mw_status tally_plan(struct tally *tally, mw_context *context, const mw_tuning *tuning,
                     mw_type type, uint64_t count);

/* Add up the handle's last sort, which was timed (MW_TIMING_LAUNCHES). */
mw_status tally_make(struct tally *tally, mw_context *context, mw_type type);

/* The same of any other job: it has no plan and no claims. */
mw_status tally_add(struct tally *tally, mw_context *context);

/* Do all claims hold? */
int tally_holds(const struct tally *tally);

/* Write the claims; with what was counted if the sort was run. */
void tally_report(struct report *report, const struct tally *tally, int ran);

#endif
