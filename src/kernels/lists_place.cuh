/*
 * lists_place.cuh - finding a place in one of the caller's lists. Probes come from DRAM, so
 * there are few rounds of three independent probes.
 *
 * There are two kinds of rounds. An even round assumes that keys are evenly spread in the
 * window: it probes where the place should be, and on both sides of that. On random keys
 * the window shrinks to about its square root. After two even rounds in sequence that
 * shrink it too little, all further rounds quarter the window: each takes two bits off its
 * length.
 */

enum {
    PLACE_PROBES = 3,
    PLACE_FEW = 16,   /* keys; such a window is quartered: it fills two or three sectors */
    PLACE_MISSES = 2, /* even rounds in sequence that shrink the window too little ... */
    PLACE_NEARER = 8  /* ... if it stays longer than an eighth */
};

/* The place that is searched for is in [lo, hi]. */
struct place_window {
    unsigned lo;
    unsigned hi;
};

/* The place at `part` of the window, which is not empty; `part` may be any number. */
DEVICE unsigned even_place(const struct place_window *w, float part)
{
    const unsigned length = w->hi - w->lo;
    const unsigned step = part > 0 && part < 1 ? (unsigned)(part * (float)length) : 0;

    return part < 1 && step < length ? w->lo + step : w->hi - 1;
}

/*
 * Probes around `middle`. Of random keys the error is about the square root of the
 * distance to the nearest key that is known, those at the ends of the window.
 */
DEVICE void probe_around(const struct place_window *w, unsigned middle, unsigned *at)
{
    const unsigned below = middle - w->lo;
    const unsigned above = w->hi - 1 - middle;
    const unsigned near = below < above ? below : above;
    const unsigned margin = 2u << (HIGHEST_BIT(near | 1) + 1) / 2;

    at[0] = below > margin ? middle - margin : w->lo;
    at[1] = middle;
    at[2] = above > margin ? middle + margin : w->hi - 1;
}

/* Probes that quarter the window. Of up to three keys all are probed. */
DEVICE void probe_quarters(const struct place_window *w, unsigned *at)
{
    const unsigned length = w->hi - w->lo;

    at[0] = w->lo + length / 4;
    at[1] = w->lo + length / 2;
    at[2] = w->hi - 1 - length / 4;
}
