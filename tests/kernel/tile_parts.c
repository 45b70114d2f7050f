/*
 * tile_parts.c - which blocks of a launch of tile_merge find cuts and which merge.
 *
 * The launches are those of passes.c, caught by a device that runs nothing; the parts
 * are those of tile_ahead.cuh, compiled here with a block number that the test sets.
 * However large a round is, each cutter and each tile must be some block's part, and no
 * two blocks have the same; and a tile's block must come after those that find the cuts
 * around it, or it would wait for them in vain.
 */
#include "fixture.h"
#include "passes.h"

/* What tile_ahead.cuh needs from others. my_part uses only DEVICE and BLOCK. */
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
    uint32_t count;
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

/* The launches of a sort, as passes.c makes them. Returns how many of tile_merge. */
static uint32_t catch_sort(struct catcher *c, uint32_t processors, uint32_t threads,
                           uint32_t items, uint64_t count)
{
    static const struct device_verbs verbs = {.launch = catch_launch};
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
    uint32_t expected = 0;

    *c = (struct catcher){
        .device = {.verbs = &verbs, .error = &error}
    };
    if (plan_make(&plan, &wish, &info, 4, count, &error) != MW_OK ||
        passes_sort(&c->device, NULL, &plan, code, NULL, count, NULL, NULL, NULL) != MW_OK)
        return 0;
    for (uint32_t i = 0; i < plan.rounds; i++)
        expected += !plan.round[i].joined;
    return expected == c->count ? c->count : 0;
}

/* The block of each cutter and of each tile: 0 if none has it yet, else its number + 1. */
static int each_once(const struct tile_merge_args *args, uint64_t blocks, uint64_t tiles,
                     uint32_t *cutter_block, uint32_t *tile_block)
{
    if (blocks != tiles + args->cutters || blocks > INT32_MAX)
        return 0;
    for (my_block = 0; my_block < blocks; my_block++) {
        const struct tile_part part = my_part(args);
        uint32_t *const whose = part.cuts ? cutter_block : tile_block;

        if (part.number >= (part.cuts ? args->cutters : tiles) || whose[part.number]) {
            tap_note("block %llu: part %u is beyond the last, or taken", (wide)my_block,
                     part.number);
            return 0;
        }
        whose[part.number] = (uint32_t)my_block + 1;
    }
    return 1;
}

/* Does no tile's block come before one that finds a cut of the tile? */
static int in_time(const struct tile_round *round, uint32_t warps,
                   const uint32_t *cutter_block, const uint32_t *tile_block)
{
    int right = 1;

    for (uint64_t i = 0; i < (uint64_t)round->groups * round->pieces; i++) {
        const uint64_t second = i / round->pieces * (round->pieces + 1) +
                                i % round->pieces + 1; /* of the two cuts around it */

        right &= tile_block[i] > cutter_block[second / warps];
    }
    return right;
}

static int parts_right(const struct tile_merge_args *args, uint64_t blocks, uint32_t warps,
                       int timely)
{
    const uint64_t tiles = (uint64_t)args->round.groups * args->round.pieces;
    uint32_t *const cutter_block = calloc(args->cutters + 1, sizeof(uint32_t));
    uint32_t *const tile_block = calloc(tiles, sizeof(uint32_t));
    const int right = cutter_block && tile_block &&
                      each_once(args, blocks, tiles, cutter_block, tile_block) &&
                      (!timely || in_time(&args->round, warps, cutter_block, tile_block));

    free(tile_block);
    free(cutter_block);
    return right;
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
        {132, 64,  32, (UINT64_C(1) << 28) + 7},
        {132, 64,  8,  (UINT64_C(1) << 30) - 1},
        {132, 256, 32, UINT32_MAX             },
    };
    static struct catcher c;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint32_t launches = catch_sort(&c, rows[i].processors, rows[i].threads,
                                             rows[i].items, rows[i].count);
        int right = launches > 0;

        for (uint32_t r = 0; right && r < launches; r++)
            right &= c.args[r].cutters > 0 &&
                     parts_right(&c.args[r], c.blocks[r], c.warps[r], 1);
        tap_case(tap, right, "%llu keys, %u x %u, %u processors: %u rounds",
                 (wide)rows[i].count, rows[i].threads, rows[i].items, rows[i].processors,
                 launches);
    }
}

/* Few tiles and all numbers of cutters, ahead, and a rate that is enough or more. */
static int small_right(unsigned tiles)
{
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
                right &= parts_right(&args, blocks, 1, 0);
            }
            args.rate = UINT32_MAX;
            right &= parts_right(&args, blocks, 1, 0);
        }
    }
    return right;
}

void test_tile_parts(struct tap *tap, struct fixture *f)
{
    (void)f;
    for (unsigned tiles = 1; tiles <= 16; tiles++)
        tap_case(tap, small_right(tiles), "%u tiles, any cutters, ahead and rate", tiles);
    test_sorts(tap);
}
