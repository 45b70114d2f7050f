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

/* A device, and how it has done. */
static struct device {
    const char *name;
    uint64_t most; /* keys */
    int share;     /* of a hundred cases */
    mw_context *context;
    int cases;
    int failed;
} devices[] = {
    {"cpu:1", 200000,  15, NULL, 0, 0},
    {"cpu:2", 1000000, 25, NULL, 0, 0},
    {"cpu:7", 200000,  15, NULL, 0, 0},
    {"sim",   100000,  30, NULL, 0, 0},
    {"cuda",  4000000, 15, NULL, 0, 0},
};

static uint64_t state; /* of the random numbers */

static uint64_t roll(uint64_t sides)
{
    state = kit_mix(state + UINT64_C(0x9e3779b97f4a7c15));
    return state % sides;
}

/* 0 to `most`, every order of magnitude as likely as the next. */
static uint64_t roll_magnitude(uint64_t most)
{
    uint64_t bits = 0;
    uint64_t number;

    while (most >> bits)
        bits++;
    number = roll(UINT64_C(1) << roll(bits + 1));
    return number < most ? number : most;
}

/* Any shape; where it takes a number, mostly any number. */
static void roll_shape(uint64_t count, char shape[SHAPE_TEXT])
{
    static const char *const numbered[] = {"few", "blocks", "interleaved"};
    int rows = 0;
    size_t length;
    int number;

    while (kit_shape_text(rows))
        rows++;
    trial_shape((int)roll((uint64_t)rows), shape);
    length = strcspn(shape, ":");
    number = shape[length] != 0;
    for (size_t i = 0; i < COUNT_OF(numbered); i++)
        number |= strncmp(shape, numbered[i], strlen(numbered[i])) == 0 && roll(4);
    if (strchr(shape, ','))
        snprintf(shape + length, SHAPE_TEXT - length, ":%d,%d%s", 1 + (int)roll(64),
                 32 << roll(6), roll(2) ? ",worst" : "");
    else if (number)
        snprintf(shape + length, SHAPE_TEXT - length, ":%llu",
                 (unsigned long long)(1 + roll_magnitude(count + 1)));
}

static void roll_tuning(mw_type type, mw_tuning *tuning)
{
    tuning->engine = (mw_engine)roll(5);
    tuning->ways = roll(5) ? 2u << roll(5) : 0;
    if (roll(4)) { /* auto is tile without what follows */
        tuning->warps = roll(3) ? 1 + (uint32_t)roll_magnitude(300) : 0;
        tuning->threads = roll(3) ? 32 * (1 + (uint32_t)roll(8)) : 0;
        tuning->base = roll(3) ? 1024u << roll(5) : 0;
    }
    tile_fit(tuning, mw_type_size(type), (int)roll(5));
}

/* The case of `state`. */
static void run_case(void)
{
    const uint64_t seed = state;
    int left = (int)roll(100);
    struct device *device = devices;
    char shape[SHAPE_TEXT];
    struct trial t = {.shape = shape, .tuning = MW_TUNING_INIT};
    struct outcome outcome;

    while ((left -= device->share) >= 0)
        device++;
    if (!device->context)
        return;
    t.type = (mw_type)roll(MW_TYPE_COUNT);
    t.direction = (mw_direction)roll(2);
    t.seed = roll(UINT32_MAX);
    t.count = roll_magnitude(device->most);
    t.device_memory = roll(3) == 0;
    roll_shape(t.count, shape);
    roll_tuning(t.type, &t.tuning);
    device->cases++;
    if (!trial_run(device->context, &t, &outcome)) {
        char text[TRIAL_TEXT];

        device->failed++;
        trial_text(&t, text);
        tap_note("seed %llu: %s: %s: %s", (unsigned long long)seed, device->name, text,
                 outcome.why);
    }
    trial_close(&outcome);
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? atof(argv[1]) : 10;
    const uint64_t seed =
        argc > 2 ? strtoull(argv[2], NULL, 0) : kit_mix((uint64_t)time(NULL)) % 1000000000;
    const double start = kit_seconds();
    struct tap tap = {0, 0};

    tap_note("seed %llu", (unsigned long long)seed);
    fflush(stdout);
    for (size_t i = 0; i < COUNT_OF(devices); i++)
        devices[i].context = trial_open(&tap, devices[i].name);
    for (uint64_t i = 0; kit_seconds() - start < seconds; i++) {
        state = seed + i;
        run_case();
    }
    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        const struct device *const d = &devices[i];

        if (d->context)
            tap_case(&tap, d->cases > 0 && d->failed == 0, "%s: %d random sorts, %d failed",
                     d->name, d->cases, d->failed);
        mw_close(d->context);
    }
    return tap_end(&tap);
}
