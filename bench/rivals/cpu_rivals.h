/*
 * cpu_rivals.h - what a library of the CPU's rivals exports to multiway-cpu-bars.
 *
 * bench/bars_cpu.sh compiles such libraries, each by several compilers.
 */
#ifndef CPU_RIVALS_H
#define CPU_RIVALS_H

#include <stddef.h>
#include <stdint.h>

/* What is sorted, merged or selected: in place but for what is said. */
struct cpu_work {
    void *keys; /* or records */
    void *out;  /* argsort: size_t positions; merge: the result */
    size_t count;
    size_t lists;    /* merge: neighbours of equal length in `keys` */
    size_t selected; /* top: this many at the front of `keys`, in order */
    unsigned threads;
};

/* Tasks have the names of multiway-cpu-bars: "keys-u32", "argsort-u64" ... */
struct cpu_rival {
    const char *name;
    const char *task;
    void (*run)(struct cpu_work *work);
};

#ifdef __cplusplus
extern "C"
#endif
    const struct cpu_rival *
    cpu_rivals(size_t *count);

#endif
