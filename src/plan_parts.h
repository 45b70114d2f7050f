/*
 * plan_parts.h - what plan.c, plan_tile.c, plan_pair.c, plan_tally.c and plan_cover.c
 * share.
 */
#ifndef MW_PLAN_PARTS_H
#define MW_PLAN_PARTS_H

#include "plan.h"

/* The smallest tile; engine heap's smallest base is HEAP_GRID. */
enum { PLAN_LEAST_BASE = 512 };

/* Engine tile: the most keys, of 4 or 8 bytes; its ranks of samples have 32 bits. */
#define PLAN_MOST_TILED (UINT64_C(1) << 34)

/* Bytes that each part of the workspace begins at a multiple of. */
enum { PLAN_ALIGNMENT = 256 };

static inline uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static inline uint64_t round_up(uint64_t a, uint64_t b)
{
    return divide_up(a, b) * b;
}

static inline int power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* MW_UNSUPPORTED: the tuning table has no row that fits. */
mw_status plan_no_row(const char *engine, const mw_info *info, size_t key_size,
                      struct error *error);

/*
 * Engine heap: no sort of at most `count` keys by this filled-in tuning has more cells
 * of cuts, whatever base of at least `least_base` keys it chooses.
 */
uint64_t plan_heap_cells(const mw_tuning *tuning, uint32_t least_base, uint64_t count);

/* Engine tile: the greatest count that has the same row as `count` for every key size. */
uint64_t plan_tile_row_end(uint64_t count);

/* Engine tile's part of plan_make: everything but the workspace. */
mw_status plan_tile(struct plan *plan, const mw_info *info, struct plan_keys keys,
                    uint64_t count, struct error *error);

/* Engine tile: the time of a pass of 2^levels ways over `count` keys, in 0.1 ps. */
uint64_t plan_pass_time(struct plan_keys keys, uint64_t count, uint32_t levels);

/* Engine tile: the keys of a piece, such that a tile holds it if cuts are `slack` keys off.
 */
uint64_t plan_tile_piece(const struct tile_geometry *tile, uint32_t ways, int slack);

/* Can keys by this program of engine tile be dealt, if they are `count`? */
int plan_may_deal(const struct program_name *program, uint64_t count);

/* Engine deal: what a plan of engine tile has besides. */
void plan_deal(struct plan *plan, const mw_info *info, size_t key_size, uint64_t count);

/* Engine pair's part: all of it. MW_UNSUPPORTED if the wish has other numbers. */
mw_status plan_pair(struct plan *plan, size_t key_size, uint64_t count,
                    struct error *error);

/* Does engine tally sort these keys on this device? */
int plan_tally_serves(const mw_info *info, struct plan_keys keys);

/* The fewest of such keys that it is chosen for. */
uint64_t plan_tally_least(struct plan_keys keys);

/* Engine tally's part: all of it. MW_UNSUPPORTED if the wish has other numbers. */
mw_status plan_tally(struct plan *plan, const mw_info *info, struct plan_keys keys,
                     uint64_t count, struct error *error);

/* Lay out the workspace for the rounds that the plan has, of engine heap or tile. */
void plan_workspace(struct plan *plan, struct plan_keys keys, uint64_t count);

#endif
