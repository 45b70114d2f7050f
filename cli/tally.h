/*
 * tally.h - the ledger of a sort in the simulator, added up and compared with formulas.
 *
 * A figure follows from the plan: bulk traffic of the first pass and of merging. Where
 * lists are cut depends on the keys, so a figure has a least value, reached when every
 * part of a list begins and ends at a multiple of 32 keys, and one that is never
 * exceeded. docs/model.md derives them. A claim is one of the paper's.
 */
#ifndef MW_CLI_TALLY_H
#define MW_CLI_TALLY_H

#include "kit.h"

/* Reads and writes are bulk requests of a warp. */
enum { FIRST_PASS = 0, MERGING = 4 };
enum {
    READS,
    READ_SECTORS,
    WRITES,
    WRITE_SECTORS,
    CONFLICTS = MERGING + 4, /* engine heap: wavefronts beyond the least */
    FIGURES
};

struct figure {
    const char *formula; /* NULL: not known for this engine */
    uint64_t least;
    uint64_t most;
    uint64_t counted;
};

/* "merging sectors read" */
const char *figure_name(int figure);
int figure_holds(const struct figure *figure);

/* What the plan of a sort says of its traffic; nothing is counted yet. */
void figures_of(struct figure figures[FIGURES], const mw_plan *plan, size_t key_size);

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

enum { TALLY_MOST_KERNELS = 16, TALLY_MOST_CLAIMS = 8 };

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
    mw_traffic merging;  /* engine tile: keys to be merged and merged keys, in merges */
    struct figure figures[FIGURES];
    struct claim claims[TALLY_MOST_CLAIMS];
    int claim_count;
};

/* Add up the handle's last sort, which was timed (MW_TIMING_LAUNCHES). */
mw_status tally_make(struct tally *tally, mw_context *context, mw_type type);

/* Do all figures and claims hold? */
int tally_holds(const struct tally *tally);

/* Wavefronts beyond the least. */
uint64_t traffic_conflicts(const mw_traffic *traffic);

#endif
