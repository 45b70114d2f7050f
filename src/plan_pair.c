/*
 * plan_pair.c - plans of engine pair, which follow from key size and count alone.
 */
#include "plan_parts.h"

/* Tiles of the output are tiles of the input: runs are whole tiles but for the last. */
mw_status plan_pair(struct plan *plan, size_t key_size, uint64_t count, struct error *error)
{
    mw_tuning *const t = &plan->tuning;
    const uint32_t items = PAIR_ITEMS(key_size);
    const uint32_t tile = PAIR_TILE(key_size);
    const uint64_t tiles = divide_up(count, tile);
    const uint64_t warps = tiles * (PAIR_THREADS / WARP);

    if ((t->ways && t->ways != 2) || (t->threads && t->threads != PAIR_THREADS) ||
        (t->items && t->items != items) || (t->base && t->base != tile))
        return fail(error, MW_UNSUPPORTED,
                    "engine pair has 2 ways, %d threads, %u items and a base of %u for "
                    "this type",
                    PAIR_THREADS, items, tile);
    t->ways = 2;
    t->warps = warps < UINT32_MAX ? (uint32_t)warps : UINT32_MAX;
    t->threads = PAIR_THREADS;
    t->items = items;
    t->base = tile;
    plan->base_blocks = tiles;
    plan->base_threads = PAIR_THREADS;
    plan->base_shared = PAIR_SHARED(key_size);
    plan->merge_shared = PAIR_SHARED(key_size);
    for (uint64_t span = 1; span < tiles; span *= 2)
        plan->round[plan->rounds++] =
            (struct plan_round){.run = span * tile,
                                .groups = divide_up(tiles, 2 * span),
                                .pieces = tiles < 2 * span ? tiles : 2 * span,
                                .piece = tile,
                                .blocks = tiles,
                                .ways = 2};
    plan->launches = count ? 1 + 2 * plan->rounds : 0;
    plan->kernels = count ? KERNEL_SET(KERNEL_PAIR_SORT) : 0;
    if (plan->rounds == 0)
        return MW_OK;
    plan->kernels |= KERNEL_SET(KERNEL_PAIR_CUT) | KERNEL_SET(KERNEL_PAIR_MERGE);
    plan->cuts_offset = round_up(plan->key_bytes, PLAN_ALIGNMENT);
    plan->workspace_bytes =
        plan->cuts_offset + round_up(tiles * sizeof(wide), PLAN_ALIGNMENT);
    return MW_OK;
}
