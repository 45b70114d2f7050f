/*
 * sort_deal.c - sort keys on many threads by dealing them out: see sort_deal.h.
 *
 * Each thread deals its share out to buckets. A bucket collects a block of keys in L2. Full
 * blocks of all buckets follow each other in the thread's part of the scratch memory, so
 * nobody need count keys first, and memory is written in order. Then each bucket is put
 * together in the L2 of a thread, sorted there and written where it belongs.
 *
 * The numbers of a bucket's blocks wait at the end of its place among the keys, which are
 * all dealt out by then.
 */
#include "cpu/sort_deal.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/deal.h"
#include "cpu/stream.h"

enum {
    BLOCK = 512, /* bytes; shorter ones are written more often, longer ones leave L2 */
    BUCKETS = 1024,
    BUCKET_BYTES = 1 << 18, /* of most buckets */
    EACH = 16,              /* buckets that each thread should have, at least */
    LEAST = 1 << 24,        /* keys; fewer fit the caches of many threads */
    LEAST_THREADS = 4,      /* fewer threads are not limited by memory bandwidth */
    WINDOWS = 2048,         /* samples by which slots are divided among buckets, ... */
    WINDOW = 16,            /* ... and keys of each */
    AHEAD = 16,             /* blocks that are prefetched */
    TABLES_BYTES = 96 << 10 /* of a worker: all but its lines and its room */
};

/* What all workers share, in the memory of worker 0. */
struct tables {
    uint32_t samples[DEAL_SLOTS]; /* in each slot */
    uint16_t bucket[DEAL_SLOTS];  /* of each slot */
    uint64_t starts[BUCKETS + 1]; /* of each bucket among the keys, in bytes */
    uint32_t blocks[BUCKETS];     /* of each bucket */
    uint64_t order[BUCKETS];      /* buckets by their bytes: both in one number */
};

enum { ROOM_BYTES = WORK_BYTES - BUCKETS * BLOCK - TABLES_BYTES };

/* A worker's memory. */
struct hand {
    unsigned char lines[BUCKETS * BLOCK]; /* the block that each bucket collects */
    union {
        uint16_t filled[ROOM_BYTES / 2]; /* buckets of the blocks that were written, ... */
        unsigned char room[ROOM_BYTES];  /* ... then a bucket that is sorted */
    } u;
    uint32_t held[BUCKETS]; /* bytes of each block that is collected */
    uint32_t next[BUCKETS]; /* blocks of each bucket, then how many others come before */
    uint32_t blocks;        /* that were written */
    struct tables tables;
};

_Static_assert(sizeof(struct hand) <= WORK_BYTES, "fits a worker's memory");

struct key_deal {
    const struct sort_request *request;
    size_t size;    /* of a key */
    uint64_t bytes; /* of all keys */
    unsigned workers;
    struct slot_task codes; /* slots of keys, or of ranks */
    unsigned slots;
    unsigned buckets;
    struct tables *tables;
    atomic_uint next; /* how many buckets somebody has taken */
};

static unsigned char *byte_of(const struct key_deal *k, uint64_t at)
{
    return (unsigned char *)k->request->keys + at;
}

static struct hand *hand_of(const struct key_deal *k, unsigned worker)
{
    return (struct hand *)(void *)((unsigned char *)k->request->work +
                                   (size_t)worker * WORK_BYTES);
}

/* Where the share of a worker begins, in bytes: shares are whole blocks. */
static uint64_t share_at(const struct key_deal *k, unsigned worker)
{
    return worker == k->workers ? k->bytes
                                : pool_part(k->bytes / BLOCK, k->workers, worker) * BLOCK;
}

/* ---- Buckets ------------------------------------------------------------------------ */

static void find_slots(const struct key_deal *k, const unsigned char *keys, uint32_t count,
                       uint16_t *slots)
{
    const struct sort_request *const r = k->request;
    uint64_t ranks[DEAL_BLOCK];

    if (r->code.is_float) {
        r->suite->enter(keys, ranks, count, r->code);
        r->suite->slots(&k->codes, ranks, count, slots);
    } else {
        r->suite->slots(&k->codes, keys, count, slots);
    }
}

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

        find_slots(k, byte_of(k, first * k->size), WINDOW, slots);
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

/* ---- Dealing ------------------------------------------------------------------------ */

/*
 * Deal a worker's keys; `size` is a constant. A full block waits for the bucket's next key:
 * its stores have left the store buffer by then, so loading it does not wait for them.
 */
INLINED void deal_keys(const struct key_deal *k, unsigned worker, size_t size)
{
    const uint64_t first = share_at(k, worker);
    const uint64_t last = share_at(k, worker + 1);
    const uint16_t *const bucket_of = k->tables->bucket;
    struct hand *const hand = hand_of(k, worker);
    unsigned char *to = (unsigned char *)k->request->scratch + first;
    uint32_t *const held = hand->held;
    uint32_t blocks = 0;
    uint16_t slots[DEAL_BLOCK];

    memset(held, 0, sizeof hand->held);
    for (uint64_t at = first; at < last; at += DEAL_BLOCK * size) {
        const uint64_t left = (last - at) / size;
        const uint32_t count = left < DEAL_BLOCK ? (uint32_t)left : DEAL_BLOCK;
        const unsigned char *const keys = byte_of(k, at);

        find_slots(k, keys, count, slots);
        for (uint32_t i = 0; i < count; i++) {
            const unsigned bucket = bucket_of[slots[i]];
            unsigned char *const line = hand->lines + (size_t)bucket * BLOCK;
            uint32_t used = held[bucket];

            if (used == BLOCK) {
                stream_write(to, line, BLOCK);
                to += BLOCK;
                hand->u.filled[blocks++] = (uint16_t)bucket;
                used = 0;
            }
            memcpy(line + used, keys + i * size, size);
            held[bucket] = used + (uint32_t)size;
        }
    }
    hand->blocks = blocks;
}

static void deal_share(void *arg, unsigned worker)
{
    const struct key_deal *const k = (const struct key_deal *)arg;
    struct hand *const hand = hand_of(k, worker);

    if (k->size == 4)
        deal_keys(k, worker, 4);
    else
        deal_keys(k, worker, 8);
    stream_end();
    memset(hand->next, 0, sizeof hand->next);
    for (uint32_t i = 0; i < hand->blocks; i++)
        hand->next[hand->u.filled[i]]++;
}

/* Where does each bucket go, and where do the numbers of everybody's blocks go? */
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
    const uint64_t first = share_at(k, worker) / BLOCK;
    struct hand *const hand = hand_of(k, worker);

    for (uint32_t i = 0; i < hand->blocks; i++) {
        const unsigned bucket = hand->u.filled[i];
        const uint32_t number = (uint32_t)(first + i);

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
 * Put a bucket together, perhaps in its place: then each number is read before a block is
 * written over it, for blocks are longer.
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
    const struct quick_task task = {.keys = fits ? hand->u.room : byte_of(k, first),
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

    /* A worker's blocks are numbered in its room. */
    if (k.workers < LEAST_THREADS || r->count < LEAST || !r->suite->quick ||
        !r->suite->slots || k.bytes / BLOCK / k.workers >= ROOM_BYTES / 2)
        return 0;
    k.tables = &hand_of(&k, 0)->tables;
    choose_slots(&k);
    if (choose_buckets(&k) > WINDOWS * WINDOW / (2 * k.workers))
        return 0; /* one thread would have too much to do */
    pool_run(pool, k.workers, deal_share, &k);
    place_buckets(&k);
    pool_run(pool, k.workers, note_share, &k);
    atomic_init(&k.next, 0);
    pool_run(pool, k.workers, sort_share, &k);
    return 1;
}
