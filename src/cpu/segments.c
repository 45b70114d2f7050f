/*
 * segments.c - segments: short ones for single threads, long ones for all.
 */
#include "cpu/segments.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/select.h"
#include "cpu/sort.h"

enum { TAKEN = 16 }; /* segments that a thread takes at once */

struct segments {
    struct pool *pool;
    const struct request *request;
    unsigned char *scratch;
    uint64_t scratch_bytes; /* of each worker */
    unsigned char *work;
    atomic_ullong next; /* segment that nobody has taken */
};

/* ---- One segment ------------------------------------------------------------------------
 */

/* A begin or an end; numbers below 0 become huge. */
static uint64_t segment_number(const struct request *r, const void *numbers, uint64_t i)
{
    if (r->segment_signed && r->segment_bytes == 4)
        return (uint64_t)((const int32_t *)numbers)[i];
    return number_at(numbers, r->segment_bytes, i);
}

/* The rows of a segment and where they go; none if it is not valid. */
static struct row_range range_of(const struct request *r, uint64_t i)
{
    const uint64_t begin = segment_number(r, r->segment_begins, i);
    const uint64_t end = segment_number(r, r->segment_ends, i);
    struct row_range range = {.first = begin, .to = begin};

    if (begin < end && end <= r->count)
        range.count = end - begin;
    if (r->operation == MW_SELECT)
        range.to = i * (r->last - r->first);
    return range;
}

/* Keys that can be sorted as numbers, with nothing to carry along. */
static int is_bare(const struct request *r)
{
    return r->operation == MW_SORT && r->element_type && r->column_count == 1 &&
           !r->position_bytes && r->order.field[0].code.rotate == 0;
}

static int bits_of(const struct request *r)
{
    return 8 * (int)r->element_type->size;
}

static void sort_bare(const struct segments *s, const struct row_range *range,
                      void *scratch, void *work)
{
    const struct request *const r = s->request;
    const size_t size = r->element_type->size;
    const struct request_column column = request_column(r, 0);
    const struct sort_request keys = {
        .suite = suite_for(bits_of(r)),
        .code = r->code,
        .keys = (unsigned char *)column.out + range->to * size,
        .count = range->count,
        .run = sort_best_run(bits_of(r)),
        .scratch = scratch,
        .work = work,
    };

    if (column.in != column.out)
        memcpy(keys.keys, (const unsigned char *)column.in + range->first * size,
               range->count * size);
    sort_keys(s->pool, &keys, NULL);
}

static void run_one(const struct segments *s, const struct row_range *range, void *scratch,
                    void *work)
{
    struct cpu_counts counts;

    if (range->count == 0)
        return;
    if (is_bare(s->request))
        sort_bare(s, range, scratch, work);
    else if (s->request->operation == MW_SELECT)
        select_rows(s->pool, s->request, range, scratch, work, &counts);
    else
        rows_sort(s->pool, s->request, range, scratch, work, &counts);
}

/* ---- All segments
 * ------------------------------------------------------------------------ */

static void short_share(void *arg, unsigned worker)
{
    struct segments *const s = (struct segments *)arg;
    const uint64_t count = s->request->segment_count;

    for (;;) {
        const uint64_t first = atomic_fetch_add(&s->next, TAKEN);

        if (first >= count)
            return;
        for (uint64_t i = first; i < count && i < first + TAKEN; i++) {
            const struct row_range range = range_of(s->request, i);

            if (range.count < ROWS_LEAST)
                run_one(s, &range, s->scratch + worker * s->scratch_bytes,
                        s->work + (size_t)worker * WORK_BYTES);
        }
    }
}

/* Threads for short segments: with few rows there is little to share. */
static unsigned workers_for(const struct request *r, unsigned threads)
{
    const uint64_t rows = r->count / ROWS_LEAST + 1;
    const uint64_t worth = rows < r->segment_count ? rows : r->segment_count;

    return worth < threads ? (unsigned)worth : threads;
}

/* Scratch memory for one segment of `count` rows or fewer. */
static uint64_t scratch_for(const struct request *r, uint64_t count)
{
    uint64_t bytes;

    if (is_bare(r))
        bytes = sort_scratch_bytes(bits_of(r), sort_most_scratch_count(bits_of(r), count),
                                   sort_best_run(bits_of(r)));
    else if (r->operation == MW_SELECT)
        bytes = select_scratch_bytes(r, count, r->last - r->first);
    else
        bytes = rows_scratch_bytes(r, count);
    return (bytes + 63) / 64 * 64;
}

static uint64_t short_scratch(const struct request *r)
{
    return scratch_for(r, r->count < ROWS_LEAST ? r->count : ROWS_LEAST - 1);
}

uint64_t segments_scratch_bytes(const struct request *request, unsigned threads)
{
    const uint64_t all = scratch_for(request, request->count);
    const uint64_t each = short_scratch(request) * workers_for(request, threads);

    return all > each ? all : each;
}

void segments_run(struct pool *pool, const struct request *request, void *scratch,
                  void *work, struct cpu_counts *counts)
{
    struct segments s = {.pool = pool,
                         .request = request,
                         .scratch = scratch,
                         .scratch_bytes = short_scratch(request),
                         .work = work};

    atomic_init(&s.next, 0);
    pool_run(pool, workers_for(request, pool_threads(pool)), short_share, &s);
    for (uint64_t i = 0; request->count >= ROWS_LEAST && i < request->segment_count; i++) {
        const struct row_range range = range_of(request, i);

        if (range.count >= ROWS_LEAST)
            run_one(&s, &range, scratch, work);
    }
    *counts = (struct cpu_counts){0, request->count * request->row_bytes,
                                  request->result_count * request->row_bytes};
}
