/*
 * scale.h - axes: from values to places along a line, with ticks at round numbers.
 *
 * A scale spans at least the values it was made for, its ticks ascend and lie
 * inside it, and there are at least two. Whatever is no positive finite number
 * counts as if it were absent, and what is beyond 1e200 or 1e-200 as if it were
 * that.
 */
#ifndef MW_BENCH_SCALE_H
#define MW_BENCH_SCALE_H

enum { MOST_TICKS = 24, TICK_TEXT = 32 };

struct scale {
    double from, to;
    int logarithmic;
    int count; /* of ticks */
    double ticks[MOST_TICKS];
};

/*
 * `room` is how many steps between ticks there is room for, 2 to MOST_TICKS - 3.
 *
 * From 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten.
 */
struct scale scale_linear(double most, int room);

/*
 * By logarithms, with some air around the values; ticks as close as there is room
 * for: 1, 2, 5, or powers of ten only.
 */
struct scale scale_log(double least, double most, int room);

/* By logarithms, from a power of two to a power of two, ticks at powers of two. */
struct scale scale_powers(double least, double most, int room);

/* Where `value` lies: 0 at the beginning, 1 at the end, never outside. */
double scale_place(const struct scale *scale, double value);

/* A tick in few letters. */
const char *scale_text(double tick, char text[TICK_TEXT]);

/* Is there something to draw: a positive finite number? */
int scale_takes(double value);

/*
 * Move ascending places apart until neighbours are `gap` from each other, no
 * further than needed, between `low` and `high`; where they do not all fit they
 * run beyond `high`.
 */
void scale_spread(double *places, int count, double gap, double low, double high);

#endif
