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

#endif
