/*
 * log.c - putting the accesses of single lanes together to requests of a warp.
 */
#include "log.h"

#include <stdlib.h>

static struct log_visits *slot_of(struct log_visits *index, uint32_t capacity,
                                  uint64_t meeting, const struct simt_site *site)
{
    const uint64_t mixed = (uintptr_t)site * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t slot = (uint32_t)(mixed >> 32) & (capacity - 1);

    while (index[slot].meeting == meeting && index[slot].site != site)
        slot = (slot + 1) & (capacity - 1);
    return &index[slot];
}

static int grow_index(struct log *log)
{
    const uint32_t capacity = log->index_capacity ? 2 * log->index_capacity : 64;
    struct log_visits *index;

    if (2 * log->index_used < log->index_capacity)
        return 0;
    index = calloc(capacity, sizeof *index);
    if (!index)
        return -1;
    for (uint32_t i = 0; i < log->index_capacity; i++) {
        const struct log_visits *const v = &log->index[i];

        if (v->meeting == log->meeting)
            *slot_of(index, capacity, log->meeting, v->site) = *v;
    }
    free(log->index);
    log->index = index;
    log->index_capacity = capacity;
    return 0;
}

static struct log_visits *visits_of(struct log *log, const struct simt_site *site)
{
    struct log_visits *v;

    if (grow_index(log) != 0)
        return NULL;
    v = slot_of(log->index, log->index_capacity, log->meeting, site);
    if (v->meeting != log->meeting) {
        v->site = site;
        v->meeting = log->meeting;
        v->first = v->last = -1;
        for (int lane = 0; lane < LANES; lane++)
            v->of_lane[lane] = -1;
        log->index_used++;
    }
    return v;
}

/* Append request number `i` to the list of its site. */
static int link_request(struct log *log, int32_t i)
{
    struct log_visits *const v = visits_of(log, log->requests[i].site);

    if (!v)
        return -1;
    if (v->last < 0)
        v->first = i;
    else
        log->requests[v->last].next = i;
    v->last = i;
    return 0;
}

struct warp_request *log_append(struct log *log, const struct simt_site *site)
{
    struct warp_request *request;

    if (log->count == log->capacity) {
        const uint32_t capacity = log->capacity ? 2 * log->capacity : 64;
        struct warp_request *const requests =
            realloc(log->requests, capacity * sizeof *requests);

        if (!requests)
            return NULL;
        log->requests = requests;
        log->capacity = capacity;
    }
    request = &log->requests[log->count++];
    request->site = site;
    request->line = 0;
    request->lanes = 0;
    request->shared = 0;
    request->next = -1;
    if (log->indexed && link_request(log, (int32_t)log->count - 1) != 0)
        return NULL;
    return request;
}

static int index_all(struct log *log)
{
    log->index_used = 0;
    for (uint32_t i = 0; i < log->count; i++) {
        if (link_request(log, (int32_t)i) != 0)
            return -1;
    }
    log->indexed = 1;
    return 0;
}

/* The lane is no longer in step: enter the requests it took part in into the index. */
static int fall_out(struct log *log, struct log_cursor *cursor)
{
    for (uint32_t i = 0; i < cursor->done; i++) {
        struct log_visits *const v = visits_of(log, log->requests[i].site);

        if (!v)
            return -1;
        v->of_lane[cursor->lane] = (int32_t)i;
    }
    cursor->in_step = 0;
    return 0;
}

struct warp_request *log_seek(struct log *log, struct log_cursor *cursor,
                              const struct simt_site *site)
{
    struct log_visits *v;
    int32_t found;

    if (!log->indexed && index_all(log) != 0)
        return NULL;
    if (cursor->in_step && fall_out(log, cursor) != 0)
        return NULL;
    v = visits_of(log, site);
    if (!v)
        return NULL;
    found = v->of_lane[cursor->lane];
    found = found < 0 ? v->first : log->requests[found].next;
    if (found < 0) {
        if (!log_append(log, site))
            return NULL;
        found = (int32_t)log->count - 1;
        v = visits_of(log, site); /* the index may have moved */
        if (!v)
            return NULL;
    }
    v->of_lane[cursor->lane] = found;
    log->requests[found].lanes |= cursor->bit;
    return &log->requests[found];
}

void log_close(struct log *log)
{
    free(log->requests);
    free(log->index);
}
