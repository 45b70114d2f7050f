/*
 * plugin.h - find and open the rivals.
 */
#ifndef MW_BENCH_PLUGIN_H
#define MW_BENCH_PLUGIN_H

#include "rivals.h"

/*
 * Open the plugin `file`, or, if that is NULL, the multiway-rivals.so in the folder of
 * the running program. On failure NULL, and `why` says why. A plugin stays open until
 * the process ends.
 */
const struct rivals *plugin_open(const char *file, char *why, size_t bytes);

#endif
