/*
 * device.c - a handle as the options say; the plan of a sort.
 */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * The user's cache folder by the XDG convention: $XDG_CACHE_HOME if it is an absolute
 * path, else ~/.cache. The library makes the folder when it has something to keep.
 */
static char *cache_folder(void)
{
    const char *root = getenv("XDG_CACHE_HOME");
    const char *tail = "/multiway";
    char *path;

    if (!root || root[0] != '/') {
        root = getenv("HOME");
        tail = "/.cache/multiway";
    }
    if (!root || root[0] != '/')
        return NULL;
    path = malloc(strlen(root) + strlen(tail) + 1);
    if (path)
        sprintf(path, "%s%s", root, tail);
    return path;
}

mw_status device_open(mw_context **context, const char *device, struct cache_choice cache,
                      const mw_tuning *tuning)
{
    char *const folder = cache.none || cache.path ? NULL : cache_folder();
    mw_options options = MW_OPTIONS_INIT;
    mw_status status;

    options.cache_path = cache.none ? NULL : cache.path ? cache.path : folder;
    status = mw_open(context, device, &options);
    if (status == MW_OK && tuning)
        status = mw_set_tuning(*context, tuning);
    free(folder);
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
