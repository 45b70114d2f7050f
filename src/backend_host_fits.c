/*
 * backend_host_fits.c - sorts of host memory that fits the device.
 *
 * Chunks are sorted as they arrive. When the last is sorted, all of them are cut at the
 * same ranks, and merged part by part. While a part is on its way to the caller, the next
 * ones are merged. Device memory has all rows and some parts.
 *
 * Parts overwrite the caller's arrays, but chunks stay as they are: after a failure they
 * are copied back.
 */
#include "host.h"

#include "plan_parts.h"

#include <stdlib.h>

struct fitting {
    struct host_sort *sort;
    uint64_t chunk_rows, part_rows;
    uint32_t chunks, parts;
    uint64_t rank_count; /* cuts between parts */
    uint64_t sort_bytes, split_bytes, merge_bytes;
    uint64_t table_bytes;  /* ranks and cuts */
    struct host_array all; /* on the device */
    struct host_array ring[HOST_RING];
    char *work;               /* workspace of sorts; then ranks, cuts and workspace */
    struct host_range *chunk; /* rows of each chunk; then those of a part */
    uint64_t *ranks;          /* in host memory */
    uint64_t *cuts;           /* a row of all chunks for each part, and one more */
    struct host_load *up, *down;
    int is_overwriting; /* the caller's arrays */
};

/* Chunks and parts: enough of them to hide what precedes the first and follows the last. */
static void make_plan(struct fitting *f, uint64_t chunk_bytes, uint64_t part_bytes)
{
    const struct host_sort *const sort = f->sort;
    const uint64_t each = divide_up(sort->count, HOST_CHUNKS);
    const uint64_t row_bytes = sort->rows.row_bytes;
    const uint64_t align = 1024; /* rows, so that chunks are aligned */

    f->chunk_rows = host_greatest(each, chunk_bytes / row_bytes);
    f->chunk_rows = round_up(host_least(f->chunk_rows, HOST_MOST_ROWS - align), align);
    f->chunks = (uint32_t)divide_up(sort->count, f->chunk_rows);
    f->part_rows =
        host_greatest(host_least(each, part_bytes / row_bytes), chunk_bytes / row_bytes);
    f->part_rows = host_least(host_greatest(f->part_rows, 1), HOST_MOST_ROWS - align);
    f->part_rows = round_up(f->part_rows, align);
    f->parts = (uint32_t)divide_up(sort->count, f->part_rows);
    f->rank_count = f->parts - 1;
}

static mw_status make_room(struct fitting *f)
{
    struct host_sort *const sort = f->sort;
    const uint64_t cells = f->rank_count * f->chunks;
    mw_status status;

    f->chunk = malloc(f->chunks * sizeof *f->chunk);
    f->ranks = malloc((f->rank_count + 1) * sizeof *f->ranks);
    f->cuts = calloc((f->parts + (size_t)1) * f->chunks, sizeof *f->cuts);
    f->up = host_loads(sort, f->chunks, 1);
    f->down = host_loads(sort, HOST_RING, 1);
    if (!f->chunk || !f->ranks || !f->cuts || !f->up || !f->down)
        return fail(sort->backend->error, MW_NO_MEMORY, "no memory for %u chunks",
                    f->chunks);
    f->table_bytes = round_up(8 * (f->rank_count + cells), PLAN_ALIGNMENT);
    TRY(host_make_lists(sort, f->chunks));
    for (uint32_t i = 0; i < f->chunks; i++)
        f->chunk[i] = host_piece(sort, i, f->chunk_rows);
done:
    return status;
}

/* Find out how much memory the jobs need, and take it; `got` is 0 if it is too much. */
static mw_status take_memory(struct fitting *f, int *got)
{
    struct host_sort *const sort = f->sort;
    struct backend *const backend = sort->backend;
    const struct host_array nowhere = {(char *)PLAN_ALIGNMENT, sort->count};
    uint64_t *const some = (uint64_t *)PLAN_ALIGNMENT;
    const struct request split =
        host_split(sort, nowhere, f->chunk, f->chunks, some, f->rank_count, some);
    const uint64_t all_bytes = host_array_bytes(sort, sort->count);
    const uint64_t part_bytes = host_array_bytes(sort, f->part_rows);
    uint64_t work;
    char *memory;
    mw_status status;

    TRY(backend->verbs->prepare(backend, &split, &f->split_bytes));
    TRY(host_sort_bytes(sort, f->chunk_rows, &f->sort_bytes));
    TRY(host_merge_bytes(sort, f->chunks, f->part_rows, &f->merge_bytes));
    work = f->table_bytes + host_greatest(f->split_bytes, f->merge_bytes);
    work = round_up(work, PLAN_ALIGNMENT) + HOST_RING * part_bytes;
    TRY(host_take(sort, all_bytes + host_greatest(f->sort_bytes, work), &memory, got));
    if (!*got)
        goto done;
    f->all = (struct host_array){memory, sort->count};
    for (int i = 0; i < HOST_RING; i++) {
        f->ring[i] = (struct host_array){memory + all_bytes, f->part_rows};
        memory += part_bytes;
    }
    f->work = memory + all_bytes;
done:
    return status;
}

/* Upload all chunks, and sort each as soon as it is there. */
static mw_status sort_chunks(struct fitting *f)
{
    struct host_sort *const sort = f->sort;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < f->chunks; i++)
        host_begin(sort, &f->up[i], HOST_IN, 1, f->all, f->chunk[i].first, &f->chunk[i], 1);
    for (uint32_t i = 0; i < f->chunks; i++) {
        TRY(host_finish(sort, &f->up[i]));
        TRY(host_sort_rows(sort, f->all, f->chunk[i].first, f->chunk[i].count,
                           f->chunk[i].first, f->ring[0].memory, f->sort_bytes));
    }
done:
    return status;
}

/* Cut all chunks between the parts. */
static mw_status cut_chunks(struct fitting *f)
{
    struct host_sort *const sort = f->sort;
    struct device *const device = sort->device;
    uint64_t *const ranks = (uint64_t *)f->work;
    uint64_t *const cuts = ranks + f->rank_count;
    const struct request split =
        host_split(sort, f->all, f->chunk, f->chunks, ranks, f->rank_count, cuts);
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < f->chunks; i++)
        f->cuts[(size_t)f->parts * f->chunks + i] = f->chunk[i].count;
    if (f->rank_count == 0)
        goto done;
    for (uint64_t i = 0; i < f->rank_count; i++)
        f->ranks[i] = (i + 1) * f->part_rows;
    TRY(device->verbs->upload(device, ranks, f->ranks, 8 * f->rank_count, device->stream));
    TRY(host_enqueue(sort, &split, f->work + f->table_bytes, f->split_bytes));
    TRY(device->verbs->download(device, f->cuts + f->chunks, cuts,
                                8 * f->rank_count * f->chunks, device->stream));
    TRY(device->verbs->wait(device, device->stream));
done:
    return status;
}

/* Merge part after part, and download each as soon as it is merged. */
static mw_status merge_parts(struct fitting *f)
{
    struct host_sort *const sort = f->sort;
    struct device *const device = sort->device;
    mw_status status = MW_OK;

    for (uint32_t part = 0; part < f->parts; part++) {
        struct host_load *const down = &f->down[part % HOST_RING];
        const struct host_array to = f->ring[part % HOST_RING];
        const struct host_range rows = host_piece(sort, part, f->part_rows);
        struct request merge;

        host_find_part(f->cuts, part, f->chunks, f->chunk_rows, f->chunk);
        merge = host_merge(sort, f->all, f->chunk, f->chunks, to);
        TRY(host_finish(sort, down));
        TRY(host_enqueue(sort, &merge, f->work + f->table_bytes, f->merge_bytes));
        TRY(device->verbs->wait(device, device->stream));
        f->is_overwriting = 1;
        host_begin(sort, down, HOST_OUT, 0, to, 0, &rows, 1);
    }
    TRY(host_finish_all(sort, f->down, HOST_RING));
done:
    return status;
}

/* Copy the chunks back to where they were. */
static void restore(struct fitting *f)
{
    const struct host_range rows = {0, f->sort->count};

    f->sort->device->verbs->wait_all(f->sort->device);
    host_begin(f->sort, f->down, HOST_OUT, 0, f->all, 0, &rows, 1);
    host_finish(f->sort, f->down);
}

mw_status host_sort_fitting(struct host_sort *sort, uint64_t chunk_bytes,
                            uint64_t part_bytes, int *served)
{
    struct fitting f = {.sort = sort};
    mw_status status;

    make_plan(&f, chunk_bytes, part_bytes);
    TRY(make_room(&f));
    TRY(take_memory(&f, served));
    if (!*served)
        goto done;
    TRY(sort_chunks(&f));
    TRY(cut_chunks(&f));
    TRY(merge_parts(&f));
done:
    if (status != MW_OK) {
        const struct error first = *sort->backend->error;

        host_finish_all(sort, f.up, f.chunks);
        host_finish_all(sort, f.down, HOST_RING);
        if (f.is_overwriting && sort->in_place)
            restore(&f);
        *sort->backend->error = first;
    }
    free(f.down);
    free(f.up);
    free(f.cuts);
    free(f.ranks);
    free(f.chunk);
    return status;
}
