/*
 * library.c - dlopen and dlsym.
 */
#include "library.h"

#include <dlfcn.h>
#include <string.h>

void *library_open(const char *const *names, const struct library_function *functions,
                   size_t count, void *table, const char **missing)
{
    void *library = NULL;

    *missing = NULL;
    while (*names && !library)
        library = dlopen(*names++, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        void *const function = dlsym(library, functions[i].symbol);

        if (!function) {
            *missing = functions[i].symbol;
            library_close(library);
            return NULL;
        }
        /* ISO C has no cast from an object pointer to a function pointer. */
        memcpy((char *)table + functions[i].offset, &function, sizeof function);
    }
    return library;
}

void library_close(void *library)
{
    if (library)
        dlclose(library);
}
