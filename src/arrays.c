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

/* Stands for an array in place that mw_prepare was not told. Nothing reads it. */
static uint64_t untold;

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
    if (request->in_place && !made.in && !made.out)
        made.in = made.out = &untold;
    if (!request->with_data)
        made.in = made.out = NULL;
    return made;
}

mw_table request_list(const struct request *request, uint32_t number)
{
    const char *const theirs = request->lists + (size_t)number * request->table_size;
    mw_table list = {.elements = NULL};

    memcpy(&list, theirs,
           request->table_size < sizeof list ? request->table_size : sizeof list);
    if (!request->with_data)
        list.elements = NULL;
    return list;
}

static const void *list_column(const struct request *request, const mw_table *list,
                               uint32_t column)
{
    if (!request->with_data)
        return NULL;
    return column ? column_at(list, request->column_size, column - 1).data : list->elements;
}

const void *request_list_column(const struct request *request, uint32_t list,
                                uint32_t column)
{
    const mw_table table = request_list(request, list);

    return list_column(request, &table, column);
}

/* ---- Overlaps ----------------------------------------------------------------- */

/* An array: NULL is nowhere. */
struct span {
    const void *at;
    uint64_t bytes;
};

static int overlap(struct span a, struct span b)
{
    return a.at && b.at && a.bytes && b.bytes &&
           ((uintptr_t)a.at - (uintptr_t)b.at < b.bytes ||
            (uintptr_t)b.at - (uintptr_t)a.at < a.bytes);
}

static int has_lists(const struct request *request)
{
    return request->operation == MW_MERGE || request->operation == MW_SPLIT;
}

/* Array `number` of those that a request writes: the columns, positions, cuts. */
static struct span written(const struct request *request, uint32_t number)
{
    const uint64_t rows = request->result_count;

    if (number < request->column_count) {
        const struct request_column c = request_column(request, number);

        return (struct span){c.out, c.bytes * rows};
    }
    if (number == request->column_count)
        return (struct span){request->positions, request->position_bytes * rows};
    return (struct span){request->cuts, request->operation == MW_SPLIT
                                            ? 8 * request->rank_count * request->list_count
                                            : 8};
}

/* What all that is written lies in. */
static struct span written_range(const struct request *request)
{
    uintptr_t low = UINTPTR_MAX;
    uintptr_t high = 0;

    for (uint32_t i = 0; i < request->column_count + 2; i++) {
        const struct span span = written(request, i);
        const uintptr_t first = (uintptr_t)span.at;

        if (!span.at || !span.bytes)
            continue;
        low = first < low ? first : low;
        high = first + span.bytes > high ? first + span.bytes : high;
    }
    return low < high ? (struct span){(const void *)low, high - low} : (struct span){0};
}

static mw_status refuse(const struct request *request, uint32_t number, struct error *error)
{
    return fail(error, MW_BAD_ARGUMENT, "job: %s that the job writes overlap another array",
                number == 0                       ? "elements"
                : number < request->column_count  ? "values"
                : number == request->column_count ? "positions"
                                                  : "cuts");
}

/*
 * Does something that is read overlap nothing that is written? Column `own`, if it is one,
 * may be sorted in place.
 */
static mw_status check_read(const struct request *request, struct span span, uint32_t own,
                            struct span range, struct error *error)
{
    const int is_sort = request->operation == MW_SORT;

    if (!overlap(span, range))
        return MW_OK;
    for (uint32_t i = 0; i < request->column_count + 2; i++) {
        const struct span other = written(request, i);
        const int in_place = is_sort && i == own && other.at == span.at;

        if (!in_place && overlap(span, other))
            return refuse(request, i, error);
    }
    return MW_OK;
}

static mw_status check_lists_read(const struct request *request, struct span range,
                                  struct error *error)
{
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < request->list_count; i++) {
        const mw_table list = request_list(request, i);

        for (uint32_t j = 0; j < request->column_count; j++) {
            const uint64_t bytes = request_column(request, j).bytes * list.count;
            const struct span span = {list_column(request, &list, j), bytes};

            TRY(check_read(request, span, UINT32_MAX, range, error));
        }
    }
done:
    return status;
}

static mw_status check_overlaps(const struct request *request, struct error *error)
{
    const struct span range = written_range(request);
    const uint64_t segment_bytes = request->segment_count * request->segment_bytes;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < request->column_count + 2; i++)
        for (uint32_t j = i + 1; j < request->column_count + 2; j++)
            if (overlap(written(request, i), written(request, j)))
                return refuse(request, i, error);
    if (has_lists(request)) {
        TRY(check_lists_read(request, range, error));
    } else {
        for (uint32_t i = 0; i < request->column_count; i++) {
            const struct request_column c = request_column(request, i);
            const struct span span = {c.in, c.bytes * request->count};

            TRY(check_read(request, span, i, range, error));
        }
    }
    if (request_has_segments(request)) {
        const struct span begins = {request->segment_begins, segment_bytes};
        const struct span ends = {request->segment_ends, segment_bytes};

        TRY(check_read(request, begins, UINT32_MAX, range, error));
        TRY(check_read(request, ends, UINT32_MAX, range, error));
    }
    TRY(check_read(request, (struct span){request->ranks, 8 * request->rank_count},
                   UINT32_MAX, range, error));
done:
    return status;
}

/* ---- Presence and alignment ------------------------------------------------------- */

mw_status request_check_aligned(const struct type_row *type, const void *elements,
                                struct error *error)
{
    if (!type || (uintptr_t)elements % type->size == 0)
        return MW_OK;
    return fail(error, MW_BAD_ARGUMENT,
                "job: elements of type %s must be aligned to %zu bytes", type->name,
                type->size);
}

/* Are all arrays of one table there, and its elements aligned? */
static mw_status check_table(const struct request *request, const mw_table *table,
                             struct error *error)
{
    for (uint32_t i = 0; table->count && i < request->column_count; i++)
        if (!list_column(request, table, i))
            return fail(error, MW_BAD_ARGUMENT,
                        i ? "job: values of a column are NULL while count is %llu"
                          : "job: elements is NULL while count is %llu",
                        (unsigned long long)table->count);
    return request_check_aligned(request->element_type, table->elements, error);
}

/* Ranks and cuts: are they there, and aligned? */
static mw_status check_numbers(const struct request *request, struct error *error)
{
    const int is_split = request->operation == MW_SPLIT;
    const uint64_t ranks = is_split ? request->rank_count : 0;
    const uint64_t cuts = is_split ? ranks * request->list_count : 1;

    if ((ranks && !request->ranks) || (uintptr_t)request->ranks % 8)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: ranks of MW_SPLIT is %s, expected %llu numbers of 8 bytes",
                    request->ranks ? "not aligned to 8 bytes" : "NULL",
                    (unsigned long long)ranks);
    if ((cuts && !request->cuts) || (uintptr_t)request->cuts % 8)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: cuts of %s is %s, expected %llu number%s of 8 bytes",
                    is_split ? "MW_SPLIT" : "MW_CHECK",
                    request->cuts ? "not aligned to 8 bytes" : "NULL",
                    (unsigned long long)cuts, cuts == 1 ? "" : "s");
    return MW_OK;
}

mw_status request_check_data(const struct request *request, struct error *error)
{
    const int answers = request->operation == MW_CHECK || request->operation == MW_SPLIT;
    int wanted = request->position_bytes != 0;
    mw_status status = MW_OK;

    TRY(request_check_aligned(request->element_type, request->out.elements, error));
    for (uint32_t i = 0; i < request->list_count; i++) {
        const mw_table table = has_lists(request) ? request_list(request, i) : request->in;

        TRY(check_table(request, &table, error));
    }
    for (uint32_t i = 0; i < request->column_count; i++)
        wanted |= request_column(request, i).out != NULL;
    if (request->result_count && !wanted)
        return fail(error, MW_BAD_ARGUMENT,
                    "job: all arrays of out and positions are NULL");
    if (answers)
        TRY(check_numbers(request, error));
    TRY(check_overlaps(request, error));
done:
    return status;
}
