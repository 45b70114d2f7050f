/*
 * unit_plan.c - plans keep their contract for any count, wish and machine: wishes are
 * followed, rounds cover the keys, launches fit the device, parts of the workspace do not
 * overlap. What the tuning table comes to, and what is refused.
 */
#include "plan_samples.h"
#include "plan_tally.h"
#include "plan_tile.h"

#include <string.h>

typedef unsigned __int128 huge; /* products of it do not overflow here */

/* One plan to make, and what came of it. */
struct sample {
    const mw_info *info;
    mw_tuning wish;
    size_t size;
    uint64_t count;
    struct plan plan;
};

/* As many pieces as it takes, and no more. */
static int covers(huge piece, uint64_t pieces, huge keys)
{
    return pieces == (keys + piece - 1) / piece;
}

/* Are there tiles, to be merged at least if keys cannot be dealt? */
static int is_tiled(const struct plan *p)
{
    return p->tuning.engine == MW_ENGINE_TILE || p->tuning.engine == MW_ENGINE_DEAL;
}

static const char *check_tuning(const struct sample *s)
{
    const mw_tuning *const wish = &s->wish;
    const mw_tuning *const t = &s->plan.tuning;
    const struct program_name *const name = &s->plan.program;

    if (t->size != sizeof *t || !t->engine || !t->ways || !t->threads || !t->items ||
        !t->base || (s->count && !t->warps))
        return "a field of the tuning is 0";
    if ((wish->engine && wish->engine != t->engine) ||
        (wish->threads && wish->threads != t->threads) ||
        (wish->items && wish->items != t->items) || (wish->base && wish->base != t->base) ||
        (t->engine == MW_ENGINE_HEAP && wish->warps && wish->warps != t->warps) ||
        (wish->ways && t->ways > wish->ways))
        return "a wish is not followed";
    if (name->engine != (is_tiled(&s->plan) ? MW_ENGINE_TILE : t->engine) ||
        name->bits != (int)(8 * s->size) ||
        name->tile.rows != (is_tiled(&s->plan) ? t->threads : 0) ||
        name->tile.items != (is_tiled(&s->plan) ? t->items : 0) ||
        (s->plan.deal.buckets != 0) != (t->engine == MW_ENGINE_DEAL))
        return "another program";
    return NULL;
}

/* Engine heap's merge: about a task for each warp, in whole blocks of 32 keys. */
static int heap_fits(const struct sample *s, const struct plan_round *r, huge group)
{
    const mw_tuning *const t = &s->plan.tuning;
    const huge tasks = r->groups * (huge)r->pieces;
    const huge last = s->count - (r->groups - 1) * group;
    const huge busy = tasks - r->pieces + (last + r->piece - 1) / r->piece;

    return r->piece % 32 == 0 && busy <= (huge)t->warps + r->groups &&
           (r->blocks == INT32_MAX ||
            covers(t->threads / 32, r->blocks, tasks < t->warps ? tasks : t->warps));
}

static const char *check_round(const struct sample *s, const struct plan_round *r)
{
    const mw_engine engine = s->plan.tuning.engine;
    const huge whole = (huge)r->run * r->ways;
    const huge group = whole < s->count ? whole : s->count;

    if (r->ways < 2 || r->ways & (r->ways - 1) || r->ways > s->plan.tuning.ways)
        return "a round's ways";
    if (!covers(whole, r->groups, s->count) || !covers(r->piece, r->pieces, group) ||
        r->blocks < 1 || r->blocks > INT32_MAX)
        return "a round does not cover its keys";
    if ((engine == MW_ENGINE_HEAP && !heap_fits(s, r, group)) ||
        (is_tiled(&s->plan) && !tile_fits(s->info, &s->plan, r)) ||
        (engine == MW_ENGINE_PAIR && r->blocks != s->plan.base_blocks))
        return "a round's pieces or blocks";
    return NULL;
}

/* Runs grow from the base to the count, and each round is needed. */
static const char *check_rounds(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    const int apart = !is_tiled(p); /* cuts have launches */
    const int first = p->deal.buckets ? DEAL_LAUNCHES : 1;
    const enum kernel_id merge = p->deal.buckets ? KERNEL_DEAL_MERGE : KERNEL_TILE_MERGE;
    kernel_set kernels = 0;
    huge run = p->tuning.base;

    for (uint32_t i = 0; i < p->rounds; i++) {
        const char *const wrong = check_round(s, &p->round[i]);

        if (wrong || p->round[i].run != run || run >= s->count)
            return wrong ? wrong : "a round for nothing";
        run *= p->round[i].ways;
        kernels |= KERNEL_SET(p->round[i].ranked   ? KERNEL_TILE_RANKS
                              : p->round[i].joined ? KERNEL_TILE_JOIN
                                                   : merge);
    }
    if (run < s->count || p->launches != (s->count ? first + p->rounds * (1 + apart) : 0))
        return "too few rounds or launches";
    kernels = apart             ? kernels_of(p->tuning.engine)
              : p->deal.buckets ? kernels | kernels_of(PROGRAM_DEAL)
                                : kernels | KERNEL_SET(KERNEL_TILE_SORT);
    if (s->count ? p->rounds && p->kernels != kernels : p->kernels != 0)
        return "other kernels";
    if (!covers(p->tuning.base, p->base_blocks, s->count) || p->base_blocks > INT32_MAX ||
        p->base_threads > 1024 || p->base_shared > s->info->shared_per_block ||
        p->merge_shared > s->info->shared_per_block ||
        p->base_shared < p->tuning.base * s->size)
        return "the first pass or shared memory";
    return NULL;
}

/* Is [begin, begin + bytes) followed by `next`, at the next multiple of 256 bytes? */
static int adjoins(uint64_t begin, huge bytes, uint64_t next)
{
    return next % 256 == 0 && next >= begin + bytes && next < begin + bytes + 256;
}

/* What engine deal needs lies after what the passes of engine tile do; 1/4 more in all. */
static const char *check_dealt(const struct sample *s)
{
    const struct plan_deal *const d = &s->plan.deal;

    if (d->room_count * s->size > d->head || !adjoins(d->head, 8 * DEAL_HEAD, d->reach) ||
        !adjoins(d->next, 8 * (DEAL_MOST + 1), d->fine) ||
        !adjoins(d->fine, (huge)4 * DEAL_BINS * d->buckets, d->tile_of) ||
        !adjoins(d->tile_next, (huge)8 * DEAL_MOST * d->buckets, d->tiles) ||
        !adjoins(d->tiles, (huge)8 * d->most_tiles, d->frequent) ||
        !adjoins(d->frequent, 8 * DEAL_ROWS * DEAL_FREQUENT, s->plan.workspace_bytes))
        return "the arrays of engine deal";
    if (!s->wish.engine && s->plan.workspace_bytes > s->count * s->size / 4 * 5)
        return "a workspace of more than 1.25 times the keys";
    if (d->buckets > DEAL_MOST || d->samples % DEAL_SAMPLES || d->samples > s->count ||
        d->samples / s->plan.tuning.base > DEAL_THREADS)
        return "buckets or samples";
    return NULL;
}

/* The second array, cuts and samples follow each other without overlap or gap. */
static const char *check_workspace(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    const uint64_t samples = (s->count + TILE_SAMPLE - 1) / TILE_SAMPLE * s->size;
    const uint64_t cuts_end = is_tiled(p) ? p->samples_offset : p->workspace_bytes;
    huge cells = 0;

    for (uint32_t i = 0; i < p->rounds; i++) {
        const struct plan_round *const r = &p->round[i];
        const huge mine = p->tuning.engine == MW_ENGINE_PAIR
                              ? r->blocks
                              : r->groups * (huge)(r->pieces + 1) * r->ways;

        cells = !r->joined && mine > cells ? mine : cells;
    }
    if (p->key_bytes != s->count * s->size || (p->rounds == 0 && p->workspace_bytes))
        return "bytes of keys, or a workspace for nothing";
    if (p->rounds && (!adjoins(0, p->key_bytes, p->cuts_offset) ||
                      !adjoins(p->cuts_offset, 8 * cells, cuts_end)))
        return "the second array or the cuts";
    if (p->rounds && is_tiled(p) &&
        (!adjoins(p->samples_offset, p->rounds > 1 ? samples : 0,
                  p->spare_samples_offset) ||
         !(p->deal.buckets
               ? p->spare_samples_offset + samples <= p->deal.head
               : adjoins(p->spare_samples_offset, samples, p->workspace_bytes))))
        return "the samples";
    return p->deal.buckets ? check_dealt(s) : NULL;
}

/*
 * To wish for what a plan says gives the same plan, and the same program for another
 * count. Engine heap chooses the smallest base that needs no more rounds.
 */
static const char *check_again(const struct sample *s)
{
    mw_tuning half = s->plan.tuning;
    struct program_name but_large = s->plan.program; /* the other count is no large one */
    struct error error;
    struct plan again;

    but_large.tile.large = 0;

    if (plan_check(&s->plan.tuning, &error) != MW_OK ||
        plan_make(&again, &s->plan.tuning, s->info, plan_bare(s->size), s->count, &error) !=
            MW_OK ||
        memcmp(&again.tuning, &s->plan.tuning, sizeof again.tuning) != 0 ||
        again.workspace_bytes != s->plan.workspace_bytes ||
        plan_make(&again, &s->plan.tuning, s->info, plan_bare(s->size), 1 << 20, &error) !=
            MW_OK ||
        !same_program(&again.program, &but_large))
        return "not the same plan again";
    half.base /= 2;
    if (half.engine == MW_ENGINE_HEAP && !s->wish.base && half.base >= 1024 &&
        plan_make(&again, &half, s->info, plan_bare(s->size), s->count, &error) == MW_OK &&
        again.rounds <= s->plan.rounds)
        return "half the base needs no more rounds";
    return NULL;
}

static int plan_fits(const struct sample *s)
{
    const int tally = s->plan.tuning.engine == MW_ENGINE_TALLY;
    const char *const all[] = {check_tuning(s),
                               tally ? check_tally(s->info, &s->plan, s->size, s->count)
                                     : check_rounds(s),
                               tally ? NULL : check_workspace(s), check_again(s)};
    int passed = 1;

    for (size_t i = 0; i < COUNT_OF(all); i++) {
        passed &= !all[i];
        if (all[i])
            tap_note("sm_%u, %llu keys of %zu bytes: %s", s->info->architecture,
                     (unsigned long long)s->count, s->size, all[i]);
    }
    return passed;
}

/* clang-format off */
static const uint64_t counts[] = {
    0, 1, 31, 33, 1024, 1025, 2047, 2049, 4096, 4097, 4352, 4353, 8192, 8193, 16385, 65537,
    98304, 98305, 262144, 262145, 1000003, 1 << 20, 4465000, 13000000, (1 << 26) + 1,
    (UINT64_C(1) << 31) + 12345, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 40,
    (UINT64_C(1) << 41) - 1024,
};
/* clang-format on */

/* Where a wish is followed, the plan keeps the contract. */
static void test_contract(struct tap *tap)
{
    for (size_t w = 0; w < COUNT_OF(wishes); w++) {
        int passed = 1, made = 0;

        for (size_t i = 0; i < COUNT_OF(machines) * COUNT_OF(counts) * 4; i++) {
            struct sample s = {.info = &machines[i / 4 % COUNT_OF(machines)],
                               .wish = wishes[w],
                               .size = (size_t)1 << i % 4,
                               .count = counts[i / 4 / COUNT_OF(machines)]};
            struct error error;

            if (plan_make(&s.plan, &s.wish, s.info, plan_bare(s.size), s.count, &error) ==
                MW_OK) {
                passed &= plan_fits(&s);
                made++;
            } /* what is refused: `outcomes` */
        }
        tap_case(tap, passed && made > (w ? 100 : 1000), "%d plans of wish %zu", made, w);
    }
}

/* Threads x items, blocks of an SM or base of warps, ways of each round; j: joined. */
static void describe(const struct plan *plan, char text[128])
{
    const mw_tuning *const t = &plan->tuning;
    const int tile = t->engine == MW_ENGINE_TILE;
    int used = snprintf(text, 128, "%ux%u, %u of %u:", t->threads, t->items,
                        tile ? plan->program.tile.sort_blocks : t->base,
                        tile ? plan->program.tile.merge_blocks : t->warps);

    for (uint32_t i = 0; i < plan->rounds; i++)
        used += snprintf(text + used, 128 - (size_t)used, " %u%s", plan->round[i].ways,
                         plan->round[i].joined ? "j" : "");
}

/* What the tuning table comes to, also where a row ends, and passes by their costs. */
static void test_table(struct tap *tap)
{
    static const struct {
        int machine;
        mw_engine engine;
        size_t size;
        uint64_t count;
        const char *plan;
    } rows[] = {
        {H200,   MW_ENGINE_TILE, 4, 1024,       "128x8, 0 of 8:"                 },
        {H200,   MW_ENGINE_TILE, 4, 65536,      "256x8, 0 of 0: 32j"             },
        {H200,   MW_ENGINE_TILE, 8, 49152,      "256x8, 0 of 0: 32j"             },
        {H200,   MW_ENGINE_TILE, 4, 98304,      "256x16, 0 of 0: 32j"            },
        {H200,   MW_ENGINE_TILE, 4, 98305,      "256x32, 5 of 4: 16j"            },
        {H200,   MW_ENGINE_TILE, 4, 1 << 20,    "256x32, 5 of 4: 16j 8j"         },
        {SIM,    MW_ENGINE_TILE, 4, 1 << 20,    "256x32, 5 of 4: 16 8"           },
        {H200,   MW_ENGINE_TILE, 4, 1 << 23,    "256x32, 5 of 4: 32 32"          },
        {H200,   MW_ENGINE_TILE, 4, 1 << 26,    "256x32, 5 of 4: 32 16 16"       },
        {H200,   MW_ENGINE_TILE, 4, UINT32_MAX, "256x32, 5 of 4: 16 16 16 16 8"  },
        {H200,   MW_ENGINE_TILE, 4, 4294979641, "256x32, 5 of 4: 16 16 16 16 16" },
        {H200,   MW_ENGINE_TILE, 8, 20000000,   "256x16, 4 of 4: 16 8 8 8"       },
        {A100,   MW_ENGINE_TILE, 8, 4097,       "128x8, 0 of 8: 8j"              },
        {SM_86,  MW_ENGINE_TILE, 4, 1 << 20,    "128x32, 0 of 0: 16j 16j"        },
        {SM_60,  MW_ENGINE_TILE, 8, 1 << 20,    "128x16, 0 of 0: 8 8 8"          },
        {H200,   MW_ENGINE_HEAP, 8, 1 << 20,    "128x32, 4096 of 3696: 16 16"    },
        {H200,   MW_ENGINE_HEAP, 4, 1 << 26,    "128x32, 16384 of 4224: 16 16 16"},
        {SM_60,  MW_ENGINE_HEAP, 4, 8193,       "128x32, 2048 of 640: 8"         },
        {LITTLE, MW_ENGINE_HEAP, 4, 16384,      "128x32, 2048 of 2112: 8"        },
        {LITTLE, MW_ENGINE_HEAP, 8, 16384,      "128x32, 1024 of 2112: 4 4"      },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mw_tuning wish = {.engine = rows[i].engine};
        struct error error = {""};
        char text[128] = "";
        struct plan plan;

        if (plan_make(&plan, &wish, &machines[rows[i].machine], plan_bare(rows[i].size),
                      rows[i].count, &error) == MW_OK)
            describe(&plan, text);
        tap_case(tap, strcmp(text, rows[i].plan) == 0, "%llu keys of %zu bytes: %s, not %s",
                 (unsigned long long)rows[i].count, rows[i].size, rows[i].plan, text);
    }
}

/* clang-format off */
enum { BAD = MW_BAD_ARGUMENT, NOT = MW_UNSUPPORTED };

#define MOST (UINT64_C(1024) * INT32_MAX)
#define MANY (UINT64_C(1) << 32)
#define TILED (UINT64_C(1) << 34)

/* A wish, and the engine it leads to, or the status and a word of the refusal. */
static const struct outcome {
    mw_tuning wish; /* size, engine, ways, warps, threads, items, base */
    int machine;
    size_t size;
    uint64_t count;
    int result;
    const char *word;
} outcomes[] = {
    {{0, MW_ENGINE_AUTO, 8, 0, 0,    0,  0    }, H200,  4, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 5, 0,    0,  0    }, H200,  4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 256,  0,  0    }, H200,  4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    16, 0    }, H200,  8, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  1024 }, H200,  4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  4, MANY - 1, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  4, MANY, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 16, 0, 0,   0,  0    }, H200,  8, TILED, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, SM_60, 8, TILED, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  8, TILED + 1, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 8, 0, 0,    0,  0    }, H200,  4, MANY, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, SM_86, 2, MANY, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_TILE, 2, 0, 0,    0,  0    }, H200,  4, MANY + 1, NOT, "than 2 ways"},
    {{0, MW_ENGINE_TILE, 0, 0, 0,    0,  0    }, H200,  4, TILED + 1, NOT, "2^34"},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  1, MOST, MW_ENGINE_TALLY, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  2, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  2, MANY, MW_ENGINE_TALLY, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, SM_86, 1, MANY, MW_ENGINE_TALLY, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, SM_86, 2, 1 << 20, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 4, 0, 0,    0,  0    }, H200,  1, 1 << 20, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  4, 1 << 26, MW_ENGINE_DEAL, NULL},
    {{0, MW_ENGINE_AUTO, 32, 0, 0,   0,  0    }, H200,  8, 1 << 26, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, SM_86, 8, 1 << 26, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_DEAL, 0, 0, 0,    0,  0    }, H200,  4, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_DEAL, 0, 0, 0,    0,  0    }, H200,  8, 99000, MW_ENGINE_DEAL, NULL},
    {{0, MW_ENGINE_TALLY, 0, 0, 0,   0,  0    }, H200,  2, 1,    MW_ENGINE_TALLY, NULL},
    {{0, MW_ENGINE_TALLY, 0, 0, 1024, 16, 16384}, H200, 1, 1000, MW_ENGINE_TALLY, NULL},
    {{0, MW_ENGINE_TALLY, 0, 0, 0,   0,  0    }, H200,  4, 1000, NOT, "1 and 2 bytes"},
    {{0, MW_ENGINE_TALLY, 0, 0, 0,   0,  0    }, SM_86, 2, 1000, NOT, "shared memory"},
    {{0, MW_ENGINE_TALLY, 0, 0, 512, 0,  0    }, H200,  2, 1000, NOT, "1024 threads"},
    {{0, MW_ENGINE_TILE, 0, 0, 64,   8,  512  }, H200,  4, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_TILE, 0, 0, 0,    0,  8192 }, H200,  4, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_TILE, 0, 0, 512,  32, 0    }, H200,  8, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  8192 }, SM_60, 4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_HEAP, 8, 0, 736,  0,  0    }, SM_60, 4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_HEAP, 2, 1, 1024, 32, 16384}, H200,  4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_HEAP, 32, 1, 32,  0,  1024 }, H200,  4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_PAIR, 2, 0, 256,  17, 4352 }, SM_60, 4, 1000, MW_ENGINE_PAIR, NULL},
    {{0, MW_ENGINE_PAIR, 2, 0, 256,  8,  2048 }, SM_60, 8, 1000, MW_ENGINE_PAIR, NULL},

    {{0, MW_ENGINE_TILE, 0, 0, 512,  32, 0    }, SM_86, 8, 1000, NOT, "shared memory"},
    {{0, MW_ENGINE_TILE, 0, 0, 0,    0,  0    }, H200,  1, MANY, NOT, "2^32"},
    {{0, MW_ENGINE_TILE, 0, 0, 32,   0,  0    }, H200,  4, 1000, NOT, "not 32 of 8"},
    {{0, MW_ENGINE_TILE, 0, 0, 96,   0,  0    }, H200,  4, 1000, NOT, "not 96 of 8"},
    {{0, MW_ENGINE_TILE, 0, 0, 1024, 0,  0    }, H200,  4, 1000, NOT, "not 1024 of 8"},
    {{0, MW_ENGINE_TILE, 0, 0, 128,  0,  8192 }, H200,  4, 1000, NOT, "not 128 of 64"},
    {{0, MW_ENGINE_TILE, 0, 0, 256,  32, 4096 }, H200,  4, 1000, NOT, "8192 and not 4096"},
    {{0, MW_ENGINE_TILE, 0, 0, 0,    0,  0    }, H200,  3, 1000, NOT, "3 bytes"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  0    }, H200, 16, 1000, NOT, "16 bytes"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    16, 0    }, H200,  4, 1000, NOT, "32 items"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  512  }, H200,  4, 1000, NOT, "1024 or more"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  16384}, SM_60, 4, 1000, NOT, "base of 16384"},
    {{0, MW_ENGINE_HEAP, 8, 0, 832,  0,  0    }, SM_60, 4, 1000, NOT, "832 threads"},
    {{0, MW_ENGINE_PAIR, 4, 0, 0,    0,  0    }, H200,  4, 1000, NOT, "has 2 ways"},
    {{0, MW_ENGINE_PAIR, 0, 0, 128,  0,  0    }, H200,  4, 1000, NOT, "has 2 ways"},
    {{0, MW_ENGINE_PAIR, 0, 0, 0,    17, 0    }, H200,  8, 1000, NOT, "has 2 ways"},
    {{0, MW_ENGINE_PAIR, 0, 0, 0,    0,  4096 }, H200,  4, 1000, NOT, "has 2 ways"},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  1, MOST + 1, BAD, "count"},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  1, UINT64_MAX, BAD, "count"},
    {{0, (mw_engine)6,   0, 0, 0,    0,  0    }, H200,  4, 1000, BAD, "no engine"},
    {{0, MW_ENGINE_HEAP, 1, 0, 0,    0,  0    }, H200,  4, 1000, BAD, "tuning: ways"},
    {{0, MW_ENGINE_HEAP, 64, 0, 0,   0,  0    }, H200,  4, 1000, BAD, "tuning: ways"},
    {{0, MW_ENGINE_HEAP, 0, 0, 33,   0,  0    }, H200,  4, 1000, BAD, "tuning: threads"},
    {{0, MW_ENGINE_HEAP, 0, 0, 1056, 0,  0    }, H200,  4, 1000, BAD, "tuning: threads"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    1,  0    }, H200,  4, 1000, BAD, "tuning: a"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    64, 0    }, H200,  4, 1000, BAD, "tuning: a"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  256  }, H200,  4, 1000, BAD, "tuning: base"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  1025 }, H200,  4, 1000, BAD, "tuning: base"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  32768}, H200,  4, 1000, BAD, "tuning: base"},
};
/* clang-format on */

/* What no machine follows, and counts that none can address, are the caller's errors. */
static void test_outcomes(struct tap *tap)
{
    for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
        const struct outcome *const o = &outcomes[i];
        struct error error = {""};
        struct plan plan;
        mw_status status = plan_check(&o->wish, &error);

        if (status == MW_OK)
            status = plan_make(&plan, &o->wish, &machines[o->machine], plan_bare(o->size),
                               o->count, &error);
        tap_case(tap,
                 o->word ? status == (mw_status)o->result && strstr(error.text, o->word)
                         : status == MW_OK && (int)plan.tuning.engine == o->result,
                 "outcome %zu: %s", i, o->word ? error.text : "planned");
    }
}

int main(void)
{
    struct tap tap = {0, 0};

    test_contract(&tap);
    test_table(&tap);
    test_outcomes(&tap);
    return tap_end(&tap);
}
