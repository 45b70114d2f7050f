/*
 * plan_deal.c - plans of engine deal: how many buckets, and where its arrays lie. The rest
 * is engine tile's plan, whose passes sort what cannot be dealt.
 */
#include "plan_parts.h"

enum {
    MOST_EACH = 352, /* tiles of a bucket on average, of 512 that it can have */
    MOST_SHARES = DEAL_MOST - DEAL_BINS / DEAL_WIDEST,
    SAMPLES_EACH = 5120, /* samples of a share: its size is known to 8 %, six sigma */
    KEYS_OF_SAMPLE = 4,  /* at least, for each */
    MOST_PIECES = 8,     /* blocks for each bucket ... */
    PIECE = 4 * 8192     /* ... of at least these keys */
};

/* About how many keys a tile will have. */
static uint64_t likely_fill(uint64_t tile)
{
    return tile / 32 * 29;
}

/* The least n whose square is at least `square`, up to DEAL_MOST. */
static uint32_t root(uint64_t square)
{
    uint32_t n = 1;

    while (n < DEAL_MOST && (uint64_t)n * n < square)
        n++;
    return n;
}

_Static_assert(MOST_SHARES *SAMPLES_EACH / 4096 <= DEAL_THREADS,
               "deal_sample has a thread for each block of deal_range");

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
    d->reach = take(plan, DEAL_THREADS * DEAL_REACH, sizeof(wide));
    d->bins = take(plan, DEAL_BINS, sizeof(unsigned));
    d->bucket_of = take(plan, DEAL_BINS, sizeof(short));
    d->first = take(plan, DEAL_MOST + 1, sizeof(wide));
    d->start = take(plan, DEAL_MOST + 1, sizeof(wide));
    d->next = take(plan, DEAL_MOST + 1, sizeof(wide));
    d->fine = take(plan, buckets * DEAL_BINS, sizeof(unsigned));
    d->tile_of = take(plan, buckets * DEAL_BINS, sizeof(short));
    d->tile_next = take(plan, buckets * DEAL_MOST, sizeof(wide));
    d->tiles = take(plan, d->most_tiles, sizeof(wide));
    d->frequent = take(plan, (uint64_t)DEAL_ROWS * DEAL_FREQUENT, sizeof(wide));
}

int plan_may_deal(const struct program_name *program, uint64_t count)
{
    const uint64_t tile = (uint64_t)program->tile.rows * program->tile.items;

    return program_deals(program) && count >= 2 * tile &&
           count / likely_fill(tile) < (uint64_t)MOST_SHARES * MOST_EACH;
}

/* The number of blocks a bucket that leaves the fewest SMs idle at the end. */
static uint32_t choose_pieces(uint64_t count, uint32_t buckets, uint64_t at_once)
{
    const uint64_t most = count / buckets / PIECE;
    uint64_t best_rate = 0;
    uint32_t best = 1;

    for (uint32_t pieces = 1; pieces <= MOST_PIECES && pieces <= most; pieces++) {
        const uint64_t blocks = (uint64_t)buckets * pieces;
        const uint64_t rate = 1000 * blocks / round_up(blocks, at_once);

        if (rate >= best_rate) {
            best_rate = rate;
            best = pieces;
        }
    }
    return best;
}

/* Blocks of deal_merge on an SM. */
static uint32_t most_mergers(const struct tile_geometry *tile)
{
    return tile->merge_blocks ? tile->merge_blocks : 1;
}

static uint32_t choose_samples(uint64_t count, uint32_t shares)
{
    const uint64_t wanted = round_up((uint64_t)shares * SAMPLES_EACH, DEAL_SAMPLES);
    const uint64_t most = count / KEYS_OF_SAMPLE / DEAL_SAMPLES * DEAL_SAMPLES;

    return (uint32_t)(wanted < most ? wanted : most ? most : DEAL_SAMPLES);
}

void plan_deal(struct plan *plan, const mw_info *info, size_t key_size, uint64_t count)
{
    struct plan_deal *const d = &plan->deal;
    const uint64_t tile = plan->tuning.base;
    const uint64_t likely = divide_up(count, likely_fill(tile));
    const uint64_t fewest = divide_up(likely, MOST_EACH);
    const uint64_t blocks = DEAL_BLOCKS * (uint64_t)info->processors;

    /* About as many buckets as tiles of a bucket; some begin within a share. */
    d->shares = root(likely) * 3 / 4;
    if (d->shares < fewest)
        d->shares = (uint32_t)fewest;
    d->buckets = DEAL_BUCKETS(d->shares);
    d->samples = choose_samples(count, d->shares);
    d->fill = (uint32_t)likely_fill(tile);
    /* deal_split allots at most this much, or stops the dealing. These two rise with the
       count: plan_cover.c relies on it. */
    d->room_count = count + count / 8 + count / 32 + 262144;
    d->most_tiles = count / (tile / 32 * 27) + 2 * d->buckets;
    d->pieces = choose_pieces(count, d->buckets, blocks);
    d->dealers = divide_up(count, DEAL_BYTES / key_size);
    if (d->dealers > blocks)
        d->dealers = blocks;
    d->mergers = info->processors * (uint64_t)most_mergers(&plan->program.tile);
    /* If every key came as often as fills a tile, samples would have twice as many equal
       pairs. */
    d->most_equal =
        (uint32_t)((tile * tile * tile / (4 * count) + 2) * (d->samples / tile));
    /* A value that fills a tile has tile * tile / count of a tile of samples. */
    d->alike = (uint32_t)(8 + tile * tile / count);
    plan->launches += DEAL_LAUNCHES - 1; /* deal_sort is tile_sort's, too */
    plan->kernels |= kernels_of(PROGRAM_DEAL);
    plan->kernels &= ~(KERNEL_SET(KERNEL_TILE_SORT) | KERNEL_SET(KERNEL_TILE_MERGE));
    lay_out(plan, key_size);
}
