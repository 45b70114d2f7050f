/*
 * cache.h - compiled kernels kept on disk, in a folder of the caller's choice.
 *
 * A cache never fails: if the folder cannot be created, read or written, or an entry is
 * damaged, the caller compiles again. Any number of processes may share a folder. Each
 * entry is one file, written under a temporary name and then renamed. When the folder
 * holds too many bytes, the least recently used entries are deleted. Other files stay.
 */
#ifndef MW_CUDA_CACHE_H
#define MW_CUDA_CACHE_H

#include <stddef.h>
#include <stdint.h>

struct cache;

/*
 * The cache in the folder `path`, created if missing, of at most `most_bytes` bytes.
 * NULL if `path` is NULL or memory ran out; the calls below accept NULL.
 */
struct cache *cache_open(const char *path, uint64_t most_bytes);
void cache_close(struct cache *cache);

/*
 * What was put under `key`, or NULL. The caller frees it. A zero byte follows, which
 * `*size` does not count.
 */
void *cache_get(struct cache *cache, const void *key, size_t key_size, size_t *size);

/* Keep `bytes` under `key`, and replace what was there. */
void cache_put(struct cache *cache, const void *key, size_t key_size, const void *bytes,
               size_t size);

#endif
