/*
 * plugin.h - find and open the rivals.
 */
#ifndef MW_BENCH_PLUGIN_H
#define MW_BENCH_PLUGIN_H

#include "rivals.h"

/*
 * Open the plugin in `file`, or where that is NULL the multiway-rivals.so that
 * lies beside the running program. NULL if there is none that fits, and then
 * `why` says so. A plugin stays open to the end of the process.
 */
const struct rivals *plugin_open(const char *file, char *why, size_t bytes);

#endif
