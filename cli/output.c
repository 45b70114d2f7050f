/*
 * output.c - bytes to files, each of which is either complete or not there.
 */
#define _XOPEN_SOURCE 700

#include "output.h"

#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

enum { WRITE_MOST = 1 << 30 }; /* some systems refuse to write 2 GiB at once */

/* The names of unfinished files, "" where there is none: for the signal handler. */
static char unfinished[OUTPUTS_MOST][PATH_MAX];

static const int deadly_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

enum { DEADLY_COUNT = sizeof deadly_signals / sizeof deadly_signals[0] };

/* Tidy up, then die of the signal: SA_RESETHAND has restored its default. */
static void on_signal(int number)
{
    for (int i = 0; i < OUTPUTS_MOST; i++) {
        if (unfinished[i][0])
            unlink(unfinished[i]);
    }
    raise(number);
}

/* An ignored signal (nohup, a background job) stays ignored. */
static void watch_signals(void)
{
    struct sigaction watch = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};

    for (int i = 0; i < DEADLY_COUNT; i++) {
        struct sigaction old;

        if (sigaction(deadly_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(deadly_signals[i], &watch, NULL);
    }
}

static void hold_signals(sigset_t *before)
{
    sigset_t deadly;

    sigemptyset(&deadly);
    for (int i = 0; i < DEADLY_COUNT; i++)
        sigaddset(&deadly, deadly_signals[i]);
    sigprocmask(SIG_BLOCK, &deadly, before);
}

static int trouble(const struct output *output, const char *what)
{
    return complain(output->command, "cannot %s %s: %s", what, output->name,
                    strerror(errno));
}

static size_t folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* `path`, which does not exist, in its folder with links followed; NULL with errno. */
static char *path_in_folder(const char *path)
{
    const size_t length = folder_length(path);
    char *const folder = strndup(length ? path : "./", length ? length : 2);
    char *const real = folder ? realpath(folder, NULL) : NULL;
    const size_t bytes = real ? strlen(real) + strlen(path) + 2 : 0;
    char *const whole = real ? malloc(bytes) : NULL;

    if (whole)
        snprintf(whole, bytes, "%s/%s", real, path + length);
    free(real);
    free(folder);
    return whole;
}

/* Follow links, and see that a file can be made beside the target. */
static int aim_at_target(struct output *output, const char *path)
{
    char folder[PATH_MAX];
    struct stat about;

    if (stat(path, &about) == 0) {
        output->replaces = 1;
        output->mode = about.st_mode & 0777;
        output->target = realpath(path, NULL);
    } else if (errno == ENOENT) {
        output->target = path_in_folder(path);
    }
    if (!output->target)
        return trouble(output, "write");
    snprintf(folder, sizeof folder, "%.*s", (int)folder_length(output->target),
             output->target);
    return access(folder, W_OK | X_OK) ? trouble(output, "write") : 0;
}

int output_aim(struct output *output, const char *command, const char *path)
{
    struct stat about;

    *output = (struct output){.command = command, .file = -1, .slot = -1};
    if (!path || strcmp(path, "-") == 0) {
        output->name = "standard output";
        if (isatty(STDOUT_FILENO))
            return complain(command, "standard output is a terminal (name a file with -o)");
        output->file = STDOUT_FILENO;
        return 0;
    }
    output->name = path;
    if (!*path)
        return complain(command, "the name of the output file is empty");
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode))
        return aim_at_target(output, path);
    if (S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        return trouble(output, "write");
    }
    output->file = open(path, O_WRONLY | O_CLOEXEC); /* a device or a pipe */
    return output->file < 0 ? trouble(output, "write") : 0;
}

int output_open(struct output *output)
{
    char name[PATH_MAX];
    sigset_t before;
    int folder;

    if (!output->target)
        return 0;
    watch_signals();
    do
        output->slot++;
    while (output->slot < OUTPUTS_MOST - 1 && unfinished[output->slot][0]);
    folder = (int)folder_length(output->target);
    for (int i = 0; i < 100 && output->file < 0; i++) {
        const int length = snprintf(name, sizeof name, "%.*s.multiway-%ld-%d.tmp", folder,
                                    output->target, (long)getpid(), i);

        if (length >= (int)sizeof name) {
            errno = ENAMETOOLONG;
            break;
        }
        /* No signal may come between making the file and noting its name. */
        hold_signals(&before);
        output->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->file >= 0)
            memcpy(unfinished[output->slot], name, sizeof name);
        sigprocmask(SIG_SETMASK, &before, NULL);
        if (output->file < 0 && errno != EEXIST)
            break;
    }
    if (output->file < 0)
        return trouble(output, "write");
    if (output->replaces && fchmod(output->file, (mode_t)output->mode))
        return trouble(output, "keep the mode of");
    return 0;
}

int output_room(const struct output *output, uint64_t bytes)
{
    struct stat about;
    struct statvfs disk;
    uint64_t room;

    if (fstat(output->file, &about) != 0 || !S_ISREG(about.st_mode) ||
        fstatvfs(output->file, &disk) != 0)
        return 0;
    room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (bytes <= room)
        return 0;
    return complain(output->command,
                    "%s would have %" PRIu64 " bytes, and its disk has room for %" PRIu64,
                    output->name, bytes, room);
}

int output_write(struct output *output, const void *bytes, size_t count)
{
    const char *from = bytes;

    while (count > 0) {
        const ssize_t n =
            write(output->file, from, count < WRITE_MOST ? count : WRITE_MOST);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return trouble(output, "write");
        from += n;
        count -= (size_t)n;
    }
    return 0;
}

int output_sync(struct output *output)
{
    const int file = output->file;

    if (output->target && fsync(file) != 0)
        return trouble(output, "write");
    output->file = -1;
    return close(file) != 0 ? trouble(output, "write") : 0;
}

int output_finish(struct output *output)
{
    if (output->file >= 0 && output_sync(output))
        return -1;
    if (!output->target)
        return 0;
    if (rename(unfinished[output->slot], output->target) != 0)
        return trouble(output, "rename to");
    unfinished[output->slot][0] = '\0';
    output_drop(output);
    return 0;
}

void output_drop(struct output *output)
{
    if (output->file > STDOUT_FILENO)
        close(output->file);
    if (output->target && output->slot >= 0 && unfinished[output->slot][0]) {
        unlink(unfinished[output->slot]);
        unfinished[output->slot][0] = '\0';
    }
    free(output->target);
    output->target = NULL;
    output->file = -1;
}
