/*
 * memory.c - allocations, found by address, and their marks.
 */
#include "memory.h"

#include "banks.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 256, RUBBISH = 0xa5 };

/* The first allocation that ends after `at`. */
static size_t place_of(const struct memory *memory, uintptr_t at)
{
    size_t lo = 0;
    size_t hi = memory->count;

    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;

        if (memory->list[mid].first + memory->list[mid].bytes <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static int make_room(struct memory *memory)
{
    const size_t capacity = memory->capacity ? 2 * memory->capacity : 16;
    struct allocation *list;

    if (memory->count < memory->capacity)
        return 0;
    list = realloc(memory->list, capacity * sizeof *list);
    if (!list)
        return -1;
    memory->list = list;
    memory->capacity = capacity;
    return 0;
}

void *memory_take(struct memory *memory, uint64_t bytes)
{
    struct allocation fresh = {.bytes = bytes ? bytes : 1};
    void *first;
    size_t at;

    if (bytes > SIZE_MAX / 2 || make_room(memory) != 0)
        return NULL;
    first = aligned_alloc(ALIGNMENT, (fresh.bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (!first)
        return NULL;
    memset(first, RUBBISH, fresh.bytes);
    fresh.first = (uintptr_t)first;
    at = place_of(memory, fresh.first);
    memmove(memory->list + at + 1, memory->list + at,
            (memory->count - at) * sizeof *memory->list);
    memory->list[at] = fresh;
    memory->count++;
    return first;
}

static void forget(struct allocation *allocation)
{
    free(allocation->shadow);
    free(allocation->sectors);
    free(allocation->open);
    allocation->shadow = NULL;
    allocation->sectors = NULL;
    allocation->open = NULL;
}

void memory_give(struct memory *memory, void *first)
{
    const size_t at = place_of(memory, (uintptr_t)first);

    if (at == memory->count || memory->list[at].first != (uintptr_t)first)
        return;
    forget(&memory->list[at]);
    free(first);
    memory->count--;
    memmove(memory->list + at, memory->list + at + 1,
            (memory->count - at) * sizeof *memory->list);
}

void memory_close(struct memory *memory)
{
    for (size_t i = 0; i < memory->count; i++) {
        forget(&memory->list[i]);
        free((void *)memory->list[i].first);
    }
    free(memory->list);
}

static int holds(const struct allocation *allocation, uintptr_t at, uint64_t bytes)
{
    return at >= allocation->first && bytes <= allocation->bytes &&
           at - allocation->first <= allocation->bytes - bytes;
}

struct allocation *memory_find(struct memory *memory, uintptr_t at, uint64_t bytes)
{
    if (memory->recent >= memory->count ||
        !holds(&memory->list[memory->recent], at, bytes)) {
        const size_t found = place_of(memory, at);

        if (found == memory->count || !holds(&memory->list[found], at, bytes))
            return NULL;
        memory->recent = found;
    }
    return &memory->list[memory->recent];
}

const struct allocation *memory_nearest(const struct memory *memory, uintptr_t at)
{
    const size_t next = place_of(memory, at);
    const struct allocation *const above =
        next < memory->count ? memory->list + next : NULL;
    const struct allocation *const below = next > 0 ? memory->list + next - 1 : NULL;

    if (!above || !below || above->first <= at)
        return above ? above : below;
    return above->first - at < at - (below->first + below->bytes) ? above : below;
}

void shadow_refine(struct shadow *marks, uint64_t count, uint32_t by)
{
    for (uint64_t i = count; i-- > 0;) {
        const struct shadow mark = marks[i];

        for (uint64_t j = 0; j < UINT64_C(1) << by; j++)
            marks[(i << by) + j] = mark;
    }
}

/* The first marks of an allocation: no access yet. */
static int first_marks(struct allocation *allocation, uint32_t shift)
{
    const uint64_t sectors = (allocation->bytes + SECTOR - 1) / SECTOR;

    allocation->shadow =
        calloc((allocation->bytes >> shift) + 1, sizeof *allocation->shadow);
    allocation->sectors = calloc(sectors, sizeof *allocation->sectors);
    allocation->shift = shift;
    if (allocation->shadow && allocation->sectors)
        return 0;
    forget(allocation);
    return -1;
}

int memory_mark(struct allocation *allocation, uint32_t bytes)
{
    const uint32_t shift = (uint32_t)__builtin_ctz(bytes);

    if (!allocation->shadow)
        return first_marks(allocation, shift);

    const uint32_t by = allocation->shift - shift;
    const uint64_t before = (allocation->bytes >> allocation->shift) + 1;
    struct shadow *const finer =
        realloc(allocation->shadow, (before << by) * sizeof *finer);

    if (!finer)
        return -1;
    shadow_refine(finer, before, by);
    allocation->shadow = finer;
    allocation->shift = shift;
    return 0;
}

int memory_mark_open(struct allocation *allocation, uint64_t offset)
{
    if (!allocation->open) {
        allocation->open =
            calloc(allocation->bytes / OPEN_BYTES + 1, sizeof *allocation->open);
        if (!allocation->open)
            return -1;
        allocation->open_first = offset;
        allocation->open_last = offset;
    }
    if (offset < allocation->open_first)
        allocation->open_first = offset;
    if (offset + OPEN_BYTES > allocation->open_last)
        allocation->open_last = offset + OPEN_BYTES;
    return 0;
}

uint32_t memory_meet(struct memory *memory, const uint64_t *sectors, uint32_t count,
                     int wrote, uint64_t launch)
{
    uint32_t fresh = 0;

    for (uint32_t i = 0; i < count; i++) {
        const uintptr_t at = (uintptr_t)(sectors[i] * SECTOR);
        const struct allocation *const a = memory_find(memory, at, 1);
        struct sector *const sector = &a->sectors[(at - a->first) / SECTOR];

        if (wrote) {
            fresh += sector->wrote != launch;
            sector->wrote = launch;
        } else {
            fresh += sector->read != launch && sector->wrote != launch;
            sector->read = launch;
        }
    }
    return fresh;
}

void memory_forget(struct memory *memory)
{
    for (size_t i = 0; i < memory->count; i++)
        forget(&memory->list[i]);
}
