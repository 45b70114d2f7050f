/*
 * fake_cuda.h - a CUDA driver and an NVRTC that are not there, for tests.
 *
 * Built as libcuda.so.1 and libnvrtc.so.13 and put first in LD_LIBRARY_PATH.
 * Device memory is host memory, kernels do not run, and copies that the real
 * driver may delay are delayed until somebody waits for them. Events tell the
 * time by a clock that every launch moves on by a quarter of a millisecond. The
 * environment, read by cuInit and by the *_restart functions:
 *
 *   FAKE_CUDA_FAIL=k     the k-th call of the driver fails (1 is the first)
 *   FAKE_CUDA_ERROR=n    with this error (999, unknown, if not set)
 *   FAKE_CUDA_STICKY=1   and so does every later one that works on the device
 *   FAKE_CUDA_DEVICES=n  how many GPUs there are (2 if not set)
 *   FAKE_NVRTC_FAIL=k    the k-th call of NVRTC fails
 *   FAKE_NVRTC_ERROR=n   with this error (11, internal error, if not set)
 *
 * Calls that give something back do so even when they fail, as the driver's do
 * when they report an error of an earlier kernel.
 */
#ifndef MW_FAKE_CUDA_H
#define MW_FAKE_CUDA_H

/* What the last cuLaunchKernelEx was asked for. */
struct fake_launch {
    char kernel[64];
    unsigned blocks, threads, shared_bytes, attributes;
    int carveout; /* percent of shared memory that its kernel prefers, -1: any */
    void *stream;
    const void *args;
};

/*
 * Found by dlsym in libcuda.so.1: fake_restart, fake_calls, fake_live (objects
 * not given back), fake_depth (of this thread's stack of contexts), fake_failed
 * (the call that was made to fail, or ""), fake_launched. In libnvrtc.so.13:
 * fake_nvrtc_restart, _calls, _live, _failed, and _compiles.
 */
typedef void fake_restart_fn(void);
typedef int fake_number_fn(void);
typedef const char *fake_name_fn(void);
typedef const struct fake_launch *fake_launched_fn(void);

#endif
