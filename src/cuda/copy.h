/*
 * copy.h - copies between host memory and the device, as fast as the bus allows.
 *
 * The driver copies page-locked memory at the bus's speed. Pageable memory it copies
 * through page-locked buffers of its own, with one thread, which is slower than the
 * bus. Large copies of pageable memory are therefore cut into chunks for a few threads
 * with two page-locked buffers each: while one buffer is on the bus, the other is
 * filled or emptied.
 */
#ifndef MW_CUDA_COPY_H
#define MW_CUDA_COPY_H

#include "driver.h"

enum {
    COPY_LANES = 4,             /* threads, including the caller's */
    COPY_SLOTS = 2,             /* buffers of each */
    COPY_CHUNK = 4 << 20,       /* bytes of a buffer */
    COPY_STAGED_FROM = 32 << 20 /* bytes; the driver makes smaller copies */
};

/* A page-locked buffer and the stream its chunks travel on. */
struct copy_slot {
    CUstream stream;
    unsigned char *buffer;
};

/* Made at the first large copy, kept until the device is closed. */
struct staging {
    unsigned char *memory;
    struct copy_slot slots[COPY_LANES][COPY_SLOTS];
};

struct copy {
    unsigned char *host;
    CUdeviceptr device;
    uint64_t bytes;
    CUstream stream;
    int upload; /* 1: from host to device; 0: from device to host */
};

/*
 * Copy after all earlier work on the copy's stream and before all later work. The call
 * may return earlier, except for large copies of pageable memory. `context` is current.
 * If there is no page-locked memory for staging, the driver makes all copies.
 */
CUresult copy_run(const struct driver *driver, CUcontext context, struct staging *staging,
                  const struct copy *copy);

void staging_free(const struct driver *driver, struct staging *staging);

#endif
