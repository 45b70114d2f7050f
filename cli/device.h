/*
 * device.h - open a handle as the options say; the plan of a sort.
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
 * is to be closed in any case, and device_error has the message.
 */
mw_status device_open(mw_context **context, const char *device, struct cache_choice cache,
                      const mw_tuning *tuning);

/* The handle's error message, or the status's sentence if it has none. */
const char *device_error(const mw_context *context, mw_status status);

/* How the handle would sort `count` keys, after mw_set_tuning with `tuning` if given. */
mw_status sort_plan(mw_context *context, const mw_tuning *tuning, mw_type type,
                    uint64_t count, mw_plan *plan);

#endif
