/*
 * rows_gather.c - write rows in the order of their positions; check that rows are sorted.
 */
#include "cpu/rows.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/stream.h"
#include "cpu/suite.h"

enum {
    CHECK_STEP = 4096,             /* rows looked at before asking what others found */
    GATHERED = REQUEST_MOST_BYTES, /* bytes that are written at once */
    AHEAD_BYTES = 128,             /* of a short value, at most */
    AHEAD_MOST = 32,               /* rows that short values are prefetched ahead */
    AHEAD_LEAST = 8                /* the same of long values */
};

unsigned rows_workers(const struct pool *pool, uint64_t count)
{
    const uint64_t worth = count / ROWS_LEAST + 1;

    return worth < pool_threads(pool) ? (unsigned)worth : pool_threads(pool);
}

/* ---- Gathering -------------------------------------------------------------------- */

/* A column and where it goes. */
struct column_gather {
    const struct row_gather *gather;
    struct request_column column;
    const unsigned char *from;
    unsigned char *to;
    int stream; /* it is too long for the caches */
};

/* Where row `i` of the result comes from, counted from the first row of the range. */
static uint64_t position_at(const struct row_gather *gather, uint64_t i)
{
    const struct row_range *const range = gather->range;
    const uint64_t at = number_at(gather->positions, gather->position_bytes, i);

    return range->map ? number_at(range->map, range->map_bytes, at) : at;
}

static uint64_t share(const struct row_gather *gather, unsigned worker)
{
    return pool_part(gather->range->count, gather->workers, worker);
}

/* Gather values of `bytes`, a constant where this is inlined, by positions of 4 bytes. */
static inline void gather_short(const struct column_gather *c, uint64_t first,
                                uint64_t last, size_t bytes)
{
    const uint32_t *const positions = (const uint32_t *)c->gather->positions;

    for (uint64_t i = first; i < last; i++)
        memcpy(c->to + i * bytes, c->from + (size_t)positions[i] * bytes, bytes);
}

/*
 * Gather values of any length. Each is somewhere else in memory, so it is prefetched;
 * blocks of them are written with non-temporal stores if there are many.
 */
static void gather_long(const struct column_gather *c, uint64_t first, uint64_t last)
{
    const size_t bytes = c->column.bytes;
    const uint64_t each = GATHERED / bytes;
    const uint64_t ahead = bytes <= AHEAD_BYTES ? AHEAD_MOST : AHEAD_LEAST;
    unsigned char block[GATHERED];

    for (uint64_t at = first; at < last; at += each) {
        const uint64_t count = last - at < each ? last - at : each;

        for (uint64_t i = 0; i < count; i++) {
            if (at + i + ahead < last) {
                const unsigned char *const next =
                    c->from + position_at(c->gather, at + i + ahead) * bytes;

                for (size_t line = 0; line < bytes; line += STREAM_LINE)
                    __builtin_prefetch(next + line);
                __builtin_prefetch(next + bytes - 1);
            }
            memcpy(block + i * bytes, c->from + position_at(c->gather, at + i) * bytes,
                   bytes);
        }
        if (c->stream)
            stream_copy(c->to + at * bytes, block, count * bytes);
        else
            memcpy(c->to + at * bytes, block, count * bytes);
    }
    stream_end();
}

static void gather_share(void *arg, unsigned worker)
{
    const struct column_gather *const c = (const struct column_gather *)arg;
    const size_t bytes = c->column.bytes;
    const uint64_t first = share(c->gather, worker);
    const uint64_t last = share(c->gather, worker + 1);
    const int is_short = c->gather->position_bytes == 4 && !c->gather->range->map;

    if (is_short && bytes == 4)
        gather_short(c, first, last, 4);
    else if (is_short && bytes == 8)
        gather_short(c, first, last, 8);
    else if (is_short && bytes == 16)
        gather_short(c, first, last, 16);
    else
        gather_long(c, first, last);
}

static void copy_share(void *arg, unsigned worker)
{
    const struct column_gather *const c = (const struct column_gather *)arg;
    const uint64_t first = share(c->gather, worker) * c->column.bytes;
    const uint64_t last = share(c->gather, worker + 1) * c->column.bytes;
    unsigned char *const to =
        (unsigned char *)c->column.out + c->gather->range->to * c->column.bytes;

    if (c->stream)
        stream_copy(to + first, c->to + first, last - first);
    else
        memcpy(to + first, c->to + first, last - first);
    stream_end();
}

static void position_share(void *arg, unsigned worker)
{
    const struct row_gather *const gather = (const struct row_gather *)arg;
    const struct request *const r = gather->request;
    const uint64_t to = gather->range->to;
    const uint64_t last = share(gather, worker + 1);

    for (uint64_t i = share(gather, worker); i < last; i++) {
        if (r->position_bytes == 4)
            ((uint32_t *)r->positions)[to + i] = (uint32_t)position_at(gather, i);
        else
            ((uint64_t *)r->positions)[to + i] = position_at(gather, i);
    }
}

void rows_gather(struct pool *pool, const struct row_gather *gather)
{
    const struct request *const r = gather->request;

    if (r->positions)
        pool_run(pool, gather->workers, position_share, (void *)(uintptr_t)gather);
    for (uint32_t i = 0; i < r->column_count; i++) {
        struct column_gather c = {.gather = gather, .column = request_column(r, i)};
        const int stays = c.column.out == c.column.in;

        if (!c.column.out || (stays && !gather->is_moved))
            continue;
        c.from = (const unsigned char *)c.column.in + gather->range->first * c.column.bytes;
        c.to = stays ? (unsigned char *)gather->room
                     : (unsigned char *)c.column.out + gather->range->to * c.column.bytes;
        c.stream = gather->range->count * c.column.bytes >= STREAM_BYTES;
        pool_run(pool, gather->workers, gather_share, &c);
        if (stays)
            pool_run(pool, gather->workers, copy_share, &c);
    }
}

/* ---- Checking ---------------------------------------------------------------------- */

struct check {
    struct comparison compare;
    atomic_ullong next;  /* the first row not yet looked at */
    atomic_ullong found; /* the first row out of order so far, or the count */
};

static void check_share(void *arg, unsigned worker)
{
    struct check *const check = (struct check *)arg;

    (void)worker;
    for (;;) {
        const uint64_t first = atomic_fetch_add(&check->next, CHECK_STEP);
        unsigned long long least = atomic_load(&check->found);

        if (first >= least) /* all rows before it were taken */
            return;
        for (uint64_t i = first ? first : 1; i < first + CHECK_STEP && i < least; i++) {
            if (!comparison_less(&check->compare, i, i - 1, 0))
                continue;
            while (i < least && !atomic_compare_exchange_weak(&check->found, &least, i))
                ;
            break;
        }
    }
}

uint64_t rows_check(struct pool *pool, const struct request *request)
{
    struct check check = {.compare = comparison_of(request, 0)};

    atomic_init(&check.next, 0);
    atomic_init(&check.found, request->count);
    pool_run(pool, rows_workers(pool, request->count), check_share, &check);
    return atomic_load(&check.found);
}
