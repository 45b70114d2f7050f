/*
 * rows.c - rows of any request: items are sorted, columns gathered, by all threads.
 */
#include "cpu/rows.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/sort.h"

/* What the workers of all phases share. */
struct rows {
    const struct row_suite *suite;
    struct row_sort sort;
    unsigned workers;
    uint64_t parts;     /* pieces of this phase's work */
    atomic_ullong next; /* the first not yet taken */
    uint32_t item_bytes;
    int has_codes;             /* items can be sorted as numbers */
    struct row_merge *tasks;   /* merge: a piece each */
    struct row_merge *halves;  /* split: where its halves go */
    atomic_int has_long_group; /* refine: one is left */
};

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
    const uint64_t count = rows->sort.count;

    *piece = atomic_fetch_add(&rows->next, 1);
    if (*piece >= rows->parts)
        return 0;
    *first = pool_part(count, rows->parts, *piece);
    *last = pool_part(count, rows->parts, *piece + 1);
    return 1;
}

/* ---- Scratch memory ------------------------------------------------------------ */

/* Bytes of a row that are compared, at least: fields may overlap. */
static uint64_t compared_bytes(const struct request *request)
{
    const struct request_order *const order = &request->order;
    uint32_t longest = 0;

    for (uint32_t i = 0; i < order->field_count; i++)
        if (order->field[i].bytes > longest)
            longest = order->field[i].bytes;
    return order->field_count ? longest : order->element_bytes;
}

/* Four times the bytes of scratch that a row may cost: multiway.h has the rules. */
static uint64_t allowance(const struct request *request, uint32_t position_bytes)
{
    if (request->operation == MW_SELECT || request_has_segments(request))
        return 4 * 12;
    return request->only_positions
               ? 9 * compared_bytes(request) + 5 * (uint64_t)request->position_bytes
               : 5 * request->row_bytes + 4 * (uint64_t)position_bytes;
}

/* Sizes of what a request needs. */
struct layout {
    uint32_t item_bytes; /* 4 or 8 */
    uint32_t position_bytes;
    unsigned spare_of_32; /* items */
    int has_codes;        /* and room to sort items as numbers */
    uint64_t spare_offset;
    uint64_t bytes;
};

/* What sorting half of the items as numbers needs. */
static uint64_t half_scratch(uint32_t item_bytes, uint64_t count)
{
    const int bits = 8 * (int)item_bytes;

    return sort_scratch_bytes(bits, (count + 1) / 2, sort_best_run(bits));
}

static struct layout layout_of(const struct request *request, uint64_t count)
{
    const int is_long = count > UINT64_C(1) << 32;
    struct layout made = {.position_bytes = is_long ? 8 : 4, .spare_of_32 = 16};
    const uint64_t allowed = allowance(request, made.position_bytes);
    uint32_t widest = 0;
    uint64_t spare, sorting, gathering;

    made.item_bytes = is_long || allowed >= 4 * 12 ? 8 : 4;
    if (allowed < 6 * (uint64_t)made.item_bytes) /* an item and half of one */
        made.spare_of_32 = (unsigned)(8 * allowed / made.item_bytes - 32);
    for (uint32_t i = 0; i < request->column_count && !request->only_positions; i++)
        if (request_column(request, i).bytes > widest)
            widest = request_column(request, i).bytes;
    made.has_codes = made.spare_of_32 == 16 && request->order.field_count > 0;
    spare = (count + 31) / 32 * made.spare_of_32 * made.item_bytes;
    if (made.has_codes && spare < half_scratch(made.item_bytes, count))
        spare = half_scratch(made.item_bytes, count);
    made.spare_offset = (count * made.item_bytes + 63) / 64 * 64;
    sorting = made.spare_offset + spare;
    gathering = count * (made.position_bytes + widest);
    made.bytes = count < 2 ? 0 : sorting > gathering ? sorting : gathering;
    return made;
}

uint64_t rows_scratch_bytes(const struct request *request, uint64_t count)
{
    return layout_of(request, count).bytes;
}

/* ---- Sorting items --------------------------------------------------------------- */

static void enter_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last))
        rows->suite->enter(&rows->sort, first, last);
}

static void sort_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last))
        rows->suite->sort(&rows->sort, first, last);
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
static void merge_round(struct pool *pool, struct rows *rows, uint64_t runs, uint64_t parts)
{
    const uint64_t count = rows->sort.count;
    const uint64_t wide = parts / runs; /* parts of a run; parts and runs are powers of 2 */
    uint64_t tasks = runs / 2;

    for (uint64_t i = 0; i < tasks; i++)
        rows->tasks[i] = (struct row_merge){pool_part(count, parts, 2 * i * wide),
                                            pool_part(count, parts, (2 * i + 1) * wide),
                                            pool_part(count, parts, (2 * i + 2) * wide)};
    for (; tasks < rows->workers; tasks *= 2) {
        struct row_merge *const split = rows->halves;

        phase(pool, rows, tasks, split_share);
        rows->halves = rows->tasks;
        rows->tasks = split;
    }
    phase(pool, rows, tasks, merge_share);
}

/* By comparing; returns how many rounds of merges it took. */
static uint32_t sort_by_comparing(struct pool *pool, struct rows *rows)
{
    uint32_t rounds = 0;
    uint64_t parts = 1;

    while (parts < rows->workers)
        parts *= 2;
    phase(pool, rows, parts, sort_share);
    for (uint64_t runs = parts; runs > 1; runs /= 2, rounds++)
        merge_round(pool, rows, runs, parts);
    return rounds;
}

void rows_sort_numbers(struct pool *pool, void *numbers, int bits, uint64_t count,
                       void *spare, void *work)
{
    struct rows rows = {
        .suite = bits == 32 ? &row_suite_32 : &row_suite_64,
        .workers = rows_workers(pool, count),
        .sort = {.count = count,
                 .items = numbers,
                 .spare = spare,
                 .spare_of_32 = 4,
                 .is_complete = 1}
    };

    atomic_init(&rows.next, 0);
    atomic_init(&rows.has_long_group, 0);
    rows.tasks = (struct row_merge *)work;
    rows.halves = rows.tasks + 4 * (uint64_t)rows.workers;
    sort_by_comparing(pool, &rows);
}

/* Sort items [first, last) as numbers; in place if `in_place`: done? */
static int sort_numbers(struct pool *pool, struct rows *rows, uint64_t first, uint64_t last,
                        int in_place, void *work)
{
    const int bits = 8 * (int)rows->item_bytes;
    const struct sort_request request = {
        .suite = suite_for(bits),
        .keys = (unsigned char *)rows->sort.items + first * rows->item_bytes,
        .count = last - first,
        .run = sort_best_run(bits),
        .scratch = rows->sort.spare,
        .work = work,
    };

    if (in_place)
        return sort_in_place(pool, &request, 1, NULL);
    sort_keys(pool, &request, NULL);
    return 1;
}

/* As numbers: in place, or two halves, which use the spare memory in turn, then a merge. */
static void sort_as_numbers(struct pool *pool, struct rows *rows, void *work)
{
    const uint64_t count = rows->sort.count;

    if (sort_numbers(pool, rows, 0, count, 1, work))
        return;
    for (uint64_t i = 0; i < 2; i++)
        sort_numbers(pool, rows, pool_part(count, 2, i), pool_part(count, 2, i + 1), 0,
                     work);
    merge_round(pool, rows, 2, 2);
}

static void boundary_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last))
        rows->tasks[piece].first = rows->suite->boundary(&rows->sort, first);
}

static void refine_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    const uint64_t count = rows->sort.count;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last)) {
        first = rows->tasks[piece].first;
        last = piece + 1 < rows->parts ? rows->tasks[piece + 1].first : count;
        if (rows->suite->refine(&rows->sort, first, last, count / rows->workers))
            atomic_store(&rows->has_long_group, 1);
    }
}

/* Sort groups of items with equal codes; is there one too long for a single thread? */
static int sort_groups(struct pool *pool, struct rows *rows)
{
    const uint64_t parts = rows->workers == 1 ? 1 : 4 * (uint64_t)rows->workers;

    atomic_store(&rows->has_long_group, 0);
    phase(pool, rows, parts, boundary_share);
    phase(pool, rows, parts, refine_share);
    return atomic_load(&rows->has_long_group);
}

static void range_share(void *arg, unsigned worker)
{
    struct rows *const rows = (struct rows *)arg;
    uint64_t piece, first, last;

    (void)worker;
    while (take(rows, &piece, &first, &last))
        comparison_range(&rows->sort.compare, first, last, &rows->tasks[piece].first,
                         &rows->tasks[piece].last);
}

/* Codes that are close to each other differ in low bits only: make room for these. */
static void fit_range(struct pool *pool, struct rows *rows)
{
    enum { SAMPLES = 64, LEAD = 8 };
    const uint64_t count = rows->sort.count;
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t code =
            comparison_code(&rows->sort.compare, pool_part(count - 1, SAMPLES, i));

        least = code < least ? code : least;
        most = code > most ? code : most;
    }
    if ((most - least) >> (64 - LEAD))
        return;
    phase(pool, rows, rows->workers, range_share);
    for (unsigned i = 0; i < rows->workers; i++) {
        least = rows->tasks[i].first < least ? rows->tasks[i].first : least;
        most = rows->tasks[i].last > most ? rows->tasks[i].last : most;
    }
    rows->sort.least = least;
    row_sort_fit(&rows->sort, 8 * rows->item_bytes, most);
}

static uint32_t sort_items(struct pool *pool, struct rows *rows, void *work)
{
    rows->tasks = (struct row_merge *)work; /* never at the same time as sort_keys */
    rows->halves = rows->tasks + 4 * (uint64_t)rows->workers;
    if (rows->has_codes && !rows->sort.is_complete)
        fit_range(pool, rows);

    const int is_complete = rows->sort.is_complete;

    phase(pool, rows, rows->workers, enter_share);
    if (!rows->has_codes)
        return sort_by_comparing(pool, rows);
    rows->sort.is_complete = 1;
    sort_as_numbers(pool, rows, work);
    rows->sort.is_complete = is_complete;
    if (is_complete || !sort_groups(pool, rows))
        return 1;
    return 1 + sort_by_comparing(pool, rows);
}

/* ---- All together ------------------------------------------------------------------- */

static struct row_sort sort_of(const struct request *request, const struct row_range *range,
                               const struct layout *layout, void *scratch)
{
    struct row_sort sort = {.compare = comparison_of(request, range->first),
                            .count = range->count,
                            .items = scratch,
                            .spare = (unsigned char *)scratch + layout->spare_offset,
                            .spare_of_32 = layout->spare_of_32};

    sort.compare.map = range->map;
    sort.compare.map_bytes = range->map_bytes;
    row_sort_fit(&sort, 8 * layout->item_bytes, UINT64_MAX);
    return sort;
}

void rows_sort(struct pool *pool, const struct request *request,
               const struct row_range *range, void *scratch, void *work,
               struct cpu_counts *counts)
{
    const struct layout layout = layout_of(request, range->count);
    const uint64_t bytes = range->count * request->row_bytes;
    const unsigned workers = rows_workers(pool, range->count);
    const uint64_t zero = 0; /* the position of the only row */
    struct rows rows = {.suite = layout.item_bytes == 4 ? &row_suite_32 : &row_suite_64,
                        .item_bytes = layout.item_bytes,
                        .has_codes = layout.has_codes,
                        .workers = workers};
    struct row_gather gather = {.request = request,
                                .range = range,
                                .workers = workers,
                                .positions = range->count == 1 ? &zero : scratch,
                                .position_bytes = layout.position_bytes};

    *counts = (struct cpu_counts){0, bytes, bytes};
    if (range->count == 0)
        return;
    atomic_init(&rows.next, 0);
    atomic_init(&rows.has_long_group, 0);
    if (range->count > 1) {
        rows.sort = sort_of(request, range, &layout, scratch);
        counts->rounds = sort_items(pool, &rows, work);
        gather.is_moved = rows.suite->leave(&rows.sort, layout.position_bytes);
        gather.room = (unsigned char *)scratch + range->count * layout.position_bytes;
    }
    rows_gather(pool, &gather);
}
