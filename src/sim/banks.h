/*
 * banks.h - what one request of a warp costs: wavefronts of shared memory, sectors of
 * global memory. Pure arithmetic on the lanes' addresses.
 */
#ifndef MW_SIM_BANKS_H
#define MW_SIM_BANKS_H

#include <stdint.h>

enum { LANES = 32, SECTOR = 32 };

struct cost {
    uint32_t paid;  /* wavefronts, or sectors */
    uint32_t ideal; /* the least that the same request could cost */
};

/*
 * Lane i, if bit i of `mask` is set, accesses `bytes` bytes at the offset at[i].
 *
 * Shared memory has 32 banks of 4 bytes. In one wavefront each bank serves one word, to
 * any number of lanes. Accesses of 8 bytes are served by half-warps, those of 16 bytes
 * by quarter-warps, one after the other; the ideal is one wavefront for each part. A load
 * has parts of twice as many lanes if every lane agrees with lane xor 1, or every lane
 * with lane xor 2: two lanes agree if one takes no part or both load the same cell. An
 * H200 behaves like this. Global memory moves in sectors of 32 bytes; the ideal packs
 * the distinct bytes.
 */
struct cost bank_cost(const uint64_t *at, uint32_t mask, uint32_t bytes, int is_load);

/* The same for sectors; `sectors` receives their numbers, offset / SECTOR. */
struct cost sector_cost(const uint64_t *at, uint32_t mask, uint32_t bytes,
                        uint64_t sectors[LANES]);

#endif
