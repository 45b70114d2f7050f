/*
 * part.c - read and write each rank's part of one file; the output is complete or absent.
 */
#define _XOPEN_SOURCE 700

#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

enum {
    PIECE = 1 << 30, /* some systems refuse to read or write 2 GiB at once */
    LINKS_MOST = 40
};

static char complaint[1024];      /* of this rank, until all ranks agree */
static char target[PATH_MAX];     /* on rank 0: where the output goes, and ... */
static char unfinished[PATH_MAX]; /* ... its name until then, for the signal handler */

/* ---- Complaints ---------------------------------------------------------------------- */

/* Instead of printing, keep it: one rank prints for all. */
int complain(const char *command, const char *format, ...)
{
    va_list list;

    (void)command;
    va_start(list, format);
    vsnprintf(complaint, sizeof complaint, format, list);
    va_end(list);
    for (char *c = complaint; *c; c++) { /* a file name may contain line ends */
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    }
    return EXIT_TROUBLE;
}

int all_fine(mw_comm *comm, int code)
{
    uint64_t worst = code ? (uint64_t)(comm->ranks - comm->rank) << 8 | 1 : 0;
    char text[sizeof complaint];

    if (comm->maximum(comm->state, &worst, 1) != MW_OK)
        comm->abort(comm->state, MW_DEVICE_FAILED);
    if (!worst)
        return 1;

    const uint32_t rank = comm->ranks - (uint32_t)(worst >> 8);

    memcpy(text, complaint, sizeof text);
    MPI_Bcast(text, sizeof text, MPI_CHAR, (int)rank, MPI_COMM_WORLD);
    if (comm->rank == 0 && rank == 0)
        fprintf(stderr, "multiway-mpi: %s\n", text);
    else if (comm->rank == 0)
        fprintf(stderr, "multiway-mpi: rank %u: %s\n", rank, text);
    return 0;
}

static int trouble(const char *what, const char *path)
{
    return complain(NULL, "cannot %s %s: %s", what, path, strerror(errno));
}

/* ---- Input --------------------------------------------------------------------------- */

int part_size(mw_comm *comm, const char *path, uint64_t *bytes)
{
    struct stat about;
    int bad = 0;

    if (stat(path, &about) != 0)
        bad = trouble("read", path);
    else if (!S_ISREG(about.st_mode))
        bad =
            complain(NULL, "%s is no regular file, of which ranks could read parts", path);
    if (!all_fine(comm, bad))
        return EXIT_TROUBLE;

    uint64_t sizes[2] = {(uint64_t)about.st_size, ~(uint64_t)about.st_size};

    if (comm->maximum(comm->state, sizes, 2) != MW_OK)
        comm->abort(comm->state, MW_DEVICE_FAILED);
    *bytes = sizes[0];
    if (sizes[0] != ~sizes[1])
        bad = complain(NULL,
                       "%s has %" PRIu64 " bytes on one rank and %" PRIu64 " on another",
                       path, ~sizes[1], sizes[0]);
    return all_fine(comm, bad) ? 0 : EXIT_TROUBLE;
}

int part_read(const char *path, uint64_t first, void *to, uint64_t bytes)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t done = 0;
    int bad = file < 0;

    while (!bad && done < bytes) {
        const uint64_t rest = bytes - done;
        const ssize_t n = pread(file, (char *)to + done, rest < PIECE ? rest : PIECE,
                                (off_t)(first + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO; /* the file has become shorter */
        bad = n <= 0;
        done += bad ? 0 : (uint64_t)n;
    }
    if (bad)
        bad = trouble("read", path);
    if (file >= 0)
        close(file);
    return bad;
}

/* ---- Output -------------------------------------------------------------------------- */

/* Where `path` leads through links, also to a file that is not there yet: `target`. */
static int follow(const char *path)
{
    char text[PATH_MAX];
    size_t kept = 0, length = strlen(path);

    for (int links = 0;; links++) {
        if (kept + length >= sizeof target) {
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(target + kept, links ? text : path, length);
        target[kept + length] = '\0';

        const ssize_t got = readlink(target, text, sizeof text);
        const char *const slash = strrchr(target, '/');

        if (got < 0 || links == LINKS_MOST) /* then stat knows what is wrong */
            return 0;
        length = (size_t)got;
        kept = slash && *text != '/' ? (size_t)(slash + 1 - target) : 0;
    }
}

/* Find the target; see that it may be replaced, or a file be made where it will be. */
static int aim(const char *path)
{
    char folder[PATH_MAX];
    struct stat about;
    char *slash;

    if (!*path)
        return complain(NULL, "the name of the output file is empty");
    if (follow(path) != 0)
        return trouble("write", path);
    if (stat(target, &about) != 0) {
        if (errno != ENOENT)
            return trouble("write", path);
    } else if (!S_ISREG(about.st_mode)) {
        return complain(NULL, "%s is no regular file, of which ranks could write parts",
                        path);
    }
    memcpy(folder, target, sizeof folder);
    slash = strrchr(folder, '/');
    folder[slash ? slash + 1 - folder : 0] = '\0';
    return access(*folder ? folder : ".", W_OK | X_OK) ? trouble("write", path) : 0;
}

int part_aim(mw_comm *comm, const char *path)
{
    return all_fine(comm, comm->rank == 0 && aim(path)) ? 0 : EXIT_TROUBLE;
}

/* Tidy up, then die of the signal: SA_RESETHAND has restored its default. */
static void on_signal(int number)
{
    if (unfinished[0])
        unlink(unfinished);
    raise(number);
}

/* A file of the right size beside the target, on rank 0; its name is in `unfinished`. */
static int make_file(const char *path, uint64_t all)
{
    static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    const struct sigaction watch = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    struct stat about;
    sigset_t set, before;
    int file = -1;
    const int replaces = stat(target, &about) == 0;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++) {
        sigaddset(&set, deadly[i]);
        sigaction(deadly[i], &watch, NULL);
    }
    sigprocmask(SIG_BLOCK, &set, &before); /* none between making the file and naming it */
    for (int i = 0; i < 100 && file < 0; i++) {
        if (snprintf(unfinished, sizeof unfinished, "%s.multiway-%ld-%d.tmp", target,
                     (long)getpid(), i) >= (int)sizeof unfinished)
            errno = ENAMETOOLONG;
        else
            file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0)
        unfinished[0] = '\0';
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (file < 0)
        return trouble("write", path);
    if ((replaces && fchmod(file, about.st_mode & 0777) != 0) ||
        ftruncate(file, (off_t)all) != 0) {
        trouble("write", path);
        close(file);
        return EXIT_TROUBLE;
    }
    return close(file) != 0 ? trouble("write", path) : 0;
}

static int write_part(const char *name, uint64_t first, const void *from, uint64_t bytes)
{
    const int file = open(name, O_WRONLY | O_CLOEXEC);
    uint64_t done = 0;
    int bad = file < 0;

    while (!bad && done < bytes) {
        const uint64_t rest = bytes - done;
        const ssize_t n = pwrite(file, (const char *)from + done,
                                 rest < PIECE ? rest : PIECE, (off_t)(first + done));

        if (n < 0 && errno == EINTR)
            continue;
        bad = n < 0;
        done += bad ? 0 : (uint64_t)n;
    }
    bad = bad || fsync(file) != 0;
    if (bad)
        trouble("write", name);
    if (file >= 0 && close(file) != 0 && !bad)
        bad = trouble("write", name);
    return bad;
}

int part_write(mw_comm *comm, const char *path, uint64_t all, uint64_t first,
               const void *from, uint64_t bytes)
{
    char name[PATH_MAX];
    int bad = comm->rank == 0 && make_file(path, all);

    if (!all_fine(comm, bad))
        goto done;
    memcpy(name, unfinished, sizeof name);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    bad = !all_fine(comm, write_part(name, first, from, bytes));
    if (!bad && comm->rank == 0 && rename(unfinished, target) != 0)
        bad = trouble("rename to", path);
    if (!bad)
        unfinished[0] = '\0';
    bad = !all_fine(comm, bad);
done:
    if (unfinished[0])
        unlink(unfinished);
    unfinished[0] = '\0';
    return bad ? EXIT_TROUBLE : EXIT_FINE;
}
