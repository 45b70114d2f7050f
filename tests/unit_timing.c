/*
 * unit_timing.c - mw_set_timing and mw_get_launches: which launches a sort made, in which
 * order, and none of a sort that was not timed. One segment is sorted as bare keys are.
 */
#include "base/base.h"
#include "trial.h"

#include "tap.h"

enum { FEW = 40000, MOST = 1 << 22 };

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

/*
 * A handle's sorts in turn. Engine tile cuts and merges a few tiles in one launch,
 * tile_join; with more, MW_TIMING_PHASES gives cuts launches of their own.
 */
static void test_engine(struct tap *tap, const char *device, mw_engine engine,
                        const char *name, uint64_t many)
{
    const int tile = engine == MW_ENGINE_TILE;
    mw_tuning tuning = MW_TUNING_INIT;
    struct timed off = {.count = 9}, one = off, none = off, few = off, whole = off,
                 apart = off;
    const mw_launch *launches = NULL;
    mw_context *context;
    size_t first = 9;
    size_t again = 0;
    mw_status status;

    tuning.engine = engine;
    tuning.ways = 2;
    tuning.threads = tile ? 64 : 0;
    tuning.items = tile ? 32 : 0;
    TRY(mw_open(&context, device, NULL));
    TRY(mw_set_tuning(context, &tuning));
    TRY(mw_get_launches(context, &launches, &first));
    TRY(sort_timed(context, MW_TIMING_OFF, many, &off));
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, many, &whole));
    tap_case(tap,
             plausible(&whole, name) && whole.counts.launches == off.counts.launches &&
                 whole.cuts == 0 && (whole.merges > 0) == tile &&
                 (whole.counts.traffic.global_distinct > 0) == (strcmp(device, "sim") == 0),
             "%s %s: timed or not, %zu launches", device, name, whole.count);
    TRY(sort_timed(context, MW_TIMING_PHASES, many, &apart));
    tap_case(tap,
             plausible(&apart, name) && apart.cuts == whole.merges &&
                 apart.merges == whole.merges && apart.count == whole.count + apart.cuts,
             "%s %s: in phases %zu more, which find cuts", device, name, apart.cuts);
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, 1, &one));
    tap_case(tap, one.count == 1 && one.launches[0].round == 0,
             "%s %s: one key takes the first pass only", device, name);
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, 0, &none));
    tap_case(tap, first == 0 && off.count == 0 && none.count == 0,
             "%s %s: no launches before a sort, untimed, or of no keys", device, name);
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, FEW, &few));
    TRY(mw_set_timing(context, MW_TIMING_OFF));
    TRY(mw_get_launches(context, &launches, &again));
    tap_case(tap,
             plausible(&few, name) && again == few.count && few.counts.rounds > 1 &&
                 few.count == 1 + (tile ? 1 : 2) * few.counts.rounds,
             "%s %s: %zu launches, %u rounds, and the same when asked again", device, name,
             few.count, (unsigned)few.counts.rounds);
done:
    tap_case(tap, status == MW_OK, "%s %s: every call succeeds: %s", device, name,
             mw_error(context));
    mw_close(context);
}

/* One segment of keys is copied, sorted as bare keys are, and copied back. */
static void test_one_segment(struct tap *tap, mw_context *context, mw_engine engine)
{
    static const uint32_t bounds[] = {1, FEW - 1};
    const mw_table table = {keys, FEW, NULL, 0};
    mw_tuning tuning = MW_TUNING_INIT;
    const mw_launch *launches = NULL;
    mw_job job = MW_JOB_INIT;
    size_t count = 0;
    mw_status status;

    job.order = mw_order_of(MW_U32, MW_ASCENDING);
    job.in = &table;
    job.segment_begins = &bounds[0];
    job.segment_ends = &bounds[1];
    job.segment_type = MW_U32;
    job.segment_count = 1;
    tuning.engine = engine;
    TRY(mw_set_tuning(context, &tuning));
    TRY(mw_set_timing(context, MW_TIMING_LAUNCHES));
    TRY(kit_fill(MW_U32, "random", 1, keys, FEW));
    TRY(mw_run(context, &job));
    TRY(mw_get_launches(context, &launches, &count));
done:
    tap_ok(tap,
           status == MW_OK && count > 2 &&
               strcmp(launches[0].kernel, "segment_copy") == 0 &&
               strcmp(launches[1].kernel, "tile_sort") == 0 &&
               strcmp(launches[count - 1].kernel, "segment_copy") == 0 &&
               kit_first_disorder(MW_U32, MW_ASCENDING, keys + 1, FEW - 2) == FEW - 2,
           engine ? "one segment, engine tile" : "one segment", mw_error(context));
}

int main(void)
{
    static const char *const devices[] = {"sim", "cuda"};
    struct tap tap = {0, 0};
    struct timed timed;
    mw_context *context;

    mw_open(&context, "cpu:1", NULL);
    tap_ok(&tap,
           sort_timed(context, MW_TIMING_PHASES, FEW, &timed) == MW_OK && timed.count == 0,
           "the CPU launches nothing", mw_error(context));
    mw_close(context);
    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        const mw_status status = mw_open(&context, devices[i], NULL);
        /* More tiles than tile_join serves: 4 for each SM, or 64. */
        const uint64_t many = strcmp(devices[i], "sim") == 0 ? 150000 : MOST;

        if (status == MW_NO_DEVICE) {
            mw_close(context);
            tap_skip(&tap, devices[i], "no such device here");
            continue;
        }
        test_one_segment(&tap, context, MW_ENGINE_AUTO);
        test_one_segment(&tap, context, MW_ENGINE_TILE);
        mw_close(context);
        test_engine(&tap, devices[i], MW_ENGINE_TILE, "tile", many);
        test_engine(&tap, devices[i], MW_ENGINE_HEAP, "heap", FEW);
    }
    return tap_end(&tap);
}
