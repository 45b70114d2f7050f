/*
 * pass_traffic.h - what memory has to move in each pass of engine tile: distinct
 * sectors of a launch, or of cuts and merge together, against those of each key read
 * once and written once.
 */
#ifndef MW_TESTS_PASS_TRAFFIC_H
#define MW_TESTS_PASS_TRAFFIC_H

#include "context.h"

/* The most of all sorts that were looked at, for the reader. */
struct pass_most {
    double excess; /* over each key once; of passes for which 5 % are meant */
    double looked; /* sectors of keys that a cut looks at in a list, on average */
};

/*
 * Does every pass of the context's last sort, which was timed and followed `plan`, keep
 * within its bound? `large`: the sort is one for which the bound is a percentage.
 */
int pass_traffic_fits(mw_context *context, const struct plan *plan, size_t key_size,
                      int large, struct pass_most *most);

#endif
