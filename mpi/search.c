/*
 * search.c - the search for one cut: where to take samples, and what they say.
 *
 * All rows of all lists have one order: by the job's order, then by list, then by place.
 * The cut at `target` has exactly that many rows before it. asks[i] is the window
 * [first, last] in which the cut of list i lies: rows before `first` precede the cut, rows
 * from `last` on follow it.
 */
#include "across.h"

#include <math.h>
#include <string.h>

/* In samples of a window of n rows whose distribution all lists share, the cut deviates
 * from the guess by about sqrt(n q (1 - q)); samples are this part of it apart. */
static const double step = 0.8;

static uint32_t add_place(uint64_t *places, uint32_t count, uint64_t place)
{
    uint32_t i = count;

    while (i > 0 && places[i - 1] > place)
        i--;
    if (i > 0 && places[i - 1] == place)
        return count;
    memmove(places + i + 1, places + i, (count - i) * sizeof *places);
    places[i] = place;
    return count + 1;
}

uint32_t ask_places(const struct ask *ask, uint64_t places[MOST_PLACES])
{
    const uint64_t first = ask->first, last = ask->last;
    const uint64_t width = last > first ? last - first : 0;
    const uint64_t even = (width ? width - 1 : 0) / (EVEN_PLACES - 1);
    const uint64_t rest = (width ? width - 1 : 0) % (EVEN_PLACES - 1);
    uint32_t count = 0;

    if (width <= MOST_PLACES) {
        for (; count < width; count++)
            places[count] = first + count;
        return count;
    }
    for (uint32_t i = 0; i < EVEN_PLACES; i++)
        places[count++] = first + even * i + rest * i / (EVEN_PLACES - 1);
    for (uint32_t i = 0; i < NEAR_PLACES / 2; i++) {
        const uint64_t away = i * ask->spread;

        if (away < ask->guess - first)
            count = add_place(places, count, ask->guess - 1 - away);
        if (away < last - ask->guess)
            count = add_place(places, count, ask->guess + away);
    }
    return count;
}

uint64_t search_guess(struct ask *asks, uint32_t ranks, uint64_t target)
{
    uint64_t low = 0, width = 0;

    for (uint32_t i = 0; i < ranks; i++) {
        low += asks[i].first;
        width += asks[i].last - asks[i].first;
    }

    const double part = width ? (double)(target - low) / (double)width : 0;

    for (uint32_t i = 0; i < ranks; i++) {
        struct ask *const ask = &asks[i];
        const uint64_t rows = ask->last - ask->first;
        const uint64_t way = (uint64_t)(part * (double)rows + 0.5);

        ask->guess = ask->first + (way < rows ? way : rows);
        ask->spread = 1 + (uint64_t)(step * sqrt((double)rows * part * (1 - part)));
    }
    if (width && asks[0].last - asks[0].first == width) /* only one window is open */
        asks[0].guess = asks[0].first + (target - low);
    return width;
}

/* The list of a sample; empty lists begin where the next one does. */
static uint32_t list_of(uint32_t sample, const uint32_t *begins, uint32_t ranks)
{
    uint32_t list = 0, end = ranks;

    while (end - list > 1) {
        const uint32_t middle = list + (end - list) / 2;

        if (begins[middle] <= sample)
            list = middle;
        else
            end = middle;
    }
    return list;
}

/*
 * How many samples, in order, precede the cut for certain, and from which on they follow
 * it. Between the sums `before` and `after` lies how many rows precede a sample: of each
 * list at least those up to its last sample before, at most those up to its next one.
 */
static int judge(const struct ask *asks, uint32_t ranks, uint64_t target,
                 const uint64_t *places, const uint32_t *begins, const uint32_t *merged,
                 uint32_t *cursors, uint32_t *lows, uint32_t *highs)
{
    const uint32_t count = begins[ranks];
    uint64_t before = 0, after = 0;

    for (uint32_t i = 0; i < ranks; i++) {
        before += asks[i].first;
        after += begins[i] < begins[i + 1] ? places[begins[i]] : asks[i].last;
        cursors[i] = begins[i];
    }
    *lows = 0;
    *highs = count;
    for (uint32_t m = 0; m < count; m++) {
        const uint32_t sample = merged[m];
        const uint32_t list = list_of(sample, begins, ranks);

        if (sample != cursors[list]++)
            return -1;

        const uint64_t place = places[sample];
        const uint64_t low =
            sample > begins[list] ? places[sample - 1] + 1 : asks[list].first;
        const uint64_t next =
            cursors[list] < begins[list + 1] ? places[cursors[list]] : asks[list].last;

        if (after < target)
            *lows = m + 1;
        if (*highs == count && before + (place - low) >= target)
            *highs = m;
        before += place + 1 - low;
        after += next - place;
    }
    return 0;
}

int search_narrow(struct ask *asks, uint32_t ranks, uint64_t target, const uint64_t *places,
                  const uint32_t *begins, const uint32_t *merged, uint32_t *cursors)
{
    uint32_t lows, highs;

    if (judge(asks, ranks, target, places, begins, merged, cursors, &lows, &highs))
        return -1;
    for (uint32_t m = 0; m < lows; m++)
        asks[list_of(merged[m], begins, ranks)].first = places[merged[m]] + 1;
    for (uint32_t m = begins[ranks]; m-- > highs;)
        asks[list_of(merged[m], begins, ranks)].last = places[merged[m]];
    return 0;
}
