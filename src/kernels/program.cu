/*
 * program.cu - the kernels of one engine for keys of KEY_BITS bits: 8, 16, 32 or
 * 64. With TILE_ROWS defined, and the rest of a tile's geometry (launch.h), it is
 * engine tile's program, with PAIR_PROGRAM engine pair's, with TALLY_PROGRAM engine
 * tally's (8 and 16 bits), otherwise engine heap's.
 * With TILE_PLACES, too, engine tile's items carry their places (item.cuh). With
 * TILE_LARGE, too, it takes 2^32 keys and more (tile_source.cuh). With
 * TILE_LISTS, too, it merges lists that lie anywhere (lists_merge.cu).
 *
 * With ROWS_PROGRAM it has what all engines use to move rows; KEY_BITS is then 0.
 * With LESS_THREADS, and the rest of that geometry, it sorts by a comparison (less.cuh).
 *
 * The same text goes to nvcc, to NVRTC and, as C, to the simulator. All kernels of the
 * program can be launched, or only those that ENTRIES names, if it is defined:
 *   -DENTRIES="ENTRY(heap_cut, struct heap_cut_args)"
 */
#ifdef __CUDACC__
namespace mw_kernels { /* see simt.h */
#endif

#include "simt.h"

#include "launch.h"

#include "lanes.cuh"

#if !defined(ROWS_PROGRAM) && !defined(LESS_THREADS)

#include "key.cuh"

#include "item.cuh"
#include "pipes.cuh"

#include "network.cuh"

#endif

/* What the kernels of each engine share. */
#ifdef ROWS_PROGRAM

#define TEXT_OF_ROWS
#define ENTRY_OF_ROWS(name, args) ENTRY(name, args)

#elif defined LESS_THREADS

#include "less.cuh"

#include "less_tile.cuh"

#define TEXT_OF_LESS
#define ENTRY_OF_LESS(name, args) ENTRY(name, args)

#elif defined TILE_ROWS

#include "tile_code.cuh"

#include "tile.cuh"

#include "tile_source.cuh"

#include "tile_settle.cuh"
#include "tile_value.cuh"

#include "tile_pivot.cuh"
#ifndef TILE_LISTS
#include "tile_samples.cuh"
#endif

#include "tile_block.cuh"
#include "tile_load.cuh"
#ifdef TILE_PLACES
#include "tile_order.cuh"
#include "tile_skew.cuh"
#include "tile_stage.cuh"

#include "tile_carry.cuh"
#endif

#ifdef TILE_LISTS
#define TEXT_OF_LISTS
#define ENTRY_OF_LISTS(name, args) ENTRY(name, args)
#ifndef TILE_PLACES
#define TEXT_OF_BARE
#define ENTRY_OF_BARE(name, args) ENTRY(name, args)
#endif
#else
#define TEXT_OF_TILE
#define ENTRY_OF_TILE(name, args) ENTRY(name, args)
#ifdef TILE_PLACES
#define TEXT_OF_PLACES
#define ENTRY_OF_PLACES(name, args) ENTRY(name, args)
#else
#define TEXT_OF_KEYS
#define ENTRY_OF_KEYS(name, args) ENTRY(name, args)
#if KEY_BITS >= 32 && TILE_ROWS * TILE_ITEMS * KEY_BITS == 262144 /* DEAL_TILE */
#include "deal.cuh"
#include "deal_frequent.cuh"

#define TEXT_OF_DEAL
#define ENTRY_OF_DEAL(name, args) ENTRY(name, args)
#endif
#endif
#endif

#elif defined PAIR_PROGRAM

#include "pair.cuh"

#define TEXT_OF_PAIR
#define ENTRY_OF_PAIR(name, args) ENTRY(name, args)

#elif defined TALLY_PROGRAM

#define TEXT_OF_TALLY
#define ENTRY_OF_TALLY(name, args) ENTRY(name, args)

#else

#define TEXT_OF_HEAP
#define ENTRY_OF_HEAP(name, args) ENTRY(name, args)

#endif

#ifndef ENTRY_OF_TILE
#define ENTRY_OF_TILE(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_LISTS
#define ENTRY_OF_LISTS(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_BARE
#define ENTRY_OF_BARE(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_PLACES
#define ENTRY_OF_PLACES(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_KEYS
#define ENTRY_OF_KEYS(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_DEAL
#define ENTRY_OF_DEAL(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_PAIR
#define ENTRY_OF_PAIR(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_TALLY
#define ENTRY_OF_TALLY(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_ROWS
#define ENTRY_OF_ROWS(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_LESS
#define ENTRY_OF_LESS(name, args) NO_ENTRY
#endif
#ifndef ENTRY_OF_HEAP
#define ENTRY_OF_HEAP(name, args) NO_ENTRY
#endif

/* The files of its kernels. */
#define KERNEL_ROW(id, name, args, program, memory)
#include "kernels.def"
#undef KERNEL_ROW
#undef TEXT_OF_TILE
#undef TEXT_OF_LISTS
#undef TEXT_OF_BARE
#undef TEXT_OF_PLACES
#undef TEXT_OF_KEYS
#undef TEXT_OF_DEAL
#undef TEXT_OF_PAIR
#undef TEXT_OF_TALLY
#undef TEXT_OF_ROWS
#undef TEXT_OF_LESS
#undef TEXT_OF_HEAP

/* Their entries. */
#ifndef ENTRIES
#define KERNEL_ROW(id, name, args, program, memory) ENTRY_OF_##program(name, args)
ENTRIES_BEGIN
#include "kernels.def"
ENTRIES_END
#else
ENTRIES
#endif

#ifdef __CUDACC__
}
#endif
