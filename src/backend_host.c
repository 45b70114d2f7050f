/*
 * backend_host.c - sorts of host memory on a device: which way, and what is copied.
 *
 * Small ones are uploaded, sorted and downloaded, one after the other. Large ones are cut
 * into chunks: see backend_host_fits.c, and backend_host_runs.c for those that do not fit.
 */
#include "host.h"

#include <stdlib.h>

enum {
    CHUNKED_FROM = 32 << 20, /* bytes */
    CHUNK_LEAST = 4 << 20,   /* of a chunk or a part of what fits */
    PART_MOST = 64 << 20
};

static struct device_backend *own(struct backend *backend)
{
    return (struct device_backend *)backend;
}

static uint64_t budget_of(const struct backend *backend)
{
    const uint64_t all = backend->info.memory_bytes;

    if (backend->memory_bytes)
        return backend->memory_bytes;
    return all ? all / 16 * 15 : UINT64_MAX; /* the driver needs some */
}

/* Are all arrays of the result those of the input, or none? */
static int is_uniform(const struct request *request)
{
    int same = 0;

    if (request->type || request->in_place)
        return 1;
    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(request, i);

        same |= c.out == c.in;
    }
    return !same;
}

static uint64_t row_bytes_of(const struct request *request)
{
    return request->type ? request->type->size
                         : request->row_bytes + request->position_bytes;
}

int host_is_chunked(struct backend *backend, const struct request *request, uint64_t bytes)
{
    const uint64_t theirs = request->count * row_bytes_of(request);
    const uint64_t wished = own(backend)->chunked_from;
    const int fits = bytes <= budget_of(backend);

    if (request->operation != MW_SORT || request->count == 0 ||
        (!request->type && request_has_segments(request)) || !is_uniform(request))
        return 0;
    return !fits || (theirs >= (wished ? wished : CHUNKED_FROM) && !backend->timing &&
                     backend->tuning.engine == MW_ENGINE_AUTO &&
                     (request->type || request->order.field_count));
}

/* ---- What travels -------------------------------------------------------------------- */

static void add_column(struct host_sort *sort, const void *in, void *out, uint32_t bytes)
{
    struct request *const rows = &sort->rows;

    sort->columns[rows->column_count++] = (struct host_column){in, out, bytes};
    rows->row_bytes += bytes;
}

/* Bare keys, which are merged by an order of one field. */
static void take_keys(struct host_sort *sort, const struct request *theirs)
{
    const struct type_row *const type = theirs->type;
    const uint64_t mask = UINT64_MAX >> (64 - 8 * type->size);

    sort->is_bare = 1;
    sort->code = theirs->code;
    sort->rows = (struct request){.element_type = type};
    sort->rows.order =
        (struct request_order){.element_bytes = (uint32_t)type->size, .field_count = 1};
    sort->rows.order.field[0] = (struct request_field){.bytes = (uint32_t)type->size,
                                                       .code.flip = theirs->code.flip,
                                                       .code.lowest = type->lowest,
                                                       .code.mask = mask,
                                                       .code.high = mask};
    add_column(sort, theirs->keys, theirs->keys, (uint32_t)type->size);
}

/* Columns that are compared or wanted, and numbers of rows for positions. */
static void take_columns(struct host_sort *sort, const struct request *theirs)
{
    struct request *const rows = &sort->rows;

    *rows = *theirs;
    rows->column_count = 0;
    rows->row_bytes = 0;
    for (uint32_t i = 0; i < theirs->column_count; i++) {
        const struct request_column c = request_column(theirs, i);

        if (!device_needs_column(theirs, i))
            continue;
        for (uint32_t j = 0; j < rows->order.field_count; j++)
            if (rows->order.field[j].column == i)
                rows->order.field[j].column = rows->column_count; /* at most i */
        if (rows->column_count == 0 && i > 0) {
            rows->order.element_bytes = c.bytes;
            rows->element_type = NULL;
        }
        add_column(sort, c.in, c.out, c.bytes);
    }
    if (theirs->position_bytes)
        add_column(sort, NULL, theirs->positions, theirs->position_bytes);
    rows->positions = NULL;
    rows->position_bytes = 0;
    rows->only_positions = 0;
}

static mw_status sort_open(struct host_sort *sort, const struct request *theirs)
{
    const size_t most = theirs->type ? 1 : theirs->column_count + (size_t)1;
    mw_status status;

    sort->columns = malloc(most * sizeof *sort->columns);
    if (!sort->columns)
        return fail(sort->backend->error, MW_NO_MEMORY, "no memory for %zu columns", most);
    if (theirs->type)
        take_keys(sort, theirs);
    else
        take_columns(sort, theirs);
    sort->rows.operation = MW_SORT;
    sort->rows.column_size = sizeof(mw_column);
    sort->rows.list_count = 1;
    sort->rows.in_place = 1;
    sort->rows.with_data = 1;
    TRY(host_make_lists(sort, 1));
done:
    return status;
}

/* ---- Running ------------------------------------------------------------------------- */

/*
 * In less and less memory, until there is enough. Expressions go by runs, which the CPU
 * cuts: its cuts never cross, even if the expression is no order.
 */
static mw_status sort_any_way(struct host_sort *sort)
{
    const uint64_t wished = own(sort->backend)->chunk_bytes;
    const uint64_t chunk = wished ? wished : CHUNK_LEAST;
    const uint64_t part = wished ? wished : PART_MOST;
    int served = 0;
    mw_status status = MW_OK;

    if (sort->rows.order.field_count)
        TRY(host_sort_fitting(sort, chunk, part, &served));
    if (!served && sort->budget == UINT64_MAX)
        sort->budget = 2 * host_array_bytes(sort, sort->count);
    while (!served) {
        TRY(host_sort_runs(sort, 4 * part, &served));
        sort->budget /= 2;
    }
done:
    return status;
}

mw_status host_sort_chunked(struct backend *backend, const struct request *request)
{
    struct host_sort sort = {.backend = backend,
                             .device = backend_device(backend),
                             .count = request->count,
                             .budget = budget_of(backend),
                             .in_place = request->type || request->in_place,
                             .counts = MW_COUNTS_INIT};
    mw_status status;

    device_begin(backend);
    own(backend)->is_part = 1;
    TRY(sort_open(&sort, request));
    TRY(sort_any_way(&sort));
    sort.counts.count = request->count;
    backend->counts = sort.counts;
done:
    own(backend)->is_part = 0;
    free(sort.values);
    free(sort.lists);
    free(sort.columns);
    return status;
}
