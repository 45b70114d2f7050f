/*
 * library.h - open a shared library at run time and fill a table of its functions.
 *
 * Building needs no CUDA, since CUDA's libraries are not linked.
 */
#ifndef MW_CUDA_LIBRARY_H
#define MW_CUDA_LIBRARY_H

#include <stddef.h>

/* One function: its symbol, and the offset of its pointer in the table. */
struct library_function {
    const char *symbol;
    size_t offset;
};

/*
 * Open the first library of `names` (NULL-terminated) that exists and fill `table` with
 * the `count` functions. Returns its handle. On failure it returns NULL, and `*missing`
 * is a symbol that the library lacks, or NULL if no library exists.
 *
 * The library stays in the process even after library_close: CUDA's driver cannot be
 * unloaded safely.
 */
void *library_open(const char *const *names, const struct library_function *functions,
                   size_t count, void *table, const char **missing);
void library_close(void *library); /* NULL allowed */

#endif
