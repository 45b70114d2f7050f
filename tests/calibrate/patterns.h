/*
 * patterns.h - the micro-kernels' cases: which lanes of a warp touch which cells.
 */
#ifndef MW_CALIBRATE_PATTERNS_H
#define MW_CALIBRATE_PATTERNS_H

#include "micro.h"

enum { PATTERN_LANES = 32, PATTERN_MOST_CELLS = 1056, PATTERN_TURNS = 16 };

enum micro_kernel { SHARED_LOAD, SHARED_STORE, GLOBAL_LOAD, GLOBAL_STORE, MICRO_KERNELS };

/* One launch: a kernel, the bytes of a cell, and a place for each lane. */
struct micro_case {
    enum micro_kernel kernel;
    int bytes;
    int warps; /* of its one block, each with cells of its own */
    char name[48];
    int places[PATTERN_LANES]; /* below PATTERN_MOST_CELLS, or MICRO_NOBODY */
};

/* Fill in case number `number`, from 0; returns 0 after the last. */
int micro_case(int number, struct micro_case *c);

const char *micro_kernel_name(enum micro_kernel kernel);

#endif
