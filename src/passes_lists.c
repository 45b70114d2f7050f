/*
 * passes_lists.c - the launches that write and use tables of lists.
 */
#include "lists.h"

mw_status lists_begin(struct lists_run *run, struct backend *backend,
                      const struct request *request, void *workspace, void *stream)
{
    *run = (struct lists_run){.backend = backend,
                              .request = request,
                              .workspace = workspace,
                              .queue = device_queue(backend, stream)};
    return passes_load_rows(backend_device(backend), &run->mover);
}

mw_status lists_launch(struct lists_run *run, struct program *program,
                       enum kernel_id kernel, uint64_t blocks, uint32_t threads,
                       uint32_t shared_bytes, const void *args, size_t args_bytes)
{
    run->launches++;
    return passes_enqueue(&run->queue, program, kernel, blocks, threads, shared_bytes, args,
                          args_bytes);
}

void lists_note(struct lists_run *run, uint32_t rounds, const struct program_name *program)
{
    const uint64_t bytes = run->request->count * run->request->row_bytes * rounds;

    run->backend->counts = (mw_counts){
        .size = sizeof run->backend->counts,
        .count = run->request->count,
        .rounds = rounds,
        .launches = run->launches,
        .bytes_read = bytes,
        .bytes_written = bytes,
        .tuning = {.size = sizeof(mw_tuning),
                   .engine = MW_ENGINE_TILE,
                   .threads = program->tile.rows,
                   .items = program->tile.items}
    };
}

void lists_write(struct lists_writer *writer, struct lists_run *run, wide *to)
{
    writer->run = run;
    writer->args.to = to;
    writer->args.zeros = NULL;
    writer->args.zero_count = 0;
    writer->args.count = 0;
    writer->args.unused = 0;
}

mw_status lists_flush(struct lists_writer *writer)
{
    struct write_words_args *const args = &writer->args;
    const uint64_t zeros = (args->zero_count + write_words_threads - 1) /
                           write_words_threads; /* blocks of one zero for each thread */
    mw_status status = MW_OK;

    if (args->count || zeros)
        TRY(lists_launch(writer->run, writer->run->mover, KERNEL_WRITE_WORDS,
                         zeros < 1      ? 1
                         : zeros < 1024 ? zeros
                                        : 1024,
                         write_words_threads, 0, args, sizeof *args));
    args->to += args->count;
    args->count = 0;
    args->zero_count = 0;
done:
    return status;
}

mw_status lists_put(struct lists_writer *writer, wide word)
{
    mw_status status = MW_OK;

    if (writer->args.count == LISTS_WORDS)
        TRY(lists_flush(writer));
    writer->args.word[writer->args.count++] = word;
done:
    return status;
}

mw_status lists_put_firsts(struct lists_writer *writer)
{
    const struct request *const request = writer->run->request;
    uint64_t first = 0;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < request->list_count; i++) {
        TRY(lists_put(writer, first));
        first += request_list(request, i).count;
    }
    TRY(lists_put(writer, first));
done:
    return status;
}

mw_status lists_put_column(struct lists_writer *writer, uint32_t column, uint32_t offset)
{
    const struct request *const request = writer->run->request;
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < request->list_count; i++)
        TRY(lists_put(writer, (uintptr_t)request_list_column(request, i, column) + offset));
done:
    return status;
}

mw_status lists_copy(struct lists_run *run, const struct copy_lists_args *args)
{
    /* A conditional copy rarely runs, and blocks cost time even if they do nothing. */
    const uint64_t most = args->condition ? 256 : 2048;
    const uint64_t rows = LISTS_COPY_WARPS * (uint64_t)LISTS_COPY_ROWS(args->bytes);
    const uint64_t blocks = (args->count + rows - 1) / rows;

    return lists_launch(run, run->mover, KERNEL_COPY_LISTS, blocks < most ? blocks : most,
                        copy_lists_threads, 0, args, sizeof *args);
}
