/*
 * rounds.c - merge some sorted runs into one stream, round by round.
 *
 * Every run has some rows in memory. If each run that has more rows in its file has at
 * least D in memory, the next D rows of the result are all in memory: no run has more than
 * D of them. So each round cuts what is in memory at rank D (MW_SPLIT), and merges what
 * lies before the cuts (MW_MERGE) to the output's buffer. No row is compared with one on
 * disk.
 */
#include "rounds.h"

#include "aboard.h"
#include "reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_LEAST = 64 << 10, /* bytes of a read; with less, runs are merged in two passes */
    BLOCK_MOST = 4 << 20,
    SINK_LEAST = 64 << 10,
    SINK_MOST = 8 << 20
};

/* ---- Memory ----------------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t rounds_sink_bytes(const struct errand *errand)
{
    const uint64_t part = disk_round_down(errand->budget / 32);

    if (errand->aboard.memory)
        return errand->aboard.block;
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
    const uint64_t rows = lists ? rounds_sink_bytes(errand) / errand->row_bytes : 0;
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

uint64_t rounds_memory(struct errand *errand, uint32_t runs)
{
    const uint32_t lists = runs * READER_BLOCKS;
    uint64_t split = 0, merge = 0;

    if (round_scratch(errand, lists, &split, &merge) != MW_OK)
        return UINT64_MAX / 2;
    return sink_memory(rounds_sink_bytes(errand)) + table_bytes(lists) +
           disk_round_up(split > merge ? split : merge) + 4 * DISK_ALIGN;
}

uint64_t rounds_most_memory(struct errand *errand)
{
    const uint32_t runs = errand->runs.count < WAYS_MOST ? errand->runs.count : WAYS_MOST;
    const uint64_t all = rounds_memory(errand, runs) + runs * reader_memory(BLOCK_MOST);

    return least(all, errand->budget);
}

uint64_t rounds_block_bytes(struct errand *errand, uint32_t runs)
{
    const uint64_t fixed = rounds_memory(errand, runs);
    const uint64_t left = errand->memory_bytes > fixed ? errand->memory_bytes - fixed : 0;
    const uint64_t each = disk_round_down(left / runs / READER_BLOCKS);

    return each < BLOCK_LEAST + DISK_ALIGN ? 0 : least(each - DISK_ALIGN, BLOCK_MOST);
}

/* ---- A round ---------------------------------------------------------------------- */

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

/* Write the next rows of all runs to `to`, at most `most`; 0 after the last. */
static mw_status next_rows(struct merge *merge, unsigned char *to, uint64_t most,
                           uint64_t *rows)
{
    const uint32_t bytes = merge->errand->row_bytes;
    mw_status status;

    TRY(rows_of_round(merge, most, rows));
    if (*rows == 0)
        goto done;
    list_blocks(merge, *rows);
    if (merge->list_count == 1) {
        memcpy(to, merge->list[0].elements, *rows * bytes);
        merge->list[0].count = *rows;
    } else {
        TRY(merge_round(merge, *rows, to));
    }
    advance(merge);
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
    if (errand->aboard.memory)
        TRY(aboard_take(errand, to, room / bytes, rows));
    else
        TRY(next_rows(merge, to, room / bytes, rows));
    if (*rows == 0)
        goto done;
    kept = merge->unique ? unique_rows(merge->unique, to, *rows) : *rows;
    TRY(sink_commit(&merge->sink, kept * bytes));
    errand->report->rows_written += kept;
    status = errand_tell(errand, *rows * bytes);
done:
    return status;
}

/* ---- A pass ----------------------------------------------------------------------- */

mw_status rounds_open(struct merge *merge, struct errand *errand, uint32_t first,
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

mw_status rounds_run(struct merge *merge)
{
    uint64_t rows = 0;
    mw_status status;

    do
        TRY(run_round(merge, &rows));
    while (rows > 0);
done:
    return status;
}

void rounds_close(struct merge *merge, mw_status status)
{
    if (status != MW_OK)
        errand_stop(merge->errand);
    sink_close(&merge->sink);
    free(merge->reader);
    free(merge->unique);
}
