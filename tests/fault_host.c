/*
 * fault_host.c - the k-th call of the library for memory, a thread or a mapping fails, for
 * every k. The library's function then returns MW_NO_MEMORY with a message, or does
 * without; the keys are the same elements, nothing leaks, and the same handle, or a new
 * one if it failed to open, then sorts. Of many calls of one kind in a row, such as those
 * for stacks of the simulator, every 19th fails.
 *
 * Linked with --wrap: the library's calls of malloc come to __wrap_malloc here.
 */
#include "base/base.h"
#include "kit.h"

#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { STEP = 19 };

/* The calls so far. Worker threads allocate, too. */
static struct {
    int armed;          /* the library is being called, not the test's own code */
    atomic_int fail_at; /* this call fails, counted from 1; 0: none */
    atomic_int calls;
    atomic_int live; /* allocations, mappings and threads not yet freed */
    _Atomic(const char *) failed;
} plant;

static int fails(const char *what)
{
    if (!plant.armed || atomic_fetch_add(&plant.calls, 1) + 1 != plant.fail_at)
        return 0;
    plant.failed = what;
    errno = ENOMEM;
    return 1;
}

static void *taken(void *memory)
{
    if (plant.armed && memory)
        atomic_fetch_add(&plant.live, 1);
    return memory;
}

static void given(int something)
{
    if (plant.armed && something)
        atomic_fetch_sub(&plant.live, 1);
}

/* Functions that return memory or NULL. */
#define WRAP_MEMORY(name, parameters, arguments)                     \
    void *__real_##name parameters;                                  \
    void *__wrap_##name parameters;                                  \
    void *__wrap_##name parameters                                   \
    {                                                                \
        return fails(#name) ? NULL : taken(__real_##name arguments); \
    }

WRAP_MEMORY(malloc, (size_t bytes), (bytes))
WRAP_MEMORY(calloc, (size_t count, size_t bytes), (count, bytes))
WRAP_MEMORY(aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes))

#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, realloc, void *memory, size_t bytes)
{
    void *const more = fails("realloc") ? NULL : __real_realloc(memory, bytes);

    return memory ? more : taken(more);
}

WRAP(void, free, void *memory)
{
    given(memory != NULL);
    __real_free(memory);
}

WRAP(void *, mmap, void *at, size_t bytes, int protection, int flags, int file,
     off_t offset)
{
    void *const memory = fails("mmap")
                             ? MAP_FAILED
                             : __real_mmap(at, bytes, protection, flags, file, offset);

    return memory == MAP_FAILED ? memory : taken(memory);
}

WRAP(int, munmap, void *memory, size_t bytes)
{
    given(1);
    return __real_munmap(memory, bytes);
}

WRAP(int, mprotect, void *memory, size_t bytes, int protection)
{
    return fails("mprotect") ? -1 : __real_mprotect(memory, bytes, protection);
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
     void *(*start)(void *), void *argument)
{
    const int error = fails("pthread_create")
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

/* ---- The calls during which they fail --------------------------------------- */

/* A device, and a sort on it that takes two passes or more. */
static const struct scenario {
    const char *device;
    mw_engine engine;
    mw_type type;
    uint64_t count;
    int least_calls; /* it asks the host at least this often, or nothing is tested */
} scenarios[] = {
    {"cpu:3", MW_ENGINE_AUTO, MW_U8,  300001, 5 },
    {"cpu:3", MW_ENGINE_AUTO, MW_U32, 900001, 5 },
    {"cpu:1", MW_ENGINE_AUTO, MW_F64, 500001, 3 },
    {"sim",   MW_ENGINE_HEAP, MW_F64, 2100,   10},
    {"sim",   MW_ENGINE_TILE, MW_I16, 17000,  10},
    {"sim",   MW_ENGINE_PAIR, MW_I32, 9000,   10},
    {"auto",  MW_ENGINE_AUTO, MW_I64, 5000,   3 },
};

/* A run of a scenario: its keys, and how it ended. */
struct run {
    const struct scenario *scenario;
    void *keys;
    struct kit_fingerprint before;
    mw_context *context;
    mw_status open_status;
    mw_status status; /* of the call that failed, else MW_OK */
    int is_sorted;    /* mw_sort succeeded */
};

static void open_handle(struct run *run)
{
    mw_tuning tuning = MW_TUNING_INIT;
    mw_status status;

    tuning.engine = run->scenario->engine;
    tuning.ways = tuning.engine == MW_ENGINE_PAIR ? 2 : 4;
    if (tuning.engine == MW_ENGINE_HEAP)
        tuning.base = 1024;
    plant.armed = 1;
    TRY(mw_open(&run->context, run->scenario->device, NULL));
    mw_set_tuning(run->context, &tuning);
    mw_set_timing(run->context, MW_TIMING_LAUNCHES);
done:
    plant.armed = 0;
    run->open_status = status;
}

/* Fill the keys, sort them and ask for the figures. */
static void sort(struct run *run)
{
    const struct scenario *const s = run->scenario;
    const mw_ledger_line *lines;
    const mw_launch *launches;
    size_t count;
    mw_status status;

    kit_fill(s->type, "random", 5, run->keys, s->count);
    run->before = (struct kit_fingerprint){0, 0};
    kit_fingerprint_add(&run->before, s->type, run->keys, s->count);
    run->is_sorted = 0;
    plant.armed = 1;
    TRY(run->open_status);
    TRY(mw_sort(run->context, s->type, MW_ASCENDING, run->keys, s->count));
    run->is_sorted = 1;
    TRY(mw_get_ledger(run->context, &lines, &count));
    TRY(mw_get_launches(run->context, &launches, &count));
done:
    plant.armed = 0;
    run->status = status;
}

static void close_handle(struct run *run)
{
    plant.armed = 1;
    mw_close(run->context);
    plant.armed = 0;
    run->context = NULL;
}

/* The same elements as before, and in order if mw_sort succeeded? */
static int right_keys(const struct run *run)
{
    const struct scenario *const s = run->scenario;
    struct kit_fingerprint after = {0, 0};

    kit_fingerprint_add(&after, s->type, run->keys, s->count);
    return kit_fingerprint_equal(run->before, after) &&
           (!run->is_sorted ||
            kit_first_disorder(s->type, MW_ASCENDING, run->keys, s->count) == s->count);
}

/* What is wrong after the fault, and with the next sort, or NULL. */
static const char *judge(struct run *run)
{
    if (run->status != MW_OK && run->status != MW_NO_MEMORY)
        return "another status than MW_NO_MEMORY";
    if (run->status != MW_OK && !*mw_error(run->context))
        return "no message";
    if (run->status != MW_OK && !plant.failed)
        return "it fails by itself";
    if (!right_keys(run))
        return "wrong keys";
    if (run->open_status != MW_OK) {
        close_handle(run);
        open_handle(run);
    }
    sort(run);
    return run->status != MW_OK || !right_keys(run) ? "it does not sort any more" : NULL;
}

/* Fail at call k. Returns whether it was reached. */
static int run_fault(struct tap *tap, struct run *run, int k)
{
    const struct scenario *const s = run->scenario;
    const char *wrong;
    int told;

    plant.calls = plant.live = 0;
    plant.failed = NULL;
    plant.fail_at = k;
    open_handle(run);
    sort(run);
    plant.fail_at = 0;
    told = run->status != MW_OK;
    wrong = judge(run);
    if (wrong)
        tap_note("%s: %s", wrong, mw_error(run->context));
    close_handle(run);
    if (plant.live != 0) {
        wrong = "a leak";
        tap_note("%d allocations, mappings or threads are left", plant.live);
    }
    if (plant.failed)
        tap_case(tap, !wrong, "%s %s: call %d, %s, fails: %s", s->device,
                 mw_type_name(s->type), k, plant.failed, told ? "told" : "done without");
    else
        tap_case(tap, !wrong && k > s->least_calls, "%s %s: call %d is never made",
                 s->device, mw_type_name(s->type), k);
    return plant.failed != NULL;
}

int main(void)
{
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(scenarios); i++) {
        struct run run = {.scenario = &scenarios[i]};
        const char *last = NULL;
        int alike = 0;

        run.keys = malloc(scenarios[i].count * mw_type_size(scenarios[i].type));
        for (int k = 1; run_fault(&tap, &run, k); k += alike > 4 ? STEP : 1) {
            alike = plant.failed == last ? alike + 1 : 0;
            last = plant.failed;
        }
        free(run.keys);
    }
    return tap_end(&tap);
}
