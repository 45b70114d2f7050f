/*
 * sort_deal_parts.h - what dealing keys out and sorting their buckets share: see
 * sort_deal.c.
 */
#ifndef MW_CPU_SORT_DEAL_PARTS_H
#define MW_CPU_SORT_DEAL_PARTS_H

#include <stdatomic.h>

#include "cpu/deal.h"
#include "cpu/sort_deal.h"

enum {
    BLOCK = 512, /* bytes; shorter ones are written more often, longer ones leave L2 */
    BUCKETS = 1024,
    BUCKET_BYTES = 1 << 19, /* of most buckets; fewer buckets are dealt to from L1 */
    SLOTS = 4096,           /* at most: their table fits L1, too */
    PIECES = 4096,          /* at most */
    TABLES_BYTES = 96 << 10 /* of a worker: all but its lines and its room */
};

/* What all workers share, in the memory of worker 0. */
struct tables {
    uint32_t samples[SLOTS];      /* in each slot */
    uint16_t bucket[SLOTS];       /* of each slot */
    uint64_t starts[BUCKETS + 1]; /* of each bucket among the keys, in bytes */
    uint32_t blocks[BUCKETS];     /* of each bucket */
    uint64_t order[BUCKETS];      /* buckets by their bytes: both in one number */
};

enum { ROOM_BYTES = WORK_BYTES - BUCKETS * BLOCK - TABLES_BYTES };

/* A worker's memory. */
struct hand {
    unsigned char lines[BUCKETS * BLOCK]; /* the block that each bucket collects */
    unsigned char room[ROOM_BYTES];       /* a bucket that is sorted */
    uint32_t held[BUCKETS];               /* bytes of each block that is collected */
    uint32_t next[BUCKETS]; /* blocks of each bucket, then how many others come before */
    uint32_t blocks;        /* that the worker has written */
    uint16_t piece[PIECES]; /* that the worker took: their places take its blocks */
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
    uint16_t *filled; /* the bucket of the block at each place */
    uint64_t piece;   /* bytes of each but the last: whole blocks */
    unsigned pieces;  /* of all keys */
    atomic_uint next; /* how many pieces, then buckets, are taken */
};

static inline unsigned char *byte_of(const struct key_deal *k, uint64_t at)
{
    return (unsigned char *)k->request->keys + at;
}

static inline struct hand *hand_of(const struct key_deal *k, unsigned worker)
{
    return (struct hand *)(void *)((unsigned char *)k->request->work +
                                   (size_t)worker * WORK_BYTES);
}

/* Where block `i` of a worker goes: its number among all blocks. */
static inline uint32_t place_of(const struct key_deal *k, const struct hand *hand,
                                uint32_t i)
{
    const uint32_t each = (uint32_t)(k->piece / BLOCK);

    return hand->piece[i / each] * each + i % each;
}

/* The slots of at most DEAL_BLOCK keys. */
void sort_deal_slots(const struct key_deal *k, const unsigned char *keys, uint32_t count,
                     uint16_t *slots);

/* A job of the pool: deal pieces of a key_deal until all are taken. */
void sort_deal_out(void *arg, unsigned worker);

#endif
