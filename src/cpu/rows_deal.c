/*
 * rows_deal.c - deal rows out to buckets, then sort these: see rows_deal.h.
 *
 * The codes between two of a sample are divided into slots of equal width. Rows are counted
 * by slots; neighbouring slots with few rows share a bucket. A row's image goes to its
 * bucket through a line that is filled in the caches and written around them.
 */
#include "cpu/rows_deal.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/inlined.h"
#include "cpu/rows_bucket.h"
#include "cpu/stream.h"
#include "cpu/suite.h"

enum {
    LEAST = 1 << 18, /* rows that are worth it: fewer are in the caches anyway */
    SLOTS = 8192,    /* at most; the lines of as many buckets fit L2 */
    SLOT_ROWS = 256, /* on average, at least */
    BUCKET_ROWS = 2048,
    SAMPLES = 1024,
    SHORT = 1 << 17, /* rows of a bucket that a thread sorts in its own memory */
    SPARE = 2        /* bytes for each row, to sort longer ones with */
};

struct deal {
    const struct request *request;
    struct image image;
    struct comparison compare;
    struct pool *pool;
    unsigned workers;
    unsigned char *images;
    unsigned char *spare;
    unsigned char *work;
    struct slot_task codes;
    unsigned slots;
    unsigned buckets;
    uint16_t *bucket;     /* of each slot */
    uint16_t *first_slot; /* of each bucket */
    uint32_t *starts;     /* of each bucket, and the count */
    atomic_uint next;     /* bucket that nobody has taken */
};

/* What the calling thread makes for all. */
struct tables {
    uint16_t bucket[SLOTS];
    uint16_t first_slot[SLOTS];
    uint32_t starts[SLOTS + 1];
};

/* A worker's counters and lines. */
struct hand {
    uint32_t rows[SLOTS];  /* of each slot */
    uint32_t begun[SLOTS]; /* where its rows of each bucket go */
    uint32_t next[SLOTS];  /* where its next line of each bucket goes, ... */
    uint8_t held[SLOTS];   /* ... and how many images of that line it has */
    _Alignas(STREAM_LINE) unsigned char line[SLOTS][STREAM_LINE];
};

_Static_assert(sizeof(struct hand) <= WORK_BYTES, "a hand fits a worker's memory");

static struct hand *hand_of(const struct deal *d, unsigned worker)
{
    return (struct hand *)(void *)(d->work + (size_t)worker * WORK_BYTES);
}

static uint64_t lines_bytes(uint64_t bytes)
{
    return (bytes + STREAM_LINE - 1) / STREAM_LINE * STREAM_LINE;
}

uint64_t rows_deal_bytes(const struct request *r, uint64_t count)
{
    const int is_for_it = r->operation == MW_SORT && !request_has_segments(r) &&
                          r->order.field_count > 0 && !r->position_bytes &&
                          count <= UINT32_MAX;
    struct image image;

    return is_for_it && image_of(r, &image)
               ? lines_bytes(count * image.bytes) + lines_bytes(sizeof(struct tables)) +
                     SPARE * count + STREAM_LINE
               : 0;
}

/* ---- Slots and buckets -------------------------------------------------------------- */

/* Choose slots by a sample. */
static void make_slots(struct deal *d)
{
    uint64_t codes[SAMPLES];
    const struct quick_task all = {.keys = codes, .count = SAMPLES};
    const struct request_order *const order = &d->request->order;
    uint64_t chance = d->request->count;
    uint64_t code_bits = 0;
    unsigned out = 0; /* samples left out at either end */

    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t first = pool_part(d->request->count, SAMPLES, i);
        const uint64_t room = pool_part(d->request->count, SAMPLES, i + 1) - first;

        chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407;
        codes[i] = comparison_code(&d->compare, first + (chance >> 24) % room);
    }
    suite_for(64)->quick(&all);

    /* A few codes far away must not make the slots of all others too wide. */
    if ((codes[SAMPLES - 1] - codes[0]) / 16 >=
        codes[SAMPLES - 1 - SAMPLES / 64] - codes[SAMPLES / 64])
        out = SAMPLES / 64;
    for (uint32_t i = 0; i < order->field_count; i++)
        code_bits += UINT64_C(8) * order->field[i].bytes;
    d->codes.least = codes[out];
    d->codes.shift = code_bits < 64 ? 64 - (unsigned)code_bits : 0;
    for (d->slots = SLOTS; d->slots * (uint64_t)SLOT_ROWS > d->request->count;)
        d->slots /= 2;
    while ((codes[SAMPLES - 1 - out] - d->codes.least) >> d->codes.shift >= d->slots)
        d->codes.shift++;
    d->codes.most = (uint16_t)(d->slots - 1);
}

/* The slots of at most IMAGE_BLOCK rows. */
static void find_slots(const struct deal *d, uint64_t first, uint32_t count,
                       uint16_t *numbers)
{
    const struct comparison *const c = &d->compare;
    struct slot_task task = d->codes;
    uint64_t codes[IMAGE_BLOCK];

    task.flip = d->request->order.field[0].code.flip;
    if (comparison_is_plain(c, 8) && c->field[0].step == 8) {
        suite_for(64)->slots(&task, c->field[0].first + 8 * first, count, numbers);
    } else if (comparison_is_plain(c, 4) && c->field[0].step == 4) {
        task.least >>= 32;
        task.shift -= 32;
        suite_for(32)->slots(&task, c->field[0].first + 4 * first, count, numbers);
    } else {
        task.flip = 0;
        comparison_codes(c, first, count, codes);
        suite_for(64)->slots(&task, codes, count, numbers);
    }
}

static void count_share(void *arg, unsigned worker)
{
    const struct deal d = *(const struct deal *)arg;
    const uint64_t last = pool_part(d.request->count, d.workers, worker + 1);
    uint32_t *const rows = hand_of(&d, worker)->rows;
    uint16_t slots[IMAGE_BLOCK];

    memset(rows, 0, d.slots * sizeof *rows);
    for (uint64_t at = pool_part(d.request->count, d.workers, worker); at < last;
         at += IMAGE_BLOCK) {
        const uint32_t count =
            last - at < IMAGE_BLOCK ? (uint32_t)(last - at) : IMAGE_BLOCK;

        find_slots(&d, at, count, slots);
        for (uint32_t i = 0; i < count; i++)
            rows[slots[i]]++;
    }
}

/* Make buckets of slots; find where they begin, and where workers write in them. */
static void make_buckets(struct deal *d)
{
    const uint64_t even = d->request->count / SLOTS;
    const uint64_t wanted = even > BUCKET_ROWS ? even : BUCKET_ROWS;
    uint64_t rows = 0; /* of the present bucket */
    uint32_t at = 0;

    for (unsigned worker = 0; worker < d->workers; worker++)
        memset(hand_of(d, worker)->begun, 0, sizeof hand_of(d, worker)->begun);
    d->buckets = 0;
    d->first_slot[0] = 0;
    for (unsigned slot = 0; slot < d->slots; slot++) {
        uint64_t more = 0;

        for (unsigned worker = 0; worker < d->workers; worker++)
            more += hand_of(d, worker)->rows[slot];
        if (rows > 0 && rows + more > wanted) {
            d->first_slot[++d->buckets] = (uint16_t)slot;
            rows = 0;
        }
        d->bucket[slot] = (uint16_t)d->buckets;
        for (unsigned worker = 0; worker < d->workers; worker++)
            hand_of(d, worker)->begun[d->buckets] += hand_of(d, worker)->rows[slot];
        rows += more;
    }
    d->buckets++;
    for (unsigned bucket = 0; bucket < d->buckets; bucket++) {
        d->starts[bucket] = at;
        for (unsigned worker = 0; worker < d->workers; worker++) {
            uint32_t *const begun = &hand_of(d, worker)->begun[bucket];
            const uint32_t count = *begun;

            *begun = at;
            at += count;
        }
    }
    d->starts[d->buckets] = at;
}

/* ---- Dealing ------------------------------------------------------------------------ */

/* Write the `count` images that a line holds, less those of other buckets or workers. */
INLINED void flush(const struct deal *d, struct hand *hand, unsigned bucket, uint32_t count,
                   size_t bytes)
{
    const uint32_t begun = hand->begun[bucket];
    const uint32_t at = hand->next[bucket];
    const uint32_t skipped = begun > at ? begun - at : 0;
    unsigned char *const to = d->images + (uint64_t)at * bytes;

    hand->next[bucket] += count;
    if (count * bytes == STREAM_LINE && !skipped)
        stream_write(to, hand->line[bucket], STREAM_LINE);
    else if (count > skipped)
        memcpy(to + skipped * bytes, hand->line[bucket] + skipped * bytes,
               (count - skipped) * bytes);
}

/*
 * Deal a worker's rows; `bytes` of an image is a constant. Writing to many places at once,
 * one image each, would wait for each line in turn.
 */
INLINED void deal_images(const struct deal *d, unsigned worker, size_t bytes)
{
    const uint64_t last = pool_part(d->request->count, d->workers, worker + 1);
    const uint32_t each = (uint32_t)(STREAM_LINE / bytes);
    struct hand *const hand = hand_of(d, worker);
    const uint16_t *const bucket_of = d->bucket;
    uint8_t *const held = hand->held;
    unsigned char room[IMAGE_BLOCK * IMAGE_MOST];
    uint16_t slots[IMAGE_BLOCK];

    for (unsigned bucket = 0; bucket < d->buckets; bucket++) {
        held[bucket] = (uint8_t)(hand->begun[bucket] % each);
        hand->next[bucket] = hand->begun[bucket] - held[bucket];
    }
    for (uint64_t first = pool_part(d->request->count, d->workers, worker); first < last;
         first += IMAGE_BLOCK) {
        const uint32_t count =
            last - first < IMAGE_BLOCK ? (uint32_t)(last - first) : IMAGE_BLOCK;
        const unsigned char *const images = image_pack(&d->image, first, count, room);

        find_slots(d, first, count, slots);
        for (uint32_t i = 0; i < count; i++) {
            const unsigned bucket = bucket_of[slots[i]];
            const unsigned at = held[bucket];

            memcpy(hand->line[bucket] + at * bytes, images + i * bytes, bytes);
            held[bucket] = (uint8_t)((at + 1) % each);
            if (at + 1 == each)
                flush(d, hand, bucket, each, bytes);
        }
    }
    for (unsigned bucket = 0; bucket < d->buckets; bucket++)
        flush(d, hand, bucket, held[bucket], bytes);
    stream_end();
}

static void deal_share(void *arg, unsigned worker)
{
    const struct deal d = *(const struct deal *)arg;

    if (d.image.bytes == 4)
        deal_images(&d, worker, 4);
    else if (d.image.bytes == 8)
        deal_images(&d, worker, 8);
    else if (d.image.bytes == 16)
        deal_images(&d, worker, 16);
    else
        deal_images(&d, worker, 32);
}

/* ---- Sorting ------------------------------------------------------------------------ */

static uint64_t rows_of(const struct deal *d, unsigned bucket)
{
    return d->starts[bucket + 1] - d->starts[bucket];
}

static struct bucket bucket_at(const struct deal *d, unsigned number)
{
    const unsigned last = number + 1 < d->buckets ? d->first_slot[number + 1] : d->slots;
    const uint64_t first = d->first_slot[number];
    struct bucket b = {.request = d->request,
                       .image = &d->image,
                       .images = d->images + (uint64_t)d->starts[number] * d->image.bytes,
                       .count = rows_of(d, number),
                       .to = d->starts[number],
                       .least = UINT64_MAX};

    /* The first and the last slot also have all codes beyond. */
    if (first > 0 && last < d->slots) {
        b.least = d->codes.least + (first << d->codes.shift);
        b.most = d->codes.least + ((uint64_t)last << d->codes.shift) - 1;
    }
    return b;
}

static void sort_share(void *arg, unsigned worker)
{
    struct deal *const d = (struct deal *)arg;

    for (;;) {
        const unsigned bucket = atomic_fetch_add(&d->next, 1);

        if (bucket >= d->buckets)
            return;
        if (rows_of(d, bucket) > 0 && rows_of(d, bucket) <= SHORT) {
            const struct bucket b = bucket_at(d, bucket);

            bucket_sort(pool_alone(d->pool), &b, hand_of(d, worker), NULL);
        }
    }
}

int rows_deal(struct pool *pool, const struct request *r, void *scratch, void *work)
{
    struct deal d = {.request = r, .compare = comparison_of(r, 0), .pool = pool};
    struct tables *tables;
    uint64_t longest = 0;

    if (r->count < LEAST || !rows_deal_bytes(r, r->count) || !suite_for(64)->quick)
        return 0;
    image_of(r, &d.image);
    d.workers = rows_workers(pool, r->count);
    d.work = work;
    d.images = scratch;
    tables = (struct tables *)(void *)(d.images + lines_bytes(r->count * d.image.bytes));
    d.spare = (unsigned char *)tables + lines_bytes(sizeof *tables);
    d.bucket = tables->bucket;
    d.first_slot = tables->first_slot;
    d.starts = tables->starts;
    make_slots(&d);
    pool_run(pool, d.workers, count_share, &d);
    make_buckets(&d);
    for (unsigned i = 0; i < d.buckets; i++)
        longest = rows_of(&d, i) > longest ? rows_of(&d, i) : longest;
    if (longest > SHORT && bucket_bytes(longest) > SPARE * r->count)
        return 0; /* too many codes are similar */
    atomic_init(&d.next, 0);
    pool_run(pool, d.workers, deal_share, &d);
    for (unsigned i = 0; i < d.buckets && longest > SHORT; i++) {
        const struct bucket b = bucket_at(&d, i);

        if (b.count > SHORT)
            bucket_sort(pool, &b, d.spare, work);
    }
    pool_run(pool, d.workers, sort_share, &d);
    return 1;
}
