/*
 * unit_tile_parts.c - who finds cuts and who merges, in a launch of tile_merge.
 *
 * The launches are those of passes.c, caught by a device that runs nothing; the parts
 * are those of tile_ahead.cuh, compiled here with a number of the block that the test
 * sets. However large a round is, each cutter and each tile must be some block's part, and
 * no two blocks have the same; and a tile's block must come behind those that find the
 * cuts around it, or it would wait for them in vain.
 */
#include "kernels/launch.h"
#include "passes.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

/* What tile_ahead.cuh has from others. my_part uses no more of it than DEVICE and BLOCK. */
#define DEVICE static inline __attribute__((unused))
#define BLOCK ((int)my_block)
#define THREAD 0
#define LANE 0
#define TILE_ROWS 64
#define PEEK(kind, p) (*(p))
#define BALLOT(p) (!!(p))
#define PAUSE() ((void)0)
#define NO_UNROLL

typedef wide wide_cell;

static uint64_t my_block;

DEVICE wide_cell *cells_of(const struct tile_round *round, unsigned row)
{
    return round->cuts + row;
}

DEVICE unsigned rows_of(const struct tile_round *round)
{
    return round->groups;
}

DEVICE void post_cut(const struct tile_round *round, unsigned row)
{
    round->cuts[row] = 0;
}

#include "kernels/tile_ahead.cuh"

enum { MOST_LAUNCHES = 16 };

/* A device that keeps what it is to launch. */
struct catcher {
    struct device device;
    uint32_t expected; /* launches of tile_merge, by the plan, ... */
    uint32_t count;    /* ... and so far */
    uint64_t blocks[MOST_LAUNCHES];
    uint32_t warps[MOST_LAUNCHES];
    struct tile_merge_args args[MOST_LAUNCHES];
};

static mw_status catch_launch(struct device *device, const struct launch *launch)
{
    struct catcher *const c = (struct catcher *)device;

    if (launch->kernel != KERNEL_TILE_MERGE)
        return MW_OK;
    if (c->count == MOST_LAUNCHES || launch->args_bytes != sizeof *c->args)
        return MW_DEVICE_FAILED;
    c->blocks[c->count] = launch->blocks;
    c->warps[c->count] = launch->threads / WARP;
    memcpy(&c->args[c->count++], launch->args, launch->args_bytes);
    return MW_OK;
}

static const struct device_verbs verbs = {.launch = catch_launch};

/* The block of each cutter and of each tile; 0: nobody's yet, else its number and one. */
struct parts {
    uint32_t *cutters;
    uint32_t *tiles;
};

/* Is every part some block's, and no part that of two? */
static int each_once(const struct tile_merge_args *args, uint64_t blocks, uint64_t tiles,
                     struct parts *parts)
{
    if (blocks != tiles + args->cutters || blocks > INT32_MAX)
        return 0;
    for (my_block = 0; my_block < blocks; my_block++) {
        const struct tile_part part = my_part(args);
        uint32_t *const whose = part.cuts ? parts->cutters : parts->tiles;

        if (part.number >= (part.cuts ? args->cutters : tiles) || whose[part.number]) {
            tap_note("block %llu has part %u of %s, which there is not, or twice",
                     (unsigned long long)my_block, part.number,
                     part.cuts ? "those that cut" : "those that merge");
            return 0;
        }
        whose[part.number] = (uint32_t)my_block + 1;
    }
    return 1;
}

/* Tiles whose block comes before one that finds a cut of theirs. */
static uint64_t too_early(const struct tile_round *round, uint32_t warps,
                          const struct parts *parts)
{
    uint64_t count = 0;

    for (uint64_t group = 0; group < round->groups; group++) {
        for (uint64_t i = 0; i < round->pieces; i++) {
            const uint64_t second = group * (round->pieces + 1) + i + 1;

            count +=
                parts->tiles[group * round->pieces + i] < parts->cutters[second / warps];
        }
    }
    return count;
}

/* With `early` tiles too early; -1: with any number of them. */
static int parts_right(const struct tile_merge_args *args, uint64_t blocks, uint32_t warps,
                       int64_t early)
{
    const struct tile_round *const round = &args->round;
    const uint64_t tiles = (uint64_t)round->groups * round->pieces;
    struct parts parts = {calloc(args->cutters + 1, sizeof(uint32_t)),
                          calloc(tiles, sizeof(uint32_t))};
    int right = parts.cutters && parts.tiles && each_once(args, blocks, tiles, &parts);

    if (right && early >= 0)
        right = too_early(round, warps, &parts) == (uint64_t)early;
    free(parts.tiles);
    free(parts.cutters);
    return right;
}

/* The launches of a sort, as passes.c makes them. */
static int caught(struct catcher *c, uint32_t processors, uint32_t threads, uint32_t items,
                  uint64_t count)
{
    const mw_info info = {.size = sizeof info,
                          .processors = processors,
                          .architecture = 90,
                          .shared_per_block = 227 * 1024,
                          .shared_per_processor = 228 * 1024};
    const mw_tuning wish = {
        .size = sizeof wish, .engine = MW_ENGINE_TILE, .threads = threads, .items = items};
    const struct code code = {0, 0};
    struct error error = {""};
    struct plan plan;

    *c = (struct catcher){
        .device = {.verbs = &verbs, .error = &error}
    };
    if (plan_make(&plan, &wish, &info, 4, count, &error) != MW_OK)
        return 0;
    for (uint32_t i = 0; i < plan.rounds; i++)
        c->expected += !plan.round[i].joined;
    return passes_sort(&c->device, NULL, &plan, code, NULL, count, NULL, NULL, NULL) ==
           MW_OK;
}

static void test_sorts(struct tap *tap)
{
    static const struct {
        uint32_t processors;
        uint32_t threads;
        uint32_t items;
        uint64_t count;
    } rows[] = {
        {4,   64,  32, 70 * 2048              },
        {4,   64,  32, 71 * 2048 + 1          },
        {4,   64,  8,  1000003                },
        {2,   512, 32, UINT64_C(1) << 24      },
        {132, 256, 32, UINT64_C(1) << 27      },
        {132, 64,  32, (UINT64_C(1) << 30) + 7},
        {132, 64,  8,  (UINT64_C(1) << 30) - 1},
        {132, 256, 32, UINT32_MAX             },
    };
    struct catcher c;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        int right =
            caught(&c, rows[i].processors, rows[i].threads, rows[i].items, rows[i].count);

        for (uint32_t r = 0; right && r < c.count; r++)
            right &= c.args[r].cutters > 0 &&
                     parts_right(&c.args[r], c.blocks[r], c.warps[r], 0);
        tap_case(tap, right && c.count > 0 && c.count == c.expected,
                 "%llu keys, %u x %u, %u processors: %u rounds, first of %llu blocks",
                 (unsigned long long)rows[i].count, rows[i].threads, rows[i].items,
                 rows[i].processors, c.count, (unsigned long long)c.blocks[0]);
    }
}

/* Few tiles and all numbers of cutters, ahead, and a rate that is enough or more. */
static void test_small(struct tap *tap)
{
    for (unsigned tiles = 1; tiles <= 24; tiles++) {
        struct tile_merge_args args = {
            .round = {.groups = 1, .pieces = tiles}
        };
        int right = 1;

        for (args.cutters = 0; args.cutters <= tiles; args.cutters++) {
            const uint64_t blocks = tiles + args.cutters;
            const uint64_t least = ((uint64_t)args.cutters << 32) / blocks + 1;

            for (args.ahead = 0; args.ahead <= args.cutters; args.ahead++) {
                for (uint64_t rate = least; rate <= UINT32_MAX; rate += rate / 7 + 1) {
                    args.rate = (unsigned)rate;
                    right &= parts_right(&args, blocks, 1, -1);
                }
                args.rate = UINT32_MAX;
                right &= parts_right(&args, blocks, 1, -1);
            }
        }
        tap_case(tap, right, "%u tiles, any cutters, ahead and rate", tiles);
    }
}

int main(void)
{
    struct tap tap = {0, 0};

    test_small(&tap);
    test_sorts(&tap);
    return tap_end(&tap);
}
