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

/* Near samples are this part of the expected deviation apart. */
static const double step = 0.7;

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

void search_begin(struct search *s, uint64_t all)
{
    for (uint32_t i = 0; i < s->lists; i++)
        s->ends[i] = (struct ends){.low = 0, .high = (double)all};
}

/*
 * The cut divides a window as the target divides the ranks of its ends. Where lists have
 * the same distribution this is off by the deviation of a binomial distribution, and by
 * what is unknown about the ranks: of each list up to the width of a window.
 */
uint64_t search_guess(struct search *s)
{
    uint64_t low = 0, width = 0;

    for (uint32_t i = 0; i < s->lists; i++) {
        low += s->asks[i].first;
        width += s->asks[i].last - s->asks[i].first;
    }
    for (uint32_t i = 0; i < s->lists; i++) {
        struct ask *const ask = &s->asks[i];
        const struct ends ends = s->ends[i];
        const uint64_t rows = ask->last - ask->first;
        const double way = ends.high > ends.low
                               ? ((double)s->target - ends.low) / (ends.high - ends.low)
                               : 0.5;
        const double part = way < 0 ? 0 : way > 1 ? 1 : way;
        const uint64_t before = (uint64_t)(part * (double)rows + 0.5);
        const double chance = sqrt((double)rows * part * (1 - part));
        const double doubt = (double)rows / sqrt(12.0 * s->lists);

        ask->guess = ask->first + (before < rows ? before : rows);
        if (rows == width) /* no other window is open */
            ask->guess = ask->first + (s->target - low);
        ask->spread = 1 + (uint64_t)(step * (chance + (s->rounds ? doubt : 0)));
    }
    s->rounds++;
    return width;
}

/* The list of a sample. Empty lists begin where the next one does. */
static uint32_t list_of(const struct search *s, uint32_t sample)
{
    uint32_t list = 0, end = s->lists;

    while (end - list > 1) {
        const uint32_t middle = list + (end - list) / 2;

        if (s->begins[middle] <= sample)
            list = middle;
        else
            end = middle;
    }
    return list;
}

/*
 * Go through the samples in order. Of each list at least the rows up to its last sample
 * passed, `before` in all, precede the next sample, and at most those up to its next one,
 * `after` in all. So `lows` samples precede the cut for certain; those from `highs` on
 * follow it. What is found on the way are new ends of windows.
 */
int search_narrow(struct search *s)
{
    const uint32_t count = s->begins[s->lists];
    uint64_t before = 0, after = 0;
    uint32_t lows = 0, highs = count;

    for (uint32_t i = 0; i < s->lists; i++) {
        const uint32_t first = s->begins[i];

        before += s->asks[i].first;
        after += first < s->begins[i + 1] ? s->places[first] : s->asks[i].last;
        s->cursors[i] = first;
    }
    for (uint32_t m = 0; m < count; m++) {
        const uint32_t sample = s->merged[m];
        const uint32_t list = list_of(s, sample);
        const uint32_t next = sample + 1;

        if (sample != s->cursors[list]++)
            return -1;

        const uint64_t place = s->places[sample];
        const uint64_t low =
            sample > s->begins[list] ? s->places[sample - 1] + 1 : s->asks[list].first;
        const uint64_t least = before + (place - low);

        if (after < s->target)
            lows = m + 1;
        if (highs == count && least >= s->target)
            highs = m;
        s->estimates[sample] = ((double)least + (double)after) / 2;
        before = least + 1;
        after +=
            (next < s->begins[list + 1] ? s->places[next] : s->asks[list].last) - place;
    }
    for (uint32_t m = 0; m < lows; m++) {
        const uint32_t list = list_of(s, s->merged[m]);

        s->asks[list].first = s->places[s->merged[m]] + 1;
        s->ends[list].low = s->estimates[s->merged[m]];
    }
    for (uint32_t m = count; m-- > highs;) {
        const uint32_t list = list_of(s, s->merged[m]);

        s->asks[list].last = s->places[s->merged[m]];
        s->ends[list].high = s->estimates[s->merged[m]];
    }
    return 0;
}
