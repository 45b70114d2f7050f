/*
 * unit_sim_sectors.c - distinct sectors of kernels for which they are known: a launch
 * counts a sector once for all its stores and, unless one of them came first, once for
 * all its loads, at the line that touches it first.
 */
#include "sim_kernels/test_kernels.h"

enum { CELLS = 1 << 14, LINES = 5 };

/* Which cells kernel `twice` touches, and the sectors new to each of its lines. */
struct twice_case {
    const char *name;
    int blocks;
    int threads;
    int stride;
    int first;
    int apart;    /* cells from one block to the next */
    int in_place; /* reads and writes go to the same memory; -1: nothing is written */
    uint64_t sectors;
    uint64_t fresh[LINES];
};

/* clang-format off */
static const struct twice_case twice_cases[] = {
    {"a warp, side by side",              1, 32,  1, 0,   0, 0,  4, { 4, 0,  4, 0,  0}},
    {"in place: read and written",        1, 32,  1, 0,   0, 1,  4, { 4, 0,  4, 0,  0}},
    {"off by a cell",                     1, 32,  1, 1,   0, 0,  5, { 5, 0,  5, 0,  0}},
    {"a lane a sector",                   1, 32,  8, 3,   0, 0, 32, {32, 0, 32, 0,  0}},
    {"backwards",                         1, 32, -1, 31,  0, 0,  4, { 4, 0,  4, 0,  0}},
    {"two warps that share a sector",     1, 64,  1, 4,   0, 0, 10, { 9, 0,  9, 0,  0}},
    {"half a warp more",                  1, 48,  1, 0,   0, 0,  6, { 6, 0,  6, 0,  0}},
    {"two blocks that share a sector",    2, 32,  1, 4,  32, 0, 10, { 9, 0,  9, 0,  0}},
    {"two blocks between each other",     2, 32,  2, 0,   1, 0, 16, { 8, 0,  8, 0,  0}},
    {"two blocks far from each other",    2, 32,  1, 0, 999, 0,  9, { 9, 0,  9, 0,  0}},
    {"many blocks, and in place",       100, 64,  1, 0,  64, 1, 800, {800, 0, 800, 0, 0}},
    {"the same for two warps",            1, 64,  0, 9,   0, -1, 2, { 1, 0,  0, 0,  0}},
    {"the same for many blocks",         50, 32,  1, 0,   0, -1, 200, {4, 0, 0, 0, 0}},
};
/* clang-format on */

/* Is the ledger that of `launches` launches like the case? */
static int is_twice(struct fixture *f, const struct twice_case *c, uint64_t launches)
{
    const size_t lines = c->in_place < 0 ? 2 : LINES;
    const mw_traffic last = f->device->verbs->ledger_last(f->device);
    uint64_t sum = 0;
    int right = 1;

    for (size_t i = 0; i < lines; i++) {
        const mw_traffic t = fixture_line(f, i);

        right &= t.global_sectors == launches * c->sectors;
        right &= t.global_distinct == launches * c->fresh[i];
        sum += c->fresh[i];
    }
    return right && last.global_distinct == sum &&
           last.global_sectors == lines * c->sectors;
}

static void test_twice(struct tap *tap, struct fixture *f)
{
    for (size_t i = 0; i < COUNT_OF(twice_cases); i++) {
        const struct twice_case *const c = &twice_cases[i];
        void *const in = fixture_array(f, 4 * CELLS);
        void *const other = fixture_array(f, 4 * CELLS);
        struct test_args args = {
            .in = in, .count = c->apart, .stride = c->stride, .first = c->first};
        int right = 1;

        if (c->in_place >= 0)
            args.out = c->in_place ? in : other;
        for (uint64_t launches = 1; launches <= 3; launches++) {
            right = right && RUN(f, twice_32, (uint64_t)c->blocks, (uint32_t)c->threads, 0,
                                 args) == MW_OK;
            right = right && is_twice(f, c, launches);
        }
        tap_ok(tap, right, "three launches", c->name);
        fixture_clear(f);
    }
}

/* Bytes anywhere, up to the last of an allocation that ends inside a sector. */
static void test_wander(struct tap *tap, struct fixture *f)
{
    enum { BLOCKS = 9, THREADS = 96, PLACES = BLOCKS * THREADS, BYTES = 20 * 1000 + 5 };
    unsigned char seen[BYTES / 32 + 1] = {0};
    unsigned *const places = fixture_array(f, PLACES * sizeof *places);
    void *const bytes = fixture_array(f, BYTES);
    const struct test_args args = {.in = places, .out = bytes};
    uint64_t state = 12345;
    uint64_t distinct = 0;
    int right = 1;

    for (int i = 0; right && i < PLACES; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        places[i] = i == 77 ? BYTES - 1 : (unsigned)(state >> 33) % BYTES;
        distinct += !seen[places[i] / 32];
        seen[places[i] / 32] = 1;
    }
    right = right && RUN(f, wander_32, BLOCKS, THREADS, 0, args) == MW_OK;
    right = right && fixture_line(f, 0).global_distinct == PLACES * sizeof *places / 32 &&
            fixture_line(f, 1).global_distinct == distinct && distinct < PLACES &&
            fixture_line(f, 1).global_sectors > distinct;
    tap_ok(tap, right, "random places", "");
    fixture_clear(f);
}

/* Blocks share cells openly; those of other launches may do so plainly. */
static void test_board(struct tap *tap, struct fixture *f)
{
    enum { BLOCKS = 4, THREADS = 96 };
    uint64_t *const cells = fixture_array(f, THREADS * sizeof *cells);
    int right = 1;

    for (int again = 0; again < 2; again++) {
        for (int number = 0; number < 3; number++) {
            const struct test_args args = {.out = cells, .count = number};

            right = right && RUN(f, board_32, BLOCKS, THREADS, 0, args) == MW_OK;
        }
        for (int i = 0; right && i < THREADS; i++)
            right &= cells[i] == (i == THREADS - 1 ? 150 : 100 + BLOCKS);
    }
    tap_ok(tap, right, "a board that blocks share", f->error.text);
    fixture_clear(f);
}

/* Launches are told apart by a clock, which is set back now and then. */
static void test_clock(struct tap *tap, struct fixture *f)
{
    struct machine *const m = sim_machine(f->device);
    void *const in = fixture_array(f, 4 * CELLS);
    const struct test_args args = {.in = in, .stride = 1};
    uint64_t began;
    int right = 1;

    m->clock = SHADOW_MOST_TICKS;
    right = right && RUN(f, twice_32, 1, 32, 0, args) == MW_OK;
    began = m->global_times.launch;
    m->clock = SHADOW_MOST_TICKS;
    right = right && RUN(f, twice_32, 1, 32, 0, args) == MW_OK;
    right = right && m->global_times.launch == began;
    tap_ok(tap, right && fixture_line(f, 0).global_distinct == 8,
           "two launches that begin at the same tick", "");
    fixture_clear(f);
}

/* A launch that fails counts as far as it came, and the next one starts anew. */
static void test_fault(struct tap *tap, struct fixture *f)
{
    void *const in = fixture_array(f, 4 * 64);
    struct test_args args = {.in = in, .stride = 1, .count = 64};
    int right = 1;

    right = right && RUN(f, twice_32, 2, 64, 0, args) == MW_KERNEL_FAULT;
    right = right && fixture_line(f, 0).global_distinct == 8 &&
            f->device->verbs->ledger_last(f->device).global_distinct == 8;
    right = right && RUN(f, twice_32, 1, 64, 0, args) == MW_OK;
    tap_ok(tap, right && fixture_line(f, 0).global_distinct == 16,
           "a launch that fails, and one after it", "");
    fixture_clear(f);
}

int main(void)
{
    struct tap tap = {0, 0};
    struct fixture f;

    tap_ok(&tap, fixture_open(&f), "the simulator opens", f.error.text);
    if (!f.device)
        return tap_end(&tap);
    test_twice(&tap, &f);
    test_wander(&tap, &f);
    test_board(&tap, &f);
    test_clock(&tap, &f);
    test_fault(&tap, &f);
    fixture_close(&f);
    return tap_end(&tap);
}
