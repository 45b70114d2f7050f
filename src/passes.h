/*
 * passes.h - run a plan on a device: multiway.c, in three lines.
 */
#ifndef MW_PASSES_H
#define MW_PASSES_H

#include "device.h"
#include "plan.h"

/*
 * Enqueue the sort that `plan` describes: keys of `program`'s width in `keys`,
 * `count` of them, device memory, sorted in place by way of `workspace`, by
 * the code that makes them unsigned numbers. Does not wait.
 */
mw_status passes_sort(struct device *device, struct program *program,
                      const struct plan *plan, struct code code, void *keys, uint64_t count,
                      void *workspace, void *stream);

#endif
