/*
 * unit_arguments.c - every wrong argument of every call on a handle is refused as
 * MW_BAD_ARGUMENT, with a message that names the reason and nothing touched. Structs of
 * older and newer callers are accepted unless they have a byte set that this library does
 * not know.
 */
#include "trial.h"

#include "tap.h"

#include <stddef.h>

enum { KEYS = 100, BYTES = KEYS * 8, TOO_MANY = -1 };

/* Instead of a number: the address of the elements, plus 1, 8 or -8; of `out`, `lists`. */
enum { SAME = -2, ODD = -3, NEXT = -4, BACK = -5, OUT = -6, LISTS = -7 };

/* A job that sorts 8-byte keys, and what it points at; `more` is a newer caller's. */
struct parts {
    mw_field fields[2];
    mw_order order;
    uint64_t order_more;
    mw_table table;
    uint64_t table_more;
    mw_column column;
    mw_table out;
    mw_column out_column;
    mw_table lists[2]; /* the halves of the table */
    mw_column list_columns[2];
    mw_job job;
    uint64_t job_more;
};

static struct parts parts_of(void *elements)
{
    return (struct parts){
        .fields[0].type = MW_U64,
        .fields[1].type = MW_U64,
        .order = MW_ORDER_INIT,
        .table = {.elements = elements, .count = KEYS},
        .column = {.bytes = 4                   },
        .out = {.count = KEYS},
        .out_column = {.bytes = 4                   },
        .job = MW_JOB_INIT
    };
}

/* One member of the parts set to a number, or to an address. */
struct change {
    const char *text;
    size_t offset;
    size_t bytes;
    int64_t value;
};

#define MOST (INT64_C(1) << 59) /* elements of 8 bytes */

#define SET(member, value)                                    \
    {                                                         \
#member " = " #value, offsetof(struct parts, member), \
            sizeof(((struct parts *)0)->member), value        \
    }

/* Two lists to merge; segments whose numbers are the elements. */
#define MERGE_LISTS SET(job.operation, MW_MERGE), SET(job.in, LISTS), SET(job.in_count, 2)
#define SEGMENTS SET(job.segment_begins, SAME), SET(job.segment_ends, SAME)

/* Refused by all calls; by those that look at the data; accepted. */
enum kind { BAD, DATA, FINE };

/* clang-format off */
static const struct row {
    const char *word; /* that the message must hold */
    enum kind kind;
    struct change changes[5];
} rows[] = {
#include "arguments.def"
};
/* clang-format on */

static const struct change no_changes[2];

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
    mw_plan plan = MW_PLAN_INIT;
    mw_counts counts = MW_COUNTS_INIT;
    uint64_t back[KEYS];

    return memcmp(b->keys, b->before, BYTES) == 0 &&
           mw_download(b->context, back, b->there, BYTES) == MW_OK &&
           memcmp(back, b->before, BYTES) == 0 &&
           mw_get_counts(b->context, &counts) == MW_OK && counts.count == 7 &&
           kit_get_plan(b->context, MW_U64, 5000, &plan) == MW_OK &&
           plan.tuning.warps == 77;
}

/* One call that must return `expected`, with a message that holds a word. */
static void judge(struct bench *b, const char *call, const struct change *changes,
                  mw_status status, mw_status expected, const char *word)
{
    const char *const message = mw_error(b->context);
    const int right = status == expected && strstr(message, word);

    if (!right)
        tap_note("%s: \"%s\", which should name %s", mw_status_text(status), message, word);
    tap_case(b->tap, right && untouched(b), "%s: %s%s%s%s%s", b->device, call,
             changes[0].text ? ", " : "", changes[0].text ? changes[0].text : "",
             changes[1].text ? ", " : "", changes[1].text ? changes[1].text : "");
}

#define REFUSE(word, call) judge(b, #call, no_changes, call, MW_BAD_ARGUMENT, word)

/* Wire up the parts and make the row's changes to them. */
static void spoil(struct parts *p, const struct row *row)
{
    const uintptr_t elements = (uintptr_t)p->table.elements;

    p->order.element_bytes = 8;
    p->order.fields = p->fields;
    p->order.field_count = 1;
    p->job.order = &p->order;
    p->job.in = &p->table;
    p->table.columns = &p->column;
    p->out.columns = &p->out_column;
    for (int i = 0; i < 2; i++) {
        p->list_columns[i].bytes = 4;
        p->lists[i].elements = (void *)(elements + (uintptr_t)i * BYTES / 2);
        p->lists[i].count = KEYS / 2;
        p->lists[i].columns = &p->list_columns[i];
    }
    for (int i = 0; i < 5 && row->changes[i].bytes; i++) {
        const struct change *const c = &row->changes[i];
        const uintptr_t addresses[] = {elements,           elements + 1,
                                       elements + 8,       elements - 8,
                                       (uintptr_t)&p->out, (uintptr_t)p->lists};
        char *const at = (char *)p + c->offset;

        memcpy(at, &c->value, c->bytes); /* little-endian */
        if (c->value <= SAME && c->value >= LISTS)
            memcpy(at, &addresses[SAME - c->value], sizeof *addresses);
    }
}

static void test_row(struct bench *b, const struct row *row)
{
    static const char *const names[] = {"mw_prepare", "mw_get_plan", "mw_run",
                                        "mw_enqueue"};
    static const mw_status expected[] = {MW_BAD_ARGUMENT, MW_BAD_ARGUMENT, MW_OK};
    const int first = row->kind == DATA ? 2 : 0;
    const int last = row->kind == FINE ? 1 : 3;

    for (int call = first; call <= last; call++) {
        struct parts p = parts_of(call == 3 ? b->there : (void *)b->keys);
        mw_plan plan = MW_PLAN_INIT;
        uint64_t bytes = 12345;
        mw_status status;

        spoil(&p, row);
        status = call == 0   ? mw_prepare(b->context, &p.job, &bytes)
                 : call == 1 ? mw_get_plan(b->context, &p.job, &plan)
                 : call == 2 ? mw_run(b->context, &p.job)
                             : mw_enqueue(b->context, &p.job, b->workspace, BYTES, NULL);
        if (status != MW_OK && (bytes != 12345 || plan.count))
            tap_ok(b->tap, 0, names[call], "filled in what it refused");
        judge(b, names[call], row->changes, status, expected[row->kind], row->word);
    }
}

/* Jobs that are right, but not what else they are called with. */
static void test_workspaces(struct bench *b)
{
    mw_context *const c = b->context;
    char *const space = b->workspace;
    struct parts p = parts_of(b->there);
    mw_plan plan = MW_PLAN_INIT;
    uint64_t wanted = 0;

    spoil(&p, &(struct row){.word = ""});
    REFUSE("NULL", mw_prepare(c, &p.job, NULL));
    REFUSE("plan", mw_get_plan(c, &p.job, NULL));
    REFUSE("job", mw_prepare(c, NULL, &wanted));
    REFUSE("job", mw_run(c, NULL));
    REFUSE("aligned", mw_enqueue(c, &p.job, space + 8, BYTES, NULL));
    p.table.count = 100000; /* more than any sort without a workspace */
    tap_ok(b->tap,
           mw_prepare(c, &p.job, &wanted) == MW_OK &&
               mw_get_plan(c, &p.job, &plan) == MW_OK && plan.workspace_bytes > 0 &&
               plan.workspace_bytes <= wanted,
           b->device, "100000 keys need a workspace");
    REFUSE("workspace", mw_enqueue(c, &p.job, space, plan.workspace_bytes - 1, NULL));
    REFUSE("workspace", mw_enqueue(c, &p.job, NULL, wanted, NULL));
}

static void test_others(struct bench *b)
{
    mw_context *const c = b->context;
    uint64_t *const keys = b->keys;
    void *const odd = (char *)keys + 1;
    char *const there = b->there;
    const mw_type no_type = (mw_type)MW_TYPE_COUNT;
    static const void *lists[100001];
    static const uint64_t nothing[100001];
    const void *const list = keys;
    const uint64_t one = 1;
    const mw_tuning no_size = {.size = 4};
    const mw_tuning three_ways = {.size = sizeof three_ways, .ways = 3};
    const mw_tuning newer[2] = {{.size = 2 * sizeof *newer}, {.size = 1}};
    mw_counts counts = {.size = 4};
    mw_info info = {.size = 0};
    mw_plan plan = {.size = 7};
    const mw_ledger_line *lines;
    const mw_launch *launches;
    size_t count;

    REFUSE("type", mw_sort(c, no_type, MW_ASCENDING, keys, KEYS));
    REFUSE("type", mw_sort(c, MW_BYTES, MW_ASCENDING, keys, 1));
    REFUSE("direction", mw_sort(c, MW_U64, (mw_direction)2, keys, KEYS));
    REFUSE("elements", mw_sort(c, MW_U64, MW_ASCENDING, NULL, 1));
    REFUSE("elements", mw_sort(c, MW_U8, MW_ASCENDING, keys, UINT64_MAX));
    REFUSE("aligned", mw_sort(c, MW_U64, MW_ASCENDING, odd, KEYS - 1));
    REFUSE("type", mw_argsort(c, MW_BYTES, MW_ASCENDING, keys, keys, MW_U64, KEYS));
    REFUSE("all arrays", mw_argsort(c, MW_U64, MW_ASCENDING, keys, NULL, MW_U64, KEYS));
    REFUSE("overlap", mw_argsort(c, MW_U64, MW_ASCENDING, keys, keys, MW_U64, KEYS));
    REFUSE("values", mw_sort_pairs(c, MW_U64, MW_ASCENDING, keys, NULL, 4, KEYS));
    REFUSE("0 bytes", mw_sort_pairs(c, MW_U64, MW_ASCENDING, keys, odd, 0, KEYS));
    REFUSE("order", mw_sort_records(c, NULL, keys, KEYS));
    REFUSE("type", mw_merge(c, MW_BYTES, MW_ASCENDING, &list, &one, 1, keys));
    REFUSE("lists is NULL", mw_merge(c, MW_U64, MW_ASCENDING, NULL, &one, 1, keys));
    REFUSE("counts is NULL", mw_merge(c, MW_U64, MW_ASCENDING, &list, NULL, 1, keys));
    REFUSE("tables", mw_merge(c, MW_U64, MW_ASCENDING, lists, nothing, 100001, keys));
    REFUSE("overlap", mw_merge(c, MW_U64, MW_ASCENDING, &list, &one, 1, keys));
    REFUSE("all arrays", mw_merge(c, MW_U64, MW_ASCENDING, &list, &one, 1, NULL));
    REFUSE("type", mw_top(c, no_type, MW_ASCENDING, keys, KEYS, 5, there, NULL, MW_U64));
    REFUSE("overlap", mw_top(c, MW_U64, MW_ASCENDING, keys, KEYS, 5, keys, NULL, MW_U64));
    REFUSE("all", mw_top(c, MW_U64, MW_ASCENDING, keys, KEYS, 5, NULL, NULL, MW_U64));
    REFUSE("memory", mw_alloc(c, 1, NULL));
    REFUSE("NULL", mw_upload(c, NULL, keys, BYTES));
    REFUSE("NULL", mw_upload(c, there, NULL, BYTES));
    REFUSE("NULL", mw_download(c, NULL, there, BYTES));
    REFUSE("NULL", mw_download(c, keys, NULL, BYTES));
    REFUSE("mw_counts", mw_get_counts(c, NULL));
    REFUSE("_INIT", mw_get_counts(c, &counts));
    REFUSE("mw_info", mw_get_info(c, NULL));
    REFUSE("_INIT", mw_get_info(c, &info));
    REFUSE("_INIT", kit_get_plan(c, MW_U64, 1, &plan));
    REFUSE("lines", mw_get_ledger(c, NULL, &count));
    REFUSE("count", mw_get_ledger(c, &lines, NULL));
    REFUSE("launches", mw_get_launches(c, NULL, &count));
    REFUSE("count", mw_get_launches(c, &launches, NULL));
    REFUSE("timing", mw_set_timing(c, (mw_timing)3));
    REFUSE("timing", mw_set_timing(c, (mw_timing)-1));
    REFUSE("mw_tuning", mw_set_tuning(c, &no_size));
    REFUSE("ways", mw_set_tuning(c, &three_ways));
    REFUSE("mw_tuning", mw_set_tuning(c, newer));
}

/* Keys on both sides, a tuning, and a sort to remember. */
static int bench_open(struct bench *b)
{
    uint64_t seven[7] = {7, 6, 5, 4, 3, 2, 1};
    const mw_tuning tuning = {.size = sizeof tuning, .warps = 77};

    kit_fill(MW_U64, "random", 1, b->keys, KEYS);
    memcpy(b->before, b->keys, BYTES);
    return mw_alloc(b->context, BYTES + 16, (void **)&b->there) == MW_OK &&
           mw_upload(b->context, b->there, b->keys, BYTES) == MW_OK &&
           mw_alloc(b->context, BYTES + 16, (void **)&b->workspace) == MW_OK &&
           mw_set_tuning(b->context, &tuning) == MW_OK &&
           mw_sort(b->context, MW_U64, MW_ASCENDING, seven, 7) == MW_OK && untouched(b);
}

int main(void)
{
    static const char *const devices[] = {"cpu:2", "sim", "cuda"};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        struct bench b = {.tap = &tap, .device = devices[i]};

        b.context = trial_open(&tap, b.device);
        if (!b.context)
            continue;
        tap_ok(&tap, bench_open(&b), b.device, mw_error(b.context));
        for (size_t row = 0; row < COUNT_OF(rows); row++)
            test_row(&b, &rows[row]);
        test_workspaces(&b);
        test_others(&b);
        mw_free(b.context, b.workspace);
        mw_free(b.context, b.there);
        mw_close(b.context);
    }
    return tap_end(&tap);
}
