/*
 * lists_keys.h - merge lists of bare keys as the runs of a sort are merged.
 */
#ifndef MW_CPU_LISTS_KEYS_H
#define MW_CPU_LISTS_KEYS_H

#include "cpu/cpu.h"
#include "cpu/pool.h"

/* Is it a merge of keys of a built-in type, of which equal ones are the same bits? */
int lists_are_keys(const struct request *request);

/* Scratch memory of lists_merge_keys; it serves smaller requests as well. */
uint64_t lists_keys_scratch(const struct request *request);

/* Do keys stay in place until they are merged? Then this much scratch memory is enough. */
int lists_keys_stay(const struct request *request);
uint64_t lists_keys_least(const struct request *request);

/*
 * Merge such a request; `work` is WORK_BYTES for each thread. Returns 0, and may have
 * written anything to the output, if a list is not sorted or all but one are empty.
 */
int lists_merge_keys(struct pool *pool, const struct request *request, void *scratch,
                     void *work);

#endif
