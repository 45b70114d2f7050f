/*
 * rows_deal.c - deal rows out to buckets, then sort these: see rows_deal.h.
 */
#include "cpu/rows_deal.h"

#include <stdatomic.h>

#include "cpu/deal.h"
#include "cpu/rows_bucket.h"

enum {
    LEAST = 1 << 19,        /* rows that are worth it, or ... */
    LEAST_BYTES = 24 << 20, /* ... their bytes: fewer are in the caches anyway */
    SHORT = 1 << 17,        /* rows of a bucket that a thread sorts in its own memory */
    BUCKET = 2048,          /* rows of most buckets */
    SPARE = 2,              /* bytes for each row, to sort longer ones with */
    ALIGNED = 64
};

struct row_deal {
    struct deal deal;
    const struct request *request;
    struct image image;
    struct comparison compare;
    atomic_uint next; /* the first bucket not yet taken */
};

_Static_assert((int)DEAL_BLOCK <= (int)IMAGE_BLOCK && (int)IMAGE_MOST <= (int)DEAL_MOST,
               "what is dealt can be packed");

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

uint64_t rows_deal_bytes(const struct request *r, uint64_t count)
{
    const int is_for_it = r->operation == MW_SORT && !request_has_segments(r) &&
                          r->order.field_count > 0 && !r->position_bytes &&
                          count <= UINT32_MAX &&
                          (count >= LEAST || count * r->row_bytes >= LEAST_BYTES);
    struct image image;

    return is_for_it && image_of(r, &image)
               ? aligned(count * image.bytes) + aligned(sizeof(struct deal_tables)) +
                     SPARE * count + ALIGNED
               : 0;
}

static void find_slots(const struct deal *d, uint64_t first, uint32_t count,
                       uint16_t *slots)
{
    const struct comparison *const c = &((const struct row_deal *)d->owner)->compare;
    const unsigned char *const at = c->field[0].first;
    struct slot_task task = d->codes;
    uint64_t codes[DEAL_BLOCK];

    if (comparison_is_plain(c, 8) && c->field[0].step == 8) {
        task.flip = c->order->field[0].code.flip;
        suite_for(64)->slots(&task, at + 8 * first, count, slots);
    } else if (comparison_is_plain(c, 4) && c->field[0].step == 4) {
        task.flip = c->order->field[0].code.flip;
        task.least >>= 32;
        task.shift -= 32;
        suite_for(32)->slots(&task, at + 4 * first, count, slots);
    } else {
        comparison_codes(c, first, count, codes);
        suite_for(64)->slots(&task, codes, count, slots);
    }
}

static const unsigned char *find_images(const struct deal *d, uint64_t first,
                                        uint32_t count, unsigned char *room)
{
    return image_pack(&((const struct row_deal *)d->owner)->image, first, count, room);
}

static void choose(struct row_deal *r)
{
    uint64_t codes[DEAL_SAMPLES];
    const struct quick_task all = {.keys = codes, .count = DEAL_SAMPLES};
    const uint64_t bits = comparison_bits(&r->compare);

    for (unsigned i = 0; i < DEAL_SAMPLES; i++)
        codes[i] = comparison_code(&r->compare, deal_sample(r->request->count, i));
    suite_for(64)->quick(&all);
    deal_choose(&r->deal, codes, bits < 64 ? (unsigned)bits : 64);
}

static void sort_bucket(struct row_deal *r, unsigned number, struct pool *pool,
                        void *memory, void *work)
{
    const struct deal *const d = &r->deal;
    struct bucket b = {.request = r->request,
                       .image = &r->image,
                       .images = d->to + (uint64_t)d->tables->starts[number] * d->bytes,
                       .count = deal_bucket_count(d, number),
                       .to = d->tables->starts[number]};

    b.is_known = deal_bucket_range(d, number, &b.least, &b.most);
    bucket_sort(pool, &b, memory, work);
}

static void sort_share(void *arg, unsigned worker)
{
    struct row_deal *const r = (struct row_deal *)arg;
    const struct deal *const d = &r->deal;

    for (;;) {
        const unsigned bucket = atomic_fetch_add(&r->next, 1);

        if (bucket >= d->buckets)
            return;

        const uint64_t count = deal_bucket_count(d, bucket);

        if (count > 0 && count <= SHORT)
            sort_bucket(r, bucket, pool_alone(d->pool),
                        d->work + (size_t)worker * WORK_BYTES, NULL);
    }
}

int rows_deal(struct pool *pool, const struct request *request, void *scratch, void *work)
{
    struct row_deal r = {.request = request, .compare = comparison_of(request, 0)};
    struct deal *const d = &r.deal;
    unsigned char *spare;

    if (!rows_deal_bytes(request, request->count) || !suite_for(64)->quick)
        return 0;
    image_of(request, &r.image);
    *d = (struct deal){.pool = pool,
                       .workers = rows_workers(pool, request->count),
                       .count = request->count,
                       .bytes = r.image.bytes,
                       .bucket = BUCKET,
                       .to = scratch,
                       .work = work,
                       .owner = &r,
                       .find_slots = find_slots,
                       .find_images = find_images};
    spare = d->to + aligned(d->count * d->bytes);
    d->tables = (struct deal_tables *)(void *)spare;
    spare += aligned(sizeof *d->tables);
    choose(&r);

    const uint64_t longest = deal_count(d);

    if (longest > SHORT && bucket_bytes(longest) > SPARE * d->count)
        return 0; /* too many codes are similar */
    deal_out(d);
    for (unsigned i = 0; i < d->buckets && longest > SHORT; i++)
        if (deal_bucket_count(d, i) > SHORT)
            sort_bucket(&r, i, pool, spare, work);
    atomic_init(&r.next, 0);
    pool_run(pool, d->workers, sort_share, &r);
    return 1;
}
