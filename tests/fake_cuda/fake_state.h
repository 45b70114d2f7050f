/*
 * fake_state.h - what the fake driver keeps: settings, live objects, delayed
 * copies and each thread's stack of contexts.
 */
#ifndef MW_FAKE_STATE_H
#define MW_FAKE_STATE_H

#include "fake_cuda.h"

#include "cuda/driver.h"

#define EXPORT __attribute__((visibility("default")))

/* Errors the library has no name for. */
enum {
    INVALID_VALUE = 1,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_READY = 600,
    UNKNOWN = 999
};

enum kind { NOTHING, MEMORY, PINNED, STREAM, MODULE, EVENT };

struct CUctx_st {
    int retained;
};

enum { MOST_DEVICES = 2, MOST_DEPTH = 8 };

struct fake_state {
    int devices;
    int initialised;
    struct CUctx_st primary[MOST_DEVICES];
    struct fake_launch launched;
    int launches; /* so far: the clock of this driver */
};

extern struct fake_state fake;

/* The calling thread's contexts; the last one is current. */
struct fake_stack {
    CUcontext contexts[MOST_DEPTH];
    int depth;
};

extern _Thread_local struct fake_stack fake_stack;

/* Count a call: the error it must fail with, if it is the one. */
CUresult begin(const char *name);

/* The same for calls that need a GPU's context to be current. */
CUresult begin_inside(const char *name);

/* The first error of the two. */
CUresult either(CUresult first, CUresult second);

/* What must be given back, and whether [at, at + bytes) lies inside such a thing. */
void *object_add(enum kind kind, size_t bytes);
int object_holds(enum kind kind, const void *at, size_t bytes);
CUresult object_remove(enum kind kind, void *at);
void object_clear(void); /* remove them all */

/*
 * Copy when the stream is waited for; `owned`, if not NULL, is freed then.
 * flush makes the delayed copies of one stream, in order, or of all streams.
 */
void delay(void *stream, void *to, const void *from, void *owned, size_t bytes);
void flush(const void *stream, int all);

void fake_restart(void);

#endif
