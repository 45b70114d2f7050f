/*
 * unit_plan_cover.c - what all sorts of up to some count need: no smaller count's plan
 * asks for more, whatever the wish and the machine.
 */
#include "plan_samples.h"

#include <string.h>

/* One wish for keys of one size on one machine, and what counts up to `most` need. */
struct sample {
    const mw_info *info;
    const mw_tuning *wish;
    size_t size;
    uint64_t most;
    struct plan_cover cover;
};

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

/* A smaller count that is refused needs nothing. */
static int check(const struct sample *s, uint64_t count)
{
    struct error error;
    struct plan plan;

    if (plan_make(&plan, s->wish, s->info, plan_bare(s->size), count, &error) != MW_OK ||
        covers(&s->cover, &plan))
        return 1;
    tap_note("sm_%u, %zu bytes: what %llu keys need does not cover %llu keys: %llu > %llu",
             s->info->architecture, s->size, (unsigned long long)s->most,
             (unsigned long long)count, (unsigned long long)plan.workspace_bytes,
             (unsigned long long)s->cover.workspace_bytes);
    return 0;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return *state >> 20;
}

/* All counts near `most` and some below; `every`: all, the larger ones in steps. */
static int covers_below(struct sample *s, uint64_t most, uint64_t *state, int every)
{
    struct error error = {""};
    struct plan plan;
    const mw_status status =
        plan_cover(&s->cover, s->wish, s->info, plan_bare(s->size), most, &error);
    int passed = 1;

    if (status != plan_make(&plan, s->wish, s->info, plan_bare(s->size), most, &error))
        return 0;
    if (status != MW_OK)
        return 1;
    s->most = most;
    for (uint64_t i = 0; i < 50 && i <= most; i++)
        passed &= check(s, most - i);
    for (int i = 0; i < 100; i++)
        passed &= check(s, next_random(state) % (most + 1));
    for (int shift = 1; most >> shift; shift++)
        passed &= check(s, most >> shift);
    for (uint64_t count = 0; every && count <= most; count += count < 20000 ? 1 : 11)
        passed &= check(s, count);
    return passed;
}

static int sample_passes(struct sample *s)
{
    /* clang-format off */
    /* Where the number of passes changes without the number of levels. */
    static const uint64_t around[] = {
        1, 2048, 8192, 98304, 262144, 13636363, 150000000, 1 << 23, 1u << 31, UINT32_MAX,
        UINT32_MAX + 1ull, 1ull << 34, 1ull << 40};
    /* clang-format on */
    uint64_t state = s->size;
    int passed = s->info > &machines[SIM] || covers_below(s, 200000, &state, 1);

    for (size_t i = 0; i < COUNT_OF(around); i++) {
        passed &= covers_below(s, around[i], &state, 0);
        passed &= covers_below(s, around[i] + around[i] / 100 + 1, &state, 0);
    }
    for (int i = 0; i < 50; i++)
        passed &=
            covers_below(s, next_random(&state) >> next_random(&state) % 44, &state, 0);
    return passed;
}

int main(void)
{
    static const int chosen[] = {H200, SIM, SM_86, SM_75, LITTLE};
    struct tap tap = {0, 0};

    for (size_t w = 0; w < COUNT_OF(wishes); w++) {
        int passed = 1;

        for (size_t i = 0; i < 4 * COUNT_OF(chosen); i++) {
            struct sample s = {.info = &machines[chosen[i / 4]],
                               .wish = &wishes[w],
                               .size = (size_t)1 << i % 4};

            passed &= sample_passes(&s);
        }
        tap_case(&tap, passed, "wish %zu: what a count needs covers smaller counts", w);
    }
    return tap_end(&tap);
}
