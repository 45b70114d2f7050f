/*
 * suite.h - the typed inner loops, as tables of functions.
 *
 * suite.inl is compiled once per key width and instruction set; each time it
 * becomes one const struct suite. A suite knows nothing of threads: its
 * functions are the pieces of work that sort.c hands out.
 *
 * Inside, keys are ranks (rank.inl): the codes of code.inl, or these as signed
 * numbers. The first pass over keys makes ranks of them (`enter`), the last one
 * makes keys again (`leave`).
 */
#ifndef MW_CPU_SUITE_H
#define MW_CPU_SUITE_H

#include "base/base.h"

enum {
    RUN_BYTES = 1 << 20,                     /* most that `run` sorts in one call */
    MERGE_WAYS = 128,                        /* most runs that `merge` takes */
    WORK_BYTES = 2 * RUN_BYTES + (64 << 10), /* a thread's own memory, aligned to 64 */
    STREAM_BYTES = 16 << 20,                 /* such arrays get non-temporal stores */
    QUICK_LEAST = 1024,                      /* fewest keys for `part` and `pivot` */
    SMALLEST_ROOM = RUN_BYTES,               /* bytes of the buffer of `smallest` */
    COLLECT_MOST = 256                       /* most bytes of a row for `collect` */
};

/* Keys of few values: tables of `few_count`, in a thread's own memory. */
enum {
    FEW_SAMPLES = 256, /* at most */
    FEW_MOST = 1024,   /* values that are few */
    FEW_BITS = 13,
    FEW_SLOTS = 1 << FEW_BITS,
    FEW_LANES = 4,
    FEW_BYTES = FEW_SLOTS * (8 + 4 * FEW_LANES) + 128
};

struct few_tables {
    unsigned char *first; /* WORK_BYTES from one to the next */
    unsigned count;
};

static inline void *few_table_at(const struct few_tables *tables, unsigned number)
{
    return tables->first + (size_t)number * WORK_BYTES;
}

/* Values in order: value i is at [start[i], start[i + 1]) of the sorted array. */
struct few_list {
    unsigned count;
    uint64_t value[FEW_MOST]; /* keys */
    uint64_t start[FEW_MOST + 1];
};

/* What `order` found: both for equal keys, neither for most arrays. */
enum { ORDER_UP = 1, ORDER_DOWN = 2 };

/* Keys to be sorted into one run. */
struct run_task {
    const void *from;
    void *to; /* may be `from` */
    uint64_t count;
    struct code code;
    int leaving; /* the run is the whole array: write keys, not ranks */
    int stream;
    void *work;
};

/*
 * A window of the merge of neighbouring runs. Run i of `from` covers
 * [starts[i], starts[i + 1]); the keys that belong at [first, last) of the
 * merged array, which begins at starts[0], are written there in `to`.
 */
struct merge_task {
    const void *from;
    void *to;
    const uint64_t *starts;
    unsigned runs; /* 1 to MERGE_WAYS */
    uint64_t first;
    uint64_t last;
    struct code code;
    int leaving; /* this is the last pass: write keys, not ranks */
    int check;   /* the runs may be in disorder */
    int stream;
    void *work;
};

/* A piece of an array that is sorted or partitioned in place. */
struct quick_task {
    void *keys;
    uint64_t count;
    struct code code;
    int is_entered; /* the keys are ranks, between the two bounds */
    uint64_t least; /* ranks, in the low bits */
    uint64_t most;
    int depth; /* nested partitions before a heapsort takes over; 0: the default */
};

/* The smallest of some keys are collected, as ranks, and sorted. */
struct smallest_task {
    const void *keys;
    uint64_t count;
    struct code code;
    uint64_t wanted; /* at most half of what fits SMALLEST_ROOM, less 16384 */
    void *ranks;     /* SMALLEST_ROOM bytes */
    uint64_t found;  /* `wanted`, or `count` if that is less */
};

/*
 * Slots are ranges of 2^shift codes, from `least` on. The first slot also takes all lower
 * codes, the last one all higher codes.
 */
struct slot_task {
    uint64_t flip; /* exclusive-or that makes codes of what is read */
    uint64_t least;
    unsigned shift;
    uint16_t most; /* the last slot */
};

/* Rows on their way to buckets, by way of two chunks of memory for each bucket. */
struct collect_task {
    const unsigned char *rows;
    uint32_t count;
    uint32_t bytes;          /* of a row, 16 to `chunk` */
    uint32_t chunk;          /* COLLECT_MOST, or half of it */
    const uint16_t *buckets; /* of each row */
    unsigned char *chunks;   /* two for each bucket, aligned to 64 */
    const uint32_t *begun;   /* where the rows of each bucket begin, ... */
    uint32_t *next;          /* ... and where the next one goes */
    unsigned char *to;       /* where row 0 would go, aligned to 64 */
};

/* Where rows, or parts of them, are copied from. */
struct pick_task {
    const unsigned char *rows;
    size_t step; /* from row to row */
    size_t bytes;
    uint64_t mask; /* of the places in items */
};

struct suite {
    int bits;
    uint64_t first_rank; /* of quicksorts: the least and the greatest of all */
    uint64_t last_rank;
    uint64_t plain_flip; /* a code with it leaves ranks as they are */

    /* The order that `count` keys, at least 1, are in already. */
    unsigned (*order)(const void *keys, uint64_t count, struct code code);

    /* Swap keys [first, last) of the first half with their mirror images. */
    void (*reverse)(void *keys, uint64_t count, uint64_t first, uint64_t last);

    /* Make ranks of keys, and keys of ranks, also in place. NULL for 8-bit keys. */
    void (*enter)(const void *keys, void *ranks, uint64_t count, struct code code);
    void (*leave)(const void *ranks, void *keys, uint64_t count, struct code code);

    /*
     * Sort at most RUN_BYTES; merge at most MERGE_WAYS runs. With `check`, a merge returns
     * 0 if it finds a run in disorder, and what it wrote is undefined. Each window checks
     * its own part of the runs. NULL for 8-bit keys.
     */
    void (*run)(const struct run_task *task);
    int (*merge)(const struct merge_task *task);

    /*
     * Quicksort: `quick` sorts a piece, and makes keys of its ranks again. `part` makes
     * ranks of a piece of at least QUICK_LEAST keys, partitions it around a pivot, and
     * returns how many ranks are at most the pivot. NULL without AVX2.
     */
    void (*quick)(const struct quick_task *task);
    uint64_t (*part)(const struct quick_task *task, uint64_t pivot);

    /* A pivot such that about part / parts of the piece's ranks are at most it. */
    uint64_t (*pivot)(const struct quick_task *task, unsigned part, unsigned parts);

    /*
     * Keys of few values are counted. `few_sampled` returns the number of values among
     * some samples. `few_clear` makes a table of 2^bits slots, and `few_count` counts keys
     * into it. `few_list` sorts the values of all tables; `room` holds them all. These two
     * return 0 if there are too many values. `few_write` writes keys [first, last) of the
     * result. NULL where there is no quicksort.
     */
    unsigned (*few_sampled)(const void *keys, uint64_t count, unsigned samples);
    void (*few_clear)(void *table, unsigned bits);
    int (*few_count)(void *table, const void *keys, uint64_t count); /* < 2^32 in all */
    int (*few_list)(const struct few_tables *tables, struct code code, void *room,
                    struct few_list *list);
    void (*few_write)(void *keys, uint64_t first, uint64_t last,
                      const struct few_list *list);

    /* The smallest keys. NULL where there is no quicksort. */
    void (*smallest)(struct smallest_task *task);

    /* Is rank `at` at least the one before it? */
    int (*rises)(const void *ranks, uint64_t at);

    /* The slots of codes, which may be at any address. NULL below 32 bits. */
    void (*slots)(const struct slot_task *task, const void *codes, size_t count,
                  uint16_t *numbers);

    /*
     * The two values of 4 bytes of pairs: of pair items[i] & mask they become a[i] and
     * b[i]. NULL below 32 bits.
     */
    void (*pick_pairs)(const void *pairs, const void *items, uint64_t mask, size_t count,
                       uint32_t *a, uint32_t *b);

    /*
     * Put rows into the chunks of their buckets, and write full chunks. What a bucket has
     * after its last full chunk stays there, and so may that chunk. NULL but for 64 bits.
     */
    void (*collect)(const struct collect_task *task);

    /* Copy rows to `to` in the order of items. NULL below 32 bits. */
    void (*pick_rows)(const struct pick_task *task, const void *items, size_t count,
                      unsigned char *to);

    /*
     * Narrow keys are counted, not compared: `tally` counts each rank into one
     * thread's table of 2^bits counters, cleared before; `spread` writes keys
     * [first, last) of the sorted array from a table of all. NULL beyond 16 bits.
     */
    void (*tally)(const void *keys, uint64_t count, struct code code, uint64_t *table);
    void (*spread)(void *keys, uint64_t first, uint64_t last, struct code code,
                   const uint64_t *table);
};

/* The best suite for keys of `bits` bits on this processor, or NULL if there is none. */
const struct suite *suite_for(int bits);

/* Every suite this processor can run, by number from 0 on; NULL when there are no more. */
const struct suite *suite_usable(unsigned index);

#endif
