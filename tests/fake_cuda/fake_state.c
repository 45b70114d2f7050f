/*
 * fake_state.c - counting calls and keeping objects.
 */
#define _POSIX_C_SOURCE 200809L /* pthread */

#include "fake_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OBJECTS = 256, MOST_NAMES = 64 };

struct object {
    enum kind kind;
    char *at;
    size_t bytes;
};

_Thread_local CUcontext stack[MOST_DEPTH];
_Thread_local int depth;
struct CUctx_st primary[MOST_DEVICES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object objects[MOST_OBJECTS];

static struct {
    const char *name;
    int count;
} names[MOST_NAMES];

/* The row of a function; an empty one if it was never called. */
static int row_of(const char *name)
{
    int i = 0;

    while (names[i].name && strcmp(names[i].name, name) != 0)
        i++;
    return i;
}

static int called(const char *name)
{
    return names[row_of(name)].count;
}

static int live(void)
{
    int count = primary[0].retained + primary[1].retained;

    for (int i = 0; i < MOST_OBJECTS; i++)
        count += objects[i].kind != NOTHING;
    return count;
}

static int depth_now(void)
{
    return depth;
}

struct fake_cuda fake = {
    .calls = {.called = called, .live = live},
    .devices = MOST_DEVICES,
    .ptx_version = 90,
    .depth = depth_now
};

EXPORT struct fake_cuda *fake_cuda(void)
{
    return &fake;
}

static CUresult count_call(const char *name, int inside)
{
    struct fake_calls *const calls = &fake.calls;
    CUresult code = CUDA_SUCCESS;

    pthread_mutex_lock(&lock);
    calls->count++;

    const int i = row_of(name);

    names[i].name = name;
    names[i].count++;
    if (calls->count == calls->fail_at)
        snprintf(calls->failed, sizeof calls->failed, "%s", name);
    if (calls->count == calls->fail_at ||
        (inside && calls->sticky && calls->fail_at && calls->count > calls->fail_at))
        code = calls->error ? calls->error : UNKNOWN;
    pthread_mutex_unlock(&lock);
    return code;
}

CUresult begin(const char *name)
{
    return count_call(name, 0);
}

CUresult begin_inside(const char *name)
{
    const CUresult code = count_call(name, 1);
    const CUcontext current = depth > 0 ? stack[depth - 1] : NULL;
    const int ours = current == &primary[0] || current == &primary[1];

    if (code != CUDA_SUCCESS)
        return code;
    return ours && current->retained ? CUDA_SUCCESS : INVALID_CONTEXT;
}

void *object_add(enum kind kind, size_t bytes)
{
    void *const at = aligned_alloc(256, (bytes + 255) / 256 * 256);
    int i = 0;

    if (kind != MEMORY && kind != PINNED)
        memset(at, 0, bytes);
    pthread_mutex_lock(&lock);
    while (objects[i].kind != NOTHING)
        i++;
    objects[i] = (struct object){kind, at, bytes};
    pthread_mutex_unlock(&lock);
    return at;
}

int object_holds(enum kind kind, const void *at, size_t bytes)
{
    const char *const first = at;
    int found = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_OBJECTS; i++)
        found |= objects[i].kind == kind && first >= objects[i].at &&
                 first + bytes <= objects[i].at + objects[i].bytes;
    pthread_mutex_unlock(&lock);
    return found;
}

int is_stream(const void *stream)
{
    return !stream || object_holds(STREAM, stream, 1);
}

CUresult object_remove(CUresult code, enum kind kind, const void *at)
{
    int found = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_OBJECTS; i++) {
        if (objects[i].kind == kind && objects[i].at == at) {
            objects[i].kind = NOTHING;
            free(objects[i].at);
            found = 1;
        }
    }
    pthread_mutex_unlock(&lock);
    return code == CUDA_SUCCESS && !found ? INVALID_HANDLE : code;
}

void object_clear(void)
{
    run_all();
    for (int i = 0; i < MOST_OBJECTS; i++) {
        if (objects[i].kind != NOTHING)
            object_remove(CUDA_SUCCESS, objects[i].kind, objects[i].at);
    }
}
