/*
 * backend_segments_inner.c - the requests inside a sort of segments (backend_segments.c):
 * sorts of positions without segments, by homes.
 */
#include "backend_segments.h"

static void begin_inner(struct segments_inner *inner, const struct request *request)
{
    inner->request = (struct request){.count = request->count,
                                      .operation = MW_SORT,
                                      .result_count = request->count,
                                      .list_count = 1,
                                      .column_count = 1,
                                      .with_data = request->with_data,
                                      .in = {.columns = inner->columns},
                                      .column_size = sizeof(mw_column)};
}

/* Order by homes, which are the elements. */
static void order_by_home(struct segments_inner *inner, const void *homes)
{
    struct request *const ours = &inner->request;

    ours->in.elements = (void *)homes;
    ours->order.element_bytes = 4;
    ours->order.field_count = 1;
    ours->order.field[0] = (struct request_field){
        .bytes = 4, .code = {.mask = UINT32_MAX, .high = UINT32_MAX}
    };
    ours->row_bytes = 4;
}

/* The number of column `number` of the request among those inside. */
static uint32_t inner_column(struct segments_inner *inner, const struct request *request,
                             const uint32_t *numbers, uint32_t number)
{
    const struct request_column c = request_column(request, number);
    struct request *const ours = &inner->request;
    uint32_t i = 1;

    while (i < ours->column_count && numbers[i] != number)
        i++;
    if (i == ours->column_count) {
        inner->columns[i - 1] = (mw_column){(void *)c.in, c.bytes};
        ours->column_count++;
        ours->row_bytes += c.bytes;
    }
    return i;
}

void segments_by_fields(struct segments_inner *inner, const struct request *request,
                        const void *homes, void *order)
{
    uint32_t numbers[1 + REQUEST_MOST_FIELDS];
    struct request *const ours = &inner->request;

    begin_inner(inner, request);
    order_by_home(inner, homes);
    for (uint32_t i = 0; i < request->order.field_count; i++) {
        struct request_field *const field = &ours->order.field[1 + i];
        const uint32_t theirs = request->order.field[i].column;

        *field = request->order.field[i];
        field->column = inner_column(inner, request, numbers, theirs);
        numbers[field->column] = theirs;
    }
    ours->order.field_count += request->order.field_count;
    ours->only_positions = 1;
    ours->positions = order;
    ours->position_bytes = 4;
}

void segments_by_less(struct segments_inner *inner, const struct request *request,
                      void *order)
{
    struct request *const ours = &inner->request;

    begin_inner(inner, request);
    ours->in.elements = request->in.elements;
    ours->order = request->order;
    ours->row_bytes = request->order.element_bytes;
    ours->only_positions = 1;
    ours->positions = order;
    ours->position_bytes = 4;
}

void segments_by_home(struct segments_inner *inner, const struct request *request,
                      void *homes, void *positions, void *order)
{
    struct request *const ours = &inner->request;

    begin_inner(inner, request);
    order_by_home(inner, homes);
    inner->columns[0] = (mw_column){positions, 4};
    inner->out_columns[0] = (mw_column){order, 4};
    ours->out.columns = inner->out_columns;
    ours->column_count = 2;
    ours->row_bytes = 8;
}

struct request segments_by_order(const struct request *request, void *order)
{
    struct request ours = *request;

    ours.out = (mw_table){.elements = NULL};
    ours.in_place = 0;
    ours.only_positions = 1;
    ours.positions = order;
    ours.position_bytes = 4;
    return ours;
}
