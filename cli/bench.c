/*
 * bench.c - `multiway bench`: hand over to multiway-bench, which lies beside us.
 *
 * It is a program of its own because it opens the rivals, which are C++.
 */
#define _POSIX_C_SOURCE 200809L

#include "cli.h"

#include <errno.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

static const char name[] = "multiway-bench";

int command_bench(int argc, char **argv)
{
    char path[MOST_PATH];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof name);
    char *slash = NULL;

    (void)argc;
    if (length > 0) {
        path[length] = '\0';
        slash = strrchr(path, '/');
    }
    if (!slash)
        return complain("bench", "where this program lies is unknown");
    strcpy(slash + 1, name);
    execv(path, argv);
    if (errno == ENOENT)
        return complain("bench", "%s is not installed (build with -DMW_INSTALL_BENCH=ON)",
                        path);
    return complain("bench", "cannot run %s: %s", path, strerror(errno));
}
