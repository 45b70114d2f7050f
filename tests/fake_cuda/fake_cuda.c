/*
 * fake_cuda.c - the fake driver's devices, contexts, memory, modules and launches.
 */
#include "fake_state.h"

#include <stdio.h>
#include <string.h>

enum { SHARED_OPTIN = 232448, FIXED_SHARED = 64, MOST_FUNCTIONS = 32 };

struct CUfunc_st {
    char name[64];
    int dynamic_bytes;
    int carveout;
};

struct CUmod_st {
    const char *image;
    struct CUfunc_st functions[MOST_FUNCTIONS];
    int count;
};

/* Functions that do one thing, even if they fail. */
#define DOES(function, parameters, what) \
    EXPORT CUresult function parameters  \
    {                                    \
        what;                            \
        return begin(__func__);          \
    }

DOES(cuInit, (unsigned flags), (void)flags)
DOES(cuDriverGetVersion, (int *version), *version = 12080)
DOES(cuDeviceGetCount, (int *count), *count = fake.devices)
DOES(cuDeviceGet, (CUdevice * device, int index), *device = index)
DOES(cuDeviceGetName, (char *name, int bytes, CUdevice device),
     snprintf(name, (size_t)bytes, "Imaginary GPU %d", device))
DOES(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device),
     ((void)device, *bytes = (size_t)8 << 30))

EXPORT CUresult cuGetErrorName(CUresult code, const char **text)
{
    *text =
        code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
    return code == INVALID_HANDLE ? INVALID_HANDLE : CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorString(CUresult code, const char **text)
{
    *text = code == INVALID_HANDLE ? NULL : "a failure made for a test";
    return code == INVALID_HANDLE ? INVALID_HANDLE : CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    static const int values[] = {
        [CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = 132,
        [CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = 9,
        [CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = 0,
        [CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] = 233472,
        [CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = SHARED_OPTIN,
    };

    (void)device;
    *value = values[attribute];
    return begin(__func__);
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult code = begin(__func__);

    if (code == CUDA_SUCCESS) {
        primary[device].retained++;
        *context = &primary[device];
    }
    return code;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    const CUresult code = begin(__func__);

    if (primary[device].retained == 0)
        return INVALID_CONTEXT;
    primary[device].retained--;
    if (primary[0].retained + primary[1].retained == 0)
        object_clear(); /* the last release resets the context */
    return code;
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    const CUresult code = begin(__func__);

    if (code != CUDA_SUCCESS)
        return code;
    if (!context || depth == MOST_DEPTH)
        return INVALID_CONTEXT;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    const CUresult code = begin(__func__);

    if (depth == 0)
        return INVALID_CONTEXT;
    *context = stack[--depth];
    return code;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t bytes)
{
    BEGIN(bytes > 0);
    if (bytes > (size_t)8 << 30)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *memory = (uintptr_t)object_add(MEMORY, bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr memory)
{
    run_all(); /* it waits for the device */
    return object_remove(begin_inside(__func__), MEMORY, (const void *)(uintptr_t)memory);
}

EXPORT CUresult cuMemAllocHost_v2(void **memory, size_t bytes)
{
    BEGIN(1);
    *memory = object_add(PINNED, bytes);
    return CUDA_SUCCESS;
}

FREES(cuMemFreeHost, PINNED, void *)

/*
 * Images: a fat binary, or what the tests call an image. An "image of" some kernels has no
 * others.
 */
static CUresult judge(const void *image)
{
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};

    if (strncmp(image, "reject", 6) == 0)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (memcmp(image, fatbin, 4) == 0 || strncmp(image, "image", 5) == 0 ||
        strncmp(image, "cubin", 5) == 0)
        return CUDA_SUCCESS;
    return CUDA_ERROR_INVALID_IMAGE;
}

EXPORT CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    BEGIN(1);
    if (judge(image) == CUDA_SUCCESS) {
        *module = object_add(MODULE, sizeof **module);
        (*module)->image = image;
    }
    return judge(image);
}

FREES(cuModuleUnload, MODULE, CUmodule)

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    BEGIN(object_holds(MODULE, module, sizeof *module) && module->count < MOST_FUNCTIONS);
    if (strncmp(module->image, "image of ", 9) == 0 && !strstr(module->image, name))
        return CUDA_ERROR_NOT_FOUND;
    *function = &module->functions[module->count++];
    snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    (*function)->dynamic_bytes = 49152;
    return CUDA_SUCCESS;
}

static int is_function(CUfunction function)
{
    return object_holds(MODULE, function, sizeof *function);
}

EXPORT CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    BEGIN(is_function(function));
    *value = attribute == CU_FUNC_ATTRIBUTE_PTX_VERSION ? fake.ptx_version : FIXED_SHARED;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    const int carves = attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;

    BEGIN(is_function(function) &&
          (carves ? value >= -1 && value <= 100
                  : attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES &&
                        value + FIXED_SHARED <= SHARED_OPTIN));
    *(carves ? &function->carveout : &function->dynamic_bytes) = value;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                 void **parameters, void **extra)
{
    BEGIN(is_function(function) && is_stream(config->hStream) && config->gridDimX > 0 &&
          config->gridDimY == 1 && config->gridDimZ == 1 && config->blockDimX > 0 &&
          config->blockDimX <= 1024 && config->blockDimY == 1 && config->blockDimZ == 1 &&
          !extra && config->sharedMemBytes <= (unsigned)function->dynamic_bytes);
    fake.launched = (struct fake_launch){.blocks = config->gridDimX,
                                         .threads = config->blockDimX,
                                         .shared_bytes = config->sharedMemBytes,
                                         .stream = config->hStream,
                                         .attributes = config->numAttrs,
                                         .carveout = function->carveout,
                                         .args = parameters[0]};
    strcpy(fake.launched.kernel, function->name);
    return CUDA_SUCCESS;
}
