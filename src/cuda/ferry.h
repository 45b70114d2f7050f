/*
 * ferry.h - threads that make transfers of one direction through page-locked buffers.
 *
 * The driver copies page-locked memory at the bus's speed. Pageable memory it copies
 * through page-locked buffers of its own, with one thread, which is slower than the
 * bus. Here transfers are cut into pieces for several threads with two page-locked
 * buffers each: while one buffer is on the bus, the other is filled or emptied. Pieces of
 * memory that the caller has page-locked need no buffer.
 */
#ifndef MW_CUDA_FERRY_H
#define MW_CUDA_FERRY_H

#include "device.h"
#include "driver.h"

enum {
    FERRY_MOST_LANES = 8,   /* threads */
    FERRY_SLOTS = 2,        /* buffers of each */
    FERRY_PIECE = 4 << 20,  /* bytes of a buffer */
    FERRY_DIRECT = 16 << 20 /* bytes of a piece that needs no buffer */
};

struct ferry;

/*
 * Start the threads, half of the processors. `context` is current. On failure, which may be
 * that there is no page-locked memory, `*ferry` is NULL. Without threads, ferry_finish
 * makes the transfers.
 */
CUresult ferry_open(struct ferry **ferry, const struct driver *driver, CUcontext context);

/* All transfers are finished. NULL allowed. */
void ferry_close(struct ferry *ferry);

/* Queue a transfer, and wait for it. */
void ferry_begin(struct ferry *ferry, struct transfer *transfer);
CUresult ferry_finish(struct ferry *ferry, struct transfer *transfer);

#endif
