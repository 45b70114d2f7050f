/*
 * program.c - programs from the embedded images, or else from source.
 */
#include "program.h"

#include "compile.h"
#include "kernels/kernel_files.h"

#include <stdio.h>
#include <string.h>

/* What an SM's memory serves best as, by kernels.def. */
enum memory { CACHE, SHARED, TILES, ANY };

static const struct kernel {
    const char *name;
    const char *args;
    enum memory memory;
} kernel_rows[KERNEL_COUNT] = {
#define KERNEL_ROW(id, name, args, program, memory) [KERNEL_##id] = {#name, #args, memory},
#include "kernels/kernels.def"
#undef KERNEL_ROW
};

const char *program_kernel_name(enum kernel_id kernel)
{
    return kernel_rows[kernel].name;
}

enum { RESERVED_SHARED = 1024 }; /* bytes of each block that the driver takes */

/* Shared memory of `wanted` blocks of an SM; 0: by TILE_BLOCKS. */
static uint64_t needed(const struct program_name *name, uint64_t wanted, uint64_t each)
{
    const struct tile_geometry *const tile = &name->tile;
    const int by_rule = TILE_BLOCKS(tile->rows, tile->items, item_bytes(name));

    return (wanted ? wanted : (uint64_t)by_rule) * (each + RESERVED_SHARED);
}

/* The same for the blocks of a sort by a comparison. */
static uint64_t less_shared(const struct program_name *name)
{
    const struct tile_geometry *const tile = &name->tile;
    const unsigned bytes = name->bits ? (unsigned)name->bits / 8 : 4;

    return (uint64_t)tile->merge_blocks *
           (LESS_SHARED(tile->rows, tile->items, bytes) + RESERVED_SHARED);
}

/* `bytes` in percent of an SM's memory. */
static int share_of(const struct program_target *target, uint64_t bytes)
{
    const uint64_t all = target->info->shared_per_processor;

    return bytes < all ? (int)((100 * bytes + all - 1) / all)
                       : CU_SHAREDMEM_CARVEOUT_MAX_SHARED;
}

/*
 * The shared memory carve-out of a kernel, in percent of the most that an SM can have.
 * Tiles get what their blocks need; the rest is L1, which makes finding cuts faster. All
 * kernels of a tile program have the same: an SM must be idle to change it, and they
 * follow each other.
 */
static int carveout(const struct program_target *target, const struct program_name *name,
                    enum memory memory)
{
    const struct tile_geometry *const tile = &name->tile;

    if (memory == CACHE)
        return CU_SHAREDMEM_CARVEOUT_MAX_L1;
    if (memory == SHARED)
        return CU_SHAREDMEM_CARVEOUT_MAX_SHARED;
    if (memory == ANY)
        return CU_SHAREDMEM_CARVEOUT_DEFAULT;

    if (name->engine == PROGRAM_LESS)
        return share_of(target, less_shared(name));

    const uint64_t sorting = needed(name, tile->sort_blocks, tile_sort_shared(name));
    const uint64_t merging = needed(name, tile->merge_blocks, tile_merge_shared(name));

    return share_of(target, sorting > merging ? sorting : merging);
}

/*
 * Find a kernel in `module` and allow it all the shared memory a block can have. Drivers
 * load lazily: to ask how many threads fit makes sure that the kernel is resident, so
 * that no launch has to allocate.
 */
static mw_status find_kernel(const struct program_target *target, struct program *program,
                             CUmodule module, enum kernel_id id)
{
    const char *const name = kernel_rows[id].name;
    const struct driver *const driver = target->driver;
    const int most = (int)target->info->shared_per_block;
    struct error *const error = target->error;
    CUfunction function = NULL;
    int version = 0;
    int fixed = 0;
    mw_status status;

    TRY(driver_check(driver, error, driver->ModuleGetFunction(&function, module, name),
                     "cannot find the kernel %s", name));
    TRY(driver_check(
        driver, error,
        driver->FuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function),
        "cannot ask the kernel %s for its PTX version", name));
    TRY(driver_check(
        driver, error,
        driver->FuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function),
        "cannot ask the kernel %s for its shared memory", name));
    TRY(driver_check(
        driver, error,
        driver->FuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 most - fixed),
        "cannot give the kernel %s %d bytes of shared memory", name, most - fixed));
    TRY(driver_check(driver, error,
                     driver->FuncSetAttribute(
                         function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                         carveout(target, &program->name, kernel_rows[id].memory)),
                     "cannot set the shared memory carve-out of the kernel %s", name));
    program->functions[id] = function;
    /* simt_follow of PTX for older GPUs does nothing, whatever GPU it is compiled for. */
    program->waiting &= ~KERNEL_SET(id);
    if (version >= 90)
        program->waiting |= KERNEL_SET(id);
done:
    return status;
}

/* Load machine code that has the set `kernels`; `what` is its name in a message. */
static mw_status load_module(const struct program_target *target, struct program *program,
                             const void *code, kernel_set kernels, const char *what,
                             CUmodule *module)
{
    const struct driver *const driver = target->driver;
    CUmodule loaded = NULL;
    mw_status status;

    TRY(driver_check(driver, target->error, driver->ModuleLoadData(&loaded, code),
                     "cannot load %s", what));
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (kernels & KERNEL_SET(i))
            TRY(find_kernel(target, program, loaded, (enum kernel_id)i));
    }
    program->kernels |= kernels;
    *module = loaded;
done:
    if (status != MW_OK && loaded)
        driver->ModuleUnload(loaded);
    return status;
}

/* What the build calls the image of a program. */
static void name_image(const struct program_name *name, char *text, size_t bytes)
{
    const struct tile_geometry *const tile = &name->tile;

    if (name->engine == MW_ENGINE_TILE || name->engine == PROGRAM_LISTS)
        snprintf(text, bytes, "%s_%d_%ux%u_%u_%u%s.fatbin",
                 name->engine == PROGRAM_LISTS ? "lists" : "tile", name->bits, tile->rows,
                 tile->items, tile->sort_blocks, tile->merge_blocks,
                 tile->places  ? "_places"
                 : tile->large ? "_large"
                               : "");
    else
        snprintf(text, bytes, "%s_%d.fatbin",
                 name->engine == MW_ENGINE_PAIR    ? "pair"
                 : name->engine == MW_ENGINE_TALLY ? "tally"
                 : name->engine == PROGRAM_ROWS    ? "rows"
                                                   : "heap",
                 name->bits);
}

/*
 * Load the embedded image for the program's name. If there is none, or none in
 * it that this GPU can run, that is no error: the program stays as it is.
 */
static mw_status load_image(const struct program_target *target, struct program *program)
{
    const struct kernel_file *image = kernel_images;
    struct error error; /* of an image that does not suit: not for the caller */
    struct program_target quiet = *target;
    char name[64];

    if (program->name.engine == PROGRAM_LESS) /* a text's kernels */
        return MW_OK;
    name_image(&program->name, name, sizeof name);
    while (image->name && strcmp(image->name, name) != 0)
        image++;
    if (!image->name)
        return MW_OK;

    quiet.error = &error;

    const mw_status status =
        load_module(&quiet, program, image->bytes, program_kernels(&program->name), name,
                    &program->image);

    if (status == MW_OK || status == MW_COMPILE_FAILED)
        return MW_OK;
    *target->error = error;
    return status;
}

/* Compile the set `kernels`, or find them in the cache, and load them. */
static mw_status load_source(const struct program_target *target, struct program *program,
                             kernel_set kernels)
{
    struct compile_job jobs[KERNEL_COUNT];
    int count = 0;
    char what[96];
    mw_status status;

    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (kernels & KERNEL_SET(i))
            jobs[count++] = (struct compile_job){
                .kernel = (enum kernel_id)i,
                .request = {.sources = kernel_sources,
                            .digest = kernel_sources_digest,
                            .program = program->name,
                            .kernel = kernel_rows[i].name,
                            .args = kernel_rows[i].args,
                            .architecture = target->info->architecture}
            };
    }
    TRY(compile(jobs, count, target->cache, target->error));
    for (int i = 0; i < count; i++) {
        const enum kernel_id id = jobs[i].kernel;

        snprintf(what, sizeof what, "kernel %s compiled for sm_%u", kernel_rows[id].name,
                 target->info->architecture);
        TRY(load_module(target, program, jobs[i].code.bytes, KERNEL_SET(id), what,
                        &program->compiled[id]));
        compile_keep(&jobs[i], target->cache);
    }
done:
    for (int i = 0; i < count; i++)
        compile_free(&jobs[i]);
    return status;
}

mw_status program_load(const struct program_target *target, struct program *program,
                       kernel_set kernels)
{
    mw_status status = MW_OK;

    if (!program->kernels)
        TRY(load_image(target, program));
    if (kernels & ~program->kernels)
        TRY(load_source(target, program, kernels & ~program->kernels));
done:
    return status;
}

mw_status program_find_kernels(const struct program_target *target, int *images,
                               struct error *why)
{
    const struct driver *const driver = target->driver;
    const struct kernel_file *smallest = kernel_images;
    CUmodule module = NULL;
    mw_status status = MW_COMPILE_FAILED;

    for (const struct kernel_file *image = kernel_images; image->name; image++)
        smallest = image->size < smallest->size ? image : smallest;
    why->text[0] = '\0';
    if (smallest->name)
        status = driver_check(driver, why, driver->ModuleLoadData(&module, smallest->bytes),
                              "cannot load %s", smallest->name);
    *images = status == MW_OK;
    if (status == MW_OK) {
        driver->ModuleUnload(module);
        return MW_OK;
    }
    if (status != MW_COMPILE_FAILED) {
        *target->error = *why;
        return status;
    }
    if (compile_possible(why))
        why->text[0] = '\0';
    return MW_OK;
}

void program_unload(const struct driver *driver, struct program *program)
{
    if (program->image)
        driver->ModuleUnload(program->image);
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (program->compiled[i])
            driver->ModuleUnload(program->compiled[i]);
    }
    program->image = NULL;
    program->kernels = 0;
    program->waiting = 0;
}
