/*
 * plugin.c - open the shared library with the rivals.
 */
#include "stage.h"

#include <dlfcn.h>
#include <stdio.h>

const struct rivals *plugin_open(const char *file, char *why, size_t bytes)
{
    static const char beside[] = "$ORIGIN/"; /* the folder of this program */
    const char *const folder = !file ? beside : strchr(file, '/') ? "" : "./";
    multiway_rivals_fn *get = NULL;
    const struct rivals *rivals;
    char path[4096];
    void *library;
    void *symbol;

    snprintf(path, sizeof path, "%s%s", folder, file ? file : "multiway-rivals.so");
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    symbol = library ? dlsym(library, MULTIWAY_RIVALS_SYMBOL) : NULL;
    if (!symbol) {
        const char *const said = dlerror();
        const size_t skip = strncmp(said, beside, strlen(beside)) ? 0 : strlen(beside);

        snprintf(why, bytes, "%.180s%s", said + skip,
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
