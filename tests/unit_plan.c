/*
 * unit_plan.c - the plan's arithmetic for engine heap: no round is wasted, pieces
 * cover every group, nothing overflows, limits are kept, wrong wishes are refused.
 */
#include "kernels/launch.h"
#include "plan.h"

#include "tap.h"

#include <string.h>

typedef unsigned __int128 huge; /* what is multiplied here cannot overflow */

/* A machine to plan for. */
static mw_info machine(uint32_t architecture, uint32_t processors, uint64_t shared)
{
    return (mw_info){.size = sizeof(mw_info),
                     .processors = processors,
                     .architecture = architecture,
                     .shared_per_block = shared};
}

/* One plan to make, and what came of it. */
struct sample {
    mw_info info;
    mw_tuning wish;
    size_t size;
    uint64_t count;
    struct plan plan;
};

/* ceil(log_ways(count / base)), by multiplying and not by dividing as the plan does. */
static uint32_t rounds_of(uint64_t count, uint64_t base, uint32_t ways)
{
    uint32_t rounds = 0;

    for (huge covered = base; covered < count; covered *= ways)
        rounds++;
    return rounds;
}

static uint64_t base_bytes(uint64_t base, size_t size)
{
    const uint64_t spare = size < 4 ? 4 / size : 1; /* one word a row */

    return base / 1024 * 32 * (32 + spare) * size;
}

/* The largest base that the tuning table and the machine allow. */
static uint64_t largest_base(const struct sample *s)
{
    static const struct {
        uint32_t arch;
        size_t size;
        uint64_t base;
    } rows[] = {
#define TUNE(arch, size, ways, warps, threads, base) {arch, size, base},
#include "tune.def"
    };
    uint64_t base = 0;

    for (size_t i = 0; i < COUNT_OF(rows) && !base; i++) {
        if (rows[i].arch <= s->info.architecture && rows[i].size == s->size)
            base = rows[i].base;
    }
    while (base > 1024 && base_bytes(base, s->size) > s->info.shared_per_block)
        base /= 2;
    return base;
}

static int wishes_followed(const struct sample *s)
{
    const mw_tuning *const wish = &s->wish;
    const mw_tuning *const t = &s->plan.tuning;

    return t->size == sizeof *t && t->engine == MW_ENGINE_HEAP && t->items == 32 &&
           t->ways && t->warps && t->threads && t->base &&
           (!wish->ways || wish->ways == t->ways) &&
           (!wish->warps || wish->warps == t->warps) &&
           (!wish->threads || wish->threads == t->threads) &&
           (!wish->base || wish->base == t->base);
}

/* As few rounds as the largest base allows, and the least base that needs no more. */
static int no_round_wasted(const struct sample *s)
{
    const mw_tuning *const t = &s->plan.tuning;

    if (s->plan.rounds != rounds_of(s->count, t->base, t->ways) ||
        s->plan.rounds > PLAN_MOST_ROUNDS)
        return 0;
    if (s->wish.base)
        return 1;
    return s->plan.rounds == rounds_of(s->count, largest_base(s), t->ways) &&
           (t->base == 1024 || rounds_of(s->count, t->base / 2, t->ways) > s->plan.rounds);
}

static int launches_fit(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    const mw_tuning *const t = &p->tuning;
    const uint64_t most = INT32_MAX;

    return p->launches == (s->count ? 1 + 2 * p->rounds : 0) &&
           p->base_threads == t->base / 32 && p->base_threads <= heap_base_threads &&
           (huge)p->base_blocks * t->base >= s->count &&
           (huge)p->base_blocks * t->base < (huge)s->count + t->base &&
           p->base_blocks <= most && p->base_shared == base_bytes(t->base, s->size) &&
           p->base_shared <= s->info.shared_per_block &&
           p->merge_shared == t->threads * (2 * t->ways - 1) * s->size &&
           p->merge_shared <= s->info.shared_per_block;
}

/* Keys of group `group` of a round. */
static uint64_t group_keys(const struct sample *s, const struct plan_round *r,
                           uint64_t group)
{
    const huge whole = (huge)r->run * s->plan.tuning.ways;
    const huge left = s->count - group * whole;

    return (uint64_t)(left < whole ? left : whole);
}

/* Tasks that have something to do. */
static uint64_t busy_tasks(const struct sample *s, const struct plan_round *r)
{
    const uint64_t first = (group_keys(s, r, 0) + r->piece - 1) / r->piece;
    const uint64_t last = (group_keys(s, r, r->groups - 1) + r->piece - 1) / r->piece;

    return first * (r->groups - 1) + last;
}

static int round_fits(const struct sample *s, const struct plan_round *r, huge run)
{
    const mw_tuning *const t = &s->plan.tuning;
    const huge whole = run * t->ways;
    const uint64_t tasks = r->groups * r->pieces;
    const uint64_t warps_wanted = tasks < t->warps ? tasks : t->warps;
    const uint64_t warps_a_block = t->threads / 32;

    return r->run == run && r->groups >= 1 && r->groups * whole >= s->count &&
           (r->groups - 1) * whole < s->count && r->piece >= 32 && r->piece % 32 == 0 &&
           (huge)r->piece * r->pieces >= group_keys(s, r, 0) &&
           (huge)r->piece * (r->pieces - 1) < group_keys(s, r, 0) &&
           busy_tasks(s, r) <= (uint64_t)t->warps + r->groups && r->blocks >= 1 &&
           r->blocks <= INT32_MAX &&
           (r->blocks == INT32_MAX || r->blocks * warps_a_block >= warps_wanted) &&
           (r->blocks - 1) * warps_a_block < warps_wanted;
}

static int rounds_fit(const struct sample *s)
{
    huge run = s->plan.tuning.base;

    for (uint32_t i = 0; i < s->plan.rounds; i++, run *= s->plan.tuning.ways) {
        if (!round_fits(s, &s->plan.round[i], run))
            return 0;
    }
    return run >= s->count;
}

static int workspace_fits(const struct sample *s)
{
    const struct plan *const p = &s->plan;
    huge cuts = 0;

    if (p->key_bytes != s->count * s->size)
        return 0;
    if (p->rounds == 0)
        return p->workspace_bytes == 0;
    for (uint32_t i = 0; i < p->rounds; i++) {
        const struct plan_round *const r = &p->round[i];
        const huge wanted = (huge)r->groups * (r->pieces + 1) * p->tuning.ways * 8;

        cuts = wanted > cuts ? wanted : cuts;
    }
    return p->cuts_offset % 256 == 0 && p->cuts_offset >= p->key_bytes &&
           p->cuts_offset < p->key_bytes + 256 &&
           p->workspace_bytes >= p->cuts_offset + cuts &&
           p->workspace_bytes < p->cuts_offset + cuts + 256;
}

static int plan_fits(struct sample *s)
{
    struct error error = {""};
    const mw_status status =
        plan_make(&s->plan, &s->wish, &s->info, s->size, s->count, &error);
    const char *wrong = NULL;

    if (status != MW_OK)
        wrong = error.text;
    else if (!wishes_followed(s))
        wrong = "a wish was not followed or a field left open";
    else if (!no_round_wasted(s))
        wrong = "a wrong number of rounds, or a base larger than needed";
    else if (!launches_fit(s))
        wrong = "a launch does not fit";
    else if (!rounds_fit(s))
        wrong = "a round does not fit";
    else if (!workspace_fits(s))
        wrong = "the workspace does not fit";
    if (wrong)
        tap_note("%llu keys of %zu bytes, ways %u, warps %u, threads %u, base %u: %s",
                 (unsigned long long)s->count, s->size, s->wish.ways, s->wish.warps,
                 s->wish.threads, s->wish.base, wrong);
    return !wrong;
}

/* clang-format off */
static const uint64_t counts[] = {
    0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 2048, 2049, 8191, 8192, 8193, 16384, 16385,
    65536, 65537, 99991, 262144, 262145, 1 << 20, 1000003, (1 << 22) + 1, 1 << 26,
    (UINT64_C(1) << 31) - 1, (UINT64_C(1) << 31) + 12345, (UINT64_C(1) << 32) + 1,
    UINT64_C(1) << 40, (UINT64_C(1) << 41) - 1024,
};
/* clang-format on */
static const uint32_t all_ways[] = {0, 2, 4, 8, 16, 32};
static const uint32_t all_warps[] = {0, 1, 7, 60, 1000, 6336, 100003, UINT32_MAX};
static const uint32_t all_bases[] = {0, 1024, 2048, 4096, 8192, 16384};
static const size_t all_sizes[] = {1, 2, 4, 8};

/* Every count, ways and warps for one size on one machine; the first `bases` bases. */
static int all_fit(const mw_info *info, size_t size, uint32_t threads, size_t bases)
{
    int passed = 1;

    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        for (size_t k = 0; k < COUNT_OF(all_ways); k++) {
            for (size_t w = 0; w < COUNT_OF(all_warps); w++) {
                for (size_t b = 0; b < bases; b++) {
                    struct sample s = {.info = *info,
                                       .wish = MW_TUNING_INIT,
                                       .size = size,
                                       .count = counts[c]};

                    s.wish.engine = MW_ENGINE_HEAP;
                    s.wish.ways = all_ways[k];
                    s.wish.warps = all_warps[w];
                    s.wish.base = all_bases[b];
                    s.wish.threads = threads;
                    passed &= plan_fits(&s);
                }
            }
        }
    }
    return passed;
}

static void test_machines(struct tap *tap)
{
    static const struct {
        const char *name;
        uint32_t architecture;
        uint32_t processors;
        uint64_t shared;
        uint32_t threads;
        size_t bases; /* 1: the default only, others may not fit */
    } rows[] = {
        {"large, default blocks",      90, 132, 227 << 10, 0,  6},
        {"large, one warp a block",    90, 132, 227 << 10, 32, 6},
        {"large, three warps a block", 90, 132, 227 << 10, 96, 6},
        {"smaller, default blocks",    80, 108, 163 << 10, 0,  6},
        {"old, 48 KiB of shared",      70, 40,  48 << 10,  0,  1},
        {"the simulator",              90, 4,   227 << 10, 0,  6},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const mw_info info =
            machine(rows[i].architecture, rows[i].processors, rows[i].shared);

        for (size_t z = 0; z < COUNT_OF(all_sizes); z++)
            tap_case(tap, all_fit(&info, all_sizes[z], rows[i].threads, rows[i].bases),
                     "%s, %zu-byte keys", rows[i].name, all_sizes[z]);
    }
}

static void test_unsupported(struct tap *tap)
{
    static const struct {
        const char *name;
        size_t size;
        uint32_t ways;
        uint32_t threads;
        uint32_t base;
        mw_status status;
    } rows[] = {
        {"a base that just fits",           4, 0,  0,    8192,  MW_OK         },
        {"a base too large",                4, 0,  0,    16384, MW_UNSUPPORTED},
        {"a base too large for wide keys",  8, 0,  0,    8192,  MW_UNSUPPORTED},
        {"a block that just fits",          4, 8,  736,  0,     MW_OK         },
        {"a block too large for its heaps", 4, 8,  832,  0,     MW_UNSUPPORTED},
        {"one warp of 32 ways",             8, 32, 32,   0,     MW_OK         },
        {"a thousand threads of 32 ways",   8, 32, 1024, 0,     MW_UNSUPPORTED},
    };
    const mw_info info = machine(70, 40, 48 << 10);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        mw_tuning wish = MW_TUNING_INIT;
        struct error error = {""};
        struct plan plan;
        mw_status status;

        wish.engine = MW_ENGINE_HEAP;
        wish.ways = rows[i].ways;
        wish.threads = rows[i].threads;
        wish.base = rows[i].base;
        status = plan_make(&plan, &wish, &info, rows[i].size, 1000000, &error);
        tap_ok(tap, status == rows[i].status && (status == MW_OK) == !*error.text,
               rows[i].name, error.text);
    }
}

/* Blocks are numbered by 31 bits; a count that needs more is refused in words. */
static void test_most(struct tap *tap)
{
    static const struct {
        uint64_t count;
        mw_status status;
    } rows[] = {
        {UINT64_C(1024) * INT32_MAX,     MW_OK          },
        {UINT64_C(1024) * INT32_MAX + 1, MW_BAD_ARGUMENT},
        {UINT64_C(1) << 62,              MW_BAD_ARGUMENT},
        {UINT64_MAX,                     MW_BAD_ARGUMENT},
    };
    const mw_info info = machine(90, 132, 227 << 10);
    const mw_tuning wish = MW_TUNING_INIT;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error error = {""};
        struct plan plan;
        const mw_status status = plan_make(&plan, &wish, &info, 1, rows[i].count, &error);

        tap_case(tap, status == rows[i].status && (status == MW_OK) == !*error.text,
                 "%llu keys", (unsigned long long)rows[i].count);
    }
}

/* Each field at and just outside the ends of its range. */
static void test_check(struct tap *tap)
{
    /* clang-format off */
    static const struct {
        mw_tuning tuning; /* size, engine, ways, warps, threads, items, base */
        const char *word; /* in the refusal; NULL if there is none */
    } rows[] = {
        {{0, MW_ENGINE_AUTO, 0,  0,          0,    0,  0    }, NULL},
        {{0, MW_ENGINE_HEAP, 8,  100,        128,  32, 2048 }, NULL},
        {{0, MW_ENGINE_HEAP, 2,  1,          32,   0,  1024 }, NULL},
        {{0, MW_ENGINE_HEAP, 32, UINT32_MAX, 1024, 32, 16384}, NULL},
        {{0, MW_ENGINE_TILE, 16, 0,          256,  16, 4096 }, NULL},
        {{0, MW_ENGINE_TILE, 0,  0,          64,   8,  512  }, NULL},
        {{0, MW_ENGINE_PAIR, 2,  0,          256,  17, 4352 }, NULL},
        {{0, (mw_engine)4,   0,  0,          0,    0,  0    }, "engine"},
        {{0, (mw_engine)99,  0,  0,          0,    0,  0    }, "engine"},
        {{0, MW_ENGINE_HEAP, 1,  0,          0,    0,  0    }, "ways"},
        {{0, MW_ENGINE_HEAP, 3,  0,          0,    0,  0    }, "ways"},
        {{0, MW_ENGINE_HEAP, 33, 0,          0,    0,  0    }, "ways"},
        {{0, MW_ENGINE_HEAP, 64, 0,          0,    0,  0    }, "ways"},
        {{0, MW_ENGINE_HEAP, 1u << 31, 0,    0,    0,  0    }, "ways"},
        {{0, MW_ENGINE_HEAP, 0,  0,          1,    0,  0    }, "threads"},
        {{0, MW_ENGINE_HEAP, 0,  0,          33,   0,  0    }, "threads"},
        {{0, MW_ENGINE_HEAP, 0,  0,          1056, 0,  0    }, "threads"},
        {{0, MW_ENGINE_HEAP, 0,  0,          0,    1,  0    }, "items"},
        {{0, MW_ENGINE_HEAP, 0,  0,          0,    64, 0    }, "items"},
        {{0, MW_ENGINE_HEAP, 0,  0,          0,    0,  1    }, "base"},
        {{0, MW_ENGINE_HEAP, 0,  0,          0,    0,  256  }, "base"},
        {{0, MW_ENGINE_HEAP, 0,  0,          0,    0,  1025 }, "base"},
        {{0, MW_ENGINE_HEAP, 0,  0,          0,    0,  3072 }, "base"},
        {{0, MW_ENGINE_HEAP, 0,  0,          0,    0,  32768}, "base"},
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct error error = {""};
        const mw_status status = plan_check(&rows[i].tuning, &error);

        tap_case(tap,
                 rows[i].word
                     ? status == MW_BAD_ARGUMENT && strstr(error.text, rows[i].word)
                     : status == MW_OK && !*error.text,
                 "tuning %zu: %s", i, rows[i].word ? error.text : "accepted");
    }
}

int main(void)
{
    struct tap tap = {0, 0};

    test_machines(&tap);
    test_unsupported(&tap);
    test_most(&tap);
    test_check(&tap);
    return tap_end(&tap);
}
