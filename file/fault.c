/*
 * fault.c - the first failure of a job on files.
 */
#define _XOPEN_SOURCE 700 /* the strerror_r that returns a number */

#include "fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fault_open(struct fault *fault)
{
    *fault = (struct fault){.status = MW_OK};
    pthread_mutex_init(&fault->lock, NULL);
}

void fault_close(struct fault *fault)
{
    pthread_mutex_destroy(&fault->lock);
}

mw_status fault_note(struct fault *fault, mw_status status, const char *format, ...)
{
    va_list list;

    pthread_mutex_lock(&fault->lock);
    if (fault->status == MW_OK) {
        fault->status = status;
        va_start(list, format);
        vsnprintf(fault->message, sizeof fault->message, format, list);
        va_end(list);
    }
    status = fault->status;
    pthread_mutex_unlock(&fault->lock);
    return status;
}

mw_status fault_file(struct fault *fault, const char *verb, const char *path, int code)
{
    char reason[128] = "unknown error";

    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    return fault_note(fault, MW_FILE_FAILED, "cannot %s %s: %s", verb, path, reason);
}

mw_status fault_status(struct fault *fault)
{
    mw_status status;

    pthread_mutex_lock(&fault->lock);
    status = fault->status;
    pthread_mutex_unlock(&fault->lock);
    return status;
}
