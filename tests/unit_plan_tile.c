/*
 * unit_plan_tile.c - the plan's arithmetic for engine tile: the geometry is the
 * wish's or the table's, passes share the levels evenly, a piece fits a tile
 * whatever the cuts, pieces cover every group, the workspace has room for
 * everything; and which engine is chosen.
 */
#include "plan.h"

#include "tap.h"
#include "tile_rows.h"

#include <string.h>

/* One plan to make, the geometry it should have, and what came of it. */
struct sample {
    const mw_info *info;
    mw_tuning wish;
    size_t size;
    uint64_t count;
    struct tile_geometry tile;
    uint32_t most_ways;
    struct plan plan;
};

#define MACHINE(arch, block, processor)                                              \
    {                                                                                \
        .size = sizeof(mw_info), .processors = 132, .architecture = arch,            \
        .shared_per_block = (block) << 10, .shared_per_processor = (processor) << 10 \
    }

static const mw_info machine = MACHINE(90, 227, 228);

/* The table's row for a sample: of the smallest limit, on the newest architecture. */
static void expect_row(struct sample *s)
{
    uint64_t best_limit = 0;
    int best = -1;

    for (int i = 0; i < (int)TILE_ROW_COUNT; i++) {
        const uint64_t limit = tile_rows[i].most ? tile_rows[i].most : UINT64_MAX;

        if (tile_rows[i].size != s->size || tile_rows[i].arch > s->info->architecture ||
            UINT64_C(1024) * tile_rows[i].kib > s->info->shared_per_processor ||
            limit < s->count)
            continue;
        if (best < 0 || tile_rows[i].arch > tile_rows[best].arch ||
            (tile_rows[i].arch == tile_rows[best].arch && limit < best_limit)) {
            best = i;
            best_limit = limit;
        }
    }
    s->tile = tile_rows[best].tile;
    s->most_ways = tile_rows[best].ways;
}

static uint64_t items_of(const struct sample *s)
{
    return s->tile.items;
}

static uint64_t tile_of(const struct sample *s)
{
    return (uint64_t)s->tile.rows * s->tile.items;
}

/* ceil(log2(n)) */
static uint32_t levels_of(uint64_t n)
{
    uint32_t levels = 0;

    while (UINT64_C(1) << levels < n)
        levels++;
    return levels;
}

static int tuning_filled(const struct sample *s)
{
    const mw_tuning *const t = &s->plan.tuning;
    const uint64_t tiles = s->plan.base_blocks;

    return t->size == sizeof *t && t->engine == MW_ENGINE_TILE &&
           t->threads == s->tile.rows && t->items == items_of(s) && t->base == tile_of(s) &&
           t->warps == s->tile.rows / 32 * tiles &&
           s->plan.program.tile.rows == s->tile.rows &&
           s->plan.program.tile.items == s->tile.items &&
           (!s->tile.sort_blocks ||
            (s->plan.program.tile.sort_blocks == s->tile.sort_blocks &&
             s->plan.program.tile.merge_blocks == s->tile.merge_blocks)) &&
           t->ways == (s->plan.rounds ? s->plan.round[0].ways : 2) &&
           tiles * tile_of(s) >= s->count && tiles * tile_of(s) < s->count + tile_of(s);
}

/*
 * Each pass has as many levels as the last, or one fewer; together exactly those
 * that the tiles need; none more than allowed; and no pass could be spared.
 */
static int levels_shared(const struct sample *s)
{
    const uint32_t levels = levels_of(s->plan.base_blocks);
    const uint32_t most = levels_of(s->wish.ways ? s->wish.ways : s->most_ways);
    const uint32_t first = levels_of(s->plan.tuning.ways);
    uint32_t sum = 0;

    for (uint32_t i = 0; i < s->plan.rounds; i++) {
        const uint32_t mine = levels_of(s->plan.round[i].ways);

        if (s->plan.round[i].ways != 1u << mine || mine < 1 || mine > most ||
            mine > first || mine + 1 < first ||
            (i > 0 && s->plan.round[i].ways > s->plan.round[i - 1].ways))
            return 0;
        sum += mine;
    }
    return sum == levels && (levels == 0 || s->plan.rounds == (levels + first - 1) / first);
}

/*
 * There is a warp for each cut, and not a block too many; those that come first find cuts
 * for as many tiles as there are to be, or for all.
 */
static int cutters_fit(const struct sample *s, const struct plan_round *r)
{
    const uint64_t warps = s->tile.rows / 32;
    const uint64_t cuts = r->groups * (r->pieces + 1);

    return r->cutters * warps >= cuts && (r->cutters - 1) * warps < cuts &&
           r->ahead <= r->cutters && r->ahead > 0 &&
           (r->ahead == r->cutters ||
            (r->ahead * warps >= PLAN_AHEAD_EACH * s->info->processors &&
             (r->ahead - 1) * warps < PLAN_AHEAD_EACH * s->info->processors));
}

static int round_fits(const struct sample *s, const struct plan_round *r, uint64_t run)
{
    const uint64_t whole = run * r->ways;
    const uint64_t group = s->count < whole ? s->count : whole;
    const uint64_t slack = tile_of(s) / 72 > 60 ? tile_of(s) / 72 : 60;

    return r->run == run && run % TILE_SAMPLE == 0 && r->groups * whole >= s->count &&
           (r->groups - 1) * whole < s->count &&
           /* Both cuts off by all their slack, every pair with an almost empty row. */
           r->piece + 2 * slack + r->ways / 2 * (items_of(s) - 1) <= tile_of(s) &&
           r->piece > 2 * slack && r->piece > tile_of(s) / 2 &&
           r->pieces * r->piece >= group && (r->pieces - 1) * r->piece < group &&
           r->blocks == r->groups * r->pieces &&
           r->blocks + r->groups * (r->pieces + 1) <= INT32_MAX &&
           r->joined == (r->blocks <= 4 * s->info->processors) && cutters_fit(s, r);
}

static int rounds_fit(const struct sample *s)
{
    uint64_t run = tile_of(s);
    for (uint32_t i = 0; i < s->plan.rounds; i++) {
        const struct plan_round *const r = &s->plan.round[i];

        if (!round_fits(s, r, run))
            return 0;
        run *= r->ways;
    }
    return run >= s->count && s->plan.launches == (s->count ? 1 + s->plan.rounds : 0) &&
           s->plan.base_threads == s->tile.rows &&
           s->plan.base_shared > tile_of(s) * (s->size == 8 ? 8 : 4) &&
           s->plan.base_shared <= s->plan.merge_shared &&
           s->plan.merge_shared <= s->info->shared_per_block;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Arrays of the workspace begin at multiples of 256 bytes. */
static uint64_t rounded(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/*
 * In order, aligned, each with room for the round that needs most and no more; none at
 * all if there is no round. Joined rounds have no cells for cuts. The last one leaves no
 * samples, so it needs no second array of them.
 */
static int workspace_fits(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    const uint64_t samples = (s->count + 31) / 32 * s->size;
    uint64_t cells = 0;

    for (uint32_t i = 0; i < p->rounds; i++) {
        const struct plan_round *const r = &p->round[i];

        if (!r->joined)
            cells = greater(cells, r->groups * (r->pieces + 1) * r->ways);
    }
    if (p->rounds == 0)
        return p->workspace_bytes == 0;
    return p->key_bytes == s->count * s->size && p->cuts_offset == rounded(p->key_bytes) &&
           p->cut_cells == cells &&
           p->samples_offset == p->cuts_offset + rounded(8 * cells) &&
           p->spare_samples_offset ==
               p->samples_offset + (p->rounds > 1 ? rounded(samples) : 0) &&
           p->workspace_bytes == p->spare_samples_offset + rounded(samples);
}

static int plan_fits(struct sample *s)
{
    struct error error = {""};
    const mw_status status =
        plan_make(&s->plan, &s->wish, s->info, s->size, s->count, &error);
    const char *wrong = NULL;

    if (status != MW_OK)
        wrong = error.text;
    else if (!tuning_filled(s))
        wrong = "a wish was not followed or a field left open";
    else if (!levels_shared(s))
        wrong = "the levels are not shared evenly";
    else if (!rounds_fit(s))
        wrong = "a round does not fit";
    else if (!workspace_fits(s))
        wrong = "the workspace does not fit";
    if (wrong)
        tap_note("sm_%u, %llu keys of %zu bytes, ways %u, tiles of %u x %u: %s",
                 s->info->architecture, (unsigned long long)s->count, s->size, s->wish.ways,
                 s->tile.rows, s->tile.items, wrong);
    return !wrong;
}

static void test_plans(struct tap *tap)
{
    /* clang-format off */
    static const uint64_t counts[] = {
        0, 1, 31, 32, 33, 4095, 4096, 4097, 8191, 8192, 8193, 12288, 12289, 65536, 65537,
        99991, 131072, 131073, 262144, 262145, 1 << 20, 1000003, (1 << 22) + 1, 4465000,
        10000019, 1 << 26, 1 << 28, (1 << 28) + 1, (UINT64_C(1) << 31) + 12345, UINT32_MAX,
    };
    /* clang-format on */
    static const uint32_t all_ways[] = {0, 2, 4, 8, 16, 32};

    for (size_t size = 1; size <= 8; size *= 2) {
        for (size_t k = 0; k < COUNT_OF(all_ways); k++) {
            int passed = 1;

            for (size_t c = 0; c < COUNT_OF(counts); c++) {
                for (int automatic = 0; automatic < 2; automatic++) {
                    struct sample s = {.info = &machine,
                                       .wish = MW_TUNING_INIT,
                                       .size = size,
                                       .count = counts[c]};

                    expect_row(&s);
                    s.wish.engine = automatic ? MW_ENGINE_AUTO : MW_ENGINE_TILE;
                    s.wish.ways = all_ways[k];
                    passed &= plan_fits(&s);
                }
            }
            tap_case(tap, passed, "%zu-byte keys, ways %u", size, all_ways[k]);
        }
    }
}

/* Every geometry that can be wished for, in each of the ways to say it. */
static void test_geometries(struct tap *tap)
{
    static const uint64_t counts[] = {1, 511, 513, 40000, 1000003, 1 << 26, UINT32_MAX};

    for (uint32_t rows = 64; rows <= 512; rows *= 2) {
        for (uint32_t items = 8; items <= 32; items *= 2) {
            int passed = 1;

            for (size_t i = 0; i < COUNT_OF(counts) * 4 * 4; i++) {
                const int fields = (int)(i / COUNT_OF(counts) / 4);
                struct sample s = {
                    .info = &machine,
                    .wish = MW_TUNING_INIT,
                    .size = (size_t)1 << i / COUNT_OF(counts) % 4,
                    .count = counts[i % COUNT_OF(counts)],
                    .tile = {rows, items, 0, 0},
                    .most_ways = 32
                };

                s.wish.engine = MW_ENGINE_TILE;
                s.wish.threads = fields != 1 ? rows : 0;
                s.wish.items = fields != 2 ? items : 0;
                s.wish.base = fields != 3 ? rows * items : 0;
                passed &= plan_fits(&s);
            }
            tap_case(tap, passed, "tiles of %u rows of %u", rows, items);
        }
    }
}

/* Each machine gets tiles that it has room for, and several blocks at that. */
static void test_machines(struct tap *tap)
{
    static const mw_info machines[] = {
        MACHINE(120, 99, 100), MACHINE(103, 227, 228), MACHINE(100, 227, 228),
        MACHINE(90, 227, 228), MACHINE(89, 99, 100),   MACHINE(87, 163, 164),
        MACHINE(86, 99, 100),  MACHINE(80, 163, 164),  MACHINE(75, 64, 64),
        MACHINE(70, 96, 96),   MACHINE(60, 48, 64)};
    static const uint64_t counts[] = {0, 1000, 65536, 65537, 1 << 20, 1 << 28};

    for (size_t i = 0; i < COUNT_OF(machines); i++) {
        int passed = 1;

        for (size_t size = 1; size <= 8; size *= 2) {
            for (size_t c = 0; c < COUNT_OF(counts); c++) {
                struct sample s = {.info = &machines[i],
                                   .wish = MW_TUNING_INIT,
                                   .size = size,
                                   .count = counts[c]};

                expect_row(&s);
                passed &= plan_fits(&s) && 3 * ((uint64_t)s.plan.merge_shared + 1024) <=
                                               machines[i].shared_per_processor;
            }
        }
        tap_case(tap, passed, "sm_%u, %llu bytes a block", machines[i].architecture,
                 (unsigned long long)machines[i].shared_per_block);
    }
}

/* The engine that comes of a wish, or the refusal. */
static void test_choice(struct tap *tap)
{
    const mw_engine any = MW_ENGINE_AUTO;
    const mw_engine heap = MW_ENGINE_HEAP;
    const mw_engine tile = MW_ENGINE_TILE;
    const int none = -1;
    const uint64_t most = UINT32_MAX;
    /* clang-format off */
    const struct {
        const char *name;
        mw_tuning wish; /* size, engine, ways, warps, threads, items, base */
        size_t size;
        uint64_t count;
        int engine;
    } rows[] = {
        {"auto is tile",           {0, any,  0, 0, 0,   0,  0   }, 4, 1000, (int)tile},
        {"auto with ways",         {0, any,  8, 0, 0,   0,  0   }, 4, 1000, (int)tile},
        {"auto with warps",        {0, any,  0, 5, 0,   0,  0   }, 4, 1000, (int)heap},
        {"auto with threads",      {0, any,  0, 0, 256, 0,  0   }, 4, 1000, (int)heap},
        {"auto with items",        {0, any,  0, 0, 0,   32, 0   }, 4, 1000, (int)tile},
        {"auto with wide items",   {0, any,  0, 0, 0,   16, 0   }, 8, 1000, (int)tile},
        {"auto with a base",       {0, any,  0, 0, 0,   0,  1024}, 4, 1000, (int)heap},
        {"auto below 2^32",        {0, any,  0, 0, 0,   0,  0   }, 4, most, (int)tile},
        {"auto from 2^32 on",      {0, any,  0, 0, 0,   0,  0   }, 4, most + 1, (int)heap},
        {"heap as asked for",      {0, heap, 0, 0, 0,   0,  0   }, 4, 1000, (int)heap},
        {"heap has 32 items",      {0, heap, 0, 0, 0,   16, 0   }, 4, 1000, none},
        {"tile below 2^32",        {0, tile, 0, 0, 0,   0,  0   }, 1, most, (int)tile},
        {"tile from 2^32 on",      {0, tile, 0, 0, 0,   0,  0   }, 1, most + 1, none},
        {"tile, all its numbers",  {0, tile, 0, 0, 256, 32, 8192}, 2, 1000, (int)tile},
        {"tile, warps of no use",  {0, tile, 0, 5, 0,   0,  0   }, 4, 1000, (int)tile},
        {"tile, threads alone",    {0, tile, 0, 0, 512, 0,  0   }, 4, 1000, (int)tile},
        {"tile, items alone",      {0, tile, 0, 0, 0,   8,  0   }, 4, 1000, (int)tile},
        {"tile, a base alone",     {0, tile, 0, 0, 0,   0,  2048}, 4, 1000, (int)tile},
        {"tile, few threads",      {0, tile, 0, 0, 32,  0,  0   }, 4, 1000, none},
        {"tile, many threads",     {0, tile, 0, 0, 1024, 0, 0   }, 4, 1000, none},
        {"tile, odd threads",      {0, tile, 0, 0, 96,  0,  0   }, 4, 1000, none},
        {"tile, a large base",     {0, tile, 0, 0, 128, 0,  8192}, 4, 1000, none},
        {"tile, another base",     {0, tile, 0, 0, 256, 32, 4096}, 4, 1000, none},
        {"tile, the largest",      {0, tile, 0, 0, 512, 32, 0   }, 8, 1000, (int)tile},
        {"heap, a small base",     {0, heap, 0, 0, 0,   0,  512 }, 4, 1000, none},
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mw_status expected = rows[i].engine == none ? MW_UNSUPPORTED : MW_OK;
        struct error error = {""};
        struct plan plan;
        const mw_status status =
            plan_make(&plan, &rows[i].wish, &machine, rows[i].size, rows[i].count, &error);

        tap_ok(tap,
               plan_check(&rows[i].wish, &error) == MW_OK && status == expected &&
                   (status == MW_OK) == !*error.text &&
                   (status != MW_OK || (int)plan.tuning.engine == rows[i].engine),
               rows[i].name, error.text);
    }
}

/* The largest tiles need more shared memory than a small GPU's blocks can have. */
static void test_room(struct tap *tap)
{
    const mw_info small = MACHINE(86, 99, 100);
    const mw_tuning wish = {sizeof wish, MW_ENGINE_TILE, 0, 0, 512, 32, 0};
    struct error error = {""};
    struct plan plan;

    tap_ok(tap,
           plan_make(&plan, &wish, &small, 4, 1000, &error) == MW_OK &&
               plan_make(&plan, &wish, &small, 8, 1000, &error) == MW_UNSUPPORTED &&
               strstr(error.text, "shared memory"),
           "no room for a tile", error.text);
}

int main(void)
{
    struct tap tap = {0, 0};

    test_plans(&tap);
    test_geometries(&tap);
    test_machines(&tap);
    test_choice(&tap);
    test_room(&tap);
    return tap_end(&tap);
}
