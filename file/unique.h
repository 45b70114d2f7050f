/*
 * unique.h - drop sorted rows that equal their predecessor (MW_FILE_UNIQUE).
 */
#ifndef MW_FILE_UNIQUE_H
#define MW_FILE_UNIQUE_H

#include "multiway.h"

/* The last row that was kept. */
struct unique {
    const mw_order *order;
    int has_last;
    _Alignas(16) unsigned char last[4096];
};

/* Drop rows that are equal to the one before; returns how many are left. */
uint64_t unique_rows(struct unique *unique, unsigned char *rows, uint64_t count);

#endif
