/*
 * disk.h - bytes from and to files: O_DIRECT where it can be had, aligned and counted.
 *
 * Direct I/O bypasses the page cache: it does not evict what other programs have there, and
 * takes less time. Unaligned ranges, and file systems without direct I/O, go through the
 * page cache. All calls note failures in the disk's fault; those on whole ranges return 0,
 * or not 0 after a failure.
 */
#ifndef MW_FILE_DISK_H
#define MW_FILE_DISK_H

#include "fault.h"

#include <stdatomic.h>
#include <sys/types.h>

enum { DISK_ALIGN = 4096 }; /* of addresses, offsets and lengths */

/* Counters of a job, and where its failures go. */
struct disk {
    struct fault *fault;
    atomic_ullong bytes_read;
    atomic_ullong bytes_written;
};

/* An open file. Threads may use it at the same time, on different ranges. */
struct disk_file {
    const char *name;      /* for messages */
    int fd;                /* -1: not open */
    atomic_int direct;     /* opened with O_DIRECT, -1: none; may be `fd` itself */
    int may_be_cached;     /* look into the page cache before reading directly */
    uint64_t mapped_bytes; /* allocated in memory, to be written through maps; or 0 */
};

#define DISK_FILE_INIT         \
    {                          \
        .fd = -1, .direct = -1 \
    }

uint64_t disk_round_up(uint64_t bytes);
uint64_t disk_round_down(uint64_t bytes);

/* Read or write all of a range. A file that ends before the range is a failure. */
int disk_read(struct disk *disk, struct disk_file *file, void *to, uint64_t bytes,
              uint64_t at);
int disk_write(struct disk *disk, struct disk_file *file, const void *from, uint64_t bytes,
               uint64_t at);

/*
 * The same for a pipe, as far as it goes: `*got` is less than `bytes` at its end only.
 * Both give up, without a failure, when `is_ending` says so.
 */
int disk_read_pipe(struct disk *disk, struct disk_file *file, void *to, uint64_t bytes,
                   uint64_t *got, int (*is_ending)(void *), void *arg);
int disk_write_pipe(struct disk *disk, struct disk_file *file, const void *from,
                    uint64_t bytes, int (*is_ending)(void *), void *arg);

/* Use O_DIRECT on the file's own descriptor, if that is possible; or stop using it. */
void disk_be_direct(struct disk_file *file);
void disk_be_buffered(struct disk_file *file);

/* Have the file system allocate a range; not 0 if it cannot, which is no failure. */
int disk_allocate(struct disk_file *file, uint64_t at, uint64_t bytes);

/* Is the file in memory, and never on a disk? */
int disk_is_memory(const struct disk_file *file);

/* Give the blocks of a range back to the file system; what it cannot do is left. */
void disk_punch(struct disk_file *file, uint64_t at, uint64_t bytes);

/* A file in `folder` that has no name: it is gone when it is closed. */
int disk_open_unnamed(struct disk *disk, struct disk_file *file, const char *folder);

/* Close what is open. */
void disk_close(struct disk_file *file);

#endif
