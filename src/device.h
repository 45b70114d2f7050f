/*
 * device.h - the wall between the passes and the machines that run them.
 *
 * A device is a few verbs. The passes (passes.c) know nothing below this
 * file; src/cuda and src/sim know nothing above it. Memory is named by plain
 * pointers that only the device may follow.
 */
#ifndef MW_DEVICE_H
#define MW_DEVICE_H

#include "base/base.h"
#include "kernels/programs.h"

/* Kernels of one program, compiled and loaded. */
struct program;

/* One launch. `args` is the kernel's argument struct, `bytes` long. */
struct launch {
    struct program *program;
    enum kernel_id kernel;
    uint64_t blocks; /* 1 to 2^31 - 1 */
    uint32_t threads;
    uint32_t shared_bytes;
    const void *args;
    size_t args_bytes;
    void *stream;
    int follows; /* the launch before it, on the same stream, with nothing between */
};

struct device;

struct device_verbs {
    /* Give back the device and all it still holds. */
    void (*close)(struct device *device);

    mw_status (*alloc)(struct device *device, uint64_t bytes, void **memory);
    void (*free)(struct device *device, void *memory); /* NULL allowed */

    /* Copies return when done. */
    mw_status (*upload)(struct device *device, void *memory, const void *from,
                        uint64_t bytes);
    mw_status (*download)(struct device *device, void *to, const void *memory,
                          uint64_t bytes);

    /*
     * The program `name`, with at least the set `kernels` of its kernels loaded. The
     * device keeps it until it is closed; asked again for other kernels, it adds them
     * to the same program. MW_UNSUPPORTED or MW_COMPILE_FAILED if the device has no
     * such program and cannot compile it.
     */
    mw_status (*load)(struct device *device, const struct program_name *name,
                      uint32_t kernels, struct program **program);

    /* Enqueue. Errors of the kernel itself may show in a later verb. */
    mw_status (*launch)(struct device *device, const struct launch *launch);

    /* Wait for everything enqueued on `stream`. */
    mw_status (*wait)(struct device *device, void *stream);

    /*
     * Put time mark `mark` behind what was enqueued on `stream`; wait for mark
     * `mark` + 1 and say how many milliseconds lie between the two.
     */
    mw_status (*mark)(struct device *device, uint32_t mark, void *stream);
    mw_status (*between)(struct device *device, uint32_t mark, double *milliseconds);

    /*
     * Forget the ledger; say what the last launch asked of memory; hand out the
     * ledger. NULL where none is kept.
     */
    void (*ledger_reset)(struct device *device);
    mw_traffic (*ledger_last)(struct device *device);
    mw_status (*ledger)(struct device *device, const mw_ledger_line **lines, size_t *count);
};

/* What every device has; its own struct begins with this one. */
struct device {
    const struct device_verbs *verbs;
    struct error *error; /* where a failing verb leaves its message */
    mw_info info;
};

/*
 * Open the GPU number `index`, or the simulator. On success `*device` is
 * ready; on failure it is NULL and `error` says why.
 */
mw_status cuda_open(struct device **device, int index, const mw_options *options,
                    struct error *error);
mw_status sim_open(struct device **device, struct error *error);

#endif
