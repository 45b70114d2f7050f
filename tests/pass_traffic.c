#include "pass_traffic.h"

#include "tap.h"

#include <string.h>

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

/* Cuts, and the bounds of 8-byte keys. */
static uint64_t sectors_of_tables(const struct plan_round *round, size_t key_size)
{
    const uint64_t cuts = round->groups * (round->pieces + 1);

    return sectors_of(cuts * round->ways * sizeof(unsigned)) +
           (key_size == 8 ? sectors_of(cuts * 2 * sizeof(unsigned)) : 0);
}

/* Cuts of a round, in all lists, if they are found by a launch of their own. */
static uint64_t lists_cut(const struct plan_round *round)
{
    return round->groups * (round->pieces + 1) * round->ways;
}

/*
 * The launch that moves the keys reads and writes each of them once, writes samples but
 * in the last pass, and reads cuts, or if it finds them itself samples; the keys that it
 * looks at for that are those which it merges.
 */
static int moves_little(const struct plan *plan, uint32_t number, size_t key_size,
                        uint64_t moved)
{
    const struct plan_round *const round = number ? &plan->round[number - 1] : NULL;
    const int apart = round && !round->joined;
    const uint64_t samples = sectors_of_samples(plan, key_size);
    const uint64_t least =
        2 * sectors_of(plan->key_bytes) + (number < plan->rounds ? samples : 0);
    const uint64_t most = least + (apart   ? sectors_of_tables(round, key_size)
                                   : round ? samples
                                           : 0);

    if (moved >= least && moved <= most)
        return 1;
    tap_note("pass %u moves %llu distinct sectors, not %llu to %llu", number,
             (unsigned long long)moved, (unsigned long long)least,
             (unsigned long long)most);
    return 0;
}

/*
 * The launch that finds the cuts of a round writes them, reads samples, and looks at the
 * keys between two samples, `key_size` sectors a list; over all cuts of a pass one more
 * is enough, whatever the shape, for those that looked elsewhere before.
 */
static int looks_little(const struct plan *plan, const struct plan_round *round,
                        size_t key_size, uint64_t looked, struct pass_most *most)
{
    const uint64_t known =
        sectors_of_samples(plan, key_size) + sectors_of_tables(round, key_size);
    const double each =
        looked > known ? (double)(looked - known) / (double)lists_cut(round) : 0;

    most->looked = each > most->looked ? each : most->looked;
    if (looked <= known + lists_cut(round) * (key_size + 1))
        return 1;
    tap_note("%.2f sectors of keys a list and cut", each);
    return 0;
}

/* Launch `l` of the plan's sort does not touch more than it must. */
static int launch_fits(const struct plan *plan, const mw_launch *l, size_t key_size,
                       int large, struct pass_most *most)
{
    const uint64_t counted = l->traffic.global_distinct;
    const double once = 2 * (double)sectors_of(plan->key_bytes);
    const double more = 100 * ((double)counted / once - 1);

    if (strcmp(l->kernel, "tile_cut") == 0)
        return looks_little(plan, &plan->round[l->round - 1], key_size, counted, most);
    if (large && more > most->percent)
        most->percent = more;
    if (large && more > PASS_PERCENT) {
        tap_note("pass %u: %.2f %% more than each key once", l->round, more);
        return 0;
    }
    return moves_little(plan, l->round, key_size, counted);
}

int pass_traffic_fits(mw_context *context, const struct plan *plan, size_t key_size,
                      int large, struct pass_most *most)
{
    const mw_launch *launches;
    size_t count;
    int passed = 1;

    if (mw_get_launches(context, &launches, &count) != MW_OK || count != plan->launches)
        return 0;
    for (size_t i = 0; i < count; i++)
        passed &= launch_fits(plan, &launches[i], key_size, large, most);
    return passed;
}
