/*
 * program.cu - all kernels for keys of KEY_BITS bits: 8, 16, 32 or 64.
 *
 * The same text goes to nvcc, to NVRTC and, as C, to the simulator.
 */
#include "simt.h"

#include "launch.h"

#include "key.cuh"
#include "pipes.cuh"

#include "network.cuh"

#include "heap_base.cu"
#include "heap_cut.cu"
#include "heap_merge.cu"

#include "tile.cuh"
#include "tile_cut.cu"
#include "tile_merge.cu"
#include "tile_sort.cu"

#include "pair.cuh"
#include "pair_cut.cu"
#include "pair_merge.cu"
#include "pair_sort.cu"
