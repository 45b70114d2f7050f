/*
 * device.h - open a handle the way the options say.
 */
#ifndef MW_CLI_DEVICE_H
#define MW_CLI_DEVICE_H

#include "kit.h"

/* Where kernels compiled at run time are kept. */
struct cache_choice {
    const char *path; /* --cache; NULL: the user's cache folder */
    int none;         /* --no-cache */
};

/* clang-format off */
#define CACHE_OPTIONS(choice)                                                            \
    {"cache",    0, "DIR", OPTION_TEXT, &(choice).path, 0,                               \
     "folder for kernels compiled at run time"},                                         \
    {"no-cache", 0, NULL,  OPTION_FLAG, &(choice).none, 0, "keep no such folder"}
/* clang-format on */

/*
 * Open `device`, with that tuning if one is given. Returns the status; `*context`
 * is to be closed in any case, and mw_error tells what went wrong.
 */
mw_status device_open(mw_context **context, const char *device, struct cache_choice cache,
                      const mw_tuning *tuning);

/* What mw_error says, or if it is silent the status in words. */
const char *device_error(const mw_context *context, mw_status status);

#endif
