/*
 * pass_traffic.h - what memory has to move in each pass of engine tile: the distinct
 * sectors of its launches, against those of each key read once and written once.
 */
#ifndef MW_TESTS_PASS_TRAFFIC_H
#define MW_TESTS_PASS_TRAFFIC_H

#include "context.h"

/* That the launch which moves the keys of a large pass may move more than these. */
enum { PASS_PERCENT = 5 };

/* The most that was seen of any sort, for the reader. */
struct pass_most {
    double percent; /* more than each key once, of launches held to a percentage */
    double looked;  /* sectors of keys that a cut looks at in a list, on average */
};

/*
 * Does every launch of the context's last sort, which was timed and followed `plan`, move
 * what keys, samples and cuts account for and, if it is `large`, no more than
 * PASS_PERCENT beyond the keys? A launch that finds cuts moves none: it is held to the
 * keys between two samples of each list.
 */
int pass_traffic_fits(mw_context *context, const struct plan *plan, size_t key_size,
                      int large, struct pass_most *most);

#endif
