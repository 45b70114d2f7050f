/*
 * reader.c - a sorted run, block by block.
 */
#include "reader.h"

#include <inttypes.h>
#include <string.h>

uint64_t reader_memory(uint64_t block_bytes)
{
    return READER_BLOCKS * (block_bytes + DISK_ALIGN);
}

void reader_open(struct reader *reader, struct errand *errand, const struct run *run,
                 uint64_t block_bytes)
{
    *reader = (struct reader){.errand = errand, .run = *run, .block_bytes = block_bytes};
    if (run->memory) {
        reader->block[0] = (struct block){NULL, run->memory, run->rows};
        reader->ready = run->rows > 0;
        reader->rows_ready = run->rows;
        reader->is_exhausted = 1;
        return;
    }
    for (int i = 0; i < READER_BLOCKS; i++)
        reader->block[i].memory = errand_take(errand, block_bytes + DISK_ALIGN);
    reader->file = run->input ? &run->input->file : &run->temporary->file;
    reader->is_checked = run->input != NULL;
    reader->is_pipe = run->input && !run->input->is_regular;
    if (reader->is_pipe)
        return;
    reader->at = disk_round_down(run->at);
    reader->skip = run->at - reader->at;
    reader->shift = reader->skip % 16;
    reader->end = run->at + run->rows * errand->row_bytes;
    reader->is_exhausted = run->rows == 0;
}

struct block *reader_block(struct reader *reader, uint32_t i)
{
    return &reader->block[(reader->first + i) % READER_BLOCKS];
}

static int is_ending(void *crew)
{
    return crew_is_ending(crew);
}

/* Temporary files are padded, so that all of their reads are aligned. */
static void read_block(struct task *task, void *block)
{
    struct reader *const reader = (struct reader *)task;
    struct errand *const errand = reader->errand;
    unsigned char *const to = reader->target;
    const uint64_t left = reader->end - reader->at;
    uint64_t bytes = left < reader->block_bytes ? left : reader->block_bytes;

    (void)block;
    if (reader->is_pipe) {
        disk_read_pipe(&errand->disk, reader->file, to, reader->block_bytes, &reader->got,
                       is_ending, errand->crew);
        return;
    }
    reader->got = bytes;
    if (reader->run.temporary)
        bytes = disk_round_up(bytes);
    if (!disk_read(&errand->disk, reader->file, to, bytes, reader->at) &&
        reader->run.temporary)
        disk_punch(reader->file, reader->at, bytes); /* it is in memory now */
}

/* ---- Inputs of a merge must be sorted --------------------------------------------- */

static mw_status check_rows(struct reader *reader, const void *rows, uint64_t count,
                            uint64_t first)
{
    struct errand *const errand = reader->errand;
    const mw_table table = {.elements = (void *)rows, .count = count};
    mw_job job = MW_JOB_INIT;
    uint64_t at = 0;
    mw_status status;

    job.operation = MW_CHECK;
    job.order = errand->order;
    job.in = &table;
    job.cuts = &at;
    TRY(errand_run(errand, errand->merger, &job, NULL, 0));
    if (at < count)
        status = fault_note(&errand->fault, MW_FILE_FAILED,
                            "%s is not in order at position %" PRIu64 " (sort it first)",
                            reader->file->name, first + at);
done:
    return status;
}

/* A new block, and its first row beside the last one of the block before. */
static mw_status check_block(struct reader *reader, const struct block *block)
{
    const uint32_t bytes = reader->errand->row_bytes;
    _Alignas(16) unsigned char pair[2 * ROW_MOST];
    mw_status status = MW_OK;

    if (reader->ready && reader->rows_seen) {
        const struct block *const before = reader_block(reader, reader->ready - 1);

        memcpy(pair, before->rows + before->count * bytes - bytes, bytes);
        memcpy(pair + bytes, block->rows, bytes);
        TRY(check_rows(reader, pair, 2, reader->rows_seen - 1));
    }
    TRY(check_rows(reader, block->rows, block->count, reader->rows_seen));
done:
    return status;
}

/* ---- Taking in -------------------------------------------------------------------- */

static mw_status end_of_pipe(struct reader *reader)
{
    struct errand *const errand = reader->errand;

    reader->is_exhausted = 1;
    if (reader->carry_bytes == 0)
        return MW_OK;
    return fault_note(&errand->fault, MW_FILE_FAILED,
                      "%s has %" PRIu64 " bytes (expected a multiple of %u, the size of a "
                      "row)",
                      reader->file->name,
                      reader->rows_seen * errand->row_bytes + reader->carry_bytes,
                      errand->row_bytes);
}

/* The block that was read becomes ready. */
static mw_status take_in(struct reader *reader)
{
    struct block *const block = reader_block(reader, reader->ready);
    const uint32_t bytes = reader->errand->row_bytes;
    unsigned char *const data =
        block->memory + DISK_ALIGN - reader->shift + reader->skip - reader->carry_bytes;
    const uint64_t length = reader->got - reader->skip + reader->carry_bytes;
    mw_status status = MW_OK;

    if (reader->carry_bytes)
        memcpy(data, reader->carry, reader->carry_bytes);
    block->rows = data;
    block->count = length / bytes;
    reader->carry_bytes = length % bytes;
    reader->carry = data + block->count * bytes;
    reader->skip = 0;
    reader->at += reader->got;
    if (block->count && reader->is_checked)
        TRY(check_block(reader, block));
    reader->rows_ready += block->count;
    reader->rows_seen += block->count;
    reader->ready++; /* also without a row: what is carried is in it */
    if (reader->is_pipe ? reader->got < reader->block_bytes : reader->at >= reader->end)
        status = end_of_pipe(reader);
done:
    return status;
}

mw_status reader_update(struct reader *reader)
{
    mw_status status = MW_OK;

    if (reader->is_in_flight) {
        if (!crew_wait(reader->errand->crew, &reader->tally, 0, 0))
            return MW_OK;
        reader->is_in_flight = 0;
        TRY(fault_status(&reader->errand->fault));
        TRY(take_in(reader));
    }
    if (!reader->is_exhausted && reader->ready < READER_BLOCKS) {
        reader->task = (struct task){read_block, &reader->tally, NULL};
        reader->target =
            reader_block(reader, reader->ready)->memory + DISK_ALIGN - reader->shift;
        reader->is_in_flight = 1;
        crew_add(reader->errand->crew, &reader->task);
    }
done:
    return status;
}

/* The last block stays until the next is there: it may have the beginning of a row. */
void reader_drop(struct reader *reader)
{
    while (reader->ready > 1 && reader_block(reader, 0)->count == 0) {
        reader->first = (reader->first + 1) % READER_BLOCKS;
        reader->ready--;
    }
}
