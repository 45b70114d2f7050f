/*
 * segments.c - segments: short ones for single threads, long ones for all.
 */
#include "cpu/segments.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/rows.h"
#include "cpu/select.h"
#include "cpu/sort.h"

enum {
    TAKEN = 16, /* segments that a thread takes at once */
    FEW = 32    /* rows that are sorted by insertion */
};

struct segments {
    struct pool *pool;
    const struct request *request;
    unsigned char *scratch;
    uint64_t scratch_bytes; /* of each worker */
    unsigned char *work;
    int is_complete; /* rows of equal codes are equal */
    uint32_t covered_fields;
    atomic_ullong next; /* the first segment not yet taken */
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

/* Sort FEW rows or fewer by the caller's function, with few calls. */
static void sort_by_calls(const struct comparison *c, uint32_t count, uint32_t order[FEW])
{
    uint32_t spare[FEW / 2];
    const struct row_sort sort = {.compare = *c,
                                  .count = count,
                                  .items = order,
                                  .spare = spare,
                                  .spare_of_32 = 16,
                                  .position_mask = UINT32_MAX};

    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    row_suite_32.sort(&sort, 0, count);
}

/* Sort FEW rows or fewer by insertion: `order` gets their places in the range. */
static void insert_all(const struct segments *s, const struct row_range *range,
                       uint32_t order[FEW])
{
    const struct comparison c = comparison_of(s->request, range->first);
    uint64_t codes[FEW];

    if (s->request->order.field_count == 0) {
        sort_by_calls(&c, (uint32_t)range->count, order);
        return;
    }
    comparison_codes(&c, 0, (uint32_t)range->count, codes);
    for (uint32_t i = 0; i < range->count; i++) {
        const uint64_t code = codes[i];
        uint32_t to = i;

        /* Codes move with the places that are known to be in order. */
        for (; to > 0 && (code < codes[to - 1] ||
                          (code == codes[to - 1] && !s->is_complete &&
                           comparison_less(&c, i, order[to - 1], s->covered_fields)));
             to--) {
            codes[to] = codes[to - 1];
            order[to] = order[to - 1];
        }
        codes[to] = code;
        order[to] = i;
    }
}

/* The same for a whole segment; bare keys have no scratch memory, but need little. */
static void run_few(const struct segments *s, const struct row_range *range, void *scratch)
{
    const struct request *const r = s->request;
    const int is_select = r->operation == MW_SELECT;
    const uint64_t first = is_select ? r->first : 0;
    const uint64_t last = is_select && r->last < range->count ? r->last : range->count;
    struct row_range wanted = *range;
    uint64_t keys[FEW];
    uint32_t order[FEW];

    if (first >= last)
        return;
    insert_all(s, range, order);
    wanted.count = last - first;

    const struct row_gather gather = {.request = r,
                                      .range = &wanted,
                                      .workers = 1,
                                      .positions = order + first,
                                      .position_bytes = 4,
                                      .is_moved = range->count > 1,
                                      .room = is_bare(r) ? keys : scratch};

    rows_gather(s->pool, &gather);
}

static void run_one(const struct segments *s, const struct row_range *range, void *scratch,
                    void *work)
{
    struct cpu_counts counts;

    if (range->count == 0)
        return;
    if (range->count <= FEW)
        run_few(s, range, scratch);
    else if (is_bare(s->request))
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

    const struct comparison compare = comparison_of(request, 0);

    s.covered_fields = comparison_covered(&compare, 64);
    s.is_complete =
        request->order.field_count > 0 && s.covered_fields == request->order.field_count;
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
