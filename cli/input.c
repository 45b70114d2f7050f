/*
 * input.c - elements from a file or from standard input.
 */
#define _POSIX_C_SOURCE 200809L

#include "input.h"

#include "cli.h"
#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READ_MOST = 1 << 30, /* some systems refuse to read 2 GiB at once */
    OTHER_FILES = 256    /* outputs, devices, libraries */
};

int is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

void input_allow(uint32_t inputs)
{
    const rlim_t wanted = (rlim_t)inputs + OTHER_FILES;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit); /* if this fails, opening says so */
    }
}

/* The rows of a .npy file begin after its header. */
static int skip_header(struct input *input, const char *path)
{
    mw_npy npy = {.size = sizeof npy};
    struct stat about;
    char message[512];

    if (mw_read_npy(path, &npy, message) != MW_OK)
        return complain(input->command, "%s", message);
    if (npy.row_bytes != input->bytes)
        return complain(input->command, "%s has elements of %u bytes (expected %u)", path,
                        npy.row_bytes, input->bytes);
    if (fstat(input->file, &about) == 0 && S_ISREG(about.st_mode) &&
        (uint64_t)about.st_size != npy.header_bytes + npy.rows * npy.row_bytes)
        return complain(input->command,
                        "%s has %" PRIu64 " bytes after its header (expected %" PRIu64
                        ", as the header says)",
                        path, (uint64_t)about.st_size - npy.header_bytes,
                        npy.rows * npy.row_bytes);
    return lseek(input->file, npy.header_bytes, SEEK_SET) < 0
               ? complain(input->command, "cannot read %s: %s", path, strerror(errno))
               : 0;
}

int input_open(struct input *input, const char *command, const char *path,
               mw_file_format format, uint32_t bytes, const char *what)
{
    *input = (struct input){
        .command = command, .bytes = bytes, .what = what, .file = STDIN_FILENO};
    if (is_standard(path)) {
        input->name = "standard input";
        return isatty(STDIN_FILENO)
                   ? complain(command, "standard input is a terminal (expected a file or a "
                                       "pipe of keys)")
                   : 0;
    }
    input->name = path;
    input->file = open(path, O_RDONLY | O_CLOEXEC);
    if (input->file < 0)
        return complain(command, "cannot open %s: %s", path, strerror(errno));
    return is_npy(path, format) ? skip_header(input, path) : 0;
}

void input_close(struct input *input)
{
    if (input->file > STDIN_FILENO)
        close(input->file);
    input->file = -1;
}

/* Read until `bytes` are there or the input ends. */
static int read_bytes(struct input *input, char *to, size_t bytes, size_t *got)
{
    *got = 0;
    while (*got < bytes) {
        const size_t left = bytes - *got;
        const ssize_t n = read(input->file, to + *got, left < READ_MOST ? left : READ_MOST);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return complain(input->command, "cannot read %s: %s", input->name,
                            strerror(errno));
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return 0;
}

int input_read(struct input *input, void *elements, uint64_t count, uint64_t *got)
{
    const size_t size = input->bytes;
    size_t bytes;

    if (read_bytes(input, elements, count * size, &bytes))
        return EXIT_TROUBLE;
    *got = bytes / size;
    input->count += *got;
    if (bytes % size)
        return complain(input->command,
                        "%s has %" PRIu64 " bytes (expected a multiple of %zu, the size of "
                        "%s)",
                        input->name, input->count * size + bytes % size, size, input->what);
    return 0;
}

/* Room for a file's elements, and one more, so that its end is seen without growing. */
static uint64_t first_room(const struct input *input)
{
    const size_t size = input->bytes;
    struct stat about;

    if (fstat(input->file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
        return (uint64_t)about.st_size / size + 1;
    return (1 << 20) / size;
}

int input_all(struct input *input, void **elements, uint64_t *count)
{
    const size_t size = input->bytes;
    uint64_t room = first_room(input);
    uint64_t got;

    *count = 0;
    *elements = memory_for(input->command, room, size);
    if (!*elements)
        return EXIT_TROUBLE;
    for (;;) {
        void *larger;

        if (input_read(input, (char *)*elements + *count * size, room - *count, &got))
            break;
        *count += got;
        if (*count < room)
            return 0;
        room *= 2;
        larger = room <= SIZE_MAX / size ? realloc(*elements, room * size) : NULL;
        if (!larger) {
            complain(input->command, "no memory for more than %" PRIu64 " %s of %s", *count,
                     input->what, input->name);
            break;
        }
        *elements = larger;
    }
    free(*elements);
    *elements = NULL;
    return EXIT_TROUBLE;
}
