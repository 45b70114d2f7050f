/*
 * simt_calls.h - the interface between compiled kernels and the simulator.
 *
 * Kernels do not call these functions themselves; the words of simt_sim.h do.
 */
#ifndef MW_SIMT_CALLS_H
#define MW_SIMT_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "multiway_insight.h"

enum simt_word {
    SIMT_LOAD,
    SIMT_STORE,
    SIMT_ADD,
    SIMT_SHUFFLE,
    SIMT_BALLOT,
    SIMT_WARP_BARRIER,
    SIMT_BARRIER,
    SIMT_EXIT
};

/* One word at one place of the source. Constant, so all machines may share it. */
struct simt_site {
    const char *file;
    int line;
    unsigned char word;   /* enum simt_word */
    unsigned char bytes;  /* of the cell */
    unsigned char access; /* mw_access; PLAIN if the word touches no memory */
    unsigned char open;   /* 1: other blocks may access the cell at the same time */
};

/* A kernel: each fibre calls `run` with the arguments. */
struct simt_kernel {
    const char *name;
    void (*run)(const void *args);
    size_t args_bytes;
    uint32_t threads; /* the most threads of a block */
};

/* The position of a thread, which THREAD, LANE, BLOCK, ... read. */
struct simt_place {
    int thread;
    int lane;
    int block;
    int threads;
    int blocks;
    void *shared;
};

/*
 * The thread that is running on this host thread. With the initial-exec model reading it
 * is one instruction instead of a call, and kernels read it very often.
 */
#if defined(__GLIBC__)
#define SIMT_TLS __attribute__((visibility("hidden"), tls_model("initial-exec")))
#else
#define SIMT_TLS __attribute__((visibility("hidden")))
#endif
extern _Thread_local struct simt_place *simt_here SIMT_TLS;

/* Log and check one access; returns `cell`, which may then be dereferenced. */
void *simt_touch(const struct simt_site *site, const void *cell);

/* Meet the warp; returns the bits of `lane`. */
uint64_t simt_shuffle(const struct simt_site *site, uint64_t bits, int lane);

/* Meet the warp; returns the sum, or the maximum, over all lanes. */
unsigned simt_sum(const struct simt_site *site, unsigned mine);
unsigned simt_greatest(const struct simt_site *site, unsigned mine);

unsigned simt_ballot(const struct simt_site *site, int yes);

/* Meet the warp, or at SIMT_BARRIER and SIMT_EXIT the whole block. */
void simt_meet(const struct simt_site *site);

#endif
