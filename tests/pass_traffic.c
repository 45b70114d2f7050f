#include "pass_traffic.h"

#include "tap.h"

/* Sectors that so many bytes fill, from the beginning of one. */
static uint64_t sectors_of(uint64_t bytes)
{
    return (bytes + 31) / 32;
}

/* Samples, every 32nd key: the first pass writes them, others read and write them. */
static uint64_t of_samples(const struct plan *plan, uint32_t number, size_t key_size)
{
    const uint64_t keys = plan->key_bytes / key_size;

    return (number ? 2 : 1) * sectors_of((keys + TILE_SAMPLE - 1) / TILE_SAMPLE * key_size);
}

/* Cuts, and the bounds of 8-byte keys: written by one launch and read by the next. */
static uint64_t of_tables(const struct plan_round *round, size_t key_size)
{
    const uint64_t cuts = round->groups * (round->pieces + 1);

    return 2 * sectors_of(cuts * round->ways * sizeof(unsigned)) +
           (key_size == 8 ? 2 * sectors_of(cuts * 2 * sizeof(unsigned)) : 0);
}

/*
 * Pass `number` counted so many. Keys that cuts look at are those between two samples,
 * `key_size` sectors a list; over all cuts of a pass one more is enough, whatever the
 * shape, for those that looked elsewhere before. A joined round reads them anyway.
 */
static int pass_fits(const struct plan *plan, uint32_t number, size_t key_size,
                     uint64_t counted, struct pass_most *most)
{
    const struct plan_round *const round = number ? &plan->round[number - 1] : NULL;
    const int apart = round && !round->joined;
    const uint64_t once = 2 * sectors_of(plan->key_bytes);
    const uint64_t least = once + of_samples(plan, 0, key_size);
    const uint64_t known = once + of_samples(plan, number, key_size) +
                           (apart ? of_tables(round, key_size) : 0);
    const uint64_t lists = apart ? round->groups * (round->pieces + 1) * round->ways : 0;
    const double looked =
        lists && counted > known ? (double)(counted - known) / (double)lists : 0;

    most->looked = looked > most->looked ? looked : most->looked;
    if (counted >= least && counted <= known + lists * (key_size + 1))
        return 1;
    tap_note("pass %u: %llu distinct sectors, not %llu to %llu", number,
             (unsigned long long)counted, (unsigned long long)least,
             (unsigned long long)(known + lists * (key_size + 1)));
    return 0;
}

int pass_traffic_fits(mw_context *context, const struct plan *plan, size_t key_size,
                      double percent, struct pass_most *most)
{
    const double once = 2 * (double)sectors_of(plan->key_bytes);
    uint64_t counted[PLAN_MOST_ROUNDS + 1] = {0};
    const mw_launch *launches;
    size_t count;
    int passed = 1;

    if (mw_get_launches(context, &launches, &count) != MW_OK || count != plan->launches)
        return 0;
    for (size_t i = 0; i < count; i++)
        counted[launches[i].round] += launches[i].traffic.global_distinct;
    for (uint32_t i = 0; i <= plan->rounds; i++) {
        const double more = 100 * ((double)counted[i] / once - 1);

        passed &= pass_fits(plan, i, key_size, counted[i], most);
        if (percent == PASS_ANY_PERCENT)
            continue;
        most->percent = more > most->percent ? more : most->percent;
        if (more > percent) {
            tap_note("pass %u: %.2f %% more than each key once, may be %.2f %%", i, more,
                     percent);
            passed = 0;
        }
    }
    return passed;
}
