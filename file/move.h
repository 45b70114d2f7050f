/*
 * move.h - sorted rows of a chunk on their way to memory or to a temporary file.
 */
#ifndef MW_FILE_MOVE_H
#define MW_FILE_MOVE_H

#include "errand.h"

enum { MOVE_TASKS = 16 };

struct move;

struct move_task {
    struct task base;
    struct move *move;
};

struct move {
    struct move_task task[MOVE_TASKS];
    struct tally tally;
    struct errand *errand;
    const unsigned char *rows;
    const uint32_t *positions; /* of the rows in sorted order; NULL: they are sorted */
    struct run run;            /* where they go */
    uint64_t block_bytes;      /* to files: of one write; the crew's threads have as much */
    atomic_ullong next;
};

/* Begin to move all rows of `run`, with `tasks` tasks; the other fields are set. */
void move_begin(struct move *move, uint32_t tasks);

#endif
