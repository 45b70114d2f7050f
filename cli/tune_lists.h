/*
 * tune_lists.h - which tunings `multiway tune` tries.
 */
#ifndef MW_CLI_TUNE_LISTS_H
#define MW_CLI_TUNE_LISTS_H

#include "sweep.h"

struct tune_lists {
    mw_tuning only; /* the engine; other fields that are not 0 are not swept */
    int quick;      /* fewer */
    uint32_t processors;
};

/* Engine tile: rows of a tile, keys of a row, ways. */
enum trials_result tune_tile(const struct tune_lists *lists, struct sweep *sweep);

/* Engine heap: ways and warps first; then base and threads, for the fastest of those. */
enum trials_result tune_heap(const struct tune_lists *lists, struct sweep *sweep);

/* P9 of the paper, its first part: the best number of warps for each number of ways. */
enum trials_result tune_paper(const struct tune_lists *lists, struct sweep *sweep);

#endif
