/*
 * fault_host.c - the k-th thing asked of the host fails, for every k: memory,
 * a thread, a mapping. The call that meets it returns MW_NO_MEMORY with a message
 * (or does without), the keys still hold the same elements, nothing leaks, and
 * the same handle, or a new one if it failed to open, then sorts. Of many calls of
 * one kind in a row, such as those for stacks of the simulator, every 7th fails.
 *
 * Linked with --wrap, so that the library's calls of malloc come to
 * __wrap_malloc here, and so on.
 */
#include "kit.h"

#include "tap.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What the wrappers have seen. Worker threads allocate, too. */
static struct {
    int armed;          /* the library is being called, not the test's own code */
    atomic_int fail_at; /* this call fails, counted from 1; 0: none */
    atomic_int calls;
    atomic_int live; /* allocations, mappings and threads not yet given back */
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

#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, malloc, size_t bytes);
WRAP(void *, calloc, size_t count, size_t bytes);
WRAP(void *, realloc, void *memory, size_t bytes);
WRAP(void *, aligned_alloc, size_t alignment, size_t bytes);
WRAP(int, posix_memalign, void **memory, size_t alignment, size_t bytes);
WRAP(void, free, void *memory);
WRAP(void *, mmap, void *at, size_t bytes, int protection, int flags, int file,
     off_t offset);
WRAP(int, munmap, void *memory, size_t bytes);
WRAP(int, mprotect, void *memory, size_t bytes, int protection);
WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes,
     void *(*start)(void *), void *argument);
WRAP(int, pthread_join, pthread_t thread, void **result);

void *__wrap_malloc(size_t bytes)
{
    return fails("malloc") ? NULL : taken(__real_malloc(bytes));
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails("calloc") ? NULL : taken(__real_calloc(count, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    void *more;

    if (fails("realloc"))
        return NULL;
    more = __real_realloc(memory, bytes);
    return memory ? more : taken(more);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails("aligned_alloc") ? NULL : taken(__real_aligned_alloc(alignment, bytes));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    const int error =
        fails("posix_memalign") ? ENOMEM : __real_posix_memalign(memory, alignment, bytes);

    taken(error ? NULL : *memory);
    return error;
}

void __wrap_free(void *memory)
{
    given(memory != NULL);
    __real_free(memory);
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *const memory = fails("mmap")
                             ? MAP_FAILED
                             : __real_mmap(at, bytes, protection, flags, file, offset);

    return memory == MAP_FAILED ? memory : taken(memory);
}

int __wrap_munmap(void *memory, size_t bytes)
{
    given(1);
    return __real_munmap(memory, bytes);
}

int __wrap_mprotect(void *memory, size_t bytes, int protection)
{
    return fails("mprotect") ? -1 : __real_mprotect(memory, bytes, protection);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    const int error = fails("pthread_create")
                          ? EAGAIN
                          : __real_pthread_create(thread, attributes, start, argument);

    taken(error ? NULL : thread);
    return error;
}

int __wrap_pthread_join(pthread_t thread, void **result)
{
    given(1);
    return __real_pthread_join(thread, result);
}

/* ---- What is done meanwhile ----------------------------------------------- */

/* A device, and a sort on it that takes two passes or more. */
static const struct scenario {
    const char *device;
    mw_engine engine;
    mw_type type;
    uint64_t count;
    int least_calls; /* it asks the host at least this often, or nothing is tested */
} scenarios[] = {
    {"cpu:3", MW_ENGINE_AUTO, MW_U8,  300001, 5 },
    {"cpu:3", MW_ENGINE_AUTO, MW_I16, 300001, 5 },
    {"cpu:3", MW_ENGINE_AUTO, MW_U32, 900001, 5 },
    {"cpu:1", MW_ENGINE_AUTO, MW_F64, 500001, 3 },
    {"sim",   MW_ENGINE_HEAP, MW_U8,  2100,   10},
    {"sim",   MW_ENGINE_HEAP, MW_I32, 5000,   10},
    {"sim",   MW_ENGINE_HEAP, MW_F64, 2100,   10},
    {"sim",   MW_ENGINE_TILE, MW_I16, 17000,  10},
    {"sim",   MW_ENGINE_TILE, MW_U64, 9000,   10},
    {"sim",   MW_ENGINE_PAIR, MW_I32, 9000,   10},
    {"auto",  MW_ENGINE_AUTO, MW_I64, 5000,   3 },
};

/* A run of a scenario: its keys, and how each of the library's calls ended. */
struct run {
    const struct scenario *scenario;
    void *keys;
    struct kit_fingerprint before;
    mw_context *context;
    mw_status open_status;
    mw_status sort_status;
    mw_status figures_status;
};

static void fill(struct run *run)
{
    const struct scenario *const s = run->scenario;

    kit_fill(s->type, "random", 5, run->keys, s->count);
    run->before = (struct kit_fingerprint){0, 0};
    kit_fingerprint_add(&run->before, s->type, run->keys, s->count);
}

static int same_elements(const struct run *run)
{
    struct kit_fingerprint after = {0, 0};

    kit_fingerprint_add(&after, run->scenario->type, run->keys, run->scenario->count);
    return kit_fingerprint_equal(run->before, after);
}

static int sorted(const struct run *run)
{
    return same_elements(run) &&
           kit_first_disorder(run->scenario->type, MW_ASCENDING, run->keys,
                              run->scenario->count) == run->scenario->count;
}

static void open_handle(struct run *run)
{
    mw_tuning tuning = MW_TUNING_INIT;

    tuning.engine = run->scenario->engine;
    tuning.ways = tuning.engine == MW_ENGINE_PAIR ? 2 : 4;
    if (tuning.engine == MW_ENGINE_HEAP)
        tuning.base = 1024;
    plant.armed = 1;
    run->open_status = mw_open(&run->context, run->scenario->device, NULL);
    if (run->open_status == MW_OK)
        mw_set_tuning(run->context, &tuning);
    if (run->open_status == MW_OK)
        mw_set_timing(run->context, 1);
    plant.armed = 0;
}

static void sort(struct run *run)
{
    const mw_ledger_line *lines;
    const mw_launch *launches;
    size_t count;

    plant.armed = 1;
    run->sort_status = mw_sort(run->context, run->scenario->type, MW_ASCENDING, run->keys,
                               run->scenario->count);
    run->figures_status = run->sort_status;
    if (run->sort_status == MW_OK)
        run->figures_status = mw_get_ledger(run->context, &lines, &count);
    if (run->figures_status == MW_OK)
        run->figures_status = mw_get_launches(run->context, &launches, &count);
    plant.armed = 0;
}

static void close_handle(struct run *run)
{
    plant.armed = 1;
    mw_close(run->context);
    plant.armed = 0;
    run->context = NULL;
}

/* What is wrong with how the fault was met, or NULL. */
static const char *judge(const struct run *run)
{
    const mw_status status = run->open_status ? run->open_status : run->figures_status;

    if (status != MW_OK && status != MW_NO_MEMORY)
        return "another status than MW_NO_MEMORY";
    if (status != MW_OK && !*mw_error(run->context))
        return "no message";
    if (status != MW_OK && !plant.failed)
        return "it fails by itself";
    if (!same_elements(run))
        return "other elements than before";
    if (run->open_status == MW_OK && run->sort_status == MW_OK && !sorted(run))
        return "not sorted";
    return NULL;
}

/* The same handle, or a new one if it did not open, with nothing failing. */
static const char *judge_afterwards(struct run *run)
{
    if (run->open_status != MW_OK) {
        close_handle(run);
        open_handle(run);
        if (run->open_status != MW_OK)
            return "a new handle does not open";
    }
    fill(run);
    sort(run);
    if (run->figures_status != MW_OK || !sorted(run))
        return "it does not sort any more";
    return NULL;
}

/* Fail at call k. Returns whether that many were made. */
static int run_fault(struct tap *tap, struct run *run, int k)
{
    const struct scenario *const s = run->scenario;
    const char *wrong;
    int met;

    plant.calls = 0;
    plant.failed = NULL;
    plant.live = 0;
    run->sort_status = run->figures_status = MW_OK;
    fill(run);
    plant.fail_at = k;
    open_handle(run);
    if (run->open_status == MW_OK)
        sort(run);
    plant.fail_at = 0;
    met = run->open_status || run->figures_status;
    wrong = judge(run);
    if (!wrong)
        wrong = judge_afterwards(run);
    if (wrong)
        tap_note("%s: %s", wrong, mw_error(run->context));
    close_handle(run);
    if (plant.live != 0) {
        tap_note("%d things are not freed", plant.live);
        wrong = "a leak";
    }
    if (plant.failed)
        tap_case(tap, !wrong, "%s %s: call %d, %s, fails: %s", s->device,
                 mw_type_name(s->type), k, plant.failed, met ? "told" : "done without");
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
        for (int k = 1; run_fault(&tap, &run, k); k += alike > 8 ? 7 : 1) {
            alike = plant.failed == last ? alike + 1 : 0;
            last = plant.failed;
        }
        free(run.keys);
    }
    return tap_end(&tap);
}
