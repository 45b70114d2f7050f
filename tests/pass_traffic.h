/*
 * pass_traffic.h - what memory has to move in each pass of engine tile: the distinct
 * sectors of its launches, against those of each key read once and written once.
 */
#ifndef MW_TESTS_PASS_TRAFFIC_H
#define MW_TESTS_PASS_TRAFFIC_H

#include "backend_device.h"
#include "context.h"

/*
 * What the launch of a large pass may move more than its keys, if a tile takes so many
 * bytes of a list: a cut has 8 for it, whatever the keys.
 */
enum { PASS_PERCENT = 5, PASS_LEAST_BYTES = 512 };

/*
 * Does every launch of the context's last sort, which was timed and followed `plan`, move
 * what keys, samples and cuts account for and, if it is `large`, no more than
 * PASS_PERCENT beyond the keys? `*most` becomes the most that any of those moved, in
 * percent, if it was less.
 */
int pass_traffic_fits(mw_context *context, const struct plan *plan, size_t key_size,
                      int large, double *most);

#endif
