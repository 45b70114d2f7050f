#include "pass_traffic.h"

#include "tap.h"

/* Sectors that so many bytes fill, from the beginning of one. */
static uint64_t sectors_of(uint64_t bytes)
{
    return (bytes + 31) / 32;
}

/* What a round's pass may move more than its keys; `looked`: and its cuts look at. */
static uint64_t round_extra(const struct plan *plan, uint32_t number, size_t key_size)
{
    const uint64_t samples =
        sectors_of((plan->key_bytes / key_size + TILE_SAMPLE - 1) / TILE_SAMPLE * key_size);
    const struct plan_round *const round = &plan->round[number ? number - 1 : 0];
    const uint64_t cuts = round->groups * (round->pieces + 1);

    if (number == 0)
        return samples;
    if (round->joined)
        return 2 * samples;
    return 2 * samples + 2 * sectors_of(cuts * round->ways * sizeof(unsigned)) +
           (key_size == 8 ? 2 * sectors_of(cuts * 2 * sizeof(unsigned)) : 0);
}

int pass_traffic_fits(mw_context *context, const struct plan *plan, size_t key_size,
                      int large, struct pass_most *most)
{
    const uint64_t each_once = 2 * sectors_of(plan->key_bytes);
    uint64_t counted[PLAN_MOST_ROUNDS + 1] = {0};
    const mw_launch *launches;
    size_t count;

    if (mw_get_launches(context, &launches, &count) != MW_OK || count != plan->launches)
        return 0;
    for (size_t i = 0; i < count; i++)
        counted[launches[i].round] += launches[i].traffic.global_distinct;
    for (uint32_t i = 0; i <= plan->rounds; i++) {
        const uint64_t extra = round_extra(plan, i, key_size);
        const double excess = (double)counted[i] / (double)each_once - 1;

        if (counted[i] < each_once) return 0;
        if (large && excess > most->excess) most->excess = excess;
        if (i > 0 && !plan->round[i - 1].joined && counted[i] > each_once + extra) {
            const struct plan_round *const round = &plan->round[i - 1];
            double looked = (double)(counted[i] - each_once - extra) / (double)(round->groups * (round->pieces + 1) * round->ways);
            if (looked > most->looked) most->looked = looked;
            if (looked > key_size) tap_note("LOOKED %.2f size %zu excess %.2f ways %u", looked, key_size, 100*excess, round->ways);
        } else if (counted[i] > each_once + extra) {tap_note("round %u joined: %llu > %llu + %llu", i, (unsigned long long)counted[i], (unsigned long long)each_once, (unsigned long long)extra); return 0;}
        if (large && excess > 0.05) tap_note("EXCESS %.2f round %u ways %u size %zu", 100*excess, i, i?plan->round[i-1].ways:0, key_size);
    }
    return 1;
}
