/*
 * cache.h - compiled kernels kept on disk, in a folder of the caller's choice.
 *
 * A cache never fails: where the folder cannot be made, read or written, or
 * what is found there is damaged, the caller compiles again. Any number of
 * processes may share a folder. Each entry is one file, written under another
 * name and then renamed; when the folder holds more than it may, the entries
 * longest unused go first. Files that are not entries are left alone.
 */
#ifndef MW_CUDA_CACHE_H
#define MW_CUDA_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct cache;

/*
 * The cache in the folder `path`, made if missing, for `most_bytes` in all.
 * NULL if `path` is NULL or memory ran out; the calls below take NULL.
 */
struct cache *cache_open(const char *path, uint64_t most_bytes);
void cache_close(struct cache *cache);

/*
 * What was put under `key`, in memory to be freed by the caller and ended by a
 * zero byte that `*size` does not count; or NULL.
 */
void *cache_get(struct cache *cache, const void *key, size_t key_size, size_t *size);

/* Keep `bytes` under `key`, in the place of what was there. */
void cache_put(struct cache *cache, const void *key, size_t key_size, const void *bytes,
               size_t size);

#endif
