/*
 * micro_gpu.c - the micro-kernels on a GPU, by the driver. They run in the primary
 * context, which is the one that the library's own device uses.
 */
#include "calibrate.h"

#include "cuda/driver.h"
#include "kernels/kernel_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Images of micro.cu, one for each size of cells; none where nvcc was not found. */
extern const struct kernel_file micro_images[];

enum { MICRO_SIZES = 5 };

struct micro_gpu {
    struct driver driver;
    struct error *error;
    CUdevice number;
    CUcontext context;
    CUmodule modules[MICRO_SIZES]; /* for cells of 1 << i bytes */
};

static mw_status load(struct micro_gpu *gpu, int size)
{
    const struct kernel_file *image = micro_images;
    char name[32];

    snprintf(name, sizeof name, "micro_%d.fatbin", 8 << size);
    while (image->name && strcmp(image->name, name) != 0)
        image++;
    if (!image->name)
        return fail(gpu->error, MW_UNSUPPORTED, "built without nvcc: there is no %s", name);
    return driver_check(&gpu->driver, gpu->error,
                        gpu->driver.ModuleLoadData(&gpu->modules[size], image->bytes),
                        "cannot load %s", name);
}

mw_status micro_gpu_open(struct micro_gpu **opened, struct error *error)
{
    struct micro_gpu *const gpu = calloc(1, sizeof *gpu);
    mw_status status;

    *opened = gpu;
    if (!gpu)
        return fail(error, MW_NO_MEMORY, "no memory for the micro-kernels");
    gpu->error = error;
    TRY(driver_open(&gpu->driver, error));
    TRY(driver_check(&gpu->driver, error, gpu->driver.DeviceGet(&gpu->number, 0),
                     "cannot open the first GPU"));
    TRY(driver_check(&gpu->driver, error,
                     gpu->driver.DevicePrimaryCtxRetain(&gpu->context, gpu->number),
                     "cannot make a context"));
    TRY(driver_check(&gpu->driver, error, gpu->driver.CtxPushCurrent(gpu->context),
                     "cannot enter the context"));
    for (int size = 0; size < MICRO_SIZES; size++)
        TRY(load(gpu, size));
done:
    return status;
}

mw_status micro_gpu_run(struct micro_gpu *gpu, const struct micro_case *c,
                        uint32_t shared_bytes, const struct micro_args *args)
{
    const char *const name = micro_kernel_name(c->kernel);
    const CUmodule module = gpu->modules[__builtin_ctz((unsigned)c->bytes)];
    void *parameters[] = {(void *)args};
    /* clang-format off */
    const CUlaunchConfig config = {
        .gridDimX = 1, .gridDimY = 1, .gridDimZ = 1,
        .blockDimX = 32 * (unsigned)c->warps, .blockDimY = 1, .blockDimZ = 1,
        .sharedMemBytes = shared_bytes};
    /* clang-format on */
    CUfunction function;
    mw_status status;

    TRY(driver_check(&gpu->driver, gpu->error,
                     gpu->driver.ModuleGetFunction(&function, module, name),
                     "cannot find %s", name));
    TRY(driver_check(
        &gpu->driver, gpu->error,
        gpu->driver.FuncSetAttribute(
            function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared_bytes),
        "cannot give %s its shared memory", name));
    TRY(driver_check(&gpu->driver, gpu->error,
                     gpu->driver.LaunchKernelEx(&config, function, parameters, NULL),
                     "cannot launch %s", name));
    TRY(driver_check(&gpu->driver, gpu->error, gpu->driver.CtxSynchronize(), "%s failed",
                     name));
done:
    return status;
}

void micro_gpu_close(struct micro_gpu *gpu)
{
    CUcontext popped;

    if (gpu && gpu->context) {
        for (int size = 0; size < MICRO_SIZES; size++) {
            if (gpu->modules[size])
                gpu->driver.ModuleUnload(gpu->modules[size]);
        }
        gpu->driver.CtxPopCurrent(&popped);
        gpu->driver.DevicePrimaryCtxRelease(gpu->number);
    }
    if (gpu)
        driver_close(&gpu->driver);
    free(gpu);
}
