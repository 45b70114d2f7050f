/*
 * select.h - how rows are selected by rank on a device: what is looked at, and where
 * everything lies in the workspace. No launches: see backend_select.c.
 */
#ifndef MW_SELECT_H
#define MW_SELECT_H

#include "plan_parts.h"
#include "request.h"

enum {
    SELECT_LEAST_ROWS = 4096,    /* up to here all rows are sorted, ... */
    SELECT_LEAST_PART = 4,       /* ... or if more than a quarter of them is wanted */
    SELECT_SAMPLED_EACH = 16384, /* rows for each SM from which on samples save time */
    SELECT_STAGES_EACH = 6,      /* blocks for each SM that stage, ... */
    SELECT_COUNTS_EACH = 1,      /* ... that count ... */
    SELECT_FILTERS_EACH = 4      /* ... and that filter */
};

struct select_plan {
    uint32_t code_bytes;
    int is_sorted; /* by select_count */
    int is_sampled;
    uint64_t sample[2];
    uint64_t capacity;                /* rows that can be staged */
    uint64_t stages, counts, filters; /* blocks */
    uint32_t slack;
    uint32_t span;  /* tiles that a block of the filter takes together */
    uint64_t cells; /* to be cleared, at the beginning of the workspace */
    uint64_t bins_cell, buckets_cell, tiles_cell;
    uint64_t codes_offset, rows_offset; /* of staged rows */
    uint64_t samples_offset, collected_offset, rest_offset;
    uint64_t out_offset;  /* numbers of the result's rows */
    uint64_t sort_offset; /* workspace of the sort of the selected rows, up to the end */
};

/* Are the ranks worth a selection, or are all rows to be sorted? */
static inline int select_is_worth(uint64_t count, uint64_t wanted)
{
    return count > SELECT_LEAST_ROWS && wanted <= count / SELECT_LEAST_PART;
}

/* The greatest count for which they are not. */
static inline uint64_t select_most_sorted(uint64_t count, uint64_t wanted)
{
    const uint64_t most = wanted >= count / SELECT_LEAST_PART ? count
                          : SELECT_LEAST_PART * (wanted + 1) > SELECT_LEAST_ROWS
                              ? SELECT_LEAST_PART * (wanted + 1)
                              : SELECT_LEAST_ROWS;

    return most < count ? most : count;
}

/*
 * Plan a selection by codes of 4 or 8 bytes. Offsets never shrink as count and wanted
 * ranks grow in number, whatever the ranks are.
 */
void select_plan(struct select_plan *plan, const mw_info *info, uint32_t code_bytes,
                 uint64_t count, uint64_t first, uint64_t last);

#endif
