/*
 * sort_merge.c - rounds of merges: each thread writes parts of the output.
 */
#include "cpu/sort_parts.h"

enum { PART_LEAST = 1 << 20 }; /* keys that are worth the cuts of a merge */

/* Keys [first, last) of the output, group of runs by group. */
static void merge_part(struct sort *sort, uint64_t first, uint64_t last, void *work)
{
    const struct sort_request *const r = sort->request;

    for (uint64_t i = 0; i < sort->runs; i += sort->ways) {
        const uint64_t left = sort->runs - i;
        const unsigned runs = left < sort->ways ? (unsigned)left : sort->ways;
        const uint64_t begin = sort->starts[i];
        const uint64_t end = sort->starts[i + runs];
        if (end <= first || begin >= last)
            continue;

        const struct merge_task task = {
            .from = sort->from,
            .to = sort->to,
            .starts = sort->starts + i,
            .runs = runs,
            .first = first > begin ? first - begin : 0,
            .last = (last < end ? last : end) - begin,
            .code = r->code,
            .leaving = sort->leaving,
            .check = sort->check,
            .stream = sort->stream,
            .work = work,
        };
        if (!r->suite->merge(&task))
            atomic_store(&sort->has_disorder, 1);
    }
}

static void merge_share(void *arg, unsigned worker)
{
    struct sort *const sort = (struct sort *)arg;
    const uint64_t count = sort->request->count;

    for (;;) {
        const uint64_t i = atomic_fetch_add(&sort->next, 1);
        if (i >= sort->parts || atomic_load(&sort->has_disorder))
            return;
        merge_part(sort, pool_part(count, sort->parts, i),
                   pool_part(count, sort->parts, i + 1), work_of(sort, worker));
    }
}

unsigned sort_rounds(uint64_t runs)
{
    unsigned rounds = 0;

    for (; runs > 1; rounds++)
        runs = (runs + MERGE_WAYS - 1) / MERGE_WAYS;
    return rounds;
}

/* The fewest ways that make one run of `runs` in `rounds` merges. */
static unsigned ways_for(uint64_t runs, unsigned rounds)
{
    for (unsigned ways = 2; ways < MERGE_WAYS; ways++) {
        uint64_t left = runs;

        for (unsigned i = 0; i < rounds; i++)
            left = (left + ways - 1) / ways;
        if (left <= 1)
            return ways;
    }
    return MERGE_WAYS;
}

/* Several parts for each of several workers, so that a slow one delays no other. */
static uint64_t parts_for(uint64_t count, unsigned workers)
{
    const uint64_t most = workers == 1 ? 1 : 4 * (uint64_t)workers;
    const uint64_t parts = count / PART_LEAST < most ? count / PART_LEAST : most;

    return parts < workers ? workers : parts;
}

void sort_merge(struct pool *pool, struct sort *sort, unsigned rounds)
{
    const struct sort_request *const r = sort->request;

    sort->parts = parts_for(r->count, sort->workers);
    sort->ways = ways_for(sort->runs, rounds);
    for (unsigned left = rounds; left > 0; left--) {
        sort->from = sort->to;
        sort->to = sort->from == r->keys ? r->scratch : r->keys;
        sort->leaving = left == 1;
        atomic_store(&sort->next, 0);
        pool_run(pool, sort->workers, merge_share, sort);

        uint64_t runs = 0;
        for (uint64_t i = 0; i < sort->runs; i += sort->ways)
            sort->starts[runs++] = sort->starts[i];
        sort->starts[runs] = r->count;
        sort->runs = runs;
    }
}
