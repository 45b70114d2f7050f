/*
 * passes_tally.c - engine tally: count the keys, add the counts up, write the keys.
 */
#include "passes.h"

#include "kernels/launch.h"

static struct tally_rows rows_at(const struct plan *plan, char *workspace)
{
    const struct plan_tally *const tally = &plan->tally;

    return (struct tally_rows){
        .totals = workspace,
        .counts = (unsigned short *)(workspace + tally->counts_offset),
        .carries = (unsigned short *)(workspace + tally->carries_offset),
        .carry_count = (unsigned *)(workspace + tally->carry_count_offset),
        .rows = plan->base_blocks};
}

mw_status passes_tally(struct device *device, struct program *program,
                       const struct plan *plan, struct code code, void *keys,
                       uint64_t count, void *workspace, void *stream, struct pass_log *log)
{
    const struct plan_tally *const tally = &plan->tally;
    const struct key_code leave = {.flip = code.flip, .is_float = code.is_float};
    const struct tally_rows rows = rows_at(plan, workspace);
    wide *const starts = (wide *)((char *)workspace + tally->starts_offset);
    const struct tally_count_args count_args = {
        .keys = keys, .count = count, .rows = rows, .leave = leave};
    const struct tally_sum_args sum_args = {.rows = rows, .starts = starts};
    const struct tally_write_args write_args = {.keys = keys,
                                                .starts = starts,
                                                .count = count,
                                                .vectors = tally->write_vectors,
                                                .leave = leave};
    const struct launch launches[] = {
        {.kernel = KERNEL_TALLY_COUNT,
         .blocks = plan->base_blocks,
         .threads = plan->base_threads,
         .shared_bytes = plan->base_shared,
         .args = &count_args,
         .args_bytes = sizeof count_args},
        {.kernel = KERNEL_TALLY_SUM,
         .blocks = tally->sum_blocks,
         .threads = tally->sum_threads,
         .shared_bytes = TALLY_SUM_SHARED,
         .args = &sum_args,
         .args_bytes = sizeof sum_args},
        {.kernel = KERNEL_TALLY_WRITE,
         .blocks = tally->write_blocks,
         .threads = tally_write_threads,
         .args = &write_args,
         .args_bytes = sizeof write_args  },
    };
    mw_status status = MW_OK;

    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        struct launch what = launches[i];

        what.program = program;
        what.stream = stream;
        what.follows = i > 0 && !log; /* launches of a timed sort must not overlap */
        TRY(passes_launch(device, &what, log));
    }
done:
    return status;
}
