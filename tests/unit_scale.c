/*
 * unit_scale.c - the axes of the charts in bench's report: round ticks, few of them,
 * around whatever values there are.
 */
#include "../bench/scale.h"
#include "tap.h"

#include <math.h>
#include <string.h>

enum { ROOM = 6 };

/* The ticks as one would say them, with blanks between. */
static const char *ticks_text(const struct scale *scale, char *text, size_t bytes)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < scale->count && used < bytes; i++) {
        char tick[TICK_TEXT];

        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? " " : "",
                                 scale_text(scale->ticks[i], tick));
    }
    return text;
}

static const struct {
    const char *name;
    struct scale (*make)(double least, double most, int room);
    double least, most;
    const char *ticks;
} pinned[] = {
    {"one octave",          scale_log,    1,       2,        "1 1.5 2"                   },
    {"ratios around one",   scale_log,    0.8,     2.4,      "1 1.5 2"                   },
    {"one decade and more", scale_log,    0.9,     20,       "1 2 5 10 20"               },
    {"keys and a copy",     scale_log,    1.1,     524.8,    "1 10 100"                  },
    {"five decades",        scale_log,    0.001,   90,       "0.001 0.01 0.1 1 10 100"   },
    {"many decades",        scale_log,    1e-100,  1e100,    "1e-100 1e-50 1 1e50 1e100" },
    {"one value, a tick",   scale_log,    10,      10,       "7 10 15"                   },
    {"close together",      scale_log,    1.05,    1.1,      "1 1.5"                     },
    {"one value, no tick",  scale_log,    1.2,     1.2,      "1 1.5"                     },
    {"nothing at all",      scale_log,    0,       0,        "0.7 1 1.5"                 },
    {"no number",           scale_log,    NAN,     5,        "3 5 7"                     },
    {"one power of two",    scale_powers, 1024,    1024,     "512 1024 2048"             },
    {"a single key",        scale_powers, 1,       1,        "1 2"                       },
    {"four powers",         scale_powers, 65536,   524288,   "65536 131072 262144 524288"},
    {"every second power",  scale_powers, 65536,   16777216,
     "65536 262144 1.05e6 4.19e6 1.68e7"                                                 },
    {"between powers",      scale_powers, 1000003, 1000003,  "524288 1.05e6"             },
};

static struct scale linear(double least, double most, int room)
{
    (void)least;
    return scale_linear(most, room);
}

static const struct {
    double most;
    const char *ticks;
} from_zero[] = {
    {1,        "0 0.2 0.4 0.6 0.8 1"                },
    {1.42,     "0 0.5 1 1.5"                        },
    {5.99,     "0 1 2 3 4 5 6"                      },
    {6.01,     "0 2 4 6 8"                          },
    {12345,    "0 5000 10000 15000"                 },
    {0.00003,  "0 5e-6 1e-5 1.5e-5 2e-5 2.5e-5 3e-5"},
    {0,        "0 0.2 0.4 0.6 0.8 1"                },
    {INFINITY, "0 0.2 0.4 0.6 0.8 1"                },
};

static void test_pinned(struct tap *tap)
{
    char text[512];

    for (size_t i = 0; i < COUNT_OF(pinned); i++) {
        const struct scale scale = pinned[i].make(pinned[i].least, pinned[i].most, ROOM);
        const int right =
            strcmp(ticks_text(&scale, text, sizeof text), pinned[i].ticks) == 0;

        if (!right)
            tap_note("got %s", text);
        tap_ok(tap, right, pinned[i].name, pinned[i].ticks);
    }
    for (size_t i = 0; i < COUNT_OF(from_zero); i++) {
        const struct scale scale = scale_linear(from_zero[i].most, ROOM);
        const int right =
            strcmp(ticks_text(&scale, text, sizeof text), from_zero[i].ticks) == 0;

        if (!right)
            tap_note("got %s", text);
        tap_case(tap, right, "from zero to %g: %s", from_zero[i].most, from_zero[i].ticks);
    }
}

/* What the header promises of every scale. */
static int sound(const struct scale *scale, double least, double most, int room)
{
    int right = scale->count >= 2 && scale->count <= room + 3 &&
                scale->count <= MOST_TICKS && scale->from <= least * (1 + 1e-8) &&
                scale->to >= most * (1 - 1e-8) && isfinite(scale->to);

    for (int i = 0; right && i < scale->count; i++)
        right = scale->ticks[i] >= scale->from && scale->ticks[i] <= scale->to &&
                (i == 0 || scale->ticks[i] > scale->ticks[i - 1]);
    return right && scale_place(scale, scale->from) == 0 &&
           scale_place(scale, scale->to) == 1 &&
           scale_place(scale, least) <= scale_place(scale, most) &&
           scale_place(scale, NAN) == 0;
}

/* Every size of number, every width of range, every room. */
static void test_sound(struct tap *tap)
{
    static const struct {
        const char *name;
        struct scale (*make)(double least, double most, int room);
        int powers; /* of ten that a number may have */
    } makers[] = {
        {"linear",      linear,       190},
        {"logarithmic", scale_log,    190},
        {"powers",      scale_powers, 14 }
    };

    for (size_t m = 0; m < COUNT_OF(makers); m++) {
        int wrong = 0;

        for (int power = m == 2 ? 0 : -190; power <= makers[m].powers; power++) {
            for (int wide = 0; wide <= makers[m].powers - power; wide += 1 + wide / 4) {
                for (int room = 2; room <= MOST_TICKS - 3; room++) {
                    const double factor = 1 + room / 3.0;
                    const double least = factor * pow(10, power);
                    const double most = wide ? factor * pow(10, power + wide - 0.7) : least;
                    const struct scale scale = makers[m].make(least, most, room);

                    if (!sound(&scale, least, most, room) && wrong++ < 5)
                        tap_note("%g to %g, room for %d", least, most, room);
                }
            }
        }
        tap_case(tap, wrong == 0, "%s scales are sound at every size", makers[m].name);
    }
}

static void test_places(struct tap *tap)
{
    const struct scale linear_scale = scale_linear(10, ROOM);
    const struct scale log_scale = scale_log(1, 100, ROOM);

    tap_ok(tap, fabs(scale_place(&linear_scale, 2.5) - 0.25) < 1e-12,
           "a quarter of the way", "");
    tap_ok(tap, fabs(scale_place(&log_scale, 10) - 0.5) < 1e-12, "halfway by logarithms",
           "");
    tap_ok(tap,
           scale_place(&log_scale, 1e9) == 1 && scale_place(&log_scale, 0) == 0 &&
               scale_place(&linear_scale, -3) == 0,
           "what lies outside is held at the ends", "");
}

static void test_spread(struct tap *tap)
{
    static const struct {
        const char *name;
        double from[4], to[4];
    } rows[] = {
        {"labels apart already stay",        {0, 20, 40, 90},   {0, 20, 40, 90} },
        {"labels that touch move down",      {30, 31, 32, 90},  {30, 40, 50, 90}},
        {"labels at the end move up",        {0, 99, 100, 100}, {0, 80, 90, 100}},
        {"labels in front begin at the top", {-5, -5, 3, 50},   {0, 10, 20, 50} },
    };
    double crowd[3] = {5, 5, 5};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        double places[4];

        memcpy(places, rows[i].from, sizeof places);
        scale_spread(places, 4, 10, 0, 100);
        tap_ok(tap, memcmp(places, rows[i].to, sizeof places) == 0, rows[i].name, "");
    }
    scale_spread(crowd, 3, 10, 0, 15);
    tap_ok(tap, crowd[0] == 0 && crowd[1] == 10 && crowd[2] == 20,
           "labels without room run on at the end", "");
}

int main(void)
{
    struct tap tap = {0, 0};

    test_pinned(&tap);
    test_sound(&tap);
    test_places(&tap);
    test_spread(&tap);
    return tap_end(&tap);
}
