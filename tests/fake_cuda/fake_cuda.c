#include "fake_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARED_OPTIN = 232448 };

struct CUfunc_st {
    char name[64];
    int dynamic_bytes;
    int carveout;
};

struct CUmod_st {
    struct CUfunc_st functions[8];
    int count;
};

struct CUstream_st {
    int unused;
};

EXPORT CUresult cuInit(unsigned flags)
{
    if (!fake.initialised)
        fake_restart();

    const CUresult code = begin("cuInit");

    if (code == CUDA_SUCCESS && flags != 0)
        return INVALID_VALUE;
    fake.initialised |= code == CUDA_SUCCESS;
    return code;
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    *version = 12080;
    return begin("cuDriverGetVersion");
}

EXPORT CUresult cuGetErrorName(CUresult code, const char **text)
{
    *text =
        code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
    return code == INVALID_HANDLE ? INVALID_VALUE : CUDA_SUCCESS;
}

EXPORT CUresult cuGetErrorString(CUresult code, const char **text)
{
    *text = code == INVALID_HANDLE ? NULL : "a failure made for a test";
    return code == INVALID_HANDLE ? INVALID_VALUE : CUDA_SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count)
{
    *count = fake.devices;
    return begin("cuDeviceGetCount");
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int index)
{
    const CUresult code = begin("cuDeviceGet");

    if (index < 0 || index >= fake.devices)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = index;
    return code;
}

EXPORT CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
    snprintf(name, (size_t)bytes, "Imaginary GPU %d", device);
    return begin("cuDeviceGetName");
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    (void)device;
    *bytes = (size_t)8 << 30;
    return begin("cuDeviceTotalMem_v2");
}

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    (void)device;
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = 132;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        *value = 233472;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        *value = SHARED_OPTIN;
        break;
    default:
        return INVALID_VALUE;
    }
    return begin("cuDeviceGetAttribute");
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult code = begin("cuDevicePrimaryCtxRetain");

    if (code == CUDA_SUCCESS) {
        fake.primary[device].retained++;
        *context = &fake.primary[device];
    }
    return code;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    const CUresult code = begin("cuDevicePrimaryCtxRelease_v2");

    if (fake.primary[device].retained == 0)
        return INVALID_CONTEXT;
    fake.primary[device].retained--;
    if (fake.primary[0].retained + fake.primary[1].retained == 0)
        object_clear(); /* the last one out resets the context */
    return code;
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    const CUresult code = begin("cuCtxPushCurrent_v2");

    if (code != CUDA_SUCCESS)
        return code;
    if (!context || fake_stack.depth == MOST_DEPTH)
        return INVALID_CONTEXT;
    fake_stack.contexts[fake_stack.depth++] = context;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    const CUresult code = begin("cuCtxPopCurrent_v2");

    if (fake_stack.depth == 0)
        return INVALID_CONTEXT;
    *context = fake_stack.contexts[--fake_stack.depth];
    return code;
}

EXPORT CUresult cuCtxSynchronize(void)
{
    const CUresult code = begin_inside("cuCtxSynchronize");

    flush(NULL, 1);
    return code;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *memory, size_t bytes)
{
    const CUresult code = begin_inside("cuMemAlloc_v2");

    if (code != CUDA_SUCCESS)
        return code;
    if (bytes == 0)
        return INVALID_VALUE;
    if (bytes > (size_t)8 << 30)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *memory = (uintptr_t)object_add(MEMORY, bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr memory)
{
    const CUresult code = begin_inside("cuMemFree_v2");

    return either(code, object_remove(MEMORY, (void *)(uintptr_t)memory));
}

EXPORT CUresult cuMemAllocHost_v2(void **memory, size_t bytes)
{
    const CUresult code = begin_inside("cuMemAllocHost_v2");

    if (code == CUDA_SUCCESS)
        *memory = object_add(PINNED, bytes);
    return code;
}

EXPORT CUresult cuMemFreeHost(void *memory)
{
    const CUresult code = begin_inside("cuMemFreeHost");

    return either(code, object_remove(PINNED, memory));
}

EXPORT CUresult cuPointerGetAttribute(void *value, int attribute, CUdeviceptr pointer)
{
    const void *const at = (const void *)(uintptr_t)pointer;
    const CUresult code = begin_inside("cuPointerGetAttribute");

    if (attribute != CU_POINTER_ATTRIBUTE_MEMORY_TYPE || !object_holds(PINNED, at, 1))
        return either(code, INVALID_VALUE);
    *(int *)value = CU_MEMORYTYPE_HOST;
    return code;
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                                     CUstream stream)
{
    void *const target = (void *)(uintptr_t)to;
    const CUresult code = begin_inside("cuMemcpyHtoDAsync_v2");
    void *owned = NULL;

    if (code != CUDA_SUCCESS)
        return code;
    if (!object_holds(MEMORY, target, bytes))
        return INVALID_VALUE;
    if (!object_holds(PINNED, from, bytes)) { /* pageable memory is read at once */
        owned = malloc(bytes);
        memcpy(owned, from, bytes);
        from = owned;
    }
    delay(stream, target, from, owned, bytes);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                                     CUstream stream)
{
    const void *const source = (const void *)(uintptr_t)from;
    const CUresult code = begin_inside("cuMemcpyDtoHAsync_v2");

    if (code != CUDA_SUCCESS)
        return code;
    if (!object_holds(MEMORY, source, bytes))
        return INVALID_VALUE;
    delay(stream, to, source, NULL, bytes);
    if (!object_holds(PINNED, to, bytes)) /* the call waits for pageable memory */
        flush(stream, 0);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    const CUresult code = begin_inside("cuStreamCreate");

    if (code != CUDA_SUCCESS)
        return code;
    if (flags != CU_STREAM_NON_BLOCKING)
        return INVALID_VALUE;
    *stream = object_add(STREAM, sizeof **stream);
    return CUDA_SUCCESS;
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream)
{
    const CUresult code = begin_inside("cuStreamDestroy_v2");

    flush(stream, 0);
    return either(code, object_remove(STREAM, stream));
}

EXPORT CUresult cuStreamSynchronize(CUstream stream)
{
    const CUresult code = begin_inside("cuStreamSynchronize");

    if (stream && !object_holds(STREAM, stream, 1))
        return either(code, INVALID_HANDLE);
    flush(stream, 0);
    return code;
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    const CUresult code = begin_inside("cuStreamWaitEvent");

    if (flags || (stream && !object_holds(STREAM, stream, 1)) ||
        !object_holds(EVENT, event, 1))
        return either(code, INVALID_HANDLE);
    return code;
}

/* What the driver takes: a fat binary, or what the tests call an image. */
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
    const CUresult code = either(begin_inside("cuModuleLoadData"), judge(image));

    if (code != CUDA_SUCCESS)
        return code;
    *module = object_add(MODULE, sizeof **module);
    (*module)->count = 0;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuModuleUnload(CUmodule module)
{
    const CUresult code = begin_inside("cuModuleUnload");

    return either(code, object_remove(MODULE, module));
}

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    const CUresult code = begin_inside("cuModuleGetFunction");

    if (code != CUDA_SUCCESS)
        return code;
    if (!object_holds(MODULE, module, sizeof *module) || module->count == 8)
        return INVALID_HANDLE;
    *function = &module->functions[module->count++];
    snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    (*function)->dynamic_bytes = 49152;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    const CUresult code = begin_inside("cuFuncGetAttribute");

    if (!object_holds(MODULE, function, sizeof *function))
        return either(code, INVALID_HANDLE);
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 64;
    return code;
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    const CUresult code = begin_inside("cuFuncSetAttribute");

    if (code != CUDA_SUCCESS)
        return code;
    if (!object_holds(MODULE, function, sizeof *function))
        return INVALID_HANDLE;
    if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
        function->carveout = value;
        return value >= -1 && value <= 100 ? CUDA_SUCCESS : INVALID_VALUE;
    }
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
        value + 64 > SHARED_OPTIN)
        return INVALID_VALUE;
    function->dynamic_bytes = value;
    return CUDA_SUCCESS;
}

EXPORT CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                                 void **parameters, void **extra)
{
    const CUresult code = begin_inside("cuLaunchKernelEx");

    if (code != CUDA_SUCCESS)
        return code;
    if (!object_holds(MODULE, function, sizeof *function))
        return INVALID_HANDLE;
    if (config->gridDimX == 0 || config->gridDimY != 1 || config->gridDimZ != 1 ||
        config->blockDimX == 0 || config->blockDimX > 1024 || config->blockDimY != 1 ||
        config->blockDimZ != 1 || extra ||
        config->sharedMemBytes > (unsigned)function->dynamic_bytes)
        return INVALID_VALUE;
    fake.launched = (struct fake_launch){.blocks = config->gridDimX,
                                         .threads = config->blockDimX,
                                         .shared_bytes = config->sharedMemBytes,
                                         .stream = config->hStream,
                                         .attributes = config->numAttrs,
                                         .carveout = function->carveout,
                                         .args = parameters[0]};
    fake.launches++;
    snprintf(fake.launched.kernel, sizeof fake.launched.kernel, "%s", function->name);
    return CUDA_SUCCESS;
}
