/*
 * model_cuts.c - what the merges of engine heap read, to the last request and sector,
 * where lists are cut into pieces. The forecast has only bounds for that, since cuts
 * depend on the keys. But they are unique: here the keys are merged stably and plainly,
 * a piece at a time, and what each piece took from each list says how it is read, on
 * any input, whole or ragged.
 *
 *   model_cuts [percent]
 *
 * `percent` runs so many of the cases only, evenly spread.
 */
#include "context.h"

#include "foretold.h"
#include "tap.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Blocks of 32 keys that a part [first, last) of the array is read in, and their sectors.
 */
static void add_part(uint64_t first, uint64_t last, uint64_t *reads, uint64_t *sectors)
{
    for (; first < last; first += 32) {
        const uint64_t end = last - first < 32 ? last : first + 32;

        *reads += 1;
        *sectors += (4 * end - 1) / 32 - 4 * first / 32 + 1;
    }
}

/* Merge the group at `first`, a piece at a time, and add what it reads. */
static void merge_group(const uint32_t *in, uint32_t *out, uint64_t count, uint64_t first,
                        const struct plan_round *round, uint64_t *reads, uint64_t *sectors)
{
    uint64_t next[32];
    uint64_t last[32];
    uint64_t begun[32];
    uint64_t left = 0;

    for (uint32_t i = 0; i < round->ways; i++) {
        const uint64_t end = first + (i + 1) * round->run;

        next[i] = end - round->run < count ? end - round->run : count;
        last[i] = end < count ? end : count;
        left += last[i] - next[i];
    }
    while (left > 0) {
        const uint64_t piece = left < round->piece ? left : round->piece;

        memcpy(begun, next, sizeof begun);
        for (uint64_t made = 0; made < piece; made++) {
            uint32_t least = 0;

            for (uint32_t i = 0; i < round->ways; i++) {
                if (next[i] < last[i] &&
                    (next[least] == last[least] || in[next[i]] < in[next[least]]))
                    least = i;
            }
            *out++ = in[next[least]++];
        }
        for (uint32_t i = 0; i < round->ways; i++)
            add_part(begun[i], next[i], reads, sectors);
        left -= piece;
    }
}

/* What the merges of this plan read; `keys` and `spare` have `count` keys. */
static void reads_of(const struct plan *plan, uint32_t *keys, uint32_t *spare,
                     uint64_t count, uint64_t *reads, uint64_t *sectors)
{
    const uint64_t base = plan->tuning.base;

    *reads = *sectors = 0;
    for (uint64_t first = 0; first < count; first += base)
        qsort(keys + first, count - first < base ? count - first : base, sizeof *keys,
              by_value);
    for (uint32_t i = 0; i < plan->rounds; i++) {
        const struct plan_round *const round = &plan->round[i];
        uint32_t *const from = keys;

        for (uint64_t at = 0; at < count; at += round->ways * round->run)
            merge_group(keys, spare + at, count, at, round, reads, sectors);
        keys = spare;
        spare = from;
    }
}

static int reads_exact(mw_context *context, const struct trial *t)
{
    uint32_t *const keys = malloc(2 * t->count * sizeof *keys);
    uint64_t reads = 0;
    uint64_t sectors = 0;
    struct words words;
    struct plan plan;
    struct forecast f;
    int passed = keys != NULL &&
                 plan_make(&plan, &t->tuning, &context->info, sizeof *keys, t->count,
                           &words) == MW_OK &&
                 kit_fill(t->type, t->shape, t->seed, keys, t->count) == MW_OK;

    if (passed)
        reads_of(&plan, keys, keys + t->count, t->count, &reads, &sectors);
    free(keys);
    passed = passed && foretold(context, t, &f);
    if (passed && (f.figures[MERGE_READS].counted != reads ||
                   f.figures[MERGE_READ_SECTORS].counted != sectors)) {
        tap_note("%llu reads of %llu sectors, but %llu of %llu by the cuts",
                 (unsigned long long)f.figures[MERGE_READS].counted,
                 (unsigned long long)f.figures[MERGE_READ_SECTORS].counted,
                 (unsigned long long)reads, (unsigned long long)sectors);
        passed = 0;
    }
    return passed;
}

/* Every shape with every number of ways. */
static void test_cuts(struct tap *tap, mw_context *context, int percent)
{
    static const uint64_t counts[] = {16384, 32768, 20011};
    static const uint32_t all_warps[] = {0, 5, 60};
    static const uint32_t all_ways[] = {2, 4, 8, 16, 32};
    char text[SHAPE_TEXT];
    int number = 0;

    for (int shape = 0; trial_shape(shape, text); shape++) {
        for (size_t ways = 0; ways < COUNT_OF(all_ways); ways++, number++) {
            struct trial t = {.type = MW_U32,
                              .shape = text,
                              .seed = (uint64_t)number,
                              .count = counts[number % 3],
                              .tuning = MW_TUNING_INIT};
            char words[TRIAL_TEXT];

            if ((number + 1) * percent / 100 == number * percent / 100)
                continue;
            t.tuning.engine = MW_ENGINE_HEAP;
            t.tuning.ways = all_ways[ways];
            t.tuning.warps = all_warps[number / 2 % 3];
            t.tuning.base = 1024;
            trial_text(&t, words);
            tap_ok(tap, reads_exact(context, &t), "reads by the cuts", words);
        }
    }
}

int main(int count, char **words)
{
    const int percent = count > 1 ? atoi(words[1]) : 100;
    struct tap tap = {0, 0};
    mw_context *context;

    tap_ok(&tap, mw_open(&context, "sim", NULL) == MW_OK, "open", "sim");
    if (tap.failed == 0)
        test_cuts(&tap, context, percent);
    mw_close(context);
    return tap_end(&tap);
}
