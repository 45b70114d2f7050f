/*
 * across_cost.c - what sorts across ranks of one process send: rounds and bytes.
 *
 *   across_cost RANKS COUNT [SHAPE...]
 *
 * sorts COUNT u64 keys of each rank, of all shapes of the kit if none is named. Each result
 * must be in order and have the same keys. Each element must be received once, the search
 * for cuts must end within the rounds of docs/distributed.md, what is received besides must
 * be no more than these rounds need, and a rank's memory no more than that page says.
 */
#include "across.h"
#include "memory.h"
#include "tap.h"
#include "trial.h"
#include "watch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct study {
    uint64_t *keys;
    uint64_t count; /* of a rank */
    struct watch *watches;
    uint64_t *peaks; /* memory of each rank, besides its keys ... */
    uint64_t *later; /* ... and what it allocates to sort again */
};

static mw_status rank_main(mw_comm *comm, void *argument)
{
    struct study *const study = argument;
    mw_comm counting = watch_comm(&study->watches[comm->rank], comm, 0);
    mw_table in = {.elements = study->keys + comm->rank * study->count,
                   .count = study->count};
    mw_job job = MW_JOB_INIT;
    mw_context *context;
    mw_status status = mw_open(&context, "cpu:1", NULL);

    memory_watch();
    job.order = mw_order_of(MW_U64, MW_ASCENDING);
    job.in = &in;
    if (status == MW_OK)
        status = mw_sort_across(context, &counting, &job);
    study->peaks[comm->rank] = memory_peak();
    if (status == MW_OK) {
        const struct watch once = study->watches[comm->rank];

        memory_watch();
        status = mw_sort_across(context, &counting, &job);
        study->later[comm->rank] = memory_peak();
        study->watches[comm->rank] = once;
    }
    mw_across_release(&counting);
    mw_close(context);
    return status;
}

/* Workspace of a sort and of a merge of a rank's keys, the larger with the rows received.
 */
static uint64_t workspace(uint32_t ranks, uint64_t count)
{
    mw_table *const lists = calloc(ranks, sizeof *lists);
    mw_table in = {.count = count}, out = {.elements = lists, .count = count};
    mw_job sort = MW_JOB_INIT, merge = MW_JOB_INIT;
    mw_context *context;
    uint64_t sorting = 0, merging = 0;

    sort.order = merge.order = mw_order_of(MW_U64, MW_ASCENDING);
    sort.in = &in;
    merge.operation = MW_MERGE;
    merge.in = lists;
    merge.in_count = ranks;
    merge.out = &out;
    if (lists && mw_open(&context, "cpu:1", NULL) == MW_OK) {
        lists[0].count = count;
        mw_prepare(context, &sort, &sorting);
        mw_prepare(context, &merge, &merging);
        mw_close(context);
    }
    free(lists);
    return 8 * count + (sorting > merging ? sorting : merging);
}

/*
 * Calls besides the rounds: agreements before, after the search, on the cuts, before the
 * exchange, and at the end; jobs; cuts; counts; rows.
 */
enum { CALLS = 9, CALLS_OF_ROUND = 3 };

static void try_shape(struct tap *tap, struct study *study, uint32_t ranks,
                      const char *shape)
{
    const uint64_t all = ranks * study->count;
    const double most_rounds =
        1 + ceil(log((double)(all + 1)) / log((EVEN_PLACES - 1) / 2.0));
    struct kit_fingerprint before = {0}, after = {0};
    uint64_t extra = 0, rounds = 0, peak = 0, later = 0;

    if (kit_fill(MW_U64, shape, 1, study->keys, all) != MW_OK) {
        tap_skip(tap, shape, "not for this many keys");
        return;
    }
    kit_fingerprint_add(&before, MW_U64, study->keys, all);

    const mw_status status = mw_across_threads(ranks, rank_main, study);

    kit_fingerprint_add(&after, MW_U64, study->keys, all);
    for (uint32_t i = 0; i < ranks; i++) {
        const struct watch *const w = &study->watches[i];
        const uint64_t more = w->bytes - 8 * study->count;

        extra = more > extra ? more : extra;
        peak = study->peaks[i] > peak ? study->peaks[i] : peak;
        later = study->later[i] > later ? study->later[i] : later;
        rounds = (w->calls - CALLS) / CALLS_OF_ROUND;
    }

    const double model = (double)sizeof(struct hello) * ranks + 16.0 * ranks +
                         16 * (double)(rounds + 5) +
                         (double)rounds * ranks * (sizeof(struct ask) + 8 * MOST_PLACES);

    /*
     * A handle's scratch memory is at least 4 MiB. That and the room for rows are made in
     * large pages: each may be up to 2 MiB longer, and the system's mapping 2 MiB more.
     */
    const uint64_t search = ranks * (570 + 32 * 8) + (64 << 10);
    const uint64_t memory =
        workspace(ranks, study->count) + search + 64 * MOST_PLACES * ranks + (8 << 20);

    tap_case(tap,
             status == MW_OK && kit_fingerprint_equal(before, after) &&
                 kit_first_disorder(MW_U64, MW_ASCENDING, study->keys, all) == all &&
                 (double)rounds <= most_rounds && (double)extra <= model &&
                 peak <= memory && later <= search,
             "%s: %" PRIu64 " rounds (at most %.0f), %" PRIu64
             " bytes besides rows (at most %.0f), %" PRIu64 " of memory (at most %" PRIu64
             "), %.3f %%",
             shape, rounds, most_rounds, extra, model, peak, memory,
             100 * (double)extra / (8 * (double)study->count));
}

int main(int count, char **words)
{
    const uint32_t ranks = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 16;
    struct study study = {.count = count > 2 ? strtoull(words[2], NULL, 10) : 10000};
    struct tap tap = {0};
    char text[SHAPE_TEXT];

    study.keys = malloc((size_t)(ranks * study.count) * sizeof *study.keys);
    study.watches = malloc(ranks * sizeof *study.watches);
    study.peaks = malloc(2 * ranks * sizeof *study.peaks);
    study.later = study.peaks + ranks;
    tap_ok(&tap, study.keys && study.watches && study.peaks, "memory", "");
    for (int i = 3; i < count && !tap.failed; i++)
        try_shape(&tap, &study, ranks, words[i]);
    for (int i = 0; count < 4 && !tap.failed && trial_shape(i, text); i++)
        try_shape(&tap, &study, ranks, text);
    free(study.peaks);
    free(study.watches);
    free(study.keys);
    return tap_end(&tap);
}
