/*
 * crew.h - threads that make transfers of one direction through page-locked buffers.
 *
 * The driver copies page-locked memory at the bus's speed. Pageable memory it copies
 * through page-locked buffers of its own, with one thread, which is slower than the
 * bus. Here transfers are cut into pieces for several threads with two page-locked
 * buffers each: while one buffer is on the bus, the other is filled or emptied. Pieces of
 * memory that the caller has page-locked need no buffer.
 */
#ifndef MW_CUDA_CREW_H
#define MW_CUDA_CREW_H

#include "device.h"
#include "driver.h"

enum {
    CREW_MOST_LANES = 8,   /* threads */
    CREW_SLOTS = 2,        /* buffers of each */
    CREW_PIECE = 2 << 20,  /* bytes of a buffer: they stay in L2 */
    CREW_DIRECT = 16 << 20 /* bytes of a piece that needs no buffer */
};

struct crew;

/*
 * Start the threads, half of the processors. `context` is current. On failure, which may be
 * that there is no page-locked memory, `*crew` is NULL. Without threads, crew_finish makes
 * the transfers.
 */
CUresult crew_open(struct crew **crew, const struct driver *driver, CUcontext context);

/* All transfers are finished. NULL allowed. */
void crew_close(struct crew *crew);

/* Queue a transfer, and wait for it. */
void crew_begin(struct crew *crew, struct transfer *transfer);
CUresult crew_finish(struct crew *crew, struct transfer *transfer);

#endif
