/*
 * unit_cpu.c - the CPU backend from inside: every suite of inner loops that this
 * processor can run, every type and direction, against an independent reference sort;
 * windows of merges; short runs, which take several rounds.
 */
#include "kit.h"

#include "reference.h"
#include "tap.h"

#include "cpu/cpu.h"
#include "cpu/sort.h"
#include "plan_parts.h"

#include <stdlib.h>

enum {
    THREADS_MOST = 8,
    GUARD = 64,
    GUARD_BYTE = 0xa5,
    MOST = RUN_MULTIPLE * MERGE_WAYS * MERGE_WAYS + 12345 /* three rounds of short runs */
};

static const unsigned thread_counts[] = {1, 3, THREADS_MOST};

/* Room for MOST keys of any width, and for everything done with them. */
static _Alignas(64) char input[MOST * 8], expected[MOST * 8], keys[MOST * 8 + GUARD];
static struct item items[2 * MOST];
static char *scratch, *work;
static struct pool *pools[COUNT_OF(thread_counts)];

static int open_all(void)
{
    struct error error;
    int whole = 1;

    scratch = aligned_alloc(
        64, round_up(2 * sort_scratch_bytes(64, MOST, RUN_MULTIPLE) + GUARD, 64));
    work = aligned_alloc(64, (size_t)THREADS_MOST * WORK_BYTES);
    for (size_t i = 0; i < COUNT_OF(pools); i++)
        whole &= pool_open(&pools[i], thread_counts[i], &error) == MW_OK;
    return whole && scratch && work;
}

/* Prepare an input and what it should become. */
static int prepare(mw_type type, mw_direction direction, const char *shape, uint64_t count)
{
    if (kit_fill(type, shape, 1 + count, input, count) != MW_OK)
        return 0;
    memcpy(expected, input, count * mw_type_size(type));
    reference_sort(type, direction, expected, count, items);
    return 1;
}

static int guard_whole(const char *guard)
{
    for (int i = 0; i < GUARD; i++)
        if ((unsigned char)guard[i] != GUARD_BYTE)
            return 0;
    return 1;
}

/* Sort what was prepared; compare; look at what lies after keys and scratch. */
static int sort_agrees(const struct suite *suite, struct code code, uint64_t count,
                       uint64_t run, struct pool *pool, struct cpu_counts *made)
{
    const uint64_t bytes = count * (uint64_t)(suite->bits / 8);
    const uint64_t scratch_bytes = sort_scratch_bytes(suite->bits, count, run);
    const struct sort_request request = {
        suite, code, keys, count, run, scratch, work,
    };

    memcpy(keys, input, bytes);
    memset(keys + bytes, GUARD_BYTE, GUARD);
    memset(scratch + scratch_bytes, GUARD_BYTE, GUARD);
    sort_keys(pool, &request, made);
    return memcmp(keys, expected, bytes) == 0 && guard_whole(keys + bytes) &&
           guard_whole(scratch + scratch_bytes);
}

static const char *const shapes[] = {
    "random",     "permutation", "sorted",        "reversed",      "equal",
    "few:2",      "few:16",      "swaps:3",       "swaps:100",     "sawtooth:2",
    "sawtooth:7", "sawtooth:64", "sawtooth:1000", "organ",         "blocks:64",
    "blocks",     "interleaved", "extremes",      "interleaved:2", "specials",
};

/* clang-format off */
static const struct {
    const char *name;
    uint64_t run; /* 0: the best */
    size_t step;  /* from one shape taken to the next */
    uint64_t counts[16];
} tables[] = {
    {"small counts", 0, 1, {0, 1, 2, 3, 5, 31, 32, 33, 127, 128, 129, 1000, 4097}},
    {"one block of registers", 0, 1, {20, 45, 60, 90, 120, 180, 250}},
    {"two blocks of registers", 0, 1, {140, 165, 260, 300, 340, 380, 460, 512}},
    {"up to four", 0, 1, {192, 200, 225, 256, 390, 513, 600, 645, 700, 777, 900, 1020, 1024}},
    {"beyond a tile", 0, 3, {4096, 4223, 16383, 16384, 16385, 40009}},
    {"several runs", 0, 5, {100003}},
    {"a million", 0, 20, {1 << 20}},
    {"short runs, two rounds", RUN_MULTIPLE, 4, {128 * 128 - 1, 128 * 128 + 1, 50021}},
};
/* clang-format on */

/* One suite, type and direction through one table, with all numbers of threads. */
static int table_passes(const struct suite *suite, mw_type type, mw_direction direction,
                        size_t row)
{
    const struct code code = type_code(type_row(type), direction);
    const uint64_t run = tables[row].run ? tables[row].run : sort_best_run(suite->bits);
    /* Another shape first for every type, so that long steps visit them all. */
    const size_t first = (size_t)type % tables[row].step;
    int passed = 1;

    for (size_t c = 0; c == 0 || tables[row].counts[c]; c++) {
        const uint64_t count = tables[row].counts[c];

        for (size_t s = first; s < COUNT_OF(shapes); s += tables[row].step) {
            passed &= prepare(type, direction, shapes[s], count);
            for (size_t t = 0; t < COUNT_OF(thread_counts) && passed; t++) {
                passed = sort_agrees(suite, code, count, run, pools[t], NULL);
                if (!passed)
                    tap_note("%s, %llu keys, %u threads", shapes[s],
                             (unsigned long long)count, thread_counts[t]);
            }
        }
    }
    return passed;
}

static void test_tables(struct tap *tap)
{
    const struct suite *suite;

    for (unsigned i = 0; (suite = suite_usable(i)) != NULL; i++) {
        for (int t = 0; t < 2 * MW_TYPE_COUNT; t++) {
            const mw_type type = (mw_type)(t / 2);
            const mw_direction direction = (mw_direction)(t % 2);

            if (mw_type_size(type) * 8 != (size_t)suite->bits)
                continue;
            for (size_t row = 0; row < COUNT_OF(tables); row++)
                tap_case(tap, table_passes(suite, type, direction, row),
                         "suite %u, %s %s: %s", i, mw_type_name(type),
                         direction ? "descending" : "ascending", tables[row].name);
        }
    }
}

/*
 * Sort each of `runs` uneven runs of the input, then merge windows of them
 * alone: each must be that window of the sorted whole.
 */
static int windows_agree(const struct suite *suite, struct code code, uint64_t count,
                         unsigned runs)
{
    const size_t size = (size_t)suite->bits / 8;
    uint64_t starts[MERGE_WAYS + 1];

    for (unsigned i = 0; i <= runs; i++) {
        const uint64_t gap = i == 0 || i == runs ? 0 : count / runs / 2;

        starts[i] = count * i / runs - kit_mix(i) % (gap + 1);
    }
    for (unsigned i = 0; i < runs; i++) {
        const uint64_t at = starts[i] * size;
        const struct run_task task = {
            input + at, scratch + at, starts[i + 1] - starts[i], code, 0, 0, work};

        if (task.count > 0)
            suite->run(&task);
    }
    for (unsigned i = 0; i < 12; i++) {
        const uint64_t one = i == 0 ? 0 : kit_mix(count + i) % (count + 1);
        const uint64_t other = i < 2 ? count : kit_mix(runs + i) % (count + 1);
        const uint64_t first = one < other ? one : other;
        const uint64_t last = one < other ? other : one;
        const struct merge_task task = {
            scratch, keys, starts, runs, first, last, code, 1, i % 3 == 1, (int)i % 2, work,
        };

        memset(keys, GUARD_BYTE, count * size + GUARD);
        if (!suite->merge(&task) ||
            memcmp(keys + first * size, expected + first * size, (last - first) * size) !=
                0 ||
            !guard_whole(keys + last * size))
            return 0;
    }
    return 1;
}

static void test_windows(struct tap *tap)
{
    static const unsigned ways[] = {1, 2, 3, 7, 16, 100, MERGE_WAYS};
    static const uint64_t counts[] = {200, 5003, 60000};
    static const char *const tied[] = {"random", "few:2", "equal", "extremes", "sorted"};
    const struct suite *suite;

    for (unsigned i = 0; (suite = suite_usable(i)) != NULL; i++) {
        const mw_type type = suite->bits == 16   ? MW_U16
                             : suite->bits == 32 ? MW_F32
                                                 : MW_I64;
        const struct code code = type_code(type_row(type), MW_DESCENDING);
        int passed = 1;

        if (!suite->merge)
            continue;
        for (size_t s = 0; s < COUNT_OF(tied) * COUNT_OF(counts); s++) {
            const uint64_t count = counts[s % COUNT_OF(counts)];

            passed &= prepare(type, MW_DESCENDING, tied[s / COUNT_OF(counts)], count);
            for (size_t w = 0; w < COUNT_OF(ways); w++)
                passed &= windows_agree(suite, code, count, ways[w]);
        }
        tap_case(tap, passed, "suite %u: windows of a merge", i);
    }
}

static void swap_at(uint64_t seam)
{
    uint32_t *const two = (uint32_t *)(void *)input + seam - 1;
    const uint32_t first = two[0];

    two[0] = two[1];
    two[1] = first;
}

/*
 * Sorted or reversed but for two neighbours, where the search for disorder is
 * handed from one thread to the next, or from one step of 2^16 keys to the next.
 */
static void test_seams(struct tap *tap)
{
    static const char *const names[] = {"sorted", "reversed"};
    const struct code code = type_code(type_row(MW_U32), MW_ASCENDING);
    const uint64_t count = 24 * 25000; /* even shares for 1, 3 and 8 threads */

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        int passed = prepare(MW_U32, MW_ASCENDING, names[i], count);

        for (size_t t = 0; t < COUNT_OF(thread_counts); t++) {
            const uint64_t share = count / thread_counts[t];

            for (uint64_t at = 1; at < count; at++) {
                if (at % share % (1 << 16) != 0)
                    continue;
                swap_at(at);
                passed &= sort_agrees(suite_for(32), code, count, sort_best_run(32),
                                      pools[t], NULL);
                swap_at(at);
            }
        }
        tap_case(tap, passed, "%s but for two neighbours", names[i]);
    }
}

/* The suite for any processor: without a quicksort it merges everything. */
static const struct suite *plain_suite(int bits)
{
    const struct suite *found = NULL;
    const struct suite *suite;

    for (unsigned i = 0; (suite = suite_usable(i)) != NULL; i++)
        if (suite->bits == bits)
            found = suite;
    return found;
}

/* What sorts count: three rounds of short runs, although joined ones need two; or one. */
static void test_counts(struct tap *tap)
{
    static const struct {
        const char *name;
        const char *shape;
        mw_type type;
        uint64_t count;
        uint64_t run; /* 0: the best */
        unsigned rounds;
        uint64_t reads, writes; /* of each key */
    } rows[] = {
        {"nothing",               "random",     MW_U32, 0,       0,            0, 1, 1},
        {"sorted: only read",     "sorted",     MW_U32, 50000,   0,            0, 1, 0},
        {"reversed: turned",      "reversed",   MW_U32, 50000,   0,            0, 1, 1},
        {"one run",               "random",     MW_U32, 5000,    0,            0, 1, 1},
        {"one round",             "random",     MW_U32, 1 << 20, 0,            1, 2, 2},
        {"narrow keys: counted",  "random",     MW_U8,  100000,  0,            0, 1, 1},
        {"short runs",            "random",     MW_U32, MOST,    RUN_MULTIPLE, 3, 4, 4},
        {"short runs, few join",  "swaps:1000", MW_U32, MOST,    RUN_MULTIPLE, 3, 4, 4},
        {"short runs, most join", "swaps:5",    MW_U32, MOST,    RUN_MULTIPLE, 1, 2, 2},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct suite *const suite = plain_suite(8 * (int)mw_type_size(rows[i].type));
        const struct code code = type_code(type_row(rows[i].type), MW_ASCENDING);
        const uint64_t run = rows[i].run ? rows[i].run : sort_best_run(suite->bits);
        const uint64_t bytes = rows[i].count * mw_type_size(rows[i].type);
        struct cpu_counts made = {9, 9, 9};
        const int passed =
            prepare(rows[i].type, MW_ASCENDING, rows[i].shape, rows[i].count) &&
            sort_agrees(suite, code, rows[i].count, run, pools[1], &made);

        tap_case(tap,
                 passed && made.rounds == rows[i].rounds &&
                     made.bytes_read == rows[i].reads * bytes &&
                     made.bytes_written == rows[i].writes * bytes,
                 "counts: %s: %u rounds", rows[i].name, (unsigned)made.rounds);
    }
}

/* Quicksorts without scratch memory; and such that a heap has to finish. */
static void test_in_place(struct tap *tap)
{
    static const mw_type types[] = {MW_U32, MW_F64};
    const uint64_t count = 200003;
    struct cpu *cpu;
    struct error error;

    if (cpu_open(&cpu, 3, &error) != MW_OK)
        return;
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        const mw_type type = types[i];
        const int bits = 8 * (int)mw_type_size(type);
        const struct code code = type_code(type_row(type), MW_ASCENDING);
        struct quick_task task = {.keys = keys, .count = count, .code = code, .depth = 2};
        const struct suite *suite = suite_for(bits);
        int passed = prepare(type, MW_ASCENDING, "random", count);

        if (!suite->quick) {
            tap_skip(tap, "a quicksort in place", "no vectors here");
            continue;
        }
        memcpy(keys, input, count * mw_type_size(type));
        passed &= cpu_scratch_bytes(bits, count, 1000) == 0 &&
                  cpu_sort(cpu, bits, code, keys, count, 1000, NULL, NULL) == MW_OK &&
                  memcmp(keys, expected, count * mw_type_size(type)) == 0;
        memcpy(keys, input, count * mw_type_size(type));
        suite->quick(&task);
        passed &= memcmp(keys, expected, count * mw_type_size(type)) == 0;
        tap_case(tap, passed, "%s in place, and by a heap", mw_type_name(type));
    }
    cpu_close(cpu);
}

/* Widths there are no loops for, and more keys than there is scratch for. */
static void test_refusals(struct tap *tap)
{
    const struct code code = type_code(type_row(MW_U32), MW_ASCENDING);
    uint32_t two[2] = {2, 1};
    struct error error;
    struct cpu *cpu;

    tap_ok(tap,
           cpu_open(&cpu, 1, &error) == MW_OK &&
               cpu_sort(cpu, 24, code, two, 2, UINT64_MAX, NULL, NULL) == MW_UNSUPPORTED &&
               strstr(error.text, "not 24") &&
               cpu_sort(cpu, 32, code, two, UINT64_MAX / 4, UINT64_MAX, NULL, NULL) ==
                   MW_NO_MEMORY &&
               two[0] == 2 &&
               cpu_sort(cpu, 32, code, two, 2, UINT64_MAX, NULL, NULL) == MW_OK &&
               two[0] == 1,
           "what the CPU refuses", error.text);
    cpu_close(cpu);
}

/* Scratch that covers a count covers every smaller one. */
static void test_scratch(struct tap *tap)
{
    int right = 1;

    for (int bits = 8; bits <= 64; bits *= 2) {
        uint64_t most = 0;

        for (uint64_t count = 0; count < 100000; count += 7) {
            const uint64_t bytes = cpu_scratch_bytes(bits, count, UINT64_MAX);

            most = bytes > most ? bytes : most;
            right &= cpu_scratch_most(bits, count) >= most;
        }
    }
    tap_ok(tap, right, "scratch that serves every smaller count", "");
}

int main(void)
{
    struct tap tap = {0, 0};

    test_in_place(&tap);
    test_refusals(&tap);
    test_scratch(&tap);
    if (open_all()) {
        test_tables(&tap);
        test_windows(&tap);
        test_seams(&tap);
        test_counts(&tap);
    }
    for (size_t i = 0; i < COUNT_OF(pools); i++)
        pool_close(pools[i]);
    free(work);
    free(scratch);
    return tap_end(&tap);
}
