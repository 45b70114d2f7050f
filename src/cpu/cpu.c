/*
 * cpu.c - threads and scratch memory of the CPU's sort.
 */
#include "cpu/cpu.h"

#include <stdlib.h>

#include "base/host.h"
#include "cpu/lists.h"
#include "cpu/lists_keys.h"
#include "cpu/pool.h"
#include "cpu/rows_count.h"
#include "cpu/rows_deal.h"
#include "cpu/segments.h"
#include "cpu/select.h"
#include "cpu/sort.h"
#include "cpu/suite.h"

struct cpu {
    struct pool *pool;
    struct error *error;
    void *work;    /* WORK_BYTES for each thread */
    void *scratch; /* kept between sorts */
    uint64_t scratch_bytes;
};

mw_status cpu_open(struct cpu **cpu, unsigned threads, struct error *error)
{
    struct cpu *const made = (struct cpu *)calloc(1, sizeof *made);
    mw_status status = MW_OK;

    *cpu = NULL;
    if (!made)
        return fail(error, MW_NO_MEMORY, "no memory for a handle");
    if (threads == 0)
        threads = host_processors();
    made->error = error;
    made->work = host_alloc((uint64_t)threads * WORK_BYTES);
    if (!made->work) {
        status = fail(error, MW_NO_MEMORY, "no memory for %u threads to work in", threads);
        goto done;
    }
    TRY(pool_open(&made->pool, threads, error));
    *cpu = made;
done:
    if (status != MW_OK)
        cpu_close(made);
    return status;
}

void cpu_close(struct cpu *cpu)
{
    if (!cpu)
        return;
    pool_close(cpu->pool);
    free(cpu->scratch);
    free(cpu->work);
    free(cpu);
}

unsigned cpu_threads(const struct cpu *cpu)
{
    return pool_threads(cpu->pool);
}

uint64_t cpu_scratch_bytes(int bits, uint64_t count, uint64_t limit)
{
    const uint64_t bytes = sort_scratch_bytes(bits, count, sort_best_run(bits));

    if (bytes <= limit)
        return bytes;

    const struct suite *const suite = suite_for(bits);

    return !suite ? bytes : suite->quick ? 0 : sort_tight_bytes(bits, count);
}

uint64_t cpu_scratch_most(int bits, uint64_t count)
{
    const uint64_t most = sort_most_scratch_count(bits, count);

    return cpu_scratch_bytes(bits, most, UINT64_MAX);
}

/* Make the scratch memory that is kept at least `bytes` large. */
static mw_status keep_scratch(struct cpu *cpu, uint64_t bytes)
{
    if (cpu->scratch_bytes >= bytes)
        return MW_OK;
    free(cpu->scratch);
    cpu->scratch = host_alloc(bytes);
    cpu->scratch_bytes = cpu->scratch ? bytes : 0;
    return cpu->scratch
               ? MW_OK
               : fail(cpu->error, MW_NO_MEMORY, "no memory for %llu bytes of scratch",
                      (unsigned long long)bytes);
}

mw_status cpu_sort(struct cpu *cpu, int bits, struct code code, void *keys, uint64_t count,
                   uint64_t limit, void *scratch, struct cpu_counts *counts)
{
    const struct suite *const suite = suite_for(bits);
    const uint64_t bytes = cpu_scratch_bytes(bits, count, limit);
    mw_status status = MW_OK;

    if (!suite)
        return fail(cpu->error, MW_UNSUPPORTED,
                    "the CPU sorts keys of 8, 16, 32 or 64 bits, not %d", bits);
    if (!scratch) {
        TRY(keep_scratch(cpu, bytes));
        scratch = cpu->scratch;
    }

    const struct sort_request request = {
        .suite = suite,
        .code = code,
        .keys = keys,
        .count = count,
        .run = sort_best_run(bits),
        .scratch = scratch,
        .work = cpu->work,
    };
    const int is_tight = bytes < sort_scratch_bytes(bits, count, request.run);

    if ((bytes == 0 || is_tight) && sort_in_place(cpu->pool, &request, 0, counts))
        goto done;
    if (is_tight)
        sort_tight(cpu->pool, &request, counts);
    else
        sort_keys(cpu->pool, &request, counts);
done:
    return status;
}

/* Are bare keys merged as runs of a sort are? That is fast, but takes memory. */
static int is_fast(const struct request *request, uint64_t limit)
{
    return lists_are_keys(request) &&
           (lists_keys_scratch(request) <= limit || lists_keys_stay(request));
}

/* Lists that turn out not to be sorted are merged as any others. */
static uint64_t lists_scratch(const struct request *request, unsigned threads,
                              uint64_t fast)
{
    const uint64_t other = lists_scratch_bytes(request, threads);

    return fast > other ? fast : other;
}

/* Scratch memory for these very lists; with others such a request may need more. */
static uint64_t scratch_now(const struct cpu *cpu, const struct request *request,
                            uint64_t limit)
{
    if (lists_are_keys(request) && lists_keys_stay(request))
        return lists_scratch(request, pool_threads(cpu->pool), lists_keys_least(request));
    return cpu_rows_scratch(cpu, request, limit);
}

/* Memory to sort rows with; to deal them out first, if there is enough for that. */
static uint64_t sort_scratch(const struct request *request, uint64_t limit)
{
    const uint64_t plain = rows_scratch_bytes(request, request->count);
    const uint64_t dealt = rows_deal_bytes(request, request->count);
    const uint64_t counted = rows_count_bytes(request, request->count);
    const uint64_t most = dealt > counted ? dealt : counted; /* one of them is 0 */

    return most <= limit && most > plain ? most : plain;
}

uint64_t cpu_rows_scratch(const struct cpu *cpu, const struct request *request,
                          uint64_t limit)
{
    const unsigned threads = pool_threads(cpu->pool);

    switch (request->operation) {
    case MW_MERGE:
    case MW_SPLIT:
        return lists_scratch(request, threads,
                             lists_are_keys(request) && lists_keys_scratch(request) <= limit
                                 ? lists_keys_scratch(request)
                                 : 0);
    case MW_CHECK:
        return 0;
    default:
        break;
    }
    if (request_has_segments(request))
        return segments_scratch_bytes(request, threads);
    return request->operation == MW_SORT
               ? sort_scratch(request, limit)
               : select_scratch_bytes(request, request->count, request->result_count);
}

/* Run a sort or a selection of all rows. */
static void run_all(struct cpu *cpu, const struct request *request, uint64_t limit,
                    void *scratch, struct cpu_counts *counts)
{
    const struct row_range all = {.count = request->count};
    const uint64_t bytes = request->count * request->row_bytes;

    if (rows_count_fits(request, request->count) &&
        rows_count_bytes(request, request->count) <= limit) {
        const uint32_t rounds = rows_count(cpu->pool, request, scratch, cpu->work);

        *counts = (struct cpu_counts){rounds, rounds * bytes, rounds * bytes};
    } else if (request->operation == MW_SORT &&
               rows_deal_bytes(request, request->count) <= limit &&
               rows_deal(cpu->pool, request, scratch, cpu->work)) {
        *counts = (struct cpu_counts){1, 2 * bytes, 2 * bytes};
    } else if (request->operation == MW_SORT) {
        rows_sort(cpu->pool, request, &all, scratch, cpu->work, counts);
    } else {
        select_rows(cpu->pool, request, &all, scratch, cpu->work, counts);
    }
}

mw_status cpu_rows(struct cpu *cpu, const struct request *request, uint64_t limit,
                   void *scratch, struct cpu_counts *counts)
{
    const uint64_t bytes = request->count * request->row_bytes;
    mw_status status = MW_OK;

    if (!scratch) {
        TRY(keep_scratch(cpu, scratch_now(cpu, request, limit)));
        scratch = cpu->scratch;
    }
    *counts = (struct cpu_counts){0};
    if (request->operation == MW_CHECK) {
        *request->cuts = rows_check(cpu->pool, request);
    } else if (request->operation == MW_SPLIT && request->list_count) {
        lists_split(cpu->pool, request, scratch);
    } else if (request->operation == MW_MERGE && request->list_count) {
        if (!is_fast(request, limit) ||
            !lists_merge_keys(cpu->pool, request, scratch, cpu->work))
            lists_merge(cpu->pool, request, scratch);
        *counts = (struct cpu_counts){1, bytes, bytes};
    } else if (request_has_segments(request)) {
        segments_run(cpu->pool, request, scratch, cpu->work, counts);
    } else if (request->list_count) {
        run_all(cpu, request, limit, scratch, counts);
    }
done:
    return status;
}
