/*
 * fake_state.h - the state of the fake driver: live objects, delayed copies and each
 * thread's stack of contexts.
 */
#ifndef MW_FAKE_STATE_H
#define MW_FAKE_STATE_H

#include "fake_cuda.h"

#include "cuda/driver.h"

/* Errors the library has no name for. */
enum { INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_READY = 600, UNKNOWN = 999 };

struct CUctx_st {
    int retained;
};

enum { MOST_DEVICES = 2, MOST_DEPTH = 8 };

extern struct fake_cuda fake;
extern struct CUctx_st primary[MOST_DEVICES];

/* The calling thread's contexts; the last one is current. */
extern _Thread_local CUcontext stack[MOST_DEPTH];
extern _Thread_local int depth;

/* Count a call. Returns the error it must fail with. */
CUresult begin(const char *name);

/* The same for calls that need a GPU's context to be current. */
CUresult begin_inside(const char *name);

/* Begin a call inside a context; return its error, or INVALID_HANDLE unless `valid`. */
#define BEGIN(valid)                                   \
    do {                                               \
        const CUresult begun = begin_inside(__func__); \
        if (begun != CUDA_SUCCESS || !(valid))         \
            return begun ? begun : INVALID_HANDLE;     \
    } while (0)

/* Live objects, and whether [at, at + bytes) lies inside one. */
enum kind { NOTHING, MEMORY, PINNED, STREAM, MODULE, EVENT };
void *object_add(enum kind kind, size_t bytes); /* all zero, except memory */
int object_holds(enum kind kind, const void *at, size_t bytes);
int is_stream(const void *stream); /* NULL is one */

/* Free an object in a call that began with `code`, whatever that is. */
CUresult object_remove(CUresult code, enum kind kind, const void *at);
void object_clear(void); /* remove all */

/* A function that frees an object and does nothing else. */
#define FREES(function, kind, type)                                 \
    EXPORT CUresult function(type object)                           \
    {                                                               \
        return object_remove(begin_inside(__func__), kind, object); \
    }

/* Make all delayed copies. */
void run_all(void);

#endif
