/*
 * unit_timing.c - mw_set_timing and mw_get_launches: which launches a sort made,
 * in which order, and that nothing is told that was not timed.
 */
#include "base/base.h"
#include "trial.h"

#include "tap.h"

#include <stdlib.h>

enum { COUNT = 40000 };

static uint32_t keys[COUNT];

static mw_status sort_keys(mw_context *context, uint64_t count)
{
    kit_fill(MW_U32, "random", 1, keys, COUNT);
    return mw_sort(context, MW_U32, MW_ASCENDING, keys, count);
}

/* Are these the launches of a sort by `engine` that made `wanted` of them? */
static int plausible(const mw_launch *launches, size_t count, const char *engine,
                     uint32_t wanted, uint32_t rounds)
{
    const size_t length = strlen(engine);
    double sum = 0;
    int right = count == wanted && count > 0 && launches[0].round == 0 &&
                launches[count - 1].round == rounds;

    for (size_t i = 0; right && i < count; i++) {
        const mw_launch *const launch = &launches[i];

        right = strncmp(launch->kernel, engine, length) == 0 && launch->blocks > 0 &&
                launch->threads >= 32 && launch->milliseconds >= 0 &&
                (i == 0 || (launch->round >= launches[i - 1].round &&
                            launch->round <= launches[i - 1].round + 1));
        sum += launch->milliseconds;
    }
    return right && sum > 0;
}

/* Do the launches ask for what the whole sort did, each for something, if any is known? */
static int adds_up(const mw_launch *launches, size_t count, const mw_traffic *whole)
{
    mw_traffic sum = {0};
    int right = 1;

    for (size_t i = 0; i < count; i++) {
        traffic_add(&sum, &launches[i].traffic);
        right &= !whole->global_requests || launches[i].traffic.global_distinct > 0;
    }
    return right && memcmp(&sum, whole, sizeof sum) == 0;
}

/* So few keys are cut and merged at once by engine tile. */
static int merges(const mw_launch *launch, mw_engine engine)
{
    return strcmp(launch->kernel + 5, engine == MW_ENGINE_TILE ? "join" : "merge") == 0;
}

static void test_engine(struct tap *tap, const char *device, mw_engine engine,
                        const char *name)
{
    mw_tuning tuning = MW_TUNING_INIT;
    mw_counts counts = MW_COUNTS_INIT;
    const mw_launch *launches = NULL;
    const mw_launch *again = NULL;
    mw_context *context;
    size_t count = 9;
    mw_status status;

    tuning.engine = engine;
    tuning.ways = 2;
    TRY(mw_open(&context, device, NULL));
    TRY(mw_set_tuning(context, &tuning));
    TRY(mw_get_launches(context, &launches, &count));
    tap_case(tap, count == 0, "%s %s: no launches before the first sort", device, name);
    TRY(sort_keys(context, COUNT));
    TRY(mw_get_launches(context, &launches, &count));
    tap_case(tap, count == 0, "%s %s: none that were not timed", device, name);
    TRY(mw_set_timing(context, 1));
    TRY(sort_keys(context, COUNT));
    TRY(mw_get_counts(context, &counts));
    TRY(mw_get_launches(context, &launches, &count));
    tap_case(tap, plausible(launches, count, name, counts.launches, counts.rounds),
             "%s %s: %zu launches in %u rounds", device, name, count,
             (unsigned)counts.rounds);
    tap_case(tap,
             adds_up(launches, count, &counts.traffic) &&
                 (counts.traffic.global_distinct > 0) == (strcmp(device, "sim") == 0),
             "%s %s: traffic of launches is the sort's", device, name);
    tap_case(tap, counts.rounds > 1 && merges(&launches[count - 1], engine),
             "%s %s: the last one is a merge", device, name);
    tap_case(tap, count == 1 + (engine == MW_ENGINE_TILE ? 1 : 2) * (size_t)counts.rounds,
             "%s %s: few tiles are cut and merged by one launch, others by two", device,
             name);

    const double last = launches[count - 1].milliseconds;

    TRY(mw_get_launches(context, &again, &count));
    tap_case(tap, again == launches && again[count - 1].milliseconds == last,
             "%s %s: asked again, the same", device, name);
    TRY(sort_keys(context, 1));
    TRY(mw_get_launches(context, &launches, &count));
    tap_case(tap, count == 1 && launches[0].round == 0,
             "%s %s: one key takes the first pass only", device, name);
    TRY(sort_keys(context, 0));
    TRY(mw_get_launches(context, &launches, &count));
    tap_case(tap, count == 0, "%s %s: no keys, no launches", device, name);
    TRY(sort_keys(context, COUNT));
    TRY(mw_set_timing(context, 0));
    TRY(mw_get_launches(context, &launches, &count));
    tap_case(tap, count == counts.launches, "%s %s: timed, even if no longer so", device,
             name);
    TRY(sort_keys(context, COUNT));
    TRY(mw_get_launches(context, &launches, &count));
    tap_case(tap, count == 0, "%s %s: and then no more", device, name);
done:
    tap_case(tap, status == MW_OK, "%s %s: every call: %s", device, name,
             mw_error(context));
    mw_close(context);
}

/* What a sort of many keys by engine tile launched, timed in some manner. */
struct timed {
    uint64_t workspace;
    uint32_t counted; /* launches, by mw_counts */
    size_t count;     /* and by mw_get_launches: ... */
    size_t cuts;      /* ... those of tile_cut, ... */
    size_t merges;    /* ... and of tile_merge */
};

static mw_status sort_timed(mw_context *context, mw_timing timing, uint32_t *many,
                            uint64_t count, struct timed *timed)
{
    mw_counts counts = MW_COUNTS_INIT;
    const mw_launch *launches;
    mw_status status;

    *timed = (struct timed){0};
    TRY(mw_set_timing(context, timing));
    TRY(kit_sort_workspace(context, MW_U32, count, &timed->workspace));
    TRY(kit_fill(MW_U32, "random", 1, many, count));
    TRY(mw_sort(context, MW_U32, MW_ASCENDING, many, count));
    TRY(mw_get_counts(context, &counts));
    TRY(mw_get_launches(context, &launches, &timed->count));
    timed->counted = counts.launches;
    for (size_t i = 0; i < timed->count; i++) {
        timed->cuts += strcmp(launches[i].kernel, "tile_cut") == 0;
        timed->merges += strcmp(launches[i].kernel, "tile_merge") == 0;
    }
    if (kit_first_disorder(MW_U32, MW_ASCENDING, many, count) < count)
        status = MW_KERNEL_FAULT;
done:
    return status;
}

/* Cuts get launches of their own if phases are timed, and not otherwise. */
static void test_phases(struct tap *tap, const char *device)
{
    /* More tiles than are joined: four for each multiprocessor, or 64. */
    const uint64_t count = strcmp(device, "sim") == 0 ? 150000 : 1 << 22;
    uint32_t *const many = malloc(count * sizeof *many);
    mw_tuning tuning = MW_TUNING_INIT;
    struct timed off = {0};
    struct timed whole = {0};
    struct timed apart = {0};
    mw_context *context;
    mw_status status;

    tuning.engine = MW_ENGINE_TILE;
    tuning.threads = 64;
    tuning.items = 32;
    TRY(mw_open(&context, device, NULL));
    TRY(mw_set_tuning(context, &tuning));
    TRY(sort_timed(context, MW_TIMING_OFF, many, count, &off));
    TRY(sort_timed(context, MW_TIMING_LAUNCHES, many, count, &whole));
    TRY(sort_timed(context, MW_TIMING_PHASES, many, count, &apart));
done:
    tap_case(tap, status == MW_OK, "%s: sorted in phases, too: %s", device,
             mw_error(context));
    tap_case(tap,
             off.count == 0 && whole.merges > 0 && whole.cuts == 0 &&
                 whole.count == off.counted && whole.counted == off.counted,
             "%s: timed or not, %u launches", device, (unsigned)whole.counted);
    tap_case(tap,
             apart.cuts == whole.merges && apart.merges == whole.merges &&
                 apart.count == whole.count + apart.cuts && apart.counted == apart.count,
             "%s: in phases %zu more, which find cuts", device, apart.cuts);
    tap_case(tap, whole.workspace == off.workspace && apart.workspace == off.workspace,
             "%s: the workspace is the same", device);
    mw_close(context);
    free(many);
}

static void test_arguments(struct tap *tap)
{
    const mw_launch *launches = NULL;
    mw_context *context;
    size_t count = 9;

    tap_ok(tap, mw_set_timing(NULL, 1) == MW_BAD_ARGUMENT, "no handle to time", "");
    tap_ok(tap, mw_get_launches(NULL, &launches, &count) == MW_BAD_ARGUMENT,
           "no handle to ask", "");
    mw_open(&context, "nothing", NULL);
    tap_ok(tap,
           mw_set_timing(context, 1) == MW_BAD_ARGUMENT &&
               mw_get_launches(context, &launches, &count) == MW_BAD_ARGUMENT,
           "a handle that failed to open", mw_error(context));
    mw_close(context);
    mw_open(&context, "cpu:1", NULL);
    tap_ok(tap, mw_get_launches(context, NULL, &count) == MW_BAD_ARGUMENT,
           "nowhere to put launches", mw_error(context));
    tap_ok(tap, mw_get_launches(context, &launches, NULL) == MW_BAD_ARGUMENT,
           "nowhere to put their number", mw_error(context));
    tap_ok(tap,
           mw_set_timing(context, 1) == MW_OK && sort_keys(context, COUNT) == MW_OK &&
               mw_get_launches(context, &launches, &count) == MW_OK && count == 0,
           "the CPU launches nothing", "");
    tap_ok(tap,
           mw_set_timing(context, MW_TIMING_PHASES) == MW_OK &&
               mw_set_timing(context, (mw_timing)(MW_TIMING_PHASES + 1)) ==
                   MW_BAD_ARGUMENT &&
               mw_set_timing(context, (mw_timing)-1) == MW_BAD_ARGUMENT,
           "no such timing", mw_error(context));
    mw_close(context);
}

int main(void)
{
    static const char *const devices[] = {"sim", "cuda"};
    struct tap tap = {0, 0};

    test_arguments(&tap);
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
