/*
 * test_kernels.h - the kernels of this folder, for tests that launch them.
 */
#ifndef MW_TEST_KERNELS_H
#define MW_TEST_KERNELS_H

#include "kernel/fixture.h"

#include "kernels.h"

#define SIM_KERNEL_DECLARE(name) extern const struct simt_kernel simt_##name##_32;
SIM_KERNELS(SIM_KERNEL_DECLARE)

extern const struct simt_kernel simt_strided_shared_8, simt_strided_shared_16,
    simt_strided_shared_32, simt_strided_shared_64, simt_strided_shared_128,
    simt_strided_global_8, simt_strided_global_16, simt_strided_global_32,
    simt_strided_global_64, simt_strided_global_128;

#define RUN(f, kernel, blocks, threads, shared, args) \
    fixture_run(f, &simt_##kernel, blocks, threads, shared, &(args), sizeof(args))

#endif
