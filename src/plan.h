/*
 * plan.h - how to sort: pure arithmetic, no device, no memory.
 *
 * A plan says which engine and base size, how many rounds of how many ways, how
 * each round's output is cut into pieces, and how many bytes of workspace that
 * takes. It is a plain value: it owns nothing and needs no cleanup.
 */
#ifndef MW_PLAN_H
#define MW_PLAN_H

#include "base/base.h"
#include "kernels/programs.h"

enum { PLAN_MOST_ROUNDS = 64 };

/* The single numbers of tune.def: PLAN_MOST_JOINED and so on. */
enum {
#define TUNE_NUMBER(name, value) PLAN_##name = value,
#include "tune.def"
};

/* A sort under one wish uses at most a program for each row of tune.def, heap's, tally's.
 */
enum {
    PLAN_MOST_PROGRAMS = 2
#define TUNE_TILE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) +1
#define TUNE_PLACES(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) +1
#define TUNE_LARGE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) +1
#include "tune.def"
};

/* What is sorted: keys, or codes that carry rows with them, by programs with places. */
struct plan_keys {
    size_t size; /* bytes of a key or code */
    int places;
    int large; /* tests: take engine tile's program for 2^32 keys and more in any case */
};

static inline struct plan_keys plan_bare(size_t size)
{
    return (struct plan_keys){.size = size};
}

/* One merge round. */
struct plan_round {
    uint64_t run;     /* keys in each sorted run that comes in */
    uint64_t groups;  /* groups of `ways` neighbouring runs */
    uint64_t pieces;  /* pieces of each group's output: merge tasks (heap), tiles (tile) */
    uint64_t piece;   /* keys in a piece; heap: a multiple of 32, tile: roughly */
    uint64_t blocks;  /* of the merge launch; tile: those that merge, ... */
    uint64_t cutters; /* ... and those that find cuts, unless it is joined, ... */
    uint64_t ahead;   /* ... of these, the ones before all others */
    uint32_t ways;    /* runs merged at once */
    int joined;       /* tile: every block finds the cuts of its tile, tile_join; ... */
    int ranked;       /* ... or, if this is set, too, keys find their ranks, tile_ranks */
};

/* Engine deal's part of a plan, and where in the workspace its arrays begin. */
struct plan_deal {
    uint32_t buckets; /* 0: the plan is another engine's */
    uint32_t shares;
    uint32_t samples;
    uint32_t fill; /* keys that a tile will have, about */
    uint32_t pieces;
    uint32_t most_equal;
    uint32_t alike;
    uint64_t dealers; /* blocks of deal_out, ... */
    uint64_t mergers; /* ... and of deal_merge at most */
    uint64_t most_tiles;
    uint64_t room_count; /* keys of the array at the workspace's beginning */
    uint64_t head, reach, bins, bucket_of, first, start, next, fine, tile_of, tile_next,
        tiles, frequent;
};

/* What engine tally has instead of rounds. The totals of its rows begin the workspace. */
struct plan_tally {
    uint64_t counts_offset; /* where in the workspace each array begins (tally_rows) */
    uint64_t carries_offset;
    uint64_t carry_count_offset;
    uint64_t starts_offset;
    uint64_t write_blocks;
    uint32_t write_vectors; /* of 16 bytes, for each thread */
    uint32_t sum_blocks;
    uint32_t sum_threads;
};

struct plan {
    mw_tuning tuning;            /* every field filled */
    struct program_name program; /* whose kernels are launched ... */
    kernel_set kernels;          /* ... and the set of these; 0 for 0 keys */
    uint32_t rounds;
    uint32_t launches;
    uint64_t base_blocks; /* of the first pass: base case, sorting of tiles, counting */
    uint32_t base_threads;
    uint32_t base_shared; /* bytes a block */
    uint32_t merge_shared;
    uint64_t key_bytes;       /* of the whole array */
    uint64_t workspace_bytes; /* the second array, unless its keys have places; cuts, */
                              /*   and for tile these: */
    uint64_t cuts_offset;     /* where in the workspace each begins */
    uint64_t cut_cells;       /* of the round that has most */
    uint64_t samples_offset;
    uint64_t spare_samples_offset; /* the same if there is only one round */
    struct plan_deal deal;
    struct plan_tally tally;
    struct plan_round round[PLAN_MOST_ROUNDS]; /* last: only `rounds` of them are set */
};

/* What all sorts of up to some count need. */
struct plan_cover {
    uint64_t workspace_bytes;
    uint32_t program_count;
    struct plan_program {
        struct program_name name;
        kernel_set kernels; /* the set of those that may be launched */
    } program[PLAN_MOST_PROGRAMS];
};

/*
 * Is `tuning` one that plan_make can follow on some device? Fields may be 0. The error
 * names the field that is wrong.
 */
mw_status plan_check(const mw_tuning *tuning, struct error *error);

/*
 * The plan for `count` keys on a device described by `info`, following `wish` where it is
 * not 0 and the tuning table elsewhere. MW_BAD_ARGUMENT if `count` is beyond what memory
 * or a grid can address. MW_UNSUPPORTED if the wish needs more shared memory than a block
 * can have, or if its engine does not take the count, the key size or other fields of the
 * wish. A device need not have kernels for every geometry: loading may still fail.
 */
mw_status plan_make(struct plan *plan, const mw_tuning *wish, const mw_info *info,
                    struct plan_keys keys, uint64_t count, struct error *error);

/*
 * What every sort of at most `count` keys needs, under the same wish on the same device:
 * for each c <= count workspace_bytes is at least that of plan_make(c), and its kernels
 * are among those of its program here. Fails as plan_make(count) does. A smaller count
 * that plan_make refuses needs nothing: it will be refused when it is asked for.
 */
mw_status plan_cover(struct plan_cover *cover, const mw_tuning *wish, const mw_info *info,
                     struct plan_keys keys, uint64_t count, struct error *error);

/*
 * The kernels that take the place of the set `kernels` with MW_TIMING_PHASES, where
 * engine tile's cuts have a launch of their own.
 */
static inline kernel_set plan_kernels_in_phases(kernel_set kernels)
{
    return kernels & KERNEL_SET(KERNEL_TILE_MERGE) ? kernels | KERNEL_SET(KERNEL_TILE_CUT)
                                                   : kernels;
}

#endif
