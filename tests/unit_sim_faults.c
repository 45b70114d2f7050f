/*
 * unit_sim_faults.c - every rule a kernel can break is caught, with a message that names
 * the place, and the simulator still works afterwards; kernels that are only just correct
 * pass.
 */
#define _DEFAULT_SOURCE

#include "kernel/fixture.h"
#include "sim_kernels/kernels.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { IN_BYTES = 404, OUT_BYTES = 4096 };

/* clang-format off */
static const struct fault_case {
    uint64_t blocks;
    uint32_t threads;
    int thread;           /* where the fault is, in the last block */
    const char *rule;     /* what the message begins with after the place, ... */
    const char *detail;   /* ... and what it has later */
    struct step steps[6]; /* ended by one that is zero; the last of them breaks the rule */
} cases[] = {
    {1, 32, 31, "out of bounds: writes 4", "shared offset 508 of 508",
     {ALL(STORE4, SHARED, 384, 4)}},
    {1, 32, 0, "out of bounds: writes 4", "shared offset -4 of 508",
     {ALL(STORE4, SHARED, -4, 4)}},
    {1, 32, 0, "out of bounds: writes 8", "shared offset 504 of 508",
     {ALL(STORE8, SHARED, 504, 0)}},
    {1, 32, 0, "out of bounds: reads 4", "global offset -4 ", {ALL(LOAD4, OUT, -4, 4)}},
    {1, 32, 0, "out of bounds: reads 4", "global offset 404 ", {ALL(LOAD4, IN, 404, 4)}},
    {1, 32, 0, "out of bounds: reads 8", "global offset 400 ", {ALL(LOAD8, IN, 400, 0)}},
    {1, 32, 0, "out of bounds: writes 4", "address 0x", {ALL(STORE4, STACK, 0, 0)}},
    {1, 32, 0, "misaligned: reads 4", "global offset 2 ", {ALL(LOAD4, IN, 2, 0)}},
    {1, 32, 0, "not global: writes 8", "shared offset 0 ", {ALL(POST8, SHARED, 0, 8)}},
    /* Shared memory that the block has not written: none of it, half, by another block. */
    {1, 64, 63, "uninitialised: reads 4", "shared offset 256 of 508",
     {ALL(STORE4, SHARED, 0, 4), MEET(MEET_BLOCK), ALL(LOAD4, SHARED, 4, 4)}},
    {1, 32, 0, "uninitialised: reads 8", "shared offset 0 ",
     {ALL(STORE4, SHARED, 0, 8), ALL(LOAD8, SHARED, 0, 8)}},
    {2, 32, 31, "uninitialised: reads 4", "shared offset 124",
     {SOME(FIRST_BLOCK, STORE4, SHARED, 0, 4), ALL(LOAD4, SHARED, 0, 4)}},
    /* Races in shared memory. */
    {1, 32, 1, "race: writes 4", "thread 0 of this block wrote",
     {ALL(STORE4, SHARED, 0, 0)}},
    {1, 32, 1, "race: reads 4", "thread 0 of this block wrote",
     {ALL(STORE4, SHARED, 0, 4), ALL(LOAD4, SHARED, 0, 0)}},
    {1, 32, 0, "race: writes 4", "thread 31 of this block read",
     {ALL(STORE4, SHARED, 0, 4), MEET(MEET_WARP), ALL(LOAD4, SHARED, 0, 4),
      SOME(LAST_BLOCK, STORE4, SHARED, 124, 0)}},
    /* By the last of its readers. */
    {1, 32, 30, "race: writes 4", "threads of this block read",
     {ALL(STORE4, SHARED, 0, 4), MEET(MEET_WARP), ALL(LOAD4, SHARED, 124, 0),
      SOME(LAST_BLOCK + 30, STORE4, SHARED, 124, 0)}},
    /* A shuffle orders nothing, a warp barrier one warp. */
    {1, 32, 31, "race: reads 4", "thread 0 of this block",
     {ALL(STORE4, SHARED, 0, 4), MEET(SHUFFLE31), ALL(LOAD4, SHARED, 124, -4)}},
    {1, 64, 63, "race: reads 4", "thread 31 of this block",
     {ALL(STORE4, SHARED, 0, 4), MEET(MEET_WARP),
      SOME(OTHER_WARPS, LOAD4, SHARED, -128, 4)}},
    {1, 32, 9, "race: writes 1", "thread 1 of this block wrote",
     {ALL(STORE1, SHARED, 0, 2), ALL(STORE1, SHARED, 1, 2),
      SOME(LAST_BLOCK + 9, STORE1, SHARED, 3, 0)}},
    /* Races in global memory, in a block and between blocks: a barrier orders one only. */
    {1, 64, 32, "race: reads 4", "thread 0 of this block",
     {ALL(STORE4, OUT, 4, 4), SOME(OTHER_WARPS, LOAD4, OUT, 4, 0)}},
    {2, 64, 0, "race: writes 4", "thread 0 of another block wrote",
     {SOME(FIRST_BLOCK, STORE4, OUT, 4, 4), SOME(LAST_BLOCK, STORE4, OUT, 4, 0)}},
    {2, 64, 0, "race: writes 4", "threads of another block read",
     {ALL(LOAD4, OUT, 4, 0), MEET(MEET_BLOCK), SOME(LAST_BLOCK, STORE4, OUT, 4, 0)}},
    {2, 64, 0, "race: reads 4", "thread 0 of another block wrote",
     {SOME(FIRST_BLOCK, STORE8, OUT, 8, 8), SOME(LAST_BLOCK, LOAD4, OUT, 12, 0)}},
    /* Races of POST and PEEK with plain accesses, to half of a cell, too. */
    {2, 64, 0, "race: reads 8", "thread 0 of another block wrote",
     {SOME(FIRST_BLOCK, POST8, OUT, 8, 8), SOME(LAST_BLOCK, LOAD8, OUT, 8, 0)}},
    {2, 64, 0, "race: reads 4", "global offset 12 ",
     {SOME(FIRST_BLOCK, POST8, OUT, 8, 0), SOME(LAST_BLOCK, LOAD4, OUT, 12, 0)}},
    {2, 64, 0, "race: writes 8", "thread 0 of another block read",
     {SOME(FIRST_BLOCK, LOAD8, OUT, 8, 8), SOME(LAST_BLOCK, POST8, OUT, 8, 0)}},
    {2, 64, 0, "race: writes 8", "threads of another block read",
     {SOME(FIRST_BLOCK, PEEK8, OUT, 8, 0), SOME(LAST_BLOCK, STORE8, OUT, 8, 0)}},
    {2, 64, 0, "race: reads 8", "thread 0 of another block wrote",
     {SOME(FIRST_BLOCK, STORE8, OUT, 8, 8), SOME(FIRST_BLOCK, POST8, OUT, 8, 8),
      SOME(LAST_BLOCK, PEEK8, OUT, 8, 0)}},
    {3, 64, 0, "race: reads 8", "threads of another block wrote",
     {ALL(POST8, OUT, 8, 8), SOME(LAST_BLOCK, LOAD8, OUT, 8, 0)}},
    /* Thread 31 may read, after a warp barrier. */
    {1, 64, 63, "race: reads 8", "thread 0 of this block wrote",
     {SOME(FIRST_WARP, POST8, OUT, 8, 8), MEET(MEET_WARP),
      SOME(LAST_LANES, LOAD8, OUT, 8, 0)}},
    /* Additions race with all else. */
    {1, 32, 0, "not global: adds to 8", "shared offset 0 ", {ALL(ADD8, SHARED, 0, 8)}},
    {1, 32, 0, "uninitialised", "shared offset 0 ", {ALL(ADD4, SHARED, 0, 4)}},
    {1, 32, 1, "race: adds to 4", "thread 0 of this block wrote",
     {SOME(LAST_BLOCK, STORE4, SHARED, 0, 0), SOME(LAST_BLOCK + 1, ADD4, SHARED, 0, 0)}},
    {1, 32, 31, "race: reads 4", "threads of this block added",
     {SOME(LAST_BLOCK, STORE4, SHARED, 0, 0), MEET(MEET_BLOCK), ALL(ADD4, SHARED, 0, 0),
      MEET(SHUFFLE31), SOME(LAST_BLOCK + 31, LOAD4, SHARED, 0, 0)}},
    {1, 32, 31, "race: adds to 4", "threads of this block read",
     {SOME(LAST_BLOCK, STORE4, SHARED, 0, 0), MEET(MEET_BLOCK), ALL(LOAD4, SHARED, 0, 0),
      MEET(SHUFFLE31), SOME(LAST_BLOCK + 31, ADD4, SHARED, 0, 0)}},
    {2, 64, 0, "race: reads 8", "thread 0 of another block wrote",
     {SOME(FIRST_BLOCK, ADD8, OUT, 8, 8), SOME(LAST_BLOCK, LOAD8, OUT, 8, 0)}},
    {2, 64, 0, "race: reads 4", "threads of another block wrote",
     {SOME(FIRST_BLOCK, ADD4, OUT, 8, 4), SOME(LAST_BLOCK, LOAD4, OUT, 8, 0)}},
    {2, 64, 0, "race: adds to 4", "thread 0 of another block wrote",
     {SOME(FIRST_BLOCK, STORE4, OUT, 8, 4), SOME(LAST_BLOCK, ADD4, OUT, 8, 0)}},
    /* Lanes and warps that do not meet, and loops without an end. */
    {1, 32, 7, "divergence: ballots", "another lane",
     {SOME_MEET(FIRST_LANES, MEET_WARP), MEET(BALLOT1)}},
    {1, 32, 7, "divergence: shuffles", "another lane",
     {SOME_MEET(FIRST_LANES, MEET_WARP), MEET(SHUFFLE31)}},
    {1, 32, 7, "divergence: waits", "has ended", {SOME_MEET(OTHER_LANES, MEET_WARP)}},
    {1, 32, 7, "divergence: has ended", "another lane",
     {SOME_MEET(FIRST_LANES, MEET_WARP)}},
    {1, 32, 7, "divergence: waits", "another lane",
     {SOME_MEET(FIRST_LANES, MEET_BLOCK), MEET(MEET_BLOCK_ELSEWHERE)}},
    {1, 64, 63, "divergence: waits", "has ended", {SOME_MEET(OTHER_WARPS, MEET_BLOCK)}},
    {1, 64, 63, "divergence: waits", "another warp",
     {SOME_MEET(FIRST_WARP, MEET_BLOCK), MEET(MEET_BLOCK_ELSEWHERE)}},
    {1, 40, 32, "divergence: shuffles", "lane 31", {MEET(SHUFFLE31)}},
    {1, 32, 0, "no end: 70000 accesses", "", {ALL(LOAD4, IN, 0, 0), MEET(AGAIN)}},
    {1, 32, 7, "no end: 3000 meetings", "", {MEET(BALLOT1), MEET(AGAIN)}},
};

/* No fault, whatever the launches before them did with the same memory. */
static const struct {
    uint64_t blocks;
    uint32_t threads;
    struct step steps[6];
} correct[] = {
    {1, 40, {ALL(STORE4, OUT, 0, 4), MEET(MEET_BLOCK), ALL(LOAD4, OUT, 156, -4),
             MEET(MEET_BLOCK), ALL(STORE4, OUT, 0, 4)}},
    {4, 96, {ALL(POST8, OUT, 8, 8), ALL(PEEK8, OUT, 8, 0), ALL(POST8, OUT, 8, 0)}},
    {4, 96, {ALL(ADD8, OUT, 8, 0), ALL(PEEK8, OUT, 8, 0), ALL(ADD8, OUT, 8, 0)}},
    {4, 96, {ALL(ADD4, OUT, 4, 4), ALL(ADD4, OUT, 4, 0)}},
    {1, 96, {SOME(LAST_BLOCK, STORE4, SHARED, 0, 0), MEET(MEET_BLOCK),
             ALL(ADD4, SHARED, 0, 0), MEET(MEET_BLOCK), ALL(LOAD4, SHARED, 0, 0)}},
    {4, 96, {SOME(FIRST_BLOCK, STORE8, OUT, 8, 8), SOME(FIRST_BLOCK, LOAD8, OUT, 8, 8)}},
    {4, 96, {ALL(POST8, OUT, 8, 8), ALL(PEEK8, OUT, 8, 0), ALL(POST8, OUT, 8, 0)}},
};

/* Launches that cannot be, so that this kernel is not run. */
enum { ARGS = sizeof(struct test_args) };

static const struct simt_kernel never = {"never", NULL, ARGS, 32};

static const struct {
    uint64_t blocks;
    uint32_t threads;
    uint32_t shared;
    size_t args_bytes;
    const char *message;
} bad_launches[] = {
    {0, 32, 0, ARGS, "0 blocks"},
    {UINT64_C(1) << 31, 32, 0, ARGS, "2147483648 blocks"},
    {1, 0, 0, ARGS, "0 threads"},
    {1, 1025, 0, ARGS, "1025 threads"},
    {1, 33, 0, ARGS, "1 to 32"},
    {1, 32, 227 * 1024 + 1, ARGS, "232449 bytes"},
    {1, 32, 128, ARGS - 8, "bytes of arguments"},
    {1, 32, 128, ARGS + 8, "bytes of arguments"},
};
/* clang-format on */

/* Is the device in order? A correct kernel tells. */
static int still_works(struct fixture *f)
{
    unsigned *const out = fixture_array(f, 64 * sizeof *out);
    const struct test_args args = {.out = out};
    int right = RUN(f, shuffle_all, 1, 64, 0, args) == MW_OK;

    for (int i = 0; i < 64; i++)
        right &= out[i] == 1;
    fixture_clear(f);
    return right;
}

/*
 * The message must begin with the place, if a lane did not just end there. `line` was left
 * by the kernel.
 */
static int names_place(const char *message, const struct fault_case *c, int line)
{
    char at[32] = "";
    char place[128];

    if (!strstr(c->rule, "has ended"))
        snprintf(at, sizeof at, " at kernels.cu:%d", line);
    snprintf(place, sizeof place, "script%s, block %d, thread %d: %s", at,
             (int)c->blocks - 1, c->thread, c->rule);
    return strncmp(message, place, strlen(place)) == 0;
}

static void test_faults(struct tap *tap, struct fixture *f)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct fault_case *const c = &cases[i];
        void *const in = fixture_array(f, IN_BYTES);
        int *const out = fixture_array(f, OUT_BYTES);
        const struct test_args args = {.in = in, .out = out, .steps = c->steps};
        mw_status status;
        int caught;

        memset(in, 0, IN_BYTES);
        out[0] = 0;
        f->error.text[0] = 0;
        status = RUN(f, script, c->blocks, c->threads, 508, args);
        tap_note("%s", f->error.text);
        caught = status == MW_KERNEL_FAULT && strstr(f->error.text, c->detail) &&
                 names_place(f->error.text, c, out[0]);
        fixture_clear(f);
        tap_case(tap, caught && still_works(f), "fault %zu: %s ... %s", i, c->rule,
                 c->detail);
    }
}

static void test_correct(struct tap *tap, struct fixture *f)
{
    struct test_args args = {.out = fixture_array(f, OUT_BYTES)};

    for (size_t i = 0; i < COUNT_OF(correct); i++) {
        args.steps = correct[i].steps;
        tap_case(tap,
                 RUN(f, script, correct[i].blocks, correct[i].threads, 128, args) == MW_OK,
                 "correct launch %zu", i);
    }
    fixture_clear(f);
}

static void test_bad_launches(struct tap *tap, struct fixture *f)
{
    const struct test_args args = {0};

    for (size_t i = 0; i < COUNT_OF(bad_launches); i++) {
        const int refused =
            fixture_run(f, &never, bad_launches[i].blocks, bad_launches[i].threads,
                        bad_launches[i].shared, &args,
                        bad_launches[i].args_bytes) == MW_KERNEL_FAULT;

        tap_note("%s", f->error.text);
        tap_ok(tap, refused && strstr(f->error.text, bad_launches[i].message),
               "a launch that cannot be", bad_launches[i].message);
    }
    tap_ok(tap, still_works(f), "bad launches", "the simulator still works");
}

/* A fault in the last of 1,024 threads leaves 1,023 fibres unfinished. */
static void test_large_block(struct tap *tap, struct fixture *f)
{
    static const struct step steps[] = {ALL(STORE4, SHARED, 4, 4), MEET(END)};
    const struct test_args args = {.out = fixture_array(f, OUT_BYTES), .steps = steps};
    int right = 1;

    for (int i = 0; i < 20; i++)
        right &= RUN(f, script, 1, 1024, 4096, args) == MW_KERNEL_FAULT &&
                 strstr(f->error.text, "block 0, thread 1023: ") != NULL;
    tap_ok(tap, right && still_works(f), "faults among 1,024 threads, again and again", "");
}

/* A stack that overflows must end the process, not overwrite its neighbour. */
static void test_stacks(struct tap *tap, struct fixture *f)
{
    static const struct rlimit no_core = {0, 0};
    struct step steps[] = {ALL(DIG, OUT, 30, 0), MEET(END)};
    const struct test_args args = {.out = fixture_array(f, OUT_BYTES), .steps = steps};
    int how = 0;
    pid_t child;

    tap_ok(tap, RUN(f, script, 1, 64, 0, args) == MW_OK, "30 KiB of stack", "may be used");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &no_core);
        fclose(stderr);
        steps[0].offset = 300;
        RUN(f, script, 1, 64, 0, args);
        _exit(0);
    }
    tap_ok(tap, child > 0 && waitpid(child, &how, 0) == child && how != 0,
           "300 KiB of stack", "end the process");
}

int main(void)
{
    struct tap tap = {0, 0};
    struct fixture f;

    tap_ok(&tap, fixture_open(&f), "the simulator opens", f.error.text);
    if (f.device) {
        sim_machine(f.device)->limits.accesses = 70000;
        sim_machine(f.device)->limits.meetings = 3000;
        test_faults(&tap, &f);
        test_correct(&tap, &f);
        test_bad_launches(&tap, &f);
        test_large_block(&tap, &f);
        test_stacks(&tap, &f);
    }
    fixture_close(&f);
    return tap_end(&tap);
}
