/*
 * passes_deal.c - the launches of engine deal, without merging (deal.cuh).
 */
#include "passes.h"

#include "kernels/launch.h"

/* The kernels, in the order in which they run. */
static const enum kernel_id deal_kernels[DEAL_LAUNCHES] = {
    KERNEL_DEAL_RANGE, KERNEL_DEAL_SAMPLE, KERNEL_DEAL_SPLIT, KERNEL_DEAL_OUT,
    KERNEL_DEAL_COUNT, KERNEL_DEAL_PACK,   KERNEL_DEAL_IN,    KERNEL_DEAL_SORT};

/* The shape of a launch. */
static void shape(struct launch *what, const struct plan *plan)
{
    const struct plan_deal *const d = &plan->deal;

    what->threads = DEAL_THREADS;
    what->shared_bytes = DEAL_SUMS_SHARED;
    switch (what->kernel) {
    case KERNEL_DEAL_SAMPLE:
        what->blocks = d->samples / DEAL_SAMPLED;
        what->shared_bytes = DEAL_SAMPLE_SHARED;
        break;
    case KERNEL_DEAL_OUT:
        what->blocks = d->dealers;
        what->shared_bytes = DEAL_SHARED;
        break;
    case KERNEL_DEAL_COUNT:
        what->blocks = (uint64_t)d->buckets * d->pieces;
        break;
    case KERNEL_DEAL_PACK:
        what->blocks = d->buckets;
        what->shared_bytes = DEAL_PACK_SHARED;
        break;
    case KERNEL_DEAL_IN:
        what->blocks = (uint64_t)d->buckets * d->pieces;
        what->shared_bytes = DEAL_SHARED;
        break;
    case KERNEL_DEAL_SORT:
        what->blocks = d->most_tiles;
        what->threads = plan->base_threads;
        what->shared_bytes = plan->base_shared;
        break;
    case KERNEL_DEAL_RANGE:
        what->blocks = d->samples / plan->tuning.base;
        what->threads = plan->base_threads;
        what->shared_bytes = plan->base_shared + 128;
        break;
    default:
        what->blocks = 1;
        break;
    }
}

mw_status passes_deal(struct device *device, struct program *program,
                      const struct plan *plan, const struct tile_sort_args *merged,
                      struct key_code leave, char *workspace, void *stream,
                      struct pass_log *log)
{
    const struct plan_deal *const d = &plan->deal;
    const struct deal_args args = {
        .keys = (void *)merged->in,
        .room = workspace,
        .room_count = d->room_count,
        .count = merged->count,
        .head = (wide *)(workspace + d->head),
        .reach = (wide *)(workspace + d->reach),
        .bins = (unsigned *)(workspace + d->bins),
        .bucket_of = (unsigned short *)(workspace + d->bucket_of),
        .first = (wide *)(workspace + d->first),
        .start = (wide *)(workspace + d->start),
        .next = (wide *)(workspace + d->next),
        .fine = (unsigned *)(workspace + d->fine),
        .tile_of = (unsigned short *)(workspace + d->tile_of),
        .tile_next = (wide *)(workspace + d->tile_next),
        .tiles = (wide *)(workspace + d->tiles),
        .frequent = (wide *)(workspace + d->frequent),
        .stretch = (merged->count << DEAL_STRETCH_BITS) / d->samples,
        .samples = d->samples,
        .shares = d->shares,
        .buckets = d->buckets,
        .pieces = d->pieces,
        .fill = d->fill,
        .most_equal = d->most_equal,
        .alike = d->alike,
        .most_tiles = d->most_tiles,
        .leave = leave,
        .merged = *merged};
    mw_status status = MW_OK;

    for (int i = 0; i < DEAL_LAUNCHES; i++) {
        struct launch what = {.program = program,
                              .kernel = deal_kernels[i],
                              .args = &args,
                              .args_bytes = sizeof args,
                              .stream = stream,
                              .follows = i > 0 && !log};

        shape(&what, plan);
        TRY(passes_launch(device, &what, log));
    }
done:
    return status;
}
