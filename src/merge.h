/*
 * merge.h - MERGE on a device, straight from the caller's lists.
 */
#ifndef MW_MERGE_H
#define MW_MERGE_H

#include "lists.h"
#include "plan_lists.h"

/* One list of the caller's that is not empty. */
struct merge_list {
    uint64_t count;
    uint32_t number;
};

/* The table of a round in device memory. */
struct merge_table {
    wide *firsts, *at, *groups;
    uint64_t tiles;
};

/* What is merged, the plan, and the lists. */
struct merge_run {
    struct lists_run run;
    struct lists_sort sort; /* the same rows as of a sort */
    struct rows_shape rows_shape;
    struct lists_shape shape;
    struct lists_plan plan;
    struct program *program;
    struct rows rows; /* with places; they lie in columns on all sides */
    struct merge_list *lists;
    uint32_t list_count;
    uint64_t *firsts; /* the first row of each list of a round, and the end */
    struct merge_table table[LISTS_MOST_ROUNDS];
};

/* passes_merge.c: write the tables of all rounds, and clear flag and cuts. */
mw_status merge_put_tables(struct merge_run *m);

/* Enqueue a round. */
mw_status merge_round(struct merge_run *m, uint32_t number);

#endif
