/*
 * plan_tally.h - does a plan of engine tally keep its contract? No counter and no list of
 * carries overflows, the arrays do not overlap, every key is written.
 */
#ifndef MW_TESTS_PLAN_TALLY_H
#define MW_TESTS_PLAN_TALLY_H

#include "plan.h"

static inline const char *check_tally(const mw_info *info, const struct plan *p,
                                      size_t size, uint64_t count)
{
    const struct plan_tally *const t = &p->tally;
    const unsigned __int128 rows = p->base_blocks;
    const unsigned __int128 codes = (unsigned __int128)1 << 8 * size;
    const int pairs = size == 2;

    if (p->rounds || p->launches != (count ? 3 : 0) ||
        p->kernels != (count ? kernels_of(MW_ENGINE_TALLY) : 0))
        return "rounds, launches or kernels";
    if (count == 0)
        return p->workspace_bytes ? "a workspace for nothing" : NULL;
    if (rows < 1 || rows > INT32_MAX || p->base_threads != 1024 ||
        p->base_shared > info->shared_per_block ||
        count / rows + (unsigned __int128)64 * 1024 > TALLY_MOST_KEYS(8 * (int)size))
        return "a block counts too many keys";
    if (t->counts_offset < rows * 256 * (pairs ? 8 : 4) ||
        t->carries_offset < t->counts_offset + pairs * rows * codes * 2 ||
        t->carry_count_offset < t->carries_offset + pairs * rows * TALLY_MOST_CARRIES * 2 ||
        t->starts_offset < t->carry_count_offset + pairs * rows * 4 ||
        p->workspace_bytes < t->starts_offset + TALLY_STARTS(8 * size) * 8 ||
        t->counts_offset % 256 || t->carries_offset % 256 || t->carry_count_offset % 256 ||
        t->starts_offset % 256)
        return "arrays overlap";
    if ((unsigned __int128)t->write_blocks * 256 * t->write_vectors * 16 <
            p->key_bytes + (unsigned __int128)16 ||
        t->write_blocks > INT32_MAX || t->write_vectors < 1)
        return "keys that nobody writes";
    return NULL;
}

#endif
