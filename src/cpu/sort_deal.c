/*
 * sort_deal.c - sort keys on many threads by dealing them out: see sort_deal.h.
 */
#include "cpu/sort_deal.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/deal.h"
#include "cpu/stream.h"

enum {
    BUCKET = 1 << 13, /* keys of most buckets */
    LEAST = 1 << 24,  /* keys; fewer fit the caches of many threads */
    LEAST_THREADS = 8 /* fewer threads are not limited by memory bandwidth */
};

struct key_deal {
    struct deal deal;
    const struct sort_request *request;
    size_t size;      /* of a key */
    atomic_uint next; /* the first bucket not yet taken */
};

static unsigned char *key_of(const struct key_deal *k, uint64_t at)
{
    return (unsigned char *)k->request->keys + at * k->size;
}

static void find_slots(const struct deal *d, uint64_t first, uint32_t count,
                       uint16_t *slots)
{
    const struct key_deal *const k = (const struct key_deal *)d->owner;
    const struct sort_request *const r = k->request;
    struct slot_task task = d->codes;
    uint64_t ranks[DEAL_BLOCK];

    task.least >>= 64 - r->suite->bits;
    task.shift -= 64 - (unsigned)r->suite->bits;
    if (r->code.is_float) {
        task.flip = r->suite->plain_flip;
        r->suite->enter(key_of(k, first), ranks, count, r->code);
        r->suite->slots(&task, ranks, count, slots);
    } else {
        task.flip = r->code.flip;
        r->suite->slots(&task, key_of(k, first), count, slots);
    }
}

static const unsigned char *find_images(const struct deal *d, uint64_t first,
                                        uint32_t count, unsigned char *room)
{
    (void)count;
    (void)room;
    return key_of((const struct key_deal *)d->owner, first);
}

static void choose(struct key_deal *k)
{
    const struct sort_request *const r = k->request;
    const struct suite *const sorting = suite_for(64);
    uint64_t codes[DEAL_SAMPLES];
    const struct quick_task all = {.keys = codes, .count = DEAL_SAMPLES};

    for (unsigned i = 0; i < DEAL_SAMPLES; i++) {
        const unsigned char *const at = key_of(k, deal_sample(r->count, i));
        uint32_t narrow;

        if (k->size == sizeof narrow) {
            r->suite->enter(at, &narrow, 1, r->code);
            codes[i] = (uint64_t)(narrow ^ (uint32_t)r->suite->plain_flip) << 32;
        } else {
            r->suite->enter(at, &codes[i], 1, r->code);
            codes[i] ^= r->suite->plain_flip;
        }
    }
    sorting->quick(&all);
    deal_choose(&k->deal, codes, (unsigned)r->suite->bits);
}

static void sort_share(void *arg, unsigned worker)
{
    struct key_deal *const k = (struct key_deal *)arg;
    const struct deal *const d = &k->deal;

    (void)worker;
    for (;;) {
        const unsigned bucket = atomic_fetch_add(&k->next, 1);

        if (bucket >= d->buckets)
            break;

        const uint64_t first = d->tables->starts[bucket];
        const struct quick_task task = {.keys = d->to + first * k->size,
                                        .count = deal_bucket_count(d, bucket),
                                        .code = k->request->code};

        k->request->suite->quick(&task);
        stream_copy(key_of(k, first), task.keys, (size_t)task.count * k->size);
    }
    stream_end();
}

int sort_deal(struct pool *pool, const struct sort_request *r)
{
    const unsigned threads = pool_threads(pool);
    struct key_deal k = {.request = r, .size = (size_t)r->suite->bits / 8};
    struct deal *const d = &k.deal;

    if (threads < LEAST_THREADS || r->count < LEAST || r->count > UINT32_MAX ||
        !r->suite->quick || !r->suite->slots)
        return 0;
    *d = (struct deal){.pool = pool,
                       .workers = threads,
                       .count = r->count,
                       .bytes = (uint32_t)k.size,
                       .line = DEAL_LINE,
                       .bucket = BUCKET,
                       .to = r->scratch,
                       .work = r->work,
                       .tables = deal_tables_in(r->work),
                       .owner = &k,
                       .find_slots = find_slots,
                       .find_images = find_images};
    choose(&k);
    if (deal_count(d) > r->count / (8 * (uint64_t)threads))
        return 0; /* one thread would have too much to do */
    deal_out(d);
    atomic_init(&k.next, 0);
    pool_run(pool, threads, sort_share, &k);
    return 1;
}
