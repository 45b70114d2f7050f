/*
 * unit_sizes.c - structs that begin with their size may grow: an older caller's smaller
 * ones work, and a newer caller's larger options. Structs that the library fills get the
 * bytes that both know. Larger jobs, orders and tables are in unit_arguments.c.
 */
#include "trial.h"

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

enum { KEYS = 3000 };

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
    mw_plan whole = {.size = sizeof whole};
    mw_context *context;

    kit_fill(MW_U32, "random", 1, keys, KEYS);
    tap_ok(tap, mw_open(&context, device, (const mw_options *)&options) == MW_OK, device,
           "older options");
    tap_ok(tap,
           mw_set_tuning(context, (const mw_tuning *)&tuning) == MW_OK &&
               mw_get_plan(context, (const mw_job *)&job, &whole) == MW_OK &&
               whole.tuning.ways == 4 && whole.tuning.engine == MW_ENGINE_HEAP,
           device, "an older tuning");
    tap_ok(tap,
           mw_run(context, (const mw_job *)&job) == MW_OK &&
               kit_first_disorder(MW_U32, MW_ASCENDING, keys, KEYS) == KEYS,
           device, "an older job, order, field and table");
    mw_close(context);
}

/* A newer caller's options: they have a member more. */
static void test_newer(struct tap *tap, const char *device)
{
    for (int set = 0; set < 2; set++) {
        const mw_options options[2] = {{.size = sizeof options}, {.size = (size_t)set}};
        mw_context *context;
        const mw_status status = mw_open(&context, device, options);

        tap_ok(tap, status == (set ? MW_BAD_ARGUMENT : MW_OK), device,
               set ? "newer options, with an unknown byte set" : "newer options");
        mw_close(context);
    }
}

/* The structs that calls fill. */
enum target { INFO, COUNTS, PLAN, TARGETS };

static mw_status fill(mw_context *context, enum target target, void *at)
{
    return target == INFO     ? mw_get_info(context, at)
           : target == COUNTS ? mw_get_counts(context, at)
                              : kit_get_plan(context, MW_U32, KEYS, at);
}

/* A struct of any size gets what both sides know, 0 after that, and nothing beyond. */
static void test_filled(struct tap *tap, const char *device)
{
    static const char *const names[] = {"mw_info", "mw_counts", "mw_plan"};
    static const size_t sizes[] = {sizeof(mw_info), sizeof(mw_counts), sizeof(mw_plan)};
    enum { MORE = 16 };
    mw_context *const context = trial_open(tap, device);
    uint32_t keys[KEYS];

    kit_fill(MW_U32, "random", 1, keys, KEYS);
    tap_ok(tap, mw_sort(context, MW_U32, MW_ASCENDING, keys, KEYS) == MW_OK, device,
           "a sort with figures");
    for (int i = 0; i < TARGETS; i++) {
        union {
            size_t size;
            char bytes[sizeof(mw_plan) + MORE + 1];
        } whole = {.size = sizes[i]}, other;
        int passed = fill(context, (enum target)i, &whole) == MW_OK;

        for (size_t size = sizeof size; size <= sizes[i] + MORE; size++) {
            memset(&other, 0xa5, sizeof other);
            other.size = whole.size = size;
            passed &= fill(context, (enum target)i, &other) == MW_OK &&
                      memcmp(&other, &whole, size) == 0 && other.bytes[size] == (char)0xa5;
        }
        tap_ok(tap, passed, device, names[i]);
    }
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
