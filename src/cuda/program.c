#include "program.h"

#include "kernels/kernel_files.h"
#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a multiprocessor's memory is best for, as kernels.def says. */
enum memory { CACHE, SHARED, TILES };

static const struct kernel {
    const char *name;
    mw_engine engine;
    enum memory memory;
} kernels[KERNEL_COUNT] = {
#define KERNEL_ROW(id, name, args, program, memory) \
    [KERNEL_##id] = {#name, MW_ENGINE_##program, memory},
#include "kernels/kernels.def"
#undef KERNEL_ROW
};

const char *program_kernel_name(enum kernel_id kernel)
{
    return kernels[kernel].name;
}

int program_is(const struct program *program, const struct program_name *name)
{
    const struct tile_geometry *const a = &program->name.tile;
    const struct tile_geometry *const b = &name->tile;

    return program->name.engine == name->engine && program->name.bits == name->bits &&
           a->rows == b->rows && a->items == b->items && a->sort_blocks == b->sort_blocks &&
           a->merge_blocks == b->merge_blocks;
}

enum { RESERVED_SHARED = 1024 }; /* bytes of every block that the system has */

/* Shared memory of the blocks that are to run at once: `wanted`, or 0, by rule. */
static uint64_t needed(const struct program_name *name, uint64_t wanted, uint64_t each)
{
    const struct tile_geometry *const tile = &name->tile;
    const int by_rule = TILE_BLOCKS(tile->rows, tile->items, (unsigned)name->bits / 8);

    return (wanted ? wanted : (uint64_t)by_rule) * (each + RESERVED_SHARED);
}

/*
 * How much of a multiprocessor's memory is to be shared memory while a kernel runs, in
 * percent of the most that can be. For tiles that is what their blocks need: all else
 * is cache, in which cuts are found sooner. It is the same for all kernels of the
 * program: they follow each other, and to change it a multiprocessor must be empty.
 */
static int carveout(const struct program_target *target, const struct program_name *name,
                    enum memory memory)
{
    const struct tile_geometry *const tile = &name->tile;
    const unsigned bytes = (unsigned)name->bits / 8;
    const uint64_t all = target->info->shared_per_processor;

    if (memory == CACHE)
        return CU_SHAREDMEM_CARVEOUT_MAX_L1;
    if (memory == SHARED)
        return CU_SHAREDMEM_CARVEOUT_MAX_SHARED;

    const uint64_t sorting =
        needed(name, tile->sort_blocks, TILE_SORT_SHARED(tile->rows, tile->items, bytes));
    const uint64_t merging =
        needed(name, tile->merge_blocks, TILE_MERGE_SHARED(tile->rows, tile->items, bytes));
    const uint64_t most = sorting > merging ? sorting : merging;

    return most < all ? (int)((100 * most + all - 1) / all)
                      : CU_SHAREDMEM_CARVEOUT_MAX_SHARED;
}

/*
 * Find a kernel and allow it all the shared memory a block can have. Drivers
 * load lazily: asking how many threads fit makes sure the kernel is resident,
 * so that no launch has to allocate.
 */
static mw_status prepare(const struct program_target *target, const struct program *program,
                         const struct kernel *kernel, CUfunction *function)
{
    const char *const name = kernel->name;
    const struct driver *const driver = target->driver;
    const int most = (int)target->info->shared_per_block;
    struct error *const error = target->error;
    int threads = 0;
    int fixed = 0;
    mw_status status;

    TRY(driver_check(driver, error,
                     driver->ModuleGetFunction(function, program->module, name),
                     "cannot find the kernel %s", name));
    TRY(driver_check(driver, error,
                     driver->FuncGetAttribute(
                         &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, *function),
                     "cannot ask the kernel %s for its threads", name));
    TRY(driver_check(
        driver, error,
        driver->FuncGetAttribute(&fixed, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, *function),
        "cannot ask the kernel %s for its shared memory", name));
    TRY(driver_check(
        driver, error,
        driver->FuncSetAttribute(*function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 most - fixed),
        "cannot give the kernel %s %d bytes of shared memory", name, most - fixed));
    TRY(driver_check(driver, error,
                     driver->FuncSetAttribute(
                         *function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                         carveout(target, &program->name, kernel->memory)),
                     "cannot set the shared memory carve-out of the kernel %s", name));
done:
    return status;
}

/* Load machine code; `what` says in a message where it came from. */
static mw_status load(const struct program_target *target, const void *image,
                      const char *what, struct program *program)
{
    const struct driver *const driver = target->driver;
    struct program loaded = *program;
    mw_status status;

    TRY(driver_check(driver, target->error, driver->ModuleLoadData(&loaded.module, image),
                     "cannot load %s", what));
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (kernels[i].engine == program->name.engine)
            TRY(prepare(target, &loaded, &kernels[i], &loaded.functions[i]));
    }
    *program = loaded;
done:
    if (status != MW_OK)
        program_unload(driver, &loaded);
    return status;
}

/* What the build calls the image of a program. */
static void name_image(const struct program_name *name, char *text, size_t bytes)
{
    const struct tile_geometry *const tile = &name->tile;

    if (name->engine == MW_ENGINE_TILE)
        snprintf(text, bytes, "tile_%d_%ux%u_%u_%u.fatbin", name->bits, tile->rows,
                 tile->items, tile->sort_blocks, tile->merge_blocks);
    else
        snprintf(text, bytes, "%s_%d.fatbin",
                 name->engine == MW_ENGINE_PAIR ? "pair" : "heap", name->bits);
}

mw_status program_from_image(const struct program_target *target, struct program *program)
{
    const struct kernel_file *image = kernel_images;
    struct error error; /* of a rejection: no failure, so not for the caller */
    struct program_target quiet = *target;
    char name[64];

    name_image(&program->name, name, sizeof name);
    while (image->name && strcmp(image->name, name) != 0)
        image++;
    if (!image->name)
        return MW_OK;

    quiet.error = &error;

    const mw_status status = load(&quiet, image->bytes, name, program);

    if (status == MW_OK || status == MW_COMPILE_FAILED)
        return MW_OK;
    *target->error = error;
    return status;
}

mw_status program_from_source(const struct program_target *target, struct program *program)
{
    const struct nvrtc_request request = {.sources = kernel_sources,
                                          .engine = program->name.engine,
                                          .bits = program->name.bits,
                                          .tile = program->name.tile,
                                          .architecture = target->info->architecture};
    struct nvrtc nvrtc = {.library = NULL};
    struct nvrtc_code code = {NULL, 0, NULL};
    char what[64];
    char *key = NULL;
    size_t key_size = 0;
    mw_status status;

    TRY(nvrtc_open(&nvrtc, target->error));
    key = nvrtc_key(&nvrtc, &request, &key_size);
    if (!key)
        TRY(fail(target->error, MW_NO_MEMORY,
                 "no memory to put the kernels' sources together"));

    code.bytes = cache_get(target->cache, key, key_size, &code.size);

    const int cached = code.bytes != NULL;

    if (!cached)
        TRY(nvrtc_compile(&nvrtc, &request, &code, target->error));
    snprintf(what, sizeof what, "kernels compiled by NVRTC %d.%d for sm_%u", nvrtc.major,
             nvrtc.minor, target->info->architecture);
    TRY(load(target, code.bytes, what, program));
    if (!cached)
        cache_put(target->cache, key, key_size, code.bytes, code.size);
done:
    free(key);
    nvrtc_code_free(&code);
    nvrtc_close(&nvrtc);
    return status;
}

void program_unload(const struct driver *driver, struct program *program)
{
    if (program->module)
        driver->ModuleUnload(program->module);
    program->module = NULL;
}
