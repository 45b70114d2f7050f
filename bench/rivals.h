/*
 * rivals.h - the interface of a plugin with other sorts for multiway-bench.
 *
 * The rivals are C++ and need nvcc; multiway-bench is C11 and runs everywhere. So the
 * rivals are in a shared library, which exports one function, multiway_rivals, and is
 * opened at run time. Memory is the device's, everything is enqueued on one stream, and
 * only `stop`, `check` and `open` wait. A call that fails returns -1, and `error` then
 * returns its error message.
 */
#ifndef MW_BENCH_RIVALS_H
#define MW_BENCH_RIVALS_H

#ifdef __cplusplus
extern "C" {
#endif

#include "task.h"

/* Grows with every change of the structs below. */
enum { RIVALS_VERSION = 2 };

/*
 * The order by which keys are sorted and checked: `<`, for which -0 equals +0 and which
 * is no order with NaNs, or the total order of multiway.h. Of integers both are the same.
 */
enum rival_order { ORDER_LESS, ORDER_TOTAL };

/* What is to be sorted, ascending, or done besides sorting. */
struct rival_case {
    mw_type type;
    enum rival_order order;
    uint64_t count;
    const struct kit_work *work; /* NULL: a sort */
};

/* One sort, or another operation. */
struct rival {
    const char *name;
    const char *about; /* one line: the call that is timed, and what is not */

    /* Can it sort this? */
    int (*takes)(const struct rival_case *what);

    /* The bytes of workspace it needs. */
    int (*workspace)(const struct rival_case *what, uint64_t *bytes);

    /*
     * Enqueue the sort of `keys`. `workspace` has at least the bytes asked for and is
     * aligned to 256. Allocates nothing. Sets `*sorted` to where the result will be: at
     * `keys`, or in the workspace.
     */
    int (*sort)(const struct rival_case *what, void *keys, void *workspace, uint64_t bytes,
                void *stream, void **sorted);

    /* Another operation has this instead of `sort`; the result is where `arrays` says. */
    enum kit_operation operation;
    int (*run)(const struct rival_case *what, const struct kit_arrays *arrays,
               void *workspace, uint64_t bytes, void *stream);
};

/* Result of a check. */
struct rival_verdict {
    uint64_t descents;    /* positions whose key is less than its left neighbour */
    uint64_t fingerprint; /* the sum of kit_fingerprint_add, the same in any order */
};

struct rivals {
    int version;       /* RIVALS_VERSION */
    const char *built; /* compiler and libraries: "CUDA 13.0, CCCL 3.0.1" */
    const char *clock; /* the clock of `start` and `stop` */
    const struct rival *list;
    size_t count;

    /* Open the device that mw_info calls `device`, such as "cuda:0", and its stream. */
    int (*open)(const char *device, void **stream);
    void (*close)(void);

    /* The device's clocks and the like, in one line. */
    int (*describe)(char *text, size_t bytes);

    /* Start the clock after what was enqueued; stop it, wait, and read it. */
    int (*start)(void *stream);
    int (*stop)(void *stream, double *milliseconds);

    /* Enqueue a copy from device memory to device memory. */
    int (*copy)(void *to, const void *from, uint64_t bytes, void *stream);

    int (*check)(const struct rival_case *what, const void *keys, void *stream,
                 struct rival_verdict *verdict);

    /* The error message of the last failure. */
    const char *(*error)(void);
};

/* The one symbol of a plugin. */
typedef const struct rivals *multiway_rivals_fn(void);
#define MULTIWAY_RIVALS_SYMBOL "multiway_rivals"

#ifdef __cplusplus
}
#endif
#endif
