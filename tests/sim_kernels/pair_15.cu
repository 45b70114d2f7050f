/*
 * pair_15.cu - engine pair's kernels with 512 threads of 15 keys instead of 256 of
 * 17, under names of their own.
 */
#define PAIR_THREADS 512
#define PAIR_NARROW_ITEMS 15
#define pair_sort pair_15_sort
#define pair_cut pair_15_cut
#define pair_merge pair_15_merge

#include "simt.h"

#include "launch.h"

#include "key.cuh"

#include "item.cuh"
#include "pipes.cuh"

#include "pair.cuh"

#include "pair_cut.cu"
#include "pair_merge.cu"
#include "pair_sort.cu"
