/*
 * unit_timing.c - mw_set_timing and mw_get_launches: which launches a sort made, in which
 * order, and none of a sort that was not timed.
 */
#include "base/base.h"
#include "trial.h"

#include "tap.h"

enum { COUNT = 40000, MOST = 1 << 22 };

static uint32_t keys[MOST];

/* The handle's last sort: its counts, its launches, and the launches of two kernels. */
struct timed {
    mw_counts counts;
    const mw_launch *launches;
    size_t count, cuts, merges;
};

static mw_status sort_timed(mw_context *context, mw_timing timing, uint64_t count,
                            struct timed *timed)
{
    mw_status status;

    *timed = (struct timed){.counts = MW_COUNTS_INIT, .count = 9};
    TRY(mw_set_timing(context, timing));
    TRY(kit_fill(MW_U32, "random", 1, keys, count));
    TRY(mw_sort(context, MW_U32, MW_ASCENDING, keys, count));
    if (kit_first_disorder(MW_U32, MW_ASCENDING, keys, count) < count)
        return MW_KERNEL_FAULT;
    TRY(mw_get_counts(context, &timed->counts));
    TRY(mw_get_launches(context, &timed->launches, &timed->count));
    for (size_t i = 0; i < timed->count; i++) {
        timed->cuts += strcmp(timed->launches[i].kernel, "tile_cut") == 0;
        timed->merges += strcmp(timed->launches[i].kernel, "tile_merge") == 0;
    }
done:
    return status;
}

/* Are these the launches of a sort: its engine's, rounds in order, all its traffic? */
static int plausible(const struct timed *timed, const char *engine)
{
    const mw_traffic *const whole = &timed->counts.traffic;
    mw_traffic traffic = {0};
    double sum = 0;
    uint32_t round = 0;
    int right = timed->count == timed->counts.launches && timed->count > 0;

    for (size_t i = 0; i < timed->count; i++) {
        const mw_launch *const launch = &timed->launches[i];

        right &= strncmp(launch->kernel, engine, 4) == 0 && launch->blocks > 0 &&
                 launch->threads >= 32 && launch->milliseconds >= 0 &&
                 (launch->round == round || (i > 0 && launch->round == round + 1)) &&
                 (!whole->global_requests || launch->traffic.global_distinct > 0);
        round = launch->round;
        sum += launch->milliseconds;
        traffic_add(&traffic, &launch->traffic);
    }
    return right && sum > 0 && round == timed->counts.rounds &&
           memcmp(&traffic, whole, sizeof traffic) == 0;
}

/* Two engines, many sorts with one handle. */
static void test_engine(struct tap *tap, const char *device, mw_engine engine,
                        const char *name)
{
    /* Engine tile cuts and merges a few tiles in one launch, tile_join. */
    const size_t launches_a_round = engine == MW_ENGINE_TILE ? 1 : 2;
    mw_tuning tuning = MW_TUNING_INIT;
    struct timed all, one, none, off;
    const mw_launch *launches = NULL;
    mw_context *context;
    size_t count = 9;
    double last;
    mw_status status;

    tuning.engine = engine;
    tuning.ways = 2;
    TRY(mw_open(&context, device, NULL));
    TRY(mw_set_tuning(context, &tuning));
    TRY(mw_get_launches(context, &launches, &count));
    TRY(sort_timed(context, MW_TIMING_OFF, COUNT, &off));
    tap_case(tap, count == 0 && off.count == 0, "%s %s: no launches untimed", device, name);
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, 1, &one));
    tap_case(tap, one.count == 1 && one.launches[0].round == 0,
             "%s %s: one key takes the first pass only", device, name);
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, 0, &none));
    tap_case(tap, none.count == 0, "%s %s: no keys, no launches", device, name);
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, COUNT, &all));
    tap_case(tap,
             plausible(&all, name) && all.counts.rounds > 1 &&
                 all.count == 1 + launches_a_round * all.counts.rounds &&
                 (all.counts.traffic.global_distinct > 0) == (strcmp(device, "sim") == 0),
             "%s %s: %zu launches, %u rounds", device, name, all.count,
             (unsigned)all.counts.rounds);
    last = all.launches[all.count - 1].milliseconds;
    TRY(mw_set_timing(context, MW_TIMING_OFF));
    TRY(mw_get_launches(context, &launches, &count));
    tap_case(tap, count == all.count && launches[count - 1].milliseconds == last,
             "%s %s: asked again without timing, the same", device, name);
done:
    tap_case(tap, status == MW_OK, "%s %s: every call succeeds: %s", device, name,
             mw_error(context));
    mw_close(context);
}

/* With MW_TIMING_PHASES cuts get launches of their own, and otherwise not. */
static void test_phases(struct tap *tap, const char *device)
{
    /* More tiles than tile_join serves: 4 for each SM, or 64. */
    const uint64_t count = strcmp(device, "sim") == 0 ? 150000 : MOST;
    mw_tuning tuning = MW_TUNING_INIT;
    struct timed off = {.count = 9}, whole = {.count = 9}, apart = {.count = 9};
    mw_context *context;
    mw_status status;

    tuning.engine = MW_ENGINE_TILE;
    tuning.threads = 64;
    tuning.items = 32;
    TRY(mw_open(&context, device, NULL));
    TRY(mw_set_tuning(context, &tuning));
    TRY(sort_timed(context, MW_TIMING_OFF, count, &off));
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, count, &whole));
    TRY(sort_timed(context, MW_TIMING_PHASES, count, &apart));
done:
    tap_case(tap,
             status == MW_OK && off.count == 0 && whole.merges > 0 && whole.cuts == 0 &&
                 whole.count == off.counts.launches &&
                 whole.counts.launches == off.counts.launches,
             "%s: timed or not, %zu launches: %s", device, whole.count, mw_error(context));
    tap_case(tap,
             apart.cuts == whole.merges && apart.merges == whole.merges &&
                 apart.count == whole.count + apart.cuts &&
                 apart.counts.launches == apart.count,
             "%s: in phases %zu more, which find cuts", device, apart.cuts);
    mw_close(context);
}

static void test_cpu(struct tap *tap)
{
    struct timed timed;
    mw_context *context;

    mw_open(&context, "cpu:1", NULL);
    tap_ok(tap,
           sort_timed(context, MW_TIMING_PHASES, COUNT, &timed) == MW_OK &&
               timed.count == 0,
           "the CPU launches nothing", mw_error(context));
    mw_close(context);
}

int main(void)
{
    static const char *const devices[] = {"sim", "cuda"};
    struct tap tap = {0, 0};

    test_cpu(&tap);
    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        mw_context *context;
        const mw_status status = mw_open(&context, devices[i], NULL);

        mw_close(context);
        if (status == MW_NO_DEVICE) {
            tap_skip(&tap, devices[i], "no such device here");
            continue;
        }
        test_engine(&tap, devices[i], MW_ENGINE_TILE, "tile");
        test_engine(&tap, devices[i], MW_ENGINE_HEAP, "heap");
        test_phases(&tap, devices[i]);
    }
    return tap_end(&tap);
}
