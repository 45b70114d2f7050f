/*
 * npy.h - headers of NumPy's file format.
 */
#ifndef MW_FILE_NPY_H
#define MW_FILE_NPY_H

#include "disk.h"

enum { NPY_HEADER_MOST = 64 << 10 };

/* Is a file of that name, NULL for a pipe, to be in NumPy's format? */
int npy_is_named(const char *path, mw_file_format format);

/* Bytes of the first part of a header, which says how long the rest is. */
enum { NPY_PREFIX = 12 };

/* Bytes of the whole header, or 0 if `prefix` does not begin a .npy file. */
uint64_t npy_header_bytes(const unsigned char prefix[NPY_PREFIX]);

/* Read a header; `text` is what follows the prefix. Returns NULL, or what is wrong. */
const char *npy_parse(const unsigned char *header, uint64_t bytes, mw_npy *npy);

/* The dtype of an order's elements, if no input tells it. */
void npy_descr(const mw_order *order, char descr[64]);

/*
 * Write a header for `rows` rows to `header`, which has room for NPY_HEADER_MOST bytes:
 * of version 3 if the dtype is in UTF-8, otherwise of version 1, which is in Latin-1.
 * Returns its length, a multiple of 64 that does not depend on `rows`; 0: too long.
 */
uint32_t npy_write(const char *descr, int is_utf8, uint64_t rows, char *header);

#endif
