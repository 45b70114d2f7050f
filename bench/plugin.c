/*
 * plugin.c - open the shared library with the rivals.
 */
#define _POSIX_C_SOURCE 200809L /* readlink */

#include "plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

static const char name[] = "multiway-rivals.so";

/* The plugin's path beside the running program; 0 if that is unknown. */
static int beside_us(char path[MOST_PATH])
{
    const ssize_t length = readlink("/proc/self/exe", path, MOST_PATH - sizeof name - 1);
    char *slash;

    if (length <= 0)
        return 0;
    path[length] = '\0';
    slash = strrchr(path, '/');
    if (!slash)
        return 0;
    strcpy(slash + 1, name);
    return 1;
}

/* A name without a slash would be looked for where libraries are. */
static int from_file(const char *file, char path[MOST_PATH])
{
    const int length =
        snprintf(path, MOST_PATH, "%s%s", strchr(file, '/') ? "" : "./", file);

    return length > 0 && length < MOST_PATH;
}

const struct rivals *plugin_open(const char *file, char *why, size_t bytes)
{
    multiway_rivals_fn *get = NULL;
    const struct rivals *rivals;
    char path[MOST_PATH];
    void *library;
    void *symbol;

    if (!(file ? from_file(file, path) : beside_us(path))) {
        snprintf(why, bytes, "cannot find out where %s would be", name);
        return NULL;
    }
    if (access(path, F_OK) != 0) {
        snprintf(why, bytes, "there is no %.160s%s", path,
                 file ? "" : " (`make bench` builds it if nvcc is installed)");
        return NULL;
    }
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    symbol = library ? dlsym(library, MULTIWAY_RIVALS_SYMBOL) : NULL;
    if (!symbol) {
        snprintf(why, bytes, "%.200s", dlerror());
        return NULL;
    }
    memcpy(&get, &symbol, sizeof get);
    rivals = get();
    if (!rivals || rivals->version != RIVALS_VERSION) {
        snprintf(why, bytes, "%.160s was built for another version of this program", path);
        return NULL;
    }
    return rivals;
}
