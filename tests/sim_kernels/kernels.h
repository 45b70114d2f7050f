/*
 * kernels.h - the kernels that test the simulator, and what host and kernels
 * must agree on. Included by both.
 */
#ifndef MW_SIM_KERNELS_H
#define MW_SIM_KERNELS_H

/* All of them take this. Kernels use what they need. */
struct test_args {
    const void *in;
    void *out;
    int count;
    int stride;
    int first;
    int unused;
};

/* strided.cu, compiled once per cell size: 8, 16, 32, 64 and 128 bits. */
enum { strided_shared_threads = 32, strided_global_threads = 32 };

enum {
#define SIM_KERNEL(name) name##_threads = 1024,
#include "kernels.def"
#undef SIM_KERNEL
};

#endif
