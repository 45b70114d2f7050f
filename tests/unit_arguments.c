/*
 * unit_arguments.c - every wrong argument of every call on a handle is refused as
 * MW_BAD_ARGUMENT, every valid job that is not served yet as MW_UNSUPPORTED, with a
 * message that names the reason and nothing touched.
 */
#include "kit.h"

#include "tap.h"

#include <stddef.h>

enum { KEYS = 100, BYTES = KEYS * 8, TOO_MANY = -1, VALID = -2 };

/* A job that sorts 8-byte keys, with everything it points at. */
struct parts {
    mw_field fields[2];
    mw_order order;
    mw_column column;
    mw_table table;
    mw_job job;
};

static struct parts parts_of(void *elements)
{
    return (struct parts){
        .fields = {{.type = MW_U64},     {.type = MW_U64}},
        .order = MW_ORDER_INIT,
        .column = {NULL,                 8               },
        .table = {.elements = elements, .count = KEYS   },
        .job = MW_JOB_INIT
    };
}

/* One member of the parts set to a number; VALID: to an address that is one. */
struct change {
    size_t offset;
    size_t bytes;
    int64_t value;
};

#define MOST (INT64_C(1) << 59) /* elements of 8 bytes */

#define SET(member, value)                                                         \
    {                                                                              \
        offsetof(struct parts, member), sizeof(((struct parts *)0)->member), value \
    }

/* clang-format off */
static const struct row {
    const char *name;
    const char *word; /* that the message must hold */
    mw_status status;
    int data; /* is only refused by calls that look at the data */
    struct change changes[3];
} rows[] = {
    {"job: size too small", "job", MW_BAD_ARGUMENT, 0, {SET(job.size, 8)}},
    {"job: no such operation", "operation", MW_BAD_ARGUMENT, 0, {SET(job.operation, 5)}},
    {"job: operation -1", "operation", MW_BAD_ARGUMENT, 0, {SET(job.operation, -1)}},
    {"job: no order", "order", MW_BAD_ARGUMENT, 0, {SET(job.order, 0)}},
    {"job: no table", "in is NULL", MW_BAD_ARGUMENT, 0, {SET(job.in, 0)}},
    {"job: two tables to sort", "tables", MW_BAD_ARGUMENT, 0, {SET(job.in_count, 2)}},
    {"table: size too small", "table", MW_BAD_ARGUMENT, 0, {SET(job.table_size, 4)}},
    {"table: NULL columns", "columns", MW_BAD_ARGUMENT, 0, {SET(table.column_count, 1)}},
    {"table: too many", "elements", MW_BAD_ARGUMENT, 0, {SET(table.count, TOO_MANY)}},
    {"table: 2^62 bytes", "elements", MW_BAD_ARGUMENT, 0, {SET(table.count, MOST + 1)}},
    {"table: NULL elements", "elements", MW_BAD_ARGUMENT, 1, {SET(table.elements, 0)}},
    {"table: unaligned", "aligned", MW_BAD_ARGUMENT, 1, {SET(table.elements, VALID)}},
    {"order: size too small", "order", MW_BAD_ARGUMENT, 0, {SET(order.size, 8)}},
    {"order: no bytes", "bytes", MW_BAD_ARGUMENT, 0, {SET(order.element_bytes, 0)}},
    {"order: no fields", "fields", MW_BAD_ARGUMENT, 0, {SET(order.field_count, 0)}},
    {"order: 17 fields", "fields", MW_BAD_ARGUMENT, 0, {SET(order.field_count, 17)}},
    {"order: NULL fields", "fields", MW_BAD_ARGUMENT, 0, {SET(order.fields, 0)}},
    {"order: fields and text", "expression", MW_BAD_ARGUMENT, 0, {SET(order.less, VALID)}},
    {"field: size too small", "field", MW_BAD_ARGUMENT, 0, {SET(order.field_size, 4)}},
    {"field: type", "type", MW_BAD_ARGUMENT, 0, {SET(fields[0].type, MW_TYPE_COUNT)}},
    {"field: a negative type", "type", MW_BAD_ARGUMENT, 0, {SET(fields[0].type, -1)}},
    {"field: direction", "direction", MW_BAD_ARGUMENT, 0, {SET(fields[0].direction, 2)}},
    {"field: a length", "bytes", MW_BAD_ARGUMENT, 0, {SET(fields[0].bytes, 8)}},
    {"field: no length", "bytes", MW_BAD_ARGUMENT, 0, {SET(fields[0].type, MW_BYTES)}},
    {"field: flags", "flags", MW_BAD_ARGUMENT, 0, {SET(fields[0].flags, 1)}},
    {"field: beyond the end", "ends", MW_BAD_ARGUMENT, 0, {SET(fields[0].offset, 1)}},
    {"field: the second", "direction", MW_BAD_ARGUMENT, 0,
     {SET(order.field_count, 2), SET(fields[1].direction, 7)}},

    {"merge", "MW_SORT", MW_UNSUPPORTED, 0, {SET(job.operation, MW_MERGE)}},
    {"split", "MW_SORT", MW_UNSUPPORTED, 0, {SET(job.operation, MW_SPLIT)}},
    {"select", "MW_SORT", MW_UNSUPPORTED, 0, {SET(job.operation, MW_SELECT)}},
    {"check", "MW_SORT", MW_UNSUPPORTED, 0, {SET(job.operation, MW_CHECK)}},
    {"an output table", "output", MW_UNSUPPORTED, 0, {SET(job.out, VALID)}},
    {"positions", "positions", MW_UNSUPPORTED, 0, {SET(job.positions, VALID)}},
    {"segments", "segments", MW_UNSUPPORTED, 0, {SET(job.segment_begins, VALID)}},
    {"columns", "columns", MW_UNSUPPORTED, 0,
     {SET(table.columns, VALID), SET(table.column_count, 1)}},
    {"order: by a column", "order", MW_UNSUPPORTED, 0, {SET(fields[0].column, 1)}},
    {"order: two fields", "order", MW_UNSUPPORTED, 0, {SET(order.field_count, 2)}},
    {"order: larger elements", "order", MW_UNSUPPORTED, 0, {SET(order.element_bytes, 16)}},
    {"order: not at offset 0", "order", MW_UNSUPPORTED, 0,
     {SET(order.element_bytes, 16), SET(fields[0].offset, 8)}},
    {"order: by bytes", "order", MW_UNSUPPORTED, 0,
     {SET(fields[0].type, MW_BYTES), SET(fields[0].bytes, 8)}},
    {"order: by text", "order", MW_UNSUPPORTED, 0,
     {SET(order.less, VALID), SET(order.fields, 0), SET(order.field_count, 0)}},
};
/* clang-format on */

/* A handle and memory of its device, for calls that should not go through. */
struct bench {
    struct tap *tap;
    mw_context *context;
    const char *device;
    uint64_t keys[KEYS];   /* host memory, ... */
    uint64_t before[KEYS]; /* ... and what it holds */
    char *there;           /* device memory with the same */
    char *workspace;
};

/* Keys here and there as they were, the tuning too, and the last sort not replaced. */
static int untouched(struct bench *b)
{
    mw_plan plan = {.size = sizeof plan};
    mw_counts counts = MW_COUNTS_INIT;
    uint64_t back[KEYS];

    return memcmp(b->keys, b->before, BYTES) == 0 &&
           mw_download(b->context, back, b->there, BYTES) == MW_OK &&
           memcmp(back, b->before, BYTES) == 0 &&
           mw_get_counts(b->context, &counts) == MW_OK && counts.count == 7 &&
           kit_get_plan(b->context, MW_U64, 5000, &plan) == MW_OK &&
           plan.tuning.warps == 77;
}

/* One call that must fail with `expected`, and what it said. */
static void refused(struct bench *b, const char *name, mw_status status, mw_status expected,
                    const char *word)
{
    const char *const message = mw_error(b->context);
    const int right = status == expected && strstr(message, word);

    if (!right)
        tap_note("%s: \"%s\", which should name %s", mw_status_text(status), message, word);
    tap_case(b->tap, right && untouched(b), "%s: %s", b->device, name);
}

static void refuse(struct bench *b, const char *name, mw_status status, const char *word)
{
    refused(b, name, status, MW_BAD_ARGUMENT, word);
}

/* Wire up the parts and make the row's changes to them. */
static void spoil(struct parts *p, const struct row *row)
{
    p->order.element_bytes = 8;
    p->order.fields = p->fields;
    p->order.field_count = 1;
    p->job.order = &p->order;
    p->job.in = &p->table;
    for (int i = 0; i < 3 && row->changes[i].bytes; i++) {
        const struct change *const c = &row->changes[i];
        void *const valid = (char *)p->table.elements + 1;
        char *const at = (char *)p + c->offset;

        memcpy(at, &c->value, c->bytes); /* little-endian */
        if (c->value == VALID)
            memcpy(at, &valid, sizeof valid);
    }
}

static void test_row(struct bench *b, const struct row *row)
{
    static const char *const names[] = {"mw_prepare", "mw_get_plan", "mw_run",
                                        "mw_enqueue"};

    for (int call = row->data ? 2 : 0; call < 4; call++) {
        struct parts p = parts_of(call == 3 ? b->there : (void *)b->keys);
        mw_plan plan = {.size = sizeof plan};
        uint64_t bytes = 12345;
        mw_status status;
        char name[80];

        spoil(&p, row);
        status = call == 0   ? mw_prepare(b->context, &p.job, &bytes)
                 : call == 1 ? mw_get_plan(b->context, &p.job, &plan)
                 : call == 2 ? mw_run(b->context, &p.job)
                             : mw_enqueue(b->context, &p.job, b->workspace, BYTES, NULL);
        snprintf(name, sizeof name, "%s, %s", names[call], row->name);
        refused(b, name, bytes == 12345 && plan.count == 0 ? status : MW_OK, row->status,
                row->word);
    }
}

/* Jobs that are right, but not what else they are called with. */
static void test_workspaces(struct bench *b)
{
    struct parts p = parts_of(b->there);
    mw_plan plan = {.size = sizeof plan};
    uint64_t wanted = 0;

    spoil(&p, &(struct row){.name = ""});
    refuse(b, "mw_prepare, NULL bytes", mw_prepare(b->context, &p.job, NULL), "NULL");
    refuse(b, "mw_get_plan, NULL", mw_get_plan(b->context, &p.job, NULL), "plan");
    refuse(b, "mw_prepare, NULL job", mw_prepare(b->context, NULL, &wanted), "job");
    refuse(b, "mw_run, NULL job", mw_run(b->context, NULL), "job");
    refuse(b, "mw_enqueue, workspace not aligned",
           mw_enqueue(b->context, &p.job, b->workspace + 8, BYTES, NULL), "aligned");
    p.table.count = 100000; /* more than any sort without a workspace */
    tap_case(b->tap,
             mw_prepare(b->context, &p.job, &wanted) == MW_OK &&
                 mw_get_plan(b->context, &p.job, &plan) == MW_OK &&
                 plan.workspace_bytes > 0 && plan.workspace_bytes <= wanted,
             "%s: 100000 keys need a workspace", b->device);
    refuse(b, "mw_enqueue, workspace a byte short",
           mw_enqueue(b->context, &p.job, b->workspace, plan.workspace_bytes - 1, NULL),
           "workspace");
    refuse(b, "mw_enqueue, NULL workspace",
           mw_enqueue(b->context, &p.job, NULL, wanted, NULL), "workspace");
}

static void test_sort(struct bench *b)
{
    mw_context *const c = b->context;
    const mw_type no_type = (mw_type)MW_TYPE_COUNT;
    char *const odd = (char *)b->keys + 1;

    refuse(b, "mw_sort, type", mw_sort(c, no_type, MW_ASCENDING, b->keys, KEYS), "type");
    refuse(b, "mw_sort, MW_BYTES", mw_sort(c, MW_BYTES, MW_ASCENDING, b->keys, 1), "type");
    refuse(b, "mw_sort, direction", mw_sort(c, MW_U64, (mw_direction)2, b->keys, KEYS),
           "direction");
    refuse(b, "mw_sort, NULL", mw_sort(c, MW_U64, MW_ASCENDING, NULL, 1), "elements");
    refuse(b, "mw_sort, 2^64 - 1 keys",
           mw_sort(c, MW_U8, MW_ASCENDING, b->keys, UINT64_MAX), "elements");
    refuse(b, "mw_sort, unaligned", mw_sort(c, MW_U64, MW_ASCENDING, odd, KEYS - 1),
           "aligned");
}

static void test_others(struct bench *b)
{
    mw_context *const c = b->context;
    mw_tuning tuning = MW_TUNING_INIT;
    mw_counts counts = {.size = 4};
    mw_info info = {.size = 0};
    mw_plan plan = {.size = 7};
    const mw_ledger_line *lines;
    const mw_launch *launches;
    size_t count;

    refuse(b, "mw_alloc, NULL", mw_alloc(c, 1, NULL), "memory");
    refuse(b, "mw_upload, to NULL", mw_upload(c, NULL, b->keys, BYTES), "NULL");
    refuse(b, "mw_upload, from NULL", mw_upload(c, b->there, NULL, BYTES), "NULL");
    refuse(b, "mw_download, to NULL", mw_download(c, NULL, b->there, BYTES), "NULL");
    refuse(b, "mw_download, from NULL", mw_download(c, b->keys, NULL, BYTES), "NULL");
    refuse(b, "mw_get_counts, NULL", mw_get_counts(c, NULL), "mw_counts");
    refuse(b, "mw_get_counts, no size", mw_get_counts(c, &counts), "_INIT");
    refuse(b, "mw_get_info, NULL", mw_get_info(c, NULL), "mw_info");
    refuse(b, "mw_get_info, no size", mw_get_info(c, &info), "_INIT");
    refuse(b, "mw_get_plan, no size", kit_get_plan(c, MW_U64, 1, &plan), "_INIT");
    refuse(b, "mw_get_ledger, NULL", mw_get_ledger(c, NULL, &count), "lines");
    refuse(b, "mw_get_ledger, NULL count", mw_get_ledger(c, &lines, NULL), "count");
    refuse(b, "mw_get_launches, NULL", mw_get_launches(c, NULL, &count), "launches");
    refuse(b, "mw_get_launches, NULL count", mw_get_launches(c, &launches, NULL), "count");
    refuse(b, "mw_set_timing, 3", mw_set_timing(c, (mw_timing)3), "timing");
    refuse(b, "mw_set_timing, -1", mw_set_timing(c, (mw_timing)-1), "timing");
    tuning.size = 4;
    refuse(b, "mw_set_tuning, no size", mw_set_tuning(c, &tuning), "mw_tuning");
    tuning = (mw_tuning)MW_TUNING_INIT;
    tuning.ways = 3;
    refuse(b, "mw_set_tuning, 3 ways", mw_set_tuning(c, &tuning), "ways");
}

static mw_status bench_open(struct bench *b)
{
    uint64_t seven[7] = {7, 6, 5, 4, 3, 2, 1};
    mw_tuning tuning = MW_TUNING_INIT;
    mw_status status = mw_open(&b->context, b->device, NULL);

    kit_fill(MW_U64, "random", 1, b->keys, KEYS);
    memcpy(b->before, b->keys, BYTES);
    tuning.warps = 77;
    if (status == MW_OK)
        status = mw_alloc(b->context, BYTES + 16, (void **)&b->there);
    if (status == MW_OK)
        status = mw_upload(b->context, b->there, b->keys, BYTES);
    if (status == MW_OK)
        status = mw_alloc(b->context, BYTES + 16, (void **)&b->workspace);
    if (status == MW_OK)
        status = mw_set_tuning(b->context, &tuning);
    if (status == MW_OK) /* a sort to remember */
        status = mw_sort(b->context, MW_U64, MW_ASCENDING, seven, 7);
    return status;
}

int main(void)
{
    static const char *const devices[] = {"cpu:2", "sim", "cuda"};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        struct bench b = {.tap = &tap, .device = devices[i]};
        const mw_status status = bench_open(&b);

        if (status == MW_OK) {
            for (size_t row = 0; row < COUNT_OF(rows); row++)
                test_row(&b, &rows[row]);
            test_workspaces(&b);
            test_sort(&b);
            test_others(&b);
        } else if (status == MW_NO_DEVICE && strcmp(b.device, "cuda") == 0) {
            tap_skip(&tap, "cuda: wrong arguments", "no CUDA device");
        } else {
            tap_ok(&tap, 0, b.device, mw_error(b.context));
        }
        mw_free(b.context, b.workspace);
        mw_free(b.context, b.there);
        mw_close(b.context);
    }
    return tap_end(&tap);
}
