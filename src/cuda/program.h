/*
 * program.h - kernels on their way to a GPU: from the images in the library,
 * or else from their sources, through NVRTC and the disk cache.
 */
#ifndef MW_CUDA_PROGRAM_H
#define MW_CUDA_PROGRAM_H

#include "cache.h"
#include "device.h"
#include "driver.h"
#include "kernels/programs.h"

/* The kernels of one program that are loaded. */
struct program {
    struct program *next;
    struct program_name name;
    kernel_set kernels;              /* the set of these */
    kernel_set waiting;              /* those that wait for the launch before them */
    CUmodule image;                  /* with all kernels, or NULL */
    CUmodule compiled[KERNEL_COUNT]; /* with one kernel each, or NULL */
    CUfunction functions[KERNEL_COUNT];
};

/* The GPU a program is for. Its context is current during the calls below. */
struct program_target {
    const struct driver *driver;
    const mw_info *info;
    struct cache *cache; /* or NULL */
    struct error *error;
};

/*
 * Make sure that the set `kernels` is loaded: all kernels from the embedded image of the
 * program, or else those that are missing from source, compiled at the same time or
 * found compiled in the cache. MW_COMPILE_FAILED if this machine can do neither.
 */
mw_status program_load(const struct program_target *target, struct program *program,
                       kernel_set kernels);

/*
 * Do the embedded images serve this GPU? Tries the smallest one, and unloads it. If they
 * do not, and kernels cannot be compiled either, `why` says so; otherwise it is "".
 */
mw_status program_find_kernels(const struct program_target *target, int *images,
                               struct error *why);

const char *program_kernel_name(enum kernel_id kernel);

void program_unload(const struct driver *driver, struct program *program);

#endif
