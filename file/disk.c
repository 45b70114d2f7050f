/*
 * disk.c - bytes from and to files.
 */
#define _GNU_SOURCE /* O_DIRECT, O_TMPFILE, preadv2 and fallocate are Linux's own */

#include "disk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    CALL_MOST = 1 << 30,     /* some systems refuse 2 GiB in one call */
    DIRECT_LEAST = 64 << 10, /* bytes worth a direct read */
    PIPE_MOST = 1 << 20,     /* bytes of a pipe in one call */
    PATIENCE = 100           /* ms that a pipe may keep a thread from noticing the end */
};

uint64_t disk_round_up(uint64_t bytes)
{
    return disk_round_down(bytes + DISK_ALIGN - 1);
}

uint64_t disk_round_down(uint64_t bytes)
{
    return bytes / DISK_ALIGN * DISK_ALIGN;
}

static size_t call_bytes(uint64_t bytes)
{
    return bytes < CALL_MOST ? (size_t)bytes : CALL_MOST;
}

void disk_be_direct(struct disk_file *file)
{
    const int flags = fcntl(file->fd, F_GETFL);

    if (flags >= 0 && fcntl(file->fd, F_SETFL, flags | O_DIRECT) == 0)
        file->direct = file->fd;
}

void disk_be_buffered(struct disk_file *file)
{
    const int flags = file->direct == file->fd ? fcntl(file->fd, F_GETFL) : -1;

    if (flags >= 0)
        fcntl(file->fd, F_SETFL, flags & ~O_DIRECT);
    file->direct = -1;
}

/* What of a range is in the page cache, from its beginning on: read without waiting. */
static uint64_t read_cached(struct disk_file *file, char *to, uint64_t bytes, uint64_t at)
{
    uint64_t got = 0;

#if defined(RWF_NOWAIT)
    while (got < bytes) {
        const struct iovec part = {to + got, call_bytes(bytes - got)};
        const ssize_t n = preadv2(file->fd, &part, 1, (off_t)(at + got), RWF_NOWAIT);

        if (n <= 0)
            break;
        got += (uint64_t)n;
    }
#endif
    return got;
}

/* Read by one descriptor; returns the bytes read, and -1 after a failure. */
static int64_t read_all(int fd, char *to, uint64_t bytes, uint64_t at)
{
    uint64_t got = 0;

    while (got < bytes) {
        const ssize_t n = pread(fd, to + got, call_bytes(bytes - got), (off_t)(at + got));

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        got += (uint64_t)n;
        if (n % DISK_ALIGN) /* a direct read cannot go on from here */
            break;
    }
    return (int64_t)got;
}

/* The aligned beginning of a range, directly; returns what was read, if anything. */
static uint64_t read_direct(struct disk_file *file, char *to, uint64_t bytes, uint64_t at)
{
    const int fd = file->direct;
    int64_t got;

    if (fd < 0 || ((uintptr_t)to | at) % DISK_ALIGN || bytes < DIRECT_LEAST)
        return 0;
    got = read_all(fd, to, disk_round_down(bytes), at);
    if (got < 0 && errno == EINVAL)
        disk_be_buffered(file);
    return got < 0 ? 0 : (uint64_t)got; /* the buffered read tells what is wrong */
}

int disk_read(struct disk *disk, struct disk_file *file, void *to, uint64_t bytes,
              uint64_t at)
{
    char *const base = to;
    uint64_t got = file->may_be_cached ? read_cached(file, base, bytes, at) : 0;
    const uint64_t head = (DISK_ALIGN - (at + got) % DISK_ALIGN) % DISK_ALIGN;

    if (file->direct >= 0 && head && got < bytes && head < bytes - got &&
        read_all(file->fd, base + got, head, at + got) == (int64_t)head)
        got += head;
    got += read_direct(file, base + got, bytes - got, at + got);
    while (got < bytes) {
        const int64_t n = read_all(file->fd, base + got, bytes - got, at + got);

        if (n < 0)
            return fault_file(disk->fault, "read", file->name, errno);
        if (n == 0)
            return fault_note(disk->fault, MW_FILE_FAILED,
                              "%s became shorter while it was read", file->name);
        got += (uint64_t)n;
    }
    disk->bytes_read += bytes;
    return 0;
}

/* Write by one descriptor; returns 0, or an errno. */
static int write_all(int fd, const char *from, uint64_t bytes, uint64_t at)
{
    uint64_t done = 0;

    while (done < bytes) {
        const ssize_t n =
            pwrite(fd, from + done, call_bytes(bytes - done), (off_t)(at + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        done += (uint64_t)n;
    }
    return 0;
}

int disk_write(struct disk *disk, struct disk_file *file, const void *from, uint64_t bytes,
               uint64_t at)
{
    const int is_aligned = ((uintptr_t)from | at | bytes) % DISK_ALIGN == 0;
    int code;

    if (!is_aligned && file->direct == file->fd)
        disk_be_buffered(file);
    code = write_all(file->fd, from, bytes, at);
    if (code == EINVAL && file->direct == file->fd) {
        disk_be_buffered(file);
        code = write_all(file->fd, from, bytes, at);
    }
    if (code)
        return fault_file(disk->fault, "write", file->name, code);
    disk->bytes_written += bytes;
    return 0;
}

/* Wait until a pipe is ready; returns 0 when it is time to give up. */
static int wait_for_pipe(int fd, short events, int (*is_ending)(void *), void *arg)
{
    struct pollfd pipe = {.fd = fd, .events = events};

    while (!is_ending(arg)) {
        if (poll(&pipe, 1, PATIENCE) != 0)
            return 1; /* ready, or broken: the call tells */
    }
    return 0;
}

int disk_read_pipe(struct disk *disk, struct disk_file *file, void *to, uint64_t bytes,
                   uint64_t *got, int (*is_ending)(void *), void *arg)
{
    *got = 0;
    while (*got < bytes && wait_for_pipe(file->fd, POLLIN, is_ending, arg)) {
        const uint64_t left = bytes - *got;
        const ssize_t n =
            read(file->fd, (char *)to + *got, left < PIPE_MOST ? left : PIPE_MOST);

        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return fault_file(disk->fault, "read", file->name, errno);
        if (n == 0)
            break;
        *got += (uint64_t)n;
        disk->bytes_read += (uint64_t)n;
    }
    return 0;
}

int disk_write_pipe(struct disk *disk, struct disk_file *file, const void *from,
                    uint64_t bytes, int (*is_ending)(void *), void *arg)
{
    uint64_t done = 0;

    while (done < bytes && wait_for_pipe(file->fd, POLLOUT, is_ending, arg)) {
        const uint64_t left = bytes - done;
        const ssize_t n =
            write(file->fd, (const char *)from + done, left < PIPE_MOST ? left : PIPE_MOST);

        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return fault_file(disk->fault, "write", file->name, errno);
        done += (uint64_t)n;
        disk->bytes_written += (uint64_t)n;
    }
    return 0;
}

int disk_allocate(struct disk_file *file, uint64_t at, uint64_t bytes)
{
    return fallocate(file->fd, 0, (off_t)at, (off_t)bytes);
}

int disk_is_memory(const struct disk_file *file)
{
    struct statfs about;

    return fstatfs(file->fd, &about) == 0 && about.f_type == TMPFS_MAGIC;
}

void disk_punch(struct disk_file *file, uint64_t at, uint64_t bytes)
{
#if defined(FALLOC_FL_PUNCH_HOLE)
    if (bytes)
        (void)!fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at,
                         (off_t)bytes);
#endif
}

/* A file with a name for a moment, where O_TMPFILE is not known. */
static int open_and_unlink(const char *folder)
{
    char name[4096];
    int fd = -1;

    for (int i = 0; i < 100 && fd < 0; i++) {
        if (snprintf(name, sizeof name, "%s/.multiway-%ld-t%d.tmp", folder, (long)getpid(),
                     i) >= (int)sizeof name) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            return -1;
    }
    if (fd >= 0)
        unlink(name);
    return fd;
}

int disk_open_unnamed(struct disk *disk, struct disk_file *file, const char *folder)
{
    *file = (struct disk_file)DISK_FILE_INIT;
    file->name = folder;
#if defined(O_TMPFILE)
    file->fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
#endif
    if (file->fd < 0)
        file->fd = open_and_unlink(folder);
    if (file->fd < 0)
        return fault_file(disk->fault, "make a temporary file in", folder, errno);
    disk_be_direct(file);
    return 0;
}

void disk_close(struct disk_file *file)
{
    if (file->direct >= 0 && file->direct != file->fd)
        close(file->direct);
    if (file->fd > STDERR_FILENO)
        close(file->fd);
    file->fd = -1;
    file->direct = -1;
}
