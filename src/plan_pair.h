/*
 * plan_pair.h - engine pair's part of plan_make: for plan.c alone.
 */
#ifndef MW_PLAN_PAIR_H
#define MW_PLAN_PAIR_H

#include "plan.h"

/* Fill in everything but the engine; MW_UNSUPPORTED if the wish has other numbers. */
mw_status plan_pair(struct plan *plan, size_t key_size, uint64_t count,
                    struct words *words);

#endif
