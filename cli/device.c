/*
 * device.c - a handle as the options say; the plan of a sort.
 */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PATH = 4096 };

/*
 * The user's cache folder by the XDG convention: $XDG_CACHE_HOME if it is an absolute
 * path, else ~/.cache. The library makes the folder when it has something to keep.
 */
static const char *cache_folder(char path[MOST_PATH])
{
    const char *root = getenv("XDG_CACHE_HOME");
    const char *tail = "/multiway";

    if (!root || root[0] != '/') {
        root = getenv("HOME");
        tail = "/.cache/multiway";
    }
    if (!root || root[0] != '/' ||
        snprintf(path, MOST_PATH, "%s%s", root, tail) >= MOST_PATH)
        return NULL;
    return path;
}

mw_status device_open(mw_context **context, const char *device, struct cache_choice cache,
                      const mw_tuning *tuning)
{
    char folder[MOST_PATH];
    mw_options options = MW_OPTIONS_INIT;
    mw_status status;

    if (!cache.none)
        options.cache_path = cache.path ? cache.path : cache_folder(folder);
    status = mw_open(context, device, &options);
    if (status == MW_OK && tuning)
        status = mw_set_tuning(*context, tuning);
    return status;
}

const char *device_error(const mw_context *context, mw_status status)
{
    const char *const error = context ? mw_error(context) : "";

    return *error ? error : mw_status_text(status);
}

mw_status sort_plan(mw_context *context, const mw_tuning *tuning, mw_type type,
                    uint64_t count, mw_plan *plan)
{
    const mw_status status = tuning ? mw_set_tuning(context, tuning) : MW_OK;

    *plan = (mw_plan){.size = sizeof *plan};
    return status == MW_OK ? kit_get_plan(context, type, count, plan) : status;
}
