/*
 * passes.h - run a plan on a device: passes.c, in three lines.
 */
#ifndef MW_PASSES_H
#define MW_PASSES_H

#include "device.h"
#include "plan.h"

/* A first pass, and for each round the merge and, if that is another launch, cuts. */
enum { PASSES_MOST_LAUNCHES = 1 + 2 * PLAN_MOST_ROUNDS };

/* The launches of a timed sort; launch i ran between events i and i + 1. */
struct pass_log {
    int phases;     /* cuts get launches of their own */
    uint32_t round; /* of the next launches */
    uint32_t count;
    mw_launch launches[PASSES_MOST_LAUNCHES]; /* without their times */
    void *events[PASSES_MOST_LAUNCHES + 1];   /* kept for the next sort; NULL: not open */
};

/*
 * Enqueue the sort that `plan` describes: keys of `program`'s width in `keys`,
 * `count` of them, device memory, sorted in place by way of `workspace`, by
 * the code that makes them unsigned numbers. Does not wait. If `log` is not
 * NULL, launches are entered there and events are recorded around them.
 */
mw_status passes_sort(struct device *device, struct program *program,
                      const struct plan *plan, struct code code, void *keys, uint64_t count,
                      void *workspace, void *stream, struct pass_log *log);

/* Close the events of a log. */
void pass_log_close(struct device *device, struct pass_log *log);

#endif
