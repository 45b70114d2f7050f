/*
 * judge.c - is the result of a task right? Nothing is sorted, so the judge shares nothing
 * with the library.
 *
 * Merged lists and sorted segments: the order within each, and the same keys in each. With
 * row numbers: each of its segment, once, with its own key, ties in order. Selections:
 * rows of the result are in order, and the input has no other row that comes before the
 * last of them. Cuts: they add up to the rank, and no key before a cut comes after a key
 * that follows one.
 */
#include "task.h"

#include <stdlib.h>

static const void *key_at(const struct kit_judge *judge, const void *keys, uint64_t i)
{
    return (const char *)keys + i * mw_type_size(judge->work->type);
}

static int compare(const struct kit_judge *judge, const void *a, const void *b)
{
    return kit_compare(judge->work->type, judge->work->direction, a, b);
}

/* Value or position `i` of the result. */
static uint64_t value_at(const struct kit_judge *judge, uint64_t i)
{
    return judge->work->task.value_bytes == 4 ? ((const uint32_t *)judge->out_values)[i]
                                              : ((const uint64_t *)judge->out_values)[i];
}

/* The list or segment that has row `i`. */
static uint64_t part_of(const struct kit_work *work, uint64_t i)
{
    uint64_t low = 0;
    uint64_t high = work->parts;

    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;

        if (work->bounds[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- Merges and segments ---------------------------------------------------------------
 */

static uint64_t mixed(const struct kit_judge *judge, const void *key, uint64_t part)
{
    return kit_mix(kit_mix(kit_key_bits(judge->work->type, key)) + part);
}

/* Row `i` of the result, in the segment that begins and ends there. */
static void judge_row(const struct kit_judge *judge, uint64_t i, uint64_t begin,
                      uint64_t end, struct kit_faults *faults)
{
    const struct kit_task *const task = &judge->work->task;
    const uint64_t base = task->positions ? begin : 0;
    const void *const key = key_at(judge, judge->out, i);
    int order = -1;
    uint64_t row;

    if (i > begin)
        order = compare(judge, key_at(judge, judge->out, i - 1), key);
    faults->descents += order > 0;
    if (!judge->out_values)
        return;
    row = value_at(judge, i) + base;
    if (row < begin || row >= end || compare(judge, key_at(judge, judge->keys, row), key)) {
        faults->strangers++;
        return;
    }
    judge->seen[row] = 1;
    faults->ties += !judge->is_loose && order == 0 && value_at(judge, i - 1) + base >= row;
}

static void judge_sorted(const struct kit_judge *judge, uint64_t first, uint64_t last,
                         struct kit_faults *faults)
{
    const struct kit_work *const work = judge->work;
    const int merges = work->task.operation == KIT_MERGE;
    uint64_t part = merges ? 0 : part_of(work, first);

    for (uint64_t i = first; i < last; i++) {
        while (!merges && work->bounds[part + 1] <= i)
            part++;
        faults->sums[0] += mixed(judge, key_at(judge, judge->keys, i), part);
        faults->sums[1] += mixed(judge, key_at(judge, judge->out, i), part);
        judge_row(judge, i, merges ? 0 : work->bounds[part],
                  merges ? work->count : work->bounds[part + 1], faults);
    }
}

/* ---- Selections ------------------------------------------------------------------------
 */

/* How row `row` of the input compares with row `i` of the result, by key and position. */
static int compare_rows(const struct kit_judge *judge, uint64_t row, uint64_t i,
                        uint64_t begin)
{
    const int order =
        compare(judge, key_at(judge, judge->keys, row), key_at(judge, judge->out, i));
    const uint64_t other = value_at(judge, i) + begin;

    return order ? order : (row > other) - (row < other);
}

/* The number of the result's row that comes last in its segment. */
static uint64_t last_row(const struct kit_judge *judge, uint64_t part)
{
    const uint64_t width = judge->work->results / judge->work->parts;
    const uint64_t i = (part + 1) * width - 1;

    return judge->order ? judge->order[i] : i;
}

/*
 * Rows of the input that come no later than the last row of the result; of a loose one,
 * whose key comes before its key.
 */
static void judge_selected(const struct kit_judge *judge, uint64_t first, uint64_t last,
                           struct kit_faults *faults)
{
    const struct kit_work *const work = judge->work;
    uint64_t part = part_of(work, first);

    for (uint64_t row = first; row < last; row++) {
        uint64_t bound;

        while (work->bounds[part + 1] <= row)
            part++;
        bound = last_row(judge, part);
        faults->ahead += judge->is_loose
                             ? compare(judge, key_at(judge, judge->keys, row),
                                       key_at(judge, judge->out, bound)) < 0
                             : compare_rows(judge, row, bound, work->bounds[part]) <= 0;
    }
}

/* The rows of a loose result in order: few are selected, so a shell sort will do. */
static void order_rows(const struct kit_judge *judge, uint64_t count)
{
    uint64_t *const order = judge->order;

    for (uint64_t gap = count / 2; gap > 0; gap /= 2)
        for (uint64_t i = gap; i < count; i++) {
            const uint64_t one = order[i];
            uint64_t at = i;

            while (at >= gap &&
                   compare_rows(judge, value_at(judge, one), order[at - gap], 0) < 0) {
                order[at] = order[at - gap];
                at -= gap;
            }
            order[at] = one;
        }
}

/* Each position is one of its segment and has its key; are they in order? */
static int begin_selected(struct kit_judge *judge, struct kit_faults *faults)
{
    const struct kit_work *const work = judge->work;
    const uint64_t width = work->results / work->parts;

    for (uint64_t i = 0; i < work->results; i++) {
        const uint64_t begin = work->bounds[i / width];
        const uint64_t row = value_at(judge, i) + begin;

        if (row < begin || row >= work->bounds[i / width + 1] ||
            compare(judge, key_at(judge, judge->keys, row), key_at(judge, judge->out, i)))
            faults->strangers++;
        else if (!judge->is_loose && i % width &&
                 compare_rows(judge, row, i - 1, begin) <= 0)
            faults->descents++;
    }
    if (!judge->is_loose || faults->strangers)
        return 0;
    judge->order = malloc(work->results * sizeof *judge->order);
    if (!judge->order)
        return -1;
    for (uint64_t i = 0; i < work->results; i++)
        judge->order[i] = i;
    order_rows(judge, work->results);
    for (uint64_t i = 1; i < work->results; i++)
        faults->ties +=
            value_at(judge, judge->order[i]) == value_at(judge, judge->order[i - 1]);
    return 0;
}

/* A loose result has all rows before the key of its last one. */
static const char *end_selected(const struct kit_judge *judge,
                                const struct kit_faults *faults)
{
    const uint64_t results = judge->work->results;
    uint64_t before = results;

    if (faults->ties)
        return "a position twice";
    if (judge->is_loose) {
        const void *const last = key_at(judge, judge->out, judge->order[results - 1]);

        while (before > 0 &&
               compare(judge, key_at(judge, judge->out, judge->order[before - 1]), last) ==
                   0)
            before--;
    }
    return faults->ahead == before ? NULL : "rows of other ranks";
}

/* ---- Cuts ------------------------------------------------------------------------------
 */

/* Of (key, list): does the key before one cut come after the one that follows another? */
static int crosses(const struct kit_judge *judge, uint64_t before, uint64_t before_list,
                   uint64_t after, uint64_t after_list)
{
    const int order = compare(judge, key_at(judge, judge->keys, before),
                              key_at(judge, judge->keys, after));

    return order > 0 || (order == 0 && before_list > after_list);
}

static int cuts_are_right(const struct kit_judge *judge, const uint64_t *cuts,
                          uint64_t rank)
{
    const struct kit_work *const work = judge->work;
    const uint64_t none = UINT64_MAX;
    uint64_t sum = 0;
    uint64_t before = none, before_list = 0; /* the greatest key before a cut, ... */
    uint64_t after = none, after_list = 0;   /* ... and the least after one */

    for (uint64_t i = 0; i < work->parts; i++) {
        const uint64_t begin = work->bounds[i];
        const uint64_t length = work->bounds[i + 1] - begin;

        if (cuts[i] > length)
            return 0;
        sum += cuts[i];
        if (cuts[i] > 0 && (before == none ||
                            !crosses(judge, before, before_list, begin + cuts[i] - 1, i))) {
            before = begin + cuts[i] - 1;
            before_list = i;
        }
        if (cuts[i] < length &&
            (after == none || crosses(judge, after, after_list, begin + cuts[i], i))) {
            after = begin + cuts[i];
            after_list = i;
        }
    }
    return sum == (rank < work->count ? rank : work->count) &&
           (before == none || after == none ||
            !crosses(judge, before, before_list, after, after_list));
}

static const char *end_cuts(const struct kit_judge *judge)
{
    const struct kit_work *const work = judge->work;

    for (uint64_t i = 0; i < work->rank_count; i++) {
        if (!cuts_are_right(judge, (const uint64_t *)judge->out + i * work->parts,
                            work->ranks[i]))
            return "wrong cuts";
    }
    return NULL;
}

/* ---- The judge -------------------------------------------------------------------------
 */

int kit_judge_begin(struct kit_judge *judge, struct kit_faults *faults)
{
    const struct kit_work *const work = judge->work;

    judge->seen = NULL;
    judge->order = NULL;
    if (work->task.operation == KIT_SELECT)
        return begin_selected(judge, faults);
    if (!judge->out_values)
        return 0;
    judge->seen = calloc(work->count + 1, 1);
    return judge->seen ? 0 : -1;
}

void kit_judge_rows(const struct kit_judge *judge, uint64_t first, uint64_t last,
                    struct kit_faults *faults)
{
    if (judge->work->task.operation == KIT_SELECT)
        judge_selected(judge, first, last, faults);
    else if (judge->work->task.operation != KIT_SPLIT)
        judge_sorted(judge, first, last, faults);
}

void kit_faults_add(struct kit_faults *to, const struct kit_faults *from)
{
    to->sums[0] += from->sums[0];
    to->sums[1] += from->sums[1];
    to->descents += from->descents;
    to->strangers += from->strangers;
    to->ties += from->ties;
    to->ahead += from->ahead;
}

const char *kit_judge_end(struct kit_judge *judge, const struct kit_faults *faults)
{
    const struct kit_work *const work = judge->work;
    const char *wrong = faults->strangers  ? "row numbers that are not those of the keys"
                        : faults->descents ? "out of order"
                                           : NULL;

    if (!wrong && work->task.operation == KIT_SELECT)
        wrong = end_selected(judge, faults);
    else if (!wrong && work->task.operation == KIT_SPLIT)
        wrong = end_cuts(judge);
    else if (!wrong && faults->sums[0] != faults->sums[1])
        wrong = "not the same keys as the input";
    else if (!wrong && faults->ties)
        wrong = "equal keys in another order";
    else if (!wrong && judge->seen && memchr(judge->seen, 0, work->count))
        wrong = "a row is missing";
    free(judge->order);
    free(judge->seen);
    judge->order = NULL;
    judge->seen = NULL;
    return wrong;
}
