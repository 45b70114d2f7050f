/*
 * tally.h - the ledger of a sort, added up and held against the formulas.
 */
#ifndef MW_CLI_TALLY_H
#define MW_CLI_TALLY_H

#include "kit.h"

enum { TALLY_MOST_KERNELS = 16, TALLY_MOST_CLAIMS = 8 };

struct kernel_tally {
    const char *name;
    uint64_t launches;
    mw_traffic traffic;
    uint64_t merges;   /* engine pair: serial merges, counted once a warp, ... */
    mw_traffic serial; /* ... and the traffic of their reads */
};

/* One claim: what was counted, and what it should be, or at most be. */
struct claim {
    const char *row; /* in the list of the paper's claims, "" if none */
    const char *what;
    uint64_t counted;
    uint64_t formula;
    const char *text;   /* the formula */
    uint64_t allowance; /* how much more is accounted for, ... */
    const char *excuse; /* ... and by what; "" if nothing is */
    int in_percent;     /* how much more is also told in percent */
};

struct tally {
    mw_counts counts;
    const mw_ledger_line *lines; /* the handle's */
    size_t line_count;
    const mw_launch *launches; /* the handle's, too, if it timed the sort */
    size_t launch_count;
    struct kernel_tally kernels[TALLY_MOST_KERNELS];
    int kernel_count;
    mw_traffic total;
    mw_traffic bulk;     /* accesses that move keys in bulk, ... */
    mw_traffic searches; /* ... that search, in shared memory or for cuts, ... */
    mw_traffic merging;  /* ... and those of tile's merges that gather and scatter keys */
    struct claim claims[TALLY_MOST_CLAIMS];
    int claim_count;
};

/* Add up the handle's last sort, of keys of `type`; what passes moved, if it was timed. */
mw_status tally_make(struct tally *tally, mw_context *context, mw_type type);

/* Turns of the banks beyond those needed. */
uint64_t traffic_conflicts(const mw_traffic *traffic);

/* One number for how busy a line is; 0 if it caused no traffic. */
uint64_t traffic_weight(const mw_traffic *traffic);

/* Was as much counted as the formula says, or no more above it than is accounted for? */
int claim_holds(const struct claim *claim);

/* Does every claim hold? */
int tally_holds(const struct tally *tally);

#endif
