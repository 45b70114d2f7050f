/*
 * rows.h - sort rows of any number of columns by any order, or check that they are sorted.
 *
 * An item stands for each row: its position in the low bits, and above it as much of the
 * row's code (compare.h) as fits, counted from the least code on. Items of field orders are
 * sorted as numbers, as bare keys are; if the codes do not say everything, each group of
 * items with equal codes is then sorted by comparing rows. Without codes, or with long
 * groups, all items are sorted by comparing: a stable merge sort, almost in place. Then
 * each column is gathered by the positions.
 *
 * Until then nothing but scratch memory is written. A comparison that is no order changes
 * where an item goes, but never where the loops look: every range has its bounds.
 */
#ifndef MW_CPU_ROWS_H
#define MW_CPU_ROWS_H

#include "cpu/compare.h"
#include "cpu/cpu.h"
#include "cpu/pool.h"

/* Rows of a request, and where they go. */
struct row_range {
    uint64_t first; /* the first of them in the request's tables */
    uint64_t count;
    uint64_t to;        /* the row of the result where they begin */
    const void *map;    /* NULL: consecutive rows; or their numbers, from `first` on, ... */
    uint32_t map_bytes; /* ... of 4 or 8 bytes, ascending */
};

/* What all functions on items share. */
struct row_sort {
    struct comparison compare;
    uint64_t count;
    void *items;
    void *spare;             /* items to merge with: */
    unsigned spare_of_32;    /*   the number for each 32, at most 16 */
    uint64_t position_mask;  /* the bits of an item that are its position */
    uint64_t least;          /* codes less this one fit 64 bits ... */
    unsigned lead;           /* ... less these */
    uint32_t covered_fields; /* which no item leaves out */
    int is_complete;         /* items are in order iff their rows are; or as numbers */
};

/*
 * What items of `item_bits` bits can hold of codes from sort->least to `most`: sets all
 * that follows from sort->count and sort->compare, but no memory.
 */
void row_sort_fit(struct row_sort *sort, unsigned item_bits, uint64_t most);

/* Two sorted neighbours: [first, middle) and [middle, last) of the items. */
struct row_merge {
    uint64_t first;
    uint64_t middle;
    uint64_t last;
};

/* Functions on items of one size. */
struct row_suite {
    /* Make items [first, last) from their rows. */
    void (*enter)(const struct row_sort *sort, uint64_t first, uint64_t last);

    /* Sort items [first, last). */
    void (*sort)(const struct row_sort *sort, uint64_t first, uint64_t last);

    /* Merge two neighbours. */
    void (*merge)(const struct row_sort *sort, struct row_merge task);

    /* Move items so that two merges of half the length, which are independent, are left. */
    void (*split)(const struct row_sort *sort, struct row_merge task,
                  struct row_merge halves[2]);

    /* The first item from `at` on whose code is not that of the one before it. */
    uint64_t (*boundary)(const struct row_sort *sort, uint64_t at);

    /*
     * Sort each group of equal codes in [first, last), which begins and ends with one, but
     * none of more than `longest` items; was there such a group?
     */
    int (*refine)(const struct row_sort *sort, uint64_t first, uint64_t last,
                  uint64_t longest);

    /* Turn all items into positions of `bytes`, 4 or 8; is any not its own number? */
    int (*leave)(const struct row_sort *sort, uint32_t bytes);
};

extern const struct row_suite row_suite_32;
extern const struct row_suite row_suite_64;

/* Scratch memory to sort `count` rows of a request, or fewer. */
uint64_t rows_scratch_bytes(const struct request *request, uint64_t count);

/*
 * Sort rows stably, with that scratch memory, aligned to 16, and WORK_BYTES for each
 * thread. Positions count from the first row. Fewer than ROWS_LEAST rows keep to the
 * calling thread, and do not touch the pool.
 */
void rows_sort(struct pool *pool, const struct request *request,
               const struct row_range *range, void *scratch, void *work,
               struct cpu_counts *counts);

/*
 * Sort numbers of 32 or 64 bits in place, with memory for an eighth of them, rounded up to
 * one of 8, and WORK_BYTES for each thread.
 */
void rows_sort_numbers(struct pool *pool, void *numbers, int bits, uint64_t count,
                       void *spare, void *work);

enum { ROWS_LEAST = 8192 }; /* rows that are worth a thread */

/* The number of threads that pay for this number of rows. */
unsigned rows_workers(const struct pool *pool, uint64_t count);

/* Where rows come from, and memory to move those that stay in their arrays. */
struct row_gather {
    const struct request *request;
    const struct row_range *range;
    unsigned workers;
    const void *positions;   /* in the range */
    uint32_t position_bytes; /* 4 or 8 */
    int is_moved;            /* some row comes from elsewhere */
    void *room;              /* for the widest column */
};

/* Write the positions and columns that are wanted. */
void rows_gather(struct pool *pool, const struct row_gather *gather);

/* The first row that precedes the one before it, or the count. */
uint64_t rows_check(struct pool *pool, const struct request *request);

#endif
