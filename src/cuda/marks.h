/*
 * marks.h - moments in a stream, as events of the driver, and the time between.
 *
 * Events are created when they are first needed and kept for later sorts. The
 * GPU's context is current during every call but the last.
 */
#ifndef MW_CUDA_MARKS_H
#define MW_CUDA_MARKS_H

#include "driver.h"

/* Start from all zero. */
struct marks {
    CUevent *events; /* those not created yet are NULL */
    uint32_t room;
};

/* Put mark `mark` behind what was enqueued on `stream`. */
CUresult marks_set(const struct driver *driver, struct marks *marks, uint32_t mark,
                   CUstream stream);

/* Wait for mark `mark` + 1; the milliseconds since `mark`. Both have been set. */
CUresult marks_between(const struct driver *driver, const struct marks *marks,
                       uint32_t mark, double *milliseconds);

/* Destroy the events; then, with or without a context, free their table. */
void marks_destroy(const struct driver *driver, struct marks *marks);
void marks_free(struct marks *marks);

#endif
