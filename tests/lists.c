/*
 * lists.c - MERGE and SPLIT of keys of every type, against libstdc++'s parallel mode.
 *
 *   lists DEVICE [MOST]
 *
 * Both are stable and cut ties in the order of the lists, so everything must be the same:
 * keys, positions and cuts.
 */
#include "lists_oracle.h"
#include "reference.h"
#include "tap.h"
#include "trial.h"

#include <stdlib.h>

enum { MOST_LISTS = 100000, RANKS = 40 };

/* Keys of one type in sorted lists that follow each other, and the same for the oracle. */
struct lists {
    mw_type type;
    mw_direction direction;
    uint32_t count;
    uint64_t rows;
    char *keys;
    struct oracle_key *theirs, *merged;
};

/* Of the lists that are tested now. */
static uint64_t counts[MOST_LISTS];
static mw_table tables[MOST_LISTS];
static const struct oracle_key *their_lists[MOST_LISTS];

static struct oracle_key key_of(const struct lists *l, uint64_t row)
{
    const struct item item = item_of(l->type, l->keys + row * mw_type_size(l->type));
    const uint64_t flip = l->direction == MW_DESCENDING ? UINT64_MAX : 0;

    return (struct oracle_key){item.digit ^ flip, item.value ^ flip, row};
}

/* Lengths of lists: about equal, halving, mostly none, or a ninth of what is left. */
static void make_lengths(struct lists *l, int kind)
{
    uint64_t left = l->rows;

    for (uint32_t i = 0; i < l->count; i++) {
        const uint64_t some = kind == 0    ? l->rows / l->count
                              : kind == 1  ? left / 2
                              : kind == 3  ? left / 9
                              : i % 7 == 3 ? l->rows / (l->count / 7 + 1)
                                           : 0;

        counts[i] = some < left && i + 1 < l->count ? some : left;
        left -= counts[i];
    }
}

static int make_lists(struct lists *l, const char *shape, int kind)
{
    const size_t size = mw_type_size(l->type);
    struct item *const items = malloc(2 * (size_t)(l->rows + 1) * sizeof *items);
    uint64_t first = 0;

    l->keys = malloc((size_t)(l->rows + 1) * size);
    l->theirs = malloc((size_t)(l->rows + 1) * sizeof *l->theirs);
    l->merged = malloc((size_t)(l->rows + 1) * sizeof *l->merged);
    make_lengths(l, kind);
    if (!items || !l->keys || !l->theirs || !l->merged)
        return free(items), 0;
    kit_fill(l->type, shape, 5, l->keys, l->rows);
    for (uint32_t i = 0; i < l->count; i++) {
        char *const keys = l->keys + first * size;

        reference_sort(l->type, l->direction, keys, counts[i], items);
        tables[i] = (mw_table){.elements = keys, .count = counts[i]};
        their_lists[i] = l->theirs + first;
        first += counts[i];
    }
    for (uint64_t i = 0; i < l->rows; i++)
        l->theirs[i] = key_of(l, i);
    free(items);
    oracle_merge(their_lists, counts, l->count, l->merged);
    return 1;
}

static mw_job job_of(const struct lists *l, mw_operation operation)
{
    mw_job job = MW_JOB_INIT;

    job.operation = operation;
    job.order = mw_order_of(l->type, l->direction);
    job.in = tables;
    job.in_count = l->count;
    return job;
}

static const char *try_merge(mw_context *context, const struct lists *l)
{
    const size_t size = mw_type_size(l->type);
    char *const out = malloc((size_t)(l->rows + 1) * size);
    uint64_t *const positions = calloc((size_t)l->rows + 1, sizeof *positions);
    const mw_table table = {.elements = out, .count = l->rows};
    mw_job job = job_of(l, MW_MERGE);
    const char *wrong = out && positions ? NULL : "no memory";

    job.out = &table;
    for (int with_positions = 0; with_positions < 2 && !wrong; with_positions++) {
        job.positions = with_positions ? positions : NULL;
        if (mw_run(context, &job) != MW_OK)
            wrong = mw_error(context);
        for (uint64_t i = 0; i < l->rows && !wrong; i++) {
            const uint64_t position = l->merged[i].position;

            if (memcmp(out + i * size, l->keys + position * size, size) != 0)
                wrong = "wrong keys";
            else if (with_positions && positions[i] != position)
                wrong = "wrong positions";
        }
    }
    free(out);
    free(positions);
    return wrong;
}

static const char *try_split(mw_context *context, const struct lists *l)
{
    uint64_t *const cuts = calloc((size_t)RANKS * l->count, sizeof *cuts);
    uint64_t *const expected = calloc(l->count, sizeof *expected);
    uint64_t ranks[RANKS];
    mw_job job = job_of(l, MW_SPLIT);
    const char *wrong = cuts && expected ? NULL : "no memory";

    for (uint64_t i = 0; i < RANKS; i++)
        ranks[i] = i * 7 < RANKS ? i : l->rows * i / RANKS;
    job.ranks = ranks;
    job.rank_count = RANKS;
    job.cuts = cuts;
    if (!wrong && mw_run(context, &job) != MW_OK)
        wrong = mw_error(context);
    for (uint64_t i = 0; i < RANKS && !wrong; i++) {
        if (ranks[i] >= l->rows) /* which the oracle does not take */
            continue;
        oracle_split(their_lists, counts, l->count, ranks[i], expected);
        if (memcmp(expected, cuts + i * l->count, l->count * sizeof *expected) != 0)
            wrong = "wrong cuts";
    }
    free(cuts);
    free(expected);
    return wrong;
}

/* Both operations on one set of lists; returns whether all is well. */
static int test_lists(mw_context *context, struct lists l, const char *shape, int kind)
{
    const char *wrong = make_lists(&l, shape, kind) ? NULL : "no memory";

    if (!wrong)
        wrong = try_merge(context, &l);
    if (!wrong)
        wrong = try_split(context, &l);
    if (wrong)
        tap_note("%u lists of kind %d, %llu keys, %s: %s", l.count, kind,
                 (unsigned long long)l.rows, shape, wrong);
    free(l.keys);
    free(l.theirs);
    free(l.merged);
    return !wrong;
}

/* One type and direction: several numbers and lengths of lists, and shapes of keys. */
static int test_type(mw_context *context, struct lists l, uint64_t most)
{
    static const uint32_t numbers[] = {1, 2, 3, 8, 17, 64, 129, 300};
    static const char *const shapes[] = {"random", "few:3", "sorted", "reversed",
                                         "specials"};
    int right = 1;

    for (size_t i = 0; i < COUNT_OF(numbers) && right; i++) {
        for (size_t shape = 0; shape < COUNT_OF(shapes) && right; shape++) {
            l.count = numbers[i];
            l.rows = most >> (i + shape) % 5;
            right = test_lists(context, l, shapes[shape], (int)(i + shape) % 3);
        }
    }
    return right;
}

/* Two lists of many tiles: a device has a search of its own for their cuts. */
static int test_two(mw_context *context, struct lists l)
{
    static const char *const shapes[] = {"random",      "few:3",     "sorted", "reversed",
                                         "interleaved", "swaps:500", "organ",  "equal"};
    int right = 1;

    l.count = 2;
    for (size_t i = 0; i < COUNT_OF(shapes) && right; i++) {
        l.rows = 40957 + i; /* full tiles, almost full ones, and others */
        right =
            test_lists(context, l, shapes[i], 0) && test_lists(context, l, shapes[i], 3);
    }
    return right;
}

/* Lists that are not sorted: each key must be there as often as before. */
static void test_disorder(struct tap *tap, mw_context *context, const char *device,
                          uint64_t rows, uint64_t count)
{
    static const char *const shapes[] = {"random", "reversed", "few:3"};
    uint32_t *const keys = malloc(2 * (size_t)(rows + 1) * sizeof *keys);
    uint32_t *const out = keys + rows;
    int right = keys != NULL;

    for (size_t shape = 0; right && shape < COUNT_OF(shapes); shape++) {
        struct kit_fingerprint before = {0, 0};
        struct kit_fingerprint after = {0, 0};
        const void *lists[40]; /* or fewer */
        uint64_t lengths[40];

        kit_fill(MW_U32, shapes[shape], 7, keys, rows);
        kit_fingerprint_add(&before, MW_U32, keys, rows);
        for (uint64_t i = 0; i < count; i++) {
            lists[i] = keys + rows * i / count;
            lengths[i] = rows * (i + 1) / count - rows * i / count;
        }
        right = mw_merge(context, MW_U32, MW_ASCENDING, lists, lengths, (uint32_t)count,
                         out) == MW_OK;
        kit_fingerprint_add(&after, MW_U32, out, rows);
        right = right && kit_fingerprint_equal(before, after);
    }
    tap_case(tap, right, "%s: %d lists that are not sorted", device, (int)count);
    free(keys);
}

/* As many lists as there may be; then little memory, for which there are slower ways. */
static void test_limits(struct tap *tap, mw_context *context, const char *device,
                        uint64_t most)
{
    struct lists l = {.type = MW_U32, .count = MOST_LISTS, .rows = 3 * most};
    mw_options options = MW_OPTIONS_INIT;
    mw_context *small;
    mw_status status;

    tap_case(tap, test_lists(context, l, "random", 2) && test_lists(context, l, "few:3", 0),
             "%s: %d lists", device, MOST_LISTS);
    if (strncmp(device, "cpu", 3) != 0)
        return;
    options.memory_bytes = 64 << 10;
    l.count = 8;
    status = mw_open(&small, device, &options);
    tap_case(tap, status == MW_OK && test_lists(small, l, "random", 1), "%s: in 64 KiB",
             device);
    mw_close(small);
}

int main(int count, char **words)
{
    const char *const device = count > 1 ? words[1] : "cpu:2";
    const uint64_t most = count > 2 ? strtoull(words[2], NULL, 0) : 20000;
    struct tap tap = {0, 0};
    mw_context *const context = trial_open(&tap, device);

    for (int i = 0; context && i < 2 * MW_TYPE_COUNT; i++) {
        const struct lists l = {.type = (mw_type)(i / 2),
                                .direction = (mw_direction)(i % 2)};

        tap_case(&tap, test_type(context, l, most) && test_two(context, l), "%s: %s %s",
                 device, mw_type_name(l.type), l.direction ? "descending" : "ascending");
    }
    if (context) {
        test_disorder(&tap, context, device, 10 * most, 5);
        test_disorder(&tap, context, device, 40 * most, 2);
        test_disorder(&tap, context, device, 10 * most, 40);
        test_limits(&tap, context, device, most);
    }
    mw_close(context);
    return tap_end(&tap);
}
