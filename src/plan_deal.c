/*
 * plan_deal.c - plans of engine deal: how many buckets, and where its arrays lie. The rest
 * is engine tile's plan, whose passes sort what cannot be dealt.
 */
#include "plan_parts.h"

enum {
    FILL_PARTS = 32,         /* of 32 parts of a tile, ... */
    FILL = 29,               /* ... those after which it takes no further bin */
    MOST_EACH = 256,         /* tiles of a bucket on average: half of what it can have */
    MOST_SAMPLES = 1 << 20,
    KEYS_OF_SAMPLE = 4,      /* at least, for each */
    MOST_PIECES = 8,         /* blocks for each bucket ... */
    PIECE = 4 * 8192         /* ... of at least these keys */
};

/* The least n whose square is at least `square`, up to DEAL_MOST. */
static uint32_t root(uint64_t square)
{
    uint32_t n = 1;

    while (n < DEAL_MOST && (uint64_t)n * n < square)
        n++;
    return n;
}

/* Reserve `count` cells of `bytes` bytes; returns where they begin. */
static uint64_t take(struct plan *plan, uint64_t count, uint64_t bytes)
{
    const uint64_t offset = plan->workspace_bytes;

    plan->workspace_bytes += round_up(count * bytes, PLAN_ALIGNMENT);
    return offset;
}

/* The arrays, after those of engine tile's passes, which share only `room`. */
static void lay_out(struct plan *plan, size_t key_size)
{
    struct plan_deal *const d = &plan->deal;
    const uint64_t room = round_up(d->room_count * key_size, PLAN_ALIGNMENT);
    const uint64_t buckets = d->buckets;

    if (plan->workspace_bytes < room)
        plan->workspace_bytes = room;
    d->head = take(plan, DEAL_HEAD, sizeof(wide));
    d->bins = take(plan, DEAL_BINS, sizeof(wide));
    d->bucket_of = take(plan, DEAL_BINS, sizeof(short));
    d->first = take(plan, DEAL_MOST + 1, sizeof(wide));
    d->start = take(plan, DEAL_MOST + 1, sizeof(wide));
    d->next = take(plan, DEAL_MOST + 1, sizeof(wide));
    d->fine = take(plan, buckets * DEAL_BINS, sizeof(wide));
    d->tile_of = take(plan, buckets * DEAL_BINS, sizeof(short));
    d->tile_next = take(plan, buckets * DEAL_MOST, sizeof(wide));
    d->tiles = take(plan, d->most_tiles, sizeof(wide));
}

int plan_may_deal(const struct program_name *program, uint64_t count)
{
    const uint64_t tile = (uint64_t)program->tile.rows * program->tile.items;

    return program_deals(program) && count >= 2 * tile &&
           count / (tile * FILL / FILL_PARTS) < (uint64_t)DEAL_MOST * MOST_EACH;
}

void plan_deal(struct plan *plan, const mw_info *info, size_t key_size, uint64_t count)
{
    struct plan_deal *const d = &plan->deal;
    const uint64_t tile = plan->tuning.base;
    const uint64_t samples = count / KEYS_OF_SAMPLE / DEAL_SAMPLES * DEAL_SAMPLES;

    d->fill = (uint32_t)(tile * FILL / FILL_PARTS);

    const uint64_t tiles = divide_up(count, d->fill);
    const uint64_t fewest = divide_up(tiles, MOST_EACH);

    d->buckets = root(tiles);
    if (d->buckets < fewest)
        d->buckets = (uint32_t)fewest;
    d->samples = (uint32_t)(samples > MOST_SAMPLES ? MOST_SAMPLES
                            : samples              ? samples
                                                   : DEAL_SAMPLES);
    d->room_count = count + count / 10 +
                    d->buckets * (64 * (count / d->samples + 1) + 2 * WARP);
    d->most_tiles = tiles + d->buckets;
    d->pieces = (uint32_t)(count / d->buckets / PIECE);
    d->pieces = d->pieces < 1 ? 1 : d->pieces > MOST_PIECES ? MOST_PIECES : d->pieces;
    d->dealers = divide_up(count, DEAL_BYTES / key_size);
    if (d->dealers > 6 * (uint64_t)info->processors)
        d->dealers = 6 * (uint64_t)info->processors;
    /* If every key came `spare` times, which no bin can hold, samples would have twice
       as many equal pairs. */
    const uint64_t spare = tile - d->fill;

    d->most_equal = (uint32_t)(tile * tile * spare / (4 * count) + 8);
    plan->launches += DEAL_LAUNCHES;
    plan->kernels |= kernels_of(PROGRAM_DEAL);
    lay_out(plan, key_size);
}
