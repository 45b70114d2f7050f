/*
 * driver.h - the CUDA driver, libcuda.so.1, opened at run time.
 *
 * The library includes no CUDA header. The types, numbers and signatures below are the
 * driver's binary interface, with NVIDIA's names, so that its documentation can be
 * searched for them.
 */
#ifndef MW_CUDA_DRIVER_H
#define MW_CUDA_DRIVER_H

#include "base/base.h"

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_JIT_COMPILATION_DISABLED = 223,
    CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_NOT_FOUND = 500
};

/* For DeviceGetAttribute. */
enum {
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

/* For FuncGetAttribute and FuncSetAttribute. */
enum {
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
    CU_SHAREDMEM_CARVEOUT_DEFAULT = -1,
    CU_SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    CU_SHAREDMEM_CARVEOUT_MAX_SHARED = 100
};

/* For StreamCreate: not ordered with the default stream. */
enum { CU_STREAM_NON_BLOCKING = 1 };

/* For PointerGetAttribute: page-locked host memory has type HOST. */
enum { CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2, CU_MEMORYTYPE_HOST = 1 };

/*
 * For LaunchKernelEx: the launch may begin before the previous one has ended; its
 * kernel waits for that end by itself.
 */
enum { CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 };

typedef struct {
    int id;
    char pad[4];
    union {
        char pad[64];
        int programmaticStreamSerializationAllowed;
    } value;
} CUlaunchAttribute;

typedef struct {
    unsigned gridDimX, gridDimY, gridDimZ;
    unsigned blockDimX, blockDimY, blockDimZ;
    unsigned sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

/* For EventCreate: an event that records the time, or does not. */
enum { CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2 };

/* clang-format off */

/* THE list of driver functions: name in the table, symbol, parameters. */
#define DRIVER_FUNCTIONS(F)                                                              \
    F(Init, "cuInit", (unsigned flags))                                                  \
    F(DriverGetVersion, "cuDriverGetVersion", (int *version))                            \
    F(GetErrorName, "cuGetErrorName", (CUresult code, const char **text))                \
    F(GetErrorString, "cuGetErrorString", (CUresult code, const char **text))            \
    F(DeviceGetCount, "cuDeviceGetCount", (int *count))                                  \
    F(DeviceGet, "cuDeviceGet", (CUdevice *device, int index))                           \
    F(DeviceGetName, "cuDeviceGetName", (char *name, int bytes, CUdevice device))        \
    F(DeviceGetAttribute, "cuDeviceGetAttribute",                                        \
      (int *value, int attribute, CUdevice device))                                      \
    F(DeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device))           \
    F(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",                                \
      (CUcontext *context, CUdevice device))                                             \
    F(DevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice device))        \
    F(CtxPushCurrent, "cuCtxPushCurrent_v2", (CUcontext context))                        \
    F(CtxPopCurrent, "cuCtxPopCurrent_v2", (CUcontext *context))                         \
    F(CtxSynchronize, "cuCtxSynchronize", (void))                                        \
    F(MemAlloc, "cuMemAlloc_v2", (CUdeviceptr *memory, size_t bytes))                    \
    F(MemFree, "cuMemFree_v2", (CUdeviceptr memory))                                     \
    F(MemAllocHost, "cuMemAllocHost_v2", (void **memory, size_t bytes))                  \
    F(MemFreeHost, "cuMemFreeHost", (void *memory))                                      \
    F(PointerGetAttribute, "cuPointerGetAttribute",                                      \
      (void *value, int attribute, CUdeviceptr pointer))                                 \
    F(MemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2",                                           \
      (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                 \
    F(MemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2",                                           \
      (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                       \
    F(StreamCreate, "cuStreamCreate", (CUstream *stream, unsigned flags))                \
    F(StreamDestroy, "cuStreamDestroy_v2", (CUstream stream))                            \
    F(StreamSynchronize, "cuStreamSynchronize", (CUstream stream))                       \
    F(StreamWaitEvent, "cuStreamWaitEvent",                                              \
      (CUstream stream, CUevent event, unsigned flags))                                  \
    F(EventCreate, "cuEventCreate", (CUevent *event, unsigned flags))                    \
    F(EventDestroy, "cuEventDestroy_v2", (CUevent event))                                \
    F(EventRecord, "cuEventRecord", (CUevent event, CUstream stream))                    \
    F(EventSynchronize, "cuEventSynchronize", (CUevent event))                           \
    F(EventElapsedTime, "cuEventElapsedTime",                                            \
      (float *milliseconds, CUevent first, CUevent last))                                \
    F(ModuleLoadData, "cuModuleLoadData", (CUmodule *module, const void *image))         \
    F(ModuleUnload, "cuModuleUnload", (CUmodule module))                                 \
    F(ModuleGetFunction, "cuModuleGetFunction",                                          \
      (CUfunction *function, CUmodule module, const char *name))                         \
    F(FuncGetAttribute, "cuFuncGetAttribute",                                            \
      (int *value, int attribute, CUfunction function))                                  \
    F(FuncSetAttribute, "cuFuncSetAttribute",                                            \
      (CUfunction function, int attribute, int value))                                   \
    F(LaunchKernelEx, "cuLaunchKernelEx",                                                \
      (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra))

/* clang-format on */

/* The driver: `driver->MemAlloc(...)` is cuMemAlloc. */
struct driver {
    void *library;
#define DRIVER_MEMBER(name, symbol, parameters) CUresult(*name) parameters;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
};

/* Open and initialise the driver. MW_NO_DEVICE if there is none or it cannot start. */
mw_status driver_open(struct driver *driver, struct error *error);
void driver_close(struct driver *driver);

/*
 * Translate a result of the driver: MW_OK, or the status for `code`, with a message that
 * begins with what `format` says was tried. All driver errors pass through here.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
mw_status
driver_check(const struct driver *driver, struct error *error, CUresult code,
             const char *format, ...);

/* The driver's version as text, such as "580.65.06 (CUDA 13.0)". */
void driver_version(const struct driver *driver, char *text, size_t bytes);

#endif
