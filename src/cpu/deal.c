/*
 * deal.c - deal images out to buckets: see deal.h.
 */
#include "cpu/deal.h"

#include <assert.h>
#include <string.h>

#include "cpu/inlined.h"
#include "cpu/stream.h"

enum {
    SLOT_IMAGES = 256, /* on average, at least */
    LINES_BYTES = DEAL_SLOTS * DEAL_LINE / 2
};

/* A worker's counters and lines. */
struct hand {
    uint32_t images[DEAL_SLOTS]; /* of each slot */
    uint32_t begun[DEAL_SLOTS];  /* where its images of each bucket go */
    uint32_t next[DEAL_SLOTS];   /* where its next line, or long image, goes, ... */
    uint8_t held[DEAL_SLOTS];    /* ... and how many images of that line it has */
    _Alignas(STREAM_LINE) unsigned char lines[2 * LINES_BYTES]; /* of all buckets */
};

enum { TABLES_BYTES = (sizeof(struct deal_tables) + 63) / 64 * 64 };

_Static_assert(sizeof(struct hand) + TABLES_BYTES <= WORK_BYTES,
               "both fit a worker's memory");

struct deal_tables *deal_tables_in(void *work)
{
    return (struct deal_tables *)(void *)((unsigned char *)work + WORK_BYTES -
                                          TABLES_BYTES);
}

static struct hand *hand_of(const struct deal *d, unsigned worker)
{
    return (struct hand *)(void *)(d->work + (size_t)worker * WORK_BYTES);
}

/* Bytes of long images that a bucket collects before they are written. */
static size_t chunk_of(const struct deal *d)
{
    return d->bytes <= DEAL_MOST / 2 ? DEAL_MOST / 2 : DEAL_MOST;
}

/* Images that each bucket should have. */
static uint64_t wanted_of(const struct deal *d)
{
    /* Two neighbouring buckets have more than wanted, so there are fewer than `most`. */
    const uint64_t most =
        deal_is_short(d->bytes) ? DEAL_SLOTS : LINES_BYTES / (2 * chunk_of(d)) - 1;
    const uint64_t least = 2 * d->count / most + 1;

    return least > d->bucket ? least : d->bucket;
}

/* ---- Slots and buckets -------------------------------------------------------------- */

uint64_t deal_sample(uint64_t count, unsigned i)
{
    const uint64_t first = pool_part(count, DEAL_SAMPLES, i);
    const uint64_t room = pool_part(count, DEAL_SAMPLES, i + 1) - first;
    const uint64_t chance = (count + i) * UINT64_C(0x9e3779b97f4a7c15);

    return first + (chance >> 24) % room;
}

void deal_choose(struct deal *d, uint64_t codes[DEAL_SAMPLES], unsigned code_bits)
{
    const unsigned few = DEAL_SAMPLES / 64;
    const unsigned last = DEAL_SAMPLES - 1;
    unsigned out = 0; /* samples left out at either end */

    /* A few codes far away must not make the slots of all others too wide. */
    if ((codes[last] - codes[0]) / 16 >= codes[last - few] - codes[few])
        out = few;
    d->codes = (struct slot_task){.least = codes[out], .shift = 64 - code_bits};
    for (d->slots = DEAL_SLOTS; d->slots * (uint64_t)SLOT_IMAGES > d->count;)
        d->slots /= 2;
    while ((codes[last - out] - codes[out]) >> d->codes.shift >= d->slots)
        d->codes.shift++;
    d->codes.most = (uint16_t)(d->slots - 1);
}

static void count_share(void *arg, unsigned worker)
{
    const struct deal d = *(const struct deal *)arg;
    const uint64_t last = pool_part(d.count, d.workers, worker + 1);
    uint32_t *const images = hand_of(&d, worker)->images;
    uint16_t slots[DEAL_BLOCK];

    memset(images, 0, d.slots * sizeof *images);
    for (uint64_t at = pool_part(d.count, d.workers, worker); at < last; at += DEAL_BLOCK) {
        const uint32_t count = last - at < DEAL_BLOCK ? (uint32_t)(last - at) : DEAL_BLOCK;

        d.find_slots(&d, at, count, slots);
        for (uint32_t i = 0; i < count; i++)
            images[slots[i]]++;
    }
}

/* Make buckets of slots: how many images has each worker for each? */
static void make_buckets(struct deal *d)
{
    const uint64_t wanted = wanted_of(d);
    uint64_t count = 0; /* of the present bucket */
    unsigned bucket = 0;

    for (unsigned worker = 0; worker < d->workers; worker++)
        memset(hand_of(d, worker)->begun, 0, sizeof hand_of(d, worker)->begun);
    d->tables->first_slot[0] = 0;
    for (unsigned slot = 0; slot < d->slots; slot++) {
        uint64_t more = 0;

        for (unsigned worker = 0; worker < d->workers; worker++)
            more += hand_of(d, worker)->images[slot];
        if (count > 0 && count + more > wanted) {
            d->tables->first_slot[++bucket] = (uint16_t)slot;
            count = 0;
        }
        d->tables->bucket[slot] = (uint16_t)bucket;
        for (unsigned worker = 0; worker < d->workers; worker++)
            hand_of(d, worker)->begun[bucket] += hand_of(d, worker)->images[slot];
        count += more;
    }
    d->buckets = bucket + 1;
}

uint64_t deal_count(struct deal *d)
{
    uint64_t longest = 0;
    uint32_t at = 0;

    pool_run(d->pool, d->workers, count_share, d);
    make_buckets(d);
    for (unsigned bucket = 0; bucket < d->buckets; bucket++) {
        d->tables->starts[bucket] = at;
        for (unsigned worker = 0; worker < d->workers; worker++) {
            uint32_t *const begun = &hand_of(d, worker)->begun[bucket];
            const uint32_t count = *begun;

            *begun = at;
            at += count;
        }
        d->tables->starts[bucket + 1] = at;
        if (deal_bucket_count(d, bucket) > longest)
            longest = deal_bucket_count(d, bucket);
    }
    return longest;
}

int deal_bucket_range(const struct deal *d, unsigned bucket, uint64_t *least,
                      uint64_t *most)
{
    const uint16_t *const first_slot = d->tables->first_slot + bucket;
    const uint64_t first = first_slot[0];
    const uint64_t last = bucket + 1 < d->buckets ? first_slot[1] : d->slots;

    *least = d->codes.least + (first << d->codes.shift);
    *most = d->codes.least + (last << d->codes.shift) - 1;
    return first > 0 && last < d->slots; /* others have all codes beyond */
}

/* ---- Dealing ------------------------------------------------------------------------ */

/* Write the `count` images that a line holds, less those of other buckets or workers. */
INLINED void flush(const struct deal *d, struct hand *hand, unsigned bucket, uint32_t count,
                   size_t bytes)
{
    const uint32_t begun = hand->begun[bucket];
    const uint32_t at = hand->next[bucket];
    const uint32_t skipped = begun > at ? begun - at : 0;
    unsigned char *const to = d->to + (uint64_t)at * bytes;
    const unsigned char *const from = hand->lines + (size_t)bucket * DEAL_LINE;

    hand->next[bucket] += count;
    if (count * bytes == DEAL_LINE && !skipped)
        stream_write(to, from, DEAL_LINE);
    else if (count > skipped)
        memcpy(to + skipped * bytes, from + skipped * bytes, (count - skipped) * bytes);
}

/*
 * Deal a worker's images; `bytes` of one is a constant. Writing to many places at once, one
 * image each, would wait for each line in turn.
 */
INLINED void deal_images(const struct deal *d, unsigned worker, size_t bytes)
{
    const uint64_t last = pool_part(d->count, d->workers, worker + 1);
    const uint32_t each = (uint32_t)(DEAL_LINE / bytes);
    struct hand *const hand = hand_of(d, worker);
    const uint16_t *const bucket_of = d->tables->bucket;
    uint8_t *const held = hand->held;
    unsigned char room[DEAL_BLOCK * DEAL_SHORT];
    uint16_t slots[DEAL_BLOCK];

    for (unsigned bucket = 0; bucket < d->buckets; bucket++) {
        held[bucket] = (uint8_t)(hand->begun[bucket] % each);
        hand->next[bucket] = hand->begun[bucket] - held[bucket];
    }
    for (uint64_t first = pool_part(d->count, d->workers, worker); first < last;
         first += DEAL_BLOCK) {
        const uint32_t count =
            last - first < DEAL_BLOCK ? (uint32_t)(last - first) : DEAL_BLOCK;
        const unsigned char *const images = d->find_images(d, first, count, room);

        d->find_slots(d, first, count, slots);
        for (uint32_t i = 0; i < count; i++) {
            const unsigned bucket = bucket_of[slots[i]];
            const unsigned at = held[bucket];

            memcpy(hand->lines + (size_t)bucket * DEAL_LINE + at * bytes,
                   images + i * bytes, bytes);
            held[bucket] = (uint8_t)((at + 1) % each);
            if (at + 1 == each)
                flush(d, hand, bucket, each, bytes);
        }
    }
    for (unsigned bucket = 0; bucket < d->buckets; bucket++)
        flush(d, hand, bucket, held[bucket], bytes);
    stream_end();
}

/* Write what a bucket still holds in its chunks. */
static void flush_rest(const struct deal *d, const struct hand *hand, unsigned bucket,
                       size_t chunk)
{
    const uint64_t begun = (uint64_t)hand->begun[bucket] * d->bytes;
    const uint64_t end = (uint64_t)hand->next[bucket] * d->bytes;

    if (end == begun)
        return;

    const uint64_t lines = (end - d->bytes) / chunk * chunk; /* where chunk 0 is */
    const uint64_t first = lines > begun ? lines : begun;

    memcpy(d->to + first, hand->lines + bucket * 2 * chunk + (first - lines), end - first);
}

/*
 * Deal a worker's images that do not divide a line, by way of two chunks for each bucket
 * (copy.inl).
 */
static void deal_long(const struct deal *d, unsigned worker)
{
    enum { BLOCK = 32 };
    const uint64_t last = pool_part(d->count, d->workers, worker + 1);
    const size_t chunk = chunk_of(d);
    struct hand *const hand = hand_of(d, worker);
    unsigned char room[BLOCK * DEAL_MOST];
    uint16_t buckets[BLOCK];
    struct collect_task task = {.buckets = buckets,
                                .bytes = d->bytes,
                                .chunk = (uint32_t)chunk,
                                .chunks = hand->lines,
                                .begun = hand->begun,
                                .next = hand->next,
                                .to = d->to};

    memcpy(hand->next, hand->begun, d->buckets * sizeof *hand->next);
    for (uint64_t first = pool_part(d->count, d->workers, worker); first < last;
         first += BLOCK) {
        task.count = last - first < BLOCK ? (uint32_t)(last - first) : BLOCK;
        task.rows = d->find_images(d, first, task.count, room);
        d->find_slots(d, first, task.count, buckets);
        for (uint32_t i = 0; i < task.count; i++)
            buckets[i] = d->tables->bucket[buckets[i]];
        suite_for(64)->collect(&task);
    }
    for (unsigned bucket = 0; bucket < d->buckets; bucket++)
        flush_rest(d, hand, bucket, chunk);
    stream_end();
}

static void deal_share(void *arg, unsigned worker)
{
    const struct deal d = *(const struct deal *)arg;

    if (!deal_is_short(d.bytes))
        deal_long(&d, worker);
    else if (d.bytes == 4)
        deal_images(&d, worker, 4);
    else if (d.bytes == 8)
        deal_images(&d, worker, 8);
    else if (d.bytes == 16)
        deal_images(&d, worker, 16);
    else if (d.bytes == 32)
        deal_images(&d, worker, 32);
    else
        deal_images(&d, worker, 64);
}

void deal_out(struct deal *d)
{
    assert(d->buckets <= DEAL_SLOTS);
    pool_run(d->pool, d->workers, deal_share, d);
}
