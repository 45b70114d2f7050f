/*
 * pair_claims.c - engine pair conflicts as predicted, counted on the simulator:
 * wavefronts of a warp for one serial merge in pair_merge, on sorted keys, on
 * random ones and on the kit's worst, for the threads and items of CUB (4- and
 * 8-byte keys) and for 512 threads of 15. Nothing but searches, serial merges and,
 * for an even number of items, laying out their lists, conflicts. And equal keys
 * keep their order.
 */
#include "kernels/launch.h"
#include "sim_kernels/bench.h"

#include "kit.h"
#include "tap.h"

#include <stdlib.h>

extern const struct simt_kernel simt_pair_sort_32, simt_pair_cut_32, simt_pair_merge_32;
extern const struct simt_kernel simt_pair_sort_64, simt_pair_cut_64, simt_pair_merge_64;
extern const struct simt_kernel simt_pair_15_sort_32, simt_pair_15_cut_32,
    simt_pair_15_merge_32;
extern const struct simt_kernel simt_pair_stable_sort_64, simt_pair_stable_cut_64,
    simt_pair_stable_merge_64;

/* An engine pair with its threads and items. */
static const struct variant {
    const struct simt_kernel *sort;
    const struct simt_kernel *cut;
    const struct simt_kernel *merge;
    mw_type type;
    uint32_t items;
    uint32_t threads;
} variants[] = {
    {&simt_pair_sort_32,    &simt_pair_cut_32,    &simt_pair_merge_32,    MW_U32, 17, 256},
    {&simt_pair_15_sort_32, &simt_pair_15_cut_32, &simt_pair_15_merge_32, MW_F32, 15, 512},
    {&simt_pair_sort_64,    &simt_pair_cut_64,    &simt_pair_merge_64,    MW_U64, 8,  256},
};

/* What came of a sort. */
struct found {
    int sorted;
    uint64_t merges;     /* serial merges, once a warp */
    uint64_t wavefronts; /* of them */
    uint64_t searches;   /* requests */
    int clean;           /* no conflict where there should be none */
};

static mw_status launch(struct bench *b, const struct simt_kernel *kernel, uint64_t blocks,
                        uint32_t threads, uint32_t shared_bytes, const void *args,
                        size_t args_bytes)
{
    const struct machine_launch what = {kernel,       blocks, threads,
                                        shared_bytes, args,   args_bytes};

    return sim_launch_function(b->device, &what);
}

/* The passes, from buffer[0]; *at says in which the sorted keys are. */
static mw_status sort_on(struct bench *b, const struct variant *v, void *buffer[2],
                         wide *cuts, uint64_t count, int *at)
{
    const uint64_t tile = (uint64_t)v->items * v->threads;
    const uint64_t tiles = (count + tile - 1) / tile;
    const uint32_t size = (uint32_t)mw_type_size(v->type);
    const uint32_t pads = v->items % 2 ? 0 : (uint32_t)tile / (128 / size);
    const uint32_t shared_bytes = ((uint32_t)tile + pads + 1) * size;
    const struct pair_sort_args sort_args = {
        .in = buffer[0], .out = buffer[0], .count = count};
    mw_status status;

    TRY(launch(b, v->sort, tiles, v->threads, shared_bytes, &sort_args, sizeof sort_args));
    for (uint64_t span = 1; span < tiles; span *= 2, *at = 1 - *at) {
        const struct pair_round round = {.in = buffer[*at],
                                         .out = buffer[1 - *at],
                                         .cuts = cuts,
                                         .count = count,
                                         .span = span,
                                         .tiles = tiles};
        const struct pair_cut_args cut_args = {round};
        const struct pair_merge_args merge_args = {.round = round};

        TRY(launch(b, v->cut, (tiles + 127) / 128, 128, 0, &cut_args, sizeof cut_args));
        TRY(launch(b, v->merge, tiles, v->threads, shared_bytes, &merge_args,
                   sizeof merge_args));
    }
done:
    return status;
}

/* Even items lay out lists in strides that share banks. */
static int may_conflict(const struct variant *v, const mw_ledger_line *line)
{
    return v->items % 2 == 0 && line->access == MW_ACCESS_SCATTER;
}

static void read_ledger(struct bench *b, const struct variant *v, struct found *found)
{
    const mw_ledger_line *lines;
    uint64_t reads = 0;
    size_t count = 0;

    b->device->verbs->ledger(b->device, &lines, &count);
    found->clean = 1;
    for (size_t i = 0; i < count; i++) {
        const mw_traffic *const t = &lines[i].traffic;
        const int in_merge = strcmp(lines[i].kernel, "pair_merge") == 0;

        if (lines[i].access == MW_ACCESS_SERIAL) {
            found->wavefronts += in_merge ? t->shared_wavefronts : 0;
            reads += in_merge ? t->shared_requests : 0;
        } else if (lines[i].access == MW_ACCESS_SEARCH) {
            found->searches += t->shared_requests;
        } else if (t->shared_wavefronts != t->shared_ideal && !may_conflict(v, &lines[i])) {
            tap_note("%s:%d conflicts: %s", lines[i].file, lines[i].line, lines[i].text);
            found->clean = 0;
        }
    }
    found->merges = reads / (v->items + 2); /* both first keys, then one a step */
}

/* The keys of these shapes are the numbers from 0 on, so each is its own place. */
static int is_counting(mw_type type, const char *keys, uint64_t count)
{
    char *const wanted = malloc(count * mw_type_size(type));
    const int yes = wanted && kit_fill(type, "sorted", 0, wanted, count) == MW_OK &&
                    memcmp(wanted, keys, count * mw_type_size(type)) == 0;

    free(wanted);
    return yes;
}

static struct found try_shape(struct bench *b, const struct variant *v, const char *shape,
                              uint64_t count)
{
    const uint64_t bytes = count * mw_type_size(v->type);
    void *buffer[2] = {bench_alloc(b, bytes), bench_alloc(b, bytes)};
    wide *const cuts = bench_alloc(b, (count / 1024 + 2) * sizeof *cuts);
    struct found found = {0, 0, 0, 0, 0};
    int at = 0;

    if (buffer[0] && buffer[1] && cuts &&
        kit_fill(v->type, shape, 3, buffer[0], count) == MW_OK) {
        bench_reset(b);
        if (sort_on(b, v, buffer, cuts, count, &at) == MW_OK)
            found.sorted = is_counting(v->type, buffer[at], count);
        else
            tap_note("%s", b->error.text);
        read_ledger(b, v, &found);
    }
    b->device->verbs->free(b->device, cuts);
    b->device->verbs->free(b->device, buffer[1]);
    b->device->verbs->free(b->device, buffer[0]);
    return found;
}

/* Bars: within a tenth of what is expected, or at least so many. */
static void test_wavefronts(struct tap *tap, struct bench *b)
{
    static const struct {
        int variant;
        const char *shape;
        double low;
        double high;
    } rows[] = {
        {0, "sorted",                19 * 0.9,  19 * 1.1 },
        {0, "permutation",           65 * 0.9,  65 * 1.1 },
        {0, "conflict:17,256",       280,       323      },
        {0, "conflict:17,256,worst", 280,       323      },
        {1, "sorted",                17 * 0.9,  17 * 1.1 },
        {1, "permutation",           58 * 0.9,  58 * 1.1 },
        {1, "conflict:15,512,worst", 225,       255      },
        {2, "sorted",                146 * 0.9, 146 * 1.1},
        {2, "permutation",           57 * 0.9,  57 * 1.1 },
        {2, "conflict:8,256,worst",  155,       180      },
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct variant *const v = &variants[rows[i].variant];
        const uint64_t tile = (uint64_t)v->items * v->threads;
        const struct found found = try_shape(b, v, rows[i].shape, 16 * tile);
        const double each =
            found.merges ? (double)found.wavefronts / (double)found.merges : 0;

        tap_case(tap,
                 found.sorted && found.clean && found.searches > 0 &&
                     found.merges == 4 * 16 * v->threads / 32 && each >= rows[i].low &&
                     each <= rows[i].high,
                 "%u items, %u threads, %s, %s: %.1f wavefronts a serial merge", v->items,
                 v->threads, mw_type_name(v->type), rows[i].shape, each);
    }
}

/* Keys equal in their upper halves, their places in the lower ones. */
static int is_stable(struct bench *b, uint64_t count, uint64_t different)
{
    static const struct variant v = {&simt_pair_stable_sort_64,
                                     &simt_pair_stable_cut_64,
                                     &simt_pair_stable_merge_64,
                                     MW_U64,
                                     8,
                                     256};
    uint64_t *buffer[2] = {bench_alloc(b, count * 8), bench_alloc(b, count * 8)};
    wide *const cuts = bench_alloc(b, (count / 1024 + 2) * sizeof *cuts);
    int stable = buffer[0] && buffer[1] && cuts;
    int at = 0;

    for (uint64_t i = 0; stable && i < count; i++)
        buffer[0][i] = kit_mix(i + 1) % different << 32 | i;
    stable = stable && sort_on(b, &v, (void **)buffer, cuts, count, &at) == MW_OK &&
             kit_first_disorder(MW_U64, MW_ASCENDING, buffer[at], count) == count;
    b->device->verbs->free(b->device, cuts);
    b->device->verbs->free(b->device, buffer[1]);
    b->device->verbs->free(b->device, buffer[0]);
    return stable;
}

static void test_stable(struct tap *tap, struct bench *b)
{
    static const uint64_t different[] = {1, 2, 7, 1000};
    static const uint64_t counts[] = {100, 2048, 2049, 30011};

    for (size_t i = 0; i < COUNT_OF(different); i++) {
        for (size_t j = 0; j < COUNT_OF(counts); j++)
            tap_case(tap, is_stable(b, counts[j], different[i]),
                     "stable: %llu keys of %llu values", (unsigned long long)counts[j],
                     (unsigned long long)different[i]);
    }
}

/* Other threads and items sort as well, whatever the count. */
static void test_counts(struct tap *tap, struct bench *b)
{
    static const uint64_t counts[] = {1, 31, 7679, 7680, 7681, 15360, 40009, 61440, 61441};

    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        const struct found found = try_shape(b, &variants[1], "permutation", counts[i]);

        tap_case(tap, found.sorted && found.clean, "15 items, 512 threads, %llu keys",
                 (unsigned long long)counts[i]);
    }
}

int main(void)
{
    struct tap tap = {0, 0};
    struct bench b;

    tap_ok(&tap, bench_open(&b) == MW_OK, "open", "sim");
    if (tap.failed == 0) {
        test_wavefronts(&tap, &b);
        test_counts(&tap, &b);
        test_stable(&tap, &b);
    }
    bench_close(&b);
    return tap_end(&tap);
}
