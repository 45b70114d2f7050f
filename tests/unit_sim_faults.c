/*
 * unit_sim_faults.c - every rule a kernel can break is caught, in words that
 * name the place, and the simulator serves on afterwards.
 */
#define _DEFAULT_SOURCE

#include "sim_kernels/bench.h"
#include "tap.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct simt_kernel simt_strided_shared_32;

enum { ODD_COUNT = 101 }; /* words of the input */

struct fault_case {
    const struct simt_kernel *kernel;
    uint64_t blocks;
    uint32_t threads;
    uint32_t shared_bytes;
    int block;         /* where the fault is ... */
    int thread;        /* ... or one of these: */
    const char *error; /* part of what is said */
};

enum { NO_LINE = -1, ANY_THREAD = -2 };

/* clang-format off */
static const struct fault_case cases[] = {
    {&simt_shared_past_end_32, 1, 32, 128, 0, 31,
     "out of bounds: writes 4 bytes at shared offset 128 of 128 bytes"},
    {&simt_shared_past_end_32, 1, 32, 0, 0, 0,
     "out of bounds: writes 4 bytes at shared offset 4 of 0 bytes"},
    {&simt_shared_before_start_32, 1, 32, 128, 0, 0,
     "out of bounds: writes 4 bytes at shared offset -4 of 128 bytes"},
    {&simt_global_past_end_32, 1, 32, 0, 0, 0,
     "out of bounds: reads 4 bytes at global offset 404 of an allocation of 404 "
     "bytes"},
    {&simt_global_straddle_32, 1, 32, 0, 0, 0,
     "out of bounds: reads 8 bytes at global offset 400 of an allocation of 404 "
     "bytes"},
    {&simt_global_nowhere_32, 1, 32, 0, 0, 0,
     "out of bounds: writes 4 bytes at address 0x"},
    {&simt_misaligned_32, 1, 32, 0, 0, 0,
     "misaligned: reads 4 bytes at global offset 2 of an allocation of 404 bytes"},
    {&simt_unwritten_32, 1, 64, 512, 0, 63,
     "uninitialised: reads 4 bytes at shared offset 256 of 512 bytes, which the "
     "block has not written"},
    {&simt_unwritten_half_32, 1, 32, 512, 0, 0,
     "uninitialised: reads 8 bytes at shared offset 0"},
    {&simt_stale_block_32, 2, 32, 512, 1, 31,
     "uninitialised: reads 4 bytes at shared offset 124"},
    {&simt_race_write_write_32, 1, 32, 512, 0, 1,
     "race: writes 4 bytes at shared offset 0 of 512 bytes, which thread 0 of "
     "this block wrote at faults.cu:"},
    {&simt_race_read_write_32, 1, 32, 512, 0, 0,
     "race: writes 4 bytes at shared offset 124 of 512 bytes, which thread 31 of "
     "this block read at faults.cu:"},
    {&simt_race_write_read_32, 1, 32, 512, 0, 1,
     "race: reads 4 bytes at shared offset 0 of 512 bytes, which thread 0 of this "
     "block wrote"},
    {&simt_race_many_readers_32, 1, 32, 512, 0, 30,
     "race: writes 4 bytes at shared offset 124 of 512 bytes, which threads of "
     "this block read"},
    {&simt_race_after_shuffle_32, 1, 32, 512, 0, 31,
     "race: reads 4 bytes at shared offset 0 of 512 bytes, which thread 0 of this "
     "block wrote"},
    {&simt_race_between_warps_32, 1, 64, 512, 0, 63,
     "race: reads 4 bytes at shared offset 124 of 512 bytes, which thread 31 of "
     "this block wrote"},
    {&simt_race_bytes_32, 1, 32, 512, 0, 9,
     "race: writes 1 byte at shared offset 3 of 512 bytes, which thread 1 of this "
     "block wrote"},
    {&simt_race_global_32, 1, 64, 0, 0, 32,
     "race: reads 4 bytes at global offset 4 of an allocation of 4096 bytes, "
     "which thread 0 of this block wrote"},
    {&simt_race_blocks_32, 2, 64, 0, 1, 0,
     "race: writes 4 bytes at global offset 4 of an allocation of 4096 bytes, "
     "which thread 0 of another block wrote"},
    {&simt_race_old_reader_32, 2, 64, 0, 1, 0,
     "race: writes 4 bytes at global offset 4 of an allocation of 4096 bytes, "
     "which threads of another block read"},
    {&simt_race_post_load_32, 2, 64, 0, 1, 0,
     "race: reads 8 bytes at global offset 8 of an allocation of 4096 bytes, "
     "which thread 0 of another block wrote at faults.cu:"},
    {&simt_race_load_post_32, 2, 64, 0, 1, 0,
     "race: writes 8 bytes at global offset 8 of an allocation of 4096 bytes, "
     "which thread 0 of another block read at faults.cu:"},
    {&simt_race_peek_store_32, 2, 64, 0, 1, 0,
     "race: writes 8 bytes at global offset 8 of an allocation of 4096 bytes, "
     "which threads of another block read at faults.cu:"},
    {&simt_race_store_peek_32, 2, 64, 0, 1, 0,
     "race: reads 8 bytes at global offset 8 of an allocation of 4096 bytes, "
     "which thread 0 of another block wrote at faults.cu:"},
    {&simt_race_behind_post_32, 2, 64, 0, 1, 0,
     "race: reads 8 bytes at global offset 8 of an allocation of 4096 bytes, "
     "which thread 0 of another block wrote at faults.cu:"},
    {&simt_race_first_post_32, 3, 64, 0, 2, 0,
     "race: reads 8 bytes at global offset 8 of an allocation of 4096 bytes, "
     "which threads of another block wrote at faults.cu:"},
    {&simt_race_half_post_32, 2, 64, 0, 1, 0,
     "race: reads 4 bytes at global offset 12 of an allocation of 4096 bytes, "
     "which thread 0 of another block wrote at faults.cu:"},
    {&simt_race_warps_post_32, 1, 64, 0, 0, 32,
     "race: reads 8 bytes at global offset 8 of an allocation of 4096 bytes, "
     "which thread 0 of this block wrote at faults.cu:"},
    {&simt_post_straddle_32, 1, 32, 0, 0, 0,
     "out of bounds: writes 8 bytes at global offset 400 of an allocation of 404 "
     "bytes"},
    {&simt_peek_straddle_32, 1, 32, 0, 0, 0,
     "out of bounds: reads 8 bytes at global offset 400 of an allocation of 404 "
     "bytes"},
    {&simt_peek_misaligned_32, 1, 32, 0, 0, 0,
     "misaligned: reads 8 bytes at global offset 4 of an allocation of 404 bytes"},
    {&simt_post_shared_32, 1, 32, 512, 0, 0,
     "not global: writes 8 bytes at shared offset 0 of 512 bytes"},
    {&simt_lanes_apart_32, 1, 32, 0, 0, 7,
     "divergence: ballots, but another lane of the warp waits at a warp barrier "
     "at faults.cu:"},
    {&simt_lane_ended_32, 1, 32, 0, 0, 7,
     "divergence: waits at a warp barrier, but another lane of the warp has ended"},
    {&simt_lane_ends_early_32, 1, 32, 0, 0, NO_LINE,
     "divergence: has ended, but another lane of the warp waits at a warp barrier "
     "at faults.cu:"},
    {&simt_barrier_apart_32, 1, 32, 0, 0, 7,
     "divergence: waits at a barrier, but another lane of the warp waits at a "
     "barrier at faults.cu:"},
    {&simt_warp_ended_32, 1, 64, 0, 0, 63,
     "divergence: waits at a barrier, but another warp of the block has ended"},
    {&simt_warps_apart_32, 1, 64, 0, 0, 63,
     "divergence: waits at a barrier, but another warp of the block waits at a "
     "barrier at faults.cu:"},
    {&simt_missing_lane_32, 1, 40, 0, 0, 32,
     "divergence: shuffles with lane 31, which is not there"},
    {&simt_endless_loads_32, 1, 32, 0, 0, 0,
     "no end: 5000 accesses since the lanes of its warp last met"},
    {&simt_endless_meetings_32, 1, 32, 0, 0, ANY_THREAD,
     "no end: 3000 meetings of lanes without a single write"},
};

/* Launches that cannot be: no kernel runs. */
static const struct fault_case bad_launches[] = {
    {&simt_reduce_32, 0, 32, 0, 0, 0,
     "reduce: launched with 0 blocks"},
    {&simt_reduce_32, UINT64_C(1) << 31, 32, 0, 0, 0,
     "reduce: launched with 2147483648 blocks"},
    {&simt_reduce_32, 1, 0, 0, 0, 0,
     "reduce: launched with 0 threads a block, may have 1 to 1024"},
    {&simt_reduce_32, 1, 1025, 0, 0, 0,
     "reduce: launched with 1025 threads a block"},
    {&simt_strided_shared_32, 1, 64, 0, 0, 0,
     "strided_shared: launched with 64 threads a block, may have 1 to 32"},
    {&simt_reduce_32, 1, 32, 227 * 1024 + 1, 0, 0,
     "reduce: launched with 232449 bytes of shared memory, may have 232448"},
};
/* clang-format on */

/* Is the device in order? A correct kernel says so. */
static int still_works(struct bench *bench)
{
    unsigned *const out = bench_alloc(bench, 64 * sizeof *out);
    const struct test_args args = {.out = out};
    int right = bench_run(bench, &simt_shuffle_all_32, 1, 64, 0, &args) == MW_OK;

    for (int i = 0; i < 64; i++)
        right &= out[i] == 1;
    bench->device->verbs->free(bench->device, out);
    return right;
}

/* The words must begin with the place; `line` was left there by the kernel. */
static int names_place(const char *error, const struct fault_case *c, int line)
{
    char place[128];

    if (c->thread == NO_LINE)
        snprintf(place, sizeof place, "%s, block %d, thread ", c->kernel->name, c->block);
    else if (c->thread == ANY_THREAD)
        snprintf(place, sizeof place, "%s at faults.cu:%d, block %d, thread ",
                 c->kernel->name, line, c->block);
    else
        snprintf(place, sizeof place,
                 "%s at faults.cu:%d, block %d, thread %d: ", c->kernel->name, line,
                 c->block, c->thread);
    return strncmp(error, place, strlen(place)) == 0;
}

static void test_faults(struct tap *tap, struct bench *bench)
{
    const struct device_verbs *const verbs = bench->device->verbs;
    const uint64_t in_bytes = ODD_COUNT * sizeof(unsigned);

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct fault_case *const c = &cases[i];
        void *const in = bench_alloc(bench, in_bytes);
        int *const out = bench_alloc(bench, 4096);
        const struct test_args args = {.in = in, .out = out, .count = ODD_COUNT};
        mw_status status;

        memset(in, 0, in_bytes);
        out[0] = 0;
        bench->error.text[0] = 0;
        status = bench_run(bench, c->kernel, c->blocks, c->threads, c->shared_bytes, &args);
        tap_note("%s", bench->error.text);
        tap_ok(tap,
               status == MW_KERNEL_FAULT && strstr(bench->error.text, c->error) &&
                   names_place(bench->error.text, c, out[0]),
               c->kernel->name, "caught in the right words");
        verbs->free(bench->device, out);
        verbs->free(bench->device, in);
        tap_ok(tap, still_works(bench), c->kernel->name, "the simulator serves on");
    }
}

static void test_bad_launches(struct tap *tap, struct bench *bench)
{
    const struct test_args args = {0};
    const struct machine_launch short_args = {&simt_reduce_32, 1, 32, 128, &args, 8};

    for (size_t i = 0; i < COUNT_OF(bad_launches); i++) {
        const struct fault_case *const c = &bad_launches[i];
        const mw_status status =
            bench_run(bench, c->kernel, c->blocks, c->threads, c->shared_bytes, &args);

        tap_ok(tap, status == MW_KERNEL_FAULT && strstr(bench->error.text, c->error),
               "a launch that cannot be", c->error);
    }
    tap_ok(tap, sim_launch_function(bench->device, &short_args) == MW_KERNEL_FAULT,
           "a launch that cannot be", bench->error.text);
    tap_ok(tap, still_works(bench), "bad launches", "the simulator serves on");
}

/* A fault in the last of 1,024 threads leaves 1,023 fibres in mid-air. */
static void test_large_block(struct tap *tap, struct bench *bench)
{
    int *const out = bench_alloc(bench, 8192);
    const struct test_args args = {.out = out};
    int right = 1;

    for (int i = 0; i < 20; i++) {
        right &= bench_run(bench, &simt_shared_past_end_32, 1, 1024, 4096, &args) ==
                 MW_KERNEL_FAULT;
        right &= strstr(bench->error.text, "block 0, thread 1023: ") != NULL;
    }
    tap_ok(tap, right && still_works(bench), "faults among 1,024 threads, again and again",
           "");
    bench->device->verbs->free(bench->device, out);
}

/* A stack that overflows must end the process, not overwrite its neighbour. */
static void test_stacks(struct tap *tap, struct bench *bench)
{
    static const struct rlimit no_core = {0, 0};
    unsigned *const out = bench_alloc(bench, 64 * sizeof *out);
    const struct test_args shallow = {.out = out, .count = 30};
    const struct test_args deep = {.out = out, .count = 300};
    int how = 0;
    pid_t child;

    tap_ok(tap, bench_run(bench, &simt_too_deep_32, 1, 64, 0, &shallow) == MW_OK,
           "30 KiB of stack", "may be used");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &no_core);
        fclose(stderr);
        bench_run(bench, &simt_too_deep_32, 1, 64, 0, &deep);
        _exit(0);
    }
    tap_ok(tap, child > 0 && waitpid(child, &how, 0) == child && how != 0,
           "300 KiB of stack", "end the process");
    bench->device->verbs->free(bench->device, out);
}

int main(void)
{
    struct tap tap = {0, 0};
    struct bench bench;

    if (bench_open(&bench) != MW_OK) {
        tap_ok(&tap, 0, "the simulator opens", bench.error.text);
        return tap_end(&tap);
    }
    sim_machine(bench.device)->limits.accesses = 5000;
    sim_machine(bench.device)->limits.meetings = 3000;
    test_faults(&tap, &bench);
    test_bad_launches(&tap, &bench);
    test_large_block(&tap, &bench);
    test_stacks(&tap, &bench);
    bench_close(&bench);
    return tap_end(&tap);
}
