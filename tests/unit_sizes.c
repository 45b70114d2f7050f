/*
 * unit_sizes.c - structs that begin with their size may grow: an older caller's smaller
 * ones work, a newer caller's larger ones too unless they have a byte set that this
 * library does not know. Structs that the library fills get the bytes that both know.
 */
#include "kit.h"

#include "tap.h"

/* The structs of an older caller: they lack the last members. */
struct old_options {
    size_t size;
};

struct old_tuning {
    size_t size;
    mw_engine engine;
    uint32_t ways;
};

struct old_field {
    uint32_t column, offset;
    mw_type type;
    uint32_t bytes;
    mw_direction direction;
};

struct old_order {
    size_t size;
    uint32_t element_bytes, field_size;
    const struct old_field *fields;
    uint32_t field_count;
};

struct old_table {
    void *elements;
    uint64_t count;
};

struct old_job {
    size_t size;
    uint32_t table_size, column_size;
    mw_operation operation;
    const struct old_order *order;
    const struct old_table *in;
    uint32_t in_count;
};

struct old_info {
    size_t size;
    char device[32];
    uint64_t guard;
};

struct old_counts {
    size_t size;
    uint64_t count;
    uint64_t guard;
};

struct old_plan {
    size_t size;
    uint64_t count, workspace_bytes;
    uint64_t guard;
};

/* The same of a newer caller: they have a member more. */
#define NEWER(name)     \
    struct new_##name { \
        mw_##name ours; \
        uint64_t more;  \
    }

NEWER(options);
NEWER(tuning);
NEWER(field);
NEWER(order);
NEWER(table);
NEWER(job);
NEWER(info);
NEWER(counts);
NEWER(plan);

enum { KEYS = 3000 };

static const uint64_t guard = UINT64_C(0xa5a5a5a5a5a5a5a5);

/* Keys that descend, and are they sorted? */
static void fill(uint32_t *keys)
{
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = KEYS - i;
}

static int sorted(const uint32_t *keys)
{
    int right = 1;

    for (uint32_t i = 0; i < KEYS; i++)
        right &= keys[i] == i + 1;
    return right;
}

static void test_older(struct tap *tap, const char *device)
{
    static uint32_t keys[KEYS];
    const struct old_options options = {sizeof options};
    const struct old_tuning tuning = {sizeof tuning, MW_ENGINE_HEAP, 4};
    const struct old_field field = {0, 0, MW_U32, 0, MW_ASCENDING};
    const struct old_order order = {sizeof order, 4, sizeof field, &field, 1};
    const struct old_table table = {keys, KEYS};
    const struct old_job job = {
        sizeof job, sizeof table, sizeof(mw_column), MW_SORT, &order, &table, 1};
    struct old_info info = {offsetof(struct old_info, guard), "", guard};
    struct old_counts counts = {offsetof(struct old_counts, guard), 0, guard};
    struct old_plan plan = {offsetof(struct old_plan, guard), 0, 0, guard};
    mw_plan whole = {.size = sizeof whole};
    mw_context *context;

    fill(keys);
    tap_ok(tap, mw_open(&context, device, (const mw_options *)&options) == MW_OK, device,
           "older options");
    tap_ok(tap,
           mw_set_tuning(context, (const mw_tuning *)&tuning) == MW_OK &&
               mw_get_plan(context, (const mw_job *)&job, &whole) == MW_OK &&
               whole.tuning.ways == 4 && whole.tuning.engine == MW_ENGINE_HEAP,
           device, "an older tuning");
    tap_ok(tap, mw_run(context, (const mw_job *)&job) == MW_OK && sorted(keys), device,
           "an older job, order, field and table");
    tap_ok(tap,
           mw_get_info(context, (mw_info *)&info) == MW_OK && info.guard == guard &&
               info.size == offsetof(struct old_info, guard) &&
               strncmp(info.device, device, 3) == 0,
           device, "older mw_info: no more is written");
    tap_ok(tap,
           mw_get_counts(context, (mw_counts *)&counts) == MW_OK && counts.guard == guard &&
               counts.count == KEYS,
           device, "older mw_counts: no more is written");
    tap_ok(tap,
           mw_get_plan(context, (const mw_job *)&job, (mw_plan *)&plan) == MW_OK &&
               plan.guard == guard && plan.count == KEYS &&
               plan.workspace_bytes == whole.workspace_bytes,
           device, "an older mw_plan: no more is written");
    mw_close(context);
}

/* Which of the newer structs has a byte set that this version does not know. */
enum set { NONE, OPTIONS, TUNING, FIELD, ORDER, TABLE, JOB, SETS };

static const char *const set_names[SETS] = {
    "none", "mw_options", "mw_tuning", "mw_field", "mw_order", "mw_table", "mw_job"};

/* Sort with newer structs; the first status that is not MW_OK. */
static mw_status sort_newer(mw_context **context, const char *device, enum set set,
                            uint32_t *keys)
{
    struct new_options options = {MW_OPTIONS_INIT, set == OPTIONS};
    struct new_tuning tuning = {MW_TUNING_INIT, set == TUNING};
    const struct new_field field = {{.type = MW_U32}, set == FIELD};
    struct new_order order = {MW_ORDER_INIT, set == ORDER};
    const struct new_table table = {
        {.elements = keys, .count = KEYS},
        set == TABLE
    };
    struct new_job job = {MW_JOB_INIT, set == JOB};
    mw_status status;

    options.ours.size = sizeof options;
    tuning.ours.size = sizeof tuning;
    order.ours.size = sizeof order;
    order.ours.element_bytes = 4;
    order.ours.field_size = sizeof field;
    order.ours.fields = &field.ours;
    order.ours.field_count = 1;
    job.ours.size = sizeof job;
    job.ours.table_size = sizeof table;
    job.ours.order = &order.ours;
    job.ours.in = &table.ours;
    status = mw_open(context, device, &options.ours);
    if (status == MW_OK)
        status = mw_set_tuning(*context, &tuning.ours);
    if (status == MW_OK)
        status = mw_run(*context, &job.ours);
    return status;
}

static void test_newer(struct tap *tap, const char *device)
{
    for (int set = NONE; set < SETS; set++) {
        static uint32_t keys[KEYS];
        mw_context *context = NULL;
        mw_status status;

        fill(keys);
        status = sort_newer(&context, device, (enum set)set, keys);
        tap_case(tap,
                 set == NONE ? status == MW_OK && sorted(keys)
                             : status == MW_BAD_ARGUMENT && *mw_error(context),
                 "%s: newer structs, byte set: %s", device, set_names[set]);
        mw_close(context);
    }
}

/* What the library does not know of a struct that it fills becomes 0. */
static void test_filled(struct tap *tap, const char *device)
{
    struct new_info info = {.ours.size = sizeof info, .more = guard};
    struct new_counts counts = {.ours.size = sizeof counts, .more = guard};
    struct new_plan plan = {.ours.size = sizeof plan, .more = guard};
    mw_context *context;

    tap_ok(tap,
           mw_open(&context, device, NULL) == MW_OK &&
               mw_get_info(context, &info.ours) == MW_OK && info.more == 0 &&
               info.ours.size == sizeof info && info.ours.processors > 0,
           device, "newer mw_info");
    tap_ok(tap, mw_get_counts(context, &counts.ours) == MW_OK && counts.more == 0, device,
           "newer mw_counts");
    tap_ok(tap,
           kit_get_plan(context, MW_U32, KEYS, &plan.ours) == MW_OK && plan.more == 0 &&
               plan.ours.count == KEYS,
           device, "newer mw_plan");
    mw_close(context);
}

int main(void)
{
    static const char *const devices[] = {"cpu:2", "sim"};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        test_older(&tap, devices[i]);
        test_newer(&tap, devices[i]);
        test_filled(&tap, devices[i]);
    }
    return tap_end(&tap);
}
