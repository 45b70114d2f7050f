/*
 * pass_traffic.h - what memory has to move in each pass of engine tile: distinct
 * sectors of a launch, or of cuts and merge together, against those of each key read
 * once and written once.
 */
#ifndef MW_TESTS_PASS_TRAFFIC_H
#define MW_TESTS_PASS_TRAFFIC_H

#include "context.h"

enum { PASS_ANY_PERCENT = -1 };

/* The most that was seen of any sort, for the reader. */
struct pass_most {
    double percent; /* more than each key once, of sorts held to a percentage */
    double looked;  /* sectors of keys that a cut looks at in a list, on average */
};

/*
 * Does every pass of the context's last sort, which was timed and followed `plan`, move
 * what keys, samples and cuts account for, and at most `percent` more than the keys?
 */
int pass_traffic_fits(mw_context *context, const struct plan *plan, size_t key_size,
                      double percent, struct pass_most *most);

#endif
