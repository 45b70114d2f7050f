/*
 * fault_plant.c - linked with --wrap: the library's calls of malloc come to __wrap_malloc.
 */
#include "fault_plant.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

struct plant plant;

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
#define WRAP_MEMORY(name, parameters, arguments)                          \
    void *__real_##name parameters;                                       \
    void *__wrap_##name parameters;                                       \
    void *__wrap_##name parameters                                        \
    {                                                                     \
        return host_fails(#name) ? NULL : taken(__real_##name arguments); \
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
    void *const more = host_fails("realloc") ? NULL : __real_realloc(memory, bytes);

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
    void *const memory = host_fails("mmap")
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
    return host_fails("mprotect") ? -1 : __real_mprotect(memory, bytes, protection);
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
#define LOAD \
    DEVICE, const struct program_name *name, kernel_set set, struct program **program
#define PLANTS(P)                                                                        \
    P(alloc, MW_NO_MEMORY, 1, (DEVICE, uint64_t bytes, void **at), (device, bytes, at))  \
    P(upload, MW_DEVICE_FAILED, 0, (COPY), (device, to, from, bytes, stream))            \
    P(download, MW_DEVICE_FAILED, 0, (COPY), (device, to, from, bytes, stream))          \
    P(load, MW_COMPILE_FAILED, 0, (LOAD), (device, name, set, program))                  \
    P(launch, MW_DEVICE_FAILED, 0, (DEVICE, const struct launch *what), (device, what))  \
    P(wait, MW_DEVICE_FAILED, 0, (DEVICE, void *stream), (device, stream))               \
    P(wait_all, MW_DEVICE_FAILED, 0, (DEVICE), (device))                                 \
    P(event_open, MW_NO_MEMORY, 1, (DEVICE, void **event), (device, event))              \
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

/* A transfer that fails has still to be finished. */
static mw_status plant_finish(DEVICE, struct transfer *transfer)
{
    const mw_status status = plant.real->finish(device, transfer);

    return verb_fails(device, "finish", MW_DEVICE_FAILED) ? MW_DEVICE_FAILED : status;
}

#define PLANT_CLOSE(verb)                                                                \
    static void plant_##verb(DEVICE, void *opened)                                       \
    {                                                                                    \
        plant.live -= opened != NULL;                                                    \
        plant.real->verb(device, opened);                                                \
    }
PLANT_CLOSE(free)
PLANT_CLOSE(event_close)

/* clang-format on */

void plant_verbs(struct device *device, struct device_verbs *verbs)
{
    plant.real = device->verbs;
    *verbs = *device->verbs;
#define SET(verb, failure, opens, parameters, arguments) verbs->verb = plant_##verb;
    PLANTS(SET)
    verbs->finish = plant_finish;
    verbs->free = plant_free;
    verbs->event_close = plant_event_close;
    device->verbs = verbs;
}
