/*
 * model_cuts.c - what the merges of engines heap and pair read, to the last request and
 * sector, where lists are cut into pieces. The forecast has only bounds for that, since
 * cuts depend on the keys. But they are unique: here the keys are merged stably and
 * plainly, a piece at a time, and what each piece took from each list says how it is
 * read, on any input, whole or ragged. (model_tiles.c does so for engine tile.)
 *
 *   model_cuts [percent]
 *
 * `percent` runs so many of the cases only, evenly spread.
 */
#include "backend_device.h"
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

/* What merging reads, worked out. */
struct reads {
    uint64_t requests;
    uint64_t sectors;
};

/* The sectors of the keys [first, last): `*from` up to and without `*to`. */
static uint64_t span(uint64_t first, uint64_t last, uint64_t *from, uint64_t *to)
{
    *from = first * sizeof(uint32_t) / 32;
    *to = first < last ? (last * sizeof(uint32_t) + 31) / 32 : *from;
    return *to - *from;
}

/* Engine heap reads each list's part [first, last) by itself, 32 keys at a time. */
static void add_part(uint64_t first, uint64_t last, struct reads *reads)
{
    for (; first < last; first += 32) {
        uint64_t from;
        uint64_t to;

        reads->requests++;
        reads->sectors += span(first, last - first < 32 ? last : first + 32, &from, &to);
    }
}

/*
 * Engine pair reads two parts one behind the other, 32 keys at a time: some of them
 * of the one and some of the other, which may begin in the sector where the first ends.
 */
static void add_pair(const uint64_t *begun, const uint64_t *next, struct reads *reads)
{
    const uint64_t a_count = next[0] - begun[0];
    const uint64_t count = a_count + next[1] - begun[1];

    for (uint64_t i = 0; i < count; i += 32) {
        const uint64_t end = count - i < 32 ? count : i + 32;
        const uint64_t a_first = i < a_count ? i : a_count;
        const uint64_t a_end = end < a_count ? end : a_count;
        uint64_t a[2];
        uint64_t b[2];

        reads->requests++;
        reads->sectors += span(begun[0] + a_first, begun[0] + a_end, &a[0], &a[1]);
        reads->sectors +=
            span(begun[1] + i - a_first, begun[1] + end - a_end, &b[0], &b[1]);
        reads->sectors -= a[0] < a[1] && b[0] < b[1] && a[1] == b[0] + 1;
    }
}

/* Merge the group at `first`, a piece at a time, and add what it reads. */
static void merge_group(const uint32_t *in, uint32_t *out, uint64_t count, uint64_t first,
                        const struct plan_round *round, mw_engine engine,
                        struct reads *reads)
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
        if (engine == MW_ENGINE_PAIR)
            add_pair(begun, next, reads);
        for (uint32_t i = 0; engine == MW_ENGINE_HEAP && i < round->ways; i++)
            add_part(begun[i], next[i], reads);
        left -= piece;
    }
}

/* What the merges of this plan read; `keys` and `spare` have `count` keys. */
static struct reads reads_of(const struct plan *plan, uint32_t *keys, uint32_t *spare,
                             uint64_t count)
{
    const uint64_t base = plan->tuning.base;
    struct reads reads = {0, 0};

    for (uint64_t first = 0; first < count; first += base)
        qsort(keys + first, count - first < base ? count - first : base, sizeof *keys,
              by_value);
    for (uint32_t i = 0; i < plan->rounds; i++) {
        const struct plan_round *const round = &plan->round[i];
        uint32_t *const from = keys;

        for (uint64_t at = 0; at < count; at += round->ways * round->run)
            merge_group(keys, spare + at, count, at, round, plan->tuning.engine, &reads);
        keys = spare;
        spare = from;
    }
    return reads;
}

static int reads_exact(mw_context *context, const struct trial *t)
{
    uint32_t *const keys = malloc(2 * t->count * sizeof *keys);
    struct reads reads = {0, 0};
    struct error error;
    struct plan plan;
    struct forecast f;
    int passed = keys != NULL &&
                 plan_make(&plan, &t->tuning, &context->backend->info, sizeof *keys, t->count,
                           &error) == MW_OK &&
                 kit_fill(t->type, t->shape, t->seed, keys, t->count) == MW_OK;

    if (passed)
        reads = reads_of(&plan, keys, keys + t->count, t->count);
    free(keys);
    passed = passed && foretold(context, t, &f);
    if (passed && (f.figures[MERGE_READS].counted != reads.requests ||
                   f.figures[MERGE_READ_SECTORS].counted != reads.sectors)) {
        tap_note("%llu reads of %llu sectors, but %llu of %llu by the cuts",
                 (unsigned long long)f.figures[MERGE_READS].counted,
                 (unsigned long long)f.figures[MERGE_READ_SECTORS].counted,
                 (unsigned long long)reads.requests, (unsigned long long)reads.sectors);
        passed = 0;
    }
    return passed;
}

/* Every shape with every number of ways and, as no ways, by engine pair. */
static void test_cuts(struct tap *tap, mw_context *context, int percent)
{
    static const uint64_t counts[] = {16384, 32768, 20011};
    static const uint32_t all_warps[] = {0, 5, 60};
    static const uint32_t all_ways[] = {2, 4, 8, 16, 32, 0};
    char shape[SHAPE_TEXT];
    int number = 0;

    for (int row = 0; trial_shape(row, shape); row++) {
        for (size_t i = 0; i < COUNT_OF(all_ways); i++, number++) {
            const uint32_t ways = all_ways[i];
            struct trial t = {.type = MW_U32,
                              .shape = shape,
                              .seed = (uint64_t)number,
                              .count = counts[(row + i) % 3],
                              .tuning = MW_TUNING_INIT};
            char text[TRIAL_TEXT];

            if ((number + 1) * percent / 100 == number * percent / 100)
                continue;
            t.tuning.engine = ways ? MW_ENGINE_HEAP : MW_ENGINE_PAIR;
            t.tuning.ways = ways;
            t.tuning.warps = ways ? all_warps[number / 2 % 3] : 0;
            t.tuning.base = ways ? 1024 : 0;
            if (!ways && row % 2)
                t.count = 34816; /* whole tiles of it */
            trial_text(&t, text);
            tap_ok(tap, reads_exact(context, &t), "reads by the cuts", text);
        }
    }
}

int main(int count, char **error)
{
    const int percent = count > 1 ? atoi(error[1]) : 100;
    struct tap tap = {0, 0};
    mw_context *context;

    tap_ok(&tap, mw_open(&context, "sim", NULL) == MW_OK, "open", "sim");
    if (tap.failed == 0)
        test_cuts(&tap, context, percent);
    mw_close(context);
    return tap_end(&tap);
}
