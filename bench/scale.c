/*
 * scale.c - round numbers for axes.
 */
#include "scale.h"

#include <math.h>
#include <stdio.h>

/* Ticks on a logarithmic axis: these times each power of ten to the `stride`. */
struct pattern {
    int stride;
    int count;
    double factors[6];
};

/* From close to far; the last one fits whatever a double can hold. */
static const struct pattern patterns[] = {
    {1,   6, {1, 1.5, 2, 3, 5, 7}},
    {1,   3, {1, 2, 5}           },
    {1,   1, {1}                 },
    {2,   1, {1}                 },
    {3,   1, {1}                 },
    {5,   1, {1}                 },
    {10,  1, {1}                 },
    {20,  1, {1}                 },
    {50,  1, {1}                 },
    {100, 1, {1}                 },
    {300, 1, {1}                 },
};

enum { PATTERN_COUNT = sizeof patterns / sizeof *patterns };

/* What a tick may be off by, relatively, and still be the value it stands for. */
static const double close = 1e-9;

int scale_takes(double value)
{
    return isfinite(value) && value > 0;
}

/* Away from the ends of what a double can hold, where steps would overflow. */
static double tame(double value)
{
    return value < 1e-200 ? 1e-200 : value > 1e200 ? 1e200 : value;
}

static void tame_both(double *least, double *most)
{
    if (!scale_takes(*least))
        *least = scale_takes(*most) ? *most : 1;
    if (!scale_takes(*most) || *most < *least)
        *most = *least;
    *least = tame(*least);
    *most = tame(*most);
}

struct scale scale_linear(double most, int room)
{
    const double whole = scale_takes(most) ? tame(most) : 1;
    const double wanted = whole / room;
    const double ten = pow(10, floor(log10(wanted)));
    const double steps[] = {1, 2, 5, 10};
    struct scale scale = {.from = 0};
    double step = 10 * ten;

    for (int i = 3; i >= 0; i--) {
        if (steps[i] * ten >= wanted * (1 - close))
            step = steps[i] * ten;
    }
    scale.count = (int)ceil(whole / step - close) + 1;
    for (int i = 0; i < scale.count; i++)
        scale.ticks[i] = i * step;
    scale.to = scale.ticks[scale.count - 1];
    return scale;
}

static double tick_of(const struct pattern *pattern, int i)
{
    const int power = (int)floor((double)i / pattern->count);

    return pattern->factors[i - power * pattern->count] * pow(10, power * pattern->stride);
}

/* The last tick that is not above `value`. */
static int tick_below(const struct pattern *pattern, double value)
{
    int i = pattern->count * (int)floor(log10(value) / pattern->stride);

    while (tick_of(pattern, i) > value * (1 + close))
        i--;
    while (tick_of(pattern, i + 1) <= value * (1 + close))
        i++;
    return i;
}

/* The first tick that is not below `value`. */
static int tick_above(const struct pattern *pattern, double value)
{
    const int i = tick_below(pattern, value);

    return tick_of(pattern, i) < value * (1 - close) ? i + 1 : i;
}

struct scale scale_log(double least, double most, int room)
{
    struct scale scale = {.logarithmic = 1};
    const struct pattern *pattern = patterns;
    double air;
    int first = 0;
    int last = 0;

    tame_both(&least, &most);
    /* A little room at either end, so that nothing is drawn on the edge. */
    air = pow(most, 0.06) / pow(least, 0.06);
    scale.from = least / air;
    scale.to = most * air;
    for (int p = 0; p < PATTERN_COUNT; p++) {
        pattern = &patterns[p];
        first = tick_above(pattern, scale.from);
        last = tick_below(pattern, scale.to);
        if (last - first <= room)
            break;
    }
    if (last <= first) { /* too few to tell a distance by: from tick to tick */
        first = tick_below(pattern, least);
        last = tick_above(pattern, most);
        if (first == last) { /* a single value stands in the middle */
            first--;
            last++;
        }
        scale.from = tick_of(pattern, first);
        scale.to = tick_of(pattern, last);
    }
    for (int i = first; i <= last && scale.count < MOST_TICKS; i++)
        scale.ticks[scale.count++] = tick_of(pattern, i);
    return scale;
}

struct scale scale_powers(double least, double most, int room)
{
    struct scale scale = {.logarithmic = 1};
    int first;
    int last;
    int step;

    tame_both(&least, &most);
    first = (int)floor(log2(least) + close);
    last = (int)ceil(log2(most) - close);
    if (last <= first) {
        last = first + 1;
        first -= first > 0; /* half a key is no count */
    }
    scale.from = ldexp(1, first);
    scale.to = ldexp(1, last);
    step = (last - first + room - 1) / room;
    /* Multiples of the step, so that 2^16, 2^20, 2^24 are ticks, not 2^17, 2^21. */
    for (int i = (int)ceil((double)first / step) * step; i <= last; i += step)
        scale.ticks[scale.count++] = ldexp(1, i);
    return scale;
}

double scale_place(const struct scale *scale, double value)
{
    double place;

    if (scale->logarithmic)
        place = scale_takes(value)
                    ? (log(value) - log(scale->from)) / (log(scale->to) - log(scale->from))
                    : 0;
    else
        place = (value - scale->from) / (scale->to - scale->from);
    return place > 1 ? 1 : place > 0 ? place : 0;
}

const char *scale_text(double tick, char text[TICK_TEXT])
{
    if (tick == 0 || (tick > 0.99e-4 && tick < 9999.5)) {
        snprintf(text, TICK_TEXT, "%.4g", tick);
    } else if (tick >= 9999.5 && tick < 1e6) {
        snprintf(text, TICK_TEXT, "%.0f", tick);
    } else {
        const int power = (int)floor(log10(tick) + close);

        snprintf(text, TICK_TEXT, "%.3ge%d", tick / pow(10, power), power);
    }
    return text;
}

void scale_spread(double *places, int count, double gap, double low, double high)
{
    double limit = high;

    for (int i = 0; i < count; i++) {
        const double least = i ? places[i - 1] + gap : low;

        places[i] = places[i] > least ? places[i] : least;
    }
    /* Back from the end, as long as there is room in front. */
    for (int i = count - 1; i >= 0; i--, limit -= gap) {
        const double least = low + i * gap;

        if (places[i] > limit)
            places[i] = limit > least ? limit : least;
    }
}
