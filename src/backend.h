/*
 * backend.h - what runs a request: the CPU's threads, or the passes on a device.
 *
 * The files above (job.c, api.c, easy.c) use nothing below this interface.
 */
#ifndef MW_BACKEND_H
#define MW_BACKEND_H

#include "request.h"

struct backend;

struct backend_verbs {
    /* Wait for everything enqueued, and free the backend with all that it holds. */
    void (*close)(struct backend *backend);

    /* How a request would be run now; `plan` is all 0 but for its size. */
    mw_status (*plan)(struct backend *backend, const struct request *request,
                      mw_plan *plan);

    /*
     * Load the kernels that any request of this type for at most this count needs, and
     * say how much workspace covers them all. Never follows request->keys.
     */
    mw_status (*prepare)(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes);

    /* Run a request on host memory, and wait. */
    mw_status (*run)(struct backend *backend, const struct request *request);

    /*
     * Enqueue a request on the backend's own memory, with `bytes` of workspace.
     * MW_BAD_ARGUMENT if they are too few.
     */
    mw_status (*enqueue)(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream);

    /* The backend's own memory: as mw_alloc and the calls after it say. */
    mw_status (*alloc)(struct backend *backend, uint64_t bytes, void **memory);
    void (*free)(struct backend *backend, void *memory);
    mw_status (*upload)(struct backend *backend, void *memory, const void *from,
                        uint64_t bytes);
    mw_status (*download)(struct backend *backend, void *to, const void *memory,
                          uint64_t bytes);
    mw_status (*wait)(struct backend *backend);

    /* The last request's ledger and timed launches; NULL where there are none. */
    mw_status (*ledger)(struct backend *backend, const mw_ledger_line **lines,
                        size_t *count);
    mw_status (*launches)(struct backend *backend, const mw_launch **launches,
                          size_t *count);
};

/* What every backend has; its own struct begins with this one. */
struct backend {
    const struct backend_verbs *verbs;
    struct error *error; /* where a failing verb leaves its message */
    mw_info info;
    mw_tuning tuning; /* the caller's wish; fields left 0 are the backend's choice */
    mw_timing timing;
    uint64_t memory_bytes; /* most that it may allocate for jobs; 0: no limit */
    mw_counts counts;      /* of the last request, without its traffic */
};

/* Open a backend. On failure `*backend` is NULL, and `error` says why. */
mw_status backend_open_cpu(struct backend **backend, unsigned threads, struct error *error);
mw_status backend_open_sim(struct backend **backend, struct error *error);
mw_status backend_open_cuda(struct backend **backend, int index, const mw_options *options,
                            struct error *error);

/* MW_BAD_ARGUMENT unless there are at least `wanted` bytes of workspace. */
mw_status backend_check_workspace(struct backend *backend, uint64_t bytes, uint64_t wanted);

#endif
