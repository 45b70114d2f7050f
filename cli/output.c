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

/*
 * The name of the unfinished file, "" if there is none. A signal handler gets
 * no argument, so this is the program's one variable that everybody can see.
 */
static char unfinished[PATH_MAX];

static const int deadly_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

enum { DEADLY_COUNT = sizeof deadly_signals / sizeof deadly_signals[0] };

/* Tidy up, and die of the signal after all: SA_RESETHAND has put its default back. */
static void on_signal(int number)
{
    if (unfinished[0])
        unlink(unfinished);
    raise(number);
}

/* Whoever chose to ignore a signal (nohup, a shell's background job) keeps that. */
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
    complain(output->command, "cannot %s %s: %s", what, output->name, strerror(errno));
    return -1;
}

static size_t folder_length(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

static int aim_at_target(struct output *output, const char *path)
{
    struct stat about;
    size_t folder;
    char *folder_path;
    int refused;

    if (stat(path, &about) == 0) {
        output->replaces = 1;
        output->mode = about.st_mode & 0777;
        output->target = realpath(path, NULL);
    } else if (errno == ENOENT) {
        output->target = strdup(path);
    }
    if (!output->target)
        return trouble(output, "write");
    folder = folder_length(output->target);
    folder_path = strdup(folder ? output->target : ".");
    if (!folder_path)
        return trouble(output, "write");
    if (folder)
        folder_path[folder] = '\0';
    refused = access(folder_path, W_OK | X_OK);
    free(folder_path);
    return refused ? trouble(output, "write") : 0;
}

int output_aim(struct output *output, const char *command, const char *path)
{
    struct stat about;

    *output = (struct output){.command = command, .file = -1};
    if (!path || strcmp(path, "-") == 0) {
        output->name = "standard output";
        if (isatty(STDOUT_FILENO)) {
            complain(command, "keys are not written to a terminal; name a file with -o");
            return -1;
        }
        output->file = STDOUT_FILENO;
        return 0;
    }
    output->name = path;
    if (!*path) { /* told now, not when the work is done */
        complain(command, "a file to write needs a name, not an empty one");
        return -1;
    }
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
    folder = (int)folder_length(output->target);
    for (int i = 0; i < 100 && output->file < 0; i++) {
        const int length = snprintf(name, sizeof name, "%.*s.multiway-%ld-%d.tmp", folder,
                                    output->target, (long)getpid(), i);

        if (length >= (int)sizeof name) {
            errno = ENAMETOOLONG;
            break;
        }
        /* A signal between the two lines would leave the file behind. */
        hold_signals(&before);
        output->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->file >= 0)
            memcpy(unfinished, name, sizeof unfinished);
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
    complain(output->command,
             "%s would have %" PRIu64 " bytes, and its disk has room for %" PRIu64,
             output->name, bytes, room);
    return -1;
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

int output_finish(struct output *output)
{
    const int file = output->file;

    if (output->target && fsync(file) != 0)
        return trouble(output, "write");
    output->file = -1;
    if (close(file) != 0)
        return trouble(output, "write");
    if (!output->target)
        return 0;
    if (rename(unfinished, output->target) != 0)
        return trouble(output, "rename to");
    unfinished[0] = '\0';
    output_drop(output);
    return 0;
}

void output_drop(struct output *output)
{
    if (output->file > STDOUT_FILENO)
        close(output->file);
    if (unfinished[0])
        unlink(unfinished);
    unfinished[0] = '\0';
    free(output->target);
    output->target = NULL;
    output->file = -1;
}
