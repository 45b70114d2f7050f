/*
 * gpu.h - a GPU as the files of this folder share it: its state, how to enter its
 * context, and the verbs that stand in another file than device.c.
 */
#ifndef MW_CUDA_GPU_H
#define MW_CUDA_GPU_H

#include "cache.h"
#include "copy.h"
#include "device.h"
#include "driver.h"

struct gpu {
    struct device base; /* first: the verbs get a pointer to it */
    struct driver driver;
    CUdevice number;
    CUcontext context;    /* the primary one, which the CUDA runtime uses too */
    struct block *blocks; /* a list: allocations not yet freed */
    struct copies copies;
    struct cache *cache;
    struct program *programs; /* a list; loaded or about to be */
};

static inline struct gpu *gpu_of(struct device *device)
{
    return (struct gpu *)device;
}

/* Make our context current; leave() restores the caller's. */
static inline mw_status enter(struct gpu *gpu)
{
    return driver_check(&gpu->driver, gpu->base.error,
                        gpu->driver.CtxPushCurrent(gpu->context),
                        "cannot enter the context of %s", gpu->base.info.device);
}

static inline void leave(struct gpu *gpu)
{
    CUcontext popped;

    gpu->driver.CtxPopCurrent(&popped);
}

/* stream.c: streams, events and copies. */
mw_status gpu_stream_open(struct device *device, void **stream);
void gpu_stream_close(struct device *device, void *stream);
mw_status gpu_wait(struct device *device, void *stream);
mw_status gpu_wait_all(struct device *device);
mw_status gpu_event_open(struct device *device, void **event);
void gpu_event_close(struct device *device, void *event);
mw_status gpu_record(struct device *device, void *event, void *stream);
mw_status gpu_follow(struct device *device, void *stream, void *event);
mw_status gpu_elapsed(struct device *device, void *first, void *second,
                      double *milliseconds);
mw_status gpu_upload(struct device *device, void *memory, const void *from, uint64_t bytes,
                     void *stream);
mw_status gpu_download(struct device *device, void *to, const void *memory, uint64_t bytes,
                       void *stream);
void gpu_begin(struct device *device, struct transfer *transfer);
mw_status gpu_finish(struct device *device, struct transfer *transfer);

#endif
