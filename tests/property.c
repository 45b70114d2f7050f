/*
 * property.c - random types, counts, shapes, tunings and devices, for as long
 * as it is given.
 *
 *   property [seconds [seed]]
 *
 * The seed is printed first. Case i is made from seed + i alone, and a failure
 * prints that number: given as the seed it makes the failing case the first.
 */
#include "trial.h"

#include "tap.h"
#include "tile_rows.h"

#include <stdlib.h>
#include <time.h>

static const struct device {
    const char *name;
    uint64_t most; /* keys */
    int share;     /* of a hundred cases */
} devices[] = {
    {"cpu:1", 200000,  15},
    {"cpu:2", 1000000, 25},
    {"cpu:7", 200000,  15},
    {"sim",   100000,  30},
    {"cuda",  4000000, 15},
};

/* A stream of random numbers. */
struct dice {
    uint64_t state;
};

static uint64_t roll(struct dice *dice, uint64_t sides)
{
    dice->state = kit_mix(dice->state + UINT64_C(0x9e3779b97f4a7c15));
    return dice->state % sides;
}

/* 0 to `most`, every order of magnitude as likely as the next. */
static uint64_t roll_magnitude(struct dice *dice, uint64_t most)
{
    uint64_t bits = 0;
    uint64_t number;

    while (most >> bits)
        bits++;
    number = roll(dice, UINT64_C(1) << roll(dice, bits + 1));
    return number < most ? number : most;
}

/* Any shape; where it takes a number, mostly any number. */
static void roll_shape(struct dice *dice, uint64_t count, char shape[SHAPE_TEXT])
{
    int rows = 0;
    size_t length;

    while (kit_shape_text(rows))
        rows++;
    trial_shape((int)roll(dice, (uint64_t)rows), shape);
    length = strcspn(shape, ":");
    if (strchr(shape, ','))
        snprintf(shape + length, SHAPE_TEXT - length, ":%d,%d%s", 1 + (int)roll(dice, 64),
                 32 << roll(dice, 6), roll(dice, 2) ? ",worst" : "");
    else if (shape[length] ||
             ((strncmp(shape, "few", 3) == 0 || strncmp(shape, "blocks", 6) == 0 ||
               strncmp(shape, "interleaved", 11) == 0) &&
              roll(dice, 4)))
        snprintf(shape + length, SHAPE_TEXT - length, ":%llu",
                 (unsigned long long)(1 + roll_magnitude(dice, count + 1)));
}

static struct trial roll_trial(struct dice *dice, uint64_t most, char shape[SHAPE_TEXT])
{
    struct trial t = {.type = (mw_type)roll(dice, MW_TYPE_COUNT),
                      .direction = (mw_direction)roll(dice, 2),
                      .shape = shape,
                      .seed = roll(dice, UINT32_MAX),
                      .count = roll_magnitude(dice, most),
                      .tuning = MW_TUNING_INIT,
                      .device_memory = roll(dice, 3) == 0};

    roll_shape(dice, t.count, shape);
    if (roll(dice, 5))
        t.tuning.ways = 2u << roll(dice, 5);
    t.tuning.engine = (mw_engine)roll(dice, 4);
    if (t.tuning.engine == MW_ENGINE_PAIR) {
        t.tuning.ways = t.tuning.ways ? 2 : 0;
        return t; /* which has no choice of anything */
    }
    if (t.tuning.engine == MW_ENGINE_TILE) {
        const struct tile_geometry *const tile =
            tile_of_size(mw_type_size(t.type), (int)roll(dice, 5));

        t.tuning.threads = tile ? tile->rows : 0;
        t.tuning.items = tile ? tile->items : 0;
        return t;
    }
    if (roll(dice, 4) == 0)
        return t; /* auto is tile without what follows */
    if (roll(dice, 3))
        t.tuning.warps = 1 + (uint32_t)roll_magnitude(dice, 300);
    if (roll(dice, 3))
        t.tuning.threads = 32 * (1 + (uint32_t)roll(dice, 8));
    if (roll(dice, 3))
        t.tuning.base = 1024u << roll(dice, 5);
    return t;
}

/* How each device has done. */
struct score {
    mw_context *context; /* NULL: there is no such device here */
    int cases;
    int failed;
};

static size_t roll_device(struct dice *dice)
{
    int left = (int)roll(dice, 100);

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        left -= devices[i].share;
        if (left < 0)
            return i;
    }
    return 0;
}

static void run_case(struct score *scores, uint64_t seed)
{
    struct dice dice = {seed};
    const size_t device = roll_device(&dice);
    struct score *const score = &scores[device];
    char shape[SHAPE_TEXT];
    const struct trial t = roll_trial(&dice, devices[device].most, shape);
    struct outcome outcome;

    if (!score->context)
        return;
    score->cases++;
    if (!trial_run(score->context, &t, &outcome)) {
        char text[TRIAL_TEXT];

        score->failed++;
        trial_text(&t, text);
        tap_note("seed %llu: %s: %s", (unsigned long long)seed, devices[device].name, text);
        tap_note("seed %llu: %s", (unsigned long long)seed, outcome.why);
    }
    trial_close(&outcome);
}

static int failures(const struct score *scores)
{
    int failed = 0;

    for (size_t i = 0; i < COUNT_OF(devices); i++)
        failed += scores[i].failed;
    return failed;
}

int main(int count, char **error)
{
    const double seconds = count > 1 ? atof(error[1]) : 10;
    const uint64_t seed = count > 2 ? strtoull(error[2], NULL, 0)
                                    : kit_mix((uint64_t)time(NULL)) % 1000000000;
    const double start = kit_seconds();
    struct score scores[COUNT_OF(devices)] = {
        {NULL, 0, 0}
    };
    struct tap tap = {0, 0};

    tap_note("seed %llu", (unsigned long long)seed);
    fflush(stdout);
    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        const mw_status status = mw_open(&scores[i].context, devices[i].name, NULL);

        if (status != MW_OK) {
            tap_note("%s: %s", devices[i].name, mw_error(scores[i].context));
            scores[i].failed =
                status != MW_NO_DEVICE || strcmp(devices[i].name, "cuda") != 0;
            mw_close(scores[i].context);
            scores[i].context = NULL;
        }
    }
    for (uint64_t i = 0; kit_seconds() - start < seconds && failures(scores) < 10; i++)
        run_case(scores, seed + i);
    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        char text[80];

        snprintf(text, sizeof text, "%s: random sorts", devices[i].name);
        if (!scores[i].context && !scores[i].failed)
            tap_skip(&tap, text, "no CUDA device");
        else
            tap_ok(&tap, scores[i].cases > 0 && scores[i].failed == 0, text, "");
        tap_note("%d cases, %d failed", scores[i].cases, scores[i].failed);
        mw_close(scores[i].context);
    }
    return tap_end(&tap);
}
