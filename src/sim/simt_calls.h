/*
 * simt_calls.h - what a compiled kernel and the simulator say to each other.
 *
 * Kernels do not call these functions themselves: the words of simt_sim.h do.
 */
#ifndef MW_SIMT_CALLS_H
#define MW_SIMT_CALLS_H

#include <stddef.h>
#include <stdint.h>

#include "multiway_insight.h"

enum simt_word {
    SIMT_LOAD,
    SIMT_STORE,
    SIMT_SHUFFLE,
    SIMT_BALLOT,
    SIMT_WARP_BARRIER,
    SIMT_BARRIER,
    SIMT_EXIT
};

/* One word in one place of the source. Never written, so all machines may share it. */
struct simt_site {
    const char *file;
    int line;
    unsigned char word;   /* enum simt_word */
    unsigned char bytes;  /* of the cell */
    unsigned char access; /* mw_access; PLAIN if the word touches no memory */
    unsigned char open;   /* 1: other blocks may access the cell at the same time */
};

/* A kernel as the simulator starts it: each fibre calls `run` with the arguments. */
struct simt_kernel {
    const char *name;
    void (*run)(const void *args);
    size_t args_bytes;
    uint32_t threads; /* the most a block may have */
};

/* Where a thread is: what THREAD, LANE, BLOCK, ... read. */
struct simt_place {
    int thread;
    int lane;
    int block;
    int threads;
    int blocks;
    void *shared;
};

/*
 * The thread that is running on this host thread. The initial-exec model makes
 * this one instruction instead of a call, and every kernel reads it all the time.
 */
#if defined(__GLIBC__)
#define SIMT_TLS __attribute__((visibility("hidden"), tls_model("initial-exec")))
#else
#define SIMT_TLS __attribute__((visibility("hidden")))
#endif
extern _Thread_local struct simt_place *simt_here SIMT_TLS;

/* Log and check one access; returns `cell`, which may then be followed. */
void *simt_touch(const struct simt_site *site, const void *cell);

/* Meet the warp, and take what `lane` brought. */
uint64_t simt_shuffle(const struct simt_site *site, uint64_t bits, int lane);

/* Meet the warp, and take the sum, or the greatest, of what all lanes brought. */
unsigned simt_sum(const struct simt_site *site, unsigned mine);
unsigned simt_greatest(const struct simt_site *site, unsigned mine);

unsigned simt_ballot(const struct simt_site *site, int yes);

/* Meet the warp, or at SIMT_BARRIER and SIMT_EXIT the whole block. */
void simt_meet(const struct simt_site *site);

#endif
