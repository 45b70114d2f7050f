/*
 * lists_keys.c - merge lists of bare keys as the runs of a sort are merged.
 *
 * Keys become ranks next to each other in memory. On the way it is checked that lists are
 * sorted, which the merges of a sort rely on. Lists that follow each other in memory and
 * whose keys are ranks already stay where they are; the merge itself checks them.
 */
#include "cpu/lists_keys.h"

#include "cpu/lists.h"
#include "cpu/sort_parts.h"

enum { STEP = 1 << 15 }; /* keys that a thread takes at once */

struct keys_merge {
    struct sort sort;
    struct lists lists;
};

int lists_are_keys(const struct request *r)
{
    const struct field_code *const code = &r->order.field[0].code;

    return r->operation == MW_MERGE && r->element_type && r->element_type->size > 1 &&
           r->column_count == 1 && !r->position_bytes && !code->zero && !code->rotate &&
           code->low == 0 && code->high == code->mask;
}

static int bits_of(const struct request *r)
{
    return 8 * (int)r->element_type->size;
}

uint64_t lists_keys_scratch(const struct request *r)
{
    return lists_keys_least(r) + sort_ranks_bytes(bits_of(r), r->count);
}

uint64_t lists_keys_least(const struct request *r)
{
    const uint64_t lists = r->list_count;

    return (lists + 1) * sizeof(uint64_t) + lists * sizeof(struct list_at);
}

int lists_keys_stay(const struct request *r)
{
    const struct suite *const suite = suite_for(bits_of(r));
    const unsigned char *end = NULL;

    if (r->list_count > MERGE_WAYS || r->code.is_float || r->code.flip != suite->plain_flip)
        return 0;
    for (uint32_t i = 0; i < r->list_count; i++) {
        const mw_table list = request_list(r, i);

        if (i == 0)
            end = list.elements;
        if (list.elements != end)
            return 0;
        end += list.count * r->element_type->size;
    }
    return 1;
}

/* The list that row `row` of all is in. */
static uint32_t list_of(const struct lists *lists, uint64_t row)
{
    uint32_t low = 0;
    uint32_t high = lists->count;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (lists->at[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Make ranks of rows [first, last) of all lists. */
static void enter_rows(struct keys_merge *merge, uint64_t first, uint64_t last)
{
    const struct sort *const sort = &merge->sort;
    const struct sort_request *const r = sort->request;

    for (uint32_t i = list_of(&merge->lists, first); first < last; i++) {
        const struct list_at *const list = &merge->lists.at[i];
        const uint64_t end = list->first + list->table.count;
        const uint64_t some = (end < last ? end : last) - first;
        const void *const keys =
            key_at(list->table.elements, first - list->first, sort->size);

        if (first >= end)
            continue;
        /* One key more: the first of what follows in this list. */
        if (!(r->suite->order(keys, some + (first + some < end), r->code) & ORDER_UP))
            atomic_store(&merge->sort.has_disorder, 1);
        r->suite->enter(keys, key_at(sort->to, first, sort->size), some, r->code);
        first += some;
    }
}

static void enter_share(void *arg, unsigned worker)
{
    struct keys_merge *const merge = (struct keys_merge *)arg;
    const uint64_t count = merge->sort.request->count;

    (void)worker;
    for (;;) {
        const uint64_t first = atomic_fetch_add(&merge->sort.next, STEP);

        if (first >= count || atomic_load(&merge->sort.has_disorder))
            return;
        enter_rows(merge, first, first + STEP < count ? first + STEP : count);
    }
}

/* Where each list begins that is not empty. */
static void find_starts(struct keys_merge *merge)
{
    struct sort *const sort = &merge->sort;

    sort->runs = 0;
    for (uint32_t i = 0; i < merge->lists.count; i++)
        if (merge->lists.at[i].table.count)
            sort->starts[sort->runs++] = merge->lists.at[i].first;
    sort->starts[sort->runs] = sort->request->count;
}

int lists_merge_keys(struct pool *pool, const struct request *request, void *scratch,
                     void *work)
{
    const int bits = bits_of(request);
    const int stay = lists_keys_stay(request);
    const uint64_t ranks_bytes = sort_ranks_bytes(bits, request->count);
    const uint64_t worth = request->count / STEP + 1;
    const struct sort_request keys = {
        .suite = suite_for(bits),
        .code = request->code,
        .keys = request->out.elements,
        .count = request->count,
        .scratch = scratch,
        .work = work,
    };
    unsigned char *const starts = (unsigned char *)scratch + (stay ? 0 : ranks_bytes);
    const unsigned threads = pool_threads(pool);
    struct keys_merge merge = {
        .sort.request = &keys,
        .sort.size = (size_t)bits / 8,
        .sort.workers = worth < threads ? (unsigned)worth : threads,
        .sort.stream = ranks_bytes >= STREAM_BYTES,
        .sort.check = stay,
        .sort.starts = (uint64_t *)(void *)starts,
    };
    unsigned rounds;

    merge.lists = lists_read(
        request, (struct list_at *)(void *)(merge.sort.starts + request->list_count + 1));
    atomic_init(&merge.sort.next, 0);
    atomic_init(&merge.sort.has_disorder, 0);
    find_starts(&merge);
    rounds = sort_rounds(merge.sort.runs);
    if (rounds == 0) /* one list: it is copied */
        return 0;
    if (stay) {
        merge.sort.to = merge.lists.at[0].table.elements;
    } else {
        merge.sort.to = rounds % 2 ? keys.scratch : keys.keys;
        pool_run(pool, merge.sort.workers, enter_share, &merge);
    }
    if (!atomic_load(&merge.sort.has_disorder))
        sort_merge(pool, &merge.sort, rounds);
    return !atomic_load(&merge.sort.has_disorder);
}
