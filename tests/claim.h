/*
 * claim.h - what the claims tests of the three engines share: one sort by a plan,
 * and its ledger by kinds of access. Sums of lines are taken by kernel and kind.
 */
#ifndef MW_TESTS_CLAIM_H
#define MW_TESTS_CLAIM_H

#include "cover.h"
#include "tap.h"
#include "trial.h"

/* A timed sort on the simulator, and what is known of it. */
struct claim {
    mw_context *context;
    const struct trial *trial;
    uint64_t size; /* of a key */
    mw_plan plan;
    mw_counts counts;
    const mw_ledger_line *lines;
    size_t line_count;
    const mw_launch *launches;
    size_t launch_count;
};

/* Sort; returns 1 if it went well and the figures are there. */
int claim_make(struct claim *claim, mw_context *context, const struct trial *trial);

/*
 * The traffic of a kernel's accesses of one kind. `kernel` may be the beginning of a
 * name: "tile_" stands for all kernels of engine tile.
 */
mw_traffic claim_sum(const struct claim *claim, const char *kernel, mw_access access,
                     int stores);

/* Note a line that conflicts more than it may; returns 0. */
int claim_conflict(const mw_ledger_line *line);

/* Requests of 32 keys, or fewer, that `count` keys take. */
uint64_t claim_blocks(uint64_t count);

/* Does case number `number` belong to `percent` of all cases, evenly spread? */
int claim_chosen(int number, int percent);

/* Open the simulator with timed launches; says so as a case. NULL if it fails. */
mw_context *claim_open(struct tap *tap);

#endif
