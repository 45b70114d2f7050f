#include "pass_traffic.h"

#include "tap.h"

/* Sectors that so many bytes fill, from the beginning of one. */
static uint64_t sectors_of(uint64_t bytes)
{
    return (bytes + 31) / 32;
}

/* Every 32nd key is a sample. */
static uint64_t sectors_of_samples(const struct plan *plan, size_t key_size)
{
    const uint64_t keys = plan->key_bytes / key_size;

    return sectors_of((keys + TILE_SAMPLE - 1) / TILE_SAMPLE * key_size);
}

/* A cell for each list of each cut. */
static uint64_t sectors_of_cells(uint64_t cells)
{
    return sectors_of(cells * sizeof(wide));
}

/*
 * A pass reads and writes each key once, and writes samples but in the last. The first
 * clears the cells of cuts; the others read samples. Those that are not joined have
 * cells, too: some blocks write them before others read them. All keys that are looked at
 * for cuts are merged in the same launch.
 */
static int moves_little(const struct plan *plan, uint32_t number, size_t key_size,
                        uint64_t moved)
{
    const struct plan_round *const round = number ? &plan->round[number - 1] : NULL;
    const uint64_t samples = sectors_of_samples(plan, key_size);
    const uint64_t cells =
        !round ? sectors_of_cells(plan->cut_cells)
        : round->joined
            ? 0
            : sectors_of_cells(round->groups * (round->pieces + 1) * round->ways);
    const uint64_t least =
        2 * sectors_of(plan->key_bytes) + (number < plan->rounds ? samples : 0) + cells;
    const uint64_t most = least + (round ? samples : 0);

    if (moved >= least && moved <= most)
        return 1;
    tap_note("pass %u moves %llu distinct sectors, not %llu to %llu", number,
             (unsigned long long)moved, (unsigned long long)least,
             (unsigned long long)most);
    return 0;
}

/* Launch `l` of the plan's sort does not touch more than it must. */
static int launch_fits(const struct plan *plan, const mw_launch *l, size_t key_size,
                       int large, double *most)
{
    const uint64_t counted = l->traffic.global_distinct;
    const double once = 2 * (double)sectors_of(plan->key_bytes);
    const double more = 100 * ((double)counted / once - 1);

    if (large && more > *most)
        *most = more;
    if (large && more > PASS_PERCENT) {
        tap_note("pass %u: %.2f %% more than each key once", l->round, more);
        return 0;
    }
    return moves_little(plan, l->round, key_size, counted);
}

int pass_traffic_fits(mw_context *context, const struct plan *plan, size_t key_size,
                      int large, double *most)
{
    const uint64_t part = plan->tuning.base / plan->tuning.ways * key_size;
    const int held = large && part >= PASS_LEAST_BYTES;
    const mw_launch *launches;
    size_t count;
    int passed = 1;

    if (mw_get_launches(context, &launches, &count) != MW_OK || count != plan->launches)
        return 0;
    for (size_t i = 0; i < count; i++)
        passed &= launch_fits(plan, &launches[i], key_size, held, most);
    return passed;
}
