#define _POSIX_C_SOURCE 200809L /* pthread */

#include "fake_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OBJECTS = 256 };

/* Whatever must be given back, and how large it is. */
struct object {
    enum kind kind;
    void *at;
    size_t bytes;
};

/* A copy not made until its stream is waited for. */
struct delayed {
    struct delayed *next;
    void *stream;
    void *to;
    const void *from;
    void *owned; /* the bytes, if the call took its own copy of them */
    size_t bytes;
};

struct fake_state fake;
_Thread_local struct fake_stack fake_stack;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object objects[MOST_OBJECTS];
static struct delayed *delayed;
static char failed[64];
static int calls, fail_at, fail_code, sticky;

static int setting(const char *name, int otherwise)
{
    const char *const text = getenv(name);

    return text ? atoi(text) : otherwise;
}

EXPORT void fake_restart(void)
{
    calls = 0;
    failed[0] = '\0';
    fail_at = setting("FAKE_CUDA_FAIL", 0);
    fail_code = setting("FAKE_CUDA_ERROR", UNKNOWN);
    sticky = setting("FAKE_CUDA_STICKY", 0);
    fake.devices = setting("FAKE_CUDA_DEVICES", 2);
}

EXPORT int fake_calls(void)
{
    return calls;
}

EXPORT int fake_depth(void)
{
    return fake_stack.depth;
}

EXPORT const char *fake_failed(void)
{
    return failed;
}

EXPORT const struct fake_launch *fake_launched(void)
{
    return &fake.launched;
}

EXPORT int fake_live(void)
{
    int count = fake.primary[0].retained + fake.primary[1].retained;

    for (int i = 0; i < MOST_OBJECTS; i++)
        count += objects[i].kind != NOTHING;
    return count;
}

static CUresult count_call(const char *name, int may_stick)
{
    CUresult code = CUDA_SUCCESS;

    pthread_mutex_lock(&lock);
    if (++calls == fail_at || (may_stick && sticky && fail_at && calls > fail_at))
        code = fail_code;
    if (calls == fail_at)
        snprintf(failed, sizeof failed, "%s", name);
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
    const int depth = fake_stack.depth;
    const CUcontext current = depth > 0 ? fake_stack.contexts[depth - 1] : NULL;
    const int ours = current == &fake.primary[0] || current == &fake.primary[1];

    if (code != CUDA_SUCCESS)
        return code;
    return ours && current->retained ? CUDA_SUCCESS : INVALID_CONTEXT;
}

void *object_add(enum kind kind, size_t bytes)
{
    void *const at = malloc(bytes ? bytes : 1);

    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_OBJECTS; i++) {
        if (objects[i].kind == NOTHING) {
            objects[i] = (struct object){kind, at, bytes};
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return at;
}

int object_holds(enum kind kind, const void *at, size_t bytes)
{
    int found = 0;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_OBJECTS; i++) {
        const char *const first = objects[i].at;

        found |= objects[i].kind == kind && (const char *)at >= first &&
                 (const char *)at + bytes <= first + objects[i].bytes;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

CUresult object_remove(enum kind kind, void *at)
{
    CUresult code = INVALID_HANDLE;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_OBJECTS; i++) {
        if (objects[i].kind == kind && objects[i].at == at) {
            objects[i].kind = NOTHING;
            free(at);
            code = CUDA_SUCCESS;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

void object_clear(void)
{
    flush(NULL, 1);
    for (int i = 0; i < MOST_OBJECTS; i++) {
        if (objects[i].kind != NOTHING)
            object_remove(objects[i].kind, objects[i].at);
    }
}

void delay(void *stream, void *to, const void *from, void *owned, size_t bytes)
{
    struct delayed *const copy = malloc(sizeof *copy);

    *copy = (struct delayed){NULL, stream, to, from, owned, bytes};
    pthread_mutex_lock(&lock);

    struct delayed **link = &delayed;

    while (*link)
        link = &(*link)->next;
    *link = copy;
    pthread_mutex_unlock(&lock);
}

void flush(const void *stream, int all)
{
    pthread_mutex_lock(&lock);
    for (struct delayed **link = &delayed; *link;) {
        struct delayed *const copy = *link;

        if (all || copy->stream == stream) {
            memcpy(copy->to, copy->from, copy->bytes);
            *link = copy->next;
            free(copy->owned);
            free(copy);
        } else {
            link = &copy->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

CUresult either(CUresult first, CUresult second)
{
    return first != CUDA_SUCCESS ? first : second;
}
