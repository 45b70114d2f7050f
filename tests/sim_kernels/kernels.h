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
    int fault; /* of kernel `fault`, one of these: */
};

/* Rules to break, by the function of faults.cu that breaks them. */
/* clang-format off */
enum {
    SHARED_PAST_END, SHARED_BEFORE_START, GLOBAL_PAST_END, GLOBAL_STRADDLE,
    GLOBAL_NOWHERE, MISALIGNED, UNWRITTEN, UNWRITTEN_HALF, STALE_BLOCK, POST_STRADDLE,
    PEEK_STRADDLE, PEEK_MISALIGNED, POST_SHARED, RACE_WRITE_WRITE, RACE_READ_WRITE,
    RACE_WRITE_READ, RACE_MANY_READERS, RACE_AFTER_SHUFFLE, RACE_BETWEEN_WARPS,
    RACE_BYTES, RACE_GLOBAL, RACE_BLOCKS, RACE_OLD_READER, RACE_POST_LOAD,
    RACE_LOAD_POST, RACE_PEEK_STORE, RACE_STORE_PEEK, RACE_AFTER_POST, RACE_FIRST_POST,
    RACE_HALF_POST, RACE_WARPS_POST, LANES_APART, LANE_ENDED, LANE_ENDS_EARLY,
    BARRIER_APART, WARP_ENDED, WARPS_APART, MISSING_LANE, ENDLESS_LOADS,
    ENDLESS_MEETINGS
};
/* clang-format on */

/* Every kernel with the most threads of a block. */
#define SIM_KERNELS(KERNEL)                                                            \
    KERNEL(shuffle_all)                                                                \
    KERNEL(diverge)                                                                    \
    KERNEL(reduce)                                                                     \
    KERNEL(transpose)                                                                  \
    KERNEL(block_order) KERNEL(mixed_sizes) KERNEL(twice) KERNEL(wander) KERNEL(board) \
        KERNEL(kinds) KERNEL(fault) KERNEL(too_deep)

#define SIM_KERNEL_THREADS(name) name##_threads = 1024,

/* strided.cu is compiled once per cell size: 8, 16, 32, 64 and 128 bits. */
enum {
    SIM_KERNELS(SIM_KERNEL_THREADS) strided_shared_threads = 32,
    strided_global_threads = 32
};

#endif
