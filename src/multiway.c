/*
 * multiway.c - the passes of a multiway mergesort, in a few device verbs.
 *
 *   base case    sorted runs of `base` keys; keys become unsigned numbers
 *   each round   cuts: where each merge task begins in each list
 *                merge: every `ways` neighbouring runs become one;
 *                       the last round turns numbers back into keys
 *
 * Two buffers take turns. The base case may sort in place, so it writes to
 * whichever buffer lets the last round end in the caller's.
 */
#include "passes.h"

#include "kernels/launch.h"

/* Everything the passes of one sort have in common. */
struct sort {
    struct device *device;
    struct program *program;
    const struct plan *plan;
    uint64_t count;
    void *stream;
};

static struct key_code key_code(struct code code)
{
    return (struct key_code){.flip = code.flip, .is_float = code.is_float};
}

static const struct key_code no_code = {0, 0, 0};

static mw_status launch(const struct sort *sort, enum kernel_id kernel, uint64_t blocks,
                        uint32_t threads, uint32_t shared_bytes, const void *args,
                        size_t args_bytes)
{
    const struct launch what = {.program = sort->program,
                                .kernel = kernel,
                                .blocks = blocks,
                                .threads = threads,
                                .shared_bytes = shared_bytes,
                                .args = args,
                                .args_bytes = args_bytes,
                                .stream = sort->stream};

    return sort->device->verbs->launch(sort->device, &what);
}

/* Sort runs of `base` keys from `in` to `out`, which may be the same buffer. */
static mw_status base_pass(const struct sort *sort, const void *in, void *out,
                           struct key_code enter, struct key_code leave)
{
    const struct plan *const plan = sort->plan;
    const struct heap_base_args args = {.in = in,
                                        .out = out,
                                        .count = sort->count,
                                        .base = plan->tuning.base,
                                        .enter = enter,
                                        .leave = leave};

    return launch(sort, KERNEL_HEAP_BASE, plan->base_blocks, plan->base_threads,
                  plan->base_shared, &args, sizeof args);
}

/* Merge runs from `in` to `out`: first the cuts, then the merge between them. */
static mw_status merge_pass(const struct sort *sort, const struct plan_round *round,
                            const void *in, void *out, void *cuts, struct key_code leave)
{
    const struct plan *const plan = sort->plan;
    const uint64_t cut_rows = round->groups * (round->pieces + 1);
    const uint64_t cuts_per_block = heap_cut_threads / HEAP_LANES;
    const struct heap_round shape = {.in = in,
                                     .out = out,
                                     .cuts = cuts,
                                     .count = sort->count,
                                     .run = round->run,
                                     .piece = round->piece,
                                     .groups = round->groups,
                                     .pieces = round->pieces,
                                     .ways = (int)plan->tuning.ways};
    const struct heap_cut_args cut_args = {.round = shape};
    const struct heap_merge_args merge_args = {.round = shape, .leave = leave};
    mw_status status;

    TRY(launch(sort, KERNEL_HEAP_CUT, (cut_rows + cuts_per_block - 1) / cuts_per_block,
               heap_cut_threads, 0, &cut_args, sizeof cut_args));
    TRY(launch(sort, KERNEL_HEAP_MERGE, round->blocks, plan->tuning.threads,
               plan->merge_shared, &merge_args, sizeof merge_args));
done:
    return status;
}

mw_status passes_sort(struct device *device, struct program *program,
                      const struct plan *plan, struct code code, void *keys,
                      uint64_t count, void *workspace, void *stream)
{
    const struct sort sort = {device, program, plan, count, stream};
    const struct key_code ours = key_code(code);
    void *const buffer[2] = {keys, workspace};
    void *const cuts = workspace ? (char *)workspace + plan->cuts_offset : NULL;
    uint32_t at = plan->rounds % 2; /* where the runs are: an even number of rounds to go */
    mw_status status;

    TRY(base_pass(&sort, keys, buffer[at], ours, plan->rounds == 0 ? ours : no_code));
    for (uint32_t i = 0; i < plan->rounds; i++) {
        const int last = i + 1 == plan->rounds;

        TRY(merge_pass(&sort, &plan->round[i], buffer[at], buffer[1 - at], cuts,
                       last ? ours : no_code));
        at = 1 - at;
    }
done:
    return status;
}
