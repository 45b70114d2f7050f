/*
 * select_keys.h - the first bare keys of many: no numbers of rows, only keys.
 */
#ifndef MW_CPU_SELECT_KEYS_H
#define MW_CPU_SELECT_KEYS_H

#include "cpu/rows.h"

/* Do it as select_rows does, or nothing and return 0, where there is a better way. */
int select_keys(struct pool *pool, const struct request *request,
                const struct row_range *range, void *work);

/* Are there only keys of a built-in type, sorted as numbers, with nothing to carry? */
int select_is_bare(const struct request *request);

#endif
