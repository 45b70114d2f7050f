/*
 * forecast.h - what a sort will ask of memory, by arithmetic alone: from its tuning,
 * its count and the size of its keys. Nothing is run. docs/model.md has the formulas.
 *
 * A figure lies between two numbers, which are the same wherever it depends on
 * nothing but those: such a forecast is exact. Where lists are cut depends on the
 * keys, and so do a few reads and writes at the ends of their parts; these figures
 * have a least value, reached when every end falls on a multiple of 32 keys, and one
 * that is never exceeded.
 */
#ifndef MW_CLI_FORECAST_H
#define MW_CLI_FORECAST_H

#include "kit.h"

enum { FORECAST_MOST_ROUNDS = 64 };

/* A read or write is one bulk request of a warp, an I/O of the model. */
enum figure_name {
    FIRST_READS,
    FIRST_READ_SECTORS, /* of 32 bytes */
    FIRST_WRITES,
    FIRST_WRITE_SECTORS,
    FIRST_WAVEFRONTS, /* turns of the banks of shared memory; heap */
    FIRST_SHUFFLES,
    FIRST_BARRIERS, /* once a warp */
    MERGE_READS,    /* of all rounds together, as the ledger has them */
    MERGE_READ_SECTORS,
    MERGE_WRITES,
    MERGE_WRITE_SECTORS,
    MERGE_BARRIERS,
    CONFLICTS,  /* wavefronts beyond the least; heap */
    WARP_BYTES, /* shared memory of a warp that merges */
    ROUNDS,
    LAUNCHES,
    FIGURES
};

struct figure {
    const char *pass; /* which kernels: "first pass", "merging", "" for the whole sort */
    const char *what;
    const char *formula;
    int known; /* 0: it depends on the keys, nothing is said of it */
    uint64_t least;
    uint64_t most;
    uint64_t counted; /* 0 until forecast_count */
};

struct forecast_round {
    uint64_t run;    /* keys of each list that comes in */
    uint64_t groups; /* of `ways` neighbouring lists */
    uint64_t pieces; /* of each group's output, made by a warp (heap) or a block */
    uint32_t ways;
};

struct forecast {
    mw_tuning tuning;
    uint64_t count;
    uint64_t key_size;
    uint32_t rounds;
    struct forecast_round round[FORECAST_MOST_ROUNDS];
    struct figure figures[FIGURES];
};

/* `tuning` is one that kit_get_tuning filled in for this count and size of keys. */
void forecast_make(struct forecast *forecast, const mw_tuning *tuning, size_t key_size,
                   uint64_t count);

/* Enter beside it what the simulator counted in that sort. */
void forecast_count(struct forecast *forecast, const mw_counts *counts,
                    const mw_ledger_line *lines, size_t line_count);

/* Is it known beforehand, to the last one? */
int figure_exact(const struct figure *figure);

/* Does what was counted lie where it should? */
int figure_holds(const struct figure *figure);

#endif
