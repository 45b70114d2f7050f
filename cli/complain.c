/*
 * complain.c - error messages of the command, and memory or an error message.
 */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES is not POSIX */

#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int complain(const char *command, const char *format, ...)
{
    char line[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    /* A file name or a compiler's log may contain line ends. */
    for (char *c = line; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = ' ';
    }
    fprintf(stderr, "multiway%s%s: %s\n", command ? " " : "", command ? command : "", line);
    return EXIT_TROUBLE;
}

uint64_t machine_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);

    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : SIZE_MAX / 2;
}

/* A system that overcommits would kill us later: what can never fit is refused here. */
void *memory_for(const char *command, uint64_t count, size_t size)
{
    const uint64_t most = machine_memory();
    void *memory = NULL;

    if (count <= most / size)
        memory = malloc(count ? count * size : 1);
    if (!memory)
        complain(command,
                 "no memory for %" PRIu64
                 " elements of %zu byte%s; this machine has %.1f GiB",
                 count, size, size == 1 ? "" : "s", (double)most / (1 << 30));
    return memory;
}
