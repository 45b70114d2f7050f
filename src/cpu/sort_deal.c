/*
 * sort_deal.c - sort keys on many threads by dealing them out: see sort_deal.h.
 *
 * Threads take pieces of the keys until none is left, and deal them out to buckets. A
 * bucket collects a block of keys in the caches. Full blocks of all buckets are written in
 * the order in which they fill up, to the scratch memory where the thread's own pieces
 * would be. So keys need not be counted first, and memory is written in order. Then each
 * bucket is copied to the L2 of a thread, sorted there and written to its place.
 *
 * The bucket of each block is noted after the keys in the scratch memory. When all keys are
 * dealt out, the numbers of a bucket's blocks are written to the end of its place.
 */
#include "cpu/sort_deal.h"

#include <string.h>

#include "cpu/sort_deal_parts.h"
#include "cpu/stream.h"

enum {
    EACH = 16,            /* buckets that each thread should have, at least */
    LEAST = 1 << 24,      /* keys; fewer fit the caches of many threads */
    LEAST_THREADS = 8,    /* fewer threads are not limited by memory bandwidth */
    WINDOWS = 2048,       /* samples by which slots are divided among buckets, ... */
    WINDOW = 16,          /* ... and keys of each */
    AHEAD = 16,           /* blocks that are prefetched */
    PIECE_BYTES = 1 << 17 /* of keys that a thread takes, at least */
};

uint64_t sort_deal_bytes(int bits, uint64_t count)
{
    const uint64_t blocks = (count / BLOCK + 1) * ((uint64_t)bits / 8); /* or fewer */

    return count < LEAST ? 0 : blocks * sizeof(uint16_t);
}

static void cut_keys(struct key_deal *k)
{
    const uint64_t blocks = k->bytes / (PIECES * (uint64_t)BLOCK) + 1;
    const uint64_t piece = blocks * BLOCK;

    k->piece = piece > PIECE_BYTES ? piece : PIECE_BYTES;
    k->pieces = (unsigned)((k->bytes + k->piece - 1) / k->piece);
}

/* ---- Buckets ------------------------------------------------------------------------ */

static void choose_slots(struct key_deal *k)
{
    const struct sort_request *const r = k->request;
    const unsigned narrow_by = 64 - (unsigned)r->suite->bits;
    uint64_t codes[DEAL_SAMPLES];
    const struct quick_task all = {.keys = codes, .count = DEAL_SAMPLES};
    struct deal deal = {.count = r->count};

    for (unsigned i = 0; i < DEAL_SAMPLES; i++) {
        const unsigned char *const at = byte_of(k, deal_sample(r->count, i) * k->size);
        uint32_t narrow;

        if (k->size == sizeof narrow) {
            r->suite->enter(at, &narrow, 1, r->code);
            codes[i] = (uint64_t)(narrow ^ (uint32_t)r->suite->plain_flip) << 32;
        } else {
            r->suite->enter(at, &codes[i], 1, r->code);
            codes[i] ^= r->suite->plain_flip;
        }
    }
    suite_for(64)->quick(&all);
    deal_choose(&deal, codes, (unsigned)r->suite->bits);
    while (deal.slots > SLOTS) {
        deal.slots /= 2;
        deal.codes.shift++;
        deal.codes.most = (uint16_t)(deal.slots - 1);
    }
    k->slots = deal.slots;
    k->codes = deal.codes;
    k->codes.least >>= narrow_by;
    k->codes.shift -= narrow_by;
    k->codes.flip = r->code.is_float ? r->suite->plain_flip : r->code.flip;
}

/* Count samples by slots. */
static void take_samples(const struct key_deal *k)
{
    const uint64_t count = k->request->count;
    uint32_t *const samples = k->tables->samples;
    uint16_t slots[WINDOW];

    memset(samples, 0, sizeof k->tables->samples);
    for (unsigned i = 0; i < WINDOWS; i++) {
        const uint64_t room = count / WINDOWS - WINDOW;
        const uint64_t chance = (count + i) * UINT64_C(0x9e3779b97f4a7c15);
        const uint64_t first = pool_part(count, WINDOWS, i) + (chance >> 24) % room;

        sort_deal_slots(k, byte_of(k, first * k->size), WINDOW, slots);
        for (unsigned j = 0; j < WINDOW; j++)
            samples[slots[j]]++;
    }
}

/* Make buckets of slots; how many samples has the greatest? */
static uint32_t choose_buckets(struct key_deal *k)
{
    const uint64_t least = (uint64_t)EACH * k->workers;
    const uint64_t fit = k->bytes / BUCKET_BYTES;
    const uint64_t wish = fit > least ? fit : least;
    /* No bucket but the last has fewer samples, so there are at most BUCKETS. */
    const uint32_t wanted =
        WINDOWS * WINDOW / (uint32_t)(wish < BUCKETS ? wish : BUCKETS - 1) + 1;
    uint32_t count = 0; /* of the present bucket */
    uint32_t most = 0;
    unsigned bucket = 0;

    take_samples(k);
    for (unsigned slot = 0; slot < k->slots; slot++) {
        if (count >= wanted) {
            count = 0;
            bucket++;
        }
        k->tables->bucket[slot] = (uint16_t)bucket;
        count += k->tables->samples[slot];
        most = count > most ? count : most;
    }
    k->buckets = bucket + 1;
    return most;
}

/* ---- Placing ------------------------------------------------------------------------ */

/* The place of each bucket, and where the numbers of each worker's blocks go. */
static void place_buckets(struct key_deal *k)
{
    struct tables *const tables = k->tables;
    const struct quick_task all = {.keys = tables->order, .count = k->buckets};
    uint64_t start = 0;

    memset(tables->order, 0, sizeof tables->order);
    memset(tables->blocks, 0, sizeof tables->blocks);
    for (unsigned worker = 0; worker < k->workers; worker++) {
        struct hand *const hand = hand_of(k, worker);

        for (unsigned bucket = 0; bucket < k->buckets; bucket++) {
            const uint32_t before = tables->blocks[bucket];

            tables->blocks[bucket] += hand->next[bucket];
            tables->order[bucket] += hand->held[bucket];
            hand->next[bucket] = before;
        }
    }
    for (unsigned bucket = 0; bucket < k->buckets; bucket++) {
        const uint64_t bytes =
            tables->order[bucket] + (uint64_t)tables->blocks[bucket] * BLOCK;

        tables->starts[bucket] = start;
        tables->order[bucket] = bytes * BUCKETS + bucket;
        start += bytes;
    }
    tables->starts[k->buckets] = start;
    suite_for(64)->quick(&all);
}

/* Where the numbers of a bucket's blocks are: they may not be aligned. */
static unsigned char *numbers_of(const struct key_deal *k, unsigned bucket)
{
    return byte_of(k, k->tables->starts[bucket + 1] -
                          (uint64_t)k->tables->blocks[bucket] * sizeof(uint32_t));
}

/* Note the blocks that a worker wrote. */
static void note_share(void *arg, unsigned worker)
{
    const struct key_deal *const k = (const struct key_deal *)arg;
    struct hand *const hand = hand_of(k, worker);

    for (uint32_t i = 0; i < hand->blocks; i++) {
        const uint32_t number = place_of(k, hand, i);
        const unsigned bucket = k->filled[number];

        memcpy(numbers_of(k, bucket) + hand->next[bucket]++ * sizeof number, &number,
               sizeof number);
    }
}

/* ---- Sorting ------------------------------------------------------------------------ */

static uint32_t number_at(const unsigned char *numbers, uint32_t i)
{
    uint32_t number;

    memcpy(&number, numbers + i * sizeof number, sizeof number);
    return number;
}

/*
 * Put a bucket together, perhaps in its place: blocks are longer than numbers, so each
 * number is read before a block is written over it.
 */
static void gather(const struct key_deal *k, unsigned bucket, unsigned char *to)
{
    const unsigned char *const numbers = numbers_of(k, bucket);
    const unsigned char *const from = (const unsigned char *)k->request->scratch;
    const uint32_t blocks = k->tables->blocks[bucket];

    for (uint32_t i = 0; i < blocks; i++) {
        const uint64_t number = number_at(numbers, i);

        if (i + AHEAD < blocks) {
            const unsigned char *const next =
                from + (uint64_t)number_at(numbers, i + AHEAD) * BLOCK;

            for (unsigned line = 0; line < BLOCK; line += STREAM_LINE)
                __builtin_prefetch(next + line);
        }
        memcpy(to, from + number * BLOCK, BLOCK);
        to += BLOCK;
    }
    for (unsigned worker = 0; worker < k->workers; worker++) {
        const struct hand *const hand = hand_of(k, worker);

        memcpy(to, hand->lines + (size_t)bucket * BLOCK, hand->held[bucket]);
        to += hand->held[bucket];
    }
}

static void sort_bucket(const struct key_deal *k, unsigned bucket, struct hand *hand)
{
    const uint64_t first = k->tables->starts[bucket];
    const uint64_t bytes = k->tables->starts[bucket + 1] - first;
    const int fits = bytes <= ROOM_BYTES;
    const struct quick_task task = {.keys = fits ? hand->room : byte_of(k, first),
                                    .count = bytes / k->size,
                                    .code = k->request->code};

    gather(k, bucket, (unsigned char *)task.keys);
    k->request->suite->quick(&task);
    if (fits)
        stream_copy(byte_of(k, first), task.keys, bytes);
}

/* The longest buckets first: short ones at the end keep all threads busy. */
static void sort_share(void *arg, unsigned worker)
{
    struct key_deal *const k = (struct key_deal *)arg;

    for (;;) {
        const unsigned taken = atomic_fetch_add(&k->next, 1);

        if (taken >= k->buckets)
            break;
        sort_bucket(k, k->tables->order[k->buckets - 1 - taken] % BUCKETS,
                    hand_of(k, worker));
    }
    stream_end();
}

int sort_deal(struct pool *pool, const struct sort_request *r)
{
    const size_t size = (size_t)r->suite->bits / 8;
    struct key_deal k = {.request = r,
                         .size = size,
                         .bytes = r->count * size,
                         .workers = pool_threads(pool)};

    if (k.workers < LEAST_THREADS || r->count < LEAST || !r->suite->quick ||
        !r->suite->slots || k.bytes / BLOCK > UINT32_MAX)
        return 0;
    k.tables = &hand_of(&k, 0)->tables;
    k.filled = (uint16_t *)(void *)((unsigned char *)r->scratch + k.bytes);
    cut_keys(&k);
    choose_slots(&k);
    if (choose_buckets(&k) > WINDOWS * WINDOW / (2 * k.workers))
        return 0; /* one thread would have too much to do */
    atomic_init(&k.next, 0);
    pool_run(pool, k.workers, sort_deal_out, &k);
    place_buckets(&k);
    pool_run(pool, k.workers, note_share, &k);
    atomic_init(&k.next, 0);
    pool_run(pool, k.workers, sort_share, &k);
    return 1;
}
