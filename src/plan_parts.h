/*
 * plan_parts.h - what plan.c, plan_tile.c and plan_pair.c share.
 */
#ifndef MW_PLAN_PARTS_H
#define MW_PLAN_PARTS_H

#include "plan.h"

/* The smallest tile; engine heap's smallest base is HEAP_GRID. */
enum { PLAN_LEAST_BASE = 512 };

static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static inline uint64_t round_up(uint64_t a, uint64_t b)
{
    return divide_up(a, b) * b;
}

static inline int power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Engine tile's part of plan_make: everything but the workspace. */
mw_status plan_tile(struct plan *plan, const mw_info *info, size_t key_size, uint64_t count,
                    struct error *error);

/* Engine pair's part: all of it. MW_UNSUPPORTED if the wish has other numbers. */
mw_status plan_pair(struct plan *plan, size_t key_size, uint64_t count,
                    struct error *error);

/* Lay out the workspace for the rounds that the plan has, of engine heap or tile. */
void plan_workspace(struct plan *plan, size_t key_size, uint64_t count);

#endif
