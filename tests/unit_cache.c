/*
 * unit_cache.c - the disk cache returns what was put in or nothing: no damaged entry, no
 * more bytes than allowed, no mixed entry with eight processes at the same keys.
 */
#define _DEFAULT_SOURCE /* mkdtemp, utimensat, fork */

#include "cuda/cache.h"

#include "tap.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t plenty = 1 << 20;

enum { PROCESSES = 8, ROUNDS = 150, KEYS = 5, PATH_BYTES = 512 };

/* The entries of a folder. */
struct entries {
    int count;
    uint64_t bytes;
    char last[PATH_BYTES]; /* the path of one of them */
};

/* Look at all entries, and make them `older` seconds older. */
static struct entries look(const char *folder, int older)
{
    DIR *const rows = opendir(folder);
    struct entries entries = {0, 0, ""};

    for (struct dirent *row; rows && (row = readdir(rows));) {
        struct stat facts;

        if (!strstr(row->d_name, ".mwk"))
            continue;
        snprintf(entries.last, PATH_BYTES, "%s/%s", folder, row->d_name);
        if (stat(entries.last, &facts) != 0)
            continue;

        const struct timespec used = {facts.st_mtim.tv_sec - older, facts.st_mtim.tv_nsec};
        const struct timespec times[2] = {used, used};

        if (older && utimensat(AT_FDCWD, entries.last, times, 0) != 0)
            perror(entries.last);
        entries.bytes += (uint64_t)facts.st_size;
        entries.count++;
    }
    if (rows)
        closedir(rows);
    return entries;
}

/* A file that is no entry, of `bytes` bytes. */
static void write_file(const char *path, size_t bytes)
{
    FILE *const file = fopen(path, "w");

    for (size_t i = 0; file && i < bytes; i++)
        fputc('x', file);
    if (!file || fclose(file) != 0)
        perror(path);
}

static void put(struct cache *cache, const char *key, const char *bytes)
{
    cache_put(cache, key, strlen(key), bytes, strlen(bytes));
}

/* Does the cache hold exactly `bytes` under `key`? NULL asks: nothing? */
static int holds(struct cache *cache, const char *key, const char *bytes)
{
    size_t size = 0;
    char *const got = cache_get(cache, key, strlen(key), &size);
    const int same = bytes ? got && size == strlen(bytes) && strcmp(got, bytes) == 0 : !got;

    free(got);
    return same;
}

static void test_put_and_get(struct tap *tap)
{
    struct cache *const cache = cache_open("put/a/b", plenty);
    struct stat facts;

    tap_ok(tap, stat("put/a/b", &facts) == 0 && (facts.st_mode & 0777) == 0700,
           "the folder and its parents are made, for the owner alone", "");
    tap_ok(tap, holds(cache, "key", NULL), "nothing is found in an empty folder", "");
    put(cache, "key", "first");
    put(cache, "other", "");
    tap_ok(tap, holds(cache, "key", "first"), "what was put is found", "");
    tap_ok(tap, holds(cache, "other", ""), "even if it is empty", "");
    tap_ok(tap, holds(cache, "ke", NULL), "a key's beginning is another key", "");
    put(cache, "key", "second");
    tap_ok(tap, holds(cache, "key", "second"), "the later put wins", "");
    cache_close(cache);

    struct cache *const again = cache_open("put/a/b", plenty);

    tap_ok(tap, holds(again, "key", "second"), "and is there the next time", "");
    cache_close(again);
}

/* One way to spoil an entry's file. */
struct damage {
    const char *name;
    int cut;  /* percent of the bytes that stay */
    int flip; /* where a bit flips, in percent of the bytes; -1: nowhere */
};

static void spoil(const char *path, const struct damage *damage)
{
    const int file = open(path, O_RDWR);
    const off_t size = lseek(file, 0, SEEK_END);
    const off_t at = (size - 1) * damage->flip / 100;
    unsigned char byte = 0;
    int done = damage->flip < 0 || pread(file, &byte, 1, at) == 1;

    byte ^= 4;
    done &= damage->flip < 0 || pwrite(file, &byte, 1, at) == 1;
    if (!done || ftruncate(file, size * damage->cut / 100) != 0 || close(file) != 0)
        perror(path);
}

static void test_damage(struct tap *tap)
{
    static const struct damage damages[] = {
        {"emptied",                  0,   -1 },
        {"cut inside the header",    10,  -1 },
        {"cut inside the key",       40,  -1 },
        {"cut in the last byte",     99,  -1 },
        {"grown",                    150, -1 },
        {"a bit of the magic flips", 100, 0  },
        {"a bit of a size flips",    100, 10 },
        {"a bit of the key flips",   100, 40 },
        {"a bit of the data flips",  100, 80 },
        {"the last bit flips",       100, 100},
    };
    /* About 100 bytes each, so that the percentages above hit what they name. */
    static const char key[] = "key key key key key key key key key key key key key key "
                              "key key key key key key key key key key key";
    static const char data[] = "data data data data data data data data data data data "
                               "data data data data data data data data data";

    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        char folder[16];

        snprintf(folder, sizeof folder, "damage-%zu", i);

        struct cache *const cache = cache_open(folder, plenty);

        put(cache, key, data);
        spoil(look(folder, 0).last, &damages[i]);
        tap_ok(tap, holds(cache, key, NULL), "a damaged entry is ignored", damages[i].name);
        put(cache, key, data);
        tap_ok(tap, holds(cache, key, data), "and rewritten", damages[i].name);
        cache_close(cache);
    }
}

static void test_bound(struct tap *tap)
{
    static const char *const keys[] = {"one", "two", "three"};
    /* Room for three entries of a little over a thousand bytes, not for four. */
    struct cache *const cache = cache_open("bound", 3500);
    char data[1001] = "";

    memset(data, 'x', 1000);
    write_file("bound/precious.txt", 10000);

    for (int i = 0; i < 3; i++) {
        put(cache, keys[i], data);
        look("bound", 10);
    }
    tap_ok(tap, look("bound", 0).count == 3, "three entries fit", "");
    tap_ok(tap, holds(cache, "one", data), "the oldest is used", "");
    put(cache, "four", data);
    tap_ok(tap, look("bound", 0).count == 3 && look("bound", 0).bytes <= 3500,
           "the folder stays under its bound", "");
    tap_ok(tap, holds(cache, "two", NULL), "the entry longest unused made room", "");
    tap_ok(tap,
           holds(cache, "one", data) && holds(cache, "three", data) &&
               holds(cache, "four", data),
           "the others are still there", "");
    tap_ok(tap, access("bound/precious.txt", F_OK) == 0,
           "a file that is no entry is left alone", "");
    cache_close(cache);

    struct cache *const narrow = cache_open("bound", 500);

    put(narrow, "large", data);
    tap_ok(tap, holds(narrow, "large", NULL), "an entry over the bound is not kept", "");
    tap_ok(tap, look("bound", 0).count == 3, "and evicts nothing", "");
    put(narrow, "small", "s");
    tap_ok(tap, holds(narrow, "small", "s") && look("bound", 0).count == 1,
           "a lower bound is reached with the next put", "");
    cache_close(narrow);
}

static void test_bad_folder(struct tap *tap)
{
    tap_ok(tap, cache_open(NULL, plenty) == NULL, "no path, no cache", "");
    tap_ok(tap, holds(NULL, "key", NULL), "a NULL cache holds nothing", "");
    put(NULL, "key", "bytes");
    cache_close(NULL);

    write_file("file", 0);

    struct cache *const blocked = cache_open("file", plenty);

    put(blocked, "key", "bytes");
    tap_ok(tap, holds(blocked, "key", NULL), "a file where the folder should be", "");
    cache_close(blocked);

    if (geteuid() == 0) {
        tap_skip(tap, "a folder that cannot be written", "root may write anywhere");
    } else {
        struct cache *const locked = cache_open("locked", plenty);

        chmod("locked", 0500);
        put(locked, "key", "bytes");
        tap_ok(tap, holds(locked, "key", NULL), "a folder that cannot be written", "");
        chmod("locked", 0700);
        cache_close(locked);
    }
}

/* Put and get long data that differ from key to key. Returns the number of wrong gets. */
static int hammer(const char *folder, uint64_t most_bytes, unsigned seed)
{
    struct cache *const cache = cache_open(folder, most_bytes);
    char data[4001] = "", key[16];
    int wrong = 0;

    for (int round = 0; round < ROUNDS; round++) {
        seed = seed * 1103515245u + 12345u;

        const int i = (int)(seed >> 16) % KEYS;
        size_t size = 0;

        memset(data, 'a' + i, 4000);
        snprintf(key, sizeof key, "key %d", i);
        if (seed >> 30 == 0)
            put(cache, key, data);

        char *const got = cache_get(cache, key, strlen(key), &size);

        wrong += got && (size != 4000 || memcmp(got, data, 4000) != 0);
        if (!got)
            put(cache, key, data);
        free(got);
    }
    cache_close(cache);
    return wrong;
}

static void test_processes(struct tap *tap, const char *folder, uint64_t most_bytes)
{
    int bad = 0;

    for (unsigned i = 0; i < PROCESSES; i++) {
        const pid_t child = fork();

        if (child == 0)
            _exit(hammer(folder, most_bytes, i + 1) != 0);
        bad += child < 0;
    }
    for (int state; wait(&state) > 0;)
        bad += !WIFEXITED(state) || WEXITSTATUS(state) != 0;
    tap_ok(tap, bad == 0, "eight processes at the same keys see whole entries", folder);

    struct cache *const cache = cache_open(folder, most_bytes);

    put(cache, "last", "one");

    const struct entries entries = look(folder, 0);

    tap_ok(tap, holds(cache, "last", "one") && entries.bytes <= most_bytes,
           "and leave the folder under its bound", folder);
    tap_ok(tap, entries.count <= KEYS + 1, "with no unfinished file in it", folder);
    cache_close(cache);
}

int main(void)
{
    char folder[] = "unit_cache-XXXXXX";
    char command[32];
    struct tap tap = {0, 0};

    if (!mkdtemp(folder) || chdir(folder) != 0)
        perror(folder);
    test_put_and_get(&tap);
    test_damage(&tap);
    test_bound(&tap);
    test_bad_folder(&tap);
    fflush(stdout);
    test_processes(&tap, "room for all", plenty);
    test_processes(&tap, "room for two of five", 10000);
    snprintf(command, sizeof command, "rm -r ../%s", folder);
    tap_ok(&tap, system(command) == 0, "the folders can be removed", "");
    return tap_end(&tap);
}
