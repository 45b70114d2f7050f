/*
 * unit_plan_tile.c - the plan's arithmetic for engine tile: passes share the
 * levels evenly, a piece fits a tile whatever the cuts, pieces cover every
 * group, the workspace has room for everything; and which engine is chosen.
 */
#include "kernels/launch.h"
#include "plan.h"

#include "tap.h"

#include <string.h>

/* One plan to make, and what came of it. */
struct sample {
    mw_tuning wish;
    size_t size;
    uint64_t count;
    struct plan plan;
};

static const mw_info machine = {.size = sizeof(mw_info),
                                .processors = 132,
                                .architecture = 90,
                                .shared_per_block = 48 << 10};

static uint64_t items_of(const struct sample *s)
{
    return s->size == 8 ? 16 : 32;
}

static uint64_t tile_of(const struct sample *s)
{
    return 256 * items_of(s);
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

    return t->size == sizeof *t && t->engine == MW_ENGINE_TILE && t->threads == 256 &&
           t->items == items_of(s) && t->base == tile_of(s) && t->warps == 8 * tiles &&
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
    const uint32_t most = s->wish.ways ? levels_of(s->wish.ways) : 5;
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

static int round_fits(const struct sample *s, const struct plan_round *r, uint64_t run)
{
    const uint64_t whole = run * r->ways;
    const uint64_t group = s->count < whole ? s->count : whole;
    const uint64_t slack = (uint64_t)TILE_SLACK(s->size);

    return r->run == run && run % TILE_SAMPLE == 0 && r->groups * whole >= s->count &&
           (r->groups - 1) * whole < s->count &&
           /* Both cuts off by all their slack, every pair with an almost empty row. */
           r->piece + 2 * slack + r->ways / 2 * (items_of(s) - 1) <= tile_of(s) &&
           r->piece > 2 * slack && r->piece > tile_of(s) * 4 / 5 &&
           r->pieces * r->piece >= group && (r->pieces - 1) * r->piece < group &&
           r->blocks == r->groups * r->pieces && r->blocks <= INT32_MAX &&
           r->groups * (r->pieces + 1) <= INT32_MAX;
}

/* Every 32nd cut but the first and the last, where there are more than 600 pieces. */
static int coarse_fits(const struct plan_round *r)
{
    if (r->pieces <= 600)
        return r->coarse == 0;
    return 32 * r->coarse < r->pieces && 32 * (r->coarse + 1) >= r->pieces;
}

static int rounds_fit(const struct sample *s)
{
    uint64_t run = tile_of(s);
    uint32_t launches = s->count ? 1 : 0;

    for (uint32_t i = 0; i < s->plan.rounds; i++) {
        const struct plan_round *const r = &s->plan.round[i];

        if (!round_fits(s, r, run) || !coarse_fits(r))
            return 0;
        launches += 2 + (r->coarse > 0);
        run *= r->ways;
    }
    return run >= s->count && s->plan.launches == launches && s->plan.base_threads == 256 &&
           s->plan.base_shared <= machine.shared_per_block &&
           s->plan.merge_shared <= machine.shared_per_block;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* In order, aligned, each with room for the round that needs most. */
static int workspace_fits(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    uint64_t cuts = 0;
    uint64_t bounds = 0;
    uint64_t coarse = 0;

    for (uint32_t i = 0; i < p->rounds; i++) {
        const struct plan_round *const r = &p->round[i];

        cuts = greater(cuts, 4 * r->groups * (r->pieces + 1) * r->ways);
        bounds = greater(bounds, s->size == 8 ? 8 * r->groups * (r->pieces + 1) : 0);
        coarse = greater(coarse, 4 * r->groups * r->coarse * r->ways);
    }
    return p->key_bytes == s->count * s->size && p->cuts_offset % 256 == 0 &&
           p->bounds_offset % 256 == 0 && p->coarse_offset % 256 == 0 &&
           p->samples_offset % 256 == 0 &&
           p->cuts_offset >= (p->rounds ? p->key_bytes : 0) &&
           p->bounds_offset >= p->cuts_offset + cuts &&
           p->coarse_offset >= p->bounds_offset + bounds &&
           p->samples_offset >= p->coarse_offset + coarse &&
           p->workspace_bytes >= p->samples_offset + (s->count + 31) / 32 * s->size &&
           p->workspace_bytes <= 2 * p->key_bytes + (64 << 10);
}

static int plan_fits(struct sample *s)
{
    struct words words = {""};
    const mw_status status =
        plan_make(&s->plan, &s->wish, &machine, s->size, s->count, &words);
    const char *wrong = NULL;

    if (status != MW_OK)
        wrong = words.text;
    else if (!tuning_filled(s))
        wrong = "a wish was not followed or a field left open";
    else if (!levels_shared(s))
        wrong = "the levels are not shared evenly";
    else if (!rounds_fit(s))
        wrong = "a round does not fit";
    else if (!workspace_fits(s))
        wrong = "the workspace does not fit";
    if (wrong)
        tap_note("%llu keys of %zu bytes, ways %u: %s", (unsigned long long)s->count,
                 s->size, s->wish.ways, wrong);
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
                    struct sample s = {
                        .wish = MW_TUNING_INIT, .size = size, .count = counts[c]};

                    s.wish.engine = automatic ? MW_ENGINE_AUTO : MW_ENGINE_TILE;
                    s.wish.ways = all_ways[k];
                    passed &= plan_fits(&s);
                }
            }
            tap_case(tap, passed, "%zu-byte keys, ways %u", size, all_ways[k]);
        }
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
        {"tile, its own numbers",  {0, tile, 0, 0, 256, 32, 8192}, 2, 1000, (int)tile},
        {"tile, its wide numbers", {0, tile, 0, 0, 256, 16, 4096}, 8, 1000, (int)tile},
        {"tile, warps of no use",  {0, tile, 0, 5, 0,   0,  0   }, 4, 1000, (int)tile},
        {"tile, other threads",    {0, tile, 0, 0, 128, 0,  0   }, 4, 1000, none},
        {"tile, other items",      {0, tile, 0, 0, 0,   16, 0   }, 4, 1000, none},
        {"tile, another base",     {0, tile, 0, 0, 0,   0,  4096}, 4, 1000, none},
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mw_status expected = rows[i].engine == none ? MW_UNSUPPORTED : MW_OK;
        struct words words = {""};
        struct plan plan;
        const mw_status status =
            plan_make(&plan, &rows[i].wish, &machine, rows[i].size, rows[i].count, &words);

        tap_ok(tap,
               plan_check(&rows[i].wish, &words) == MW_OK && status == expected &&
                   (status == MW_OK) == !*words.text &&
                   (status != MW_OK || (int)plan.tuning.engine == rows[i].engine),
               rows[i].name, words.text);
    }
}

int main(void)
{
    struct tap tap = {0, 0};

    test_plans(&tap);
    test_choice(&tap);
    return tap_end(&tap);
}
