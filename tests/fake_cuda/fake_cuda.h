/*
 * fake_cuda.h - a CUDA driver and an NVRTC for tests on machines without a GPU.
 *
 * Built as libcuda.so.1 and libnvrtc.so.13, to be put first in LD_LIBRARY_PATH. Device
 * memory is host memory and kernels do not run. Copies of page-locked memory are made as
 * late as possible: when their stream, or an event after them, is waited for. Events read
 * a clock that each launch advances by a quarter of a millisecond.
 *
 * Functions that free something do so even when they fail, as the driver's do when they
 * report the error of an earlier kernel.
 */
#ifndef MW_FAKE_CUDA_H
#define MW_FAKE_CUDA_H

/* Settings for failures, and a count of calls. */
struct fake_calls {
    int fail_at;                     /* this call fails, counted from 1; 0: none */
    int error;                       /* with this error; 0: an unknown one */
    int sticky;                      /* 1: so does every later call on the device */
    _Atomic int count;               /* calls so far; set it to 0 to begin again */
    char failed[64];                 /* the call that failed, or "" */
    int (*called)(const char *name); /* how often, of all calls ever */
    int (*live)(void);               /* objects created and not freed */
};

/* Parameters of the last cuLaunchKernelEx. */
struct fake_launch {
    char kernel[64];
    unsigned blocks, threads, shared_bytes, attributes;
    int carveout; /* percent of shared memory that its kernel prefers, -1: any */
    void *stream;
    const void *args;
};

/* Of the host (host_calls.c); `error` is an errno, `sticky`: later calls of that name. */
extern struct fake_calls host_calls;

/* Returned by fake_cuda() in libcuda.so.1. */
struct fake_cuda {
    struct fake_calls calls;
    struct fake_launch launched;
    int devices;        /* GPUs: 2 unless changed */
    int ptx_version;    /* of kernels: 90 unless changed */
    int (*depth)(void); /* of the calling thread's stack of contexts */
};

/* fake_nvrtc() in libnvrtc.so.13 returns a struct fake_calls. */
typedef struct fake_cuda *fake_cuda_fn(void);
typedef struct fake_calls *fake_nvrtc_fn(void);

#define EXPORT __attribute__((visibility("default")))

#endif
