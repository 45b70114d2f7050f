/*
 * tile_parts.c - which blocks of a launch of tile_merge find cuts and which merge.
 *
 * The launches are those of passes.c, caught by a device that runs nothing; the parts
 * are those of tile_ahead.cuh, compiled here with a block number that the test sets.
 * However large a round is, its blocks take all cutters and all tiles, each kind in
 * order; and a tile's block must come after those that find the cuts around it, or it
 * would wait for them in vain. tile_ahead.c has rounds with other cutters and rates.
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

#define cells_of(round, row) ((round)->cuts + (row))
#define cut_cells(round) ((round)->ways)
#define rows_of(round) ((round)->groups)
#define post_cut(round, in, row) ((round)->cuts[row] = *(in))

typedef wide wide_cell;
typedef wide tile_input;

static uint64_t my_block;

#include "kernels/tile_ahead.cuh"

/* A device that judges what it is to launch, and runs nothing. */
struct judge {
    struct device device;
    uint32_t merges; /* launches of tile_merge, ... */
    uint32_t right;  /* ... and those whose parts are right */
};

/* Do blocks take cutters and tiles in order, a tile once its second cut has a cutter? */
static int parts_right(const struct tile_merge_args *args, uint64_t blocks, uint32_t warps)
{
    const struct tile_round *const r = &args->round;
    uint64_t cutters = 0;
    uint64_t tiles = 0;
    int right = args->cutters > 0 && blocks <= INT32_MAX;

    for (my_block = 0; right && my_block < blocks; my_block++) {
        const struct tile_part part = my_part(args);
        const uint64_t second = tiles / r->pieces * (r->pieces + 1) + tiles % r->pieces + 1;

        right = part.cuts ? part.number == cutters++
                          : part.number == tiles++ && second / warps < cutters;
        if (!right)
            tap_note("block %llu has part %u", (wide)my_block, part.number);
    }
    return right && cutters == args->cutters && tiles == (uint64_t)r->groups * r->pieces;
}

static mw_status judge_launch(struct device *device, const struct launch *launch)
{
    struct judge *const j = (struct judge *)device;

    if (launch->kernel != KERNEL_TILE_MERGE)
        return MW_OK;
    j->merges++;
    j->right += parts_right(launch->args, launch->blocks, launch->threads / WARP);
    return MW_OK;
}

/* Are the launches of a sort right, one for each round that is not joined? */
static int sort_right(const mw_info *info, uint32_t threads, uint32_t items, uint64_t count)
{
    static const struct device_verbs verbs = {.launch = judge_launch};
    const mw_tuning wish = {
        .size = sizeof wish, .engine = MW_ENGINE_TILE, .threads = threads, .items = items};
    const struct code code = {0, 0};
    struct error error = {""};
    struct judge j = {
        .device = {.verbs = &verbs, .error = &error}
    };
    struct plan plan;
    uint32_t expected = 0;

    if (plan_make(&plan, &wish, info, plan_bare(4), count, &error) != MW_OK ||
        passes_sort(&j.device, NULL, &plan, code, NULL, count, NULL, NULL, NULL) != MW_OK)
        return 0;
    for (uint32_t i = 0; i < plan.rounds; i++)
        expected += !plan.round[i].joined;
    return expected > 0 && j.merges == expected && j.right == expected;
}

void test_tile_parts(struct tap *tap, struct fixture *f)
{
    static const struct {
        uint32_t processors, threads, items;
        uint64_t count;
    } rows[] = {
        {4,   64,  32, 71 * 2048 + 1          },
        {2,   512, 32, UINT64_C(1) << 24      },
        {132, 64,  8,  (UINT64_C(1) << 30) - 1},
        {132, 256, 32, UINT32_MAX             },
    };

    (void)f;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mw_info info = {.size = sizeof info,
                              .processors = rows[i].processors,
                              .architecture = 90,
                              .shared_per_block = 227 * 1024,
                              .shared_per_processor = 228 * 1024};

        tap_case(tap, sort_right(&info, rows[i].threads, rows[i].items, rows[i].count),
                 "%llu keys, %u x %u, %u processors", (wide)rows[i].count, rows[i].threads,
                 rows[i].items, rows[i].processors);
    }
}
