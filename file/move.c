/*
 * move.c - sorted rows of a chunk on their way to memory or to a temporary file.
 */
#include "move.h"

#include <string.h>

enum { AHEAD = 24, LINE = 64 }; /* rows that are fetched ahead of the copy */

static void fetch(const unsigned char *row, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes && i < 4 * LINE; i += LINE)
        __builtin_prefetch(row + i);
    __builtin_prefetch(row + bytes - 1);
}

/* Rows [first, last) of the sorted sequence. */
static void gather(const struct move *move, uint64_t first, uint64_t last,
                   unsigned char *to)
{
    const uint32_t bytes = move->errand->row_bytes;
    const unsigned char *const rows = move->rows;
    const uint32_t *const positions = move->positions;

    for (uint64_t i = first; i < last; i++, to += bytes) {
        if (i + AHEAD < last)
            fetch(rows + (size_t)positions[i + AHEAD] * bytes, bytes);
        memcpy(to, rows + (size_t)positions[i] * bytes, bytes);
    }
}

/* Bytes [first, last) of the sorted sequence: rows may be cut at both ends. */
static void gather_bytes(const struct move *move, uint64_t first, uint64_t last,
                         unsigned char *to)
{
    const uint32_t bytes = move->errand->row_bytes;
    const uint64_t row = first / bytes;
    const uint32_t skip = (uint32_t)(first % bytes);

    if (!move->positions) {
        memcpy(to, move->rows + first, last - first);
        return;
    }
    if (skip) {
        const uint64_t left = bytes - skip;
        const uint64_t n = left < last - first ? left : last - first;

        memcpy(to, move->rows + (size_t)move->positions[row] * bytes + skip, n);
        first += n;
        to += n;
    }
    gather(move, first / bytes, last / bytes, to);
    if (first < last && last % bytes) {
        const uint64_t n = last % bytes;

        to += last - first - n;
        memcpy(to, move->rows + (size_t)move->positions[last / bytes] * bytes, n);
    }
}

/* Move one block; rows that are sorted and aligned are written from where they are. */
static int move_block(const struct move *move, uint64_t first, uint64_t last,
                      unsigned char *block)
{
    struct errand *const errand = move->errand;
    const struct run *const run = &move->run;
    const uint64_t padded = disk_round_up(last - first);
    const unsigned char *from = block;

    if (run->memory) {
        gather_bytes(move, first, last, run->memory + first);
        return 0;
    }
    if (!move->positions &&
        ((uintptr_t)(move->rows + first) | (last - first)) % DISK_ALIGN == 0) {
        from = move->rows + first;
    } else {
        gather_bytes(move, first, last, block);
        memset(block + (last - first), 0, padded - (last - first));
    }
    return disk_write(&errand->disk, &run->temporary->file, from, padded, run->at + first);
}

static void move_blocks(struct task *task, void *block)
{
    struct move *const move = ((struct move_task *)task)->move;
    const uint64_t bytes = move->run.rows * move->errand->row_bytes;

    while (!crew_is_ending(move->errand->crew)) {
        const uint64_t first = atomic_fetch_add(&move->next, 1) * move->block_bytes;
        const uint64_t end = first + move->block_bytes;

        if (first >= bytes || move_block(move, first, end < bytes ? end : bytes, block))
            break;
    }
}

void move_begin(struct move *move, uint32_t tasks)
{
    move->tally.left = 0;
    atomic_store(&move->next, 0);
    for (uint32_t i = 0; i < tasks && i < MOVE_TASKS; i++) {
        move->task[i].move = move;
        move->task[i].base.run = move_blocks;
        move->task[i].base.tally = &move->tally;
        crew_add(move->errand->crew, &move->task[i].base);
    }
}
