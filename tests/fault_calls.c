/*
 * fault_calls.c - the k-th call fails, for every k: of those that the library makes for
 * memory, a thread or a mapping of the host, or of those to a device's verbs. The
 * library's function then returns the status of that call with a message, or, without
 * something of the host, does without; the keys are the same elements, nothing leaks, and
 * the same handle, or a new one if it failed to open, then sorts. Of the calls of mprotect,
 * one for each stack of the simulator, every 19th counts.
 *
 * Linked with --wrap: the library's calls of malloc come to __wrap_malloc here.
 */
#include "backend_device.h"
#include "context.h"
#include "kit.h"

#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The calls so far. Worker threads allocate, too. */
static struct {
    int armed;          /* the library is being called, whose calls of the host may fail */
    atomic_int fail_at; /* this call fails, counted from 1; 0: none */
    atomic_int calls;
    atomic_int live; /* memory, mappings, threads and events not yet freed */
    int guards;      /* calls of mprotect */
    _Atomic(const char *) failed;
    mw_status status;                /* of the call that failed */
    const struct device_verbs *real; /* those that ours call */
} plant;

static int fails(const char *what, mw_status status)
{
    if (atomic_fetch_add(&plant.calls, 1) + 1 != plant.fail_at)
        return 0;
    plant.failed = what;
    plant.status = status;
    errno = ENOMEM;
    return 1;
}

/* ---- Calls of the host -------------------------------------------------------- */

static int host_fails(const char *what)
{
    return plant.armed && fails(what, MW_NO_MEMORY);
}

static void *taken(void *memory)
{
    if (plant.armed && memory && memory != MAP_FAILED)
        atomic_fetch_add(&plant.live, 1);
    return memory;
}

static void given(int something)
{
    if (plant.armed && something)
        atomic_fetch_sub(&plant.live, 1);
}

/* Functions that return memory or `failure`. */
#define WRAP_MEMORY(name, failure, parameters, arguments)                    \
    void *__real_##name parameters;                                          \
    void *__wrap_##name parameters;                                          \
    void *__wrap_##name parameters                                           \
    {                                                                        \
        return host_fails(#name) ? failure : taken(__real_##name arguments); \
    }

WRAP_MEMORY(malloc, NULL, (size_t bytes), (bytes))
WRAP_MEMORY(calloc, NULL, (size_t count, size_t bytes), (count, bytes))
WRAP_MEMORY(aligned_alloc, NULL, (size_t alignment, size_t bytes), (alignment, bytes))
WRAP_MEMORY(mmap, MAP_FAILED,
            (void *at, size_t bytes, int how, int flags, int file, off_t from),
            (at, bytes, how, flags, file, from))

#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, realloc, void *memory, size_t bytes)
{
    void *const more = host_fails("realloc") ? NULL : __real_realloc(memory, bytes);

    return memory ? more : taken(more);
}

WRAP(void, free, void *memory)
{
    given(memory != NULL);
    __real_free(memory);
}

WRAP(int, munmap, void *memory, size_t bytes)
{
    given(1);
    return __real_munmap(memory, bytes);
}

WRAP(int, mprotect, void *memory, size_t bytes, int protection)
{
    if (plant.armed && plant.guards++ % 19 == 0 && host_fails("mprotect"))
        return -1;
    return __real_mprotect(memory, bytes, protection);
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
     void *(*start)(void *), void *argument)
{
    const int error = host_fails("pthread_create")
                          ? EAGAIN
                          : __real_pthread_create(thread, attributes, start, argument);

    taken(error ? NULL : thread);
    return error;
}

WRAP(int, pthread_join, pthread_t thread, void **result)
{
    given(1);
    return __real_pthread_join(thread, result);
}

/* ---- Verbs of a device ---------------------------------------------------------- */

static int verb_fails(struct device *device, const char *verb, mw_status status)
{
    return fails(verb, status) && fail(device->error, status, "planted: %s fails", verb);
}

/* clang-format off */

/* THE list of verbs that can fail: name, status, does it open something?, parameters. */
#define DEVICE struct device *device
#define COPY DEVICE, void *to, const void *from, uint64_t bytes, void *stream
#define LOAD DEVICE, const struct program_name *name, uint32_t set, struct program **program
#define PLANTS(P)                                                                        \
    P(alloc, MW_NO_MEMORY, 1, (DEVICE, uint64_t bytes, void **at), (device, bytes, at))  \
    P(upload, MW_DEVICE_FAILED, 0, (COPY), (device, to, from, bytes, stream))            \
    P(download, MW_DEVICE_FAILED, 0, (COPY), (device, to, from, bytes, stream))          \
    P(load, MW_COMPILE_FAILED, 0, (LOAD), (device, name, set, program))                  \
    P(launch, MW_DEVICE_FAILED, 0, (DEVICE, const struct launch *what), (device, what))  \
    P(wait, MW_DEVICE_FAILED, 0, (DEVICE, void *stream), (device, stream))               \
    P(wait_all, MW_DEVICE_FAILED, 0, (DEVICE), (device))                                 \
    P(event_open, MW_NO_MEMORY, 1, (DEVICE, void **event), (device, event))              \
    P(elapsed, MW_DEVICE_FAILED, 0, (DEVICE, void *first, void *last, double *time),     \
      (device, first, last, time))                                                       \
    P(record, MW_DEVICE_FAILED, 0, (DEVICE, void *event, void *stream),                  \
      (device, event, stream))

#define PLANT(verb, failure, opens, parameters, arguments)                               \
    static mw_status plant_##verb parameters                                             \
    {                                                                                    \
        const int fails = verb_fails(device, #verb, failure);                            \
        const mw_status status = fails ? failure : plant.real->verb arguments;           \
        plant.live += opens && status == MW_OK;                                          \
        return status;                                                                   \
    }
PLANTS(PLANT)

#define PLANT_CLOSE(verb)                                                                \
    static void plant_##verb(DEVICE, void *opened)                                       \
    {                                                                                    \
        plant.live -= opened != NULL;                                                    \
        plant.real->verb(device, opened);                                                \
    }
PLANT_CLOSE(free)
PLANT_CLOSE(event_close)

/* clang-format on */

static void plant_verbs(struct device *device, struct device_verbs *verbs)
{
    plant.real = device->verbs;
    *verbs = *device->verbs;
#define SET(verb, failure, opens, parameters, arguments) verbs->verb = plant_##verb;
    PLANTS(SET)
    verbs->free = plant_free;
    verbs->event_close = plant_event_close;
    device->verbs = verbs;
}

/* ---- The sorts during which they fail ------------------------------------------- */

/* A sort that takes two passes or more. */
static const struct scenario {
    const char *device; /* whose calls of the host fail; NULL: verbs of "sim" and "cuda" */
    mw_engine engine;
    mw_type type;
    uint64_t count;
    int enqueued; /* in device memory */
    int warm;     /* after a smaller sort, so that memory must grow */
    int timed;
    int least; /* it takes at least this number of calls, or nothing is tested */
} scenarios[] = {
    {"cpu:3", MW_ENGINE_AUTO, MW_U8,  300001, 0, 0, 1, 5 },
    {"cpu:3", MW_ENGINE_AUTO, MW_U32, 900001, 0, 0, 1, 5 },
    {"cpu:1", MW_ENGINE_AUTO, MW_F64, 500001, 0, 0, 1, 3 },
    {"cpu:2", MW_ENGINE_AUTO, MW_I32, 500001, 0, 1, 1, 1 },
    {"sim",   MW_ENGINE_HEAP, MW_F64, 2100,   0, 0, 1, 10},
    {"sim",   MW_ENGINE_TILE, MW_I16, 17000,  0, 0, 1, 10},
    {"sim",   MW_ENGINE_PAIR, MW_I32, 9000,   0, 0, 1, 10},
    {"auto",  MW_ENGINE_AUTO, MW_I64, 5000,   0, 0, 1, 3 },
    {NULL,    MW_ENGINE_HEAP, MW_U8,  5000,   0, 0, 0, 10},
    {NULL,    MW_ENGINE_TILE, MW_I32, 17000,  0, 1, 0, 8 },
    {NULL,    MW_ENGINE_PAIR, MW_F64, 9000,   0, 0, 0, 10},
    {NULL,    MW_ENGINE_TILE, MW_F64, 9000,   1, 0, 0, 10},
    {NULL,    MW_ENGINE_HEAP, MW_U8,  5000,   1, 0, 1, 18},
    {NULL,    MW_ENGINE_TILE, MW_I32, 17000,  1, 0, 1, 11},
    {NULL,    MW_ENGINE_PAIR, MW_I32, 17000,  1, 1, 1, 15},
};

/* A run of a scenario: its keys, and how it ended. */
struct run {
    const struct scenario *scenario;
    const char *device;
    void *keys;
    struct kit_fingerprint before;
    struct device_verbs verbs;
    mw_context *context;
    mw_status open_status;
    mw_status status; /* of the call that failed, else MW_OK */
};

static void open_handle(struct run *run)
{
    const struct scenario *const s = run->scenario;
    mw_tuning tuning = MW_TUNING_INIT;
    mw_status status;

    tuning.engine = s->engine;
    tuning.ways = s->engine == MW_ENGINE_HEAP ? 4 : 2;
    tuning.base = s->engine == MW_ENGINE_HEAP ? 1024 : 0;
    plant.armed = s->device != NULL;
    TRY(mw_open(&run->context, run->device, NULL));
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

/* Fill the keys, sort `count` of them and ask for the figures. */
static void sort(struct run *run, uint64_t count)
{
    const struct scenario *const s = run->scenario;
    mw_counts counts = MW_COUNTS_INIT;
    const mw_launch *launches;
    size_t figures;
    mw_status status;

    kit_fill(s->type, "random", 5, run->keys, s->count);
    run->before = (struct kit_fingerprint){0, 0};
    kit_fingerprint_add(&run->before, s->type, run->keys, s->count);
    plant.armed = s->device != NULL;
    TRY(run->open_status);
    TRY(s->enqueued ? sort_there(run->context, s->type, run->keys, count)
                    : mw_sort(run->context, s->type, MW_ASCENDING, run->keys, count));
    TRY(mw_get_counts(run->context, &counts));
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

/* The same elements as before, and in order if the sort succeeded? */
static int right_keys(const struct run *run)
{
    const struct scenario *const s = run->scenario;
    struct kit_fingerprint after = {0, 0};

    kit_fingerprint_add(&after, s->type, run->keys, s->count);
    return kit_fingerprint_equal(run->before, after) &&
           (run->status != MW_OK ||
            kit_first_disorder(s->type, MW_ASCENDING, run->keys, s->count) == s->count);
}

/* What is wrong after the fault, and with the next sort, or NULL. */
static const char *judge(struct run *run)
{
    const int of_verb = run->scenario->device == NULL;
    const char *const message = mw_error(run->context);

    if (run->status != MW_OK && !plant.failed)
        return "it fails by itself";
    if (plant.failed && run->status != plant.status && (of_verb || run->status != MW_OK))
        return "another status than the call's";
    if (run->status != MW_OK && !(of_verb ? strstr(message, "planted") != NULL : *message))
        return "not the call's message";
    if (!right_keys(run))
        return "wrong keys";
    if (run->open_status != MW_OK) {
        close_handle(run);
        open_handle(run);
    }
    sort(run, run->scenario->count);
    return run->status != MW_OK || !right_keys(run) ? "it does not sort any more" : NULL;
}

/* Fail at call k. Returns whether it was reached. */
static int run_fault(struct tap *tap, struct run *run, int k)
{
    const struct scenario *const s = run->scenario;
    const char *wrong;

    plant.calls = plant.live = plant.guards = 0;
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

    run.keys = malloc(scenario->count * mw_type_size(scenario->type));
    for (int k = 1; run_fault(tap, &run, k); k++)
        ;
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
