/*
 * job.c - the three verbs: a job is checked once, then a backend runs it.
 */
#include "base/sized.h"
#include "context.h"

/* ---- Tables -------------------------------------------------------------------- */

mw_status job_read_table(const mw_job *job, const void *theirs, const char *name,
                         mw_table *table, struct error *error)
{
    mw_status status;

    if (!theirs)
        return fail(error, MW_BAD_ARGUMENT, "job: %s is NULL", name);
    TRY(sized_read(table, sizeof *table, theirs, job->table_size,
                   offsetof(mw_table, columns), "the table", error));
    if (table->column_count && !table->columns)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: columns of %s is NULL while column_count is %u", name,
                    table->column_count);
done:
    return status;
}

mw_status job_read_column(const mw_job *job, const mw_table *table, uint32_t number,
                          mw_column *column, struct error *error)
{
    const char *const all = (const char *)table->columns;

    return sized_read(column, sizeof *column, all + (size_t)number * job->column_size,
                      job->column_size, sizeof *column, "a column", error);
}

/* Check the sizes of all columns, those of `out` too, and add them up. */
static mw_status read_columns(const mw_job *job, struct request *request,
                              struct error *error)
{
    mw_column in, out;
    mw_status status = MW_OK;

    request->row_bytes = request->order.element_bytes;
    request->column_count = request->in.column_count + 1;
    request->column_size = job->column_size;
    if (request->in.column_count > REQUEST_MOST_COLUMNS)
        return fail(error, MW_BAD_ARGUMENT, "job: %u columns, expected at most %d",
                    request->in.column_count, REQUEST_MOST_COLUMNS);
    for (uint32_t i = 0; i < request->in.column_count; i++) {
        TRY(job_read_column(job, &request->in, i, &in, error));
        if (in.bytes == 0 || in.bytes > REQUEST_MOST_BYTES)
            return fail(error, MW_BAD_ARGUMENT,
                        "job: values of column %u have %u bytes, expected 1 to %d", i,
                        in.bytes, REQUEST_MOST_BYTES);
        out = in;
        if (request->out.columns)
            TRY(job_read_column(job, &request->out, i, &out, error));
        if (in.bytes != out.bytes)
            return fail(error, MW_BAD_ARGUMENT,
                        "job: values of column %u have %u bytes in `in` and %u in `out`", i,
                        in.bytes, out.bytes);
        request->row_bytes += in.bytes;
    }
done:
    return status;
}

/* Do fields of value columns lie within them? */
static mw_status check_fields(const struct request *request, struct error *error)
{
    const struct request_order *const order = &request->order;

    for (uint32_t i = 0; i < order->field_count; i++) {
        const struct request_field *const field = &order->field[i];
        const uint64_t end = (uint64_t)field->offset + field->bytes;

        if (field->column >= request->column_count)
            return fail(error, MW_BAD_ARGUMENT,
                        "order: field %u is of column %u, and the table has %u columns", i,
                        field->column, request->column_count - 1);
        if (end > request_column(request, field->column).bytes)
            return fail(error, MW_BAD_ARGUMENT,
                        "order: field %u ends at byte %llu of values of %u bytes", i,
                        (unsigned long long)end,
                        request_column(request, field->column).bytes);
    }
    return MW_OK;
}

/* ---- What a job writes --------------------------------------------------------- */

static mw_status check_positions(const mw_job *job, struct request *request,
                                 struct error *error)
{
    const mw_type type = job->position_type;
    const int is_signed = type == MW_I32 || type == MW_I64;
    const int is_short = type == MW_U32 || type == MW_I32;

    request->positions = request->with_data ? job->positions : NULL;
    request->position_bytes = 0;
    if (!job->positions)
        return MW_OK;
    if (!is_short && type != MW_U64 && type != MW_I64)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: position_type number %d, expected U32, I32, U64 or I64",
                    (int)type);
    if (is_short && request->count > UINT64_C(1) << (is_signed ? 31 : 32))
        return fail(error, MW_BAD_ARGUMENT,
                    "job: positions of type %s cannot number %llu rows, %s can",
                    mw_type_name(type), (unsigned long long)request->count,
                    is_signed ? "i64" : "u64");
    request->position_bytes = is_short ? 4 : 8;
    if ((uintptr_t)request->positions % request->position_bytes)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: positions of type %s must be aligned to %u bytes",
                    mw_type_name(type), request->position_bytes);
    return MW_OK;
}

/* Read `out`, or make it `in` where it is NULL and a sort is in place. */
static mw_status read_out(const mw_job *job, struct request *request, struct error *error)
{
    const mw_table *const in = &request->in;
    mw_table *const out = &request->out;
    mw_status status;

    *out = job->operation == MW_SORT ? *in : (mw_table){.elements = NULL};
    if (!job->out)
        return MW_OK;
    TRY(job_read_table(job, job->out, "out", out, error));
    if (request->list_count && out->column_count && out->column_count != in->column_count)
        return fail(error, MW_BAD_ARGUMENT, "job: out has %u columns, expected %u or none",
                    out->column_count, in->column_count);
    if (!out->column_count)
        out->columns = NULL;
done:
    return status;
}

/* Which arrays are wanted, and are they those of `in`? */
static void find_wanted(const mw_job *job, struct request *request)
{
    const int with_data = request->with_data;
    int wanted = !job->out && job->operation == MW_SORT;
    int same = 1;

    request->with_data = 1; /* pointers are compared, not followed */
    request->in_place = 0;
    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column column = request_column(request, i);

        wanted |= column.out != NULL;
        same &= column.out && column.out == column.in;
    }
    request->with_data = with_data;
    request->in_place = job->operation == MW_SORT && (!job->out || same);
    request->only_positions = !wanted && job->positions;
}

/* Has `out` as many rows as the result? That of a selection may have more, nothing none. */
static mw_status check_out(const mw_job *job, const struct request *request,
                           struct error *error)
{
    const mw_table *const out = &request->out;
    const int is_nothing =
        !out->count && (request->only_positions || (!out->elements && !out->column_count));
    const int may_have_more = request->operation == MW_SELECT;

    if (!job->out || is_nothing || out->count == request->result_count ||
        (may_have_more && out->count > request->result_count))
        return MW_OK;
    return fail(error, MW_BAD_ARGUMENT, "job: out has %llu rows, expected %llu%s",
                (unsigned long long)out->count, (unsigned long long)request->result_count,
                may_have_more ? " or more" : "");
}

/* ---- Jobs -------------------------------------------------------------------------- */

static mw_status check_count(uint64_t count, uint64_t row_bytes, struct error *error)
{
    if (count > (UINT64_C(1) << 62) / row_bytes)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: %llu elements and their values are more than 2^62 bytes",
                    (unsigned long long)count);
    return MW_OK;
}

/* Everything about a job but its bare keys; its order is read already. */
static mw_status read_rest(const mw_job *job, int is_bare, struct request *request,
                           struct error *error)
{
    struct field_code *const code = &request->order.field[0].code;
    mw_status status;

    request->type = NULL;
    if (is_bare && request->element_type) { /* nothing can tell: ties go by their bits */
        code->zero = 0;
        code->low = 0;
        code->high = code->mask;
    }
    TRY(read_out(job, request, error));
    TRY(read_columns(job, request, error));
    TRY(check_count(request->count, request->row_bytes + 8, error));
    if (request->list_count) { /* without lists no columns are known */
        TRY(check_fields(request, error));
        TRY(job_check_lists(job, request, error));
    }
    TRY(job_read_ranges(job, request, error));
    TRY(check_positions(job, request, error));
    find_wanted(job, request);
    TRY(check_out(job, request, error));
    if (request->with_data)
        TRY(request_check_data(request, error));
    else if (request->operation == MW_SELECT && !request_has_segments(request))
        job_widen_selection(job, request); /* serves any ranks of as many rows */
done:
    return status;
}

/* Bare keys: elements of a built-in type, sorted in place, and nothing else. */
static mw_status read_keys(struct request *request, struct error *error)
{
    mw_status status;

    TRY(check_count(request->count, request->type->size, error));
    request->keys = request->in.elements;
    if (!request->with_data)
        goto done;
    if (!request->keys && request->count)
        return fail(error, MW_BAD_ARGUMENT, "job: elements is NULL while count is %llu",
                    (unsigned long long)request->count);
    TRY(request_check_aligned(request->type, request->keys, error));
done:
    return status;
}

/* What an operation does not take. */
static mw_status check_foreign(const mw_job *job, struct error *error)
{
    static const char *const names[] = {"MW_SORT", "MW_MERGE", "MW_SPLIT", "MW_SELECT",
                                        "MW_CHECK"};
    const mw_operation operation = job->operation;
    const int answers = operation == MW_SPLIT || operation == MW_CHECK;
    const char *const what =
        answers && job->out         ? "an output table"
        : answers && job->positions ? "positions"
        : job->segment_begins && operation != MW_SORT && operation != MW_SELECT ? "segments"
                                                                                : NULL;

    return what ? fail(error, MW_BAD_ARGUMENT, "job: %s with %s, expected none",
                       names[operation], what)
                : MW_OK;
}

static mw_status check_job(const mw_job *job, struct error *error)
{
    if ((unsigned)job->operation > MW_CHECK)
        return fail(error, MW_BAD_ARGUMENT, "job: operation number %d, expected 0 to %d",
                    (int)job->operation, (int)MW_CHECK);
    if (job->in_count != 1 && job->operation != MW_MERGE && job->operation != MW_SPLIT)
        return fail(error, MW_BAD_ARGUMENT, "job: %u tables, expected 1", job->in_count);
    if (job->segment_begins ? job->segment_count && !job->segment_ends
                            : job->segment_ends != NULL)
        return fail(error, MW_BAD_ARGUMENT, "job: segment_%s without segment_%s",
                    job->segment_ends ? "ends" : "begins",
                    job->segment_ends ? "begins" : "ends");
    return check_foreign(job, error);
}

mw_status job_read(const mw_job *theirs, int with_data, struct request *request,
                   struct error *error)
{
    mw_job job;
    mw_status status;

    if (!theirs)
        return fail(error, MW_BAD_ARGUMENT, "job is NULL");
    TRY(sized_read(&job, sizeof job, theirs, theirs->size, offsetof(mw_job, out), "the job",
                   error));
    TRY(check_job(&job, error));
    if (job.operation == MW_MERGE || job.operation == MW_SPLIT) {
        TRY(job_read_lists(&job, request, error));
    } else {
        TRY(job_read_table(&job, job.in, "in", &request->in, error));
        request->list_count = 1;
        request->count = request->in.count;
    }

    /* Lists may be sorted by an order with ties: theirs are not decided by bits. */
    const int is_bare = (job.operation == MW_SORT || job.operation == MW_SELECT) &&
                        !job.positions && !request->in.column_count;
    const int is_lean =
        is_bare && job.operation == MW_SORT && !job.out && !job.segment_begins;

    request->operation = job.operation;
    request->with_data = with_data;
    TRY(order_read(job.order, is_lean, request, error));
    if (is_lean && request->type)
        TRY(read_keys(request, error));
    else
        TRY(read_rest(&job, is_bare, request, error));
done:
    return status;
}

mw_status mw_prepare(mw_context *context, const mw_job *job, uint64_t *workspace_bytes)
{
    struct request request;
    mw_status status;

    TRY(context_ready(context));
    if (!workspace_bytes)
        return fail(&context->error, MW_BAD_ARGUMENT, "workspace_bytes is NULL");
    TRY(job_read(job, 0, &request, &context->error));
    TRY(context->backend->verbs->prepare(context->backend, &request, workspace_bytes));
done:
    return status;
}

mw_status mw_run(mw_context *context, const mw_job *job)
{
    struct request request;
    mw_status status;

    TRY(context_ready(context));
    TRY(job_read(job, 1, &request, &context->error));
    TRY(context->backend->verbs->run(context->backend, &request));
done:
    return status;
}

mw_status mw_enqueue(mw_context *context, const mw_job *job, void *workspace,
                     uint64_t workspace_bytes, void *stream)
{
    struct request request;
    mw_status status;

    TRY(context_ready(context));
    TRY(job_read(job, 1, &request, &context->error));
    if ((uintptr_t)workspace % 256)
        return fail(&context->error, MW_BAD_ARGUMENT,
                    "the workspace must be aligned to 256 bytes");
    TRY(context->backend->verbs->enqueue(context->backend, &request, workspace,
                                         workspace ? workspace_bytes : 0, stream));
done:
    return status;
}
