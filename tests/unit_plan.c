/*
 * unit_plan.c - plans keep their contract for any count, wish and machine: wishes are
 * followed, rounds cover the keys and none is wasted, launches fit the device, the parts
 * of the workspace do not overlap. What the tuning table comes to, and what is refused.
 */
#include "plan.h"

#include "tap.h"

#include <string.h>

typedef unsigned __int128 huge; /* products of it do not overflow here */

#define MACHINE(arch, count, block, processor)                                       \
    {                                                                                \
        .size = sizeof(mw_info), .processors = count, .architecture = arch,          \
        .shared_per_block = (block) << 10, .shared_per_processor = (processor) << 10 \
    }

enum { H200, SIM, A100, SM_86, SM_60, LITTLE };

static const mw_info machines[] = {
    [H200] = MACHINE(90, 132, 227, 228),
    [SIM] = MACHINE(90, 4, 227, 228),
    [A100] = MACHINE(80, 108, 163, 164),
    [SM_86] = MACHINE(86, 84, 99, 100),
    [SM_60] = MACHINE(60, 40, 48, 64),
    [LITTLE] = MACHINE(90, 132, 48, 64), /* less shared memory than its rows expect */
    MACHINE(120, 170, 99, 100),
    MACHINE(103, 160, 227, 228),
    MACHINE(75, 40, 64, 64),
};

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
    if (name->engine != t->engine || name->bits != (int)(8 * s->size) ||
        name->tile.rows != (t->engine == MW_ENGINE_TILE ? t->threads : 0) ||
        name->tile.items != (t->engine == MW_ENGINE_TILE ? t->items : 0))
        return "another program";
    return NULL;
}

/* Engine heap's merge: tasks for all warps, in whole blocks of 32 keys. */
static int heap_fits(const struct sample *s, const struct plan_round *r, huge group)
{
    const mw_tuning *const t = &s->plan.tuning;
    const uint64_t tasks = r->groups * r->pieces;
    const uint64_t warps = tasks < t->warps ? tasks : t->warps;
    const huge last = s->count - (r->groups - 1) * group;
    const huge busy = (r->groups - 1) * (huge)r->pieces + (last + r->piece - 1) / r->piece;

    return r->piece % 32 == 0 && busy <= (huge)t->warps + r->groups &&
           (r->blocks == INT32_MAX || covers(t->threads / 32, r->blocks, warps));
}

/*
 * Engine tile's: a piece fits a tile even if both cuts are off by all their slack and
 * each pair of lists ends with an almost empty row; there is a warp for each cut.
 */
static int tile_fits(const struct sample *s, const struct plan_round *r)
{
    const struct tile_geometry *const tile = &s->plan.program.tile;
    const uint64_t keys = (uint64_t)tile->rows * tile->items;
    const uint64_t warps = tile->rows / 32;
    const uint64_t at_once = (uint64_t)PLAN_JOINED_EACH * s->info->processors;
    const uint64_t joined = at_once > PLAN_MOST_JOINED ? at_once : PLAN_MOST_JOINED;

    return r->piece + 2 * TILE_SLACK((int)keys) + r->ways / 2 * (tile->items - 1) <= keys &&
           r->piece > keys / 2 && r->run % TILE_SAMPLE == 0 &&
           r->blocks == r->groups * r->pieces && r->joined == (r->blocks <= joined) &&
           r->blocks + r->cutters <= INT32_MAX &&
           covers(warps, r->cutters, r->groups * (r->pieces + 1)) && r->ahead &&
           (r->ahead == r->cutters ||
            covers(warps, r->ahead, PLAN_AHEAD_EACH * s->info->processors));
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
        (engine == MW_ENGINE_TILE && !tile_fits(s, r)) ||
        (engine == MW_ENGINE_PAIR && r->blocks != s->plan.base_blocks))
        return "a round's pieces or blocks";
    return NULL;
}

/* Runs grow from the base to the count, and each round is needed. */
static const char *check_rounds(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    const int apart = p->tuning.engine != MW_ENGINE_TILE; /* cuts have launches */
    uint32_t kernels = 0;
    huge run = p->tuning.base;

    for (uint32_t i = 0; i < p->rounds; i++) {
        const char *const wrong = check_round(s, &p->round[i]);

        if (wrong || p->round[i].run != run || run >= s->count)
            return wrong ? wrong : "a round for nothing";
        run *= p->round[i].ways;
        kernels |= p->round[i].joined ? 1u << KERNEL_TILE_JOIN : 1u << KERNEL_TILE_MERGE;
    }
    if (run < s->count || p->launches != (s->count ? 1 + p->rounds * (1 + apart) : 0))
        return "too few rounds or launches";
    kernels = apart ? kernels_of(p->tuning.engine) : kernels | 1u << KERNEL_TILE_SORT;
    if (s->count ? p->rounds && p->kernels != kernels : p->kernels != 0)
        return "other kernels";
    if (!covers(p->tuning.base, p->base_blocks, s->count) || p->base_blocks > INT32_MAX ||
        p->base_threads > 1024 || p->base_shared > s->info->shared_per_block ||
        p->merge_shared > s->info->shared_per_block ||
        p->base_shared < p->tuning.base * s->size)
        return "the first pass or shared memory";
    return NULL;
}

/* The parts follow each other, each at a multiple of 256 bytes, with no gap of more. */
static const char *check_workspace(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    const int tile = p->tuning.engine == MW_ENGINE_TILE;
    const uint64_t samples = tile ? (s->count + 31) / 32 * s->size : 0;
    huge cells = 0;

    for (uint32_t i = 0; i < p->rounds; i++) {
        const struct plan_round *const r = &p->round[i];
        const huge rows = (huge)r->groups * (r->pieces + 1);
        const huge mine = p->tuning.engine == MW_ENGINE_PAIR ? r->blocks
                          : r->joined                        ? 0
                                                             : rows * r->ways;

        cells = mine > cells ? mine : cells;
    }

    const struct {
        uint64_t begin;
        huge bytes;
    } parts[] = {
        {0,                       p->key_bytes               },
        {p->cuts_offset,          8 * cells                  },
        {p->samples_offset,       p->rounds > 1 ? samples : 0},
        {p->spare_samples_offset, samples                    },
        {p->workspace_bytes,      0                          },
    };

    if (p->key_bytes != s->count * s->size || (p->rounds == 0 && p->workspace_bytes))
        return "bytes of keys, or a workspace for nothing";
    for (size_t i = 0, next = 1; i + 1 < COUNT_OF(parts) && p->rounds; i = next++) {
        next += !tile && next == 2 ? 2 : 0; /* only engine tile has samples */
        const huge end = parts[i].begin + parts[i].bytes;

        if (parts[next].begin % 256 || parts[next].begin < end ||
            parts[next].begin >= end + 256)
            return "a part of the workspace";
    }
    return NULL;
}

/* To wish for what a plan says gives the same plan. */
static const char *check_again(const struct sample *s)
{
    struct error error;
    struct plan again;

    if (plan_check(&s->plan.tuning, &error) != MW_OK ||
        plan_make(&again, &s->plan.tuning, s->info, s->size, s->count, &error) != MW_OK ||
        memcmp(&again.tuning, &s->plan.tuning, sizeof again.tuning) != 0 ||
        memcmp(&again.program, &s->plan.program, sizeof again.program) != 0 ||
        again.workspace_bytes != s->plan.workspace_bytes)
        return "not the same plan again";
    return NULL;
}

static int plan_fits(struct sample *s)
{
    struct error error = {""};
    const mw_status status =
        plan_make(&s->plan, &s->wish, s->info, s->size, s->count, &error);
    const char *wrong = status == MW_OK ? check_tuning(s) : error.text;

    wrong = wrong ? wrong : check_rounds(s);
    wrong = wrong ? wrong : check_workspace(s);
    wrong = wrong ? wrong : check_again(s);
    if (wrong)
        tap_note("sm_%u: %llu keys of %zu bytes, engine %d, ways %u, warps %u, threads %u, "
                 "items %u, base %u: %s",
                 s->info->architecture, (unsigned long long)s->count, s->size,
                 (int)s->wish.engine, s->wish.ways, s->wish.warps, s->wish.threads,
                 s->wish.items, s->wish.base, wrong);
    return !wrong;
}

/* clang-format off */
static const uint64_t counts[] = {
    0, 1, 31, 33, 1024, 1025, 2047, 2049, 4096, 4097, 4352, 4353, 8192, 8193, 16385, 65537,
    98304, 98305, 262144, 262145, 1000003, 1 << 20, 4465000, 13000000, (1 << 26) + 1,
    (UINT64_C(1) << 31) + 12345, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 40,
    (UINT64_C(1) << 41) - 1024,
};

/* Wishes that some machine and size follow. */
static const mw_tuning wishes[] = { /* size, engine, ways, warps, threads, items, base */
    {0, MW_ENGINE_AUTO, 0,  0,          0,    0,  0    },
    {0, MW_ENGINE_TILE, 0,  0,          0,    0,  0    },
    {0, MW_ENGINE_TILE, 2,  5,          0,    0,  0    },
    {0, MW_ENGINE_TILE, 8,  0,          64,   0,  0    },
    {0, MW_ENGINE_TILE, 32, 0,          512,  8,  0    },
    {0, MW_ENGINE_TILE, 16, 0,          0,    16, 0    },
    {0, MW_ENGINE_TILE, 0,  0,          0,    0,  2048 },
    {0, MW_ENGINE_TILE, 0,  0,          128,  32, 4096 },
    {0, MW_ENGINE_HEAP, 0,  0,          0,    0,  0    },
    {0, MW_ENGINE_HEAP, 2,  1,          0,    32, 0    },
    {0, MW_ENGINE_HEAP, 4,  7,          32,   0,  0    },
    {0, MW_ENGINE_HEAP, 32, 100003,     96,   0,  1024 },
    {0, MW_ENGINE_HEAP, 8,  UINT32_MAX, 0,    0,  4096 },
    {0, MW_ENGINE_HEAP, 16, 6336,       128,  0,  16384},
    {0, MW_ENGINE_PAIR, 0,  0,          0,    0,  0    },
    {0, MW_ENGINE_PAIR, 2,  5,          256,  0,  0    },
};
/* clang-format on */

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
            struct plan plan;

            if (s.info->shared_per_block < 200 << 10 && w % 8 && s.wish.engine &&
                plan_make(&plan, &s.wish, s.info, s.size, s.count, &error) != MW_OK)
                continue; /* test_refusals has what small machines refuse */
            if (s.wish.engine == MW_ENGINE_TILE && s.count > UINT32_MAX)
                continue;
            passed &= plan_fits(&s);
            made++;
        }
        tap_case(tap, passed && made > 100, "%d plans of wish %zu", made, w);
    }
}

/* Threads x items (blocks of an SM), base of warps, ways of each round; j: joined. */
static void describe(const struct plan *plan, char *text, size_t bytes)
{
    const struct tile_geometry *const tile = &plan->program.tile;
    int used = snprintf(text, bytes, "%ux%u", plan->tuning.threads, plan->tuning.items);

    if (plan->tuning.engine == MW_ENGINE_TILE)
        used += snprintf(text + used, bytes - (size_t)used, " (%u, %u)", tile->sort_blocks,
                         tile->merge_blocks);
    else
        used += snprintf(text + used, bytes - (size_t)used, " %u", plan->tuning.base);
    if (plan->tuning.engine == MW_ENGINE_HEAP)
        used += snprintf(text + used, bytes - (size_t)used, " of %u", plan->tuning.warps);
    for (uint32_t i = 0; i < plan->rounds; i++)
        used += snprintf(text + used, bytes - (size_t)used, " %u%s", plan->round[i].ways,
                         plan->round[i].joined ? "j" : "");
}

/*
 * What the tuning table comes to: geometry by machine, size and count, also where a row
 * ends; passes by their costs; the smallest base that needs no more rounds.
 */
static void test_table(struct tap *tap)
{
    static const struct {
        int machine;
        mw_engine engine;
        size_t size;
        uint64_t count;
        const char *plan;
    } rows[] = {
        {H200,   MW_ENGINE_TILE, 4, 2048,       "64x32 (0, 0)"                 },
        {H200,   MW_ENGINE_TILE, 4, 2049,       "128x32 (0, 0)"                },
        {H200,   MW_ENGINE_TILE, 4, 8192,       "256x32 (5, 4)"                },
        {H200,   MW_ENGINE_TILE, 4, 8193,       "128x32 (0, 0) 4j"             },
        {H200,   MW_ENGINE_TILE, 4, 98304,      "128x32 (0, 0) 32j"            },
        {H200,   MW_ENGINE_TILE, 4, 98305,      "256x32 (5, 4) 16j"            },
        {H200,   MW_ENGINE_TILE, 4, 1 << 20,    "256x32 (5, 4) 16j 8j"         },
        {SIM,    MW_ENGINE_TILE, 4, 1 << 20,    "256x32 (5, 4) 16 8"           },
        {H200,   MW_ENGINE_TILE, 4, 1 << 23,    "256x32 (5, 4) 32 32"          },
        {H200,   MW_ENGINE_TILE, 4, 1 << 26,    "256x32 (5, 4) 32 16 16"       },
        {H200,   MW_ENGINE_TILE, 4, UINT32_MAX, "256x32 (5, 4) 16 16 16 16 8"  },
        {H200,   MW_ENGINE_TILE, 8, 2048,       "128x16 (0, 0)"                },
        {H200,   MW_ENGINE_TILE, 8, 49152,      "128x16 (0, 0) 32j"            },
        {H200,   MW_ENGINE_TILE, 8, 49153,      "256x16 (4, 4) 16j"            },
        {H200,   MW_ENGINE_TILE, 8, 20000000,   "256x16 (4, 4) 16 8 8 8"       },
        {H200,   MW_ENGINE_TILE, 1, 1 << 23,    "256x32 (5, 4) 16 8 8"         },
        {A100,   MW_ENGINE_TILE, 8, 4097,       "256x16 (4, 4) 2j"             },
        {SM_86,  MW_ENGINE_TILE, 4, 1 << 20,    "128x32 (0, 0) 16j 16j"        },
        {SM_60,  MW_ENGINE_TILE, 8, 1 << 20,    "128x16 (0, 0) 8 8 8"          },
        {H200,   MW_ENGINE_HEAP, 4, 16384,      "128x32 16384 of 4224"         },
        {H200,   MW_ENGINE_HEAP, 4, 1 << 20,    "128x32 4096 of 4224 16 16"    },
        {H200,   MW_ENGINE_HEAP, 4, 1 << 26,    "128x32 16384 of 4224 16 16 16"},
        {SM_60,  MW_ENGINE_HEAP, 4, 8193,       "128x32 2048 of 640 8"         },
        {SM_60,  MW_ENGINE_HEAP, 8, 98304,      "128x32 2048 of 640 4 4 4"     },
        {H200,   MW_ENGINE_HEAP, 4, 1000,       "128x32 1024 of 4224"          },
        {H200,   MW_ENGINE_HEAP, 8, 1 << 20,    "128x32 4096 of 3696 16 16"    },
        {LITTLE, MW_ENGINE_HEAP, 4, 16384,      "128x32 1024 of 4224 16"       },
        {H200,   MW_ENGINE_PAIR, 4, 100000,     "256x17 4352 2 2 2 2 2"        },
        {H200,   MW_ENGINE_PAIR, 8, 2049,       "256x8 2048 2"                 },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mw_tuning wish = {.engine = rows[i].engine};
        struct error error = {""};
        char text[128] = "";
        struct plan plan;

        if (plan_make(&plan, &wish, &machines[rows[i].machine], rows[i].size, rows[i].count,
                      &error) == MW_OK)
            describe(&plan, text, sizeof text);
        tap_case(tap, strcmp(text, rows[i].plan) == 0, "%llu keys of %zu bytes: %s, not %s",
                 (unsigned long long)rows[i].count, rows[i].size, rows[i].plan, text);
    }
}

/* clang-format off */
/* The engine that a wish leads to; or words of the refusal. */
static const struct {
    mw_tuning wish; /* size, engine, ways, warps, threads, items, base */
    int machine;
    size_t size;
    uint64_t count;
    mw_engine engine;
    const char *words;
} outcomes[] = {
    {{0, MW_ENGINE_AUTO, 8, 0, 0,    0,  0    }, H200,  4, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 5, 0,    0,  0    }, H200,  4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 256,  0,  0    }, H200,  4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    16, 0    }, H200,  8, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  1024 }, H200,  4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  4, UINT32_MAX, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  4, UINT64_C(1) << 32, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_TILE, 0, 0, 512,  32, 0    }, H200,  8, 1000, MW_ENGINE_TILE, NULL},
    {{0, MW_ENGINE_TILE, 0, 0, 512,  32, 0    }, SM_86, 8, 1000, 0, "shared memory"},
    {{0, MW_ENGINE_TILE, 0, 0, 0,    0,  0    }, H200,  1, UINT64_C(1) << 32, 0, "2^32"},
    {{0, MW_ENGINE_TILE, 0, 0, 32,   0,  0    }, H200,  4, 1000, 0, "not 32 of 32"},
    {{0, MW_ENGINE_TILE, 0, 0, 96,   0,  0    }, H200,  4, 1000, 0, "not 96 of 32"},
    {{0, MW_ENGINE_TILE, 0, 0, 128,  0,  8192 }, H200,  4, 1000, 0, "not 128 of 64"},
    {{0, MW_ENGINE_TILE, 0, 0, 256,  32, 4096 }, H200,  4, 1000, 0, "8192 and not 4096"},
    {{0, MW_ENGINE_TILE, 0, 0, 0,    0,  0    }, H200,  3, 1000, 0, "3 bytes"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  0    }, H200, 16, 1000, 0, "16 bytes"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    16, 0    }, H200,  4, 1000, 0, "32 items"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  512  }, H200,  4, 1000, 0, "1024 or more"},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  8192 }, SM_60, 4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_HEAP, 0, 0, 0,    0,  16384}, SM_60, 4, 1000, 0, "base of 16384"},
    {{0, MW_ENGINE_HEAP, 8, 0, 736,  0,  0    }, SM_60, 4, 1000, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_HEAP, 8, 0, 832,  0,  0    }, SM_60, 4, 1000, 0, "832 threads"},
    {{0, MW_ENGINE_PAIR, 2, 0, 256,  17, 4352 }, SM_60, 4, 1000, MW_ENGINE_PAIR, NULL},
    {{0, MW_ENGINE_PAIR, 2, 0, 256,  8,  2048 }, SM_60, 8, 1000, MW_ENGINE_PAIR, NULL},
    {{0, MW_ENGINE_PAIR, 4, 0, 0,    0,  0    }, H200,  4, 1000, 0, "engine pair has 2 ways"},
    {{0, MW_ENGINE_PAIR, 0, 0, 0,    17, 0    }, H200,  8, 1000, 0, "engine pair has 2 ways"},
    {{0, MW_ENGINE_PAIR, 0, 0, 0,    0,  4096 }, H200,  4, 1000, 0, "engine pair has 2 ways"},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  1, UINT64_C(1024) * INT32_MAX, MW_ENGINE_HEAP, NULL},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  1, UINT64_C(1024) * INT32_MAX + 1, 0, "beyond"},
    {{0, MW_ENGINE_AUTO, 0, 0, 0,    0,  0    }, H200,  1, UINT64_MAX, 0, "beyond"},
};
/* clang-format on */

static void test_refusals(struct tap *tap)
{
    for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
        const char *const words = outcomes[i].words;
        const int most = words && strcmp(words, "beyond") == 0;
        const mw_status refusal = most ? MW_BAD_ARGUMENT : MW_UNSUPPORTED;
        struct error error = {""};
        struct plan plan;
        const mw_status status =
            plan_make(&plan, &outcomes[i].wish, &machines[outcomes[i].machine],
                      outcomes[i].size, outcomes[i].count, &error);

        tap_case(tap,
                 words ? status == refusal && strstr(error.text, words)
                       : status == MW_OK && plan.tuning.engine == outcomes[i].engine,
                 "outcome %zu: %s", i, words ? error.text : "planned");
    }
}

/* The blocks of a geometry do not depend on how it came to be chosen. */
static void test_blocks(struct tap *tap)
{
    const mw_tuning none = {.engine = MW_ENGINE_TILE};
    const mw_tuning same = {.engine = MW_ENGINE_TILE, .threads = 128, .items = 32};
    struct error error = {""};
    struct plan chosen, wished;

    tap_ok(tap,
           plan_make(&chosen, &none, &machines[H200], 4, 3000, &error) == MW_OK &&
               plan_make(&wished, &same, &machines[H200], 4, 1 << 20, &error) == MW_OK &&
               memcmp(&chosen.program, &wished.program, sizeof chosen.program) == 0,
           "a geometry chosen and wished for is one program", error.text);
}

int main(void)
{
    struct tap tap = {0, 0};

    test_contract(&tap);
    test_table(&tap);
    test_refusals(&tap);
    test_blocks(&tap);
    return tap_end(&tap);
}
