/*
 * copy.h - copies between host memory and the device, as fast as the bus allows.
 */
#ifndef MW_CUDA_COPY_H
#define MW_CUDA_COPY_H

#include "ferry.h"

enum { COPY_STAGED_FROM = 32 << 20 }; /* bytes; the driver makes smaller copies */

/* Who makes transfers: ferries[1] uploads, ferries[0] downloads; NULL: not started yet. */
struct copies {
    const struct driver *driver;
    CUcontext context;
    struct ferry *ferries[2];
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
 * may return earlier, except for large copies of pageable memory, which are transfers.
 * Our context is current.
 */
CUresult copy_run(struct copies *copies, const struct copy *copy);

/*
 * The verbs of device.h. If there is no page-locked memory for a ferry, the driver makes
 * the transfer, on `stream`, before the call returns.
 */
void copy_begin(struct copies *copies, struct transfer *transfer, CUstream stream);
CUresult copy_finish(struct copies *copies, struct transfer *transfer);

void copies_close(struct copies *copies);

#endif
