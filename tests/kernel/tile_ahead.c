/*
 * tile_ahead.c - cuts found while tiles are merged.
 *
 * Whichever block finds the cuts of a round, and whatever its cells held before, the keys
 * that tile_merge writes are the same, and so are the cuts left in the cells. The
 * simulator runs blocks in the order of their numbers, so with no cutter ahead, or none
 * at all, tiles find no cut where they look and must find it themselves. A tile written
 * twice is a race, which the simulator reports, and one never written leaves garbage.
 */
#include "keys.h"

enum { TILE = 2048, MOST_KEYS = 20 * TILE };

/* Tiles of 2048 keys that the simulator has. */
static const struct row {
    int bits;
    unsigned number; /* of the round */
    struct tile_geometry tile;
} rows[] = {
    {16, 1,     {256, 8, 0, 0, 0, 0}},
    {32, 65535, {64, 32, 0, 0, 0, 0}},
    {64, 7,     {64, 32, 0, 0, 0, 0}},
};

/* Runs of a tile each; the last group is short. */
static const struct input {
    int ways;
    uint64_t count;
    enum kind kind;
} inputs[] = {
    {2,  5 * TILE - 31,  RANDOM     },
    {4,  7 * TILE + 1,   FEW        },
    {32, 20 * TILE - 11, LONG_BLOCKS},
};

/* What the cells of the cuts hold when tile_merge begins. */
enum cells { CLEARED, POSTED, OTHER_ROUND, GARBAGE, EVEN_ROWS, EVEN_LISTS, CELLS };

/* A round, its keys as they should be, and its cuts as tile_cut finds them. */
struct merging {
    const struct row *row;
    struct tile_round round;
    uint64_t *keys;
    wide *cuts;
    uint64_t cells;
};

static int launch(struct fixture *f, const struct row *row, enum kernel_id kernel,
                  uint64_t blocks, const void *args, size_t bytes)
{
    const struct tile_geometry *const g = &row->tile;
    const int cuts = kernel == KERNEL_TILE_CUT;
    const size_t shared = TILE_MERGE_SHARED(g->rows, g->items, (size_t)row->bits / 8);
    const struct work work = {.kernel = kernel,
                              .bits = row->bits,
                              .tile = g,
                              .blocks = blocks,
                              .threads = cuts ? tile_cut_threads : g->rows,
                              .shared = cuts ? 0 : shared};

    return fixture_launch(f, &work, args, bytes);
}

/* Lay out the round, and have tile_cut find the cuts that are to be. */
static int prepare(struct fixture *f, struct merging *m, const struct input *input)
{
    const struct row *const row = m->row;
    struct tile_cut_args args = {
        {.count = input->count, .run = TILE, .number = row->number, .ways = input->ways}
    };

    fill_lists(m->keys, input->kind, row->bits, input->count, TILE, input->ways);
    args.round = round_of(f, m->keys, row->bits, args.round, TILE, row->tile.items);
    sort_each(m->keys, input->count, (uint64_t)input->ways * TILE);
    m->round = args.round;
    m->cells = cuts_of(&m->round) * (uint64_t)input->ways;
    m->cuts = args.round.cuts;
    m->round.cuts = fixture_array(f, m->cells * sizeof(wide));
    return launch(f, row, KERNEL_TILE_CUT,
                  divide_up(cuts_of(&m->round), tile_cut_threads / 32), &args, sizeof args);
}

static wide cell_of(const struct merging *m, enum cells cells, uint64_t i)
{
    const uint64_t ways = (uint64_t)m->round.ways;
    const wide other = m->cuts[i] ^ (wide)1 << (32 + i % 16); /* its number, by a bit */
    const wide by_kind[CELLS] = {
        [CLEARED] = 0,
        [POSTED] = m->cuts[i],
        [OTHER_ROUND] = other + (i & 1), /* and other places */
        [GARBAGE] = kit_mix(i) & ~((wide)0xffff << 32),
        [EVEN_ROWS] = i / ways % 2 ? 0 : m->cuts[i],
        [EVEN_LISTS] = i % 2 ? other : m->cuts[i],
    };

    return by_kind[cells];
}

/* The host's rate: that many cutters among all blocks, and a little more. */
static uint64_t rate_of(const struct merging *m, unsigned cutters)
{
    return ((uint64_t)cutters << 32) / (m->round.groups * m->round.pieces + cutters) + 1;
}

/* Does a launch merge as it should, and post from `least` to `most` cuts? */
static int merges(struct fixture *f, const struct merging *m, enum cells cells,
                  unsigned cutters, unsigned ahead, uint64_t rate, uint64_t least,
                  uint64_t most)
{
    const struct tile_merge_args args = {
        .round = m->round, .cutters = cutters, .ahead = ahead, .rate = (unsigned)rate};
    const uint64_t tiles = (uint64_t)m->round.groups * m->round.pieces;
    const uint64_t count = m->round.count;
    const int bits = m->row->bits;
    size_t lines;
    const mw_ledger_line *ledger;
    uint64_t posted;
    int right;

    for (uint64_t i = 0; i < m->cells; i++)
        m->round.cuts[i] = cell_of(m, cells, i);
    memset(m->round.out, 0xa5, count * (uint64_t)bits / 8);
    right = launch(f, m->row, KERNEL_TILE_MERGE, tiles + cutters, &args, sizeof args) &&
            same_keys(m->round.out, m->keys, count, bits) &&
            same_samples(m->round.out_samples, m->keys, count, bits) &&
            memcmp(m->round.cuts, m->cuts, m->cells * sizeof(wide)) == 0;
    ledger = fixture_ledger(f, &lines);
    posted = ledger_sum(ledger, lines, MW_ACCESS_CUT, 1).global_requests;
    if (right && posted >= least && posted <= most)
        return 1;
    tap_note("cells %d, %u cutters, %u ahead, rate %llu: %llu cuts posted", cells, cutters,
             ahead, (wide)rate, (wide)posted);
    return 0;
}

static void test_merges(struct tap *tap, struct fixture *f, const struct merging *m,
                        const char *name)
{
    const uint64_t all = cuts_of(&m->round);
    const unsigned cutters = (unsigned)divide_up(all, m->row->tile.rows / 32);
    const uint64_t rate = rate_of(m, cutters);
    const uint64_t few[CELLS] = {all, 0, all, all, all / 2, all}; /* to be found */
    int right = 1;

    for (int i = 0; i < CELLS; i++)
        right &= merges(f, m, (enum cells)i, 0, 0, 1, few[i], i == POSTED ? 0 : all);
    tap_case(tap, right, "%s, no cutters, cells as they may be", name);
    right = 1;
    for (unsigned ahead = 0; ahead <= cutters; ahead++)
        right &= merges(f, m, CLEARED, cutters, ahead, rate, all + (ahead == 0),
                        ahead == cutters ? all : 2 * all);
    tap_case(tap, right, "%s, 0 to %u cutters ahead", name, cutters);
    right = merges(f, m, CLEARED, cutters, cutters / 2, 2 * rate, all, 2 * all) &&
            merges(f, m, CLEARED, cutters, 0, UINT32_MAX, all, 2 * all) &&
            merges(f, m, CLEARED, cutters + 3, 1, rate_of(m, cutters + 3), all, 2 * all) &&
            merges(f, m, OTHER_ROUND, cutters, 1, rate, all, 2 * all) &&
            merges(f, m, GARBAGE, cutters, cutters, rate, all, all) &&
            merges(f, m, EVEN_LISTS, cutters, 0, rate, all, 2 * all);
    tap_case(tap, right, "%s, other rates, more cutters, other cells", name);
}

void test_tile_ahead(struct tap *tap, struct fixture *f)
{
    struct merging m = {.keys = malloc(MOST_KEYS * sizeof *m.keys)};
    char name[64];

    for (size_t i = 0; i < COUNT_OF(rows) * COUNT_OF(inputs); i++) {
        const struct input *const input = &inputs[i % COUNT_OF(inputs)];

        m.row = &rows[i / COUNT_OF(inputs)];
        snprintf(name, sizeof name, "%d bits, %d ways, %s", m.row->bits, input->ways,
                 kind_names[input->kind]);
        if (prepare(f, &m, input))
            test_merges(tap, f, &m, name);
        else
            tap_ok(tap, 0, name, "no cuts");
        fixture_clear(f);
    }
    free(m.keys);
}
