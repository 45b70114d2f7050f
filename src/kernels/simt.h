/*
 * simt.h - the dialect every kernel is written in.
 *
 * Under nvcc and NVRTC each word below is a plain access or a CUDA intrinsic; under a
 * C compiler it calls the simulator, which runs every thread as a fibre and keeps a
 * ledger of each warp's memory accesses. Kernels include no other header; program.cu
 * puts their texts together.
 *
 * On a GPU a text of the user's may precede program.cu. Its names cannot collide with
 * ours: it comes before our macros, and the rest of ours is in namespace mw_kernels. So
 * names here are plain words. The simulator does not compile the user's text, so C needs
 * no namespace.
 *
 *   KERNEL(name, args_t)      define a kernel; its one argument is `args`, and its
 *                             blocks have at most name_threads threads (launch.h),
 *                             and name_blocks of them should fit on an SM
 *   ENTRY(name, args_t)       make it one that can be launched (program.cu)
 *   DEVICE                    in front of every helper
 *   APART                     the same, for a helper that is not inlined on a GPU
 *   SHARED(type, name)        `name` points at the block's shared memory
 *   THREAD BLOCK LANE         index in the block, in the grid, in the warp
 *   THREADS BLOCKS            threads of the block, blocks of the grid
 *   CELL(name, type)          `name` is a `type` in memory, accessed by words only
 *   LOAD(p) STORE(p, v)       one access to a cell, shared or global
 *
 * The other accesses first name their kind, a value of mw_access without its prefix, for
 * instance BULK. The ledger counts kinds apart; a GPU ignores them.
 *
 *   LOAD_AS(kind, p)          LOAD and ...
 *   STORE_AS(kind, p, v)      ... STORE of that kind
 *   LOAD_EVICT(kind, p)       the same, with an evict-first hint: for keys that the launch
 *   STORE_EVICT(kind, p, v)   does not touch again
 *   LOAD_KEPT(kind, p)        LOAD_AS that stays even if its value is not used
 *   COPY(kind, to, from)      copy a cell from global to shared memory, perhaps later: ...
 *   COPIES_WAIT()             ... wait for all of my copies
 *   POST(kind, p, v)          STORE_AS and LOAD_AS of a wide cell of global memory that
 *   PEEK(kind, p)             blocks of one launch share: relaxed atomics
 *   POST_BITS(kind, p, bits)  set bits of such a cell, atomically
 *
 *   ADD(kind, p, v)           add v to an unsigned cell of shared or global memory, or to a
 *                             wide cell of global memory, where it is relaxed as POST is;
 *                             its value before
 *   RAISE(kind, p, v)         make such a wide cell at least v
 *   FENCE()                   my accesses before it come before those after it, to all
 *                             blocks of the launch
 *
 *   PAUSE()                   wait a moment before the next PEEK
 *   BARRIER()                 all threads of the block; orders all memory
 *   WARP_BARRIER()            all 32 lanes of the warp; orders their memory
 *   SHUFFLE(v, lane)          `v` of that lane; all 32 lanes take part
 *   SHUFFLE_XOR(v, mask)      `v` of lane LANE ^ mask
 *   BALLOT(p)                 a mask of the lanes where p is true
 *   SUM(v) GREATEST(v)        sum and maximum of the unsigned `v` of all 32 lanes
 *   LOWEST_BIT(m)             the number of the lowest bit set in an unsigned ...
 *   HIGHEST_BIT(m)            ... and of the highest; m is not 0
 *   BITS(m)                   how many bits are set
 *   SHARED_ADDRESS(p)         the address of shared cell p as an int, in bytes
 *   SHARED_CELL(type, a)      the pointer to the shared cell at address a
 *   ALIGNED(bytes)            in front of a struct's first member: its alignment
 *   AGREE(condition)          static assertion
 *   QUOTIENT(a, b)            of two floats, approximate
 *   OPAQUE(p)                 global pointer p, computed once and kept in a register
 *   HELD(a)                   the same of an int, such as a shared address
 *   UNROLL                    in front of a loop whose bounds are constants ...
 *   NO_UNROLL                 ... and of a loop that should not be unrolled
 *
 * Lanes of one warp may diverge between two of the warp-wide words, but all 32
 * must meet at each of them. Shuffles and ballots do not order memory.
 */
#ifndef MW_SIMT_H
#define MW_SIMT_H

#include "launch.h"

#ifdef __CUDACC__ /* nvcc and NVRTC */

#define DEVICE static __device__ __forceinline__
#define APART static __device__ __noinline__
#define KERNEL(name, args_t) DEVICE void name##_body(const args_t &args)
#define ENTRY(name, args_t)                                                     \
    extern "C" __global__ void __launch_bounds__(name##_threads, name##_blocks) \
        name(const SIMT_CONSTANT args_t args)                                   \
    {                                                                           \
        simt_follow();                                                          \
        name##_body(args);                                                      \
    }
#if defined(TILE_PLACES) || defined(TILE_LISTS) || defined(ROWS_PROGRAM)
/* Helpers get the address of an argument: do not copy it for them. */
#define SIMT_CONSTANT __grid_constant__
#else
#define SIMT_CONSTANT
#endif
#define NO_ENTRY
#define ENTRIES_BEGIN
#define ENTRIES_END
#define SHARED(type, name)                                              \
    extern __shared__ __align__(16) unsigned char simt_shared_memory[]; \
    type *const name = (type *)simt_shared_memory
#define THREAD ((int)threadIdx.x)
#define BLOCK ((int)blockIdx.x)
#define LANE ((int)(threadIdx.x % WARP))
#define THREADS ((int)blockDim.x)
#define BLOCKS ((int)gridDim.x)
#define CELL(name, type) typedef type name
#define LOAD(p) (*(p))
#define STORE(p, v) ((void)(*(p) = (v)))
#define LOAD_AS(kind, p) LOAD(p)
#define STORE_AS(kind, p, v) STORE(p, v)
#define LOAD_EVICT(kind, p) __ldcs(p)
#define STORE_EVICT(kind, p, v) __stcs((p), (v))
#define LOAD_KEPT(kind, p) simt_load_kept(p)
#define COPY(kind, to, from) simt_copy((to), (from))
#define COPIES_WAIT() simt_copies_wait()
#define POST(kind, p, v) simt_post((p), (v))
#define PEEK(kind, p) simt_peek(p)
#define ADD(kind, p, v) atomicAdd((p), (v))
#define RAISE(kind, p, v) ((void)atomicMax((p), (v)))
#define FENCE() __threadfence()
#define POST_BITS(kind, p, bits) ((void)atomicOr((p), (bits)))
#define PAUSE() __nanosleep(100)
#define BARRIER() __syncthreads()
#define WARP_BARRIER() __syncwarp()
#define SHUFFLE(v, lane) __shfl_sync(0xffffffffu, (v), (lane))
#define SHUFFLE_XOR(v, mask) __shfl_xor_sync(0xffffffffu, (v), (mask))
#define BALLOT(p) __ballot_sync(0xffffffffu, (p))
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800 /* has no warp reductions */
static __device__ __forceinline__ unsigned simt_sum(unsigned v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, step);
    return v;
}
static __device__ __forceinline__ unsigned simt_greatest(unsigned v)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        v = max(v, __shfl_xor_sync(0xffffffffu, v, step));
    return v;
}
#define SUM(v) simt_sum(v)
#define GREATEST(v) simt_greatest(v)
#else
#define SUM(v) __reduce_add_sync(0xffffffffu, (v))
#define GREATEST(v) __reduce_max_sync(0xffffffffu, (v))
#endif
#define LOWEST_BIT(m) (__ffs((int)(m)) - 1)
#define HIGHEST_BIT(m) (31 - __clz((int)(m)))
#define BITS(m) __popc(m)
#define SHARED_ADDRESS(p) ((int)__cvta_generic_to_shared(p))
#define SHARED_CELL(type, a) ((type *)__cvta_shared_to_generic((unsigned)(a)))
#define ALIGNED(bytes) alignas(bytes)
#define AGREE(condition) static_assert(condition, #condition)
#define QUOTIENT(a, b) __fdividef((a), (b))
#define OPAQUE(p) simt_opaque(p)
#define HELD(a) simt_held(a)
#define UNROLL _Pragma("unroll")
#define NO_UNROLL _Pragma("unroll 1")

/*
 * Programmatic dependent launch (struct launch): allow the next launch to begin as soon
 * as all our blocks have begun, and wait until the previous launch has ended.
 */
DEVICE void simt_follow()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The empty asm hides the value from the compiler, which would recompute it otherwise. */
template <typename pointer> DEVICE pointer simt_opaque(pointer p)
{
    size_t address = __cvta_generic_to_global(p);

    asm("" : "+l"(address));
    return (pointer)__cvta_global_to_generic(address);
}

DEVICE int simt_held(int a)
{
    asm("" : "+r"(a));
    return a;
}

/* No compiler removes a volatile access. */
template <typename cell> DEVICE cell simt_load_kept(const cell *p)
{
    return *(const volatile cell *)p;
}

/* Cells of 4 and 8 bytes go by no register, from sm_80 on. */
template <typename cell> DEVICE void simt_copy(cell *to, const cell *from)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if (sizeof(cell) >= 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(SHARED_ADDRESS(to)),
                     "l"(__cvta_generic_to_global(from)),
                     "n"(sizeof(cell) < 4 ? 4 : sizeof(cell)));
        return;
    }
#endif
    *to = *from;
}

DEVICE void simt_copies_wait()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/* Through L2: L1 is not coherent across SMs. */
DEVICE void simt_post(unsigned long long *p, unsigned long long v)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(p)),
                 "l"(v));
}

DEVICE unsigned long long simt_peek(const unsigned long long *p)
{
    unsigned long long v;

    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(v)
                 : "l"(__cvta_generic_to_global(p)));
    return v;
}

#else /* the simulator */

#include "simt_sim.h"

#endif
#endif
