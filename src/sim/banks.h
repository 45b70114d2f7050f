/*
 * banks.h - what one request of a warp costs: turns of the shared-memory banks,
 * sectors of global memory. Pure arithmetic on the lanes' addresses.
 */
#ifndef MW_SIM_BANKS_H
#define MW_SIM_BANKS_H

#include <stdint.h>

enum { LANES = 32, SECTOR = 32 };

struct cost {
    uint32_t paid;  /* wavefronts, or sectors */
    uint32_t ideal; /* the least the same request could cost */
};

/*
 * Lane i, if bit i of `mask` is set, touches `bytes` bytes at the offset at[i].
 *
 * Shared memory has 32 banks of 4 bytes that serve one word each at a time; a
 * word may go to any number of lanes. Accesses of 8 bytes go by halves of the
 * warp, those of 16 bytes by quarters, one part after the other, and the ideal is
 * a turn for each part. A load goes by parts of twice as many lanes if every lane
 * agrees with its neighbour (lane xor 1), or every lane with the one at lane xor 2:
 * of the two, one takes no part or both want the same. That is what an H200 was
 * seen to do. Global memory moves in sectors of 32 bytes; the ideal packs the
 * distinct bytes touched.
 */
struct cost bank_cost(const uint64_t *at, uint32_t mask, uint32_t bytes, int is_load);

/* The same for sectors, whose numbers, offset / SECTOR, are left in `sectors`. */
struct cost sector_cost(const uint64_t *at, uint32_t mask, uint32_t bytes,
                        uint64_t sectors[LANES]);

#endif
