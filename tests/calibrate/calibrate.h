/*
 * calibrate.h - the parts of `calibrate`: a launch in figures, and the micro-kernels
 * on either device.
 */
#ifndef MW_CALIBRATE_H
#define MW_CALIBRATE_H

#include "device.h"
#include "patterns.h"

/* A launch, as it is told: one line. */
struct launch_line {
    const char *kernel;
    const char *type;  /* of keys, or the size of cells */
    const char *input; /* shape of the keys, or pattern of places */
    uint64_t count;    /* keys, or turns */
    uint64_t blocks;
    uint32_t threads;
    uint32_t shared_bytes;
};

/*
 * Print a line for a launch just made on `device`. If that is a simulator, the line
 * ends with what its ledger has counted, which then starts anew.
 */
void tell_launch(struct device *device, const struct launch_line *line);

/* The line that names the columns. */
void tell_head(int simulator);

/* The micro-kernels on a GPU. */
struct micro_gpu;
mw_status micro_gpu_open(struct micro_gpu **gpu, struct error *error);
mw_status micro_gpu_run(struct micro_gpu *gpu, const struct micro_case *c,
                        uint32_t shared_bytes, const struct micro_args *args);
void micro_gpu_close(struct micro_gpu *gpu);

#endif
