/*
 * unit_plan_pair.c - the plan's arithmetic for engine pair: rounds, tiles and
 * workspace for any count, and what it refuses.
 */
#include "plan.h"

#include "tap.h"

#include <string.h>

static const mw_info machine = {.size = sizeof(mw_info),
                                .processors = 132,
                                .architecture = 90,
                                .shared_per_block = 48 << 10};

/* One plan to make, and what came of it. */
struct sample {
    size_t size;
    uint64_t count;
    struct plan plan;
};

static uint64_t items_of(const struct sample *s)
{
    return s->size == 8 ? 8 : 17;
}

static uint64_t tile_of(const struct sample *s)
{
    return 256 * items_of(s);
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static int tuning_filled(const struct sample *s)
{
    const mw_tuning *const t = &s->plan.tuning;

    return t->size == sizeof *t && t->engine == MW_ENGINE_PAIR && t->ways == 2 &&
           t->threads == 256 && t->items == items_of(s) && t->base == tile_of(s) &&
           t->warps == (uint32_t)(8 * s->plan.base_blocks);
}

static int rounds_fit(const struct sample *s)
{
    const uint64_t tiles = divide_up(s->count, tile_of(s));
    uint64_t run = tile_of(s);

    for (uint32_t i = 0; i < s->plan.rounds; i++, run *= 2) {
        const struct plan_round *const r = &s->plan.round[i];
        const uint64_t group = s->count < 2 * run ? s->count : 2 * run;

        if (r->run != run || r->ways != 2 || r->piece != tile_of(s) || r->blocks != tiles ||
            r->blocks > INT32_MAX || run >= s->count ||
            r->groups != divide_up(s->count, 2 * run) ||
            r->pieces != divide_up(group, tile_of(s)))
            return 0;
    }
    return run >= s->count && s->plan.base_blocks == tiles && s->plan.base_threads == 256 &&
           s->plan.launches == (s->count ? 1 + 2 * s->plan.rounds : 0);
}

/* A second array and a cut a tile, aligned, or nothing if there is nothing to merge. */
static int workspace_fits(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    const uint64_t cuts = 8 * p->base_blocks;

    if (p->rounds == 0)
        return p->workspace_bytes == 0;
    return p->key_bytes == s->count * s->size && p->cuts_offset % 256 == 0 &&
           p->cuts_offset >= p->key_bytes && p->cuts_offset < p->key_bytes + 256 &&
           p->workspace_bytes >= p->cuts_offset + cuts &&
           p->workspace_bytes < p->cuts_offset + cuts + 256;
}

/* A tile, its pads, and the cell behind it. */
static int shared_fits(const struct sample *s)
{
    const uint64_t cells = tile_of(s) + (s->size == 8 ? tile_of(s) / 16 : 0) + 1;

    return s->plan.base_shared == cells * s->size &&
           s->plan.merge_shared == cells * s->size &&
           s->plan.base_shared <= machine.shared_per_block;
}

/* What a plan says it uses can be asked for, and gives the same plan. */
static int can_be_repeated(const struct sample *s)
{
    struct error error = {""};
    struct plan again;

    return plan_check(&s->plan.tuning, &error) == MW_OK &&
           plan_make(&again, &s->plan.tuning, &machine, s->size, s->count, &error) ==
               MW_OK &&
           memcmp(&again.tuning, &s->plan.tuning, sizeof again.tuning) == 0 &&
           again.rounds == s->plan.rounds;
}

static void test_plans(struct tap *tap)
{
    static const uint64_t counts[] = {0,
                                      1,
                                      31,
                                      2047,
                                      2048,
                                      2049,
                                      4096,
                                      4351,
                                      4352,
                                      4353,
                                      8703,
                                      8704,
                                      8705,
                                      69632,
                                      69633,
                                      1000003,
                                      1 << 20,
                                      71303168,
                                      UINT64_C(1) << 31,
                                      4294967296,
                                      4294967297,
                                      UINT64_C(1) << 40};

    for (size_t size = 1; size <= 8; size *= 2) {
        for (size_t i = 0; i < COUNT_OF(counts); i++) {
            struct sample s = {.size = size, .count = counts[i]};
            mw_tuning wish = MW_TUNING_INIT;
            struct error error = {""};
            mw_status status;

            wish.engine = MW_ENGINE_PAIR;
            status = plan_make(&s.plan, &wish, &machine, size, counts[i], &error);
            tap_case(tap,
                     status == MW_OK && tuning_filled(&s) && rounds_fit(&s) &&
                         workspace_fits(&s) && shared_fits(&s) && can_be_repeated(&s),
                     "%llu keys of %zu bytes: %u rounds", (unsigned long long)counts[i],
                     size, s.plan.rounds);
        }
    }
}

static void test_refusals(struct tap *tap)
{
    const mw_engine pair = MW_ENGINE_PAIR;
    const struct {
        const char *name;
        mw_tuning wish; /* size, engine, ways, warps, threads, items, base */
        size_t size;
        int refused;
    } rows[] = {
        {"its own numbers",      {0, pair, 2, 0, 256, 17, 4352}, 4, 0},
        {"its wide numbers",     {0, pair, 2, 0, 256, 8, 2048},  8, 0},
        {"warps of no use",      {0, pair, 0, 5, 0, 0, 0},       1, 0},
        {"four ways",            {0, pair, 4, 0, 0, 0, 0},       4, 1},
        {"other threads",        {0, pair, 0, 0, 128, 0, 0},     4, 1},
        {"wide items of narrow", {0, pair, 0, 0, 0, 8, 0},       4, 1},
        {"narrow items of wide", {0, pair, 0, 0, 0, 17, 0},      8, 1},
        {"items of another",     {0, pair, 0, 0, 0, 32, 0},      4, 1},
        {"a base of another",    {0, pair, 0, 0, 0, 0, 4096},    4, 1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error error = {""};
        struct plan plan;
        const mw_status checked = plan_check(&rows[i].wish, &error);
        const mw_status status =
            plan_make(&plan, &rows[i].wish, &machine, rows[i].size, 10000, &error);

        tap_ok(tap,
               checked == MW_OK && status == (rows[i].refused ? MW_UNSUPPORTED : MW_OK) &&
                   (strstr(error.text, "engine pair has 2 ways") != NULL) ==
                       rows[i].refused,
               rows[i].name, error.text);
    }
}

int main(void)
{
    struct tap tap = {0, 0};

    test_plans(&tap);
    test_refusals(&tap);
    return tap_end(&tap);
}
