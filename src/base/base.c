/*
 * base.c - error messages, the table of types, sums of traffic.
 */
#include "base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct type_row rows[MW_TYPE_COUNT] = {
#define TYPE(id, name, c_type, kind, lowest) [id] = {name, sizeof(c_type), kind, lowest},
#include "types.def"
#undef TYPE
};

mw_status fail(struct error *error, mw_status status, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(error->text, sizeof error->text, format, list);
    va_end(list);
    return status;
}

const struct type_row *type_row(mw_type type)
{
    return (unsigned)type < MW_TYPE_COUNT ? &rows[type] : NULL;
}

struct code type_code(const struct type_row *row, mw_direction direction)
{
    const unsigned bits = 8 * (unsigned)row->size;
    const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    struct code code = {0, row->size == 2 ? (int)row->lowest : row->kind == CODE_FLOAT};

    if (row->kind == CODE_SIGNED)
        code.flip = UINT64_C(1) << (bits - 1);
    if (direction == MW_DESCENDING)
        code.flip ^= all;
    return code;
}

void traffic_add(mw_traffic *sum, const mw_traffic *t)
{
    sum->shared_requests += t->shared_requests;
    sum->shared_wavefronts += t->shared_wavefronts;
    sum->shared_ideal += t->shared_ideal;
    sum->global_requests += t->global_requests;
    sum->global_sectors += t->global_sectors;
    sum->global_distinct += t->global_distinct;
    sum->global_ideal += t->global_ideal;
    sum->shuffles += t->shuffles;
    sum->barriers += t->barriers;
    if (t->shared_worst > sum->shared_worst)
        sum->shared_worst = t->shared_worst;
}

const char *mw_status_text(mw_status status)
{
    switch (status) {
    case MW_OK:
        return "no error";
    case MW_BAD_ARGUMENT:
        return "bad argument";
    case MW_NO_MEMORY:
        return "out of memory";
    case MW_NO_DEVICE:
        return "no such device";
    case MW_DEVICE_FAILED:
        return "the device reported an error";
    case MW_COMPILE_FAILED:
        return "a kernel could not be compiled or loaded";
    case MW_UNSUPPORTED:
        return "not supported on this device";
    case MW_KERNEL_FAULT:
        return "the simulator caught a faulty kernel";
    case MW_BAD_ORDER:
        return "the text of an order does not compile";
    case MW_FILE_FAILED:
        return "a file could not be used";
    case MW_CANCELLED:
        return "cancelled by the caller";
    }
    return "unknown status";
}

size_t mw_type_size(mw_type type)
{
    const struct type_row *const row = type_row(type);

    return row ? row->size : 0;
}

const char *mw_type_name(mw_type type)
{
    const struct type_row *const row = type_row(type);

    return row ? row->name : NULL;
}

mw_status mw_type_parse(const char *name, mw_type *type)
{
    if (!name || !type)
        return MW_BAD_ARGUMENT;
    for (int i = 0; i < MW_TYPE_COUNT; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            *type = (mw_type)i;
            return MW_OK;
        }
    }
    return MW_BAD_ARGUMENT;
}

const char *mw_access_name(mw_access access)
{
    static const char *const names[MW_ACCESS_COUNT] = {
        "plain",  "bulk", "search", "gather", "scatter", "serial",
        "sample", "cut",  "probe",  "value",  "counter",
    };

    return (unsigned)access < MW_ACCESS_COUNT ? names[access] : NULL;
}
