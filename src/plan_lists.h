/*
 * plan_lists.h - how to merge lists: pure arithmetic, as in plan.h.
 *
 * Some rounds merge groups of neighbouring lists. A round need not merge all of them: the
 * first ones are merged, the others stay where the caller has them until a later round.
 */
#ifndef MW_PLAN_LISTS_H
#define MW_PLAN_LISTS_H

#include "plan_parts.h"

enum { LISTS_MOST_ROUNDS = 4 }; /* 32^4 lists are more than a job can have */

struct lists_round {
    uint32_t runs;   /* lists that earlier rounds made; they come first */
    uint32_t taken;  /* lists of the caller's that these are made of */
    uint32_t lists;  /* runs, and the lists of the caller's that are left */
    uint32_t merged; /* of these, the first ones are merged, ... */
    uint32_t groups; /* ... in groups of about the same number */
    uint32_t ways;   /* a power of two: the most lists of a group, or more */
    uint64_t piece;  /* the most keys of a tile */
};

struct lists_plan {
    struct program_name program;
    uint32_t shared; /* of a block */
    uint32_t rounds; /* 0 if there is no list */
    struct lists_round round[LISTS_MOST_ROUNDS];

    /* Where parts of the workspace begin; they are the same for all lists of one job. */
    uint64_t table_offset;
    uint64_t cuts_offset;  /* a flag, and then cells of cuts ... */
    uint64_t cut_cells;    /* ... of this number: no round has more */
    uint64_t spare_offset; /* the second array */
    uint64_t workspace_bytes;
};

/* What lists are merged, as far as plans must know. */
struct lists_shape {
    struct plan_keys keys;
    uint32_t arrays;      /* addresses of each list in the table */
    uint64_t spare_bytes; /* where rows are between rounds, besides the output */
};

/*
 * Program and workspace for at most `list_count` lists of `count` rows in all; no rounds
 * yet. The workspace never shrinks if either grows. MW_UNSUPPORTED if there is no program.
 */
mw_status lists_plan_room(struct lists_plan *plan, const mw_tuning *wish,
                          const mw_info *info, const struct lists_shape *shape,
                          uint32_t list_count, uint64_t count, struct error *error);

/*
 * The rounds that take the least time for `list_count` lists, none of them empty; list i
 * has the rows from firsts[i] to firsts[i + 1].
 */
void lists_plan_rounds(struct lists_plan *plan, struct plan_keys keys,
                       const uint64_t *firsts, uint32_t list_count);

/* The tiles of a round of these lists; `firsts` become those of the next round. */
uint64_t lists_round_tiles(const struct lists_round *round, uint64_t *firsts);

/* The first list of group `group` of a round; that of group `groups` is the end. */
static inline uint32_t lists_group_first(const struct lists_round *round, uint32_t group)
{
    return (uint32_t)((uint64_t)round->merged * group / round->groups);
}

#endif
