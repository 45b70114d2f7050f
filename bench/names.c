/*
 * names.c - do two of the files that a run is to write have one place?
 */
#define _POSIX_C_SOURCE 200809L

#include "report.h"

#include <sys/stat.h>

enum { MOST_PATH = 4096 };

static int same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *last_part(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int find_folder(const char *path, struct stat *folder)
{
    char name[MOST_PATH];
    const int length = (int)(last_part(path) - path);
    const int needed = snprintf(name, sizeof name, "%.*s.", length, path);

    return needed < MOST_PATH ? stat(name, folder) : -1;
}

/* Files that are not there yet are one if their names end alike, in one folder. */
static int one_to_be(const char *a, const char *b)
{
    struct stat in;
    struct stat also;

    return *last_part(a) && strcmp(last_part(a), last_part(b)) == 0 &&
           find_folder(a, &in) == 0 && find_folder(b, &also) == 0 && same(&in, &also);
}

/* Would one be written over the other? Devices and pipes take whatever comes. */
static int one_file(const char *a, const char *b)
{
    struct stat is;
    struct stat also;
    const int a_there = stat(a, &is) == 0;
    const int b_there = stat(b, &also) == 0;

    if (a_there && b_there)
        return S_ISREG(is.st_mode) && same(&is, &also);
    return !a_there && !b_there && one_to_be(a, b);
}

int names_apart(const struct wish *wish)
{
    const struct field_text files[] = {
        {"tsv",        wish->tsv     },
        {"phases-tsv", wish->launches},
        {"json",       wish->json    },
        {"report",     wish->report  }
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!files[i].text || !files[j].text || !one_file(files[i].text, files[j].text))
                continue;
            complain("bench", "--%s %s and --%s %s are one file", files[j].name,
                     files[j].text, files[i].name, files[i].text);
            return -1;
        }
    }
    return 0;
}
