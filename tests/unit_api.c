/*
 * unit_api.c - the handle and what surrounds it: versions, names, orders, opening,
 * tuning, memory, handles in several threads. Wrong arguments are in unit_arguments.c,
 * plans and figures in unit_figures.c, sizes of structs in unit_sizes.c.
 */
#include "trial.h"

#include "tap.h"

#include <pthread.h>

/* Numbers from -1 to one past the last: what is there has a name, all else has none. */
static void test_names(struct tap *tap)
{
    static const char *const no_types[] = {"",     "u",    "u65", "U64",
                                           " u64", "u64 ", "f8",  NULL};
    mw_type type = MW_F32;
    int passed = 1;

    for (int i = -1; i <= MW_ACCESS_COUNT; i++) {
        const char *const name = mw_access_name((mw_access)i);

        passed &= !name == (i < 0 || i >= MW_ACCESS_COUNT) && (!name || *name);
    }
    tap_ok(tap, passed, "kinds of access have names", "");
    for (int i = -1; i <= MW_CANCELLED + 1; i++) {
        passed &= *mw_status_text((mw_status)i) != '\0';
        for (int j = MW_OK; j < i; j++)
            passed &=
                strcmp(mw_status_text((mw_status)i), mw_status_text((mw_status)j)) != 0;
    }
    tap_ok(tap, passed, "every status has a text of its own", "");
    for (size_t i = 0; i < COUNT_OF(no_types); i++)
        tap_ok(tap, mw_type_parse(no_types[i], &type) == MW_BAD_ARGUMENT && type == MW_F32,
               "no type's name", no_types[i] ? no_types[i] : "NULL");
    tap_ok(tap, mw_type_parse("u64", NULL) == MW_BAD_ARGUMENT, "nowhere to put a type", "");
    tap_ok(tap, mw_version() == MW_VERSION, "the header's version", "");
    mw_free(NULL, NULL);
}

/* Each type's name, size and order in both directions; what is no type has none. */
static void test_types(struct tap *tap)
{
    static const size_t sizes[MW_TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 2, 2};

    for (int i = 0; i < 2 * MW_TYPE_COUNT; i++) {
        const mw_type type = (mw_type)(i / 2);
        const mw_order *const order = mw_order_of(type, (mw_direction)(i % 2));
        mw_type parsed = MW_BYTES;

        tap_ok(tap,
               mw_type_parse(mw_type_name(type), &parsed) == MW_OK && parsed == type &&
                   mw_type_size(type) == sizes[type] && order &&
                   order->size == sizeof *order && order->field_count == 1 &&
                   order->element_bytes == sizes[type] && order->fields[0].type == type &&
                   order->fields[0].direction == (mw_direction)(i % 2) &&
                   order->fields[0].offset == 0,
               "name, size and order", mw_type_name(type));
    }
    for (int i = -1; i <= MW_TYPE_COUNT; i += MW_TYPE_COUNT + 1)
        tap_ok(tap,
               !mw_type_name((mw_type)i) && !mw_type_size((mw_type)i) &&
                   !mw_order_of((mw_type)i, MW_ASCENDING),
               "no type", "");
    tap_ok(tap, !mw_order_of(MW_BYTES, MW_ASCENDING) && !mw_order_of(MW_U8, 2), "no order",
           "");
}

/* A handle that failed to open, or none, refuses every call before it looks further. */
static int useless(mw_context *c)
{
    int passed = *mw_error(c) != '\0';

#define REFUSES(call) \
    passed &= (call) == MW_BAD_ARGUMENT && (!c || strstr(mw_error(c), "failed to open"))
    REFUSES(mw_sort(c, MW_U64, MW_ASCENDING, NULL, 0));
    REFUSES(mw_prepare(c, NULL, NULL));
    REFUSES(mw_run(c, NULL));
    REFUSES(mw_enqueue(c, NULL, NULL, 0, NULL));
    REFUSES(mw_get_plan(c, NULL, NULL));
    REFUSES(mw_alloc(c, 1, NULL));
    REFUSES(mw_upload(c, NULL, NULL, 0));
    REFUSES(mw_download(c, NULL, NULL, 0));
    REFUSES(mw_wait(c));
    REFUSES(mw_set_tuning(c, NULL));
    REFUSES(mw_set_timing(c, MW_TIMING_OFF));
    REFUSES(mw_get_counts(c, NULL));
    REFUSES(mw_get_ledger(c, NULL, NULL));
    REFUSES(mw_get_launches(c, NULL, NULL));
    REFUSES(mw_get_info(c, NULL));
    return passed;
}

/* "auto" is a GPU or the CPU; each device says what it is. */
static void test_open(struct tap *tap)
{
    static const char *const unknown[] = {
        NULL,         "",        "gpu",
        "CPU",        " cpu",    "cpus",
        "cpu:",       "cpu:0",   "cpu:-1",
        "cpu:+1",     "cpu: 1",  "cpu:2x",
        "sim:1",      "auto:1",  "cuda:",
        "cuda:x",     "cuda:-1", "cpu:99999999999999999999999",
        "cuda:999999" /* the last: not here */
    };
    static const struct {
        const char *device;
        const char *info; /* the beginning of its name there */
        uint32_t processors;
    } known[] = {
        {"cpu",   "cpu:",  0},
        {"cpu:1", "cpu:1", 1},
        {"cpu:3", "cpu:3", 3},
        {"sim",   "sim",   0},
        {"auto",  "c",     0},
    };
    mw_context *context;

    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        const mw_status status = mw_open(&context, unknown[i], NULL);
        const int last = i + 1 == COUNT_OF(unknown);

        tap_case(tap,
                 status == (last ? MW_NO_DEVICE : MW_BAD_ARGUMENT) && context &&
                     *mw_error(context) && useless(context),
                 "no device: \"%s\"", unknown[i] ? unknown[i] : "NULL");
        mw_close(context);
    }
    tap_ok(tap, mw_open(NULL, "cpu:1", NULL) == MW_BAD_ARGUMENT, "nowhere to put a handle",
           "");
    tap_ok(tap, useless(NULL), "no handle", "");
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        mw_options options = MW_OPTIONS_INIT;
        mw_info info = MW_INFO_INIT;
        const int passed =
            mw_open(&context, known[i].device, &options) == MW_OK && !*mw_error(context) &&
            mw_get_info(context, &info) == MW_OK &&
            strncmp(info.device, known[i].info, strlen(known[i].info)) == 0 && *info.name &&
            info.size == sizeof info && info.processors > 0 &&
            (!known[i].processors || info.processors == known[i].processors);

        tap_case(tap, passed, "open %s: %s, %s", known[i].device, info.device, info.name);
        mw_close(context);
    }
}

/* The CPU keeps a tuning and ignores it. */
static void test_tuning(struct tap *tap, mw_context *context, const char *device)
{
    const int planned = strncmp(device, "cpu", 3) != 0;
    const mw_tuning wish = {
        .size = sizeof wish, .ways = 4, .warps = 9, .threads = 64, .base = 2048};
    mw_plan plan = MW_PLAN_INIT;
    const mw_tuning *const got = &plan.tuning;

    tap_ok(tap,
           mw_set_tuning(context, &wish) == MW_OK &&
               kit_get_plan(context, MW_I32, 5000, &plan) == MW_OK && got->ways == 4 &&
               got->warps == 9 && got->threads == 64 && got->base == 2048 &&
               (!planned || (got->engine == MW_ENGINE_HEAP && got->items == 32)),
           device, "tuning set and got");
    tap_ok(tap,
           mw_set_tuning(context, NULL) == MW_OK &&
               kit_get_plan(context, MW_I32, 5000, &plan) == MW_OK && got->warps != 9 &&
               got->engine == (planned ? MW_ENGINE_TILE : MW_ENGINE_AUTO),
           device, "back to the defaults");
}

static void test_memory(struct tap *tap, mw_context *context, const char *device)
{
    void *memory = &memory;
    void *none = &none;
    char back[3] = "";

    tap_ok(tap,
           mw_alloc(context, 3, &memory) == MW_OK && memory &&
               mw_upload(context, memory, "ab", 3) == MW_OK && mw_wait(context) == MW_OK &&
               mw_download(context, back, memory, 3) == MW_OK && strcmp(back, "ab") == 0,
           device, "memory there and back");
    mw_free(context, memory);
    mw_free(context, NULL);
    tap_ok(tap,
           mw_upload(context, NULL, NULL, 0) == MW_OK &&
               mw_download(context, NULL, NULL, 0) == MW_OK &&
               mw_alloc(context, 0, &memory) == MW_OK &&
               mw_alloc(context, UINT64_MAX / 2, &none) == MW_NO_MEMORY && !none &&
               *mw_error(context),
           device, "no bytes, and too many");
    mw_free(context, memory);
}

/* What one thread does with a handle of its own. */
struct worker {
    const char *device;
    int failed;
};

static void *work(void *argument)
{
    struct worker *const worker = argument;
    mw_context *context;

    worker->failed = mw_open(&context, worker->device, NULL) != MW_OK;
    for (int i = 0; i < 10 && !worker->failed; i++) {
        struct outcome outcome;
        const struct trial t = {
            .type = (mw_type)(i % MW_TYPE_COUNT),
            .direction = (mw_direction)(i % 2),
            .shape = "random",
            .seed = (uint64_t)i,
            .count = 3000,
            .tuning = {.size = sizeof t.tuning, .base = 1024},
            .device_memory = i % 3 == 0,
        };

        worker->failed = !trial_run(context, &t, &outcome);
        trial_close(&outcome);
    }
    mw_close(context);
    return NULL;
}

static void test_threads(struct tap *tap)
{
    struct worker workers[] = {
        {"cpu:2", 1},
        {"sim",   1},
        {"sim",   1},
        {"cpu:3", 1}
    };
    pthread_t threads[COUNT_OF(workers)];
    size_t begun = 0;

    while (begun < COUNT_OF(workers) &&
           pthread_create(&threads[begun], NULL, work, &workers[begun]) == 0)
        begun++;
    for (size_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < COUNT_OF(workers); i++)
        tap_ok(tap, !workers[i].failed, "four threads, four handles", workers[i].device);
}

/* A handle takes no more scratch memory than it may, and loses nothing. */
static void test_limit(struct tap *tap)
{
    static uint32_t keys[50000], values[50000], before[50000];
    mw_options options = MW_OPTIONS_INIT;
    mw_context *context;

    options.memory_bytes = 300000; /* less than both need, more than 1000 pairs */
    kit_fill(MW_U32, "random", 1, keys, COUNT_OF(keys));
    memcpy(before, keys, sizeof keys);
    memcpy(values, keys, sizeof keys);
    tap_ok(
        tap,
        mw_open(&context, "cpu:2", &options) == MW_OK &&
            mw_sort_pairs(context, MW_U32, MW_ASCENDING, keys, values, 4, COUNT_OF(keys)) ==
                MW_NO_MEMORY &&
            strstr(mw_error(context), "memory_bytes") &&
            memcmp(keys, before, sizeof keys) == 0 &&
            memcmp(values, before, sizeof keys) == 0 &&
            mw_sort_pairs(context, MW_U32, MW_ASCENDING, keys, values, 4, 1000) == MW_OK &&
            kit_first_disorder(MW_U32, MW_ASCENDING, keys, 1000) == 1000 &&
            memcmp(keys, values, sizeof keys) == 0,
        "memory_bytes is kept", "cpu");
    mw_close(context);
}

/* An order's text alone is for a GPU. */
static void test_text(struct tap *tap, mw_context *context, const char *device)
{
    mw_order order = MW_ORDER_INIT;
    const int before[] = {2, 1};
    int records[] = {2, 1};
    mw_table table = {.elements = records};
    mw_plan plan = MW_PLAN_INIT;
    mw_job job = MW_JOB_INIT;
    uint64_t bytes;

    order.element_bytes = sizeof(int);
    order.less = "*a < *b";
    order.declarations = "typedef int mw_element;";
    job.order = &order;
    job.in = &table;
    for (table.count = 0; table.count <= COUNT_OF(records); table.count++)
        tap_case(tap,
                 mw_run(context, &job) == MW_UNSUPPORTED &&
                     strstr(mw_error(context), "less_on_host") &&
                     mw_prepare(context, &job, &bytes) == MW_UNSUPPORTED &&
                     mw_get_plan(context, &job, &plan) == MW_UNSUPPORTED &&
                     memcmp(records, before, sizeof records) == 0,
                 "%s: a text without a function is refused for %d records", device,
                 (int)table.count);
}

int main(void)
{
    static const char *const devices[] = {"cpu:2", "sim", "cuda"};
    struct tap tap = {0, 0};

    test_names(&tap);
    test_types(&tap);
    test_limit(&tap);
    test_open(&tap);
    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        mw_context *const context = trial_open(&tap, devices[i]);

        if (!context)
            continue;
        test_tuning(&tap, context, devices[i]);
        test_memory(&tap, context, devices[i]);
        if (strcmp(devices[i], "cuda") != 0)
            test_text(&tap, context, devices[i]);
        mw_close(context);
    }
    test_threads(&tap);
    return tap_end(&tap);
}
