/*
 * memory.c - linked with --wrap: calls of malloc come to __wrap_malloc.
 */
#include "memory.h"

#include <malloc.h>
#include <stdlib.h>

static _Thread_local int64_t live, peak;

void memory_watch(void)
{
    live = peak = 0;
}

uint64_t memory_peak(void)
{
    return (uint64_t)peak;
}

static void *taken(void *memory)
{
    live += (int64_t)malloc_usable_size(memory);
    peak = live > peak ? live : peak;
    return memory;
}

#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t bytes)
{
    return taken(__real_malloc(bytes));
}

WRAP(void *, calloc, size_t count, size_t bytes)
{
    return taken(__real_calloc(count, bytes));
}

WRAP(void *, aligned_alloc, size_t alignment, size_t bytes)
{
    return taken(__real_aligned_alloc(alignment, bytes));
}

WRAP(void *, realloc, void *memory, size_t bytes)
{
    live -= (int64_t)malloc_usable_size(memory);
    return taken(__real_realloc(memory, bytes));
}

WRAP(void, free, void *memory)
{
    live -= (int64_t)malloc_usable_size(memory);
    __real_free(memory);
}
