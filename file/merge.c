/*
 * merge.c - merge all runs of a job to its output, in as few passes as the memory allows.
 */
#include "merge.h"

#include "npy.h"
#include "rounds.h"

#include <stdlib.h>
#include <string.h>

/* Merge some neighbouring runs to one longer run. */
static mw_status shorten(struct errand *errand, uint32_t first, uint32_t count,
                         uint64_t rows)
{
    const uint64_t before = errand->report->rows_written;
    struct run run = {0};
    struct merge merge;
    mw_status status;

    errand->memory_used = 0;
    if (errand->total) /* these rows count once more; 0: not known yet */
        errand->total += rows * errand->row_bytes;
    TRY(rounds_open(&merge, errand, first, count, rounds_block_bytes(errand, count)));
    TRY(errand_place(errand, &run));
    sink_open(&merge.sink, errand, &run.temporary->file, 0, run.at,
              rounds_sink_bytes(errand));
    TRY(rounds_run(&merge));
    TRY(sink_finish(&merge.sink, 1));
    run.rows = errand->report->rows_written - before;
    run.temporary->end = merge.sink.at;
    errand->report->temporary_bytes += run.rows * errand->row_bytes;
    errand->report->rows_written = before;
    runs_replace(&errand->runs, first, count, run);
done:
    rounds_close(&merge, status);
    return status;
}

/* The most runs whose blocks fit the memory, at least 2. */
static uint32_t most_ways(struct errand *errand)
{
    uint32_t low = 2;
    uint32_t high = errand->runs.count < WAYS_MOST ? errand->runs.count + 1 : WAYS_MOST;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (rounds_block_bytes(errand, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The header of a .npy output: into the sink, or over what stands at its beginning. */
static mw_status write_header(struct errand *errand, struct sink *sink, uint64_t rows)
{
    char *const header = malloc(NPY_HEADER_MOST);
    char descr[64];
    const char *text = errand->job->descr;
    unsigned char *to;
    uint64_t room;
    uint32_t bytes;
    mw_status status = MW_OK;

    if (!header)
        return fault_note(&errand->fault, MW_NO_MEMORY, "no memory for a header");
    npy_descr(errand->order, descr);
    if (!text)
        text = errand->inputs.descr[0] ? errand->inputs.descr : descr;
    bytes = npy_write(text, text == errand->inputs.descr && errand->inputs.is_utf8, rows,
                      header);
    if (!sink) {
        disk_be_buffered(&errand->output.file);
        if (disk_write(&errand->disk, &errand->output.file, header, bytes, 0))
            status = MW_FILE_FAILED;
        goto done;
    }
    TRY(sink_room(sink, &to, &room));
    memcpy(to, header, bytes);
    TRY(sink_commit(sink, bytes));
done:
    free(header);
    return status;
}

static mw_status merge_to_output(struct errand *errand, uint64_t block)
{
    const int is_unique = (errand->job->flags & MW_FILE_UNIQUE) != 0;
    const int is_npy = npy_is_named(errand->job->output, errand->job->output_format);
    struct outfile *const output = &errand->output;
    struct merge merge;
    mw_status status;

    TRY(rounds_open(&merge, errand, 0, errand->runs.count, block));
    if (is_unique) {
        merge.unique = calloc(1, sizeof *merge.unique);
        if (!merge.unique) {
            status = fault_note(&errand->fault, MW_NO_MEMORY, "no memory for a row");
            goto done;
        }
        merge.unique->order = errand->order;
    }
    sink_open(&merge.sink, errand, &output->file, output->is_pipe, 0,
              rounds_sink_bytes(errand));
    if (is_npy)
        TRY(write_header(errand, &merge.sink, errand->report->rows));
    TRY(rounds_run(&merge));
    TRY(sink_finish(&merge.sink, 0));
    if (is_npy && errand->report->rows_written != errand->report->rows)
        TRY(write_header(errand, NULL, errand->report->rows_written));
done:
    rounds_close(&merge, status);
    return status;
}

mw_status merge_runs(struct errand *errand)
{
    const uint32_t runs = errand->runs.count;
    const int is_on_disk = runs && !errand->runs.run[0].memory;
    const uint32_t ways = is_on_disk ? most_ways(errand) : runs;
    uint64_t moved = 0;
    uint32_t first = 0;
    mw_status status = MW_OK;

    errand->phase = "merge";
    errand->report->runs = errand->aboard.memory ? 1 : runs;
    errand->report->passes = is_on_disk && errand->runs.run[0].temporary;
    if (is_on_disk && !rounds_block_bytes(errand, runs < ways ? runs : ways))
        return fault_note(&errand->fault, MW_NO_MEMORY,
                          "the memory allowed is too small to merge two runs");
    while (errand->runs.count > ways) {
        const uint32_t excess = errand->runs.count - ways + 1;
        const uint32_t count = excess < ways ? excess : ways;
        uint64_t rows = 0;

        if (first + count > errand->runs.count)
            first = 0;
        for (uint32_t i = 0; i < count; i++)
            rows += errand->runs.run[first + i].rows;
        moved += rows;
        TRY(shorten(errand, first++, count, rows));
    }
    if (errand->report->rows) /* in passes over everything */
        errand->report->passes +=
            (uint32_t)((moved + errand->report->rows - 1) / errand->report->rows);
    if (is_on_disk)
        errand->memory_used = 0;
    TRY(merge_to_output(errand,
                        is_on_disk ? rounds_block_bytes(errand, errand->runs.count) : 0));
done:
    return status;
}
