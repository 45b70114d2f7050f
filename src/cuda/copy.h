/*
 * copy.h - copies between pageable host memory and the device at the speed of
 * the bus.
 *
 * The driver copies pageable memory through page-locked buffers of its own,
 * with one processor; that processor, not the bus, is what limits it. Large
 * copies are therefore cut into chunks dealt to a few threads, each with two
 * page-locked buffers: while one is on the bus the other is filled or emptied.
 */
#ifndef MW_CUDA_COPY_H
#define MW_CUDA_COPY_H

#include "driver.h"

enum {
    COPY_LANES = 4,             /* threads, the caller's included */
    COPY_SLOTS = 2,             /* buffers of each */
    COPY_CHUNK = 4 << 20,       /* bytes of a buffer */
    COPY_STAGED_FROM = 32 << 20 /* a copy of fewer bytes is left to the driver */
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
    int upload; /* 1: from host to device; 0: from device to host */
};

/*
 * Copy and wait, ordered behind whatever the default stream was given before.
 * `context` is current. Large copies make the staging memory; if the machine
 * cannot spare that, they too are left to the driver.
 */
CUresult copy_run(const struct driver *driver, CUcontext context, struct staging *staging,
                  const struct copy *copy);

void staging_free(const struct driver *driver, struct staging *staging);

#endif
