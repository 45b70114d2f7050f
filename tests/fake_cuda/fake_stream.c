/*
 * fake_stream.c - the fake driver's copies, streams and events.
 */
#define _POSIX_C_SOURCE 200809L /* pthread */

#include "fake_state.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const float tick = 0.25F; /* milliseconds a launch takes */

struct CUstream_st {
    int unused;
};

struct CUevent_st {
    const void *stream; /* where it was recorded, ... */
    long place;         /* ... before this place of the queues; 0: never */
    int time;           /* launches before it */
    int waited_for;
};

/* Delayed copies of all streams, by place, which is a number that grows. */
static struct work {
    struct work *next;
    const void *stream;
    long place;
    void *to;
    const void *from;
    size_t bytes;
} * queue;
static long places = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Make the copies of a stream before `place`. */
static void run(const void *stream, long place)
{
    struct work **link = &queue;

    pthread_mutex_lock(&lock);
    while (*link && (*link)->place < place) {
        struct work *const work = *link;

        if (work->stream == stream) {
            memcpy(work->to, work->from, work->bytes);
            *link = work->next;
            free(work);
        } else {
            link = &work->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

void run_all(void)
{
    while (queue)
        run(queue->stream, LONG_MAX);
}

EXPORT CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr pointer)
{
    BEGIN(attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE &&
          object_holds(PINNED, (const void *)(uintptr_t)pointer, 1));
    *(int *)value = CU_MEMORYTYPE_HOST;
    return CUDA_SUCCESS;
}

/* Copies of page-locked memory are delayed, those of pageable memory made at once. */
static void copy(void *to, const void *from, const void *host, size_t bytes,
                 CUstream stream)
{
    struct work *const last = malloc(sizeof *last);
    struct work **link = &queue;

    pthread_mutex_lock(&lock);
    *last = (struct work){NULL, stream, places++, to, from, bytes};
    while (*link)
        link = &(*link)->next;
    *link = last;
    pthread_mutex_unlock(&lock);
    if (!object_holds(PINNED, host, bytes))
        run(stream, LONG_MAX);
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                     CUstream stream)
{
    void *const memory = (void *)(uintptr_t)to;

    BEGIN(object_holds(MEMORY, memory, bytes) && is_stream(stream));
    copy(memory, from, from, bytes, stream);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                     CUstream stream)
{
    const void *const memory = (const void *)(uintptr_t)from;

    BEGIN(object_holds(MEMORY, memory, bytes) && is_stream(stream));
    copy(to, memory, to, bytes, stream);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    BEGIN(flags == CU_STREAM_NON_BLOCKING);
    *stream = object_add(STREAM, sizeof **stream);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    run(stream, LONG_MAX);
    return object_remove(begin_inside(__func__), STREAM, stream);
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    run(stream, LONG_MAX);
    BEGIN(is_stream(stream));
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxSynchronize(void)
{
    run_all();
    BEGIN(1);
    return CUDA_SUCCESS;
}

static int is_event(CUevent event)
{
    return object_holds(EVENT, event, sizeof *event);
}

EXPORT CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    BEGIN(flags == CU_EVENT_DEFAULT || flags == CU_EVENT_DISABLE_TIMING);
    *event = object_add(EVENT, sizeof **event);
    return CUDA_SUCCESS;
}

FREES(cuEventDestroy_v2, EVENT, CUevent)

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream)
{
    BEGIN(is_event(event) && is_stream(stream));
    *event = (struct CUevent_st){stream, places, fake.calls.called("cuLaunchKernelEx"), 0};
    return CUDA_SUCCESS;
}

/* A stream may be early: what precedes the event is done before the call returns. */
EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    BEGIN(is_event(event) && is_stream(stream) && !flags);
    run(event->stream, event->place);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventSynchronize(CUevent event)
{
    BEGIN(is_event(event));
    run(event->stream, event->place);
    event->waited_for = 1;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent first, CUevent last)
{
    BEGIN(is_event(first) && is_event(last) && first->place && last->place);
    *milliseconds = tick * (float)(last->time - first->time);
    return last->waited_for ? CUDA_SUCCESS : NOT_READY;
}
