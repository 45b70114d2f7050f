/*
 * patterns.c - the table of the micro-kernels' cases.
 */
#include "patterns.h"

#include "kit.h"

#include <stdio.h>

enum { SHARED = 1, GLOBAL = 2, BOTH = 3, LOADS_ONLY = 4 };

/* clang-format off */
/* How a lane finds its cell: see cell_of. */
enum rule {
    STRIDE, OFFSET, BACKWARDS, MODULO, SHARED_BY, WITHOUT, HALF_WITHOUT, EXCHANGED,
    SOME_LANES, TWO_LANES, PARTS_MEET, ANY_OF_64, ANY_OF_512, SOME_OF_512
};
/* clang-format on */

/* A row of the table below. Stores need a cell for each lane. */
struct pattern {
    const char *name;
    int use;
    enum rule rule;
    int n;
};

static int random_number(int lane, int n, int below)
{
    return (int)(kit_mix((uint64_t)lane + 1000 * (uint64_t)n) % (uint64_t)below);
}

/* A random cell that no lane before has. */
static int new_cell(const int *places, int lane, int n)
{
    int cell = random_number(lane, n, 512);
    int before = 0;

    while (before < lane) {
        if (places[before++] == cell) {
            cell = (cell + 1) % 512;
            before = 0;
        }
    }
    return cell;
}

static int without_bit(int lane, int n)
{
    return lane >> (n + 1) << n | (lane & ((1 << n) - 1));
}

/* `n` is the row's own number. */
/* clang-format off */
static int cell_of(const struct pattern *p, int bytes, const int *places, int lane)
{
    const int banks = 128 / bytes; /* cells until the first bank comes again */
    const int n = p->n;

    switch (p->rule) {
    case STRIDE:       return lane * n;
    case OFFSET:       return lane + n;
    case BACKWARDS:    return n - lane;
    case MODULO:       return lane % n;
    case SHARED_BY:    return lane / n;
    /* Lanes that differ in bit n alone share a cell; then, of lanes 0 to 15 only. */
    case WITHOUT:      return without_bit(lane, n);
    case HALF_WITHOUT: return lane < 16 ? without_bit(lane, n) : lane;
    case EXCHANGED:    return lane ^ n;
    case SOME_LANES:   return (unsigned)n >> lane & 1 ? lane : MICRO_NOBODY;
    /* Lanes 0 and n in different cells of one bank, and no other lane. */
    case TWO_LANES:    return lane == 0 ? 0 : lane == n ? banks : MICRO_NOBODY;
    /* Each n lanes are in the banks of the n lanes before them. */
    case PARTS_MEET:   return lane % n + lane / n * (banks > n ? banks : n);
    case ANY_OF_64:    return random_number(lane, n, 64);
    default:           return new_cell(places, lane, n); /* all different */
    }
}
/* clang-format on */

/* SOME_OF_512 leaves about half of the lanes out. */
static void make_places(const struct pattern *p, int bytes, int *places)
{
    for (int lane = 0; lane < PATTERN_LANES; lane++)
        places[lane] = cell_of(p, bytes, places, lane);
    for (int lane = 0; p->rule == SOME_OF_512 && lane < PATTERN_LANES; lane++) {
        if (random_number(lane, p->n + 100, 2))
            places[lane] = MICRO_NOBODY;
    }
}

/* clang-format off */
static const struct pattern patterns[] = {
    {"stride 0",                       BOTH | LOADS_ONLY,   STRIDE,       0},
    {"stride 1",                       BOTH,                STRIDE,       1},
    {"stride 2",                       BOTH,                STRIDE,       2},
    {"stride 3",                       SHARED,              STRIDE,       3},
    {"stride 4",                       SHARED,              STRIDE,       4},
    {"stride 8",                       BOTH,                STRIDE,       8},
    {"stride 17",                      SHARED,              STRIDE,       17},
    {"stride 32",                      SHARED,              STRIDE,       32},
    {"stride 33",                      BOTH,                STRIDE,       33},
    {"stride 1 from 1",                BOTH,                OFFSET,       1},
    {"stride 1 from 3",                GLOBAL,              OFFSET,       3},
    {"stride 1 from 8",                GLOBAL,              OFFSET,       8},
    {"backwards from 31",              BOTH,                BACKWARDS,    31},
    {"backwards from 40",              SHARED,              BACKWARDS,    40},
    {"lane mod 8",                     SHARED | LOADS_ONLY, MODULO,       8},
    {"lane mod 16",                    BOTH | LOADS_ONLY,   MODULO,       16},
    {"lane / 2",                       BOTH | LOADS_ONLY,   SHARED_BY,    2},
    {"lane / 16",                      SHARED | LOADS_ONLY, SHARED_BY,    16},
    {"lane without bit 1",             SHARED | LOADS_ONLY, WITHOUT,      1},
    {"lane without bit 2",             SHARED | LOADS_ONLY, WITHOUT,      2},
    {"lane without bit 3",             SHARED | LOADS_ONLY, WITHOUT,      3},
    {"half without bit 0",             SHARED | LOADS_ONLY, HALF_WITHOUT, 0},
    {"half without bit 1",             SHARED | LOADS_ONLY, HALF_WITHOUT, 1},
    {"lanes 0, 1, 4, 5, ...",          SHARED,              SOME_LANES,   0x33333333},
    {"lanes 0 to 3, 8 to 11, ...",     SHARED,              SOME_LANES,   0x0f0f0f0f},
    {"lane xor 16",                    SHARED,              EXCHANGED,    16},
    {"lane xor 5",                     SHARED,              EXCHANGED,    5},
    {"even lanes",                     BOTH,                SOME_LANES,   0x55555555},
    {"lanes 0 to 15",                  SHARED,              SOME_LANES,   0x0000ffff},
    {"lanes 8 to 23",                  SHARED,              SOME_LANES,   0x00ffff00},
    {"lanes 0 to 7 and 16 to 23",      SHARED,              SOME_LANES,   0x00ff00ff},
    {"lane 5",                         BOTH,                SOME_LANES,   0x00000020},
    {"lanes 0 and 1, one bank",        SHARED,              TWO_LANES,    1},
    {"lanes 0 and 4, one bank",        SHARED,              TWO_LANES,    4},
    {"lanes 0 and 8, one bank",        SHARED,              TWO_LANES,    8},
    {"lanes 0 and 16, one bank",       SHARED,              TWO_LANES,    16},
    {"halves meet",                    SHARED,              PARTS_MEET,   16},
    {"quarters meet",                  SHARED,              PARTS_MEET,   8},
    {"any of 64, no. 1",               SHARED | LOADS_ONLY, ANY_OF_64,    1},
    {"any of 64, no. 2",               BOTH | LOADS_ONLY,   ANY_OF_64,    2},
    {"any of 64, no. 3",               SHARED | LOADS_ONLY, ANY_OF_64,    3},
    {"any of 512, no. 1",              BOTH,                ANY_OF_512,   1},
    {"any of 512, no. 2",              BOTH,                ANY_OF_512,   2},
    {"any of 512, no. 3",              SHARED,              ANY_OF_512,   3},
    {"some lanes, any of 512, no. 1",  BOTH,                SOME_OF_512,  1},
    {"some lanes, any of 512, no. 2",  SHARED,              SOME_OF_512,  2},
    {"some lanes, any of 512, no. 3",  SHARED,              SOME_OF_512,  3},
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

/* Some patterns are tried with eight warps too, which have to share the banks. */
static int has_many_warps(const struct pattern *p)
{
    return p->rule == ANY_OF_512 || (p->rule == STRIDE && p->n == 1);
}

int micro_case(int number, struct micro_case *c)
{
    for (int i = 0; i < 2 * MICRO_KERNELS * SIZES * PATTERNS; i++) {
        const struct pattern *const p = &patterns[i % PATTERNS];
        const int bytes = sizes[i / PATTERNS % SIZES];
        const enum micro_kernel kernel =
            (enum micro_kernel)(i / PATTERNS / SIZES % MICRO_KERNELS);
        const int many = i / PATTERNS / SIZES / MICRO_KERNELS;

        if (!has_case(kernel, p) || (many && !has_many_warps(p)) || number-- > 0)
            continue;
        *c = (struct micro_case){.kernel = kernel, .bytes = bytes, .warps = many ? 8 : 1};
        snprintf(c->name, sizeof c->name, "%s%s", p->name, many ? ", 8 warps" : "");
        make_places(p, bytes, c->places);
        return 1;
    }
    return 0;
}

const char *micro_kernel_name(enum micro_kernel kernel)
{
    static const char *const names[] = {"shared_load", "shared_store", "global_load",
                                        "global_store"};

    return names[kernel];
}
