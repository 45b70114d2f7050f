/*
 * library.h - a shared library opened at run time, and the functions in it.
 *
 * Building needs no CUDA because nothing is linked: a table of function
 * pointers is filled by name when a device is opened.
 */
#ifndef MW_CUDA_LIBRARY_H
#define MW_CUDA_LIBRARY_H

#include <stddef.h>

/* One function: its symbol, and where in the table its pointer goes. */
struct library_function {
    const char *symbol;
    size_t offset;
};

/*
 * Open the first library of `names` (NULL-terminated) that exists and fill
 * `table` with the `count` functions. Returns its handle; or NULL, and then
 * `*missing` is the symbol it lacks, or NULL if there is no such library.
 *
 * An opened library stays in the process even after library_close: drivers do
 * not survive being unloaded.
 */
void *library_open(const char *const *names, const struct library_function *functions,
                   size_t count, void *table, const char **missing);
void library_close(void *library); /* NULL allowed */

#endif
