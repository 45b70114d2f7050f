/*
 * unit_cache.c - the disk cache returns what was put in or nothing: no damaged entry, no
 * more bytes than allowed, no mixed entry with eight processes at the same keys.
 */
#define _DEFAULT_SOURCE /* mkdtemp, utimensat, fork */

#include "cuda/cache.h"

#include "fake_cuda/fake_cuda.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
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

/* A file that is no entry. */
static void write_file(const char *path, off_t bytes)
{
    const int file = open(path, O_CREAT | O_WRONLY, 0600);

    if (ftruncate(file, bytes) != 0 || close(file) != 0)
        perror(path);
}

static void put(struct cache *cache, const char *key, const char *bytes)
{
    cache_put(cache, key, strlen(key), bytes, strlen(bytes));
}

/* 1: the cache holds exactly `bytes` under `key`; 0: nothing; -1: something else. */
static int holds(struct cache *cache, const char *key, const char *bytes)
{
    size_t size = 0;
    char *const got = cache_get(cache, key, strlen(key), &size);
    const int same = got && size == strlen(bytes) && memcmp(got, bytes, size) == 0;
    const int found = !got ? 0 : same ? 1 : -1;

    free(got);
    return found;
}

static int lacks(struct cache *cache, const char *key)
{
    return holds(cache, key, "") == 0;
}

static void test_put_and_get(struct tap *tap)
{
    struct cache *cache = cache_open("put/a/b", plenty);
    struct stat facts;

    tap_ok(tap, stat("put/a/b", &facts) == 0 && (facts.st_mode & 0777) == 0700,
           "the folder and its parents are made, for the owner alone", "");
    tap_ok(tap, lacks(cache, "key"), "an empty folder holds nothing", "");
    put(cache, "key", "first");
    put(cache, "other", "");
    tap_ok(tap, holds(cache, "key", "first") == 1 && holds(cache, "other", "") == 1,
           "what was put is found, even if it is empty", "");
    tap_ok(tap, lacks(cache, "ke"), "a key's beginning is another key", "");
    put(cache, "key", "second");
    cache_close(cache);
    cache = cache_open("put/a/b", plenty);
    tap_ok(tap, holds(cache, "key", "second") == 1, "the later put wins, and stays", "");
    cache_close(cache);
}

/*
 * Ways to spoil an entry's file: percent of its bytes that stay, and where a bit flips, in
 * percent of the bytes (-1: nowhere).
 */
static const struct damage {
    const char *name;
    int cut, flip;
} damages[] = {
    {"emptied",                        0,   -1 },
    {"cut inside the header",          10,  -1 },
    {"cut inside the key",             40,  -1 },
    {"cut in the last byte",           99,  -1 },
    {"grown",                          150, -1 },
    {"a bit of the magic flips",       100, 0  },
    {"a bit of the key's size flips",  100, 5  },
    {"a bit of the data's size flips", 100, 9  },
    {"a bit of the key flips",         100, 40 },
    {"the last bit flips",             100, 100},
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
    struct cache *const cache = cache_open("damage", plenty);
    char key[101] = "", data[101] = ""; /* so that the percentages hit what they name */

    memset(key, 'k', 100);
    memset(data, 'd', 100);
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        put(cache, key, data);
        spoil(look("damage", 0).last, &damages[i]);

        const int ignored = lacks(cache, key);

        put(cache, key, data);
        tap_ok(tap, ignored && holds(cache, key, data) == 1,
               "a damaged entry is ignored, and can be written again", damages[i].name);
    }

    const struct entries entries = look("damage", 0);

    if (unlink(entries.last) != 0 || mkdir(entries.last, 0700) != 0)
        perror(entries.last);
    put(cache, key, data);
    tap_ok(tap, lacks(cache, key) && look("damage", 0).count == 1,
           "an entry that cannot be put in place leaves nothing", "");
    cache_close(cache);
}

static void test_bound(struct tap *tap)
{
    static const char *const keys[] = {"one", "two", "three"};
    struct cache *cache = cache_open("bound", plenty);
    char data[1001] = "";
    uint64_t bound;

    memset(data, 'x', 1000);
    write_file("bound/precious.txt", 10000);
    for (int i = 0; i < 3; i++) {
        put(cache, keys[i], data);
        look("bound", 10);
    }
    cache_close(cache);
    bound = look("bound", 0).bytes; /* room for these three */
    cache = cache_open("bound", bound);
    put(cache, "three", data);
    tap_ok(tap, look("bound", 0).count == 3, "three entries just fit", "");
    tap_ok(tap, holds(cache, "one", data) == 1, "the oldest is used", "");
    put(cache, "six", data);
    tap_ok(tap, look("bound", 0).count == 3 && look("bound", 0).bytes <= bound,
           "the folder stays under its bound", "");
    tap_ok(tap,
           holds(cache, "one", data) == 1 && lacks(cache, "two") &&
               holds(cache, "three", data) == 1 && holds(cache, "six", data) == 1,
           "the entry longest unused made room", "");
    tap_ok(tap, access("bound/precious.txt", F_OK) == 0,
           "a file that is no entry is left alone", "");
    cache_close(cache);

    cache = cache_open("bound", 500);
    put(cache, "large", data);
    tap_ok(tap, lacks(cache, "large") && look("bound", 0).count == 3,
           "an entry over the bound is not kept, and evicts nothing", "");
    put(cache, "small", "s");
    tap_ok(tap, holds(cache, "small", "s") == 1 && look("bound", 0).count == 1,
           "a lower bound is reached with the next put", "");
    mkdir("bound/no entry.mwk", 0700);
    put(cache, "small", "t");
    tap_ok(tap, holds(cache, "small", "t") == 1 && access("bound/no entry.mwk", F_OK) == 0,
           "a folder is no entry", "");
    cache_close(cache);
}

/* Where the cache cannot write, it holds nothing and does no harm. */
static void test_bad_folder(struct tap *tap)
{
    static const char *const paths[] = {NULL, "", "file", "file/inside"};

    write_file("file", 0);
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct cache *const cache = cache_open(paths[i], plenty);

        put(cache, "key", "bytes");
        tap_ok(tap, lacks(cache, "key"), "no folder can be made",
               paths[i] ? paths[i] : "no path");
        cache_close(cache);
    }
}

/*
 * Whatever the host refuses, an entry is found whole or not at all, nothing unfinished is
 * left, and the next put works. An interrupted read or write is made again.
 */
static void test_refusals(struct tap *tap, int error)
{
    int wrong = 0, k = 0;

    do {
        host_calls = (struct fake_calls){.fail_at = ++k, .error = error};

        struct cache *cache = cache_open("refused", plenty);

        put(cache, "key", "bytes");

        const int found = holds(cache, "key", "bytes");
        const int moves = strcmp(host_calls.failed, "read") == 0 ||
                          strcmp(host_calls.failed, "write") == 0;

        host_calls.fail_at = 0;
        cache_close(cache);
        cache = cache_open("refused", plenty);
        wrong += found < 0 || (found == 0 && moves && error == EINTR);
        put(cache, "key", "bytes");
        wrong += holds(cache, "key", "bytes") != 1 || look("refused", 0).count != 1;
        cache_close(cache);
        unlink(look("refused", 0).last);
    } while (*host_calls.failed);
    tap_case(tap, wrong == 0 && k > 15, "%d calls fail: %s", k - 1, strerror(error));
}

/* Put and get long data that differ from key to key. Returns the number of wrong gets. */
static int hammer(const char *folder, uint64_t most_bytes, unsigned seed)
{
    struct cache *const cache = cache_open(folder, most_bytes);
    char data[4001] = "", key[] = "key 0";
    int wrong = 0;

    for (int round = 0; round < ROUNDS; round++) {
        seed = seed * 1103515245u + 12345u;
        key[4] = (char)('0' + (seed >> 16) % KEYS);
        memset(data, key[4], 4000);
        if (seed >> 30 == 0)
            put(cache, key, data);

        const int found = holds(cache, key, data);

        wrong += found < 0;
        if (found == 0)
            put(cache, key, data);
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

    tap_ok(tap,
           holds(cache, "last", "one") == 1 && entries.bytes <= most_bytes &&
               entries.count <= KEYS + 1,
           "and leave the folder under its bound, with no unfinished file", folder);
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
    test_refusals(&tap, ENOSPC);
    test_refusals(&tap, EINTR);
    fflush(stdout);
    test_processes(&tap, "room for all", plenty);
    test_processes(&tap, "room for two of five", 10000);
    snprintf(command, sizeof command, "rm -r ../%s", folder);
    tap_ok(&tap, system(command) == 0, "the folders can be removed", "");
    return tap_end(&tap);
}
