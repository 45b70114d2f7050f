/*
 * host_calls.c - calls of the host that a test can make fail. Linked with --wrap: the CUDA
 * device's calls of malloc come to __wrap_malloc here.
 */
#define _POSIX_C_SOURCE 200809L /* fmemopen, lstat */

#include "fake_cuda.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake_calls host_calls;

static int fails(const char *name)
{
    const int now = ++host_calls.count == host_calls.fail_at;

    if (now)
        snprintf(host_calls.failed, sizeof host_calls.failed, "%s", name);
    errno = host_calls.error;
    return now || (host_calls.sticky && strcmp(host_calls.failed, name) == 0);
}

#define WRAP(type, failure, name, parameters, arguments)           \
    type __real_##name parameters;                                 \
    type __wrap_##name parameters;                                 \
    type __wrap_##name parameters                                  \
    {                                                              \
        return fails(#name) ? (failure) : __real_##name arguments; \
    }

WRAP(void *, NULL, malloc, (size_t bytes), (bytes))
WRAP(void *, NULL, calloc, (size_t count, size_t bytes), (count, bytes))
WRAP(void *, NULL, realloc, (void *memory, size_t bytes), (memory, bytes))
WRAP(void *, NULL, dlopen, (const char *name, int flags), (name, flags))
WRAP(void *, NULL, dlsym, (void *library, const char *name), (library, name))
WRAP(DIR *, NULL, opendir, (const char *path), (path))
WRAP(int, -1, fstat, (int file, struct stat *facts), (file, facts))
WRAP(int, -1, lstat, (const char *path, struct stat *facts), (path, facts))
WRAP(ssize_t, -1, read, (int file, void *bytes, size_t size), (file, bytes, size))
WRAP(ssize_t, -1, write, (int file, const void *bytes, size_t size), (file, bytes, size))
WRAP(int, (__real_close(file), -1), close, (int file), (file))

/* The one file the device opens says which kernel module there is. */
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode)
{
    static char text[] = "NVRM version: NVIDIA UNIX x86_64 Module  570.86.15  Release\n";

    return fails(path) ? NULL : fmemopen(text, sizeof text - 1, mode);
}
