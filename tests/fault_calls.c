/*
 * fault_calls.c - the k-th call fails, for every k: of those that the library makes for
 * memory, a thread or a mapping of the host, or of those to a device's verbs. The
 * library's function then returns the status of that call with a message, or, without
 * something of the host, does without; the keys are the same elements, nothing leaks, and
 * the same handle, or a new one if it failed to open, then sorts. Of many calls of one
 * kind mprotect in a row, for stacks of the simulator, every 19th fails.
 */
#include "backend_device.h"
#include "context.h"
#include "fault_plant.h"
#include "kit.h"

#include "tap.h"

#include <stdlib.h>

/* A sort that takes two passes or more. */
static const struct scenario {
    const char *device; /* whose calls of the host fail; NULL: verbs of "sim" and "cuda" */
    mw_engine engine;
    mw_type type;
    uint64_t count;
    int enqueued; /* in device memory */
    int warm;     /* after a smaller sort, so that memory must grow */
    int timed;
    int least;            /* it takes at least this number of calls, or nothing is tested */
    uint32_t value_bytes; /* of the values that go with the keys; 0: none */
    int segmented;        /* all rows are a segment */
    uint64_t chunk;       /* bytes: host memory is sorted in such chunks; 0: as a whole */
    uint64_t memory;      /* bytes that the handle may take; 0: any */
} scenarios[] = {
    {"cpu:3", MW_ENGINE_AUTO,  MW_U8,  300001, 0, 0, 1, 5,  0,  0, 0,    0    },
    {"cpu:3", MW_ENGINE_AUTO,  MW_U32, 900001, 0, 0, 1, 5,  0,  0, 0,    0    },
    {"cpu:1", MW_ENGINE_AUTO,  MW_F64, 500001, 0, 0, 1, 3,  0,  0, 0,    0    },
    {"cpu:2", MW_ENGINE_AUTO,  MW_I32, 500001, 0, 1, 1, 1,  0,  0, 0,    0    },
    {"sim",   MW_ENGINE_HEAP,  MW_F64, 2100,   0, 0, 1, 10, 0,  0, 0,    0    },
    {"sim",   MW_ENGINE_TILE,  MW_I16, 17000,  0, 0, 1, 10, 0,  0, 0,    0    },
    {"sim",   MW_ENGINE_PAIR,  MW_I32, 9000,   0, 0, 1, 10, 0,  0, 0,    0    },
    {"sim",   MW_ENGINE_TALLY, MW_U8,  9000,   0, 0, 1, 8,  0,  0, 0,    0    },
    {"auto",  MW_ENGINE_AUTO,  MW_I64, 5000,   0, 0, 1, 3,  0,  0, 0,    0    },
    {NULL,    MW_ENGINE_HEAP,  MW_U8,  5000,   0, 0, 0, 10, 0,  0, 0,    0    },
    {NULL,    MW_ENGINE_TILE,  MW_I32, 17000,  0, 1, 0, 8,  0,  0, 0,    0    },
    {NULL,    MW_ENGINE_PAIR,  MW_F64, 9000,   0, 0, 0, 10, 0,  0, 0,    0    },
    {NULL,    MW_ENGINE_TILE,  MW_F64, 9000,   1, 0, 0, 10, 0,  0, 0,    0    },
    {NULL,    MW_ENGINE_HEAP,  MW_U8,  5000,   1, 0, 1, 18, 0,  0, 0,    0    },
    {NULL,    MW_ENGINE_TILE,  MW_I32, 17000,  1, 0, 1, 11, 0,  0, 0,    0    },
    {NULL,    MW_ENGINE_PAIR,  MW_I32, 17000,  1, 1, 1, 15, 0,  0, 0,    0    },
    {"cpu:3", MW_ENGINE_AUTO,  MW_U32, 200001, 0, 0, 1, 3,  4,  0, 0,    0    },
    {"cpu:2", MW_ENGINE_AUTO,  MW_F64, 50001,  0, 1, 0, 1,  40, 0, 0,    0    },
    {"sim",   MW_ENGINE_AUTO,  MW_U32, 5000,   0, 0, 1, 10, 4,  0, 0,    0    },
    {"sim",   MW_ENGINE_TILE,  MW_I64, 3000,   0, 0, 0, 10, 40, 0, 0,    0    },
    {NULL,    MW_ENGINE_AUTO,  MW_I64, 5000,   0, 1, 0, 8,  8,  0, 0,    0    },
    {NULL,    MW_ENGINE_AUTO,  MW_U32, 5000,   0, 0, 1, 10, 40, 0, 0,    0    },
    {"cpu:3", MW_ENGINE_AUTO,  MW_U32, 90001,  0, 0, 0, 3,  0,  1, 0,    0    },
    {"sim",   MW_ENGINE_AUTO,  MW_U32, 3000,   0, 0, 0, 10, 4,  1, 0,    0    },
    {"sim",   MW_ENGINE_AUTO,  MW_U32, 3000,   0, 0, 0, 10, 0,  1, 0,    0    },
    {NULL,    MW_ENGINE_AUTO,  MW_I64, 3000,   0, 1, 0, 5,  8,  1, 0,    0    },
    {NULL,    MW_ENGINE_AUTO,  MW_U32, 3000,   0, 0, 0, 5,  0,  1, 0,    0    },
    {"cpu:2", MW_ENGINE_AUTO,  MW_I64, 50001,  0, 1, 0, 1,  8,  1, 0,    0    },
    {"sim",   MW_ENGINE_AUTO,  MW_U32, 3000,   0, 0, 0, 10, 4,  0, 2048, 40000},
    {NULL,    MW_ENGINE_AUTO,  MW_I64, 3000,   0, 0, 0, 30, 0,  0, 1,    0    },
    {NULL,    MW_ENGINE_AUTO,  MW_U32, 3000,   0, 0, 0, 30, 4,  0, 1,    0    },
    {NULL,    MW_ENGINE_AUTO,  MW_U32, 3000,   0, 0, 0, 30, 4,  0, 2048, 40000},
};

/* A run of a scenario: its keys, and how it ended. */
struct run {
    const struct scenario *scenario;
    const char *device;
    void *keys;
    char *values;    /* each begins with the number of its row */
    char *keys_then; /* as they were */
    struct kit_fingerprint before;
    struct device_verbs verbs;
    mw_context *context;
    mw_status open_status;
    mw_status status; /* of the call that failed, else MW_OK */
};

static void open_handle(struct run *run)
{
    const struct scenario *const s = run->scenario;
    mw_options options = MW_OPTIONS_INIT;
    mw_tuning tuning = MW_TUNING_INIT;
    mw_status status;

    options.memory_bytes = s->memory;
    tuning.engine = s->engine;
    tuning.ways = s->engine == MW_ENGINE_HEAP ? 4 : 2;
    tuning.base = s->engine == MW_ENGINE_HEAP ? 1024 : 0;
    plant.armed = s->device != NULL;
    TRY(mw_open(&run->context, run->device, &options));
    if (s->chunk) {
        struct device_backend *const backend =
            (struct device_backend *)run->context->backend;

        backend->chunked_from = 1;
        backend->chunk_bytes = s->chunk;
    }
    mw_set_tuning(run->context, &tuning);
    mw_set_timing(run->context, s->timed ? MW_TIMING_LAUNCHES : MW_TIMING_OFF);
    if (!s->device)
        plant_verbs(backend_device(run->context->backend), &run->verbs);
done:
    plant.armed = 0;
    run->open_status = status;
}

static mw_status sort_there(mw_context *context, mw_type type, void *keys, uint64_t count)
{
    const uint64_t bytes = count * mw_type_size(type);
    void *workspace = NULL;
    void *there = NULL;
    uint64_t wanted;
    mw_status status;

    TRY(kit_sort_workspace(context, type, count, &wanted));
    TRY(mw_alloc(context, bytes, &there));
    TRY(mw_alloc(context, wanted, &workspace));
    TRY(mw_upload(context, there, keys, bytes));
    TRY(kit_sort_device(context, type, MW_ASCENDING, there, count, workspace, wanted,
                        NULL));
    TRY(mw_wait(context));
    TRY(mw_download(context, keys, there, bytes));
done:
    mw_free(context, workspace);
    mw_free(context, there);
    return status;
}

/* Sort `count` rows that are one of three segments; the others are empty. */
static mw_status sort_segment(struct run *run, uint64_t count)
{
    const struct scenario *const s = run->scenario;
    const mw_column column = {run->values, s->value_bytes};
    const mw_table table = {run->keys, count, &column, s->value_bytes != 0};
    const int32_t begins[] = {5, 0, -1};
    const int32_t ends[] = {5, (int32_t)count, 1};
    mw_job job = MW_JOB_INIT;

    job.order = mw_order_of(s->type, MW_ASCENDING);
    job.in = &table;
    job.segment_begins = begins;
    job.segment_ends = ends;
    job.segment_type = MW_I32;
    job.segment_count = 3;
    return mw_run(run->context, &job);
}

/* Fill the keys, sort `count` of them and ask for the figures. */
static void sort(struct run *run, uint64_t count)
{
    const struct scenario *const s = run->scenario;
    const mw_ledger_line *lines;
    const mw_launch *launches;
    size_t figures;
    mw_status status;

    kit_fill(s->type, "few:1000", 5, run->keys, s->count);
    memcpy(run->keys_then, run->keys, s->count * mw_type_size(s->type));
    for (uint32_t i = 0; s->value_bytes && i < s->count; i++)
        memcpy(run->values + (uint64_t)i * s->value_bytes, &i, sizeof i);
    run->before = (struct kit_fingerprint){0, 0};
    kit_fingerprint_add(&run->before, s->type, run->keys, s->count);
    plant.armed = s->device != NULL;
    TRY(run->open_status);
    TRY(s->segmented     ? sort_segment(run, count)
        : s->enqueued    ? sort_there(run->context, s->type, run->keys, count)
        : s->value_bytes ? mw_sort_pairs(run->context, s->type, MW_ASCENDING, run->keys,
                                         run->values, s->value_bytes, count)
                         : mw_sort(run->context, s->type, MW_ASCENDING, run->keys, count));
    TRY(mw_get_ledger(run->context, &lines, &figures));
    TRY(mw_get_launches(run->context, &launches, &figures));
done:
    plant.armed = 0;
    run->status = status;
}

static void close_handle(struct run *run)
{
    plant.armed = run->scenario->device != NULL;
    mw_close(run->context);
    plant.armed = 0;
    run->context = NULL;
}

/*
 * Is each value with its key, and each there once; in order, if the sort succeeded, of
 * equal keys? Not after a copy of one array that failed after the copy of another.
 */
static int right_values(const struct run *run)
{
    const struct scenario *const s = run->scenario;
    const size_t size = mw_type_size(s->type);
    const char *const key = run->keys;
    int right = 1;

    if (!s->value_bytes || (run->status != MW_OK && strcmp(plant.failed, "download") == 0))
        return 1;
    for (uint64_t i = 0, sum = 0, last = 0; right && i < s->count; i++) {
        uint32_t row = 0;

        memcpy(&row, run->values + i * s->value_bytes, sizeof row);
        sum += row;
        right = row < s->count &&
                memcmp(run->keys_then + row * size, key + i * size, size) == 0 &&
                (i == 0 || run->status != MW_OK || row > last ||
                 memcmp(key + i * size, key + (i - 1) * size, size) != 0) &&
                (i + 1 < s->count || sum == s->count * (s->count - 1) / 2);
        last = row;
    }
    return right;
}

/* The same elements as before, and in order if the sort succeeded? */
static int right_keys(const struct run *run)
{
    const struct scenario *const s = run->scenario;
    struct kit_fingerprint after = {0, 0};

    kit_fingerprint_add(&after, s->type, run->keys, s->count);
    return kit_fingerprint_equal(run->before, after) && right_values(run) &&
           (run->status != MW_OK ||
            kit_first_disorder(s->type, MW_ASCENDING, run->keys, s->count) == s->count);
}

/* What is wrong after the fault, and with the next sort, or NULL. */
static const char *judge(struct run *run)
{
    const struct scenario *const s = run->scenario;
    const int of_verb = s->device == NULL;
    /* A sort in chunks is content with less memory of the device. */
    const int may_go_on =
        !of_verb || (s->chunk && plant.failed && strcmp(plant.failed, "alloc") == 0);
    const char *const message = mw_error(run->context);

    if (run->status != MW_OK && !plant.failed)
        return "it fails by itself";
    if (plant.failed && run->status != plant.status && (!may_go_on || run->status != MW_OK))
        return "another status than the call's";
    if (run->status != MW_OK && !(of_verb ? strstr(message, "planted") != NULL : *message))
        return "not the call's message";
    if (!right_keys(run))
        return "wrong keys";
    if (run->open_status != MW_OK) {
        close_handle(run);
        open_handle(run);
    }
    sort(run, s->count);
    return run->status != MW_OK || !right_keys(run) ? "it does not sort any more" : NULL;
}

/* Fail at call k. Returns whether it was reached. */
static int run_fault(struct tap *tap, struct run *run, int k)
{
    const struct scenario *const s = run->scenario;
    const char *wrong;

    plant.calls = plant.live = 0;
    plant.failed = NULL;
    plant.fail_at = s->warm ? 0 : k;
    open_handle(run);
    if (run->open_status == MW_NO_DEVICE) {
        tap_skip(tap, run->device, "no such device");
        close_handle(run);
        return 0;
    }
    if (s->warm) {
        sort(run, 1000);
        plant.calls = 0;
        plant.fail_at = k;
    }
    sort(run, s->count);
    plant.fail_at = 0;
    wrong = judge(run);
    if (wrong)
        tap_note("%s: %s", wrong, mw_error(run->context));
    close_handle(run);
    tap_case(tap, !wrong && plant.live == 0 && (plant.failed || k > s->least),
             "%s %s %d: call %d, %s", run->device, mw_type_name(s->type),
             (int)(s - scenarios), k, plant.failed ? plant.failed : "is never made");
    return plant.failed != NULL;
}

static void run_faults(struct tap *tap, const struct scenario *scenario, const char *device)
{
    struct run run = {.scenario = scenario, .device = device};
    const char *last = NULL;
    int alike = 0;

    run.keys = malloc(scenario->count * mw_type_size(scenario->type));
    run.keys_then = malloc(scenario->count * mw_type_size(scenario->type));
    run.values = malloc(scenario->count * scenario->value_bytes + 1);
    for (int k = 1, step = 1; run_fault(tap, &run, k); k += step) {
        alike = plant.failed == last ? alike + 1 : 0;
        step = alike > 4 && strcmp(plant.failed, "mprotect") == 0 ? 19 : 1;
        last = plant.failed;
    }
    free(run.values);
    free(run.keys_then);
    free(run.keys);
}

int main(void)
{
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(scenarios); i++) {
        const char *const device = scenarios[i].device;

        run_faults(&tap, &scenarios[i], device ? device : "sim");
        if (!device)
            run_faults(&tap, &scenarios[i], "cuda");
    }
    return tap_end(&tap);
}
