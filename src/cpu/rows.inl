/*
 * rows.inl - a stable merge sort of items: see rows.h.
 *
 * Included where ITEM_BITS is 32 or 64 and ROW_SUITE names the table of functions.
 */
#include "cpu/rows.h"

#include <string.h>

#include "cpu/inlined.h"

#if ITEM_BITS == 32
typedef uint32_t item;
#else
typedef uint64_t item;
#endif

enum {
    INSERTED = 16, /* items that are sorted by insertion */
    BLOCK = 256    /* rows whose codes are made at once */
};

static item *items_of(const struct row_sort *sort)
{
    return (item *)sort->items;
}

/* Does `a` have to precede `b`? */
static inline int precedes(const struct row_sort *sort, item a, item b)
{
    const item mask = (item)sort->position_mask;

    if (sort->is_complete)
        return a < b;
    if ((a & ~mask) != (b & ~mask))
        return a < b;
    return comparison_less(&sort->compare, a & mask, b & mask, sort->covered_fields);
}

/* Make items of fields that are numbers of the same size; `step` is a constant. */
INLINED void enter_plain(const struct row_sort *sort, uint64_t first, uint64_t last,
                         size_t step)
{
    const item mask = (item)sort->position_mask;
    const item flip = (item)sort->compare.order->field[0].code.flip;
    const item least = (item)(sort->least >> (64 - ITEM_BITS));
    const unsigned lead = sort->lead < ITEM_BITS ? sort->lead : ITEM_BITS - 1;
    const unsigned char *const from = sort->compare.field[0].first + first * step;
    item *const items = items_of(sort) + first;

    for (size_t i = 0; i < last - first; i++) {
        item bits;

        memcpy(&bits, from + i * step, sizeof bits);
        items[i] = (((bits ^ flip) - least) << lead & ~mask) | (item)(first + i);
    }
}

static void enter(const struct row_sort *sort, uint64_t first, uint64_t last)
{
    const uint64_t mask = sort->position_mask;
    const uint64_t least = sort->least;
    const unsigned lead = sort->lead;
    item *const items = items_of(sort);
    uint64_t codes[BLOCK];

    if (comparison_is_plain(&sort->compare, sizeof(item))) {
        if (sort->compare.field[0].step == 2 * sizeof(item))
            enter_plain(sort, first, last, 2 * sizeof(item));
        else
            enter_plain(sort, first, last, sort->compare.field[0].step);
        return;
    }
    for (uint64_t at = first; at < last; at += BLOCK) {
        const uint32_t count = last - at < BLOCK ? (uint32_t)(last - at) : BLOCK;

        comparison_codes(&sort->compare, at, count, codes);
        for (uint32_t i = 0; i < count; i++)
            items[at + i] =
                (item)(((codes[i] - least) << lead) >> (64 - ITEM_BITS) & ~mask) |
                (item)(at + i);
    }
}

static void reverse(item *items, uint64_t first, uint64_t last)
{
    while (first + 1 < last) {
        const item swapped = items[first];

        items[first++] = items[--last];
        items[last] = swapped;
    }
}

/* ---- Merging ------------------------------------------------------------------ */

/* Where the spare memory of items from number `at` on begins. */
static uint64_t spare_at(const struct row_sort *sort, uint64_t at)
{
    return at / 32 * sort->spare_of_32 + at % 32 * sort->spare_of_32 / 32;
}

/*
 * How many of the first `wanted` merged items come from the left. Ties go to the left,
 * which is what keeps the sort stable.
 */
static uint64_t cut(const struct row_sort *sort, struct row_merge task, uint64_t wanted)
{
    const item *const left = items_of(sort) + task.first;
    const item *const right = items_of(sort) + task.middle;
    const uint64_t left_count = task.middle - task.first;
    const uint64_t right_count = task.last - task.middle;
    uint64_t low = wanted > right_count ? wanted - right_count : 0;
    uint64_t high = wanted < left_count ? wanted : left_count;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (precedes(sort, right[wanted - 1 - middle], left[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void split(const struct row_sort *sort, struct row_merge task,
                  struct row_merge halves[2])
{
    const uint64_t wanted = (task.last - task.first) / 2;
    const uint64_t from_left = cut(sort, task, wanted);
    const uint64_t left = task.first + from_left;
    const uint64_t right = task.middle + (wanted - from_left);
    const uint64_t half = task.first + wanted;

    /* What is left of the left and the beginning of the right change places. */
    reverse(items_of(sort), left, task.middle);
    reverse(items_of(sort), task.middle, right);
    reverse(items_of(sort), left, right);
    halves[0] = (struct row_merge){task.first, left, half};
    halves[1] = (struct row_merge){half, right, task.last};
}

/* Merge from the front: the left items wait in the spare memory. */
static void merge_up(const struct row_sort *sort, struct row_merge task, item *spare)
{
    item *const items = items_of(sort);
    const uint64_t waiting = task.middle - task.first;
    uint64_t to = task.first;
    uint64_t left = 0;
    uint64_t right = task.middle;

    memcpy(spare, items + task.first, waiting * sizeof *spare);
    while (sort->is_complete && left < waiting && right < task.last) { /* no branch */
        const int from_right = items[right] < spare[left];

        items[to++] = from_right ? items[right] : spare[left];
        right += (uint64_t)from_right;
        left += (uint64_t)!from_right;
    }
    while (left < waiting && right < task.last) {
        if (precedes(sort, items[right], spare[left]))
            items[to++] = items[right++];
        else
            items[to++] = spare[left++];
    }
    memcpy(items + to, spare + left, (waiting - left) * sizeof *spare);
}

/* Merge from the back: the right items wait. */
static void merge_down(const struct row_sort *sort, struct row_merge task, item *spare)
{
    item *const items = items_of(sort);
    uint64_t to = task.last;
    uint64_t left = task.middle;
    uint64_t right = task.last - task.middle;

    memcpy(spare, items + task.middle, right * sizeof *spare);
    while (left > task.first && right > 0) {
        if (precedes(sort, spare[right - 1], items[left - 1]))
            items[--to] = items[--left];
        else
            items[--to] = spare[--right];
    }
    memcpy(items + task.first, spare, right * sizeof *spare); /* none, or the very first */
}

static void merge(const struct row_sort *sort, struct row_merge task)
{
    item *const items = items_of(sort);
    item *const spare = (item *)sort->spare + spare_at(sort, task.first);
    const uint64_t room = spare_at(sort, task.last) - spare_at(sort, task.first);
    const uint64_t left = task.middle - task.first;
    const uint64_t right = task.last - task.middle;
    struct row_merge halves[2];

    if (!left || !right || !precedes(sort, items[task.middle], items[task.middle - 1]))
        return;
    if (left <= right && left <= room) {
        merge_up(sort, task, spare);
    } else if (right <= room) {
        merge_down(sort, task, spare);
    } else {
        split(sort, task, halves);
        merge(sort, halves[0]);
        merge(sort, halves[1]);
    }
}

/* ---- Sorting ------------------------------------------------------------------ */

/*
 * Sort by insertion with few comparisons, each of which calls the caller's function: first
 * with the item before, which is enough for runs, and then by bisection.
 */
static void insert_by_calls(const struct row_sort *sort, uint64_t first, uint64_t last)
{
    item *const items = items_of(sort);

    for (uint64_t i = first + 1; i < last; i++) {
        const item inserted = items[i];
        uint64_t low = first;
        uint64_t high = i - 1; /* an item that `inserted` precedes */

        if (!precedes(sort, inserted, items[high]))
            continue;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;

            if (precedes(sort, inserted, items[middle]))
                high = middle;
            else
                low = middle + 1;
        }
        memmove(items + low + 1, items + low, (i - low) * sizeof *items);
        items[low] = inserted;
    }
}

static void insert_all(const struct row_sort *sort, uint64_t first, uint64_t last)
{
    item *const items = items_of(sort);

    if (!sort->is_complete && sort->compare.order->field_count == 0) {
        insert_by_calls(sort, first, last);
        return;
    }
    for (uint64_t i = first + 1; i < last; i++) {
        const item inserted = items[i];
        uint64_t to = i;

        for (; to > first && precedes(sort, inserted, items[to - 1]); to--)
            items[to] = items[to - 1];
        items[to] = inserted;
    }
}

/* Done with items that ascend, or that descend without ties? */
static int sort_ordered(const struct row_sort *sort, uint64_t first, uint64_t last)
{
    item *const items = items_of(sort);
    const int falls = precedes(sort, items[first + 1], items[first]);

    for (uint64_t i = first + 2; i < last; i++)
        if (precedes(sort, items[i], items[i - 1]) != falls)
            return 0;
    if (falls)
        reverse(items, first, last);
    return 1;
}

static void sort_items(const struct row_sort *sort, uint64_t first, uint64_t last)
{
    const uint64_t middle = first + (last - first) / 2;

    if (last - first <= INSERTED) {
        insert_all(sort, first, last);
    } else if (!sort_ordered(sort, first, last)) {
        sort_items(sort, first, middle);
        sort_items(sort, middle, last);
        merge(sort, (struct row_merge){first, middle, last});
    }
}

/* ---- Groups of equal codes -------------------------------------------------------- */

static uint64_t boundary(const struct row_sort *sort, uint64_t at)
{
    const item mask = (item)sort->position_mask;
    const item *const items = items_of(sort);

    while (at > 0 && at < sort->count && (items[at] | mask) == (items[at - 1] | mask))
        at++;
    return at;
}

static int refine(const struct row_sort *sort, uint64_t first, uint64_t last,
                  uint64_t longest)
{
    const item mask = (item)sort->position_mask;
    const item *const items = items_of(sort);
    int found = 0;

    while (first < last) {
        const item code = items[first] | mask;
        uint64_t end = first + 1;

        while (end < last && (items[end] | mask) == code)
            end++;
        if (end - first > longest)
            found = 1;
        else if (end - first > 1)
            sort_items(sort, first, end);
        first = end;
    }
    return found;
}

static int leave(const struct row_sort *sort, uint32_t bytes)
{
    const item mask = (item)sort->position_mask;
    const item *const items = items_of(sort);
    unsigned char *const to = (unsigned char *)sort->items;
    int moved = 0;

    /* A position is never longer than an item, so what is written was read before. */
    for (uint64_t i = 0; i < sort->count; i++) {
        const uint64_t position = items[i] & mask;
        const uint32_t narrow = (uint32_t)position;

        if (bytes == sizeof narrow)
            memcpy(to + i * sizeof narrow, &narrow, sizeof narrow);
        else
            memcpy(to + i * sizeof position, &position, sizeof position);
        moved |= position != i;
    }
    return moved;
}

const struct row_suite ROW_SUITE = {enter,    sort_items, merge, split,
                                    boundary, refine,     leave};
