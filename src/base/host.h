/*
 * host.h - what the host has: processors, and memory with large pages.
 */
#ifndef MW_BASE_HOST_H
#define MW_BASE_HOST_H

#include <stdint.h>

/* Processors this process may run on, at least 1. */
unsigned host_processors(void);

/*
 * Memory that is worth large pages: aligned to them, and asking for them where
 * that is possible. Touching fresh small pages costs more than sorting in them. NULL if
 * there is none; to be freed.
 */
void *host_alloc(uint64_t bytes);

/*
 * Have threads touch memory of host_alloc from its beginning on, while others write to it:
 * the kernel clears each page at its first touch, which takes longer than to fill it. Its
 * contents do not change. NULL if that cannot be; must end before the memory is freed.
 */
struct host_touch;
struct host_touch *host_touch_begin(void *memory, uint64_t bytes);
void host_touch_end(struct host_touch *touch); /* NULL allowed */

#endif
