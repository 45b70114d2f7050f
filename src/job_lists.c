/*
 * job_lists.c - reading jobs: their lists, segments and ranks.
 */
#include "base/sized.h"
#include "context.h"

/* ---- Lists ---------------------------------------------------------------------- */

mw_status job_read_lists(const mw_job *job, struct request *request, struct error *error)
{
    uint64_t count = 0;
    mw_table table;
    mw_status status = MW_OK;

    request->in = (mw_table){.elements = NULL};
    request->lists = (const char *)job->in;
    request->table_size = job->table_size;
    request->list_count = job->in_count;
    if (job->in_count > REQUEST_MOST_LISTS)
        return fail(error, MW_BAD_ARGUMENT, "job: %u tables, expected at most %d",
                    job->in_count, REQUEST_MOST_LISTS);
    for (uint32_t i = 0; i < job->in_count; i++) {
        const char *const theirs =
            job->in ? request->lists + (size_t)i * job->table_size : NULL;

        TRY(job_read_table(job, theirs, "in", &table, error));
        count = table.count > UINT64_MAX - count ? UINT64_MAX : count + table.count;
        if (i == 0)
            request->in = table;
    }
    request->count = count;
done:
    return status;
}

/* Are the columns of list `number` those of the first? */
static mw_status check_list(const mw_job *job, const struct request *request,
                            uint32_t number, struct error *error)
{
    const mw_table list = request_list(request, number);
    mw_column first, column;
    mw_status status = MW_OK;

    if (list.column_count != request->in.column_count)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: table %u has %u columns, expected %u as the first has", number,
                    list.column_count, request->in.column_count);
    for (uint32_t i = 0; i < list.column_count; i++) {
        TRY(job_read_column(job, &request->in, i, &first, error));
        TRY(job_read_column(job, &list, i, &column, error));
        if (column.bytes != first.bytes)
            return fail(error, MW_BAD_ARGUMENT,
                        "job: values of column %u have %u bytes in table %u and %u in the "
                        "first",
                        i, column.bytes, number, first.bytes);
    }
done:
    return status;
}

mw_status job_check_lists(const mw_job *job, struct request *request, struct error *error)
{
    mw_status status = MW_OK;

    for (uint32_t i = 1; i < request->list_count; i++)
        TRY(check_list(job, request, i, error));
done:
    return status;
}

/* ---- Segments ------------------------------------------------------------------- */

static mw_status read_segments(const mw_job *job, struct request *request,
                               struct error *error)
{
    const mw_type type = job->segment_type;
    const int is_short = type == MW_U32 || type == MW_I32;
    const uint32_t bytes = is_short ? 4 : 8;

    if (!is_short && type != MW_U64 && type != MW_I64)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: segment_type number %d, expected U32, I32, U64 or I64",
                    (int)type);
    if (job->segment_count > UINT64_C(1) << 56)
        return fail(error, MW_BAD_ARGUMENT, "job: %llu segments, expected at most 2^56",
                    (unsigned long long)job->segment_count);
    if (request->with_data &&
        ((uintptr_t)job->segment_begins % bytes || (uintptr_t)job->segment_ends % bytes))
        return fail(error, MW_BAD_ARGUMENT,
                    "job: segments of type %s must be aligned to %u bytes",
                    mw_type_name(type), bytes);
    request->segment_begins = job->segment_begins;
    request->segment_ends = job->segment_ends;
    request->segment_bytes = bytes;
    request->segment_signed = type == MW_I32 || type == MW_I64;
    request->segment_count = job->segment_count;
    return MW_OK;
}

/* ---- Ranks ----------------------------------------------------------------------- */

/* The rows that a selection has room for: without segments those that there are. */
static mw_status read_selection(const mw_job *job, struct request *request,
                                struct error *error)
{
    const uint64_t count = request->count;
    uint64_t first = job->first;
    uint64_t last = job->last;
    uint64_t groups = 1;

    if (first > last)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: first is %llu and last is %llu, expected first <= last",
                    (unsigned long long)first, (unsigned long long)last);
    if (request_has_segments(request)) {
        groups = request->segment_count;
    } else {
        first = first < count ? first : count;
        last = last < count ? last : count;
    }
    if (last > first &&
        groups > (UINT64_C(1) << 62) / (request->row_bytes + 8) / (last - first))
        return fail(error, MW_BAD_ARGUMENT,
                    "job: %llu rows of each of %llu segments are more than 2^62 bytes",
                    (unsigned long long)(last - first), (unsigned long long)groups);
    request->first = first;
    request->last = last;
    request->result_count = (last - first) * groups;
    return MW_OK;
}

void job_widen_selection(const mw_job *job, struct request *request)
{
    const uint64_t wanted = job->last - job->first;

    request->first = 0;
    request->last = wanted < request->count ? wanted : request->count;
    request->result_count = request->last;
}

static mw_status read_split(const mw_job *job, struct request *request, struct error *error)
{
    const uint64_t lists = request->list_count;

    request->ranks = request->with_data ? job->ranks : NULL;
    request->rank_count = job->rank_count;
    request->cuts = request->with_data ? job->cuts : NULL;
    request->result_count = 0;
    if (job->rank_count > (UINT64_C(1) << 59) / (lists + 1))
        return fail(error, MW_BAD_ARGUMENT,
                    "job: cuts of %llu ranks and %u lists are more than 2^62 bytes",
                    (unsigned long long)job->rank_count, request->list_count);
    return MW_OK;
}

mw_status job_read_ranges(const mw_job *job, struct request *request, struct error *error)
{
    mw_status status = MW_OK;

    request->segment_begins = NULL;
    request->segment_ends = NULL;
    request->segment_count = 0;
    request->ranks = NULL;
    request->rank_count = 0;
    request->cuts = NULL;
    request->result_count = request->count;
    if (job->segment_begins)
        TRY(read_segments(job, request, error));
    if (job->operation == MW_SELECT)
        TRY(read_selection(job, request, error));
    if (job->operation == MW_SPLIT)
        TRY(read_split(job, request, error));
    if (job->operation == MW_CHECK) {
        request->result_count = 0;
        request->cuts = request->with_data ? job->cuts : NULL;
    }
done:
    return status;
}
