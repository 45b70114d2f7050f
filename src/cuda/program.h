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

/* The kernels of one program. Nothing is loaded while `module` is NULL. */
struct program {
    struct program *next;
    struct program_name name;
    CUmodule module;
    CUfunction functions[KERNEL_COUNT]; /* NULL for those of other engines */
};

/* The GPU a program is for. Its context is current during the calls below. */
struct program_target {
    const struct driver *driver;
    const mw_info *info;
    struct cache *cache; /* or NULL */
    struct error *error;
};

int program_is(const struct program *program, const struct program_name *name);

/*
 * Load the embedded image for the program's name. If there is none, or none in
 * it that this GPU can run, that is no error: `program` stays unloaded.
 */
mw_status program_from_image(const struct program_target *target, struct program *program);

/* Compile the sources for this GPU, or find them compiled in the cache. */
mw_status program_from_source(const struct program_target *target, struct program *program);

const char *program_kernel_name(enum kernel_id kernel);

void program_unload(const struct driver *driver, struct program *program);

#endif
