/*
 * calibrate.h - the micro-kernels on a GPU.
 */
#ifndef MW_CALIBRATE_H
#define MW_CALIBRATE_H

#include "device.h"
#include "patterns.h"

struct micro_gpu;
mw_status micro_gpu_open(struct micro_gpu **gpu, struct error *error);
mw_status micro_gpu_run(struct micro_gpu *gpu, const struct micro_case *c,
                        uint32_t shared_bytes, const struct micro_args *args);
void micro_gpu_close(struct micro_gpu *gpu);

#endif
