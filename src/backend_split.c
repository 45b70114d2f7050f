/*
 * backend_split.c - SPLIT on a device: where to cut lists by given ranks.
 */
#include "lists.h"

#include "less.h"

/* Words of scratch memory that the warps of a launch may have, unless they are few. */
enum { SPLIT_WORDS = 1 << 23, SPLIT_LEAST_WARPS = 32 };

/* Which kernel, and what its table has besides the beginnings of lists. */
struct split_shape {
    enum kernel_id kernel;
    struct program_name program;
    uint32_t arrays; /* addresses of each list */
};

/* A code of up to 8 bytes, fields of any length, or an expression. */
static mw_status make_shape(struct split_shape *shape, struct backend *backend,
                            const struct request *request)
{
    const struct request_order *const order = &request->order;
    struct request sample = *request;
    struct less_plan plan;
    uint64_t bytes = 0;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < order->field_count; i++)
        bytes += order->field[i].bytes;
    *shape =
        (struct split_shape){.kernel = bytes <= 8 ? KERNEL_SPLIT_KEYS : KERNEL_SPLIT_ROWS,
                             .program = {.engine = PROGRAM_ROWS},
                             .arrays = order->field_count};
    if (order->field_count == 0) { /* any program for positions: the smallest has it */
        sample.operation = MW_CHECK;
        sample.count = 0;
        TRY(less_plan(&plan, &sample, &backend->tuning, &backend_device(backend)->info,
                      backend->error));
        *shape = (struct split_shape){
            .kernel = KERNEL_SPLIT_BY_LESS, .program = plan.program, .arrays = 1};
    }
done:
    return status;
}

/* The same or more for more lists or ranks. */
static uint64_t scratch_words(const struct request *request)
{
    const uint64_t each = (uint64_t)SPLIT_SCRATCH * request->list_count;
    const uint64_t few = SPLIT_LEAST_WARPS * each;
    const uint64_t most = few > SPLIT_WORDS ? few : SPLIT_WORDS;

    return request->rank_count < most / each ? request->rank_count * each : most;
}

static uint64_t warps_of(const struct request *request)
{
    const uint64_t each = (uint64_t)SPLIT_SCRATCH * request->list_count;
    const uint64_t most = scratch_words(request) / each;

    return most < request->rank_count ? most : request->rank_count;
}

static uint64_t table_words(const struct split_shape *shape, const struct request *request)
{
    return request->list_count + 1 + (uint64_t)shape->arrays * request->list_count;
}

static uint64_t workspace_bytes(const struct split_shape *shape,
                                const struct request *request)
{
    return (table_words(shape, request) + scratch_words(request)) * sizeof(wide);
}

static mw_status load(struct backend *backend, const struct split_shape *shape,
                      struct program **program)
{
    struct device *const device = backend_device(backend);

    return device->verbs->load(device, &shape->program, KERNEL_SET(shape->kernel), program);
}

mw_status split_prepare(struct backend *backend, const struct request *request,
                        uint64_t *bytes)
{
    struct split_shape shape;
    struct program *program;
    mw_status status;

    TRY(make_shape(&shape, backend, request));
    TRY(load(backend, &shape, &program));
    TRY(passes_load_rows(backend_device(backend), &program));
    *bytes = workspace_bytes(&shape, request);
done:
    return status;
}

/* The field of an order as kernels know it; a string of a code is a number. */
static struct code_part part_of(const struct request *request, uint32_t number, int in_code)
{
    const struct request_field *const field = &request->order.field[number];
    const uint32_t bits = 8 * field->bytes;
    struct code_part part = {.pitch = request_column(request, field->column).bytes,
                             .bytes = (int)field->bytes,
                             .is_string = field->is_string,
                             .code = field->code};

    if (in_code) {
        const uint64_t mask = ~UINT64_C(0) >> (64 - bits);

        part.bits = (int)bits;
        if (field->is_string)
            part.code = (struct field_code){
                .flip = field->code.flip & mask, .mask = mask, .high = mask};
    }
    return part;
}

/* Write the table; returns what all kernels get. */
static mw_status put_table(struct lists_run *run, const struct split_shape *shape,
                           struct split_lists *lists)
{
    const struct request *const request = run->request;
    wide *const table = (wide *)run->workspace;
    struct lists_writer writer;
    mw_status status;

    lists_write(&writer, run, table);
    TRY(lists_put_firsts(&writer));
    for (uint32_t i = 0; i < request->order.field_count; i++)
        TRY(lists_put_column(&writer, request->order.field[i].column,
                             request->order.field[i].offset));
    if (request->order.field_count == 0)
        TRY(lists_put_column(&writer, 0, 0));
    TRY(lists_flush(&writer));
    *lists = (struct split_lists){.firsts = table,
                                  .at = table + request->list_count + 1,
                                  .ranks = (const wide *)request->ranks,
                                  .cuts = (wide *)request->cuts,
                                  .scratch = table + table_words(shape, request),
                                  .rank_count = request->rank_count,
                                  .warps = warps_of(request),
                                  .list_count = request->list_count};
done:
    return status;
}

static mw_status launch(struct lists_run *run, const struct split_shape *shape,
                        struct program *program, const struct split_lists *lists)
{
    const struct request *const request = run->request;
    const uint64_t each = split_keys_threads / WARP;
    const uint64_t blocks = (lists->warps + each - 1) / each;
    const uint32_t fields = request->order.field_count;

    if (shape->kernel == KERNEL_SPLIT_KEYS) {
        struct split_keys_args args = {.lists = *lists, .part_count = (int)fields};
        uint32_t bits = 0;

        for (uint32_t i = 0; i < fields; i++) {
            args.part[i] = part_of(request, i, 1);
            bits += (uint32_t)args.part[i].bits;
        }
        args.most = ~UINT64_C(0) >> (64 - bits);
        return lists_launch(run, program, shape->kernel, blocks, split_keys_threads, 0,
                            &args, sizeof args);
    }
    if (shape->kernel == KERNEL_SPLIT_ROWS) {
        struct split_rows_args args = {.lists = *lists, .field_count = (int)fields};

        for (uint32_t i = 0; i < fields; i++)
            args.field[i] = part_of(request, i, 0);
        return lists_launch(run, program, shape->kernel, blocks, split_rows_threads, 0,
                            &args, sizeof args);
    }

    const struct split_by_less_args args = {
        .lists = *lists,
        .order = {.less_on_host = request->order.less_on_host,
                  .bytes = request->order.element_bytes}
    };

    return lists_launch(run, program, shape->kernel, blocks, split_by_less_threads, 0,
                        &args, sizeof args);
}

_Static_assert((int)split_keys_threads == (int)split_rows_threads &&
                   (int)split_keys_threads == (int)split_by_less_threads,
               "all have the same number of warps in a block");

mw_status split_enqueue(struct backend *backend, const struct request *request,
                        void *workspace, uint64_t bytes, void *stream)
{
    struct split_shape shape;
    struct split_lists lists;
    struct program *program;
    struct lists_run run;
    mw_status status;

    TRY(make_shape(&shape, backend, request));
    TRY(backend_check_workspace(backend, bytes, workspace_bytes(&shape, request)));
    TRY(lists_begin(&run, backend, request, workspace, stream));
    TRY(load(backend, &shape, &program));
    backend->counts = (mw_counts)MW_COUNTS_INIT;
    backend->counts.count = request->count;
    if (request->rank_count == 0)
        goto done;
    TRY(put_table(&run, &shape, &lists));
    TRY(launch(&run, &shape, program, &lists));
done:
    return status;
}
