/*
 * claims_pair.c - engine pair conflicts as predicted, counted on the simulator:
 * wavefronts of a warp for one serial merge, on sorted keys, on random ones and on the
 * kit's worst, for the threads and items of CUB. Nothing but searches, serial merges and,
 * for an even number of items, laying out their lists, conflicts. And equal keys keep
 * their order, which kernels compiled with a coarser order show.
 */
#include "claim.h"
#include "kernel/fixture.h"

extern const struct simt_kernel simt_pair_stable_sort_64, simt_pair_stable_cut_64,
    simt_pair_stable_merge_64;

/* Wavefronts of a serial merge, from `low` to `high`. */
static const struct row {
    mw_type type;
    const char *shape;
    double low;
    double high;
} rows[] = {
    {MW_U32, "sorted",                17,  21 },
    {MW_U32, "permutation",           58,  72 },
    {MW_F32, "conflict:17,256",       280, 323},
    {MW_U32, "conflict:17,256,worst", 280, 323},
    {MW_U64, "sorted",                131, 161},
    {MW_I64, "permutation",           51,  63 },
    {MW_U64, "conflict:8,256,worst",  155, 180},
};

enum { TILES = 16, ROUNDS = 4 };

/* Does nothing conflict that should not? */
static int clean(const struct claim *c)
{
    const int even = c->plan.tuning.items % 2 == 0;
    int right = 1;

    for (size_t i = 0; i < c->line_count; i++) {
        const mw_ledger_line *const line = &c->lines[i];

        if (line->access != MW_ACCESS_SERIAL && line->access != MW_ACCESS_SEARCH &&
            !(even && line->access == MW_ACCESS_SCATTER) &&
            line->traffic.shared_wavefronts != line->traffic.shared_ideal)
            right = claim_conflict(line);
    }
    return right;
}

static void test_wavefronts(struct tap *tap, mw_context *context, const struct row *row)
{
    const uint64_t items = mw_type_size(row->type) == 8 ? 8 : 17;
    struct trial t = {.type = row->type,
                      .shape = row->shape,
                      .seed = 3,
                      .count = TILES * 256 * items,
                      .tuning = MW_TUNING_INIT};
    struct claim c;
    mw_traffic reads;
    uint64_t merges; /* serial merges, counted per warp: both first keys, then one a step */
    double each;

    t.tuning.engine = MW_ENGINE_PAIR;
    const int made = claim_make(&c, context, &t);

    reads = claim_sum(&c, "pair_merge", MW_ACCESS_SERIAL, 0);
    merges = reads.shared_requests / (items + 2);
    each = merges ? (double)reads.shared_wavefronts / (double)merges : 0;
    tap_case(
        tap,
        made && clean(&c) && c.plan.rounds == ROUNDS &&
            claim_sum(&c, "pair_", MW_ACCESS_SEARCH, 0).shared_requests > 0 &&
            merges == ROUNDS * TILES * 256 / 32 && each >= row->low && each <= row->high,
        "%s %s: %.1f wavefronts a serial merge", mw_type_name(row->type), row->shape, each);
}

/* Keys that are equal in their upper halves, with their places in the lower ones. */
static int is_stable(struct fixture *f, uint64_t count, uint64_t different)
{
    const uint64_t tiles = divide_up(count, PAIR_TILE(8));
    uint64_t *buffer[2] = {fixture_array(f, count * 8), fixture_array(f, count * 8)};
    wide *const cuts = fixture_array(f, (tiles + 1) * sizeof *cuts);
    const struct pair_sort_args sort = {.in = buffer[0], .out = buffer[0], .count = count};
    int at = 0;
    int stable;

    for (uint64_t i = 0; i < count; i++)
        buffer[0][i] = kit_mix(i + 1) % different << 32 | i;
    stable = fixture_run(f, &simt_pair_stable_sort_64, tiles, PAIR_THREADS, PAIR_SHARED(8),
                         &sort, sizeof sort) == MW_OK;
    for (uint64_t span = 1; stable && span < tiles; span *= 2, at = 1 - at) {
        const struct pair_merge_args merge = {
            .round = {.in = buffer[at],
                      .out = buffer[1 - at],
                      .cuts = cuts,
                      .count = count,
                      .span = span,
                      .tiles = tiles}
        };
        const struct pair_cut_args cut = {merge.round};

        stable = fixture_run(f, &simt_pair_stable_cut_64, divide_up(tiles, 128), 128, 0,
                             &cut, sizeof cut) == MW_OK &&
                 fixture_run(f, &simt_pair_stable_merge_64, tiles, PAIR_THREADS,
                             PAIR_SHARED(8), &merge, sizeof merge) == MW_OK;
    }
    stable = stable && kit_first_disorder(MW_U64, MW_ASCENDING, buffer[at], count) == count;
    fixture_clear(f);
    return stable;
}

static void test_stable(struct tap *tap)
{
    /* clang-format off */
    static const uint64_t cases[][2] = { /* keys, and different ones among them */
        {100, 7}, {2048, 1000}, {2049, 2}, {30011, 1}, {30011, 7},
    };
    /* clang-format on */
    struct fixture f;

    tap_ok(tap, fixture_open(&f), "the simulator opens", f.error.text);
    for (size_t i = 0; f.device && i < COUNT_OF(cases); i++)
        tap_case(tap, is_stable(&f, cases[i][0], cases[i][1]),
                 "stable: %llu keys of %llu values", (wide)cases[i][0], (wide)cases[i][1]);
    fixture_close(&f);
}

int main(void)
{
    struct tap tap = {0, 0};
    mw_context *const context = claim_open(&tap);

    for (size_t i = 0; context && i < COUNT_OF(rows); i++)
        test_wavefronts(&tap, context, &rows[i]);
    mw_close(context);
    test_stable(&tap);
    return tap_end(&tap);
}
