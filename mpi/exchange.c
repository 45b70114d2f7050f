/*
 * exchange.c - sort a rank's rows; send each to its rank, once; merge what was received.
 */
#include "across.h"

#include <stdlib.h>
#include <string.h>

/* ---- Jobs ---------------------------------------------------------------------------- */

/* On device memory with our workspace, or on host memory with the handle's. */
static mw_status run_job(struct across *a, const mw_job *job, void *workspace,
                         uint64_t workspace_bytes)
{
    mw_status status;

    if (!a->is_device)
        return mw_run(a->context, job);
    TRY(mw_enqueue(a->context, job, workspace_bytes ? workspace : NULL, workspace_bytes,
                   NULL));
    TRY(mw_wait(a->context));
done:
    return status;
}

/* The positions of a rank's rows before it sorts them. */
static mw_status number_rows(struct across *a, struct array *array)
{
    const uint64_t first = a->firsts[a->comm->rank];
    const uint64_t bytes = a->in_count * array->bytes;
    void *const to = a->is_device ? malloc((size_t)bytes) : array->sorted;
    mw_status status = MW_OK;

    if (!to)
        return refuse(a, MW_NO_MEMORY, "cannot allocate %llu bytes for positions",
                      (unsigned long long)bytes);
    for (uint64_t i = 0; i < a->in_count; i++) {
        if (array->bytes == 4)
            ((uint32_t *)to)[i] = (uint32_t)(first + i);
        else
            ((uint64_t *)to)[i] = first + i;
    }
    if (a->is_device) {
        status = mw_upload(a->context, array->sorted, to, bytes);
        free(to);
    }
    return status;
}

/* Where the sorted rows go: to `out` if it has room. */
static mw_status place_sorted(struct across *a)
{
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < a->array_count; i++) {
        struct array *const array = &a->arrays[i];

        array->sorted = a->out_count >= a->in_count ? array->out : NULL;
        if (!array->sorted) {
            TRY(memory_alloc(a, a->in_count * array->bytes, &array->own));
            array->sorted = array->own;
        }
        if (array->counts)
            TRY(number_rows(a, array));
        else if (!a->is_device && array->sorted != array->in)
            memcpy(array->sorted, array->in, (size_t)(a->in_count * array->bytes));
    }
done:
    return status;
}

mw_status sort_locally(struct across *a)
{
    const uint32_t columns = a->array_count - 1;
    mw_job job = MW_JOB_INIT;
    mw_table in = {.count = a->in_count, .columns = a->columns, .column_count = columns};
    mw_table out = {.elements = NULL};
    uint64_t bytes = 0;
    mw_status status;

    if (!a->in_count)
        return MW_OK;
    for (uint32_t i = 0; i < a->array_count; i++) {
        if (!a->arrays[i].in && !a->arrays[i].counts)
            return refuse(a, MW_BAD_ARGUMENT,
                          "job: elements, or values, are NULL while count is %llu",
                          (unsigned long long)a->in_count);
    }
    TRY(place_sorted(a));
    for (uint32_t i = 0; i < columns; i++) {
        const struct array *const array = &a->arrays[i + 1];
        void *const from = array->counts ? array->sorted : (void *)(uintptr_t)array->in;

        a->columns[i] = (mw_column){array->sorted, array->bytes};
        a->columns[columns + i] =
            (mw_column){a->is_device ? from : array->sorted, array->bytes};
    }
    in.elements = a->arrays[0].sorted;
    job.order = &a->order;
    job.in = &in;
    if (a->is_device) { /* the host could not copy the rows to where they are sorted */
        out = in;
        in.elements = (void *)(uintptr_t)a->arrays[0].in;
        in.columns = a->columns + columns;
        job.out = in.elements == out.elements && !columns ? NULL : &out;
    }
    if (a->is_device) {
        TRY(mw_prepare(a->context, &job, &bytes));
        TRY(room_make(a, bytes));
    }
    TRY(run_job(a, &job, a->room, bytes));
done:
    return status;
}

/* ---- The exchange ------------------------------------------------------------------- */

/* Lists received, at their places in `room`, as tables of a merge into `out`. */
static void make_tables(struct across *a, mw_job *job, mw_table *out)
{
    const uint64_t *const received = a->numbers + a->ranks;
    const uint32_t columns = a->array_count - 1;
    unsigned char *room = a->room;
    uint64_t first = 0;
    uint32_t lists = 0;

    for (uint32_t i = 0; i < a->array_count; i++) {
        struct array *const array = &a->arrays[i];

        array->received = room;
        room += (a->out_count * array->bytes / ALIGNMENT + 1) * ALIGNMENT;
        if (i > 0)
            a->columns[i - 1] = (mw_column){array->out, array->bytes};
    }
    for (uint32_t i = 0; i < a->ranks; i++) {
        mw_column *const list = a->list_columns + (uint64_t)lists * columns;

        for (uint32_t c = 0; c < columns; c++) {
            const struct array *const array = &a->arrays[c + 1];

            list[c] =
                (mw_column){(char *)array->received + first * array->bytes, array->bytes};
        }
        a->tables[lists] = (mw_table){.elements = (char *)a->arrays[0].received +
                                                  first * a->arrays[0].bytes,
                                      .count = received[i],
                                      .columns = list,
                                      .column_count = columns};
        lists += received[i] > 0;
        first += received[i];
    }
    *out = (mw_table){.elements = a->arrays[0].out,
                      .count = a->out_count,
                      .columns = a->columns,
                      .column_count = columns};
    job->operation = MW_MERGE;
    job->order = &a->order;
    job->in = a->tables;
    job->in_count = lists;
    job->out = out;
}

/*
 * All memory is allocated before rows are sent. On host memory a merge uses the scratch
 * memory that the handle kept from the sort.
 */
static mw_status prepare_merge(struct across *a, mw_job *job, mw_table *out,
                               uint64_t *workspace)
{
    const int is_staged = a->is_device && !(a->comm->flags & MW_COMM_DEVICE_MEMORY);
    uint64_t rows = 0, widest = 0;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < a->array_count; i++) {
        const uint32_t bytes = a->arrays[i].bytes;

        rows += (a->out_count * bytes / ALIGNMENT + 1) * ALIGNMENT;
        widest = bytes > widest ? bytes : widest;
    }
    make_tables(a, job, out);
    *workspace = 0;
    if (a->is_device && a->out_count)
        TRY(mw_prepare(a->context, job, workspace));
    TRY(room_make(a, rows + *workspace));
    make_tables(a, job, out);
    a->merge_at = rows;
    if (is_staged) {
        a->staged[0] = pages_alloc(a->in_count * widest);
        a->staged[1] = pages_alloc(a->out_count * widest);
        if (!a->staged[0] || !a->staged[1])
            return refuse(a, MW_NO_MEMORY, "no host memory for rows on their way");
    }
done:
    return status;
}

/* One array to all ranks. A failed copy is `*own`'s; the others learn of it at the end. */
static mw_status send_array(struct across *a, const struct array *array, mw_status *own)
{
    const uint64_t *const received = a->numbers + a->ranks;
    const void *from = array->sorted;
    void *to = array->received;

    for (uint32_t i = 0; i < a->ranks; i++) {
        a->send.bytes[i] = (a->cuts[i + 1] - a->cuts[i]) * array->bytes;
        a->receive.bytes[i] = received[i] * array->bytes;
    }
    if (a->staged[0]) {
        if (*own == MW_OK && a->in_count)
            *own = mw_download(a->context, a->staged[0], from, a->in_count * array->bytes);
        from = a->staged[0];
        to = a->staged[1];
    }

    const mw_status status = send_parts(a, from, to);

    if (status == MW_OK && a->staged[0] && *own == MW_OK && a->out_count)
        *own = mw_upload(a->context, array->received, to, a->out_count * array->bytes);
    return status;
}

mw_status exchange(struct across *a)
{
    mw_job job = MW_JOB_INIT;
    mw_table out;
    uint64_t workspace = 0, staged, nothing = 0;
    mw_status own = MW_OK;
    mw_status status;

    for (uint32_t i = 0; i < a->ranks; i++)
        a->numbers[i] = a->cuts[i + 1] - a->cuts[i];
    TRY(send_equal(a, a->numbers, a->numbers + a->ranks, sizeof *a->numbers));
    own = prepare_merge(a, &job, &out, &workspace);
    staged = a->staged[0] != NULL;
    TRY(agree(a, own, &staged));
    for (uint32_t i = 0; i < a->array_count; i++)
        TRY(send_array(a, &a->arrays[i], &own));
    if (staged) /* on some rank, where a copy may have failed: rows are still in place */
        TRY(agree(a, own, &nothing));
    if (a->out_count)
        own = run_job(a, &job, (char *)a->room + a->merge_at, workspace);
    TRY(agree(a, own, &nothing));
done:
    return status;
}
