/*
 * order.c - orders: those of built-in types, and what a caller's order means.
 */
#include "base/sized.h"
#include "request.h"

/* Most fields of one order. */
enum { MOST_FIELDS = 16 };

/* One field at offset 0, either way round, and the order made of it. */
#define FIELD(id, way)               \
    {                                \
        .type = id, .direction = way \
    }
#define ORDER(id, c_type, way)                                                       \
    {                                                                                \
        .size = sizeof(mw_order), .element_bytes = sizeof(c_type),                   \
        .field_size = sizeof(mw_field), .fields = &fields[id][way], .field_count = 1 \
    }

static const mw_field fields[MW_TYPE_COUNT][2] = {
#define TYPE(id, name, c_type, kind) \
    [id] = {FIELD(id, MW_ASCENDING), FIELD(id, MW_DESCENDING)},
#include "base/types.def"
#undef TYPE
};

static const mw_order orders[MW_TYPE_COUNT][2] = {
#define TYPE(id, name, c_type, kind) \
    [id] = {ORDER(id, c_type, MW_ASCENDING), ORDER(id, c_type, MW_DESCENDING)},
#include "base/types.def"
#undef TYPE
};

const mw_order *mw_order_of(mw_type type, mw_direction direction)
{
    if (!type_row(type) || (direction != MW_ASCENDING && direction != MW_DESCENDING))
        return NULL;
    return &orders[type][direction];
}

/* Check field `number` of an order for elements of `element_bytes`. */
static mw_status check_field(const mw_field *field, uint32_t number, uint32_t element_bytes,
                             struct error *error)
{
    const struct type_row *const row = type_row(field->type);
    const uint64_t bytes = row ? row->size : field->bytes;

    if (!row && field->type != MW_BYTES)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: field %u has type number %d, expected 0 to %d or MW_BYTES",
                    number, (int)field->type, MW_TYPE_COUNT - 1);
    if (field->direction != MW_ASCENDING && field->direction != MW_DESCENDING)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: field %u has direction number %d, expected 0 or 1", number,
                    (int)field->direction);
    if ((field->type == MW_BYTES) != (field->bytes != 0))
        return fail(error, MW_BAD_ARGUMENT,
                    "order: field %u has %u bytes; only MW_BYTES has a length, at least 1",
                    number, field->bytes);
    if (field->flags)
        return fail(error, MW_BAD_ARGUMENT, "order: field %u has unknown flags 0x%x",
                    number, field->flags);
    if (field->column == 0 && field->offset + bytes > element_bytes)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: field %u ends at byte %llu of elements of %u bytes", number,
                    (unsigned long long)(field->offset + bytes), element_bytes);
    return MW_OK;
}

static mw_status read_field(const mw_order *order, uint32_t number, mw_field *field,
                            struct error *error)
{
    const char *const all = (const char *)order->fields;
    mw_status status;

    TRY(sized_read(field, sizeof *field, all + (size_t)number * order->field_size,
                   order->field_size, offsetof(mw_field, flags), "a field", error));
    TRY(check_field(field, number, order->element_bytes, error));
done:
    return status;
}

/* Check the parts of `order` that must hold whatever it is used for. */
static mw_status check_order(const mw_order *order, struct error *error)
{
    const int by_text = order->less || order->declarations || order->less_on_host;

    if (order->element_bytes == 0)
        return fail(error, MW_BAD_ARGUMENT, "order: elements have 0 bytes");
    if (by_text && order->field_count)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: by %u fields and by an expression; expected one of the two",
                    order->field_count);
    if (!by_text && (order->field_count == 0 || order->field_count > MOST_FIELDS))
        return fail(error, MW_BAD_ARGUMENT, "order: %u fields, expected 1 to %d",
                    order->field_count, MOST_FIELDS);
    if (order->field_count && order->field_size > SIZED_MOST)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: field_size is %u, expected sizeof(mw_field)",
                    order->field_size);
    if (order->field_count && !order->fields)
        return fail(error, MW_BAD_ARGUMENT, "order: fields is NULL while field_count is %u",
                    order->field_count);
    return MW_OK;
}

mw_status order_read(const mw_order *theirs, struct request *request, struct error *error)
{
    mw_field field = {0};
    mw_order order;
    mw_status status;

    if (!theirs)
        return fail(error, MW_BAD_ARGUMENT, "job: order is NULL");
    if ((uintptr_t)theirs - (uintptr_t)orders < sizeof orders) { /* one of ours */
        const ptrdiff_t number = theirs - orders[0];

        request->type = type_row((mw_type)(number / 2));
        request->code = type_code(request->type, (mw_direction)(number % 2));
        return MW_OK;
    }
    TRY(sized_read(&order, sizeof order, theirs, theirs->size, offsetof(mw_order, less),
                   "the order", error));
    TRY(check_order(&order, error));
    for (uint32_t i = order.field_count; i-- > 0;) /* the first field is read last */
        TRY(read_field(&order, i, &field, error));

    const struct type_row *const row = type_row(field.type);

    if (order.field_count != 1 || !row || field.column != 0 || field.offset != 0 ||
        order.element_bytes != row->size)
        return fail(error, MW_UNSUPPORTED,
                    "this version sorts by the orders of mw_order_of only");
    request->type = row;
    request->code = type_code(row, field.direction);
done:
    return status;
}
