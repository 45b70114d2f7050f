/*
 * unit_api.c - the handle and what surrounds it: versions, names, orders, opening,
 * tuning, memory, handles in several threads. Wrong arguments are in unit_arguments.c,
 * plans and figures in unit_figures.c, sizes of structs in unit_sizes.c.
 */
#include "trial.h"

#include "tap.h"

#include <pthread.h>

static void test_texts(struct tap *tap)
{
    int passed = 1;

    tap_ok(tap, mw_version() == MW_VERSION, "the header's version", "");
    for (int i = MW_OK; i <= MW_KERNEL_FAULT; i++) {
        passed &= *mw_status_text((mw_status)i) != '\0';
        for (int j = MW_OK; j < i; j++)
            passed &=
                strcmp(mw_status_text((mw_status)i), mw_status_text((mw_status)j)) != 0;
    }
    tap_ok(tap, passed, "every status has a text of its own", "");
    tap_ok(tap, mw_status_text((mw_status)99) && mw_status_text((mw_status)-1),
           "what is no status has a text, too", "");
    tap_ok(tap, *mw_error(NULL) != '\0', "even no handle has words", "");
    mw_close(NULL);
    mw_free(NULL, NULL);
}

static void test_types(struct tap *tap)
{
    static const char *const no_names[] = {"",     "u",    "u65", "U64",
                                           " u64", "u64 ", "f16", NULL};
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    mw_type type = MW_F32;
    int passed = 1;

    for (int i = 0; i < MW_TYPE_COUNT; i++) {
        const char *const name = mw_type_name((mw_type)i);

        passed &= name && mw_type_parse(name, &type) == MW_OK && (int)type == i &&
                  mw_type_size(type) == sizes[i];
    }
    tap_ok(tap, passed, "types have names and sizes, and names have types", "");
    for (size_t i = 0; i < COUNT_OF(no_names); i++) {
        type = MW_F32;
        tap_ok(tap, mw_type_parse(no_names[i], &type) == MW_BAD_ARGUMENT && type == MW_F32,
               "no type's name", no_names[i] ? no_names[i] : "NULL");
    }
    tap_ok(tap, mw_type_parse("u64", NULL) == MW_BAD_ARGUMENT, "nowhere to put a type", "");
    tap_ok(tap,
           mw_type_size((mw_type)MW_TYPE_COUNT) == 0 && mw_type_size((mw_type)-1) == 0 &&
               !mw_type_name((mw_type)MW_TYPE_COUNT) && !mw_type_name((mw_type)-1),
           "no type has no size and no name", "");
}

static void test_orders(struct tap *tap)
{
    int passed = 1;

    for (int i = 0; i < 2 * MW_TYPE_COUNT; i++) {
        const mw_type type = (mw_type)(i / 2);
        const mw_order *const order = mw_order_of(type, (mw_direction)(i % 2));

        passed &= order && order->size == sizeof *order && order->field_count == 1 &&
                  order->element_bytes == mw_type_size(type) &&
                  order->fields[0].type == type &&
                  order->fields[0].direction == (mw_direction)(i % 2) &&
                  order->fields[0].offset == 0;
    }
    tap_ok(tap, passed, "every type has an order in both directions", "");
    tap_ok(tap,
           !mw_order_of(MW_BYTES, MW_ASCENDING) &&
               !mw_order_of((mw_type)-1, MW_ASCENDING) &&
               !mw_order_of(MW_U8, (mw_direction)2),
           "no order of what is no type or direction", "");
    for (int i = 0; i < MW_ACCESS_COUNT; i++)
        passed &= mw_access_name((mw_access)i) && *mw_access_name((mw_access)i);
    tap_ok(tap,
           passed && !mw_access_name((mw_access)MW_ACCESS_COUNT) &&
               !mw_access_name((mw_access)-1),
           "kinds of access have names", "");
}

/* A handle that failed to open can tell why, and refuses all else. */
static int useless(mw_context *context)
{
    const mw_table table = {.count = 0};
    const mw_ledger_line *lines;
    const mw_launch *launches;
    mw_job job = MW_JOB_INIT;
    mw_tuning tuning = MW_TUNING_INIT;
    mw_counts counts = MW_COUNTS_INIT;
    mw_plan plan = {.size = sizeof plan};
    mw_info info = MW_INFO_INIT;
    uint64_t key = 1;
    uint64_t bytes;
    size_t count;
    void *memory = &key;

    job.order = mw_order_of(MW_U64, MW_ASCENDING);
    job.in = &table;
    const mw_status all[] = {mw_sort(context, MW_U64, MW_ASCENDING, &key, 1),
                             mw_prepare(context, &job, &bytes),
                             mw_run(context, &job),
                             mw_enqueue(context, &job, NULL, 0, NULL),
                             mw_get_plan(context, &job, &plan),
                             mw_alloc(context, 1, &memory),
                             mw_upload(context, &key, &key, 1),
                             mw_download(context, &key, &key, 1),
                             mw_wait(context),
                             mw_set_tuning(context, &tuning),
                             mw_set_timing(context, MW_TIMING_OFF),
                             mw_get_counts(context, &counts),
                             mw_get_ledger(context, &lines, &count),
                             mw_get_launches(context, &launches, &count),
                             mw_get_info(context, &info)};
    int passed = !context || *mw_error(context) != '\0';

    for (size_t i = 0; i < COUNT_OF(all); i++)
        passed &= all[i] == MW_BAD_ARGUMENT;
    return passed;
}

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
    mw_context *context;

    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        const mw_status expected =
            i + 1 < COUNT_OF(unknown) ? MW_BAD_ARGUMENT : MW_NO_DEVICE;
        const mw_status status = mw_open(&context, unknown[i], NULL);
        const int told = context && *mw_error(context) != '\0';

        if (context)
            tap_note("%s", mw_error(context));
        tap_case(tap, status == expected && told && useless(context), "no device: \"%s\"",
                 unknown[i] ? unknown[i] : "NULL");
        mw_close(context);
    }
    tap_ok(tap, mw_open(NULL, "cpu:1", NULL) == MW_BAD_ARGUMENT, "nowhere to put a handle",
           "");
    tap_ok(tap, useless(NULL), "no handle", "");
}

/* "auto" is a GPU or the CPU; each device says what it is. */
static void test_info(struct tap *tap)
{
    static const struct {
        const char *device;
        const char *info; /* the beginning of its name there */
        uint32_t processors;
    } rows[] = {
        {"cpu",   "cpu:",  0},
        {"cpu:1", "cpu:1", 1},
        {"cpu:3", "cpu:3", 3},
        {"sim",   "sim",   0},
        {"auto",  "c",     0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mw_options options = MW_OPTIONS_INIT;
        mw_info info = MW_INFO_INIT;
        mw_context *context;
        const int passed = mw_open(&context, rows[i].device, &options) == MW_OK &&
                           *mw_error(context) == '\0' &&
                           mw_get_info(context, &info) == MW_OK &&
                           strncmp(info.device, rows[i].info, strlen(rows[i].info)) == 0 &&
                           *info.name && info.size == sizeof info && info.processors > 0 &&
                           (!rows[i].processors || info.processors == rows[i].processors);

        tap_case(tap, passed, "open %s: %s, %s", rows[i].device, info.device, info.name);
        mw_close(context);
    }
}

/* A tuning holds until the next one; a wrong one changes nothing. */
static void test_tuning(struct tap *tap, mw_context *context, const char *device)
{
    const mw_tuning wish = {sizeof wish, MW_ENGINE_HEAP, 4, 9, 64, 32, 2048};
    mw_tuning wrong = wish;
    mw_plan plan = {.size = sizeof plan};

    wrong.ways = 5;
    tap_ok(tap,
           mw_set_tuning(context, &wish) == MW_OK &&
               mw_set_tuning(context, &wrong) == MW_BAD_ARGUMENT &&
               kit_get_plan(context, MW_I32, 5000, &plan) == MW_OK &&
               memcmp(&plan.tuning, &wish, sizeof wish) == 0,
           device, "tuning set and got");
    tap_ok(tap,
           mw_set_tuning(context, NULL) == MW_OK &&
               kit_get_plan(context, MW_I32, 5000, &plan) == MW_OK &&
               plan.tuning.warps != 9 &&
               (strncmp(device, "cpu", 3) == 0 || plan.tuning.engine == MW_ENGINE_TILE),
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
    tap_ok(tap,
           mw_upload(context, NULL, NULL, 0) == MW_OK &&
               mw_download(context, NULL, NULL, 0) == MW_OK,
           device, "a copy of nothing");
    mw_free(context, memory);
    mw_free(context, NULL);
    tap_ok(tap,
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
        struct trial t = {(mw_type)(i % MW_TYPE_COUNT),
                          (mw_direction)(i % 2),
                          "random",
                          (uint64_t)i,
                          3000,
                          MW_TUNING_INIT,
                          i % 3 == 0};

        t.tuning.base = 1024;
        worker->failed = !trial_run(context, &t, &outcome);
        trial_close(&outcome);
    }
    mw_close(context);
    return NULL;
}

static void test_threads(struct tap *tap)
{
    struct worker workers[] = {
        {"cpu:2", 0},
        {"sim",   0},
        {"sim",   0},
        {"cpu:3", 0}
    };
    pthread_t threads[COUNT_OF(workers)];

    for (size_t i = 0; i < COUNT_OF(workers); i++)
        workers[i].failed = pthread_create(&threads[i], NULL, work, &workers[i]) ? 2 : 0;
    for (size_t i = 0; i < COUNT_OF(workers); i++) {
        if (workers[i].failed != 2)
            pthread_join(threads[i], NULL);
        tap_ok(tap, workers[i].failed == 0, "four threads, four handles",
               workers[i].device);
    }
}

int main(void)
{
    static const char *const devices[] = {"cpu:2", "sim", "cuda"};
    struct tap tap = {0, 0};

    test_texts(&tap);
    test_types(&tap);
    test_orders(&tap);
    test_open(&tap);
    test_info(&tap);
    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        mw_context *context;
        const mw_status status = mw_open(&context, devices[i], NULL);

        if (status == MW_OK) {
            test_tuning(&tap, context, devices[i]);
            test_memory(&tap, context, devices[i]);
        } else if (status == MW_NO_DEVICE && strcmp(devices[i], "cuda") == 0) {
            tap_skip(&tap, "cuda: tuning, memory", "no CUDA device");
        } else {
            tap_ok(&tap, 0, devices[i], mw_error(context));
        }
        mw_close(context);
    }
    test_threads(&tap);
    return tap_end(&tap);
}
