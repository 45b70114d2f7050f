/*
 * log.h - the accesses of one warp since its lanes last met, as requests.
 *
 * Lanes run one after the other, so their accesses have to be combined to requests of
 * the warp: the n-th visits of all lanes to a site form one request. Lanes mostly visit
 * the same sites in the same order. As long as a lane does, its next access belongs to
 * the next request, and finding that costs one comparison. A lane that is out of step
 * finds its requests by site.
 */
#ifndef MW_SIM_LOG_H
#define MW_SIM_LOG_H

#include "banks.h"
#include "simt_calls.h"

/* The same access by some or all lanes of the warp. */
struct warp_request {
    const struct simt_site *site;
    uint32_t line;   /* number in the ledger */
    uint32_t lanes;  /* mask of the lanes that take part ... */
    uint32_t shared; /* ... and of those whose cell is in shared memory */
    int32_t next;    /* the next request of this site, if the log is indexed */
    uint64_t at[LANES];
};

/* Where a lane is in the log. */
struct log_cursor {
    uint32_t lane;
    uint32_t bit;
    uint32_t done;    /* requests it took part in */
    uint32_t in_step; /* 1: those are the first `done` requests of the log */
};

/* The requests of one site. */
struct log_visits {
    const struct simt_site *site;
    uint64_t meeting; /* the meeting that it is valid for */
    int32_t first;
    int32_t last;
    int32_t of_lane[LANES]; /* the last request of each lane, or -1 */
};

struct log {
    struct warp_request *requests;
    uint32_t count;
    uint32_t capacity;
    int indexed;
    uint64_t meeting; /* counts the meetings; index entries of earlier ones are stale */
    struct log_visits *index;
    uint32_t index_used;
    uint32_t index_capacity;
};

/* Append a request without lanes; NULL if there is no memory. */
struct warp_request *log_append(struct log *log, const struct simt_site *site);

/* The request of a lane that is not in step. NULL if there is no memory. */
struct warp_request *log_seek(struct log *log, struct log_cursor *cursor,
                              const struct simt_site *site);

/* The request that this lane's visit to `site` belongs to; NULL if there is no memory. */
static inline struct warp_request *log_visit(struct log *log, struct log_cursor *cursor,
                                             const struct simt_site *site)
{
    struct warp_request *request;

    if (cursor->in_step && cursor->done == log->count)
        request = log_append(log, site);
    else if (cursor->in_step && log->requests[cursor->done].site == site)
        request = &log->requests[cursor->done];
    else
        return log_seek(log, cursor, site);
    if (request) {
        request->lanes |= cursor->bit;
        cursor->done++;
    }
    return request;
}

/* The lane has arrived at a meeting. */
static inline void log_arrive(struct log_cursor *cursor)
{
    cursor->done = 0;
    cursor->in_step = 1;
}

/* The lanes have met: begin again. */
static inline void log_clear(struct log *log)
{
    log->count = 0;
    log->indexed = 0;
    log->meeting++;
}

void log_close(struct log *log);

#endif
