/*
 * plan_tile.h - does a round of engine tile keep its contract? Its tiles have room for
 * their pieces, or all keys fit a block.
 */
#ifndef MW_TESTS_PLAN_TILE_H
#define MW_TESTS_PLAN_TILE_H

#include "plan.h"

/* Ranks: one group, whose keys a block's shared memory holds, each with a thread. */
static inline int ranks_fit(const mw_info *info, const struct plan *p,
                            const struct plan_round *r)
{
    return r->joined && r->groups == 1 && r->blocks == r->pieces &&
           r->piece == p->tuning.threads && (r->run & (r->run - 1)) == 0 &&
           p->key_bytes <= TILE_RANKS_BYTES && p->key_bytes <= info->shared_per_block;
}

/*
 * A piece fits a tile even if both cuts are off by all their slack and each pair of lists
 * ends with an almost empty row; there is a warp for each cut.
 */
static inline int tile_fits(const mw_info *info, const struct plan *p,
                            const struct plan_round *r)
{
    const struct tile_geometry *const tile = &p->program.tile;
    const uint64_t keys = (uint64_t)tile->rows * tile->items;
    const uint64_t cuts = r->groups * (r->pieces + 1);
    const uint64_t warps = tile->rows / 32;

    if (r->ranked)
        return ranks_fit(info, p, r);
    return r->piece + 2 * TILE_SLACK((int)keys, (int)tile->items) +
                   r->ways / 2 * (tile->items - 1) <=
               keys &&
           r->piece > keys / (tile->items == 8 ? 4 : 2) && r->run % TILE_SAMPLE == 0 &&
           r->blocks == r->groups * r->pieces && r->blocks + r->cutters <= INT32_MAX &&
           r->cutters == (cuts + warps - 1) / warps && r->ahead >= 1 &&
           r->ahead <= r->cutters;
}

#endif
