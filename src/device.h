/*
 * device.h - the interface between the passes and the machines that run them.
 *
 * A device is a table of functions, its verbs. The passes (passes.c) use nothing below
 * this file; src/cuda and src/sim use nothing above it. Device memory is a plain pointer
 * that only the device may dereference; streams and events are opaque pointers.
 */
#ifndef MW_DEVICE_H
#define MW_DEVICE_H

#include "base/base.h"
#include "kernels/programs.h"

/* Kernels of one program, compiled and loaded. */
struct program;

/* One launch. `args` is the kernel's argument struct of `args_bytes` bytes. */
struct launch {
    struct program *program;
    enum kernel_id kernel;
    uint64_t blocks; /* 1 to 2^31 - 1 */
    uint32_t threads;
    uint32_t shared_bytes;
    const void *args;
    size_t args_bytes;
    void *stream;
    int follows; /* may begin before the previous launch on its stream has ended */
};

struct device;

/* Some bytes of host memory. */
struct host_span {
    void *at;
    uint64_t bytes;
};

/*
 * A copy between device memory and host memory, made by the device while its caller goes
 * on. On the device the bytes of all spans are consecutive. Spans lie in one array.
 */
struct transfer {
    char *memory; /* on the device */
    const struct host_span *spans;
    uint32_t span_count;
    int upload; /* 1: from host to device; 0: from device to host */

    /* The device's own, until it is finished. */
    struct transfer *next;
    uint64_t bytes; /* of all spans */
    uint64_t given; /* of these, handed out to be copied ... */
    uint64_t left;  /* ... and not copied yet */
    uint32_t span;  /* where the next piece begins: here, ... */
    uint64_t within;
    int is_direct; /* no staging: the driver reads or writes the spans themselves */
    int code;      /* the first failure */
};

/*
 * What a device can do. A verb that fails says so by its status and leaves a message in
 * device->error.
 *
 * A stream is a queue: its work runs in the order in which it was enqueued. NULL is the
 * default stream, which the CUDA runtime's callers share. Verbs that take a stream
 * enqueue and return; an error of the work itself may show in a later verb.
 */
struct device_verbs {
    /* Wait for all work, then free the device and the memory and programs it holds. */
    void (*close)(struct device *device);

    mw_status (*alloc)(struct device *device, uint64_t bytes, void **memory);
    void (*free)(struct device *device, void *memory); /* NULL allowed */

    /* A stream that neither waits for the default stream nor makes it wait. */
    mw_status (*stream_open)(struct device *device, void **stream);
    void (*stream_close)(struct device *device, void *stream);

    /*
     * Copy host memory to `memory` on the device, or back. The copy may be made after
     * the verb has returned: until the stream, or an event recorded after the copy, has
     * been waited for, an upload's host memory must not change, and a download's has
     * undefined contents.
     *
     * Page-locked host memory makes a copy asynchronous. A large copy of pageable
     * memory first waits for the stream and is done when the verb returns.
     */
    mw_status (*upload)(struct device *device, void *memory, const void *from,
                        uint64_t bytes, void *stream);
    mw_status (*download)(struct device *device, void *to, const void *memory,
                          uint64_t bytes, void *stream);

    /*
     * Begin a transfer, and wait until it is done. Transfers of one direction are made in
     * the order in which they began, and not ordered with any stream: what an upload
     * overwrites, and what a download reads, must be ready. `begin` reports no failure,
     * `finish` does. Each transfer that was begun must be finished; until then neither it
     * nor its spans may change.
     */
    void (*begin)(struct device *device, struct transfer *transfer);
    mw_status (*finish)(struct device *device, struct transfer *transfer);

    /*
     * MW_UNSUPPORTED if the device cannot call a comparison that has this text and this
     * host function. Either may be NULL.
     */
    mw_status (*check_less)(struct device *device, const char *less,
                            int (*less_on_host)(const void *a, const void *b));

    /*
     * The program `name`, with at least the set `kernels` of its kernels loaded. The
     * device keeps it until it is closed; asked again for other kernels, it adds them
     * to the same program. MW_UNSUPPORTED or MW_COMPILE_FAILED if the device has no
     * such program and cannot compile it.
     */
    mw_status (*load)(struct device *device, const struct program_name *name,
                      kernel_set kernels, struct program **program);

    mw_status (*launch)(struct device *device, const struct launch *launch);

    /* Wait for all work enqueued on `stream`, or for all work on the device. */
    mw_status (*wait)(struct device *device, void *stream);
    mw_status (*wait_all)(struct device *device);

    /*
     * An event is a point in a stream: after the work enqueued before `record`. To
     * record it again moves it. Events must be closed before the device is.
     */
    mw_status (*event_open)(struct device *device, void **event);
    void (*event_close)(struct device *device, void *event); /* NULL allowed */
    mw_status (*record)(struct device *device, void *event, void *stream);

    /* Later work on `stream` waits for `event`, which has been recorded. */
    mw_status (*follow)(struct device *device, void *stream, void *event);

    /* Wait for `second`; the time since `first`. Both have been recorded. */
    mw_status (*elapsed)(struct device *device, void *first, void *second,
                         double *milliseconds);

    /*
     * Clear the ledger; the traffic of the last launch; the ledger's lines. NULL for
     * devices without a ledger.
     */
    void (*ledger_reset)(struct device *device);
    mw_traffic (*ledger_last)(struct device *device);
    mw_status (*ledger)(struct device *device, const mw_ledger_line **lines, size_t *count);
};

/* The beginning of every device's own struct. */
struct device {
    const struct device_verbs *verbs;
    struct error *error; /* where a failing verb leaves its message */
    void *stream;        /* the device's own, for sorts of host memory */
    mw_info info;
};

/*
 * Open the GPU number `index`, or the simulator. On success `*device` is
 * ready; on failure it is NULL and `error` says why. A GPU that neither an embedded
 * image nor NVRTC serves can be opened, but no program can be loaded: info.fallback
 * then says why, and "auto" takes the CPU.
 */
mw_status cuda_open(struct device **device, int index, const mw_options *options,
                    struct error *error);
mw_status sim_open(struct device **device, struct error *error);

#endif
