/*
 * rows.c - rows of any request: items are sorted, columns gathered, by all threads.
 */
#include "cpu/rows.h"

#include <stdatomic.h>
#include <string.h>

enum {
    ROWS_LEAST = 8192, /* rows that are worth a thread */
    CHECK_STEP = 4096  /* rows looked at before asking what others found */
};

/* What the workers of all phases share. */
struct rows {
    const struct request *request;
    const struct row_suite *suite;
    struct row_sort sort;
    unsigned workers;
    uint64_t parts;            /* pieces of this phase's work */
    atomic_ullong next;        /* the first that nobody has taken */
    struct row_merge *tasks;   /* merge: a piece each */
    struct row_merge *halves;  /* split: where its halves go */
    const void *positions;     /* gather: where each row comes from, ... */
    uint32_t position_bytes;   /* ... 4 or 8 bytes each */
    int is_moved;              /* some row comes from elsewhere */
    struct request_column now; /* the column of this phase */
    void *to;                  /*   and where it goes */
    atomic_ullong found;       /* check: the first row out of order so far */
};

static uint64_t part_start(uint64_t count, uint64_t parts, uint64_t i)
{
    const uint64_t rest = count % parts;

    return count / parts * i + (i < rest ? i : rest);
}

/* Run a phase: `job` takes pieces 0 to `parts` - 1 until none is left. */
static void phase(struct pool *pool, struct rows *rows, uint64_t parts, pool_job *job)
{
    rows->parts = parts;
    atomic_store(&rows->next, 0);
    pool_run(pool, rows->workers, job, rows);
}

/* The next piece, and the rows it covers where pieces are of equal length. */
static int take(struct rows *rows, uint64_t *piece, uint64_t *first, uint64_t *last)
{
    const uint64_t count = rows->request->count;

    *piece = atomic_fetch_add(&rows->next, 1);
    if (*piece >= rows->parts)
        return 0;
    *first = part_start(count, rows->parts, *piece);
    *last = part_start(count, rows->parts, *piece + 1);
    return 1;
}

/* ---- Scratch memory ------------------------------------------------------------ */

/* Four times the bytes of scratch that a row may cost: multiway.h has the rule. */
static uint64_t allowance(const struct request *request, uint32_t position_bytes)
{
    uint64_t bytes = 0;

    if (!request->only_positions)
        return 5 * request->row_bytes + 4 * (uint64_t)position_bytes;
    for (uint32_t i = 0; i < request->order.field_count; i++)
        bytes += request->order.field[i].bytes;
    if (request->order.field_count == 0)
        bytes = request->order.element_bytes;
    return 9 * bytes + 5 * (uint64_t)request->position_bytes;
}

/* Sizes of what a request needs. */
struct layout {
    uint32_t item_bytes; /* 4 or 8 */
    uint32_t position_bytes;
    unsigned spare_of_32; /* items */
    uint64_t bytes;
};

static struct layout layout_of(const struct request *request)
{
    const int is_long = request->count > UINT64_C(1) << 32;
    struct layout made = {.position_bytes = is_long ? 8 : 4, .spare_of_32 = 16};
    const uint64_t allowed = allowance(request, made.position_bytes);
    uint32_t widest = 0;
    uint64_t sorting, gathering;

    made.item_bytes = is_long || allowed >= 4 * 12 ? 8 : 4;
    if (allowed < 6 * (uint64_t)made.item_bytes) /* an item and half of one */
        made.spare_of_32 = (unsigned)(8 * allowed / made.item_bytes - 32);
    for (uint32_t i = 0; i < request->column_count && !request->only_positions; i++)
        if (request_column(request, i).bytes > widest)
            widest = request_column(request, i).bytes;
    sorting = request->count * made.item_bytes +
              (request->count + 31) / 32 * made.spare_of_32 * made.item_bytes;
    gathering = request->count * (made.position_bytes + widest);
    made.bytes = request->count < 2 ? 0 : sorting > gathering ? sorting : gathering;
    return made;
}

uint64_t rows_scratch_bytes(const struct request *request)
{
    return request->operation == MW_SORT ? layout_of(request).bytes : 0;
}

/* ---- Sorting items --------------------------------------------------------------- */

static void sort_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last)) {
        rows->suite->enter(&rows->sort, first, last);
        rows->suite->sort(&rows->sort, first, last);
    }
}

static void split_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last))
        rows->suite->split(&rows->sort, rows->tasks[piece], rows->halves + 2 * piece);
}

static void merge_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last))
        rows->suite->merge(&rows->sort, rows->tasks[piece]);
}

/* Merge `runs` equal parts of all items by twos; there is a task for each worker. */
static void merge_round(struct pool *pool, struct rows *rows, uint64_t runs, uint64_t parts,
                        void *work)
{
    const uint64_t count = rows->request->count;
    const uint64_t wide = parts / runs; /* parts of a run; parts and runs are powers of 2 */
    uint64_t tasks = runs / 2;

    rows->tasks = (struct row_merge *)work;
    rows->halves = rows->tasks + 4 * (uint64_t)rows->workers;
    for (uint64_t i = 0; i < tasks; i++)
        rows->tasks[i] = (struct row_merge){part_start(count, parts, 2 * i * wide),
                                            part_start(count, parts, (2 * i + 1) * wide),
                                            part_start(count, parts, (2 * i + 2) * wide)};
    for (; tasks < rows->workers; tasks *= 2) {
        struct row_merge *const split = rows->halves;

        phase(pool, rows, tasks, split_share);
        rows->halves = rows->tasks;
        rows->tasks = split;
    }
    phase(pool, rows, tasks, merge_share);
}

static uint32_t sort_items(struct pool *pool, struct rows *rows, void *work)
{
    uint32_t rounds = 0;
    uint64_t parts = 1;

    while (parts < rows->workers)
        parts *= 2;
    phase(pool, rows, parts, sort_share);
    for (uint64_t runs = parts; runs > 1; runs /= 2, rounds++)
        merge_round(pool, rows, runs, parts, work);
    return rounds;
}

/* ---- Gathering columns ------------------------------------------------------------ */

static uint64_t position_at(const struct rows *rows, uint64_t i)
{
    return rows->position_bytes == 4 ? ((const uint32_t *)rows->positions)[i]
                                     : ((const uint64_t *)rows->positions)[i];
}

static void gather_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    const unsigned char *const from = (const unsigned char *)rows->now.in;
    unsigned char *const to = (unsigned char *)rows->to;
    const size_t bytes = rows->now.bytes;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            const unsigned char *const value = from + position_at(rows, i) * bytes;

            if (bytes == 4) /* these two without a call */
                memcpy(to + i * 4, value, 4);
            else if (bytes == 8)
                memcpy(to + i * 8, value, 8);
            else
                memcpy(to + i * bytes, value, bytes);
        }
    }
}

static void copy_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    const size_t bytes = rows->now.bytes;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last))
        memcpy((unsigned char *)rows->now.out + first * bytes,
               (const unsigned char *)rows->to + first * bytes, (last - first) * bytes);
}

static void position_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    const struct request *const r = rows->request;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last)) {
        for (uint64_t i = first; i < last; i++) {
            if (r->position_bytes == 4)
                ((uint32_t *)r->positions)[i] = (uint32_t)position_at(rows, i);
            else
                ((uint64_t *)r->positions)[i] = position_at(rows, i);
        }
    }
}

/* Write what is wanted. A column that stays where it is goes through scratch memory. */
static void write_columns(struct pool *pool, struct rows *rows)
{
    const struct request *const r = rows->request;

    rows->positions = rows->sort.items;
    if (r->positions)
        phase(pool, rows, rows->workers, position_share);
    for (uint32_t i = 0; i < r->column_count; i++) {
        rows->now = request_column(r, i);
        if (!rows->now.out || (rows->now.out == rows->now.in && !rows->is_moved))
            continue;
        rows->to = rows->now.out == rows->now.in
                       ? (unsigned char *)rows->sort.items + r->count * rows->position_bytes
                       : rows->now.out;
        phase(pool, rows, rows->workers, gather_share);
        if (rows->to != rows->now.out)
            phase(pool, rows, rows->workers, copy_share);
    }
}

/* ---- All together ------------------------------------------------------------------- */

static unsigned workers_for(const struct pool *pool, uint64_t count)
{
    const uint64_t worth = count / ROWS_LEAST + 1;

    return worth < pool_threads(pool) ? (unsigned)worth : pool_threads(pool);
}

/* Bits of the greatest position. */
static unsigned position_bits(uint64_t count)
{
    unsigned bits = 0;

    while (bits < 64 && (count - 1) >> bits)
        bits++;
    return bits;
}

static struct row_sort sort_of(const struct request *request, const struct layout *layout,
                               void *scratch)
{
    const unsigned bits = position_bits(request->count);
    const unsigned above = 8 * layout->item_bytes - bits;
    struct row_sort sort = {.compare = comparison_of(request),
                            .count = request->count,
                            .items = scratch,
                            .spare = (unsigned char *)scratch +
                                     request->count * layout->item_bytes,
                            .spare_of_32 = layout->spare_of_32,
                            .position_mask = (UINT64_C(1) << bits) - 1};

    sort.covered_fields = comparison_covered(&sort.compare, above);
    sort.is_complete =
        request->order.field_count > 0 && sort.covered_fields == request->order.field_count;
    return sort;
}

void rows_sort(struct pool *pool, const struct request *request, void *scratch, void *work,
               struct cpu_counts *counts)
{
    const struct layout layout = layout_of(request);
    const uint64_t bytes = request->count * request->row_bytes;
    const uint64_t zero = 0;
    struct rows rows = {.request = request,
                        .suite = layout.item_bytes == 4 ? &row_suite_32 : &row_suite_64,
                        .workers = workers_for(pool, request->count),
                        .position_bytes = layout.position_bytes};

    *counts = (struct cpu_counts){0, bytes, bytes};
    if (request->count == 0)
        return;
    atomic_init(&rows.next, 0);
    if (request->count == 1) { /* without scratch memory */
        rows.sort.items = (void *)(uintptr_t)&zero;
    } else {
        rows.sort = sort_of(request, &layout, scratch);
        counts->rounds = sort_items(pool, &rows, work);
        rows.is_moved = rows.suite->leave(&rows.sort, rows.position_bytes);
    }
    write_columns(pool, &rows);
}

static void check_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last)) {
        if (first >= atomic_load_explicit(&rows->found, memory_order_relaxed))
            return; /* pieces are taken in order */
        for (uint64_t i = first ? first : 1; i < last; i++) {
            if (!comparison_less(&rows->sort.compare, i, i - 1, 0))
                continue;

            unsigned long long least = atomic_load(&rows->found);
            while (i < least && !atomic_compare_exchange_weak(&rows->found, &least, i))
                ;
            break;
        }
    }
}

uint64_t rows_check(struct pool *pool, const struct request *request)
{
    struct rows rows = {.request = request,
                        .sort.compare = comparison_of(request),
                        .workers = workers_for(pool, request->count)};

    atomic_init(&rows.next, 0);
    atomic_init(&rows.found, request->count);
    phase(pool, &rows, request->count / CHECK_STEP + 1, check_share);
    return atomic_load(&rows.found);
}
