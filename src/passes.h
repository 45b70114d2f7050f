/*
 * passes.h - run a plan on a device: passes.c, in three lines.
 */
#ifndef MW_PASSES_H
#define MW_PASSES_H

#include "device.h"
#include "plan.h"

/* A first pass, and for each round the merge and, if that is another launch, cuts. */
enum { PASSES_MOST_LAUNCHES = 1 + 2 * PLAN_MOST_ROUNDS };

/* What a sort launched: launch i ran between the device's time marks i and i + 1. */
struct pass_log {
    int phases;     /* cuts are to be found by launches of their own */
    uint32_t round; /* of the launches that come next */
    uint32_t count;
    mw_launch launches[PASSES_MOST_LAUNCHES]; /* without their times */
};

/*
 * Enqueue the sort that `plan` describes: keys of `program`'s width in `keys`,
 * `count` of them, device memory, sorted in place by way of `workspace`, by
 * the code that makes them unsigned numbers. Does not wait. If `log` is not
 * NULL, launches are entered there and time marks are set around them.
 */
mw_status passes_sort(struct device *device, struct program *program,
                      const struct plan *plan, struct code code, void *keys, uint64_t count,
                      void *workspace, void *stream, struct pass_log *log);

#endif
