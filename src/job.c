/*
 * job.c - the three verbs: a job is checked once, then a backend runs it.
 */
#include "base/sized.h"
#include "context.h"

/* Check the one table of a sort. */
static mw_status read_table(const mw_job *job, struct request *request, mw_table *table,
                            struct error *error)
{
    const struct type_row *const type = request->type;
    mw_status status;

    if (!job->in)
        return fail(error, MW_BAD_ARGUMENT, "job: in is NULL");
    TRY(sized_read(table, sizeof *table, job->in, job->table_size,
                   offsetof(mw_table, columns), "the table", error));
    if (table->column_count && !table->columns)
        return fail(error, MW_BAD_ARGUMENT, "job: columns is NULL while column_count is %u",
                    table->column_count);
    if (table->count > (UINT64_C(1) << 62) / type->size)
        return fail(error, MW_BAD_ARGUMENT, "job: %llu elements are more than 2^62 bytes",
                    (unsigned long long)table->count);
done:
    return status;
}

static mw_status check_data(const struct request *request, struct error *error)
{
    const struct type_row *const type = request->type;

    if (!request->keys && request->count)
        return fail(error, MW_BAD_ARGUMENT, "job: elements is NULL while count is %llu",
                    (unsigned long long)request->count);
    if ((uintptr_t)request->keys % type->size)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: elements of type %s must be aligned to %zu bytes", type->name,
                    type->size);
    return MW_OK;
}

/* What a later version will do with a valid job. */
static mw_status check_served(const mw_job *job, const mw_table *table, struct error *error)
{
    const char *what = NULL;

    if (job->operation != MW_SORT)
        what = "operations other than MW_SORT";
    else if (job->out)
        what = "an output table: it sorts in place";
    else if (job->positions)
        what = "positions";
    else if (job->segment_begins)
        what = "segments";
    else if (table->column_count)
        what = "value columns";
    return what ? fail(error, MW_UNSUPPORTED, "job: this version does not serve %s", what)
                : MW_OK;
}

mw_status job_read(const mw_job *theirs, int with_data, struct request *request,
                   struct error *error)
{
    mw_table table;
    mw_job job;
    mw_status status;

    if (!theirs)
        return fail(error, MW_BAD_ARGUMENT, "job is NULL");
    TRY(sized_read(&job, sizeof job, theirs, theirs->size, offsetof(mw_job, out), "the job",
                   error));
    if ((unsigned)job.operation > MW_CHECK)
        return fail(error, MW_BAD_ARGUMENT, "job: operation number %d, expected 0 to %d",
                    (int)job.operation, (int)MW_CHECK);
    if (job.in_count != 1 && job.operation != MW_MERGE && job.operation != MW_SPLIT)
        return fail(error, MW_BAD_ARGUMENT, "job: %u tables, expected 1", job.in_count);
    if (job.segment_ends && !job.segment_begins)
        return fail(error, MW_BAD_ARGUMENT, "job: segment_ends without segment_begins");
    TRY(order_read(job.order, request, error));
    TRY(read_table(&job, request, &table, error));
    TRY(check_served(&job, &table, error));
    request->keys = table.elements;
    request->count = table.count;
    if (with_data)
        TRY(check_data(request, error));
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
