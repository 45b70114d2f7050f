/*
 * bench.h - a simulator on the bench: open it, launch a test kernel on it, look
 * at what it counted. Used by the tests of the simulator.
 */
#ifndef MW_SIM_BENCH_H
#define MW_SIM_BENCH_H

#include "kernels.h"
#include "sim/sim.h"

#include <string.h>

#define SIM_KERNEL(name) extern const struct simt_kernel simt_##name##_32;
#include "kernels.def"
#undef SIM_KERNEL

struct bench {
    struct device *device;
    struct error error;
};

static inline mw_status bench_open(struct bench *bench)
{
    memset(bench, 0, sizeof *bench);
    return sim_open(&bench->device, &bench->error);
}

static inline void bench_close(struct bench *bench)
{
    if (bench->device)
        bench->device->verbs->close(bench->device);
}

static inline void *bench_alloc(struct bench *bench, uint64_t bytes)
{
    void *memory = NULL;

    return bench->device->verbs->alloc(bench->device, bytes, &memory) ? NULL : memory;
}

static inline mw_status bench_run(struct bench *bench, const struct simt_kernel *kernel,
                                  uint64_t blocks, uint32_t threads, uint32_t shared_bytes,
                                  const struct test_args *args)
{
    const struct machine_launch launch = {kernel,       blocks, threads,
                                          shared_bytes, args,   sizeof *args};

    return sim_launch_function(bench->device, &launch);
}

/* Forget the counts. */
static inline void bench_reset(struct bench *bench)
{
    bench->device->verbs->ledger_reset(bench->device);
}

/* The traffic of the n-th line that has any, from 0; all zero if there are fewer. */
static inline mw_traffic bench_line(struct bench *bench, size_t n)
{
    const mw_traffic nothing = {0};
    const mw_ledger_line *lines;
    size_t count;

    if (bench->device->verbs->ledger(bench->device, &lines, &count) || n >= count)
        return nothing;
    return lines[n].traffic;
}

#endif
