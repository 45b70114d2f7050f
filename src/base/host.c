/*
 * host.c - what the host has: processors, and memory with large pages.
 */
#define _GNU_SOURCE /* sched_getaffinity and madvise are Linux's own */

#include "host.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HUGE_PAGE = 2 << 20 };

unsigned host_processors(void)
{
#if defined(__linux__)
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    return online > 0 ? (unsigned)online : 1;
}

void *host_alloc(uint64_t bytes)
{
    const uint64_t rounded = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    void *const memory = rounded < bytes || rounded > SIZE_MAX
                             ? NULL
                             : aligned_alloc(HUGE_PAGE, (size_t)rounded);

#if defined(MADV_HUGEPAGE)
    if (memory)
        madvise(memory, (size_t)rounded, MADV_HUGEPAGE);
#endif
    return memory;
}
