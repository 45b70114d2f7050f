/*
 * rivals.h - what multiway-bench asks of a plugin that brings other sorts.
 *
 * The rivals are C++ and need nvcc; the program that measures is C11 and runs
 * everywhere. So they live in a shared library, multiway-rivals.so, which
 * exports one function, multiway_rivals, and the program opens it at run time.
 * Memory is the device's, everything is enqueued on one stream, and nothing
 * but `stop`, `check` and `open` waits. A call that fails returns -1, and
 * `error` then says why.
 */
#ifndef MW_BENCH_RIVALS_H
#define MW_BENCH_RIVALS_H

#include "multiway_insight.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with every change of the structs below. */
enum { RIVALS_VERSION = 1 };

/*
 * By which order keys are sorted and judged: by `<`, which knows one zero only
 * and has no place for NaNs, or by the total order of multiway.h. Integers have
 * one order under both names.
 */
enum rival_order { ORDER_LESS, ORDER_TOTAL };

/* What is to be sorted, ascending. */
struct rival_case {
    mw_type type;
    enum rival_order order;
    uint64_t count;
};

/* One sort. */
struct rival {
    const char *name;
    const char *about; /* one line: the call that is timed, and what is not */

    /* Can it sort this? */
    int (*takes)(const struct rival_case *what);

    /* How many bytes of workspace it needs. */
    int (*workspace)(const struct rival_case *what, uint64_t *bytes);

    /*
     * Enqueue the sort of `keys`, by way of `workspace`, which has at least the
     * bytes asked for and is aligned to 256. Allocates nothing. `*sorted` is set
     * to where the result will lie: at `keys`, or somewhere in the workspace.
     */
    int (*sort)(const struct rival_case *what, void *keys, void *workspace, uint64_t bytes,
                void *stream, void **sorted);
};

/* What became of some keys. */
struct rival_verdict {
    uint64_t descents;    /* positions whose key belongs before its left neighbour */
    uint64_t fingerprint; /* the sum of kit_fingerprint_add, wherever keys stand */
};

struct rivals {
    int version;       /* RIVALS_VERSION */
    const char *built; /* by what: "CUDA 13.0, CCCL 3.0.1" */
    const char *clock; /* what `start` and `stop` measure by */
    const struct rival *list;
    size_t count;

    /* Ready the device that mw_info calls `device`, such as "cuda:0"; its stream. */
    int (*open)(const char *device, void **stream);
    void (*close)(void);

    /* The device's clocks and the like, in one line. */
    int (*describe)(char *text, size_t bytes);

    /* Start the stopwatch behind what was enqueued; stop it, wait, and read it. */
    int (*start)(void *stream);
    int (*stop)(void *stream, double *milliseconds);

    /* Enqueue a copy from device memory to device memory. */
    int (*copy)(void *to, const void *from, uint64_t bytes, void *stream);

    int (*check)(const struct rival_case *what, const void *keys, void *stream,
                 struct rival_verdict *verdict);

    /* The last failure in words. */
    const char *(*error)(void);
};

/* The one symbol of a plugin. */
typedef const struct rivals *multiway_rivals_fn(void);
#define MULTIWAY_RIVALS_SYMBOL "multiway_rivals"

#ifdef __cplusplus
}
#endif
#endif
