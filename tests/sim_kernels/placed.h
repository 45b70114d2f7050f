/*
 * placed.h - engine tile's programs with places, which CMakeLists.txt compiles here.
 */
#ifndef MW_SIM_PLACED_H
#define MW_SIM_PLACED_H

#include "sim/sim.h"

struct placed {
    int bits;
    int rows;
    int items;
    const struct simt_kernel *sort, *cut, *merge, *join;
};

/* clang-format off */

/* Bits, rows, items; of each width one with rows of 128 bytes. */
#define PLACED_PROGRAMS(P) \
    P(8, 128, 16) P(8, 64, 32) P(32, 256, 16) P(32, 64, 8) P(64, 256, 8) P(64, 64, 16)

#define PLACED_NAME(kernel, bits, rows, items) \
    simt_##kernel##_##bits##_##rows##x##items##_places
#define PLACED_DECLARE(bits, rows, items)                                                \
    extern const struct simt_kernel PLACED_NAME(tile_sort, bits, rows, items),           \
        PLACED_NAME(tile_cut, bits, rows, items),                                        \
        PLACED_NAME(tile_merge, bits, rows, items),                                      \
        PLACED_NAME(tile_join, bits, rows, items);
#define PLACED_ROW(bits, rows, items)                                                    \
    {bits, rows, items, &PLACED_NAME(tile_sort, bits, rows, items),                      \
     &PLACED_NAME(tile_cut, bits, rows, items),                                          \
     &PLACED_NAME(tile_merge, bits, rows, items),                                        \
     &PLACED_NAME(tile_join, bits, rows, items)},

PLACED_PROGRAMS(PLACED_DECLARE)
static const struct placed placed_programs[] = {PLACED_PROGRAMS(PLACED_ROW)};
/* clang-format on */

#endif
