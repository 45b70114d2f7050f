/*
 * compile.h - kernels from source: by NVRTC, several at the same time, or from the disk
 * cache.
 */
#ifndef MW_CUDA_COMPILE_H
#define MW_CUDA_COMPILE_H

#include "cache.h"
#include "nvrtc.h"

/* One kernel to compile: set the first two members, the others to 0. */
struct compile_job {
    enum kernel_id kernel;
    struct nvrtc_request request;
    struct nvrtc_code code; /* the result */
    char *key;              /* its name in the cache */
    size_t key_size;
    int cached; /* 1: it was found there */
};

/*
 * Compile `count` kernels, each in a thread of its own, if the cache (or NULL) does not
 * have them. Free the jobs afterwards, whatever the status.
 */
mw_status compile(struct compile_job *jobs, int count, struct cache *cache,
                  struct error *error);

/* Put a result into the cache, once the driver has accepted it. */
void compile_keep(const struct compile_job *job, struct cache *cache);

void compile_free(struct compile_job *job);

/* Can this machine compile kernels? If not, `why` says why. */
int compile_possible(struct error *why);

#endif
