/*
 * allocate.c - preallocate the output file while runs are formed in memory.
 */
#include "allocate.h"

#include "npy.h"

enum { PIECE = 64 << 20 }; /* of one call */

static void allocate(struct task *task, void *block)
{
    struct allocation *const allocation = (struct allocation *)task;
    struct errand *const errand = allocation->errand;
    const uint64_t all = allocation->bytes;

    (void)block;
    for (uint64_t at = 0; at < all && !crew_is_ending(errand->crew); at += PIECE) {
        if (disk_allocate(&errand->output.file, at, all - at < PIECE ? all - at : PIECE))
            return;
    }
    allocation->is_done = 1;
}

void allocate_begin(struct errand *errand, uint64_t bytes)
{
    struct allocation *const allocation = &errand->allocation;
    const mw_file_job *const job = errand->job;

    if (!errand->inputs.is_known || (job->flags & MW_FILE_UNIQUE) || bytes == 0 ||
        errand->output.is_pipe || npy_is_named(job->output, job->output_format))
        return;
    *allocation = (struct allocation){.errand = errand, .bytes = bytes};
    allocation->base = (struct task){allocate, &allocation->tally, NULL};
    crew_add(errand->crew, &allocation->base);
}

mw_status allocate_end(struct errand *errand)
{
    const struct allocation *const allocation = &errand->allocation;
    mw_status status;

    TRY(errand_wait(errand, &allocation->tally, 0));
    if (allocation->is_done && disk_is_memory(&errand->output.file))
        errand->output.file.mapped_bytes = allocation->bytes;
done:
    return status;
}
