/*
 * pair_stable.cu - engine pair's kernels for 8-byte keys whose order is that of
 * their upper halves alone: equal keys can be told apart, and whether they kept
 * their order can be seen.
 */
#define pair_sort pair_stable_sort
#define pair_cut pair_stable_cut
#define pair_merge pair_stable_merge

#include "simt.h"

#include "launch.h"

#define less less_of_all
#include "key.cuh"
#undef less

DEVICE int less(bare a, bare b)
{
    return a >> 32 < b >> 32;
}

#include "item.cuh"
#include "pipes.cuh"

#include "pair.cuh"

#include "pair_cut.cu"
#include "pair_merge.cu"
#include "pair_sort.cu"
