/*
 * sort_deal_out.c - deal keys out to buckets: see sort_deal.c.
 */
#include <string.h>

#include "cpu/inlined.h"
#include "cpu/sort_deal_parts.h"
#include "cpu/stream.h"

void sort_deal_slots(const struct key_deal *k, const unsigned char *keys, uint32_t count,
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

/* Write the block that a bucket has collected, and note its bucket. */
static void write_block(const struct key_deal *k, struct hand *hand, unsigned bucket)
{
    const uint64_t place = place_of(k, hand, hand->blocks++);

    stream_write((unsigned char *)k->request->scratch + place * BLOCK,
                 hand->lines + (size_t)bucket * BLOCK, BLOCK);
    k->filled[place] = (uint16_t)bucket;
    hand->next[bucket]++;
}

/*
 * Deal a piece; `size` is a constant. A full block waits for the bucket's next key: its
 * stores have left the store buffer by then, so loading it does not wait for them.
 */
INLINED void deal_piece(const struct key_deal *k, struct hand *hand, uint64_t first,
                        size_t size)
{
    const uint64_t end = k->bytes - first < k->piece ? k->bytes : first + k->piece;
    const uint16_t *const bucket_of = k->tables->bucket;
    uint32_t *const held = hand->held;
    uint16_t slots[DEAL_BLOCK];

    for (uint64_t at = first; at < end; at += DEAL_BLOCK * size) {
        const uint64_t left = (end - at) / size;
        const uint32_t count = left < DEAL_BLOCK ? (uint32_t)left : DEAL_BLOCK;
        const unsigned char *const keys = byte_of(k, at);

        sort_deal_slots(k, keys, count, slots);
        for (uint32_t i = 0; i < count; i++) {
            const unsigned bucket = bucket_of[slots[i]];
            uint32_t used = held[bucket];

            if (used == BLOCK) {
                write_block(k, hand, bucket);
                used = 0;
            }
            memcpy(hand->lines + (size_t)bucket * BLOCK + used, keys + i * size, size);
            held[bucket] = used + (uint32_t)size;
        }
    }
}

/*
 * A worker fills no more blocks than it has read keys for, so all of them fit where its
 * pieces would be.
 */
void sort_deal_out(void *arg, unsigned worker)
{
    struct key_deal *const k = (struct key_deal *)arg;
    struct hand *const hand = hand_of(k, worker);

    memset(hand->held, 0, sizeof hand->held);
    memset(hand->next, 0, sizeof hand->next);
    hand->blocks = 0;
    for (unsigned pieces = 0;; pieces++) {
        const unsigned piece = atomic_fetch_add(&k->next, 1);

        if (piece >= k->pieces)
            break;
        hand->piece[pieces] = (uint16_t)piece;
        if (k->size == 4)
            deal_piece(k, hand, piece * k->piece, 4);
        else
            deal_piece(k, hand, piece * k->piece, 8);
    }
    stream_end();
}
