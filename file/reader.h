/*
 * reader.h - a sorted run, block by block: while one is merged, the next is read.
 *
 * Blocks begin at aligned offsets of the file, so a row may lie across the end of a block.
 * The first part of such a row is copied to just before the next block's first byte.
 */
#ifndef MW_FILE_READER_H
#define MW_FILE_READER_H

#include "errand.h"

enum { READER_BLOCKS = 3 }; /* merged, ready, being read */

struct block {
    unsigned char *memory; /* DISK_ALIGN bytes of room, then the bytes of a block */
    const unsigned char *rows;
    uint64_t count; /* rows that are left */
};

struct reader {
    struct task task;
    struct tally tally;
    struct errand *errand;
    struct run run;
    struct disk_file *file;
    int is_checked; /* rows may be out of order */
    int is_pipe;
    int is_in_flight;
    uint64_t at;    /* offset of the next read */
    uint64_t end;   /* of the rows in the file */
    uint64_t skip;  /* bytes of the next block before its first row */
    uint64_t shift; /* bytes by which blocks are moved, so that rows are aligned */
    uint64_t block_bytes;
    unsigned char *target;      /* of the read in flight */
    uint64_t got;               /* by the read that has ended */
    const unsigned char *carry; /* the beginning of a row that was cut, ... */
    uint64_t carry_bytes;
    struct block block[READER_BLOCKS]; /* a ring */
    uint32_t first;
    uint32_t ready;
    uint64_t rows_ready;
    uint64_t rows_seen; /* all rows that were ever ready */
    int is_exhausted;   /* nothing is left to be read */
};

/* Memory for blocks of that size, a multiple of DISK_ALIGN. */
uint64_t reader_memory(uint64_t block_bytes);

/* Open a reader; takes reader_memory(block_bytes) unless the run is in memory. */
void reader_open(struct reader *reader, struct errand *errand, const struct run *run,
                 uint64_t block_bytes);

/* Take in what has been read, and begin to read what has room. */
mw_status reader_update(struct reader *reader);

/* Block `i` of those that are ready, from the first on. */
struct block *reader_block(struct reader *reader, uint32_t i);

/* Drop blocks that have no rows left. */
void reader_drop(struct reader *reader);

#endif
