/*
 * backend_device.h - the backend of a device, opened up: for backend_device.c and
 * for tests that look inside.
 */
#ifndef MW_BACKEND_DEVICE_H
#define MW_BACKEND_DEVICE_H

#include "backend.h"
#include "passes.h"

struct device_backend {
    struct backend base;
    struct device *device;
    void *scratch; /* device memory that `run` keeps: keys, then workspace */
    uint64_t scratch_bytes;
    int timed;           /* has `log` got its times yet? */
    struct pass_log log; /* of the last request, if it was timed */
    int is_part;         /* requests are parts of one, and forget nothing */

    /* For tests, or 0: bytes from which on host memory is sorted in chunks, and of these.
     */
    uint64_t chunked_from, chunk_bytes;
};

static inline struct device *backend_device(struct backend *backend)
{
    return ((struct device_backend *)backend)->device;
}

/* Forget the last request's figures; returns the log to be filled, NULL: none. */
struct pass_log *device_begin(struct backend *backend);

/* The same; returns the queue for the request's launches. */
struct pass_queue device_queue(struct backend *backend, void *stream);

/* Enter the figures of a request whose passes are enqueued. */
void device_note(struct backend *backend, const struct request *request,
                 const struct plan *plan);

/* The set of kernels that are launched under the present timing. */
kernel_set device_kernels(const struct backend *backend, kernel_set kernels);

/* Load what sorts of up to `count` keys need, and say what workspace they do. */
mw_status device_cover(struct backend *backend, struct plan_keys keys, uint64_t count,
                       uint64_t *workspace_bytes);

/* Device memory of at least `bytes` bytes that the handle keeps, or NULL for a failure. */
mw_status device_scratch(struct backend *backend, uint64_t bytes, char **scratch);

/* Prepare or enqueue a request that is not for bare keys, whatever its operation. */
mw_status device_prepare(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes);
mw_status device_enqueue(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream);

/* backend_stage.c: run such a request on host memory, and wait. */
mw_status device_run_host(struct backend *backend, const struct request *request);

/* Is column `number` compared, or part of the result? Others stay where they are. */
int device_needs_column(const struct request *request, uint32_t number);

/*
 * backend_host.c: is a request on host memory to be sorted in chunks? `bytes` is the device
 * memory that it needs otherwise. Then run it, and wait.
 */
int host_is_chunked(struct backend *backend, const struct request *request, uint64_t bytes);
mw_status host_sort_chunked(struct backend *backend, const struct request *request);

/* backend_rows.c: the verbs for requests that are not for bare keys. */
mw_status rows_plan(struct backend *backend, const struct request *request,
                    struct plan *plan);
mw_status rows_prepare(struct backend *backend, const struct request *request,
                       uint64_t *workspace_bytes);
mw_status rows_enqueue(struct backend *backend, const struct request *request,
                       void *workspace, uint64_t bytes, void *stream);

/* The same as a part of another request, whose log this is. */
mw_status rows_enqueue_more(struct backend *backend, const struct request *request,
                            void *workspace, uint64_t bytes, void *stream,
                            struct pass_log *log);

/* How to argsort: the positions are the numbers of the rows to sort; do nothing if the
 * word `condition` is 0 by then. */
struct rows_how {
    int by_number;
    const unsigned *condition; /* or NULL */
};

/* An argsort by fields; what it takes to sort by number. */
mw_status rows_argsort_enqueue(struct backend *backend, const struct request *request,
                               struct rows_how how, void *workspace, uint64_t bytes,
                               void *stream, struct pass_log *log);
mw_status rows_numbers_prepare(struct backend *backend, const struct request *request,
                               uint64_t *workspace_bytes);

/* backend_lists.c: the same for MERGE and SPLIT. There is at least one list. */
mw_status lists_prepare(struct backend *backend, const struct request *request,
                        uint64_t *workspace_bytes);
mw_status lists_enqueue(struct backend *backend, const struct request *request,
                        void *workspace, uint64_t bytes, void *stream);

/* backend_merge.c: the rounds of a MERGE, in a plan without; none if it is a sort. */
mw_status merge_plan(struct backend *backend, const struct request *request,
                     struct plan *plan);

/* backend_select.c: for SELECT, with segments and without. */
mw_status select_prepare(struct backend *backend, const struct request *request,
                         uint64_t *workspace_bytes);
mw_status select_enqueue(struct backend *backend, const struct request *request,
                         void *workspace, uint64_t bytes, void *stream);

/* backend_segments.c: for SORT with segments. */
mw_status segments_prepare(struct backend *backend, const struct request *request,
                           uint64_t *workspace_bytes);
mw_status segments_enqueue(struct backend *backend, const struct request *request,
                           void *workspace, uint64_t bytes, void *stream);

/* backend_less.c: the same for orders by an expression. */
mw_status comparison_plan(struct backend *backend, const struct request *request,
                          struct plan *plan);
mw_status comparison_prepare(struct backend *backend, const struct request *request,
                             uint64_t *workspace_bytes);
mw_status comparison_enqueue(struct backend *backend, const struct request *request,
                             void *workspace, uint64_t bytes, void *stream,
                             struct pass_log *log);

#endif
