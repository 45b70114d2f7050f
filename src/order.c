/*
 * order.c - orders: those of built-in types, and what a caller's order means.
 */
#include "base/sized.h"
#include "request.h"

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
#define TYPE(id, name, c_type, kind, lowest) \
    [id] = {FIELD(id, MW_ASCENDING), FIELD(id, MW_DESCENDING)},
#include "base/types.def"
#undef TYPE
};

static const mw_order orders[MW_TYPE_COUNT][2] = {
#define TYPE(id, name, c_type, kind, lowest) \
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

/* The flags that a field of this type may have. */
static uint32_t flags_of(const struct type_row *row)
{
    if (!row || row->kind == CODE_UNSIGNED)
        return 0;
    return row->kind == CODE_SIGNED ? MW_LEAST_LAST
                                    : MW_ZEROS_EQUAL | MW_NANS_EQUAL | MW_NANS_LAST;
}

static mw_status check_flags(const mw_field *field, uint32_t number, struct error *error)
{
    const struct type_row *const row = type_row(field->type);
    const uint32_t right = flags_of(row);

    if (!(field->flags & ~right))
        return MW_OK;
    return fail(error, MW_BAD_ARGUMENT,
                "order: field %u of type %s has flags 0x%x, expected %s", number,
                row ? row->name : "MW_BYTES", field->flags,
                !right                  ? "0"
                : right & MW_LEAST_LAST ? "0 or MW_LEAST_LAST"
                                        : "MW_ZEROS_EQUAL, MW_NANS_EQUAL, MW_NANS_LAST");
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
    if (field->column == 0 && field->offset + bytes > element_bytes)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: field %u ends at byte %llu of elements of %u bytes", number,
                    (unsigned long long)(field->offset + bytes), element_bytes);
    return check_flags(field, number, error);
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

/* Check an order that compares by text or by a function. */
static mw_status check_text(const mw_order *order, struct error *error)
{
    if (order->field_count)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: by %u fields and by an expression; expected one of the two",
                    order->field_count);
    if (!order->less && !order->less_on_host)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: declarations without less or less_on_host");
    if (order->less && !order->declarations)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: less without declarations, which define mw_element");
    return MW_OK;
}

/* Check the parts of `order` that must hold whatever it is used for. */
static mw_status check_order(const mw_order *order, struct error *error)
{
    if (order->element_bytes == 0 || order->element_bytes > REQUEST_MOST_BYTES)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: elements have %u bytes, expected 1 to %d", order->element_bytes,
                    REQUEST_MOST_BYTES);
    if (order->less || order->declarations || order->less_on_host)
        return check_text(order, error);
    if (order->field_count == 0 || order->field_count > REQUEST_MOST_FIELDS)
        return fail(error, MW_BAD_ARGUMENT, "order: %u fields, expected 1 to %d",
                    order->field_count, REQUEST_MOST_FIELDS);
    if (order->field_size > SIZED_MOST)
        return fail(error, MW_BAD_ARGUMENT,
                    "order: field_size is %u, expected sizeof(mw_field)",
                    order->field_size);
    if (!order->fields)
        return fail(error, MW_BAD_ARGUMENT, "order: fields is NULL while field_count is %u",
                    order->field_count);
    return MW_OK;
}

/*
 * The code of a number. Of 2^bits codes of floats the last are NaNs, the first if they
 * descend; zeros have neighbouring codes.
 */
static struct field_code number_code(const struct type_row *row, mw_direction direction,
                                     uint32_t flags)
{
    const uint64_t mask = UINT64_MAX >> (64 - 8 * row->size);
    const uint64_t infinity = row->lowest & mask >> 1;
    const uint64_t nans = 2 * ((mask >> 1) - infinity);
    const int down = direction == MW_DESCENDING;
    struct field_code code = {.flip = type_code(row, direction).flip,
                              .lowest = row->lowest,
                              .mask = mask,
                              .high = mask};

    if (down ? flags & MW_NANS_LAST : flags & MW_LEAST_LAST)
        code.rotate = down ? nans : 1;
    if (flags & MW_ZEROS_EQUAL)
        code.zero = (down ? mask - infinity - 1 : infinity) - code.rotate;
    if (flags & MW_NANS_EQUAL && down && !code.rotate)
        code.low = nans - 1;
    else if (flags & MW_NANS_EQUAL)
        code.high = mask - nans + 1;
    return code;
}

static struct request_field spell_field(const mw_field *field)
{
    const struct type_row *const row = type_row(field->type);
    struct request_field made = {.column = field->column, .offset = field->offset};

    if (row) {
        made.bytes = (uint32_t)row->size;
        made.code = number_code(row, field->direction, field->flags);
    } else {
        made.bytes = field->bytes;
        made.is_string = 1;
        made.code.flip = field->direction == MW_DESCENDING ? UINT64_MAX : 0;
    }
    return made;
}

/* Read an order that is not ours, its fields too. */
static mw_status read_theirs(const mw_order *theirs, struct request *request,
                             struct error *error)
{
    struct request_order *const ours = &request->order;
    mw_field field = {0};
    mw_order order;
    mw_status status;

    TRY(sized_read(&order, sizeof order, theirs, theirs->size, offsetof(mw_order, less),
                   "the order", error));
    TRY(check_order(&order, error));
    ours->element_bytes = order.element_bytes;
    ours->field_count = order.field_count;
    ours->less = order.less;
    ours->declarations = order.declarations;
    ours->less_on_host = order.less_on_host;
    for (uint32_t i = order.field_count; i-- > 0;) { /* the first field is read last */
        TRY(read_field(&order, i, &field, error));
        ours->field[i] = spell_field(&field);
    }
    if (order.field_count != 1 || field.column != 0 || field.type == MW_BYTES ||
        order.element_bytes != ours->field[0].bytes)
        goto done;
    request->element_type = type_row(field.type);
    if (ours->field[0].code.rotate == 0) { /* else there is no code that can be undone */
        request->type = request->element_type;
        request->code = type_code(request->type, field.direction);
    }
done:
    return status;
}

mw_status order_read(const mw_order *theirs, int is_lean, struct request *request,
                     struct error *error)
{
    const uintptr_t distance = (uintptr_t)theirs - (uintptr_t)orders;

    if (!theirs)
        return fail(error, MW_BAD_ARGUMENT, "job: order is NULL");
    request->type = NULL;
    request->element_type = NULL;
    if (!is_lean || distance >= sizeof orders)
        return read_theirs(theirs, request, error);

    const ptrdiff_t number = theirs - orders[0];

    request->type = type_row((mw_type)(number / 2));
    request->code = type_code(request->type, (mw_direction)(number % 2));
    return MW_OK;
}
