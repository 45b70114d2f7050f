/*
 * unit_sim.c - the simulator against kernels whose traffic and results are known.
 */
#include "sim_kernels/test_kernels.h"

/* Cells of `bytes`, `stride` apart from cell `first` on, and what 32 lanes then cost. */
struct stride_case {
    int bytes, stride, first;
    uint64_t paid, ideal;
};

/* clang-format off */
static const struct stride_case shared_cases[] = {
    {4, 0, 0, 1, 1}, {4, 1, 0, 1, 1}, {4, 2, 0, 2, 1}, {4, 3, 0, 1, 1}, {4, 4, 0, 4, 1},
    {4, 8, 0, 8, 1}, {4, 32, 0, 32, 1}, {4, 33, 0, 1, 1}, {4, -1, 31, 1, 1},
    {1, 1, 0, 1, 1}, {1, 4, 0, 1, 1}, {1, 6, 0, 2, 1}, {1, 8, 0, 2, 1}, {1, 36, 0, 1, 1},
    {1, 128, 0, 32, 1}, {2, 1, 0, 1, 1}, {2, 34, 0, 1, 1}, {2, 64, 0, 32, 1},
    {8, 0, 0, 1, 1}, {8, 1, 0, 2, 2}, {8, 2, 0, 4, 2}, {8, 3, 0, 2, 2}, {8, 16, 0, 32, 2},
    {16, 0, 0, 2, 2}, {16, 1, 0, 4, 4}, {16, 2, 0, 8, 4}, {16, 8, 0, 32, 4},
};

static const struct stride_case global_cases[] = {
    {1, 1, 0, 1, 1}, {1, 1, 7, 2, 1}, {2, 1, 0, 2, 2}, {4, 1, 0, 4, 4}, {4, 1, 1, 5, 4},
    {4, 1, 8, 4, 4}, {4, -1, 31, 4, 4}, {4, 0, 5, 1, 1}, {4, 2, 0, 8, 4}, {4, 8, 0, 32, 4},
    {4, 1000, 0, 32, 4}, {8, 1, 0, 8, 8}, {8, 1, 1, 9, 8}, {16, 1, 0, 16, 16},
};
/* clang-format on */

/* One row of the tables by kernel strided_shared or strided_global. */
static mw_status run_strided(struct fixture *f, const struct stride_case *c, int global,
                             uint32_t shared, const struct test_args *args)
{
    static const struct simt_kernel *const kernels[][2] = {
        [1] = {&simt_strided_shared_8,   &simt_strided_global_8  },
        [2] = {&simt_strided_shared_16,  &simt_strided_global_16 },
        [4] = {&simt_strided_shared_32,  &simt_strided_global_32 },
        [8] = {&simt_strided_shared_64,  &simt_strided_global_64 },
        [16] = {&simt_strided_shared_128, &simt_strided_global_128},
    };

    return fixture_run(f, kernels[c->bytes][global], 1, 32, shared, args, sizeof *args);
}

static int is_shared(mw_traffic t, uint64_t requests, uint64_t paid, uint64_t ideal)
{
    return t.shared_requests == requests && t.shared_wavefronts == paid &&
           t.shared_ideal == ideal && t.global_requests == 0;
}

static int is_global(mw_traffic t, uint64_t requests, uint64_t paid, uint64_t ideal)
{
    return t.global_requests == requests && t.global_sectors == paid &&
           t.global_ideal == ideal && t.shared_requests == 0;
}

static void test_strides(struct tap *tap, struct fixture *f)
{
    for (size_t i = 0; i < COUNT_OF(shared_cases); i++) {
        const struct stride_case *const c = &shared_cases[i];
        const int cells = 32 * (c->stride > 1 ? c->stride : 1);
        const struct test_args args = {
            .count = cells, .stride = c->stride, .first = c->first};
        int right = run_strided(f, c, 0, (uint32_t)(cells * c->bytes), &args) == MW_OK &&
                    fixture_line(f, 1).barriers == 1 &&
                    is_shared(fixture_line(f, 2), 1, c->paid, c->ideal);

        if (c->stride)
            right &= is_shared(fixture_line(f, 4), 1, c->paid, c->ideal);
        tap_case(tap, right, "shared: %d bytes, stride %d", c->bytes, c->stride);
        fixture_clear(f);
    }
    for (size_t i = 0; i < COUNT_OF(global_cases); i++) {
        const struct stride_case *const c = &global_cases[i];
        const uint64_t bytes = 32u * 1024 * (uint64_t)c->bytes;
        const struct test_args args = {.in = fixture_array(f, bytes),
                                       .out = fixture_array(f, bytes),
                                       .stride = c->stride,
                                       .first = c->first};
        int right = run_strided(f, c, 1, 0, &args) == MW_OK &&
                    is_global(fixture_line(f, 0), 1, c->paid, c->ideal);
        size_t count;
        const mw_ledger_line *const lines = fixture_ledger(f, &count);

        if (c->stride)
            right &= is_global(fixture_line(f, 1), 1, c->paid, c->ideal);
        right &= count > 0 && lines[0].access == MW_ACCESS_BULK && lines[0].launches == 1;
        tap_case(tap, right, "global: %d bytes, stride %d, from %d", c->bytes, c->stride,
                 c->first);
        fixture_clear(f);
    }
}

static void test_shuffles(struct tap *tap, struct fixture *f)
{
    enum { WARPS = 3 };
    unsigned *const out = fixture_array(f, WARPS * 32 * sizeof *out);
    const struct test_args args = {.out = out};
    uint64_t shuffles = 0;
    int right = RUN(f, shuffle_all_32, 1, WARPS * 32, 0, args) == MW_OK;

    for (int i = 0; i < WARPS * 32; i++)
        right &= out[i] == 1;
    tap_ok(tap, right, "shuffles and ballots bring the right values", "");
    for (size_t i = 0; i < 11; i++)
        shuffles += fixture_line(f, i).shuffles;
    tap_ok(tap, shuffles == 13 * WARPS, "shuffles and ballots are counted once a warp", "");
    fixture_clear(f);
}

static void test_divergence(struct tap *tap, struct fixture *f)
{
    static const unsigned words[64] = {1, 2, 3, [40] = 9};
    void *const in = fixture_array(f, sizeof words);
    unsigned *const out = fixture_array(f, 32 * sizeof *out);
    const struct test_args args = {.in = in, .out = out};
    int right;

    memcpy(in, words, sizeof words);
    right = RUN(f, diverge_32, 1, 32, 0, args) == MW_OK;
    tap_ok(tap, right && out[0] == 2 && out[8] == 15, "diverging lanes compute", "");
    right = is_global(fixture_line(f, 0), 1, 2, 2) &&
            is_global(fixture_line(f, 1), 1, 2, 2) &&
            is_global(fixture_line(f, 2), 1, 4, 4);
    tap_ok(tap, right, "two sides of a branch are two requests, then lanes join", "");
    right =
        is_global(fixture_line(f, 3), 32, 32, 32) && is_global(fixture_line(f, 4), 1, 4, 4);
    tap_ok(tap, right, "a loop is as many requests as its longest lane", "");
    fixture_clear(f);
}

/* The sum of 0 .. count - 1 in every block; true if it is right everywhere. */
static int reduces(struct fixture *f, int count, uint64_t blocks, uint32_t threads)
{
    unsigned *const in = fixture_array(f, (uint64_t)count * sizeof *in);
    unsigned *const out = fixture_array(f, blocks * sizeof *out);
    const struct test_args args = {.in = in, .out = out, .count = count};
    int right;

    for (int i = 0; i < count; i++)
        in[i] = (unsigned)i;
    right = RUN(f, reduce_32, blocks, threads, 128, args) == MW_OK;
    for (uint64_t i = 0; right && i < blocks; i++)
        right &= out[i] == (unsigned)count * (unsigned)(count - 1) / 2;
    return right;
}

static int transposes(struct fixture *f, int stride, uint64_t paid)
{
    unsigned *const in = fixture_array(f, 4096);
    unsigned *const out = fixture_array(f, 4096);
    const struct test_args args = {.in = in, .out = out, .stride = stride};
    int right;

    for (unsigned i = 0; i < 1024; i++)
        in[i] = i;
    right = RUN(f, transpose_32, 1, 32, 4u * 32 * (unsigned)stride, args) == MW_OK;
    for (unsigned i = 0; right && i < 1024; i++)
        right &= out[i] == i % 32 * 32 + i / 32;
    right &= fixture_line(f, 0).global_sectors == 128; /* loads come before stores */
    right &= fixture_line(f, 1).shared_wavefronts == 32;
    right &= is_shared(fixture_line(f, 2), 32, paid, 32);
    fixture_clear(f);
    return right;
}

static void test_sums(struct tap *tap, struct fixture *f)
{
    tap_ok(tap, reduces(f, 5000, 1, 1024), "a reduction", "32 warps");
    tap_ok(tap, reduces(f, 64, 2000, 64), "a reduction", "2,000 blocks");
    fixture_clear(f);
    tap_ok(tap, transposes(f, 33, 32), "a transposition", "padded: no conflict");
    tap_ok(tap, transposes(f, 32, 1024), "a transposition", "not padded: 32 turns each");
}

/* Kernels that are right, some only just: no fault may be seen. */
static void test_correct(struct tap *tap, struct fixture *f)
{
    unsigned char *const out = fixture_array(f, 1 << 16);
    const struct test_args args = {.out = out};
    const unsigned *const words = (const unsigned *)out;
    int right;

    right = RUN(f, block_order_32, 2, 256, 0, args) == MW_OK;
    for (unsigned i = 0; i < 512; i++)
        right &= words[i] == 255 - i % 256;
    tap_ok(tap, right, "global memory passed on under barriers", "");
    right = RUN(f, block_order_32, 3, 40, 0, args) == MW_OK;
    for (unsigned i = 0; i < 120; i++)
        right &= words[i] == 39 - i % 40;
    tap_ok(tap, right, "a block of one warp and a quarter", "");
    right = RUN(f, mixed_sizes_32, 1, 64, 512, args) == MW_OK;
    tap_ok(tap, right && out[0] == 4 && out[1] == 3,
           "the same bytes in cells of 8, 4 and 1", "");
    fixture_clear(f);
}

static void test_memory(struct tap *tap, struct fixture *f)
{
    const struct device_verbs *const verbs = f->device->verbs;
    unsigned char *const a = fixture_array(f, 1000);
    unsigned char *const b = fixture_array(f, 1);
    unsigned char copy[1001] = {0};
    void *huge = NULL;
    int right =
        (uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0 && a[0] == a[999] && a[0] != 0;

    tap_ok(tap, right, "memory is aligned to 256 bytes and full of garbage", "");
    right = verbs->upload(f->device, a + 10, "multiway", 9, NULL) == MW_OK &&
            verbs->download(f->device, copy, a + 10, 9, NULL) == MW_OK;
    tap_ok(tap, right && strcmp((char *)copy, "multiway") == 0, "copies in and out", "");
    right = verbs->upload(f->device, a, copy, 1001, NULL) == MW_BAD_ARGUMENT &&
            verbs->download(f->device, copy, a + 992, 9, NULL) == MW_BAD_ARGUMENT &&
            verbs->upload(f->device, copy, a, 1, NULL) == MW_BAD_ARGUMENT;
    tap_ok(tap, right, "copies that leave the device's memory are refused", "");
    right = verbs->alloc(f->device, UINT64_MAX - 5, &huge) == MW_NO_MEMORY && !huge;
    tap_ok(tap, right, "more memory than there is", f->error.text);
    verbs->free(f->device, NULL);
    verbs->free(f->device, copy);
    verbs->free(f->device, a);
    verbs->free(f->device, b);
    right = verbs->download(f->device, copy, a, 1, NULL) == MW_BAD_ARGUMENT;
    tap_ok(tap, right, "memory that was freed is no longer the device's", "");
    fixture_clear(f);
}

static void test_ledger(struct tap *tap, struct fixture *f)
{
    const mw_ledger_line *lines;
    size_t count = 99;
    int right;

    fixture_ledger(f, &count);
    tap_ok(tap, count == 0, "a fresh ledger is empty", "");
    right = reduces(f, 100, 4, 64) && reduces(f, 100, 4, 64);
    lines = fixture_ledger(f, &count);
    right &= count == 6; /* load, shuffle, store, barrier, load, store */
    for (size_t i = 0; right && i < count; i++) {
        right &= strcmp(lines[i].kernel, "reduce") == 0 && lines[i].text != NULL;
        right &= strcmp(lines[i].file, "words.cu") == 0 && lines[i].launches == 2;
        right &= i == 0 || lines[i - 1].line < lines[i].line;
    }
    tap_ok(tap, right, "lines are named, sorted and count their launches", "");
    right = right && lines[0].access == MW_ACCESS_BULK &&
            lines[2].access == MW_ACCESS_PLAIN && lines[3].traffic.barriers == 16 &&
            lines[1].traffic.shuffles == 80 && lines[2].traffic.shared_requests == 16;
    tap_ok(tap, right, "lines add up over blocks and launches", "");
    fixture_clear(f);
}

/* Accesses are told apart by their kinds, not by what their source line says. */
static void test_kinds(struct tap *tap, struct fixture *f)
{
    static const struct {
        mw_access access;
        int stores;
        uint64_t requests;
    } rows[] = {
        {MW_ACCESS_PLAIN,  0, 2},
        {MW_ACCESS_BULK,   1, 1},
        {MW_ACCESS_SEARCH, 0, 1},
        {MW_ACCESS_CUT,    0, 3},
        {MW_ACCESS_CUT,    1, 1},
    };
    const struct test_args args = {.in = fixture_array(f, 32 * sizeof(uint64_t)),
                                   .out = fixture_array(f, 32 * sizeof(uint64_t))};
    int right = RUN(f, kinds_32, 1, 32, 0, args) == MW_OK;
    size_t count;
    const mw_ledger_line *const lines = fixture_ledger(f, &count);

    right &= count == COUNT_OF(rows);
    for (size_t i = 0; right && i < count; i++)
        right &= lines[i].line == lines[0].line && lines[i].access == rows[i].access &&
                 lines[i].stores == rows[i].stores &&
                 lines[i].traffic.global_requests == rows[i].requests;
    tap_ok(tap, right, "one source line, an entry for each kind of access in it", "");
    fixture_clear(f);
}

/* Marks are stamped by a clock of 38 bits: it must be set back in time. */
static void test_clock(struct tap *tap, struct fixture *f)
{
    struct machine *const m = sim_machine(f->device);
    int right;

    m->clock = SHADOW_MOST_TICKS / 2 - 3;
    right = reduces(f, 100, 4, 64) && m->clock > SHADOW_MOST_TICKS / 2;
    right &= reduces(f, 100, 4, 64) && m->clock < 100;
    tap_ok(tap, right, "the clock starts again before it runs out", "");
}

int main(void)
{
    struct tap tap = {0, 0};
    struct fixture f;

    tap_ok(&tap, fixture_open(&f), "the simulator opens", f.error.text);
    if (!f.device)
        return tap_end(&tap);
    test_strides(&tap, &f);
    test_shuffles(&tap, &f);
    test_divergence(&tap, &f);
    test_sums(&tap, &f);
    test_correct(&tap, &f);
    test_memory(&tap, &f);
    test_ledger(&tap, &f);
    test_kinds(&tap, &f);
    test_clock(&tap, &f);
    fixture_close(&f);
    return tap_end(&tap);
}
