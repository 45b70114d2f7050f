/*
 * host.c - what the host has: processors, and memory with large pages.
 */
#define _GNU_SOURCE /* sched_getaffinity and madvise are Linux's own */

#include "host.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HUGE_PAGE = 2 << 20,
    TOUCH_BYTES = 16 << 20, /* at once */
    TOUCH_MOST_THREADS = 16,
    POPULATE_WRITE = 23 /* MADV_POPULATE_WRITE, which older headers lack */
};

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

struct host_touch {
    char *memory;
    uint64_t bytes;
    _Atomic uint64_t next; /* byte to be touched */
    atomic_int ending;
    unsigned thread_count;
    pthread_t threads[TOUCH_MOST_THREADS];
};

/* An older kernel refuses: then there is nothing to do. */
static void *touch(void *argument)
{
    struct host_touch *const t = argument;
    int refused = 0;

    while (!t->ending && !refused) {
        const uint64_t at = atomic_fetch_add(&t->next, TOUCH_BYTES);
        const uint64_t left = at < t->bytes ? t->bytes - at : 0;

        refused = !left || madvise(t->memory + at, left < TOUCH_BYTES ? left : TOUCH_BYTES,
                                   POPULATE_WRITE) != 0;
    }
    return NULL;
}

struct host_touch *host_touch_begin(void *memory, uint64_t bytes)
{
    const unsigned half = host_processors() / 2;
    const unsigned most = half < TOUCH_MOST_THREADS ? half : TOUCH_MOST_THREADS;
    struct host_touch *const made = bytes > TOUCH_BYTES ? calloc(1, sizeof *made) : NULL;

    if (!made)
        return NULL;
    made->memory = memory;
    made->bytes = bytes;
    while (made->thread_count < most &&
           pthread_create(&made->threads[made->thread_count], NULL, touch, made) == 0)
        made->thread_count++;
    return made;
}

void host_touch_end(struct host_touch *t)
{
    if (!t)
        return;
    t->ending = 1;
    for (unsigned i = 0; i < t->thread_count; i++)
        pthread_join(t->threads[i], NULL);
    free(t);
}
