#include "patterns.h"

#include "kit.h"

#include <stdio.h>

enum { SHARED = 1, GLOBAL = 2, BOTH = 3, LOADS_ONLY = 4 };

/* How places are made; `n` is the row's own number. Stores need a cell for each lane. */
struct pattern {
    const char *name;
    int use;
    void (*make)(int *places, int bytes, int n);
    int n;
};

/* Cells that lie in the same bank: all banks once. */
static int turn_of_banks(int bytes)
{
    return 128 / bytes;
}

static void stride(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = lane * n;
}

static void offset(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = lane + n;
}

static void backwards(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = n - lane;
}

/* Lanes that are equal modulo n share a cell. */
static void modulo(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = lane % n;
}

/* Each n neighbours share a cell. */
static void shared_by(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = lane / n;
}

/* Lanes that differ in bit n alone share a cell; there is no gap between the cells. */
static int cell_without(int lane, int n)
{
    return lane >> (n + 1) << n | (lane & ((1 << n) - 1));
}

static void without(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = cell_without(lane, n);
}

/* The same for lanes 0 to 15; the others have a cell each. */
static void half_without(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = lane < 16 ? cell_without(lane, n) : lane;
}

static void exchanged(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = lane ^ n;
}

/* Neighbouring cells, for the lanes whose bit of n is set. */
static void some_lanes(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = (unsigned)n >> lane & 1 ? lane : MICRO_NOBODY;
}

/* Lane 0 and lane n in different cells of one bank, nobody else. */
static void two_lanes(int *places, int bytes, int n)
{
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = lane == 0 ? 0 : lane == n ? turn_of_banks(bytes) : MICRO_NOBODY;
}

/* Each n lanes touch neighbouring cells, in the banks of the n lanes before them. */
static void parts_meet(int *places, int bytes, int n)
{
    const int step = turn_of_banks(bytes) > n ? turn_of_banks(bytes) : n;

    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = lane % n + lane / n * step;
}

static int random_number(int lane, int n, int below)
{
    return (int)(kit_mix((uint64_t)lane + 1000 * (uint64_t)n) % (uint64_t)below);
}

/* Any of 64 cells, several lanes perhaps the same. */
static void random_of_few(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = random_number(lane, n, 64);
}

/* Any of 512 cells, all different. */
static void random_cells(int *places, int bytes, int n)
{
    (void)bytes;
    for (int lane = 0; lane < PATTERN_LANES; lane++) {
        int before = 0;

        places[lane] = random_number(lane, n, 512);
        while (before < lane) {
            if (places[before++] == places[lane]) {
                places[lane] = (places[lane] + 1) % 512;
                before = 0;
            }
        }
    }
}

/* The same, for about half of the lanes. */
static void random_lanes(int *places, int bytes, int n)
{
    random_cells(places, bytes, n);
    for (int lane = 0; lane < PATTERN_LANES; lane++) {
        if (random_number(lane, n + 100, 2))
            places[lane] = MICRO_NOBODY;
    }
}

/* clang-format off */
static const struct pattern patterns[] = {
    {"stride 0",                       BOTH | LOADS_ONLY,   stride,        0},
    {"stride 1",                       BOTH,                stride,        1},
    {"stride 2",                       BOTH,                stride,        2},
    {"stride 3",                       SHARED,              stride,        3},
    {"stride 4",                       SHARED,              stride,        4},
    {"stride 8",                       BOTH,                stride,        8},
    {"stride 17",                      SHARED,              stride,        17},
    {"stride 32",                      SHARED,              stride,        32},
    {"stride 33",                      BOTH,                stride,        33},
    {"stride 1 from 1",                BOTH,                offset,        1},
    {"stride 1 from 3",                GLOBAL,              offset,        3},
    {"stride 1 from 8",                GLOBAL,              offset,        8},
    {"backwards from 31",              BOTH,                backwards,     31},
    {"backwards from 40",              SHARED,              backwards,     40},
    {"lane mod 8",                     SHARED | LOADS_ONLY, modulo,        8},
    {"lane mod 16",                    BOTH | LOADS_ONLY,   modulo,        16},
    {"lane / 2",                       BOTH | LOADS_ONLY,   shared_by,     2},
    {"lane / 16",                      SHARED | LOADS_ONLY, shared_by,     16},
    {"lane without bit 1",             SHARED | LOADS_ONLY, without,       1},
    {"lane without bit 2",             SHARED | LOADS_ONLY, without,       2},
    {"lane without bit 3",             SHARED | LOADS_ONLY, without,       3},
    {"half without bit 0",             SHARED | LOADS_ONLY, half_without,  0},
    {"half without bit 1",             SHARED | LOADS_ONLY, half_without,  1},
    {"lanes 0, 1, 4, 5, ...",          SHARED,              some_lanes,    0x33333333},
    {"lanes 0 to 3, 8 to 11, ...",     SHARED,              some_lanes,    0x0f0f0f0f},
    {"lane xor 16",                    SHARED,              exchanged,     16},
    {"lane xor 5",                     SHARED,              exchanged,     5},
    {"even lanes",                     BOTH,                some_lanes,    0x55555555},
    {"lanes 0 to 15",                  SHARED,              some_lanes,    0x0000ffff},
    {"lanes 8 to 23",                  SHARED,              some_lanes,    0x00ffff00},
    {"lanes 0 to 7 and 16 to 23",      SHARED,              some_lanes,    0x00ff00ff},
    {"lane 5",                         BOTH,                some_lanes,    0x00000020},
    {"lanes 0 and 1, one bank",        SHARED,              two_lanes,     1},
    {"lanes 0 and 4, one bank",        SHARED,              two_lanes,     4},
    {"lanes 0 and 8, one bank",        SHARED,              two_lanes,     8},
    {"lanes 0 and 16, one bank",       SHARED,              two_lanes,     16},
    {"halves meet",                    SHARED,              parts_meet,    16},
    {"quarters meet",                  SHARED,              parts_meet,    8},
    {"any of 64, no. 1",               SHARED | LOADS_ONLY, random_of_few, 1},
    {"any of 64, no. 2",               BOTH | LOADS_ONLY,   random_of_few, 2},
    {"any of 64, no. 3",               SHARED | LOADS_ONLY, random_of_few, 3},
    {"any of 512, no. 1",              BOTH,                random_cells,  1},
    {"any of 512, no. 2",              BOTH,                random_cells,  2},
    {"any of 512, no. 3",              SHARED,              random_cells,  3},
    {"some lanes, any of 512, no. 1",  BOTH,                random_lanes,  1},
    {"some lanes, any of 512, no. 2",  SHARED,              random_lanes,  2},
    {"some lanes, any of 512, no. 3",  SHARED,              random_lanes,  3},
};
/* clang-format on */

enum { PATTERNS = sizeof patterns / sizeof *patterns };

static const int sizes[] = {1, 2, 4, 8, 16};

enum { SIZES = sizeof sizes / sizeof *sizes };

static int has_case(enum micro_kernel kernel, const struct pattern *p)
{
    const int store = kernel == SHARED_STORE || kernel == GLOBAL_STORE;
    const int shared = kernel == SHARED_LOAD || kernel == SHARED_STORE;

    return (p->use & (shared ? SHARED : GLOBAL)) && !(store && (p->use & LOADS_ONLY));
}

/* One warp alone, and a few cases more with eight, which have to share the banks. */
static int warps_of_turn(int turn)
{
    return turn ? 8 : 1;
}

static int has_turn(const struct pattern *p, int turn)
{
    return turn == 0 || p->make == random_cells || (p->make == stride && p->n == 1);
}

int micro_case(int number, struct micro_case *c)
{
    for (int turn = 0; turn < 2; turn++) {
        for (int kernel = 0; kernel < MICRO_KERNELS; kernel++) {
            for (int size = 0; size < SIZES; size++) {
                for (int i = 0; i < PATTERNS; i++) {
                    const struct pattern *const p = &patterns[i];

                    if (!has_case((enum micro_kernel)kernel, p) || !has_turn(p, turn))
                        continue;
                    if (number-- > 0)
                        continue;
                    c->kernel = (enum micro_kernel)kernel;
                    c->bytes = sizes[size];
                    c->warps = warps_of_turn(turn);
                    snprintf(c->name, sizeof c->name, "%s%s", p->name,
                             turn ? ", 8 warps" : "");
                    p->make(c->places, c->bytes, p->n);
                    return 1;
                }
            }
        }
    }
    return 0;
}

const char *micro_kernel_name(enum micro_kernel kernel)
{
    static const char *const names[] = {"shared_load", "shared_store", "global_load",
                                        "global_store"};

    return names[kernel];
}
