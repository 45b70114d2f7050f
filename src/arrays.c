/*
 * arrays.c - the arrays of a request: where each column is, and whether they may lie there.
 */
#include "request.h"

#include <string.h>

/* Column `number` of a caller's table; the elements are not among them. */
static mw_column column_at(const mw_table *table, uint32_t size, uint32_t number)
{
    mw_column column;

    memcpy(&column, (const char *)table->columns + (size_t)number * size, sizeof column);
    return column;
}

struct request_column request_column(const struct request *request, uint32_t number)
{
    struct request_column made = {request->in.elements, request->out.elements,
                                  request->order.element_bytes};

    if (number > 0) {
        const mw_column in = column_at(&request->in, request->column_size, number - 1);

        made.in = in.data;
        made.bytes = in.bytes;
        made.out = request->out.columns
                       ? column_at(&request->out, request->column_size, number - 1).data
                       : NULL;
    }
    if (!request->with_data)
        made.in = made.out = NULL;
    return made;
}

/* Do `bytes` bytes at `a` and `more` at `b` overlap? NULL is nowhere. */
static int overlap(const void *a, uint64_t bytes, const void *b, uint64_t more)
{
    return a && b &&
           ((uintptr_t)a - (uintptr_t)b < more || (uintptr_t)b - (uintptr_t)a < bytes);
}

/* What is written at `at` may overlap no other column, and no array of its own but all. */
static mw_status check_written(const struct request *request, const void *at,
                               uint64_t bytes, uint32_t own, struct error *error)
{
    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(request, i);
        const uint64_t size = c.bytes * request->count;
        const int in_place = i == own && c.in == at;

        if ((!in_place && overlap(at, bytes, c.in, size)) ||
            (i != own && overlap(at, bytes, c.out, size)))
            return fail(error, MW_BAD_ARGUMENT,
                        "job: %s that the job writes overlap another array",
                        own ? "values" : "elements");
    }
    return MW_OK;
}

static mw_status check_overlaps(const struct request *request, struct error *error)
{
    const uint64_t bytes = request->count * request->position_bytes;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(request, i);

        if (c.out)
            TRY(check_written(request, c.out, c.bytes * request->count, i, error));
        if (overlap(request->positions, bytes, c.in, c.bytes * request->count) ||
            overlap(request->positions, bytes, c.out, c.bytes * request->count))
            return fail(error, MW_BAD_ARGUMENT, "job: positions overlap another array");
    }
done:
    return status;
}

mw_status request_check_aligned(const struct type_row *type, const void *elements,
                                struct error *error)
{
    if (!type || (uintptr_t)elements % type->size == 0)
        return MW_OK;
    return fail(error, MW_BAD_ARGUMENT,
                "job: elements of type %s must be aligned to %zu bytes", type->name,
                type->size);
}

mw_status request_check_data(const struct request *request, struct error *error)
{
    int wanted = request->operation == MW_CHECK || request->position_bytes;
    mw_status status = MW_OK;

    TRY(request_check_aligned(request->element_type, request->in.elements, error));
    TRY(request_check_aligned(request->element_type, request->out.elements, error));
    for (uint32_t i = 0; request->count && i < request->column_count; i++) {
        const struct request_column column = request_column(request, i);

        if (!column.in)
            return fail(error, MW_BAD_ARGUMENT,
                        i ? "job: values of a column are NULL while count is %llu"
                          : "job: elements is NULL while count is %llu",
                        (unsigned long long)request->count);
        wanted |= column.out != NULL;
    }
    if (request->count && !wanted)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: all arrays of out and positions are NULL");
    if (request->operation == MW_SORT && request->count)
        TRY(check_overlaps(request, error));
    if (request->operation == MW_CHECK && (!request->cuts || (uintptr_t)request->cuts % 8))
        return fail(error, MW_BAD_ARGUMENT,
                    "job: cuts of MW_CHECK is %s, expected one "
                    "number of 8 bytes",
                    request->cuts ? "not aligned to 8 bytes" : "NULL");
done:
    return status;
}
