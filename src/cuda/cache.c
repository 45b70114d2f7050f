/*
 * cache.c - entries as files, their checksums, and eviction.
 */
#define _DEFAULT_SOURCE /* mkstemps, futimens */

#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of entries end so, unfinished ones too. No other file is ever deleted. */
#define SUFFIX ".mwk"

struct cache {
    uint64_t most_bytes;
    char path[]; /* of the folder */
};

/* An entry's file: this, the key, the bytes. */
struct header {
    char magic[8];
    uint64_t key_size;
    uint64_t size;
    uint64_t checksum; /* of the key and the bytes */
};

static const char magic[8] = {'m', 'w', 'c', 'a', 'c', 'h', 'e', '1'};

/* FNV-1a: xor a byte, multiply by the 64-bit FNV prime. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *const byte = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A second, different hash: add, multiply, xor the high bits down. */
static uint64_t hash_again(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *const byte = bytes;

    for (size_t i = 0; i < size; i++) {
        hash = (hash + byte[i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t checksum(const void *key, size_t key_size, const void *bytes, size_t size)
{
    return hash_bytes(hash_again(size, key, key_size), bytes, size);
}

static char *join(const char *folder, const char *name)
{
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    char *const path = malloc(bytes);

    if (path)
        snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

/* The file of `key`: its name is 128 bits of hash; the key in the file must match. */
static char *entry_path(const struct cache *cache, const void *key, size_t key_size)
{
    char name[32 + sizeof SUFFIX];

    snprintf(name, sizeof name, "%016llx%016llx%s",
             (unsigned long long)hash_bytes(UINT64_C(0xcbf29ce484222325), key, key_size),
             (unsigned long long)hash_again(key_size, key, key_size), SUFFIX);
    return join(cache->path, name);
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

struct cache *cache_open(const char *path, uint64_t most_bytes)
{
    if (!path || !*path)
        return NULL;

    struct cache *const cache = malloc(sizeof *cache + strlen(path) + 1);

    if (!cache)
        return NULL;
    cache->most_bytes = most_bytes;
    strcpy(cache->path, path);
    make_folders(cache->path);
    return cache;
}

void cache_close(struct cache *cache)
{
    free(cache);
}

static int read_all(int file, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(file, (char *)bytes + done, size - done);

        if (got == 0 || (got < 0 && errno != EINTR))
            return 0;
        done += got > 0 ? (size_t)got : 0;
    }
    return 1;
}

static int write_all(int file, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t put = write(file, (const char *)bytes + done, size - done);

        if (put < 0 && errno != EINTR)
            return 0;
        done += put > 0 ? (size_t)put : 0;
    }
    return 1;
}

/* The bytes of an open entry, or NULL if it is damaged or has another key. */
static void *read_entry(int file, const void *key, size_t key_size, size_t *size)
{
    struct header header;
    struct stat facts;

    if (fstat(file, &facts) != 0 || !read_all(file, &header, sizeof header) ||
        memcmp(header.magic, magic, sizeof magic) != 0 || header.key_size != key_size ||
        (uint64_t)facts.st_size < sizeof header + key_size ||
        header.size != (uint64_t)facts.st_size - sizeof header - key_size)
        return NULL;

    const size_t bytes_size = (size_t)header.size;
    char *const bytes = malloc(bytes_size + 1);
    char *const its_key = malloc(key_size + 1);

    if (bytes && its_key && read_all(file, its_key, key_size) &&
        memcmp(its_key, key, key_size) == 0 && read_all(file, bytes, bytes_size) &&
        checksum(key, key_size, bytes, bytes_size) == header.checksum) {
        free(its_key);
        bytes[bytes_size] = '\0';
        *size = bytes_size;
        return bytes;
    }
    free(its_key);
    free(bytes);
    return NULL;
}

void *cache_get(struct cache *cache, const void *key, size_t key_size, size_t *size)
{
    char *const path = cache ? entry_path(cache, key, key_size) : NULL;
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes = NULL;

    free(path);
    if (file < 0)
        return NULL;
    bytes = read_entry(file, key, key_size, size);
    if (bytes)
        futimens(file, NULL); /* used now: evicted last */
    close(file);
    return bytes;
}

/* An entry as eviction sees it. */
struct entry {
    char *path;
    uint64_t bytes;
    struct timespec used;
};

static int by_age(const void *left, const void *right)
{
    const struct entry *const a = left;
    const struct entry *const b = right;

    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->path, b->path);
}

static int is_entry(const char *name)
{
    const size_t length = strlen(name);

    return length >= sizeof SUFFIX &&
           strcmp(name + length + 1 - sizeof SUFFIX, SUFFIX) == 0;
}

/* All entries of the folder, oldest first. The caller frees them and their paths. */
static struct entry *list_entries(const struct cache *cache, size_t *count)
{
    DIR *const folder = opendir(cache->path);
    struct entry *entries = NULL;
    size_t room = 0;

    *count = 0;
    for (struct dirent *row; folder && (row = readdir(folder));) {
        struct stat facts;
        char *const path = is_entry(row->d_name) ? join(cache->path, row->d_name) : NULL;

        if (path && *count == room) {
            struct entry *const more = realloc(entries, (2 * room + 16) * sizeof *more);

            entries = more ? more : entries;
            room = more ? 2 * room + 16 : room;
        }
        if (path && *count < room && lstat(path, &facts) == 0 && S_ISREG(facts.st_mode))
            entries[(*count)++] =
                (struct entry){path, (uint64_t)facts.st_size, facts.st_mtim};
        else
            free(path);
    }
    if (folder)
        closedir(folder);
    if (entries)
        qsort(entries, *count, sizeof *entries, by_age);
    return entries;
}

/*
 * Remove the entries longest unused until the rest fits. The entry at `kept` stays: it was
 * just written, but others may have the same time, since file systems round times.
 */
static void evict(const struct cache *cache, const char *kept)
{
    uint64_t total = 0;
    size_t count = 0;
    struct entry *const entries = list_entries(cache, &count);

    for (size_t i = 0; i < count; i++)
        total += entries[i].bytes;
    for (size_t i = 0; i < count; i++) {
        if (total > cache->most_bytes && strcmp(entries[i].path, kept) != 0) {
            unlink(entries[i].path);
            total -= entries[i].bytes;
        }
        free(entries[i].path);
    }
    free(entries);
}

void cache_put(struct cache *cache, const void *key, size_t key_size, const void *bytes,
               size_t size)
{
    if (!cache || sizeof(struct header) + (uint64_t)key_size + size > cache->most_bytes)
        return;

    struct header header = {.key_size = key_size,
                            .size = size,
                            .checksum = checksum(key, key_size, bytes, size)};
    char *const path = entry_path(cache, key, key_size);
    char *const draft = join(cache->path, "new-XXXXXX" SUFFIX);
    const int file = path && draft ? mkstemps(draft, (int)sizeof SUFFIX - 1) : -1;

    memcpy(header.magic, magic, sizeof magic);
    if (file >= 0) {
        const int whole = write_all(file, &header, sizeof header) &&
                          write_all(file, key, key_size) && write_all(file, bytes, size);

        if (close(file) != 0 || !whole || rename(draft, path) != 0)
            unlink(draft);
        else
            evict(cache, path);
    }
    free(draft);
    free(path);
}
