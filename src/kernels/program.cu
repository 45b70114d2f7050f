/*
 * program.cu - the kernels of one engine for keys of KEY_BITS bits: 8, 16, 32 or
 * 64. With TILE_ROWS defined, and the rest of a tile's geometry (launch.h), it is
 * engine tile's program, with PAIR_PROGRAM engine pair's, otherwise engine heap's.
 * With TILE_PLACES, too, engine tile's items carry their places (item.cuh).
 *
 * The same text goes to nvcc, to NVRTC and, as C, to the simulator.
 */
#ifdef __CUDACC__
namespace mw_kernels { /* see simt.h */
#endif

#include "simt.h"

#include "launch.h"

#include "key.cuh"

#include "item.cuh"
#include "pipes.cuh"

#include "network.cuh"

#ifdef TILE_ROWS

#include "tile_code.cuh"

#include "tile.cuh"

#include "tile_settle.cuh"
#include "tile_value.cuh"

#include "tile_pivot.cuh"
#include "tile_load.cuh"

#include "tile_cut.cu"

#include "tile_ahead.cuh"

#include "tile_merge.cu"

#include "tile_join.cu"
#include "tile_sort.cu"

#elif defined PAIR_PROGRAM

#include "pair.cuh"
#include "pair_cut.cu"
#include "pair_merge.cu"
#include "pair_sort.cu"

#else

#include "heap_base.cu"
#include "heap_cut.cu"
#include "heap_merge.cu"

#endif

#ifdef __CUDACC__
}
#endif
