/*
 * memory.c - memory of one mw_sort_across: of the handle, or of the host.
 */
#define _DEFAULT_SOURCE /* madvise */
#include "across.h"

#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { HUGE_PAGE = 2 << 20 };

/* One block for everything whose size depends on the number of ranks. */
static void *take(unsigned char *base, uint64_t *used, uint64_t count, uint64_t bytes)
{
    void *const at = base ? base + *used : NULL;

    *used += (count * bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
}

static uint64_t lay_out(struct across *a, unsigned char *base)
{
    const uint64_t ranks = a->ranks, most = ranks * MOST_PLACES;
    uint64_t used = 0;

    a->hellos = take(base, &used, ranks, sizeof *a->hellos);
    a->hello = take(base, &used, 1, sizeof *a->hello);
    a->firsts = take(base, &used, ranks, sizeof *a->firsts);
    a->targets = take(base, &used, ranks + 1, sizeof *a->targets);
    a->cuts = take(base, &used, ranks + 1, sizeof *a->cuts);
    a->search.asks = take(base, &used, ranks, sizeof *a->search.asks);
    a->search.ends = take(base, &used, ranks, sizeof *a->search.ends);
    a->asked = take(base, &used, ranks, sizeof *a->asked);
    a->send.bytes = take(base, &used, ranks, 8);
    a->send.at = take(base, &used, ranks, 8);
    a->receive.bytes = take(base, &used, ranks, 8);
    a->receive.at = take(base, &used, ranks, 8);
    a->samples_sent = take(base, &used, most, a->sample_bytes);
    a->samples = take(base, &used, most, a->sample_bytes);
    if (a->sample_arrays > 1)
        a->unpacked =
            take(base, &used, most * a->sample_bytes + a->sample_arrays * ALIGNMENT, 1);
    a->search.begins = take(base, &used, ranks + 1, sizeof *a->search.begins);
    a->search.merged = take(base, &used, most, sizeof *a->search.merged);
    a->search.places = take(base, &used, most, sizeof *a->search.places);
    a->search.estimates = take(base, &used, most, sizeof *a->search.estimates);
    a->search.cursors = take(base, &used, ranks, sizeof *a->search.cursors);
    a->numbers = take(base, &used, 2 * ranks, sizeof *a->numbers);
    a->tables = take(base, &used, ranks, sizeof *a->tables);
    a->list_columns =
        take(base, &used, ranks * (a->array_count + 1), sizeof *a->list_columns);
    return used;
}

mw_status desk_make(struct across *a)
{
    const uint64_t bytes = lay_out(a, NULL);

    a->desk = bytes < SIZE_MAX / 2 ? aligned_alloc(ALIGNMENT, (size_t)bytes) : NULL;
    if (!a->desk)
        return refuse(a, MW_NO_MEMORY, "cannot allocate %llu bytes for %u ranks",
                      (unsigned long long)bytes, a->ranks);
    lay_out(a, a->desk);
    return MW_OK;
}

/* Touching fresh pages takes about as long as the exchange: large ones are fewer. */
void *pages_alloc(uint64_t bytes)
{
    const uint64_t unit = bytes < HUGE_PAGE ? ALIGNMENT : HUGE_PAGE;
    const uint64_t room = (bytes / unit + 1) * unit;
    void *const memory =
        bytes < SIZE_MAX / 2 ? aligned_alloc((size_t)unit, (size_t)room) : NULL;

#if defined(MADV_HUGEPAGE)
    if (memory && unit == HUGE_PAGE)
        madvise(memory, (size_t)room, MADV_HUGEPAGE);
#endif
    return memory;
}

mw_status memory_alloc(struct across *a, uint64_t bytes, void **memory)
{
    if (a->is_device)
        return mw_alloc(a->context, bytes, memory);
    *memory = pages_alloc(bytes);
    return *memory ? MW_OK
                   : refuse(a, MW_NO_MEMORY, "cannot allocate %llu bytes",
                            (unsigned long long)bytes);
}

void memory_free(struct across *a, void *memory)
{
    if (a->is_device)
        mw_free(a->context, memory);
    else
        free(memory);
}

/* Is the room the communicator's? */
static int is_kept(const struct across *a)
{
    return !a->is_device && (a->comm->flags & MW_COMM_KEEPS_MEMORY);
}

static void room_free(struct across *a)
{
    if (is_kept(a))
        mw_across_release(a->comm);
    else
        memory_free(a, a->room);
    a->room = NULL;
    a->room_bytes = 0;
}

mw_status room_make(struct across *a, uint64_t bytes)
{
    mw_status status;

    if (is_kept(a)) {
        a->room = a->comm->kept;
        a->room_bytes = a->comm->kept_bytes;
    }
    if (bytes <= a->room_bytes)
        return MW_OK;
    room_free(a);
    TRY(memory_alloc(a, bytes, &a->room));
    a->room_bytes = bytes;
    if (is_kept(a)) {
        a->comm->kept = a->room;
        a->comm->kept_bytes = bytes;
    }
done:
    return status;
}

void mw_across_release(mw_comm *comm)
{
    if (!comm)
        return;
    free(comm->kept);
    comm->kept = NULL;
    comm->kept_bytes = 0;
}

void across_free(struct across *a)
{
    free(a->staged[1]);
    free(a->staged[0]);
    if (!is_kept(a))
        room_free(a);
    for (uint32_t i = 0; i < a->array_count; i++)
        memory_free(a, a->arrays[i].own);
    free(a->desk);
    free(a->columns);
    free(a->arrays);
}
