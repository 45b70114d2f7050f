/*
 * backend_stage.c - requests on host memory: arrays to the device, and results back.
 *
 * Arrays that are read and arrays that are written are separate on the device, unless the
 * caller passes the same array for both. So nothing is lost if a request fails
 * before its results are copied back.
 */
#include "backend_device.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARCEL_BYTES = 4 << 20, /* of short lists that travel together */
    PARCEL_LEAST = 1 << 18  /* bytes of a list that travels alone */
};

/* A request on host memory, and its copy on the device. */
struct stage {
    struct device *device;
    const struct request *theirs;
    struct request ours; /* with device memory */
    mw_column *columns;  /* of `out`, then of `in` or of each list */
    mw_table *lists;     /* NULL: none */
    uint64_t bytes;      /* of all arrays on the device */
    int keeps_results;   /* some row of the results is not written: it must stay */
};

static int has_lists(const struct request *request)
{
    return request->operation == MW_MERGE || request->operation == MW_SPLIT;
}

int device_needs_column(const struct request *request, uint32_t number)
{
    const struct request_order *const order = &request->order;

    if (request_column(request, number).out || (number == 0 && !order->field_count))
        return 1;
    for (uint32_t i = 0; i < order->field_count; i++)
        if (order->field[i].column == number)
            return 1;
    return 0;
}

/* ---- Places ------------------------------------------------------------------------ */

/* Room for an array at `*at`, which moves on; NULL for none. */
static void *reserve(char **at, int is_there, uint64_t bytes)
{
    char *const place = *at;

    if (!is_there)
        return NULL;
    *at += (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
    return place;
}

static void set_column(mw_table *table, mw_column *columns, uint32_t number, void *at,
                       uint32_t bytes)
{
    if (number == 0)
        table->elements = at;
    else
        columns[number - 1] = (mw_column){at, bytes};
}

/* One column of the input and of `out`; rows of all lists follow each other. */
static void place_column(struct stage *stage, uint32_t number, char **at)
{
    const struct request *const theirs = stage->theirs;
    const struct request_column c = request_column(theirs, number);
    const uint32_t others = theirs->column_count - 1;
    char *const in =
        reserve(at, device_needs_column(theirs, number), c.bytes * theirs->count);
    const int in_place = c.out && c.out == c.in && !stage->lists;
    void *const out =
        in_place ? in : reserve(at, c.out != NULL, c.bytes * theirs->result_count);
    uint64_t row = 0;

    set_column(&stage->ours.out, stage->columns, number, out, c.bytes);
    if (!stage->lists)
        set_column(&stage->ours.in, stage->columns + others, number, in, c.bytes);
    for (uint32_t i = 0; stage->lists && i < theirs->list_count; i++) {
        mw_table *const list = &stage->lists[i];

        list->count = request_list(theirs, i).count;
        list->columns = stage->columns + (size_t)(i + 1) * others;
        list->column_count = others;
        set_column(list, stage->columns + (size_t)(i + 1) * others, number,
                   in ? in + row * c.bytes : NULL, c.bytes);
        row += list->count;
    }
}

/* Set where all arrays are on the device, from `memory` on. */
static void place(struct stage *stage, char *memory)
{
    const struct request *const theirs = stage->theirs;
    struct request *const ours = &stage->ours;
    const uint64_t segment_bytes = theirs->segment_count * theirs->segment_bytes;
    const uint64_t cuts =
        theirs->operation == MW_SPLIT ? theirs->rank_count * theirs->list_count : 1;
    char *at = memory;

    *ours = *theirs;
    ours->column_size = sizeof(mw_column);
    ours->out.columns = stage->columns;
    ours->in.columns = stage->columns + theirs->column_count - 1;
    for (uint32_t i = 0; i < theirs->column_count; i++)
        place_column(stage, i, &at);
    if (stage->lists) {
        ours->lists = (const char *)stage->lists;
        ours->table_size = sizeof(mw_table);
        ours->in = stage->lists[0];
    }
    ours->positions = reserve(&at, theirs->positions != NULL,
                              theirs->position_bytes * theirs->result_count);
    if (request_has_segments(theirs)) { /* of none, too: the pointers say that there are */
        ours->segment_begins = reserve(&at, 1, segment_bytes + 1);
        ours->segment_ends = reserve(&at, 1, segment_bytes + 1);
    }
    ours->ranks = reserve(&at, theirs->ranks != NULL, 8 * theirs->rank_count);
    ours->cuts = reserve(&at, theirs->cuts != NULL, 8 * cuts);
    stage->bytes = (uint64_t)(at - memory);
}

/* ---- Short lists ------------------------------------------------------------------- */

/* Host memory that goes to consecutive device memory, gathered before it travels. */
struct parcel {
    struct device *device;
    char *to; /* where the next byte goes */
    unsigned char *buffer;
    uint64_t gathered; /* bytes */
};

static mw_status parcel_send(struct parcel *parcel)
{
    struct device *const device = parcel->device;
    mw_status status = MW_OK;

    if (parcel->gathered == 0)
        return MW_OK;
    TRY(device->verbs->upload(device, parcel->to - parcel->gathered, parcel->buffer,
                              parcel->gathered, device->stream));
    TRY(device->verbs->wait(device, device->stream)); /* the buffer is used again */
    parcel->gathered = 0;
done:
    return status;
}

static mw_status parcel_add(struct parcel *parcel, const void *from, uint64_t bytes)
{
    struct device *const device = parcel->device;
    mw_status status = MW_OK;

    if (bytes >= PARCEL_LEAST || parcel->gathered + bytes > PARCEL_BYTES)
        TRY(parcel_send(parcel));
    if (bytes >= PARCEL_LEAST) {
        TRY(device->verbs->upload(device, parcel->to, from, bytes, device->stream));
    } else if (bytes) {
        memcpy(parcel->buffer + parcel->gathered, from, (size_t)bytes);
        parcel->gathered += bytes;
    }
    parcel->to += bytes;
done:
    return status;
}

/* Upload one column of all lists; lists that are neighbours travel as one. */
static mw_status upload_lists(const struct stage *stage, uint32_t number,
                              unsigned char *buffer)
{
    const uint64_t bytes = request_column(stage->theirs, number).bytes;
    struct parcel parcel = {.device = stage->device,
                            .to = (char *)request_list_column(&stage->ours, 0, number),
                            .buffer = buffer};
    const char *from = NULL;
    uint64_t length = 0;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < stage->theirs->list_count; i++) {
        const uint64_t more = stage->lists[i].count * bytes;
        const char *const next = request_list_column(stage->theirs, i, number);

        if (more == 0)
            continue;
        if (from && next == from + length) {
            length += more;
            continue;
        }
        TRY(parcel_add(&parcel, from, length));
        from = next;
        length = more;
    }
    TRY(parcel_add(&parcel, from, length));
    TRY(parcel_send(&parcel));
done:
    return status;
}

static mw_status upload_all_lists(const struct stage *stage)
{
    unsigned char *const buffer = malloc(PARCEL_BYTES);
    mw_status status = MW_OK;

    if (!buffer)
        return fail(stage->device->error, MW_NO_MEMORY, "no memory to gather lists in");
    for (uint32_t i = 0; i < stage->theirs->column_count; i++)
        if (device_needs_column(stage->theirs, i))
            TRY(upload_lists(stage, i, buffer));
done:
    free(buffer);
    return status;
}

/* ---- Segments ---------------------------------------------------------------------- */

static uint64_t segment_number(const struct request *request, const void *numbers,
                               uint64_t i)
{
    if (request->segment_bytes == 8)
        return ((const uint64_t *)numbers)[i];
    return request->segment_signed ? (uint64_t)((const int32_t *)numbers)[i]
                                   : ((const uint32_t *)numbers)[i];
}

/*
 * May some row of the results not be written? Not if segments to be sorted are
 * neighbours from the first row to the last, or if each has all rows to be selected.
 */
static int leaves_rows(const struct request *request)
{
    const int is_sort = request->operation == MW_SORT;
    uint64_t row = 0;

    if (!request_has_segments(request))
        return 0;
    for (uint64_t i = 0; i < request->segment_count; i++) {
        const uint64_t begin = segment_number(request, request->segment_begins, i);
        const uint64_t end = segment_number(request, request->segment_ends, i);
        const int is_valid = begin <= end && end <= request->count;

        if (!is_valid || (is_sort ? begin != row : end - begin < request->last))
            return 1;
        row = end;
    }
    return is_sort && row != request->count;
}

/* ---- Copies ------------------------------------------------------------------------ */

static mw_status upload(const struct stage *stage, const void *to, const void *from,
                        uint64_t bytes)
{
    struct device *const device = stage->device;

    return to && bytes ? device->verbs->upload(device, (void *)(uintptr_t)to, from, bytes,
                                               device->stream)
                       : MW_OK;
}

static mw_status download(const struct stage *stage, void *to, const void *from,
                          uint64_t bytes)
{
    struct device *const device = stage->device;

    return to && bytes ? device->verbs->download(device, to, from, bytes, device->stream)
                       : MW_OK;
}

static mw_status upload_columns(const struct stage *stage)
{
    const struct request *const theirs = stage->theirs;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < theirs->column_count; i++) {
        const struct request_column from = request_column(theirs, i);
        const struct request_column to = request_column(&stage->ours, i);

        if (!stage->lists)
            TRY(upload(stage, to.in, from.in, from.bytes * theirs->count));
        if (stage->keeps_results && from.out != from.in)
            TRY(upload(stage, to.out, from.out, from.bytes * theirs->result_count));
    }
    if (stage->lists)
        TRY(upload_all_lists(stage));
done:
    return status;
}

static mw_status upload_all(const struct stage *stage)
{
    const struct request *const theirs = stage->theirs;
    const struct request *const ours = &stage->ours;
    mw_status status;

    TRY(upload_columns(stage));
    if (stage->keeps_results)
        TRY(upload(stage, ours->positions, theirs->positions,
                   theirs->position_bytes * theirs->result_count));
    if (request_has_segments(theirs)) {
        const uint64_t bytes = theirs->segment_count * theirs->segment_bytes;

        TRY(upload(stage, ours->segment_begins, theirs->segment_begins, bytes));
        TRY(upload(stage, ours->segment_ends, theirs->segment_ends, bytes));
    }
    TRY(upload(stage, ours->ranks, theirs->ranks, 8 * theirs->rank_count));
done:
    return status;
}

static mw_status download_all(const struct stage *stage)
{
    const struct request *const theirs = stage->theirs;
    const struct request *const ours = &stage->ours;
    const uint64_t rows = theirs->result_count;
    const uint64_t cuts =
        theirs->operation == MW_SPLIT ? theirs->rank_count * theirs->list_count : 1;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < theirs->column_count; i++) {
        const struct request_column c = request_column(theirs, i);

        TRY(download(stage, c.out, request_column(ours, i).out, c.bytes * rows));
    }
    TRY(download(stage, theirs->positions, ours->positions, theirs->position_bytes * rows));
    TRY(download(stage, theirs->cuts, ours->cuts, 8 * cuts));
done:
    return status;
}

/* ---- Running ----------------------------------------------------------------------- */

/* Workspace of one request. A text is compiled for its count only: that takes time. */
static mw_status workspace_for(struct backend *backend, const struct request *request,
                               uint64_t *bytes)
{
    const int is_whole = request->operation == MW_SORT || request->operation == MW_CHECK;
    struct plan plan;
    mw_status status;

    if (request->order.field_count || !is_whole || request_has_segments(request))
        return device_prepare(backend, request, bytes);
    TRY(comparison_plan(backend, request, &plan));
    *bytes = plan.workspace_bytes;
done:
    return status;
}

static mw_status stage_open(struct stage *stage, struct error *error)
{
    const struct request *const theirs = stage->theirs;
    const size_t tables = 1 + (size_t)theirs->list_count;

    stage->columns = malloc(tables * sizeof *stage->columns * theirs->column_count);
    if (has_lists(theirs))
        stage->lists = calloc(theirs->list_count, sizeof *stage->lists);
    if (!stage->columns || (has_lists(theirs) && !stage->lists))
        return fail(error, MW_NO_MEMORY, "no memory for %u columns of %zu tables",
                    theirs->column_count, tables);
    return MW_OK;
}

mw_status device_run_host(struct backend *backend, const struct request *request)
{
    struct device *const device = backend_device(backend);
    struct stage stage = {.device = device, .theirs = request};
    uint64_t workspace = 0;
    char *scratch;
    int is_long;
    mw_status status;

    if (request->list_count == 0)
        return device_enqueue(backend, request, NULL, 0, NULL);
    TRY(stage_open(&stage, backend->error));
    stage.keeps_results = leaves_rows(request);
    place(&stage, NULL);
    status = workspace_for(backend, request, &workspace);
    /* More rows than a device can number are supported in chunks only. */
    is_long = status == MW_UNSUPPORTED && request->count > UINT32_MAX;
    if ((status == MW_OK || is_long) &&
        host_is_chunked(backend, request, is_long ? UINT64_MAX : stage.bytes + workspace)) {
        TRY(host_sort_chunked(backend, request));
        goto done;
    }
    TRY(status);
    TRY(device_scratch(backend, stage.bytes + workspace, &scratch));
    place(&stage, scratch);
    TRY(upload_all(&stage));
    TRY(device_enqueue(backend, &stage.ours, scratch + stage.bytes, workspace,
                       device->stream));
    TRY(download_all(&stage));
    TRY(device->verbs->wait(device, device->stream));
done:
    free(stage.lists);
    free(stage.columns);
    return status;
}
