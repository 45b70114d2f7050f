/*
 * sort_few.c - sort keys of few different values: see sort_few.h.
 *
 * Each thread counts its share in a table of its own. One thread sorts the values, and all
 * write them.
 */
#include "cpu/sort_few.h"

#include <stdatomic.h>

enum {
    LEAST = 1 << 14,   /* keys that are worth a look */
    MANY = 1 << 16,    /* keys that are worth more samples and a larger table */
    STEP = 1 << 15,    /* keys that a worker counts between looks at is_many */
    WORKERS_MOST = 128 /* the values of their tables fit the memory of one worker */
};

struct few_sort {
    const struct sort_request *request;
    size_t size; /* of a key */
    unsigned bits;
    struct few_tables tables;
    struct few_list *list;
    atomic_int is_many; /* a worker found too many values */
};

_Static_assert(FEW_BYTES + sizeof(struct few_list) +
                       WORKERS_MOST * FEW_MOST * sizeof(uint64_t) <=
                   WORK_BYTES,
               "a table, the list and all values fit a worker's memory");

static void count_share(void *arg, unsigned worker)
{
    struct few_sort *const few = (struct few_sort *)arg;
    const struct sort_request *const r = few->request;
    const uint64_t last = pool_part(r->count, few->tables.count, worker + 1);
    void *const table = few_table_at(&few->tables, worker);

    r->suite->few_clear(table, few->bits);
    for (uint64_t at = pool_part(r->count, few->tables.count, worker); at < last;
         at += STEP) {
        const uint64_t some = last - at < STEP ? last - at : STEP;

        if (atomic_load_explicit(&few->is_many, memory_order_relaxed))
            return;
        if (!r->suite->few_count(table, (unsigned char *)r->keys + at * few->size, some))
            atomic_store(&few->is_many, 1);
    }
}

static void write_share(void *arg, unsigned worker)
{
    const struct few_sort *const few = (const struct few_sort *)arg;
    const struct sort_request *const r = few->request;

    r->suite->few_write(r->keys, pool_part(r->count, few->tables.count, worker),
                        pool_part(r->count, few->tables.count, worker + 1), few->list);
}

int sort_few(struct pool *pool, unsigned workers, const struct sort_request *r)
{
    const unsigned samples = r->count < MANY ? FEW_SAMPLES / 4 : FEW_SAMPLES;
    unsigned char *const work = (unsigned char *)r->work;
    struct few_sort few = {
        .request = r,
        .size = (size_t)r->suite->bits / 8,
        .bits = r->count < MANY ? FEW_BITS - 3 : FEW_BITS,
        .tables = {work, workers < WORKERS_MOST ? workers : WORKERS_MOST}
    };

    if (!work || r->count < LEAST || r->count / few.tables.count >= UINT32_MAX ||
        r->suite->few_sampled(r->keys, r->count, samples) > samples - samples / 16)
        return 0;
    few.list = (struct few_list *)(void *)(work + FEW_BYTES);
    atomic_init(&few.is_many, 0);
    pool_run(pool, few.tables.count, count_share, &few);
    if (atomic_load(&few.is_many) ||
        !r->suite->few_list(&few.tables, r->code, few.list + 1, few.list))
        return 0;
    pool_run(pool, few.tables.count, write_share, &few);
    return 1;
}
