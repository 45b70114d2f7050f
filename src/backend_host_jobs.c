/*
 * backend_host_jobs.c - sorts of host memory in chunks: arrays, loads, and the jobs of
 * which such a sort is made.
 */
#include "host.h"

#include "plan_parts.h"

#include <stdlib.h>

/* ---- Arrays -------------------------------------------------------------------------- */

uint64_t host_array_bytes(const struct host_sort *sort, uint64_t room)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < sort->rows.column_count; i++)
        bytes += round_up(room * sort->columns[i].bytes, PLAN_ALIGNMENT);
    return bytes;
}

char *host_at(const struct host_sort *sort, struct host_array array, uint32_t column,
              uint64_t row)
{
    char *at = array.memory;

    for (uint32_t i = 0; i < column; i++)
        at += round_up(array.room * sort->columns[i].bytes, PLAN_ALIGNMENT);
    return at + row * sort->columns[column].bytes;
}

mw_status host_take(struct host_sort *sort, uint64_t bytes, char **memory, int *got)
{
    mw_status status = MW_NO_MEMORY;

    if (bytes <= sort->budget)
        status = device_scratch(sort->backend, bytes, memory);
    *got = status == MW_OK;
    return status == MW_NO_MEMORY ? MW_OK : status;
}

/* ---- Loads --------------------------------------------------------------------------- */

struct host_load *host_loads(const struct host_sort *sort, uint32_t count, uint32_t ranges)
{
    const size_t columns = sort->rows.column_count;
    const size_t each = sizeof(struct host_load) + columns * sizeof(struct transfer) +
                        columns * ranges * sizeof(struct host_span);
    struct host_load *const loads = calloc(count, each);
    struct transfer *const transfers = (struct transfer *)(loads + count);
    struct host_span *const spans = (struct host_span *)(transfers + count * columns);

    for (uint32_t i = 0; loads && i < count; i++)
        loads[i] =
            (struct host_load){transfers + i * columns, spans + i * columns * ranges, 0};
    return loads;
}

/* Where a row of a column is in host memory; NULL: the side has no such column. */
static char *place(const struct host_sort *sort, enum host_side side, uint32_t column,
                   uint64_t row)
{
    const struct host_column *const c = &sort->columns[column];
    char *const theirs = side == HOST_IN ? (char *)(uintptr_t)c->in : c->out;

    if (side == HOST_RUNS)
        return host_at(sort, sort->runs, column, row);
    return theirs ? theirs + row * c->bytes : NULL;
}

void host_begin(const struct host_sort *sort, struct host_load *load, enum host_side side,
                int upload, struct host_array array, uint64_t row,
                const struct host_range *ranges, uint32_t range_count)
{
    load->begun = 1;
    for (uint32_t i = 0; i < sort->rows.column_count; i++) {
        struct host_span *const spans = load->spans + (size_t)i * range_count;
        const int is_there = place(sort, side, i, 0) != NULL;

        for (uint32_t j = 0; is_there && j < range_count; j++)
            spans[j] = (struct host_span){place(sort, side, i, ranges[j].first),
                                          ranges[j].count * sort->columns[i].bytes};
        load->transfers[i] = (struct transfer){.memory = host_at(sort, array, i, row),
                                               .spans = spans,
                                               .span_count = is_there ? range_count : 0,
                                               .upload = upload};
        sort->device->verbs->begin(sort->device, &load->transfers[i]);
    }
}

mw_status host_finish(const struct host_sort *sort, struct host_load *load)
{
    mw_status first = MW_OK;

    for (uint32_t i = 0; load->begun && i < sort->rows.column_count; i++) {
        const mw_status status =
            sort->device->verbs->finish(sort->device, &load->transfers[i]);

        first = first == MW_OK ? status : first;
    }
    load->begun = 0;
    return first;
}

mw_status host_finish_all(const struct host_sort *sort, struct host_load *loads,
                          uint32_t count)
{
    mw_status first = MW_OK;

    for (uint32_t i = 0; loads && i < count; i++) {
        const mw_status status = host_finish(sort, &loads[i]);

        first = first == MW_OK ? status : first;
    }
    return first;
}

/* ---- Jobs ---------------------------------------------------------------------------- */

mw_status host_make_lists(struct host_sort *sort, uint32_t list_count)
{
    const size_t tables = 1 + (size_t)list_count;

    free(sort->values);
    free(sort->lists);
    sort->lists = malloc(list_count * sizeof *sort->lists);
    sort->values = malloc(tables * sort->rows.column_count * sizeof *sort->values);
    if (!sort->lists || !sort->values)
        return fail(sort->backend->error, MW_NO_MEMORY, "no memory for %u lists",
                    list_count);
    return MW_OK;
}

/* The table of rows from `row` on; with `wanted`, only of columns that are. */
static mw_table table_of(const struct host_sort *sort, struct host_array array,
                         uint64_t row, uint64_t count, int wanted, mw_column *values)
{
    const uint32_t columns = sort->rows.column_count;
    mw_table table = {.count = count, .columns = values, .column_count = columns - 1};

    for (uint32_t i = 0; i < columns; i++) {
        char *const at =
            wanted && !sort->columns[i].out ? NULL : host_at(sort, array, i, row);

        if (i == 0)
            table.elements = at;
        else
            values[i - 1] = (mw_column){at, sort->columns[i].bytes};
    }
    return table;
}

static struct request sort_request(struct host_sort *sort, struct host_array array,
                                   uint64_t row, uint64_t rows)
{
    struct request request = sort->rows;

    request.count = request.result_count = rows;
    request.in = table_of(sort, array, row, rows, 0, sort->values);
    request.out = request.in;
    if (sort->is_bare) {
        request.type = request.element_type;
        request.code = sort->code;
        request.keys = request.in.elements;
    }
    return request;
}

/*
 * An order of fields has kernels for every count. Those of bare keys and expressions are
 * loaded for the counts that there are: expressions take time to compile.
 */
mw_status host_sort_bytes(struct host_sort *sort, uint64_t rows, uint64_t *bytes)
{
    struct backend *const backend = sort->backend;
    const uint64_t counts[2] = {rows, sort->count % rows};
    const struct host_array nowhere = {(char *)PLAN_ALIGNMENT, rows};
    struct request request = sort_request(sort, nowhere, 0, rows);
    mw_plan plan = MW_PLAN_INIT;
    mw_status status = MW_OK;

    if (!sort->is_bare && request.order.field_count)
        return backend->verbs->prepare(backend, &request, bytes);
    *bytes = 0;
    for (int i = 0; i < 2; i++) {
        request = sort_request(sort, nowhere, 0, counts[i]);
        TRY(backend->verbs->plan(backend, &request, &plan));
        *bytes = plan.workspace_bytes > *bytes ? plan.workspace_bytes : *bytes;
    }
done:
    return status;
}

mw_status host_enqueue(struct host_sort *sort, const struct request *request,
                       char *workspace, uint64_t bytes)
{
    struct backend *const backend = sort->backend;
    const mw_counts *const last = &backend->counts;
    mw_status status;

    TRY(backend->verbs->enqueue(backend, request, workspace, bytes, sort->device->stream));
    sort->counts.launches += last->launches;
    sort->counts.bytes_read += last->bytes_read;
    sort->counts.bytes_written += last->bytes_written;
    if (request->operation == MW_SORT) {
        sort->counts.tuning = last->tuning;
        sort->counts.rounds = last->rounds + 1;
        sort->counts.warp_shared = last->warp_shared;
    }
done:
    return status;
}

/* Write the numbers of rows to the last column, if there is none in the caller's memory. */
static mw_status number_rows(struct host_sort *sort, struct host_array array, uint64_t row,
                             uint64_t rows, uint64_t number)
{
    const uint32_t last = sort->rows.column_count - 1;
    const struct widen_positions_args args = {.out = host_at(sort, array, last, row),
                                              .count = rows,
                                              .first = number,
                                              .bytes = (int)sort->columns[last].bytes};
    struct launch launch = {.kernel = KERNEL_WIDEN_POSITIONS,
                            .blocks = divide_up(rows, widen_positions_threads),
                            .threads = widen_positions_threads,
                            .args = &args,
                            .args_bytes = sizeof args,
                            .stream = sort->device->stream};
    mw_status status;

    if (sort->columns[last].in)
        return MW_OK;
    TRY(passes_load_rows(backend_device(sort->backend), &launch.program));
    TRY(passes_launch(sort->device, &launch, NULL));
    sort->counts.launches++;
done:
    return status;
}

mw_status host_sort_rows(struct host_sort *sort, struct host_array array, uint64_t row,
                         uint64_t rows, uint64_t number, char *workspace, uint64_t bytes)
{
    const struct request request = sort_request(sort, array, row, rows);
    mw_status status;

    TRY(number_rows(sort, array, row, rows, number));
    TRY(host_enqueue(sort, &request, workspace, bytes));
done:
    return status;
}

void host_find_part(const uint64_t *cuts, uint32_t part, uint32_t list_count, uint64_t rows,
                    struct host_range *ranges)
{
    const uint64_t *const from = cuts + (size_t)part * list_count;

    for (uint32_t i = 0; i < list_count; i++)
        ranges[i] = (struct host_range){i * rows + from[i], from[list_count + i] - from[i]};
}

/* The lists of a request. */
static struct request lists_request(struct host_sort *sort, mw_operation operation,
                                    struct host_array in, const struct host_range *ranges,
                                    uint32_t list_count)
{
    const size_t columns = sort->rows.column_count;
    struct request request = sort->rows;

    request.operation = operation;
    request.in_place = 0;
    request.count = 0;
    for (uint32_t i = 0; i < list_count; i++) {
        sort->lists[i] = table_of(sort, in, ranges[i].first, ranges[i].count, 0,
                                  sort->values + (i + 1) * columns);
        request.count += ranges[i].count;
    }
    request.in = sort->lists[0];
    request.lists = (const char *)sort->lists;
    request.table_size = sizeof(mw_table);
    request.list_count = list_count;
    return request;
}

struct request host_merge(struct host_sort *sort, struct host_array in,
                          const struct host_range *ranges, uint32_t list_count,
                          struct host_array out)
{
    struct request request = lists_request(sort, MW_MERGE, in, ranges, list_count);

    request.result_count = request.count;
    request.out = table_of(sort, out, 0, request.count, 1, sort->values);
    return request;
}

struct request host_split(struct host_sort *sort, struct host_array in,
                          const struct host_range *ranges, uint32_t list_count,
                          const uint64_t *ranks, uint64_t rank_count, uint64_t *cuts)
{
    struct request request = lists_request(sort, MW_SPLIT, in, ranges, list_count);

    request.out = (mw_table){.elements = NULL};
    request.ranks = ranks;
    request.rank_count = rank_count;
    request.cuts = cuts;
    return request;
}

mw_status host_merge_bytes(struct host_sort *sort, uint32_t list_count, uint64_t rows,
                           uint64_t *bytes)
{
    const size_t columns = sort->rows.column_count;
    const struct host_array nowhere = {(char *)PLAN_ALIGNMENT, rows};
    const struct host_range all = {0, rows};
    struct request request = host_merge(sort, nowhere, &all, 1, nowhere);

    for (uint32_t i = 1; i < list_count; i++)
        sort->lists[i] = table_of(sort, nowhere, 0, 0, 0, sort->values + (i + 1) * columns);
    request.list_count = list_count;
    return sort->backend->verbs->prepare(sort->backend, &request, bytes);
}
