/*
 * across_cost.c - what sorts across ranks of one process send: rounds and bytes.
 *
 *   across_cost RANKS COUNT [SHAPE...]
 *
 * sorts COUNT u64 keys of each rank, of all shapes of the kit if none is named. Each result
 * must be in order and have the same keys. Each element must be received once, the search
 * for cuts must end within the rounds of docs/distributed.md, and what is received besides
 * must be no more than these rounds need.
 */
#include "across.h"
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

    job.order = mw_order_of(MW_U64, MW_ASCENDING);
    job.in = &in;
    if (status == MW_OK)
        status = mw_sort_across(context, &counting, &job);
    mw_close(context);
    return status;
}

/*
 * Calls besides the rounds: agreements before, after the search, before and after the
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
    uint64_t extra = 0, rounds = 0;

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
        rounds = (w->calls - CALLS) / CALLS_OF_ROUND;
    }

    const double model = (double)sizeof(struct hello) * ranks + 16.0 * ranks +
                         16 * (double)(rounds + 6) +
                         (double)rounds * ranks * (sizeof(struct ask) + 8 * MOST_PLACES);

    tap_case(tap,
             status == MW_OK && kit_fingerprint_equal(before, after) &&
                 kit_first_disorder(MW_U64, MW_ASCENDING, study->keys, all) == all &&
                 (double)rounds <= most_rounds && (double)extra <= model,
             "%s: %" PRIu64 " rounds (at most %.0f), %" PRIu64
             " bytes besides rows (at most %.0f), %.3f %%",
             shape, rounds, most_rounds, extra, model,
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
    tap_ok(&tap, study.keys && study.watches, "memory", "");
    for (int i = 3; i < count && !tap.failed; i++)
        try_shape(&tap, &study, ranks, words[i]);
    for (int i = 0; count < 4 && !tap.failed && trial_shape(i, text); i++)
        try_shape(&tap, &study, ranks, text);
    free(study.watches);
    free(study.keys);
    return tap_end(&tap);
}
