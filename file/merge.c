/*
 * merge.c - sorted runs to one stream.
 *
 * Every run has some rows in memory. If each run that has more in its file has at least D
 * of them, the first D rows of all runs are among these: no run can have more than D of
 * them. So each round cuts what is in memory at rank D (MW_SPLIT), and merges what lies
 * before the cuts (MW_MERGE) to the output's buffer. No row is compared with one on disk.
 */
#include "merge.h"

#include "npy.h"
#include "reader.h"
#include "sink.h"
#include "unique.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_LEAST = 64 << 10, /* bytes of a read; with less, runs are merged in two passes */
    BLOCK_MOST = 4 << 20,
    SINK_LEAST = 64 << 10,
    SINK_MOST = 4 << 20,
    WAYS_MOST = 30000 /* a job takes 100,000 lists */
};

/* A merge of some runs. */
struct merge {
    struct errand *errand;
    struct reader *reader;
    uint32_t reader_count;
    mw_table *list; /* of this round: blocks of all readers, in order */
    uint32_t *owner;
    struct block **block;
    uint64_t *cuts;
    uint32_t list_count;
    void *scratch;
    uint64_t split_scratch;
    uint64_t merge_scratch;
    uint64_t want; /* rows that make a round worth its cost */
    struct unique *unique;
    struct sink sink;
};

/* ---- Memory
 * --------------------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t sink_bytes(const struct errand *errand)
{
    const uint64_t part = disk_round_down(errand->budget / 32);

    return part < SINK_LEAST ? SINK_LEAST : least(part, SINK_MOST);
}

static uint64_t table_bytes(uint32_t lists)
{
    return disk_round_up((uint64_t)lists * (sizeof(mw_table) + sizeof(uint32_t) +
                                            sizeof(struct block *) + sizeof(uint64_t)));
}

/* Scratch memory of a round's two jobs. */
static mw_status round_scratch(struct errand *errand, uint32_t lists, uint64_t *split,
                               uint64_t *merge)
{
    const uint64_t rows = lists ? sink_bytes(errand) / errand->row_bytes : 0;
    mw_table *const table = calloc(lists + 1, sizeof *table);
    mw_job job = MW_JOB_INIT;
    mw_status status = MW_OK;

    if (!table)
        return fault_note(&errand->fault, MW_NO_MEMORY, "no memory for %u lists", lists);
    table[0].count = rows;
    table[lists] = (mw_table){.elements = table, .count = rows}; /* it is wanted */
    job.operation = MW_MERGE;
    job.order = errand->order;
    job.in = table;
    job.in_count = lists;
    job.out = &table[lists];
    TRY(errand_scratch(errand, errand->merger, &job, merge));
    job.operation = MW_SPLIT;
    job.out = NULL;
    job.rank_count = 1;
    job.ranks = &rows;
    job.cuts = (uint64_t *)table;
    TRY(errand_scratch(errand, errand->merger, &job, split));
done:
    free(table);
    return status;
}

/* What a merge of so many runs needs besides their blocks. */
static uint64_t fixed_bytes(struct errand *errand, uint32_t runs)
{
    const uint32_t lists = runs * READER_BLOCKS;
    uint64_t split = 0, merge = 0;

    if (round_scratch(errand, lists, &split, &merge) != MW_OK)
        return UINT64_MAX / 2;
    return sink_memory(sink_bytes(errand)) + table_bytes(lists) +
           disk_round_up(split > merge ? split : merge) + 4 * DISK_ALIGN;
}

uint64_t merge_memory(struct errand *errand, uint32_t runs)
{
    return fixed_bytes(errand, runs);
}

uint64_t merge_most_memory(struct errand *errand)
{
    const uint32_t runs = errand->runs.count < WAYS_MOST ? errand->runs.count : WAYS_MOST;
    const uint64_t all = fixed_bytes(errand, runs) + runs * reader_memory(BLOCK_MOST);

    return least(all, errand->budget);
}

/* Bytes of a block if so many runs are read from files; 0: too few. */
static uint64_t block_bytes(struct errand *errand, uint32_t runs)
{
    const uint64_t fixed = fixed_bytes(errand, runs);
    const uint64_t left = errand->memory_bytes > fixed ? errand->memory_bytes - fixed : 0;
    const uint64_t each = disk_round_down(left / runs / READER_BLOCKS);

    return each < BLOCK_LEAST + DISK_ALIGN ? 0 : least(each - DISK_ALIGN, BLOCK_MOST);
}

/* ---- A round
 * ---------------------------------------------------------------------------------- */

/* How many rows the next round can write, at most `room`; waits until that is worth it. */
static mw_status rows_of_round(struct merge *merge, uint64_t room, uint64_t *rows)
{
    mw_status status = MW_OK;

    for (;;) {
        struct reader *shortest = NULL;
        uint64_t all = 0;

        *rows = room;
        for (uint32_t i = 0; i < merge->reader_count; i++) {
            struct reader *const reader = &merge->reader[i];

            if (!reader->is_exhausted || reader->is_in_flight)
                TRY(reader_update(reader));
            all += reader->rows_ready;
            if (!reader->is_exhausted && reader->rows_ready < *rows) {
                *rows = reader->rows_ready;
                shortest = reader;
            }
        }
        if (!shortest)
            *rows = least(*rows, all);
        if (!shortest || *rows >= merge->want)
            break;
        TRY(errand_wait(merge->errand, &shortest->tally, 0));
    }
done:
    return status;
}

/* The blocks that may have some of the next `rows` rows. */
static void list_blocks(struct merge *merge, uint64_t rows)
{
    merge->list_count = 0;
    for (uint32_t i = 0; i < merge->reader_count; i++) {
        struct reader *const reader = &merge->reader[i];
        uint64_t seen = 0;

        for (uint32_t j = 0; j < reader->ready && seen < rows; j++) {
            struct block *const block = reader_block(reader, j);
            const uint32_t n = merge->list_count;

            if (block->count == 0)
                continue;
            merge->list[n] =
                (mw_table){.elements = (void *)block->rows, .count = block->count};
            merge->owner[n] = i;
            merge->block[n] = block;
            merge->list_count++;
            seen += block->count;
        }
    }
}

/* Take what lies before the cuts from all blocks. */
static void advance(struct merge *merge)
{
    const uint32_t bytes = merge->errand->row_bytes;

    for (uint32_t i = 0; i < merge->list_count; i++) {
        struct reader *const reader = &merge->reader[merge->owner[i]];
        const uint64_t taken = merge->list[i].count;

        merge->block[i]->rows += taken * bytes;
        merge->block[i]->count -= taken;
        reader->rows_ready -= taken;
        reader_drop(reader);
    }
}

/* Write the first `rows` rows of all lists to `to`. */
static mw_status merge_round(struct merge *merge, uint64_t rows, unsigned char *to)
{
    struct errand *const errand = merge->errand;
    const mw_table out = {.elements = to, .count = rows};
    const double before = now_seconds();
    mw_job job = MW_JOB_INIT;
    mw_status status;

    job.operation = MW_SPLIT;
    job.order = errand->order;
    job.in = merge->list;
    job.in_count = merge->list_count;
    job.ranks = &rows;
    job.rank_count = 1;
    job.cuts = merge->cuts;
    TRY(errand_run(errand, errand->merger, &job, merge->scratch, merge->split_scratch));
    for (uint32_t i = 0; i < merge->list_count; i++)
        merge->list[i].count = merge->cuts[i];
    job.operation = MW_MERGE;
    job.out = &out;
    job.rank_count = 0;
    job.ranks = NULL;
    job.cuts = NULL;
    TRY(errand_run(errand, errand->merger, &job, merge->scratch, merge->merge_scratch));
    errand->report->merge_seconds += now_seconds() - before;
done:
    return status;
}

static mw_status run_round(struct merge *merge, uint64_t *rows)
{
    struct errand *const errand = merge->errand;
    const uint32_t bytes = errand->row_bytes;
    unsigned char *to;
    uint64_t room, kept;
    mw_status status;

    TRY(sink_room(&merge->sink, &to, &room));
    TRY(rows_of_round(merge, room / bytes, rows));
    if (*rows == 0)
        goto done;
    list_blocks(merge, *rows);
    if (merge->list_count == 1) {
        memcpy(to, merge->list[0].elements, *rows * bytes);
        merge->list[0].count = *rows;
    } else {
        TRY(merge_round(merge, *rows, to));
    }
    kept = merge->unique ? unique_rows(merge->unique, to, *rows) : *rows;
    advance(merge);
    TRY(sink_commit(&merge->sink, kept * bytes));
    errand->report->rows_written += kept;
    status = errand_tell(errand, *rows * bytes);
done:
    return status;
}

/* ---- A pass
 * -------------------------------------------------------------------------------------- */

/* Hand out memory for a merge of runs [first, first + count), and open their readers. */
static mw_status open_merge(struct merge *merge, struct errand *errand, uint32_t first,
                            uint32_t count, uint64_t block)
{
    const uint32_t lists = count * READER_BLOCKS;
    unsigned char *tables;
    mw_status status;

    *merge = (struct merge){.errand = errand, .reader_count = count};
    merge->reader = calloc(count, sizeof *merge->reader);
    if (!merge->reader)
        return fault_note(&errand->fault, MW_NO_MEMORY, "no memory for %u runs", count);
    TRY(round_scratch(errand, lists, &merge->split_scratch, &merge->merge_scratch));
    merge->scratch = errand_take(errand, merge->split_scratch > merge->merge_scratch
                                             ? merge->split_scratch
                                             : merge->merge_scratch);
    tables = errand_take(errand, table_bytes(lists));
    merge->list = (mw_table *)tables;
    merge->block = (struct block **)(merge->list + lists);
    merge->cuts = (uint64_t *)(merge->block + lists);
    merge->owner = (uint32_t *)(merge->cuts + lists);
    merge->want = block / 2 / errand->row_bytes + 1;
    for (uint32_t i = 0; i < count; i++)
        reader_open(&merge->reader[i], errand, &errand->runs.run[first + i], block);
done:
    return status;
}

static mw_status run_rounds(struct merge *merge)
{
    uint64_t rows = 0;
    mw_status status;

    do
        TRY(run_round(merge, &rows));
    while (rows > 0);
done:
    return status;
}

static void close_merge(struct merge *merge, mw_status status)
{
    if (status != MW_OK)
        errand_stop(merge->errand);
    free(merge->reader);
    free(merge->unique);
}

/* Merge some neighbouring runs to one longer run. */
static mw_status shorten(struct errand *errand, uint32_t first, uint32_t count)
{
    const uint64_t before = errand->report->rows_written;
    struct run run = {0};
    struct merge merge;
    mw_status status;

    errand->memory_used = 0;
    TRY(open_merge(&merge, errand, first, count, block_bytes(errand, count)));
    TRY(errand_place(errand, &run));
    sink_open(&merge.sink, errand, &run.temporary->file, 0, run.at, sink_bytes(errand));
    TRY(run_rounds(&merge));
    TRY(sink_finish(&merge.sink, 1));
    run.rows = errand->report->rows_written - before;
    run.temporary->end = merge.sink.at;
    errand->report->temporary_bytes += run.rows * errand->row_bytes;
    errand->report->rows_written = before;
    runs_replace(&errand->runs, first, count, run);
done:
    close_merge(&merge, status);
    return status;
}

/* The most runs whose blocks fit the memory, at least 2. */
static uint32_t most_ways(struct errand *errand)
{
    uint32_t low = 2;
    uint32_t high = errand->runs.count < WAYS_MOST ? errand->runs.count + 1 : WAYS_MOST;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (block_bytes(errand, middle))
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
    bytes = npy_write(text, rows, header);
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

    TRY(open_merge(&merge, errand, 0, errand->runs.count, block));
    if (is_unique) {
        merge.unique = calloc(1, sizeof *merge.unique);
        if (!merge.unique) {
            status = fault_note(&errand->fault, MW_NO_MEMORY, "no memory for a row");
            goto done;
        }
        merge.unique->order = errand->order;
    }
    sink_open(&merge.sink, errand, &output->file, output->is_pipe, 0, sink_bytes(errand));
    if (is_npy)
        TRY(write_header(errand, &merge.sink, errand->report->rows));
    TRY(run_rounds(&merge));
    TRY(sink_finish(&merge.sink, 0));
    if (is_npy && errand->report->rows_written != errand->report->rows)
        TRY(write_header(errand, NULL, errand->report->rows_written));
done:
    close_merge(&merge, status);
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
    errand->report->runs = runs;
    errand->report->passes = is_on_disk;
    while (errand->runs.count > ways) {
        const uint32_t excess = errand->runs.count - ways + 1;
        const uint32_t count = excess < ways ? excess : ways;

        if (first + count > errand->runs.count)
            first = 0;
        for (uint32_t i = 0; i < count; i++)
            moved += errand->runs.run[first + i].rows;
        TRY(shorten(errand, first++, count));
    }
    if (errand->report->rows) /* in passes over everything */
        errand->report->passes +=
            (uint32_t)((moved + errand->report->rows - 1) / errand->report->rows);
    if (is_on_disk)
        errand->memory_used = 0;
    TRY(merge_to_output(errand, is_on_disk ? block_bytes(errand, errand->runs.count) : 0));
done:
    return status;
}
