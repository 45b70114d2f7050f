/*
 * plugin.c - open the shared library with the rivals.
 */
#include "stage.h"

#include <dlfcn.h>
#include <stdio.h>

const struct rivals *plugin_open(const char *file, char *why, size_t bytes)
{
    const char *const folder = !file ? "$ORIGIN/" : strchr(file, '/') ? "" : "./";
    multiway_rivals_fn *get = NULL;
    const struct rivals *rivals;
    char path[4096];
    void *library;
    void *symbol;

    snprintf(path, sizeof path, "%s%s", folder, file ? file : "multiway-rivals.so");
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    symbol = library ? dlsym(library, MULTIWAY_RIVALS_SYMBOL) : NULL;
    if (!symbol) {
        snprintf(why, bytes, "%.180s%s", dlerror(),
                 file ? "" : " (`make bench` builds it if nvcc is installed)");
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
