/*
 * placed.h - the arrays of a task in a device's memory.
 *
 *   placed_open, then jobs of kit_work_job, then placed_fetch, then placed_close, which is
 *   called in any case.
 *
 * Calls return 0, or not 0 after a complaint of `command`.
 */
#ifndef MW_CLI_PLACED_H
#define MW_CLI_PLACED_H

#include "task.h"

struct placed {
    const char *command;     /* these are set by the caller */
    mw_context *context;     /* the device */
    void *keys;              /* its memory for the input's keys */
    mw_context *host;        /* the CPU, which sorts lists; opened if it is NULL */
    struct kit_work work;    /* from here on by placed_open */
    struct kit_arrays there; /* device memory */
    void *out, *out_values;  /* host memory for a result */
};

/* The task that options name. `job` may be NULL for a sort. */
int task_read(const char *command, const char *operation, const char *job,
              struct kit_task *task);

/* Sort lists in `input`, in host memory, and put all arrays in place. */
int placed_open(struct placed *placed, const struct kit_task *task, mw_type type,
                uint64_t count, void *input);

/* Copy the result to the host. MW_OK, or what mw_download returned. */
mw_status placed_fetch(struct placed *placed);

/* Free all but the handles and the keys. */
void placed_close(struct placed *placed);

#endif
