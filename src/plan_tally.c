/*
 * plan_tally.c - plans of engine tally: how many blocks count, and how many write.
 *
 * The workspace does not fall as the count rises: neither do the rows, and the rest of it
 * is the same for all counts.
 */
#include "plan_parts.h"

int plan_tally_serves(const mw_info *info, struct plan_keys keys)
{
    return !keys.places && keys.size <= 2 &&
           TALLY_SHARED(8 * keys.size) <= info->shared_per_block;
}

uint64_t plan_tally_least(struct plan_keys keys)
{
    return keys.size == 1 ? PLAN_TALLY_LEAST_1 : PLAN_TALLY_LEAST_2;
}

/* Blocks of tally_count: each writes a row, so there are few. */
static uint64_t rows_for(const mw_info *info, struct plan_keys keys, uint64_t count)
{
    const uint64_t each = keys.size == 1 ? PLAN_TALLY_EACH_1 : PLAN_TALLY_EACH_2;
    const uint64_t wanted = divide_up(count, each);
    const uint64_t needed = divide_up(count, TALLY_MOST_KEYS(8 * keys.size) / 2);
    const uint64_t rows = wanted < info->processors ? wanted : info->processors;

    return rows > needed ? rows : needed;
}

/*
 * Every lane of tally_write stores at least one vector, and more once all SMs are full: a
 * warp then searches for fewer vectors.
 */
static void plan_writing(struct plan *plan, const mw_info *info)
{
    struct plan_tally *const tally = &plan->tally;
    const uint64_t vectors = plan->key_bytes / TALLY_VECTOR + 2; /* some cut at the ends */
    const uint64_t full = (uint64_t)info->processors * 2048;
    const uint64_t each = vectors / full;

    tally->write_vectors = each < 1                    ? 1
                           : each > TALLY_MOST_WRITTEN ? TALLY_MOST_WRITTEN
                                                       : (uint32_t)each;
    tally->write_blocks =
        divide_up(vectors, (uint64_t)tally->write_vectors * tally_write_threads);
}

static void plan_arrays(struct plan *plan, struct plan_keys keys, uint64_t rows)
{
    struct plan_tally *const tally = &plan->tally;
    const int wide_keys = keys.size == 2; /* 1-byte keys have only totals */
    const uint64_t codes = TALLY_CODES(8 * keys.size);
    uint64_t at =
        round_up(rows * TALLY_DIGITS * TALLY_TOTAL_BYTES(8 * keys.size), PLAN_ALIGNMENT);

    tally->counts_offset = at;
    at += wide_keys ? rows * codes * sizeof(unsigned short) : 0;
    tally->carries_offset = at;
    at += wide_keys ? rows * TALLY_MOST_CARRIES * sizeof(unsigned short) : 0;
    tally->carry_count_offset = at;
    at += wide_keys ? round_up(rows * sizeof(unsigned), PLAN_ALIGNMENT) : 0;
    tally->starts_offset = at;
    plan->workspace_bytes =
        at + round_up((uint64_t)TALLY_STARTS(8 * keys.size) * sizeof(wide), PLAN_ALIGNMENT);
}

mw_status plan_tally(struct plan *plan, const mw_info *info, struct plan_keys keys,
                     uint64_t count, struct error *error)
{
    mw_tuning *const t = &plan->tuning;
    const uint32_t threads = tally_count_threads;
    const uint32_t items = keys.size == 1 ? 16 : 8;
    const uint64_t rows = rows_for(info, keys, count);

    if (keys.size > 2)
        return fail(error, MW_UNSUPPORTED,
                    "engine tally sorts keys of 1 and 2 bytes, not of %zu", keys.size);
    if (!plan_tally_serves(info, keys))
        return fail(error, MW_UNSUPPORTED,
                    "engine tally needs %u bytes of shared memory; a block has %llu",
                    (unsigned)TALLY_SHARED(8 * keys.size),
                    (unsigned long long)info->shared_per_block);
    if ((t->threads && t->threads != threads) || (t->items && t->items != items) ||
        (t->base && t->base != threads * items))
        return fail(error, MW_UNSUPPORTED,
                    "engine tally has %u threads, %u items and a base of %u for this type",
                    threads, items, threads * items);
    t->ways = 2;
    t->threads = threads;
    t->items = items;
    t->base = threads * items;
    t->warps = (uint32_t)(rows * (threads / WARP));
    plan->program.tile = (struct tile_geometry){0};
    plan->base_blocks = rows;
    plan->base_threads = threads;
    plan->base_shared = (uint32_t)TALLY_SHARED(8 * keys.size);
    if (count == 0)
        return MW_OK;
    plan->launches = 3;
    plan->kernels = kernels_of(MW_ENGINE_TALLY);
    plan->tally.sum_blocks = keys.size == 1 ? 1 : TALLY_DIGITS;
    plan->tally.sum_threads = rows > 4 ? tally_sum_threads : TALLY_DIGITS;
    plan_writing(plan, info);
    plan_arrays(plan, keys, rows);
    return MW_OK;
}
