/*
 * backend_host_runs.c - sorts of host memory that does not fit the device.
 *
 * Chunks are sorted on the device and go to an array of their own in host memory: runs.
 * The CPU cuts all runs at the same ranks. What lies between two cuts is a part of the
 * result: it is uploaded, merged, and downloaded to where it belongs. In both phases one
 * buffer is filled and another emptied while a third one is sorted or merged.
 *
 * Runs stay until the end: after a failure they are copied back.
 */
#include "host.h"

#include "plan_parts.h"

#include "base/host.h"

#include <stdlib.h>
#include <string.h>

enum { MERGE_BUFFERS = 2 }; /* for parts that arrive, and for parts that leave */

struct runs {
    struct host_sort *sort;
    uint64_t run_rows, part_rows;
    uint32_t runs, parts;
    uint64_t sort_bytes, merge_bytes;
    char *memory;           /* on the device */
    struct host_range *run; /* rows of each run; then those of a part */
    uint64_t *ranks;
    uint64_t *cuts; /* a row of all runs for each part, and one more */
    struct host_load *up, *down;
    int is_overwriting; /* the caller's arrays */
};

/* ---- Sizes --------------------------------------------------------------------------- */

/* Device memory for runs or parts of `rows` rows. */
static mw_status bytes_for(struct runs *r, int is_merge, uint64_t rows, uint64_t *bytes)
{
    struct host_sort *const sort = r->sort;
    const uint64_t buffers = is_merge ? 2 * MERGE_BUFFERS : HOST_RING;
    mw_status status;

    if (is_merge)
        TRY(host_merge_bytes(sort, r->runs, rows, &r->merge_bytes));
    else
        TRY(host_sort_bytes(sort, rows, &r->sort_bytes));
    *bytes = buffers * host_array_bytes(sort, rows) +
             (is_merge ? r->merge_bytes : r->sort_bytes);
done:
    return status;
}

/* The most rows, up to `rows`, that the budget allows; 0: none. */
static mw_status fit_rows(struct runs *r, int is_merge, uint64_t *rows)
{
    uint64_t bytes = 0;
    mw_status status = MW_OK;

    *rows = host_least(*rows, HOST_MOST_ROWS);
    while (*rows) {
        TRY(bytes_for(r, is_merge, *rows, &bytes));
        if (bytes <= r->sort->budget)
            break;
        *rows =
            (uint64_t)((double)*rows * host_least(r->sort->budget, bytes) / bytes * 0.97);
    }
done:
    return status;
}

static mw_status check_rows(const struct runs *r, uint64_t rows, uint64_t most)
{
    const struct host_sort *const sort = r->sort;

    if (rows && divide_up(sort->count, rows) <= most)
        return MW_OK;
    return fail(sort->backend->error, MW_NO_MEMORY,
                "%llu bytes of device memory are too few to sort %llu rows of %llu bytes",
                (unsigned long long)sort->budget, (unsigned long long)sort->count,
                (unsigned long long)sort->rows.row_bytes);
}

/* Runs as long as possible, and all of about the same length; then parts. */
static mw_status make_plan(struct runs *r, uint64_t part_bytes)
{
    struct host_sort *const sort = r->sort;
    const uint64_t row_bytes = sort->rows.row_bytes;
    mw_status status;

    r->run_rows = host_least(sort->count, sort->budget / row_bytes / HOST_RING);
    TRY(fit_rows(r, 0, &r->run_rows));
    TRY(check_rows(r, r->run_rows, REQUEST_MOST_LISTS / 2));
    r->run_rows = divide_up(sort->count, divide_up(sort->count, r->run_rows));
    TRY(fit_rows(r, 0, &r->run_rows));
    TRY(check_rows(r, r->run_rows, REQUEST_MOST_LISTS));
    r->runs = (uint32_t)divide_up(sort->count, r->run_rows);
    TRY(host_make_lists(sort, r->runs));
    r->part_rows = host_greatest(part_bytes / row_bytes, 1);
    r->part_rows =
        host_least(host_least(r->part_rows, sort->count), sort->budget / row_bytes / 4);
    TRY(fit_rows(r, 1, &r->part_rows));
    TRY(check_rows(r, r->part_rows, UINT32_MAX));
    r->parts = (uint32_t)divide_up(sort->count, r->part_rows);
done:
    return status;
}

static mw_status make_room(struct runs *r)
{
    struct host_sort *const sort = r->sort;
    const uint64_t bytes = host_array_bytes(sort, sort->count);

    r->run = malloc(r->runs * sizeof *r->run);
    r->ranks = malloc(r->parts * sizeof *r->ranks);
    r->cuts = calloc((r->parts + (size_t)1) * r->runs, sizeof *r->cuts);
    r->up = host_loads(sort, HOST_RING, r->runs);
    r->down = host_loads(sort, HOST_RING, 1);
    sort->runs = (struct host_array){host_alloc(bytes), sort->count};
    if (!r->run || !r->ranks || !r->cuts || !r->up || !r->down || !sort->runs.memory)
        return fail(sort->backend->error, MW_NO_MEMORY,
                    "no memory for %u sorted runs of %llu bytes together", r->runs,
                    (unsigned long long)bytes);
    for (uint32_t i = 0; i < r->runs; i++)
        r->run[i] = host_piece(sort, i, r->run_rows);
    return MW_OK;
}

/* ---- Runs ---------------------------------------------------------------------------- */

/* Buffer `number` for `rows` rows each. */
static struct host_array buffer(const struct runs *r, uint32_t number, uint64_t rows)
{
    return (struct host_array){r->memory + number * host_array_bytes(r->sort, rows), rows};
}

static void begin_run(const struct runs *r, uint32_t number)
{
    const uint32_t which = number % HOST_RING;

    if (number < r->runs)
        host_begin(r->sort, &r->up[which], HOST_IN, 1, buffer(r, which, r->run_rows), 0,
                   &r->run[number], 1);
}

/* Two runs are on their way to the device, or sorted, while one leaves it. */
static mw_status form_runs(const struct runs *r)
{
    struct host_sort *const sort = r->sort;
    struct device *const device = sort->device;
    struct host_touch *const touch =
        host_touch_begin(sort->runs.memory, host_array_bytes(sort, sort->count));
    char *const workspace = buffer(r, HOST_RING, r->run_rows).memory;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i + 1 < HOST_RING; i++)
        begin_run(r, i);
    for (uint32_t i = 0; i < r->runs; i++) {
        const uint32_t which = i % HOST_RING;
        const uint32_t next = (i + HOST_RING - 1) % HOST_RING; /* the last one to leave */
        const struct host_array array = buffer(r, which, r->run_rows);

        TRY(host_finish(sort, &r->up[which]));
        TRY(host_sort_rows(sort, array, 0, r->run[i].count, r->run[i].first, workspace,
                           r->sort_bytes));
        TRY(device->verbs->wait(device, device->stream));
        host_begin(sort, &r->down[which], HOST_RUNS, 0, array, 0, &r->run[i], 1);
        TRY(host_finish(sort, &r->down[next]));
        begin_run(r, i + HOST_RING - 1);
    }
    TRY(host_finish_all(sort, r->down, HOST_RING));
done:
    host_touch_end(touch);
    return status;
}

/* ---- Parts --------------------------------------------------------------------------- */

/* Cut all runs between the parts: the CPU does, since they are in its memory. */
static mw_status cut_runs(struct runs *r)
{
    struct host_sort *const sort = r->sort;
    struct backend *cpu = NULL;
    struct request split;
    mw_status status;

    for (uint32_t i = 0; i + 1 < r->parts; i++)
        r->ranks[i] = (i + 1) * r->part_rows;
    for (uint32_t i = 0; i < r->runs; i++)
        r->cuts[(size_t)r->parts * r->runs + i] = r->run[i].count;
    TRY(backend_open_cpu(&cpu, 0, sort->backend->error));
    split = host_split(sort, sort->runs, r->run, r->runs, r->ranks, r->parts - 1,
                       r->cuts + r->runs);
    if (r->parts > 1)
        TRY(cpu->verbs->run(cpu, &split));
done:
    if (cpu)
        cpu->verbs->close(cpu);
    return status;
}

static void begin_part(const struct runs *r, uint32_t part)
{
    const uint32_t which = part % MERGE_BUFFERS;

    if (part >= r->parts)
        return;
    host_find_part(r->cuts, part, r->runs, r->run_rows, r->run);
    host_begin(r->sort, &r->up[which], HOST_RUNS, 1, buffer(r, which, r->part_rows), 0,
               r->run, r->runs);
}

/* Merge the part in its buffer, where its lists are consecutive. */
static mw_status merge_part(const struct runs *r, uint32_t part, struct host_array out)
{
    struct host_sort *const sort = r->sort;
    char *const workspace = buffer(r, 2 * MERGE_BUFFERS, r->part_rows).memory;
    uint64_t first = 0;
    struct request merge;
    mw_status status;

    host_find_part(r->cuts, part, r->runs, r->run_rows, r->run);
    for (uint32_t i = 0; i < r->runs; i++) {
        r->run[i].first = first;
        first += r->run[i].count;
    }
    merge = host_merge(sort, buffer(r, part % MERGE_BUFFERS, r->part_rows), r->run, r->runs,
                       out);
    TRY(host_enqueue(sort, &merge, workspace, r->merge_bytes));
    TRY(sort->device->verbs->wait(sort->device, sort->device->stream));
done:
    return status;
}

static mw_status merge_parts(struct runs *r)
{
    struct host_sort *const sort = r->sort;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < MERGE_BUFFERS; i++)
        begin_part(r, i);
    for (uint32_t i = 0; i < r->parts; i++) {
        const uint32_t which = i % MERGE_BUFFERS;
        const struct host_array out = buffer(r, MERGE_BUFFERS + which, r->part_rows);
        const struct host_range rows = host_piece(sort, i, r->part_rows);

        TRY(host_finish(sort, &r->up[which]));
        TRY(host_finish(sort, &r->down[which]));
        TRY(merge_part(r, i, out));
        r->is_overwriting = 1;
        host_begin(sort, &r->down[which], HOST_OUT, 0, out, 0, &rows, 1);
        begin_part(r, i + MERGE_BUFFERS);
    }
    TRY(host_finish_all(sort, r->down, HOST_RING));
done:
    return status;
}

/* ---- All ----------------------------------------------------------------------------- */

/* Copy the runs to where their rows were. */
static void restore(const struct runs *r)
{
    const struct host_sort *const sort = r->sort;

    for (uint32_t i = 0; i < sort->rows.column_count; i++) {
        const struct host_column *const c = &sort->columns[i];

        if (c->in && c->out)
            memcpy(c->out, host_at(sort, sort->runs, i, 0), sort->count * c->bytes);
    }
}

mw_status host_sort_runs(struct host_sort *sort, uint64_t part_bytes, int *served)
{
    struct runs r = {.sort = sort};
    uint64_t run_bytes, merge_bytes;
    mw_status status;

    *served = 0;
    TRY(make_plan(&r, part_bytes));
    TRY(make_room(&r));
    TRY(bytes_for(&r, 0, r.run_rows, &run_bytes));
    TRY(bytes_for(&r, 1, r.part_rows, &merge_bytes));
    TRY(host_take(sort, host_greatest(run_bytes, merge_bytes), &r.memory, served));
    if (!*served)
        goto done;
    TRY(form_runs(&r));
    TRY(cut_runs(&r));
    TRY(merge_parts(&r));
done:
    if (status != MW_OK) {
        const struct error first = *sort->backend->error;

        host_finish_all(sort, r.up, HOST_RING);
        host_finish_all(sort, r.down, HOST_RING);
        if (r.is_overwriting && sort->in_place)
            restore(&r);
        *sort->backend->error = first;
    }
    free(sort->runs.memory);
    sort->runs.memory = NULL;
    free(r.down);
    free(r.up);
    free(r.cuts);
    free(r.ranks);
    free(r.run);
    return status;
}
