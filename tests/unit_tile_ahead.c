/*
 * unit_tile_ahead.c - cuts found while tiles are merged, on the simulator.
 *
 * Whoever finds the cuts of a round, and whatever its cells held before, the keys that
 * tile_merge writes are the same, and so are the cuts left in the cells. Blocks run in the
 * order of their numbers here, so with no cutter ahead, or none at all, tiles find no cut
 * where they look and must find it themselves. A tile written twice would be a race, which
 * the simulator faults, and one never written leaves rubbish.
 */
#include "device.h"
#include "kit.h"
#include "plan_parts.h"

#include "reference.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum { TILE = 2048, MOST_KEYS = 20 * TILE, MOST_CELLS = 2048 };

/* Types, and tiles of 2048 keys that the simulator has for them. */
struct row {
    mw_type type;
    mw_direction direction;
    unsigned number; /* of the round */
    struct tile_geometry tile;
};

static const struct row rows[] = {
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
enum cells { CLEARED, POSTED, OTHER_ROUND, RUBBISH, EVEN_ROWS, EVEN_LISTS, CELLS };

static const char *const cells_names[CELLS] = {"cleared",         "posted",
                                               "another round's", "rubbish",
                                               "every other row", "every other list"};

struct bench {
    struct device *device;
    struct error error;
    const struct row *row;
    struct program *program;
    size_t size;             /* of a key */
    struct key_code code;    /* of the type */
    struct tile_round round; /* with the arrays on the device */
    void *keys;              /* there, too: as they came */
    char *expected;
    char *merged;
    struct item *items; /* for the reference */
    wide cuts[MOST_CELLS];
    wide found[MOST_CELLS];
};

static uint64_t rows_of(const struct tile_round *round)
{
    return (uint64_t)round->groups * (round->pieces + 1);
}

static uint64_t cells_of(const struct tile_round *round)
{
    return rows_of(round) * (uint64_t)round->ways;
}

static uint64_t tiles_of(const struct tile_round *round)
{
    return (uint64_t)round->groups * round->pieces;
}

/* Blocks that find all cuts, a warp each. */
static unsigned cutters_of(const struct bench *b)
{
    return (unsigned)divide_up(rows_of(&b->round), b->row->tile.rows / 32);
}

static mw_status launch(struct bench *b, enum kernel_id kernel, uint64_t blocks,
                        uint32_t threads, size_t shared, const void *args, size_t bytes)
{
    const struct launch what = {.program = b->program,
                                .kernel = kernel,
                                .blocks = blocks,
                                .threads = threads,
                                .shared_bytes = (uint32_t)shared,
                                .args = args,
                                .args_bytes = bytes};
    const mw_status status = b->device->verbs->launch(b->device, &what);

    if (status != MW_OK)
        tap_note("%s", b->error.text);
    return status;
}

/* Tiles to runs. */
static mw_status sort_tiles(struct bench *b)
{
    const struct tile_geometry *const g = &b->row->tile;
    const struct tile_sort_args args = {.in = b->keys,
                                        .out = (void *)b->round.in,
                                        .samples = (void *)b->round.samples,
                                        .count = b->round.count,
                                        .enter = b->code};

    return launch(b, KERNEL_TILE_SORT, divide_up(b->round.count, TILE), g->rows,
                  TILE_SORT_SHARED(g->rows, g->items, b->size), &args, sizeof args);
}

/* The cuts as kernel tile_cut finds them; they are to be. */
static mw_status find_cuts(struct bench *b)
{
    const struct tile_cut_args args = {.round = b->round};
    const uint64_t blocks = divide_up(rows_of(&b->round), tile_cut_threads / 32);
    mw_status status;

    TRY(launch(b, KERNEL_TILE_CUT, blocks, tile_cut_threads, 0, &args, sizeof args));
    TRY(b->device->verbs->download(b->device, b->cuts, b->round.cuts,
                                   cells_of(&b->round) * sizeof(wide), NULL));
done:
    return status;
}

/* Do the cuts begin with no key, end with all, never go back, and have the number? */
static int cuts_right(const struct bench *b)
{
    const struct tile_round *const r = &b->round;
    const uint64_t ways = (uint64_t)r->ways;
    int right = 1;

    for (uint64_t i = 0; i < cells_of(r); i++) {
        const uint64_t row = i / ways % (r->pieces + 1);
        const uint64_t first = (i / ways / (r->pieces + 1) * ways + i % ways) * r->run;
        const uint64_t left = first < r->count ? r->count - first : 0;
        const uint64_t before = (uint32_t)b->cuts[i];

        right &= (b->cuts[i] >> 32 & 0xffff) == r->number;
        right &= row > 0 ? before >= (uint32_t)b->cuts[i - ways] : before == 0;
        right &= row < r->pieces || before == (left < r->run ? left : r->run);
    }
    return right;
}

static wide cell_of(const struct bench *b, enum cells cells, uint64_t i)
{
    const uint64_t ways = (uint64_t)b->round.ways;
    const wide other = b->cuts[i] ^ (wide)1 << (32 + i % 16); /* its number, by a bit */
    const wide by_kind[CELLS] = {
        [CLEARED] = 0,
        [POSTED] = b->cuts[i],
        [OTHER_ROUND] = other + (i & 1), /* and other places */
        [RUBBISH] = kit_mix(i) & ~((wide)0xffff << 32),
        [EVEN_ROWS] = i / ways % 2 ? 0 : b->cuts[i],
        [EVEN_LISTS] = i % 2 ? other : b->cuts[i],
    };

    return by_kind[cells];
}

/* Merge, and fetch what became of keys and cells. */
static mw_status merge(struct bench *b, enum cells cells,
                       const struct tile_merge_args *args)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const struct tile_geometry *const g = &b->row->tile;
    const uint64_t bytes = b->round.count * b->size;
    const uint64_t cell_bytes = cells_of(&b->round) * sizeof(wide);
    mw_status status;

    for (uint64_t i = 0; i < cells_of(&b->round); i++)
        b->found[i] = cell_of(b, cells, i);
    memset(b->merged, 0xa5, bytes);
    TRY(verbs->upload(b->device, b->round.cuts, b->found, cell_bytes, NULL));
    TRY(verbs->upload(b->device, b->round.out, b->merged, bytes, NULL));
    verbs->ledger_reset(b->device);
    TRY(launch(b, KERNEL_TILE_MERGE, tiles_of(&b->round) + args->cutters, g->rows,
               TILE_MERGE_SHARED(g->rows, g->items, b->size), args, sizeof *args));
    TRY(verbs->download(b->device, b->merged, b->round.out, bytes, NULL));
    TRY(verbs->download(b->device, b->found, b->round.cuts, cell_bytes, NULL));
done:
    return status;
}

/* How many cuts the last launch has posted. */
static uint64_t posts(struct bench *b)
{
    const mw_ledger_line *lines;
    size_t count;
    uint64_t sum = 0;

    if (b->device->verbs->ledger(b->device, &lines, &count) != MW_OK)
        return UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        if (lines[i].access == MW_ACCESS_CUT && lines[i].stores)
            sum += lines[i].traffic.global_requests;
    }
    return sum;
}

/* Every sample the key it stands for? Of types whose code is none. */
static int samples_right(const struct bench *b)
{
    const char *const samples = b->round.out_samples; /* the simulator's memory is here */

    for (uint64_t i = 0; samples && i < b->round.count; i += TILE_SAMPLE) {
        if (memcmp(samples + i / TILE_SAMPLE * b->size, b->expected + i * b->size, b->size))
            return 0;
    }
    return 1;
}

/* Does a launch merge as it should, and post from `least` to `most` cuts? */
static int merges(struct bench *b, enum cells cells, unsigned cutters, unsigned ahead,
                  uint64_t rate, uint64_t least, uint64_t most)
{
    const struct tile_merge_args args = {.round = b->round,
                                         .cutters = cutters,
                                         .ahead = ahead,
                                         .rate = (unsigned)rate,
                                         .leave = b->code};
    const int right = merge(b, cells, &args) == MW_OK &&
                      memcmp(b->merged, b->expected, b->round.count * b->size) == 0 &&
                      memcmp(b->found, b->cuts, cells_of(&b->round) * sizeof(wide)) == 0 &&
                      samples_right(b);
    const uint64_t posted = posts(b);

    if (!right || posted < least || posted > most)
        tap_note("cells %s, %u cutters, %u ahead, rate %llu: %llu cuts posted",
                 cells_names[cells], cutters, ahead, (unsigned long long)rate,
                 (unsigned long long)posted);
    return right && posted >= least && posted <= most;
}

/* The host's rate: so many cutters among all blocks, and a little more. */
static uint64_t rate_of(const struct bench *b, unsigned cutters)
{
    return ((uint64_t)cutters << 32) / (tiles_of(&b->round) + cutters) + 1;
}

static void test_merges(struct tap *tap, struct bench *b, const struct input *input)
{
    const uint64_t all = rows_of(&b->round);
    const unsigned cutters = cutters_of(b);
    const uint64_t rate = rate_of(b, cutters);
    const uint64_t few[CELLS] = {all, 0, all, all, all / 2, all}; /* to be found */
    const char *const type = type_row(b->row->type)->name;
    int right = 1;

    for (int cells = 0; cells < CELLS; cells++)
        tap_case(
            tap,
            merges(b, (enum cells)cells, 0, 0, 1, few[cells], cells == POSTED ? 0 : all),
            "%s %s, %d ways, no cutters, cells %s", type, input->shape, input->ways,
            cells_names[cells]);
    for (unsigned ahead = 0; ahead <= cutters; ahead++)
        right &= merges(b, CLEARED, cutters, ahead, rate, all + (ahead == 0),
                        ahead == cutters ? all : 2 * all);
    tap_case(tap, right, "%s %s, %d ways, 0 to %u cutters ahead", type, input->shape,
             input->ways, cutters);
    right = merges(b, CLEARED, cutters, cutters / 2, 2 * rate, all, 2 * all) &&
            merges(b, CLEARED, cutters, 0, UINT32_MAX, all, 2 * all) &&
            merges(b, CLEARED, cutters + 3, 1, rate_of(b, cutters + 3), all, 2 * all) &&
            merges(b, OTHER_ROUND, cutters, 1, rate, all, 2 * all) &&
            merges(b, RUBBISH, cutters, cutters, rate, all, all) &&
            merges(b, EVEN_LISTS, cutters, 0, rate, all, 2 * all);
    tap_case(tap, right, "%s %s, %d ways, other rates, more cutters, other cells", type,
             input->shape, input->ways);
}

/* The keys, what is expected of them, and the round's shape. */
static int make_round(struct bench *b, const struct input *input)
{
    const uint64_t group = (uint64_t)input->ways * TILE;
    struct tile_round *const r = &b->round;

    r->count = input->count;
    r->run = TILE;
    r->ways = input->ways;
    r->number = b->row->number;
    r->groups = (unsigned)divide_up(r->count, group);
    r->piece = (uint64_t)(TILE - 2 * TILE_SLACK(TILE)) -
               (uint64_t)r->ways / 2 * (b->row->tile.items - 1);
    r->pieces = (unsigned)divide_up(r->count < group ? r->count : group, r->piece);
    if (r->count > MOST_KEYS || cells_of(r) > MOST_CELLS ||
        kit_fill(b->row->type, input->shape, 5, b->expected, r->count) != MW_OK)
        return 0;
    memcpy(b->keys, b->expected, r->count * b->size);
    for (uint64_t first = 0; first < r->count; first += group)
        reference_sort(b->row->type, b->row->direction, b->expected + first * b->size,
                       r->count - first < group ? r->count - first : group, b->items);
    return 1;
}

/* Arrays on the device, large enough for every input. */
static mw_status open_row(struct bench *b, const struct row *row)
{
    const struct device_verbs *const verbs = b->device->verbs;
    const struct type_row *const type = type_row(row->type);
    const struct code code = type_code(type, row->direction);
    const uint64_t bytes = MOST_KEYS * type->size;
    void *in = NULL, *samples = NULL, *cuts = NULL;
    mw_status status;

    b->row = row;
    b->size = type->size;
    b->code = (struct key_code){.flip = code.flip, .is_float = code.is_float};
    b->round = (struct tile_round){.in = NULL};
    b->keys = NULL;
    TRY(verbs->load(b->device,
                    &(struct program_name){MW_ENGINE_TILE, (int)(8 * b->size), row->tile},
                    kernels_of(MW_ENGINE_TILE), &b->program));
    TRY(verbs->alloc(b->device, bytes, &b->keys));
    TRY(verbs->alloc(b->device, bytes, &in));
    TRY(verbs->alloc(b->device, bytes, &b->round.out));
    TRY(verbs->alloc(b->device, bytes / TILE_SAMPLE, &samples));
    TRY(verbs->alloc(b->device, MOST_CELLS * sizeof(wide), &cuts));
    if (!code.flip)
        TRY(verbs->alloc(b->device, bytes / TILE_SAMPLE, &b->round.out_samples));
done:
    b->round.in = in;
    b->round.samples = samples;
    b->round.cuts = cuts;
    return status;
}

static void close_row(struct bench *b)
{
    void *const all[] = {b->round.out_samples,     b->round.cuts,
                         (void *)b->round.samples, b->round.out,
                         (void *)b->round.in,      b->keys};

    for (size_t i = 0; i < COUNT_OF(all); i++)
        b->device->verbs->free(b->device, all[i]);
}

static void test_row(struct tap *tap, struct bench *b, const struct row *row)
{
    int right = open_row(b, row) == MW_OK;

    tap_ok(tap, right, type_row(row->type)->name, "the simulator has its tiles");
    for (size_t i = 0; right && i < COUNT_OF(inputs); i++) {
        right = make_round(b, &inputs[i]) && sort_tiles(b) == MW_OK &&
                find_cuts(b) == MW_OK && cuts_right(b);
        tap_case(tap, right, "%s %s, %d ways, %u tiles: cuts", type_row(row->type)->name,
                 inputs[i].shape, inputs[i].ways, (unsigned)tiles_of(&b->round));
        if (right)
            test_merges(tap, b, &inputs[i]);
    }
    close_row(b);
}

int main(void)
{
    static struct bench b;
    struct tap tap = {0, 0};

    b.expected = malloc(MOST_KEYS * sizeof(uint64_t));
    b.merged = malloc(MOST_KEYS * sizeof(uint64_t));
    b.items = malloc(2 * MOST_KEYS * sizeof(struct item));
    tap_ok(&tap,
           b.expected && b.merged && b.items && sim_open(&b.device, &b.error) == MW_OK,
           "open", b.error.text);
    for (size_t i = 0; i < COUNT_OF(rows) && b.device; i++)
        test_row(&tap, &b, &rows[i]);
    if (b.device)
        b.device->verbs->close(b.device);
    free(b.items);
    free(b.merged);
    free(b.expected);
    return tap_end(&tap);
}
