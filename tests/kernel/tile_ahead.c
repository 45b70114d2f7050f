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

#include "reference.h"

enum { TILE = 2048, MOST_KEYS = 20 * TILE };

/* Types, and tiles of 2048 keys that the simulator has for them. */
static const struct row {
    mw_type type;
    mw_direction direction;
    unsigned number; /* of the round */
    struct tile_geometry tile;
} rows[] = {
    {MW_U16, MW_ASCENDING,  1,     {256, 8, 0, 0}},
    {MW_I32, MW_DESCENDING, 65535, {64, 32, 0, 0}},
    {MW_I64, MW_ASCENDING,  7,     {64, 32, 0, 0}},
};

/* Runs of a tile each; the last group is short. */
static const struct input {
    int ways;
    uint64_t count;
    const char *shape;
} inputs[] = {
    {2,  5 * TILE - 31,  "random"},
    {4,  6 * TILE - 37,  "random"},
    {4,  7 * TILE + 1,   "few:3" },
    {32, 20 * TILE - 11, "organ" },
};

/* What the cells of the cuts hold when tile_merge begins. */
enum cells { CLEARED, POSTED, OTHER_ROUND, GARBAGE, EVEN_ROWS, EVEN_LISTS, CELLS };

static const char *const cells_names[CELLS] = {"cleared",         "posted",
                                               "another round's", "garbage",
                                               "every other row", "every other list"};

/* One round of one row: its arrays, and what is expected of it. */
struct merging {
    const struct row *row;
    struct key_code code;
    int bits;
    uint64_t size;
    struct tile_round round;
    uint64_t cut_rows, cells, tiles;
    char *expected;
    wide *cuts;
};

static int launch(struct fixture *f, const struct merging *m, enum kernel_id kernel,
                  uint64_t blocks, const void *args, size_t bytes)
{
    const struct tile_geometry *const g = &m->row->tile;
    const int cuts = kernel == KERNEL_TILE_CUT;
    const struct work work = {.kernel = kernel,
                              .bits = m->bits,
                              .tile = g,
                              .blocks = blocks,
                              .threads = cuts ? tile_cut_threads : g->rows,
                              .shared =
                                  cuts ? 0 : TILE_MERGE_SHARED(g->rows, g->items, m->size)};

    return fixture_launch(f, &work, args, bytes);
}

/* The keys, sorted by tiles, and what they should become, group by group. */
static int make_keys(struct fixture *f, struct merging *m, const char *shape)
{
    const uint64_t bytes = m->round.count * m->size;
    const uint64_t group = (uint64_t)m->round.ways * TILE;
    struct item *const items = malloc(2 * MOST_KEYS * sizeof *items);
    char *const keys = fixture_array(f, bytes);
    const struct tile_sort_args args = {.in = keys,
                                        .out = (void *)m->round.in,
                                        .samples = (void *)m->round.samples,
                                        .count = m->round.count,
                                        .enter = m->code};
    int passed = kit_fill(m->row->type, shape, 5, keys, m->round.count) == MW_OK;

    memcpy(m->expected, keys, bytes);
    for (uint64_t first = 0; passed && first < m->round.count; first += group)
        reference_sort(m->row->type, m->row->direction, m->expected + first * m->size,
                       m->round.count - first < group ? m->round.count - first : group,
                       items);
    free(items);
    return passed && launch(f, m, KERNEL_TILE_SORT, divide_up(m->round.count, TILE), &args,
                            sizeof args);
}

/* Lay out the round, sort its tiles, and have tile_cut find the cuts that are to be. */
static int prepare(struct fixture *f, struct merging *m, const struct row *row,
                   const struct input *input)
{
    const struct type_row *const type = type_row(row->type);
    const struct code code = type_code(type, row->direction);
    const uint64_t group = (uint64_t)input->ways * TILE;
    const uint64_t bytes = input->count * type->size;
    const uint64_t sample_bytes = divide_up(input->count, TILE_SAMPLE) * type->size;
    struct tile_round *const r = &m->round;
    struct tile_cut_args args;

    *m = (struct merging){
        .row = row,
        .code = {.flip = code.flip, .is_float = code.is_float},
        .bits = (int)type->size * 8,
        .size = type->size
    };
    *r = (struct tile_round){.in = fixture_array(f, bytes),
                             .out = fixture_array(f, bytes),
                             .samples = fixture_array(f, sample_bytes),
                             .count = input->count,
                             .run = TILE,
                             .piece = (uint64_t)(TILE - 2 * TILE_SLACK(TILE)) -
                                      (uint64_t)input->ways / 2 * (row->tile.items - 1),
                             .groups = (unsigned)divide_up(input->count, group),
                             .number = row->number,
                             .ways = input->ways};
    r->pieces = (unsigned)divide_up(r->count < group ? r->count : group, r->piece);
    if (!code.flip) /* samples are checked for types whose code is the key itself */
        r->out_samples = fixture_array(f, sample_bytes);
    m->cut_rows = (uint64_t)r->groups * (r->pieces + 1);
    m->cells = m->cut_rows * (uint64_t)r->ways;
    m->tiles = (uint64_t)r->groups * r->pieces;
    m->expected = fixture_array(f, bytes);
    m->cuts = fixture_array(f, m->cells * sizeof(wide));
    r->cuts = m->cuts;
    args = (struct tile_cut_args){*r};
    if (!make_keys(f, m, input->shape) ||
        !launch(f, m, KERNEL_TILE_CUT, divide_up(m->cut_rows, tile_cut_threads / 32), &args,
                sizeof args))
        return 0;
    r->cuts = fixture_array(f, m->cells * sizeof(wide));
    return 1;
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

/* Every sample the key it stands for? */
static int samples_right(const struct merging *m)
{
    const char *const samples = m->round.out_samples;
    int right = 1;

    for (uint64_t i = 0; samples && i < m->round.count; i += TILE_SAMPLE)
        right &= memcmp(samples + i / TILE_SAMPLE * m->size, m->expected + i * m->size,
                        m->size) == 0;
    return right;
}

/* Does a launch merge as it should, and post from `least` to `most` cuts? */
static int merges(struct fixture *f, const struct merging *m, enum cells cells,
                  unsigned cutters, unsigned ahead, uint64_t rate, uint64_t least,
                  uint64_t most)
{
    const struct tile_merge_args args = {.round = m->round,
                                         .cutters = cutters,
                                         .ahead = ahead,
                                         .rate = (unsigned)rate,
                                         .leave = m->code};
    const uint64_t bytes = m->round.count * m->size;
    size_t lines;
    const mw_ledger_line *ledger;
    uint64_t posted;
    int right;

    for (uint64_t i = 0; i < m->cells; i++)
        m->round.cuts[i] = cell_of(m, cells, i);
    memset(m->round.out, 0xa5, bytes);
    right = launch(f, m, KERNEL_TILE_MERGE, m->tiles + cutters, &args, sizeof args) &&
            memcmp(m->round.out, m->expected, bytes) == 0 &&
            memcmp(m->round.cuts, m->cuts, m->cells * sizeof(wide)) == 0 &&
            samples_right(m);
    ledger = fixture_ledger(f, &lines);
    posted = ledger_sum(ledger, lines, MW_ACCESS_CUT, 1).global_requests;
    if (right && posted >= least && posted <= most)
        return 1;
    tap_note("cells %s, %u cutters, %u ahead, rate %llu: %llu cuts posted",
             cells_names[cells], cutters, ahead, (wide)rate, (wide)posted);
    return 0;
}

/* The host's rate: that many cutters among all blocks, and a little more. */
static uint64_t rate_of(const struct merging *m, unsigned cutters)
{
    return ((uint64_t)cutters << 32) / (m->tiles + cutters) + 1;
}

static void test_merges(struct tap *tap, struct fixture *f, const struct merging *m,
                        const char *name)
{
    const uint64_t all = m->cut_rows;
    const unsigned cutters = (unsigned)divide_up(all, m->row->tile.rows / 32);
    const uint64_t rate = rate_of(m, cutters);
    const uint64_t few[CELLS] = {all, 0, all, all, all / 2, all}; /* to be found */
    int right = 1;

    for (int cells = 0; cells < CELLS; cells++)
        tap_case(
            tap,
            merges(f, m, (enum cells)cells, 0, 0, 1, few[cells], cells == POSTED ? 0 : all),
            "%s, no cutters, cells %s", name, cells_names[cells]);
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
    for (size_t i = 0; i < COUNT_OF(rows) * COUNT_OF(inputs); i++) {
        const struct row *const row = &rows[i / COUNT_OF(inputs)];
        const struct input *const input = &inputs[i % COUNT_OF(inputs)];
        struct merging m;
        char name[64];
        const int ready = prepare(f, &m, row, input);

        snprintf(name, sizeof name, "%s %s, %d ways", mw_type_name(row->type), input->shape,
                 input->ways);
        tap_ok(tap, ready, name, "cuts");
        if (ready)
            test_merges(tap, f, &m, name);
        fixture_clear(f);
    }
}
