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
    const struct step *steps; /* of kernel `script` */
};

/*
 * What kernel `script` can do, with cells of 1, 4 or 8 bytes: meet in two different lines,
 * shuffle what lane 31 has, use `offset` KiB of stack, begin again with the first step.
 */
/* clang-format off */
enum op {
    END, LOAD4, LOAD8, STORE1, STORE4, STORE8, POST8, PEEK8, ADD4, ADD8, MEET_WARP,
    MEET_BLOCK, MEET_BLOCK_ELSEWHERE, SHUFFLE31, BALLOT1, DIG, AGAIN
};
/* clang-format on */

enum space { AT_IN, AT_OUT, AT_SHARED, AT_STACK };

enum who {
    EVERYONE,
    FIRST_LANES, /* 7 of each warp, ... */
    OTHER_LANES, /* ... and the rest */
    LAST_LANES,  /* 1 of each warp */
    FIRST_WARP,
    OTHER_WARPS,
    FIRST_BLOCK,
    LAST_BLOCK /* LAST_BLOCK + i: its thread i alone */
};

/*
 * A step of kernel `script`: threads have cells `each` bytes apart, and
 * blocks `across` bytes.
 */
struct step {
    enum op op;
    enum space space;
    int offset;
    int each;
    int who;
    int across;
};

/* Steps of all threads and of some, with memory and without. */
/* clang-format off */
#define SOME(who, op, space, offset, each) {op, AT_##space, offset, each, who, 0}
#define ALL(op, space, offset, each) SOME(EVERYONE, op, space, offset, each)
#define MEET(op) SOME_MEET(EVERYONE, op)
#define SOME_MEET(who, op) SOME(who, op, OUT, 0, 0)
/* clang-format on */

/* Blocks have up to 1024 threads. */
#define SIM_KERNELS(DO) \
    DO(shuffle_all) DO(diverge) DO(reduce) DO(kinds) DO(same_kinds) DO(script)

#define SIM_KERNEL_THREADS(name) name##_threads = 1024,
#define SIM_KERNEL_DECLARE(name) extern const struct simt_kernel simt_##name##_32;

enum { SIM_KERNELS(SIM_KERNEL_THREADS) };
SIM_KERNELS(SIM_KERNEL_DECLARE)

#define RUN(f, kernel, blocks, threads, shared, args) \
    fixture_run(f, &simt_##kernel##_32, blocks, threads, shared, &(args), sizeof(args))

#endif
