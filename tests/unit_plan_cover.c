/*
 * unit_plan_cover.c - what all sorts of up to some count need: no smaller count's plan
 * asks for more, whatever the wish and the machine. And which wishes are accepted.
 */
#include "plan.h"

#include "tap.h"

#include <string.h>

static const mw_info machines[] = {
    {.processors = 132,
     .architecture = 90,
     .shared_per_block = 232448,
     .shared_per_processor = 233472},
    {.processors = 4,
     .architecture = 90,
     .shared_per_block = 232448,
     .shared_per_processor = 233472},
    {.processors = 84,
     .architecture = 86,
     .shared_per_block = 101376,
     .shared_per_processor = 102400},
    {.processors = 40,
     .architecture = 75,
     .shared_per_block = 65536,
     .shared_per_processor = 65536 },
};

/* clang-format off */
static const struct wish {
    const char *name;
    mw_tuning tuning; /* size, engine, ways, warps, threads, items, base */
} wishes[] = {
    {"none",              {0, MW_ENGINE_AUTO, 0,  0,   0,   0,  0   }},
    {"4 ways",            {0, MW_ENGINE_AUTO, 4,  0,   0,   0,  0   }},
    {"8 items",           {0, MW_ENGINE_AUTO, 0,  0,   0,   8,  0   }},
    {"32 items",          {0, MW_ENGINE_AUTO, 0,  0,   0,   32, 0   }},
    {"tile",              {0, MW_ENGINE_TILE, 0,  0,   0,   0,  0   }},
    {"tile, 2 ways",      {0, MW_ENGINE_TILE, 2,  0,   0,   0,  0   }},
    {"tile, 64 threads",  {0, MW_ENGINE_TILE, 32, 0,   64,  0,  0   }},
    {"tile, base 8192",   {0, MW_ENGINE_TILE, 0,  0,   0,   0,  8192}},
    {"heap",              {0, MW_ENGINE_HEAP, 0,  0,   0,   0,  0   }},
    {"heap, 2 ways",      {0, MW_ENGINE_HEAP, 2,  0,   0,   0,  0   }},
    {"heap, 100 warps",   {0, MW_ENGINE_HEAP, 32, 100, 0,   0,  0   }},
    {"heap, 2^32 warps",  {0, MW_ENGINE_HEAP, 4,  -1u, 0,   0,  0   }},
    {"heap, base 4096",   {0, MW_ENGINE_HEAP, 0,  0,   0,   0,  4096}},
    {"heap, 1 warp",      {0, MW_ENGINE_AUTO, 8,  1,   32,  0,  0   }},
    {"pair",              {0, MW_ENGINE_PAIR, 0,  0,   0,   0,  0   }},
};
/* clang-format on */

/* One wish for keys of one size on one machine. */
struct sample {
    const mw_info *info;
    const mw_tuning *wish;
    size_t size;
};

static int make(const struct sample *s, uint64_t count, struct plan *plan)
{
    struct error error = {""};

    return plan_make(plan, s->wish, s->info, s->size, count, &error) == MW_OK;
}

static int covers(const struct plan_cover *cover, const struct plan *plan)
{
    if (plan->workspace_bytes > cover->workspace_bytes)
        return 0;
    for (uint32_t i = 0; i < cover->program_count; i++) {
        const struct plan_program *const p = &cover->program[i];

        if (memcmp(&p->name, &plan->program, sizeof p->name) == 0)
            return (plan->kernels & ~p->kernels) == 0;
    }
    return plan->kernels == 0;
}

static int check(const struct sample *s, const struct plan_cover *cover, uint64_t most,
                 uint64_t count)
{
    struct plan plan;

    if (!make(s, count, &plan) || covers(cover, &plan))
        return 1;
    tap_note("sm_%u, %zu bytes: what %llu keys need does not cover %llu keys: %llu > %llu",
             s->info->architecture, s->size, (unsigned long long)most,
             (unsigned long long)count, (unsigned long long)plan.workspace_bytes,
             (unsigned long long)cover->workspace_bytes);
    return 0;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 20;
}

/* One cover against many smaller counts: all near it, and any below it. */
static int covers_below(const struct sample *s, uint64_t most, uint64_t *state)
{
    struct plan_cover cover;
    struct error error = {""};
    struct plan plan;
    const mw_status status = plan_cover(&cover, s->wish, s->info, s->size, most, &error);
    int passed = 1;

    if (status != plan_make(&plan, s->wish, s->info, s->size, most, &error))
        return 0;
    if (status != MW_OK)
        return 1;
    for (uint64_t i = 0; i < 50 && i <= most; i++)
        passed &= check(s, &cover, most, most - i);
    for (int i = 0; i < 100; i++)
        passed &= check(s, &cover, most, next_random(state) % (most + 1));
    for (int shift = 1; most >> shift; shift++)
        passed &= check(s, &cover, most, most >> shift);
    return passed;
}

/* Every count up to `last`. */
static int covers_all(const struct sample *s, uint64_t last)
{
    struct plan_cover cover;
    struct error error = {""};
    int passed = 1;

    if (plan_cover(&cover, s->wish, s->info, s->size, last, &error) != MW_OK)
        return 1;
    for (uint64_t count = 0; count <= last; count++)
        passed &= check(s, &cover, last, count);
    return passed;
}

static int sample_passes(const struct sample *s)
{
    /* Where the number of passes changes without the number of levels. */
    static const uint64_t around[] = {1,
                                      2048,
                                      8192,
                                      98304,
                                      262144,
                                      13636363,
                                      150000000,
                                      1 << 23,
                                      1u << 31,
                                      UINT32_MAX,
                                      (uint64_t)UINT32_MAX + 1,
                                      (uint64_t)1 << 40};
    uint64_t state = s->size;
    int passed = s->info > &machines[1] || covers_all(s, 200000);

    for (size_t i = 0; i < COUNT_OF(around); i++) {
        passed &= covers_below(s, around[i], &state);
        passed &= covers_below(s, around[i] + around[i] / 100 + 1, &state);
    }
    for (int i = 0; i < 100; i++)
        passed &= covers_below(s, next_random(&state) >> next_random(&state) % 44, &state);
    return passed;
}

static void test_covers(struct tap *tap)
{
    for (size_t w = 0; w < COUNT_OF(wishes); w++) {
        int passed = 1;

        for (size_t m = 0; m < COUNT_OF(machines); m++) {
            for (size_t size = 1; size <= 8; size *= 2) {
                const struct sample s = {&machines[m], &wishes[w].tuning, size};

                passed &= sample_passes(&s);
            }
        }
        tap_ok(tap, passed, wishes[w].name, "");
    }
}

/* clang-format off */
/* Each field at and just outside the ends of its range; a word of the refusal, or NULL. */
static const struct {
    mw_tuning tuning;
    const char *word;
} checks[] = {
    {{0, MW_ENGINE_AUTO, 0,  0,          0,    0,  0    }, NULL},
    {{0, MW_ENGINE_HEAP, 2,  1,          32,   0,  1024 }, NULL},
    {{0, MW_ENGINE_HEAP, 32, UINT32_MAX, 1024, 32, 16384}, NULL},
    {{0, MW_ENGINE_TILE, 0,  0,          64,   8,  512  }, NULL},
    {{0, MW_ENGINE_PAIR, 2,  0,          256,  17, 4352 }, NULL},
    {{0, (mw_engine)4,   0,  0,          0,    0,  0    }, "engine"},
    {{0, MW_ENGINE_HEAP, 1,  0,          0,    0,  0    }, "ways"},
    {{0, MW_ENGINE_HEAP, 33, 0,          0,    0,  0    }, "ways"},
    {{0, MW_ENGINE_HEAP, 0,  0,          33,   0,  0    }, "threads"},
    {{0, MW_ENGINE_HEAP, 0,  0,          1056, 0,  0    }, "threads"},
    {{0, MW_ENGINE_HEAP, 0,  0,          0,    1,  0    }, "items"},
    {{0, MW_ENGINE_HEAP, 0,  0,          0,    64, 0    }, "items"},
    {{0, MW_ENGINE_HEAP, 0,  0,          0,    0,  256  }, "base"},
    {{0, MW_ENGINE_HEAP, 0,  0,          0,    0,  1025 }, "base"},
    {{0, MW_ENGINE_HEAP, 0,  0,          0,    0,  32768}, "base"},
};
/* clang-format on */

static void test_checks(struct tap *tap)
{
    for (size_t i = 0; i < COUNT_OF(checks); i++) {
        const char *const word = checks[i].word;
        struct error error = {""};
        const mw_status status = plan_check(&checks[i].tuning, &error);

        tap_case(tap,
                 word ? status == MW_BAD_ARGUMENT && strstr(error.text, word)
                      : status == MW_OK && !*error.text,
                 "tuning %zu: %s", i, word ? error.text : "accepted");
    }
}

int main(void)
{
    struct tap tap = {0, 0};

    test_covers(&tap);
    test_checks(&tap);
    return tap_end(&tap);
}
