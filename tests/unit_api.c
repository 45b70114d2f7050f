/*
 * unit_api.c - the handle and what surrounds it: versions, names, opening,
 * tuning, figures, two handles at once. Wrong arguments: unit_arguments.c.
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

/* A handle that failed to open can tell why, and refuses all else. */
static int useless(mw_context *context)
{
    const mw_tuning tuning = MW_TUNING_INIT;
    const mw_ledger_line *lines;
    mw_counts counts = MW_COUNTS_INIT;
    mw_info info = MW_INFO_INIT;
    mw_tuning got = MW_TUNING_INIT;
    uint64_t key = 1;
    uint64_t bytes;
    size_t count;
    void *memory = &key;

    return mw_sort(context, MW_U64, MW_ASCENDING, &key, 1) == MW_BAD_ARGUMENT &&
           kit_sort_workspace(context, MW_U64, 1, &bytes) == MW_BAD_ARGUMENT &&
           kit_sort_device(context, MW_U64, MW_ASCENDING, &key, 1, NULL, 0, NULL) ==
               MW_BAD_ARGUMENT &&
           mw_alloc(context, 1, &memory) == MW_BAD_ARGUMENT &&
           mw_upload(context, &key, &key, 1) == MW_BAD_ARGUMENT &&
           mw_download(context, &key, &key, 1) == MW_BAD_ARGUMENT &&
           mw_wait(context) == MW_BAD_ARGUMENT &&
           mw_set_tuning(context, &tuning) == MW_BAD_ARGUMENT &&
           kit_get_tuning(context, MW_U64, 1, &got) == MW_BAD_ARGUMENT &&
           mw_get_counts(context, &counts) == MW_BAD_ARGUMENT &&
           mw_get_ledger(context, &lines, &count) == MW_BAD_ARGUMENT &&
           mw_get_info(context, &info) == MW_BAD_ARGUMENT &&
           (!context || *mw_error(context) != '\0');
}

static void test_open(struct tap *tap)
{
    static const struct {
        const char *device;
        mw_status status;
    } rows[] = {
        {NULL,                          MW_BAD_ARGUMENT},
        {"",                            MW_BAD_ARGUMENT},
        {"gpu",                         MW_BAD_ARGUMENT},
        {"CPU",                         MW_BAD_ARGUMENT},
        {" cpu",                        MW_BAD_ARGUMENT},
        {"cpus",                        MW_BAD_ARGUMENT},
        {"cpu:",                        MW_BAD_ARGUMENT},
        {"cpu:0",                       MW_BAD_ARGUMENT},
        {"cpu:-1",                      MW_BAD_ARGUMENT},
        {"cpu:+1",                      MW_BAD_ARGUMENT},
        {"cpu: 1",                      MW_BAD_ARGUMENT},
        {"cpu:2x",                      MW_BAD_ARGUMENT},
        {"cpu:99999999999999999999999", MW_BAD_ARGUMENT},
        {"sim:1",                       MW_BAD_ARGUMENT},
        {"auto:1",                      MW_BAD_ARGUMENT},
        {"cuda:",                       MW_BAD_ARGUMENT},
        {"cuda:x",                      MW_BAD_ARGUMENT},
        {"cuda:-1",                     MW_BAD_ARGUMENT},
        {"cuda:999999",                 MW_NO_DEVICE   },
    };
    mw_options options = MW_OPTIONS_INIT;
    mw_context *context;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mw_status status = mw_open(&context, rows[i].device, NULL);
        const int told = context && *mw_error(context) != '\0';

        if (context)
            tap_note("%s", mw_error(context));
        tap_case(tap, status == rows[i].status && told && useless(context),
                 "no device: \"%s\"", rows[i].device ? rows[i].device : "NULL");
        mw_close(context);
    }
    options.size--;
    tap_ok(tap,
           mw_open(&context, "cpu:1", &options) == MW_BAD_ARGUMENT &&
               strstr(mw_error(context), "MW_OPTIONS_INIT"),
           "another version's options", "");
    mw_close(context);
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

static void test_tuning(struct tap *tap, mw_context *context, const char *device)
{
    const int planned = strncmp(device, "cpu", 3) != 0; /* the CPU has no use for one */
    mw_tuning wish = MW_TUNING_INIT;
    mw_tuning got = MW_TUNING_INIT;

    wish.ways = 4;
    wish.warps = 9;
    wish.threads = 64;
    wish.base = 2048;
    tap_ok(tap,
           mw_set_tuning(context, &wish) == MW_OK &&
               kit_get_tuning(context, MW_I32, 5000, &got) == MW_OK && got.ways == 4 &&
               got.warps == 9 && got.threads == 64 && got.base == 2048 &&
               (!planned || (got.engine == MW_ENGINE_HEAP && got.items == 32)),
           device, "tuning set and got");
    wish.ways = 5;
    tap_ok(tap,
           mw_set_tuning(context, &wish) == MW_BAD_ARGUMENT &&
               kit_get_tuning(context, MW_I32, 5000, &got) == MW_OK && got.ways == 4,
           device, "a wrong tuning changes nothing");
    tap_ok(tap,
           mw_set_tuning(context, NULL) == MW_OK &&
               kit_get_tuning(context, MW_I32, 5000, &got) == MW_OK &&
               (!planned || (got.warps != 9 && got.warps && got.ways && got.base &&
                             got.engine == MW_ENGINE_TILE)),
           device, "back to the defaults");
}

static int sums_equal(const mw_traffic *all, const mw_ledger_line *lines, size_t count)
{
    mw_traffic sum = {0};

    for (size_t i = 0; i < count; i++) {
        const mw_traffic *const t = &lines[i].traffic;

        sum.shared_requests += t->shared_requests;
        sum.shared_wavefronts += t->shared_wavefronts;
        sum.shared_ideal += t->shared_ideal;
        sum.global_requests += t->global_requests;
        sum.global_sectors += t->global_sectors;
        sum.global_distinct += t->global_distinct;
        sum.global_ideal += t->global_ideal;
        sum.shuffles += t->shuffles;
        sum.barriers += t->barriers;
        if (t->shared_worst > sum.shared_worst)
            sum.shared_worst = t->shared_worst;
    }
    return memcmp(&sum, all, sizeof sum) == 0;
}

/* By kernel, file, line, access and loads before stores; each with its text, none twice. */
static int ledger_sorted(const mw_ledger_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int order = i == 0 ? -1 : strcmp(lines[i - 1].kernel, lines[i].kernel);

        if (order == 0)
            order = strcmp(lines[i - 1].file, lines[i].file);
        if (order == 0)
            order = lines[i - 1].line - lines[i].line;
        if (order == 0)
            order = (int)lines[i - 1].access - (int)lines[i].access;
        if (order == 0)
            order = lines[i - 1].stores - lines[i].stores;
        if (order >= 0 || lines[i].line < 1 || !lines[i].text || !*lines[i].text ||
            lines[i].text[0] == ' ' || lines[i].launches == 0)
            return 0;
    }
    return 1;
}

static void test_figures(struct tap *tap, mw_context *context, const char *device)
{
    const int counting = strcmp(device, "sim") == 0;
    const int planned = strncmp(device, "cpu", 3) != 0;
    const mw_ledger_line *lines = NULL;
    const mw_ledger_line *again = NULL;
    mw_counts counts = MW_COUNTS_INIT;
    mw_tuning wish = MW_TUNING_INIT;
    static uint32_t keys[5000];
    size_t count = 99;

    tap_ok(tap,
           mw_get_counts(context, &counts) == MW_OK && counts.count == 0 &&
               counts.launches == 0 && counts.bytes_read == 0 &&
               counts.traffic.shared_requests == 0 &&
               mw_get_ledger(context, &lines, &count) == MW_OK && count == 0,
           device, "no figures before the first sort");
    wish.ways = 4;
    wish.base = 1024;
    kit_fill(MW_U32, "random", 1, keys, COUNT_OF(keys));
    tap_ok(tap,
           mw_set_tuning(context, &wish) == MW_OK &&
               mw_sort(context, MW_U32, MW_ASCENDING, keys, COUNT_OF(keys)) == MW_OK &&
               mw_get_counts(context, &counts) == MW_OK && counts.count == COUNT_OF(keys) &&
               counts.size == sizeof counts,
           device, "figures after a sort");
    tap_ok(tap,
           !planned ||
               (counts.rounds == 2 && counts.launches == 5 &&
                counts.bytes_read == 3 * sizeof keys &&
                counts.bytes_written == 3 * sizeof keys && counts.tuning.ways == 4 &&
                counts.warp_shared == 32 * 7 * sizeof keys[0]),
           device, "rounds, launches and bytes by plan");
    wish = (mw_tuning)MW_TUNING_INIT;
    wish.engine = MW_ENGINE_TILE;
    wish.threads = 256;
    tap_ok(tap,
           mw_set_tuning(context, &wish) == MW_OK &&
               mw_sort(context, MW_U32, MW_ASCENDING, keys, COUNT_OF(keys)) == MW_OK &&
               mw_get_counts(context, &counts) == MW_OK &&
               (!planned ||
                (counts.rounds == 0 && counts.launches == 1 &&
                 counts.bytes_read == sizeof keys &&
                 counts.tuning.engine == MW_ENGINE_TILE && counts.tuning.threads == 256)),
           device, "one tile by engine tile");
    tap_ok(tap,
           mw_get_ledger(context, &lines, &count) == MW_OK && (count > 0) == counting &&
               (counts.traffic.shared_requests > 0) == counting &&
               sums_equal(&counts.traffic, lines, count) && ledger_sorted(lines, count),
           device, "the ledger adds up");
    tap_ok(tap,
           mw_get_counts(context, &counts) == MW_OK &&
               mw_get_ledger(context, &again, &count) == MW_OK && again == lines &&
               sums_equal(&counts.traffic, lines, count),
           device, "the ledger stays until the next sort");
    tap_ok(tap,
           mw_sort(context, MW_U32, MW_ASCENDING, NULL, 0) == MW_OK &&
               kit_sort_device(context, MW_U32, MW_ASCENDING, NULL, 0, NULL, 0, NULL) ==
                   MW_OK &&
               mw_get_counts(context, &counts) == MW_OK && counts.count == 0 &&
               counts.launches == 0 && counts.traffic.shared_requests == 0,
           device, "nothing to sort, not even a pointer");
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
    test_open(&tap);
    test_info(&tap);
    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        mw_context *context;
        const mw_status status = mw_open(&context, devices[i], NULL);

        if (status == MW_OK) {
            test_figures(&tap, context, devices[i]);
            test_tuning(&tap, context, devices[i]);
            test_memory(&tap, context, devices[i]);
        } else if (status == MW_NO_DEVICE && strcmp(devices[i], "cuda") == 0) {
            tap_skip(&tap, "cuda: figures, tuning, memory", "no CUDA device");
        } else {
            tap_ok(&tap, 0, devices[i], mw_error(context));
        }
        mw_close(context);
    }
    test_threads(&tap);
    return tap_end(&tap);
}
