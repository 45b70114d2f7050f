/*
 * deal.h - deal images of rows out to buckets by their codes, in order.
 *
 * The range of codes of a sample is divided into slots of equal width. Images are counted
 * by slot; neighbouring slots with few images share a bucket. Each bucket collects images
 * in a buffer of two cache lines or more, which is written with non-temporal stores.
 */
#ifndef MW_CPU_DEAL_H
#define MW_CPU_DEAL_H

#include "cpu/pool.h"
#include "cpu/suite.h"

enum {
    DEAL_SLOTS = 8192,       /* at most; a line for each of as many buckets fits L2 */
    DEAL_LINE = 128,         /* bytes of short images that a bucket collects */
    DEAL_SAMPLES = 1024,     /* codes that slots are chosen by */
    DEAL_BLOCK = 256,        /* images that are dealt at once, if they are short */
    DEAL_SHORT = 64,         /* bytes of a short image, at most: it divides a line */
    DEAL_MOST = COLLECT_MOST /* bytes of any image */
};

/* What the workers share. */
struct deal_tables {
    uint16_t bucket[DEAL_SLOTS];     /* of each slot */
    uint16_t first_slot[DEAL_SLOTS]; /* of each bucket */
    uint32_t starts[DEAL_SLOTS + 1]; /* of each bucket, and the count */
};

/* Is an image short? Then it divides a line, and needs no chunks. */
static inline int deal_is_short(uint32_t bytes)
{
    return bytes <= DEAL_SHORT && (bytes & (bytes - 1)) == 0;
}

struct deal {
    struct pool *pool;
    unsigned workers;
    uint64_t count;      /* at most UINT32_MAX */
    uint32_t bytes;      /* of an image: 4, 8, 16, or 17 to DEAL_MOST */
    uint32_t bucket;     /* images that a bucket should have, at least */
    unsigned char *to;   /* where they go, aligned to 16; of long images to 64 */
    unsigned char *work; /* WORK_BYTES for each worker, aligned to 64 */
    struct deal_tables *tables;
    const void *owner; /* for the two functions, each on at most DEAL_BLOCK images: */

    /* Their slots, by `codes`. */
    void (*find_slots)(const struct deal *deal, uint64_t first, uint32_t count,
                       uint16_t *slots);

    /* The images, where they are or in `room`. */
    const unsigned char *(*find_images)(const struct deal *deal, uint64_t first,
                                        uint32_t count, unsigned char *room);

    /* These are found: */
    struct slot_task codes;
    unsigned slots;
    unsigned buckets;
};

/* Room for tables in the work of a worker, where dealing leaves it as it is. */
struct deal_tables *deal_tables_in(void *work);

/* The number that a sample `i` should have; each is in a part of its own. */
uint64_t deal_sample(uint64_t count, unsigned i);

/* Choose slots by the codes of samples, which are sorted. Codes use their top bits only. */
void deal_choose(struct deal *deal, uint64_t codes[DEAL_SAMPLES], unsigned code_bits);

/* Count, and make buckets; how many images has the longest? */
uint64_t deal_count(struct deal *deal);

/* Deal out all images; then memory for work is free again. */
void deal_out(struct deal *deal);

/* Images of a bucket. */
static inline uint64_t deal_bucket_count(const struct deal *deal, unsigned bucket)
{
    return deal->tables->starts[bucket + 1] - deal->tables->starts[bucket];
}

/* Are the codes of a bucket known to be in a range? */
int deal_bucket_range(const struct deal *deal, unsigned bucket, uint64_t *least,
                      uint64_t *most);

#endif
