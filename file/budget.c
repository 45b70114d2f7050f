/*
 * budget.c - the default memory limit of a job on files.
 */
#define _GNU_SOURCE /* sched_getaffinity is Linux's own */

#include "budget.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, FALLBACK = 256 << 20 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number in a file, or after a word in it; UINT64_MAX if there is none ("max"). */
static uint64_t number_in(const char *path, const char *word)
{
    FILE *const file = fopen(path, "re");
    uint64_t number = UINT64_MAX;
    char line[256];

    while (file && number == UINT64_MAX && fgets(line, sizeof line, file)) {
        const size_t length = strlen(word);

        if (strncmp(line, word, length) != 0 ||
            sscanf(line + length, "%" SCNu64, &number) != 1)
            number = UINT64_MAX;
    }
    if (file)
        fclose(file);
    return number;
}

/* What a control group leaves: of version 2, all groups up to the root count. */
static uint64_t group_room(void)
{
    FILE *const file = fopen("/proc/self/cgroup", "re");
    char line[PATH_BYTES], path[2 * PATH_BYTES];
    char group[PATH_BYTES] = "";
    uint64_t room = UINT64_MAX;

    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::", 3) == 0)
            snprintf(group, sizeof group, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    }
    if (file)
        fclose(file);
    for (;;) {
        uint64_t most, used;
        char *slash;

        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
        most = number_in(path, "");
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", group);
        used = number_in(path, "");
        if (most != UINT64_MAX && used != UINT64_MAX)
            room = least(room, most > used ? most - used : 0);
        slash = strrchr(group, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    return least(room, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", ""));
}

/* What a limit of the address space leaves. */
static uint64_t address_room(void)
{
    const uint64_t pages = number_in("/proc/self/statm", "");
    const uint64_t used = pages == UINT64_MAX ? 0 : pages * (uint64_t)sysconf(_SC_PAGESIZE);
    struct rlimit limit;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

uint64_t budget_default(void)
{
    const uint64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    const uint64_t machine = kilobytes == UINT64_MAX ? FALLBACK : kilobytes << 10;

    return least(machine, least(group_room(), address_room())) / 2;
}

uint32_t budget_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (uint32_t)CPU_COUNT(&set);
    return 1;
}
