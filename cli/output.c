/*
 * output.c - bytes to files, each of which is either complete or not there.
 */
#define _XOPEN_SOURCE 700

#include "output.h"

#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { WRITE_MOST = 1 << 30, PATH_BYTES = 4096 }; /* some systems refuse 2 GiB at once */

/* Names of unfinished files, where the file system needs them: for the signal handler. */
static char unfinished[OUTPUTS_MOST][PATH_BYTES];

static const int deadly_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

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

    for (size_t i = 0; i < sizeof deadly_signals / sizeof deadly_signals[0]; i++) {
        struct sigaction old;

        if (sigaction(deadly_signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(deadly_signals[i], &watch, NULL);
    }
}

/* A file with a name is to be removed after a signal, too. */
static void note_name(struct output *output, const char *name)
{
    for (int i = 0; i < OUTPUTS_MOST && !output->slot; i++) {
        if (!unfinished[i][0] && strlen(name) < PATH_BYTES) {
            strcpy(unfinished[i], name);
            output->slot = i + 1;
        }
    }
    watch_signals();
}

int path_is_npy(const char *path)
{
    const size_t length = path ? strlen(path) : 0;

    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

int output_open(struct output *output, const char *command, const char *path)
{
    mw_status status;

    *output = (struct output){.command = command, .file = -1};
    output->name = !path || strcmp(path, "-") == 0 ? "standard output" : path;
    if (path_is_npy(path))
        return complain(command,
                        "%s: this result has no .npy header (expected another name)", path);
    status = mw_output_open(&output->own, path);
    if (status != MW_OK)
        return complain(command, "%s",
                        output->own ? mw_output_error(output->own)
                                    : mw_status_text(status));
    output->file = mw_output_descriptor(output->own);
    if (mw_output_name(output->own))
        note_name(output, mw_output_name(output->own));
    return 0;
}

static int trouble(const struct output *output, const char *what)
{
    return complain(output->command, "cannot %s %s: %s", what, output->name,
                    strerror(errno));
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
    return mw_output_target(output->own) && fsync(output->file) ? trouble(output, "write")
                                                                : 0;
}

int output_finish(struct output *output)
{
    if (mw_output_finish(output->own) != MW_OK)
        return complain(output->command, "%s", mw_output_error(output->own));
    output_drop(output);
    return 0;
}

void output_drop(struct output *output)
{
    mw_output_close(output->own);
    output->own = NULL;
    if (output->slot)
        unfinished[output->slot - 1][0] = '\0';
    output->slot = 0;
}

int output_is_same(const struct output *a, const struct output *b)
{
    const char *const one = a->own ? mw_output_target(a->own) : NULL;
    const char *const other = b->own ? mw_output_target(b->own) : NULL;

    return one && other && strcmp(one, other) == 0;
}
