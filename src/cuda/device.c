/*
 * device.c - a GPU as a device: opening and closing it, its memory, its programs and
 * launches.
 */
#include "gpu.h"

#include "program.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t default_cache_bytes = UINT64_C(256) << 20;

struct block {
    struct block *next;
    CUdeviceptr memory;
};

static mw_status gpu_alloc(struct device *device, uint64_t bytes, void **memory)
{
    struct gpu *const gpu = gpu_of(device);
    struct block *const block = malloc(sizeof *block);
    mw_status status;

    *memory = NULL;
    if (!block)
        return fail(device->error, MW_NO_MEMORY, "no host memory to record an allocation");
    status = enter(gpu);
    if (status == MW_OK) {
        /* cuMemAlloc rejects 0 bytes. */
        status = driver_check(&gpu->driver, device->error,
                              gpu->driver.MemAlloc(&block->memory, bytes ? bytes : 1),
                              "cannot allocate %llu bytes on %s", (unsigned long long)bytes,
                              device->info.device);
        leave(gpu);
    }
    if (status != MW_OK) {
        free(block);
        return status;
    }
    block->next = gpu->blocks;
    gpu->blocks = block;
    *memory = (void *)(uintptr_t)block->memory;
    return MW_OK;
}

static void gpu_free(struct device *device, void *memory)
{
    struct gpu *const gpu = gpu_of(device);
    struct block **link = &gpu->blocks;

    while (*link && (*link)->memory != (uintptr_t)memory)
        link = &(*link)->next;
    /* If the context cannot be entered, the block stays listed for gpu_close. */
    if (!*link || gpu->driver.CtxPushCurrent(gpu->context) != CUDA_SUCCESS)
        return;

    struct block *const block = *link;

    *link = block->next;
    gpu->driver.MemFree(block->memory);
    leave(gpu);
    free(block);
}

static size_t text_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* A record with its own copies of the texts, after it in memory; NULL: no memory. */
static struct program *new_program(const struct program_name *name)
{
    const size_t less = text_bytes(name->less);
    const size_t declarations = text_bytes(name->declarations);
    struct program *const program = calloc(1, sizeof *program + less + declarations);
    char *const texts = (char *)(program + 1);

    if (!program)
        return NULL;
    program->name = *name;
    if (less)
        program->name.less = memcpy(texts, name->less, less);
    if (declarations)
        program->name.declarations = memcpy(texts + less, name->declarations, declarations);
    return program;
}

/* The record of a program, a new one if there is none yet; NULL: no memory. */
static struct program *program_slot(struct gpu *gpu, const struct program_name *name)
{
    struct program **link = &gpu->programs;

    while (*link && !same_program(&(*link)->name, name))
        link = &(*link)->next;

    struct program *const slot = *link ? *link : new_program(name);

    if (!slot)
        return NULL;
    if (*link)
        *link = slot->next;
    slot->next = gpu->programs; /* first in the list: the next sort often wants it again */
    gpu->programs = slot;
    return slot;
}

static struct program_target target_of(struct gpu *gpu)
{
    return (struct program_target){&gpu->driver, &gpu->base.info, gpu->cache,
                                   gpu->base.error};
}

static mw_status gpu_check_less(struct device *device, const char *less,
                                int (*less_on_host)(const void *a, const void *b))
{
    (void)less_on_host;
    return less ? MW_OK
                : fail(device->error, MW_UNSUPPORTED,
                       "the order has no text, which %s needs: less_on_host alone serves "
                       "cpu and sim only",
                       device->info.device);
}

static mw_status gpu_load(struct device *device, const struct program_name *name,
                          kernel_set kernels, struct program **program)
{
    struct gpu *const gpu = gpu_of(device);
    const struct program_target target = target_of(gpu);
    struct program *slot;
    mw_status status = MW_OK;

    if (name->engine == PROGRAM_LESS)
        status = gpu_check_less(device, name->less, name->less_on_host);
    if (status != MW_OK)
        return status;
    slot = program_slot(gpu, name);
    if (!slot)
        return fail(device->error, MW_NO_MEMORY, "no host memory for a program's record");
    if (kernels & ~slot->kernels) {
        status = enter(gpu);
        if (status != MW_OK)
            return status;
        status = program_load(&target, slot, kernels);
        leave(gpu);
    }
    *program = slot;
    return status;
}

static mw_status gpu_launch(struct device *device, const struct launch *launch)
{
    struct gpu *const gpu = gpu_of(device);
    const unsigned blocks = (unsigned)launch->blocks;
    void *parameters[] = {(void *)launch->args};
    const int waits = (launch->program->waiting & KERNEL_SET(launch->kernel)) != 0;
    CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                               .value.programmaticStreamSerializationAllowed = 1};
    const CUlaunchConfig config = {.gridDimX = blocks,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = launch->threads,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .sharedMemBytes = launch->shared_bytes,
                                   .hStream = launch->stream,
                                   .attrs = &early,
                                   .numAttrs = launch->follows && waits};
    mw_status status;

    assert(launch->blocks >= 1 && launch->blocks <= INT32_MAX);
    status = enter(gpu);
    if (status != MW_OK)
        return status;
    status = driver_check(
        &gpu->driver, device->error,
        gpu->driver.LaunchKernelEx(&config, launch->program->functions[launch->kernel],
                                   parameters, NULL),
        "cannot launch kernel %s: %u blocks of %u threads and %u bytes of shared memory",
        program_kernel_name(launch->kernel), blocks, launch->threads, launch->shared_bytes);
    leave(gpu);
    return status;
}

/* Free what lives in the context, which is current. */
static void empty(struct gpu *gpu)
{
    gpu->driver.CtxSynchronize(); /* work may still use the memory below */
    for (const struct block *block = gpu->blocks; block; block = block->next)
        gpu->driver.MemFree(block->memory);
    for (struct program *program = gpu->programs; program; program = program->next)
        program_unload(&gpu->driver, program);
    copies_close(&gpu->copies);
    if (gpu->base.stream)
        gpu->driver.StreamDestroy(gpu->base.stream);
}

static void gpu_close(struct device *device)
{
    struct gpu *const gpu = gpu_of(device);

    if (gpu->context) {
        if (gpu->driver.CtxPushCurrent(gpu->context) == CUDA_SUCCESS) {
            empty(gpu);
            leave(gpu);
        }
        copies_close(&gpu->copies); /* threads end, even if nothing can be freed */
        gpu->driver.DevicePrimaryCtxRelease(gpu->number);
    }
    while (gpu->blocks) {
        struct block *const block = gpu->blocks;

        gpu->blocks = block->next;
        free(block);
    }
    while (gpu->programs) {
        struct program *const program = gpu->programs;

        gpu->programs = program->next;
        free(program);
    }
    cache_close(gpu->cache);
    driver_close(&gpu->driver);
    free(gpu);
}

static const struct device_verbs verbs = {
    .close = gpu_close,
    .alloc = gpu_alloc,
    .free = gpu_free,
    .stream_open = gpu_stream_open,
    .stream_close = gpu_stream_close,
    .upload = gpu_upload,
    .download = gpu_download,
    .begin = gpu_begin,
    .finish = gpu_finish,
    .check_less = gpu_check_less,
    .load = gpu_load,
    .launch = gpu_launch,
    .wait = gpu_wait,
    .wait_all = gpu_wait_all,
    .event_open = gpu_event_open,
    .event_close = gpu_event_close,
    .record = gpu_record,
    .follow = gpu_follow,
    .elapsed = gpu_elapsed,
};

static mw_status find(struct gpu *gpu, int index)
{
    const struct driver *const driver = &gpu->driver;
    struct error *const error = gpu->base.error;
    int count = 0;
    mw_status status;

    TRY(driver_check(driver, error, driver->DeviceGetCount(&count),
                     "cannot count the GPUs"));
    if (count == 0)
        return fail(error, MW_NO_DEVICE, "the CUDA driver finds no GPU on this machine");
    if (index < 0 || index >= count)
        return fail(error, MW_NO_DEVICE, "no GPU cuda:%d (expected cuda:0 to cuda:%d)",
                    index, count - 1);
    TRY(driver_check(driver, error, driver->DeviceGet(&gpu->number, index),
                     "cannot open GPU cuda:%d", index));
done:
    return status;
}

static mw_status ask(struct gpu *gpu, int attribute, int *value)
{
    return driver_check(&gpu->driver, gpu->base.error,
                        gpu->driver.DeviceGetAttribute(value, attribute, gpu->number),
                        "cannot ask %s for its attribute %d", gpu->base.info.device,
                        attribute);
}

static mw_status describe(struct gpu *gpu, int index)
{
    const struct driver *const driver = &gpu->driver;
    struct error *const error = gpu->base.error;
    mw_info *const info = &gpu->base.info;
    int processors, major, minor, block, processor;
    size_t memory = 0;
    mw_status status;

    info->size = sizeof *info;
    snprintf(info->device, sizeof info->device, "cuda:%d", index);
    driver_version(driver, info->driver, sizeof info->driver);
    TRY(driver_check(driver, error,
                     driver->DeviceGetName(info->name, sizeof info->name, gpu->number),
                     "cannot ask %s for its name", info->device));
    TRY(driver_check(driver, error, driver->DeviceTotalMem(&memory, gpu->number),
                     "cannot ask %s for its memory", info->device));
    TRY(ask(gpu, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &processors));
    TRY(ask(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
    TRY(ask(gpu, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
    TRY(ask(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &block));
    TRY(ask(gpu, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &processor));
    info->memory_bytes = memory;
    info->processors = (uint32_t)processors;
    info->architecture = (uint32_t)(10 * major + minor);
    info->shared_per_block = (uint64_t)block;
    info->shared_per_processor = (uint64_t)processor;
done:
    return status;
}

/* Where kernels for this GPU come from; if from nowhere, info.fallback says why. */
static mw_status find_kernels(struct gpu *gpu)
{
    const struct program_target target = target_of(gpu);
    mw_info *const info = &gpu->base.info;
    struct error why;
    mw_status status;

    TRY(enter(gpu));
    status = program_find_kernels(&target, &info->ahead_of_time, &why);
    leave(gpu);
    if (status == MW_OK && *why.text)
        snprintf(info->fallback, sizeof info->fallback,
                 "no embedded kernels for %s (sm_%u), and %.120s", info->device,
                 info->architecture, why.text);
done:
    return status;
}

mw_status cuda_open(struct device **device, int index, const mw_options *options,
                    struct error *error)
{
    struct gpu *const gpu = calloc(1, sizeof *gpu);
    mw_status status;

    *device = NULL;
    if (!gpu)
        return fail(error, MW_NO_MEMORY, "no host memory for a device");
    gpu->base.verbs = &verbs;
    gpu->base.error = error;
    TRY(driver_open(&gpu->driver, error));
    TRY(find(gpu, index));
    TRY(describe(gpu, index));
    TRY(driver_check(&gpu->driver, error,
                     gpu->driver.DevicePrimaryCtxRetain(&gpu->context, gpu->number),
                     "cannot create a context on %s", gpu->base.info.device));
    gpu->copies = (struct copies){.driver = &gpu->driver, .context = gpu->context};
    if (options)
        gpu->cache =
            cache_open(options->cache_path,
                       options->cache_bytes ? options->cache_bytes : default_cache_bytes);
    TRY(find_kernels(gpu));
    TRY(gpu_stream_open(&gpu->base, &gpu->base.stream));
    *device = &gpu->base;
done:
    if (status != MW_OK)
        gpu_close(&gpu->base);
    return status;
}
