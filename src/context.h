/*
 * context.h - the handle: the one place that holds state.
 */
#ifndef MW_CONTEXT_H
#define MW_CONTEXT_H

#include "cpu/cpu.h"
#include "device.h"
#include "passes.h"
#include "plan.h"

struct mw_context {
    struct device *device; /* one of the two, the other is NULL */
    struct cpu *cpu;
    mw_info info;
    mw_tuning tuning;    /* what the caller wishes */
    mw_counts counts;    /* of the last sort, its traffic left at 0 */
    mw_timing timing;    /* are launches timed? */
    int timed;           /* has `log` got its times yet? */
    struct pass_log log; /* of the last sort, if it was timed */
    void *scratch;       /* device memory that mw_sort keeps: keys, then workspace */
    uint64_t scratch_bytes;
    struct error error;
};

/* MW_OK if the handle was opened; otherwise it can only tell its error. */
mw_status context_ready(mw_context *context);

#endif
