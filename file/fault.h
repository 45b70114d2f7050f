/*
 * fault.h - the first failure of a job on files: a status and a message.
 */
#ifndef MW_FILE_FAULT_H
#define MW_FILE_FAULT_H

#include "multiway_file.h"

#include <pthread.h>

/* Several threads may fail; the first failure is kept. */
struct fault {
    pthread_mutex_t lock;
    mw_status status; /* MW_OK: nothing failed */
    char message[sizeof((mw_file_report *)0)->message];
};

void fault_open(struct fault *fault);
void fault_close(struct fault *fault);

/* Note a failure; returns `status`. */
mw_status fault_note(struct fault *fault, mw_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "cannot <verb> <path>: <reason>", by an errno. */
mw_status fault_file(struct fault *fault, const char *verb, const char *path, int code);

/* The status so far. */
mw_status fault_status(struct fault *fault);

/* Go to `done` with the status of a call that failed. */
#define TRY(call)            \
    do {                     \
        status = (call);     \
        if (status != MW_OK) \
            goto done;       \
    } while (0)

#endif
