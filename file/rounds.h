/*
 * rounds.h - merge some sorted runs into one stream, round by round.
 */
#ifndef MW_FILE_ROUNDS_H
#define MW_FILE_ROUNDS_H

#include "sink.h"
#include "unique.h"

enum { WAYS_MOST = 30000 }; /* runs of a merge: a job takes 100,000 lists */

struct reader;
struct block;

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

/* Memory to merge that number of runs, besides their blocks: all, if they are in memory. */
uint64_t rounds_memory(struct errand *errand, uint32_t runs);

/* All the memory that a merge of the present runs can use, at most the budget. */
uint64_t rounds_most_memory(struct errand *errand);

/* Bytes of a block if that number of runs is read from files; 0: too few. */
uint64_t rounds_block_bytes(struct errand *errand, uint32_t runs);

/* Bytes of a buffer of the sink. */
uint64_t rounds_sink_bytes(const struct errand *errand);

/*
 * Hand out memory for a merge of runs [first, first + count), and open their readers. The
 * caller opens the sink, runs all rounds, and closes in any case.
 */
mw_status rounds_open(struct merge *merge, struct errand *errand, uint32_t first,
                      uint32_t count, uint64_t block);
mw_status rounds_run(struct merge *merge);
void rounds_close(struct merge *merge, mw_status status);

#endif
