/*
 * clocks.cuh - the GPU's clocks in words.
 */
#ifndef MW_BENCH_RIVALS_CLOCKS_CUH
#define MW_BENCH_RIVALS_CLOCKS_CUH

#include "inside.cuh"

/* Write them to `text`; 0, or -1 after rival_fail. */
int clocks_describe(int device, char *text, size_t bytes);

#endif
