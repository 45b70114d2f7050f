/*
 * input.h - the rows of all inputs as one stream of bytes.
 *
 * Files of known length are read in pieces, by several threads at once; pipes one after
 * the other. A file whose size or time changes while it is read is a failure.
 */
#ifndef MW_FILE_INPUT_H
#define MW_FILE_INPUT_H

#include "crew.h"
#include "disk.h"

#include <time.h>

struct input {
    struct disk_file file;
    int is_regular;
    uint64_t start; /* of the rows in the file */
    uint64_t bytes; /* of rows; UINT64_MAX: not known */
    uint64_t first; /* byte of the stream, if all lengths are known */
    uint64_t file_bytes;
    struct timespec changed;
};

struct inputs {
    struct disk *disk;
    struct input *input;
    uint32_t count;
    uint32_t row_bytes;
    int is_known;   /* all lengths are */
    uint64_t total; /* bytes of rows, if they are known */
    uint64_t taken; /* of the stream, so far */
    uint32_t pipe;  /* not known: the input to go on with, ... */
    uint64_t piped; /* ... and the bytes of its rows that were read */
    char descr[sizeof((mw_npy *)0)->descr]; /* of the first .npy input, or "" */
    int is_utf8;                            /* `descr` is */
};

/* Open all inputs of a job and read headers. inputs_close in any case. */
mw_status inputs_open(struct inputs *inputs, struct disk *disk, const mw_file_job *job);
void inputs_close(struct inputs *inputs);

/* Is anything left to read? Of pipes that is known after a read that got less. */
int inputs_have_more(const struct inputs *inputs);

/* Where a buffer should begin, modulo DISK_ALIGN, so that the next read is direct. */
uint64_t inputs_phase(const struct inputs *inputs);

enum { FILL_TASKS = 16 };

struct fill;

struct fill_task {
    struct task base;
    struct fill *fill;
};

/* A read of the next bytes of the stream into a buffer. */
struct fill {
    struct fill_task task[FILL_TASKS];
    struct tally tally;
    struct inputs *inputs;
    struct crew *crew;
    unsigned char *to;
    uint64_t first; /* byte of the stream */
    uint64_t bytes;
    uint64_t got; /* when the tally is 0: what was read, whole rows */
    atomic_ullong next;
};

/* Begin to read up to `bytes` bytes, a multiple of the row's, with `tasks` tasks. */
void inputs_fill(struct inputs *inputs, struct crew *crew, struct fill *fill,
                 unsigned char *to, uint64_t bytes, uint32_t tasks);

/* After everything was read: did any file change meanwhile? */
mw_status inputs_verify(const struct inputs *inputs);

#endif
