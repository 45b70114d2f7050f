/*
 * backend_device.h - the backend of a device, opened up: for backend_device.c and
 * for tests that look inside.
 */
#ifndef MW_BACKEND_DEVICE_H
#define MW_BACKEND_DEVICE_H

#include "backend.h"
#include "passes.h"

struct device_backend {
    struct backend base;
    struct device *device;
    void *scratch; /* device memory that `run` keeps: keys, then workspace */
    uint64_t scratch_bytes;
    int timed;           /* has `log` got its times yet? */
    struct pass_log log; /* of the last request, if it was timed */
};

static inline struct device *backend_device(struct backend *backend)
{
    return ((struct device_backend *)backend)->device;
}

#endif
