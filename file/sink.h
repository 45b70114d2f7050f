/*
 * sink.h - a stream of bytes to a file, in large aligned blocks, written by the crew.
 *
 * The caller fills a buffer while others are written. What is left of a buffer after its
 * last aligned byte moves to the beginning of the next one.
 */
#ifndef MW_FILE_SINK_H
#define MW_FILE_SINK_H

#include "errand.h"

enum { SINK_BUFFERS = 3 };

struct sink;

struct sink_write {
    struct task base;
    struct sink *sink;
    const unsigned char *from;
    uint64_t bytes;
    uint64_t at;
};

struct sink {
    struct errand *errand;
    struct disk_file *file;
    int is_pipe;
    uint64_t at;    /* of the file: where the present buffer begins; aligned */
    uint64_t bytes; /* of a buffer */
    uint64_t used;  /* of the present buffer */
    uint32_t turn;
    unsigned char *buffer[SINK_BUFFERS];
    unsigned char *window; /* instead of buffers: a map of the file from `at` on, ... */
    uint64_t window_bytes; /* ... this long */
    struct sink_write write[SINK_BUFFERS];
    struct tally tally[SINK_BUFFERS];
};

/* Memory that a sink with such buffers takes, at most. */
uint64_t sink_memory(uint64_t bytes);

/* Begin at offset `at`, aligned, of a file or pipe; takes sink_memory(bytes). */
void sink_open(struct sink *sink, struct errand *errand, struct disk_file *file,
               int is_pipe, uint64_t at, uint64_t bytes);

/* Where the next bytes go, and how many have room there; may wait. */
mw_status sink_room(struct sink *sink, unsigned char **to, uint64_t *room);

/* So many bytes are there now. */
mw_status sink_commit(struct sink *sink, uint64_t bytes);

/* Give back a map that is left after a failure; allowed at any time. */
void sink_close(struct sink *sink);

/* Write the rest, to a multiple of DISK_ALIGN if `is_padded`, and wait for all. */
mw_status sink_finish(struct sink *sink, int is_padded);

#endif
