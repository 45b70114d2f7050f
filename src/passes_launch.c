/*
 * passes_launch.c - one launch, with its entry in the log; and the launches that move and
 * check rows.
 */
#include "passes.h"

#include "kernels/launch.h"

static const char *const kernel_names[] = {
#define KERNEL_ROW(id, name, args, program, memory) #name,
#include "kernels/kernels.def"
#undef KERNEL_ROW
};

/* Record event `number` of the log, which is opened at its first use. */
static mw_status record(struct device *device, struct pass_log *log, uint32_t number,
                        void *stream)
{
    mw_status status;

    if (!log->events[number])
        TRY(device->verbs->event_open(device, &log->events[number]));
    TRY(device->verbs->record(device, log->events[number], stream));
done:
    return status;
}

void pass_log_close(struct device *device, struct pass_log *log)
{
    for (uint32_t i = 0; i <= PASSES_MOST_LAUNCHES; i++) {
        device->verbs->event_close(device, log->events[i]);
        log->events[i] = NULL;
    }
}

/* Enter a launch and, where it is known, its traffic; record an event after it. */
static mw_status note_launch(struct device *device, const struct launch *what,
                             struct pass_log *log)
{
    const struct device_verbs *const verbs = device->verbs;

    if (log->count == PASSES_MOST_LAUNCHES)
        return MW_OK; /* a sort by many words: only the first launches are logged */
    log->launches[log->count++] = (mw_launch){.kernel = kernel_names[what->kernel],
                                              .round = log->round,
                                              .threads = what->threads,
                                              .blocks = what->blocks};
    if (verbs->ledger_last)
        log->launches[log->count - 1].traffic = verbs->ledger_last(device);
    return record(device, log, log->count, what->stream);
}

mw_status passes_launch(struct device *device, const struct launch *what,
                        struct pass_log *log)
{
    mw_status status = MW_OK;

    if (log && log->count == 0)
        TRY(record(device, log, 0, what->stream));
    TRY(device->verbs->launch(device, what));
    if (log)
        TRY(note_launch(device, what, log));
done:
    return status;
}

mw_status passes_enqueue(struct pass_queue *queue, struct program *program,
                         enum kernel_id kernel, uint64_t blocks, uint32_t threads,
                         uint32_t shared_bytes, const void *args, size_t args_bytes)
{
    const struct launch what = {.program = program,
                                .kernel = kernel,
                                .blocks = blocks,
                                .threads = threads,
                                .shared_bytes = shared_bytes,
                                .args = args,
                                .args_bytes = args_bytes,
                                .stream = queue->stream,
                                .follows =
                                    queue->begun && !queue->is_strict && !queue->log};

    queue->begun = 1;
    return passes_launch(queue->device, &what, queue->log);
}

mw_status passes_load_rows(struct device *device, struct program **program)
{
    const struct program_name name = {.engine = PROGRAM_ROWS};

    return device->verbs->load(device, &name, kernels_of(PROGRAM_ROWS), program);
}

mw_status passes_gather(struct device *device, struct program *program, const void *in,
                        void *out, const void *positions, uint64_t count, uint32_t bytes,
                        void *stream, struct pass_log *log)
{
    return passes_gather_some(device, program, in, out, positions, NULL, count, bytes,
                              stream, log);
}

mw_status passes_gather_some(struct device *device, struct program *program, const void *in,
                             void *out, const void *positions, const void *wanted,
                             uint64_t count, uint32_t bytes, void *stream,
                             struct pass_log *log)
{
    const uint64_t each = GATHER_ROWS(bytes);
    const struct gather_rows_args args = {.in = in,
                                          .out = out,
                                          .positions = positions,
                                          .wanted = wanted,
                                          .count = count,
                                          .bytes = bytes,
                                          .some = wanted != NULL};
    const struct launch what = {.program = program,
                                .kernel = KERNEL_GATHER_ROWS,
                                .blocks = (count + each - 1) / each,
                                .threads = gather_rows_threads,
                                .args = &args,
                                .args_bytes = sizeof args,
                                .stream = stream};

    return passes_launch(device, &what, log);
}

mw_status passes_check(struct device *device, struct program *program,
                       const struct check_rows_args *args,
                       const struct check_last_args *last, void *stream,
                       struct pass_log *log)
{
    struct launch what = {.program = program,
                          .kernel = KERNEL_CHECK_ROWS,
                          .blocks = last->blocks,
                          .threads = CHECK_THREADS,
                          .shared_bytes = CHECK_THREADS / WARP * sizeof(wide),
                          .args = args,
                          .args_bytes = sizeof *args,
                          .stream = stream};
    mw_status status = MW_OK;

    if (last->blocks)
        TRY(passes_launch(device, &what, log));
    what.kernel = KERNEL_CHECK_LAST;
    what.blocks = 1;
    what.args = last;
    what.args_bytes = sizeof *last;
    TRY(passes_launch(device, &what, log));
done:
    return status;
}
