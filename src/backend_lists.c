/*
 * backend_lists.c - MERGE and SPLIT on a device.
 *
 * The general way to merge, where backend_merge.c has no better one: the lists are
 * concatenated in the workspace, and the rows are sorted. The sort is stable, so its
 * result is the merge.
 */
#include "lists.h"

#include "plan_parts.h"

#include <stdlib.h>

static int is_compared(const struct request_order *order, uint32_t column)
{
    int compared = order->field_count == 0 && column == 0;

    for (uint32_t i = 0; i < order->field_count; i++)
        compared |= order->field[i].column == column;
    return compared;
}

/* Add a column of the caller's to the sort; its copy will be at `in`. */
static void add_column(struct lists_sort *sort, const struct request_column *c,
                       uint32_t number, uint32_t most, char *in)
{
    struct request *const request = &sort->request;
    const uint32_t column = request->column_count++;

    sort->number[column] = number;
    request->row_bytes += c->bytes;
    for (uint32_t i = 0; i < request->order.field_count; i++) {
        if (request->order.field[i].column == number)
            request->order.field[i].column = column; /* column <= number */
    }
    if (column == 0) {
        request->order.element_bytes = c->bytes;
        request->in.elements = in;
        request->out.elements = c->out;
    } else {
        sort->columns[column - 1] = (mw_column){in, c->bytes};
        sort->columns[most + column - 1] = (mw_column){c->out, c->bytes};
    }
}

mw_status lists_sort_make(struct lists_sort *sort, struct backend *backend,
                          const struct request *request, char *copies)
{
    const uint32_t most = request->column_count;
    struct request seen = *request; /* which pointers are NULL always counts */

    seen.with_data = 1;
    *sort = (struct lists_sort){.request = *request};
    sort->columns = malloc(2 * sizeof *sort->columns * most);
    sort->number = malloc(sizeof *sort->number * most);
    if (!sort->columns || !sort->number)
        return fail(backend->error, MW_NO_MEMORY, "no memory for %u columns", most);
    sort->request.operation = MW_SORT;
    sort->request.in_place = 0;
    sort->request.list_count = 1;
    sort->request.element_type = NULL;
    sort->request.column_count = 0;
    sort->request.row_bytes = 0;
    sort->request.column_size = sizeof(mw_column);
    for (uint32_t i = 0; i < most; i++) {
        const struct request_column c = request_column(&seen, i);

        if (!c.out && !is_compared(&request->order, i))
            continue;
        add_column(sort, &c, i, most, copies + sort->copy_bytes);
        sort->copy_bytes += round_up(c.bytes * request->count, PLAN_ALIGNMENT);
    }

    const uint32_t others = sort->request.column_count - 1;

    sort->request.in.columns = sort->columns;
    sort->request.out.columns = sort->columns + most;
    sort->request.in.column_count = sort->request.out.column_count = others;
    sort->request.in.count = sort->request.out.count = request->count;
    return MW_OK;
}

void lists_sort_free(struct lists_sort *sort)
{
    free(sort->columns);
    free(sort->number);
}

/* Words of the table of one column. */
static uint64_t table_bytes(const struct request *request)
{
    return round_up((2 * (uint64_t)request->list_count + 1) * sizeof(wide), PLAN_ALIGNMENT);
}

mw_status lists_prepare(struct backend *backend, const struct request *request,
                        uint64_t *workspace_bytes)
{
    struct lists_sort sort;
    struct program *mover;
    uint64_t sort_bytes;
    int served;
    mw_status status;

    if (request->operation == MW_SPLIT)
        return split_prepare(backend, request, workspace_bytes);
    status = merge_prepare(backend, request, workspace_bytes, &served);
    if (status != MW_OK || served)
        return status;
    TRY(lists_sort_make(&sort, backend, request, (char *)PLAN_ALIGNMENT));
    TRY(passes_load_rows(backend_device(backend), &mover));
    TRY(rows_prepare(backend, &sort.request, &sort_bytes));
    *workspace_bytes = table_bytes(request) + sort.copy_bytes + sort_bytes;
done:
    lists_sort_free(&sort);
    return status;
}

/* Copy the lists of all columns that are needed. */
static mw_status copy_columns(struct lists_run *run, const struct lists_sort *sort)
{
    const struct request *const request = run->request;
    wide *const table = (wide *)run->workspace;
    wide *const at = table + request->list_count + 1;
    struct lists_writer writer;
    mw_status status;

    lists_write(&writer, run, table);
    TRY(lists_put_firsts(&writer));
    for (uint32_t i = 0; i < sort->request.column_count; i++) {
        const struct request_column c = request_column(&sort->request, i);
        const struct copy_lists_args args = {.firsts = table,
                                             .at = at,
                                             .out = (void *)c.in,
                                             .count = request->count,
                                             .list_count = request->list_count,
                                             .bytes = c.bytes,
                                             .in_pitch = c.bytes,
                                             .out_pitch = c.bytes,
                                             .out_bytes = c.bytes};

        TRY(lists_put_column(&writer, sort->number[i], 0));
        TRY(lists_flush(&writer));
        TRY(lists_copy(run, &args));
        lists_write(&writer, run, at);
    }
done:
    return status;
}

mw_status lists_enqueue(struct backend *backend, const struct request *request,
                        void *workspace, uint64_t bytes, void *stream)
{
    char *const copies = (char *)workspace + table_bytes(request);
    struct lists_sort sort;
    struct lists_run run;
    uint64_t used;
    int served;
    mw_status status;

    if (request->operation == MW_SPLIT)
        return split_enqueue(backend, request, workspace, bytes, stream);
    status = merge_enqueue(backend, request, workspace, bytes, stream, &served);
    if (status != MW_OK || served)
        return status;
    TRY(lists_sort_make(&sort, backend, request, copies));
    used = table_bytes(request) + sort.copy_bytes;
    TRY(backend_check_workspace(backend, bytes, used));
    TRY(lists_begin(&run, backend, request, workspace, stream));
    if (request->count)
        TRY(copy_columns(&run, &sort));
    TRY(rows_enqueue(backend, &sort.request, (char *)workspace + used, bytes - used,
                     stream));
done:
    lists_sort_free(&sort);
    return status;
}
