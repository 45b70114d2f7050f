/*
 * outfile.c - a file that appears under its name when it is complete, or not at all.
 */
#define _GNU_SOURCE /* O_TMPFILE is Linux's own */

#include "outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { NAME_TRIES = 100, LINKS_MOST = 40 };

static mw_status trouble(const struct outfile *output, const char *verb)
{
    return fault_file(output->disk->fault, verb, output->file.name, errno);
}

/* "folder/name" in memory of its own, or NULL with errno. */
static char *join(const char *folder, const char *name)
{
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    char *const path = malloc(bytes);

    if (path)
        snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

/* ---- Aiming ----------------------------------------------------------------------- */

/* Aim at a file that is not there yet: of a link, at the one that it names. */
static void aim_at_new(struct outfile *output, const char *path, int links)
{
    const char *const slash = strrchr(path, '/');
    const char *const last = slash ? slash + 1 : path;
    char *const before = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char link[PATH_MAX];
    ssize_t length = -1;

    if (before && *last)
        output->folder = realpath(before, NULL);
    free(before);
    if (output->folder)
        output->target = join(output->folder, last);
    if (output->target)
        length = readlink(output->target, link, sizeof link);
    if (length > 0 && length < (ssize_t)sizeof link && links > 0) {
        char *next;

        link[length] = '\0';
        next = *link == '/' ? strdup(link) : join(output->folder, link);
        free(output->folder);
        free(output->target);
        output->folder = output->target = NULL;
        if (next)
            aim_at_new(output, next, links - 1);
        free(next);
    }
}

/* Follow links; see that a file can be made in the target's folder. */
static mw_status aim(struct outfile *output, const char *path)
{
    if (stat(path, &output->target_is) == 0) {
        output->replaces = 1;
        output->target = realpath(path, NULL);
        if (output->target)
            output->folder = strndup(
                output->target, (size_t)(strrchr(output->target, '/') - output->target));
    } else if (errno == ENOENT) {
        aim_at_new(output, path, LINKS_MOST);
    }
    if (!output->target || !output->folder)
        return trouble(output, "write");
    return access(*output->folder ? output->folder : "/", W_OK | X_OK)
               ? trouble(output, "write")
               : MW_OK;
}

/* ---- What killed processes have left ---------------------------------------------- */

static int is_ours(const char *name)
{
    const size_t length = strlen(name);

    return strncmp(name, ".multiway-", 10) == 0 && length > 4 &&
           strcmp(name + length - 4, ".tmp") == 0;
}

/* Remove a file unless its maker lives: then it is locked. Root's may have any owner. */
static void sweep_file(const char *path)
{
    const uid_t user = geteuid();
    struct stat about;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
        (about.st_uid == user || user == 0) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlink(path);
    close(fd);
}

static void sweep(const char *folder)
{
    DIR *const open_folder = opendir(*folder ? folder : "/");
    const struct dirent *entry;

    while (open_folder && (entry = readdir(open_folder))) {
        char *const path = is_ours(entry->d_name) ? join(folder, entry->d_name) : NULL;

        if (path)
            sweep_file(path);
        free(path);
    }
    if (open_folder)
        closedir(open_folder);
}

/* ---- Making, naming --------------------------------------------------------------- */

static char *temporary_name(const struct outfile *output, int number)
{
    char name[64];

    snprintf(name, sizeof name, ".multiway-%ld-%d.tmp", (long)getpid(), number);
    return join(output->folder, name);
}

/* A file that has a name from the beginning. Between open and lock it may be swept. */
static int make_named(struct outfile *output)
{
    for (int i = 0; i < NAME_TRIES && output->file.fd < 0; i++) {
        struct stat about;

        free(output->name);
        output->name = temporary_name(output, i);
        if (!output->name)
            return -1;
        output->file.fd = open(output->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (output->file.fd < 0 && errno != EEXIST)
            break;
        if (output->file.fd >= 0 &&
            ((flock(output->file.fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
             fstat(output->file.fd, &about) != 0 || about.st_nlink == 0))
            disk_close(&output->file);
    }
    if (output->file.fd < 0) {
        const int code = errno;

        free(output->name);
        output->name = NULL;
        errno = code;
    }
    return output->file.fd;
}

/* A file without a name, which can be given one through /proc. */
static int make_unnamed(struct outfile *output)
{
#if defined(O_TMPFILE)
    if (access("/proc/self/fd", X_OK) == 0)
        output->file.fd = open(*output->folder ? output->folder : "/",
                               O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (output->file.fd >= 0)
        flock(output->file.fd, LOCK_EX | LOCK_NB);
#endif
    return output->file.fd;
}

static mw_status open_standard(struct outfile *output)
{
    struct stat about;

    output->file.name = "standard output";
    output->file.fd = STDOUT_FILENO;
    output->is_pipe = 1;
    if (isatty(STDOUT_FILENO))
        return fault_note(output->disk->fault, MW_FILE_FAILED,
                          "standard output is a terminal (name an output file)");
    return fstat(STDOUT_FILENO, &about) ? trouble(output, "write") : MW_OK;
}

/*
 * Be the replaced file's owner's and group's, as far as that is allowed, with its mode. The
 * rights of a group that cannot be kept are not for another one.
 */
static mw_status keep_rights(const struct outfile *output)
{
    const struct stat *const was = &output->target_is;
    const int fd = output->file.fd;
    const int has_group = fchown(fd, was->st_uid, was->st_gid) == 0 ||
                          fchown(fd, (uid_t)-1, was->st_gid) == 0;

    if (fchmod(fd, was->st_mode & (has_group ? 0777 : 0707)) != 0)
        return trouble(output, "keep the mode of");
    return MW_OK;
}

mw_status outfile_open(struct outfile *output, struct disk *disk, const char *path)
{
    struct stat about;
    mw_status status = MW_OK;

    *output = (struct outfile){.disk = disk, .file = DISK_FILE_INIT};
    if (!path || strcmp(path, "-") == 0)
        return open_standard(output);
    output->file.name = path;
    if (!*path)
        return fault_note(disk->fault, MW_FILE_FAILED,
                          "the name of the output file is empty");
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        output->is_pipe = 1;
        errno = EISDIR;
        if (!S_ISDIR(about.st_mode))
            output->file.fd = open(path, O_WRONLY | O_CLOEXEC); /* a device or a pipe */
        return output->file.fd < 0 ? trouble(output, "write") : MW_OK;
    }
    TRY(aim(output, path));
    sweep(output->folder);
    if (make_unnamed(output) < 0 && make_named(output) < 0)
        return trouble(output, "write");
    if (output->replaces)
        TRY(keep_rights(output));
    disk_be_direct(&output->file);
done:
    return status;
}

mw_status outfile_room(const struct outfile *output, uint64_t bytes)
{
    struct statvfs disk;
    uint64_t room;

    if (output->is_pipe || fstatvfs(output->file.fd, &disk) != 0)
        return MW_OK;
    room = (uint64_t)disk.f_bavail * disk.f_frsize;
    if (bytes <= room)
        return MW_OK;
    return fault_note(output->disk->fault, MW_FILE_FAILED,
                      "%s would have %" PRIu64 " bytes, and its disk has room for %" PRIu64,
                      output->file.name, bytes, room);
}

/* Give a file without a name one: its own if that is free, or else a temporary one. */
static mw_status link_file(struct outfile *output)
{
    char proc[64];

    snprintf(proc, sizeof proc, "/proc/self/fd/%d", output->file.fd);
    if (!output->replaces &&
        linkat(AT_FDCWD, proc, AT_FDCWD, output->target, AT_SYMLINK_FOLLOW) == 0)
        return MW_OK;
    for (int i = 0; i < NAME_TRIES; i++) {
        char *const name = temporary_name(output, i);

        if (!name)
            break;
        if (linkat(AT_FDCWD, proc, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0) {
            output->name = name;
            return MW_OK;
        }
        free(name);
        if (errno != EEXIST)
            break;
    }
    return trouble(output, "name");
}

mw_status outfile_finish(struct outfile *output)
{
    mw_status status = MW_OK;

    if (!output->target) {
        const int fd = output->file.fd;

        output->file.fd = -1;
        return fd != STDOUT_FILENO && close(fd) ? trouble(output, "write") : MW_OK;
    }
    if (fsync(output->file.fd) != 0)
        return trouble(output, "write");
    if (!output->name)
        TRY(link_file(output));
    if (output->name && rename(output->name, output->target) != 0)
        return trouble(output, "rename to");
    free(output->name);
    output->name = NULL;
done:
    return status;
}

void outfile_close(struct outfile *output)
{
    if (output->name)
        unlink(output->name);
    disk_close(&output->file);
    free(output->name);
    free(output->folder);
    free(output->target);
    output->name = output->folder = output->target = NULL;
}
