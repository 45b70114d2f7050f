/*
 * backend_segments.h - what the three ways to sort segments on a device share.
 */
#ifndef MW_BACKEND_SEGMENTS_H
#define MW_BACKEND_SEGMENTS_H

#include "backend_device.h"

/* Everything that the steps of one request have in common. */
struct segments_run {
    struct backend *backend;
    struct program *program; /* PROGRAM_ROWS */
    struct segment_marks marks;
    struct pass_queue queue;
};

/* Take an array from `*at` on. */
static inline uint64_t segments_take(uint64_t *at, uint64_t bytes)
{
    const uint64_t taken = *at;

    *at += round_up(bytes, PLAN_ALIGNMENT);
    return taken;
}

/* Launch a kernel; `program` NULL: of PROGRAM_ROWS. */
mw_status segments_launch(struct segments_run *run, struct program *program,
                          enum kernel_id kernel, uint64_t blocks, uint32_t threads,
                          uint32_t shared_bytes, const void *args, size_t bytes);

/* The request's segments, as kernels get them. */
struct segment_numbers segments_numbers(const struct request *request);

/* Mark where segments begin and end. */
mw_status segments_mark(struct segments_run *run, const struct request *request);

/*
 * Find the marks of windows of args->window rows and, if `carry`, which segments are open
 * where windows begin.
 */
mw_status segments_scan(struct segments_run *run, struct segment_scan_args *args,
                        int carry);

/* Is the order a code of at most 8 bytes, which the fast way sorts by? */
int segments_are_fast(struct backend *backend, const struct request *request);

/*
 * The fast way: load its kernels, and say how much workspace it needs; enqueue it. The
 * request is for positions alone, which then count from the first row (`is_inner`), or for
 * rows that travel through the passes.
 */
mw_status segments_fast_prepare(struct backend *backend, const struct request *request,
                                uint64_t *workspace_bytes);
mw_status segments_fast_enqueue(struct segments_run *run, const struct request *request,
                                int is_inner, char *workspace, uint64_t bytes);

/*
 * One segment: is a request of this shape for keys of up to 4 bytes alone? Then they are
 * sorted as bare keys, unless the tuning sets more than engine tile: then it is meant for
 * sorts of rows.
 */
int segments_may_be_one(struct backend *backend, const struct request *request);
mw_status segments_one_prepare(struct backend *backend, const struct request *request,
                               uint64_t *workspace_bytes);
mw_status segments_one_enqueue(struct segments_run *run, const struct request *request,
                               char *workspace, uint64_t bytes);

/* The sorts inside: requests for positions, and the columns by which they sort. */
struct segments_inner {
    struct request request;
    mw_column columns[REQUEST_MOST_FIELDS];
    mw_column out_columns[1];
};

/* Sort all positions by home and by the fields of the request's order. */
void segments_by_fields(struct segments_inner *inner, const struct request *request,
                        const void *homes, void *order);

/* Sort all positions by the expression alone. */
void segments_by_less(struct segments_inner *inner, const struct request *request,
                      void *order);

/* Sort positions by the homes of their rows. */
void segments_by_home(struct segments_inner *inner, const struct request *request,
                      void *homes, void *positions, void *order);

/* Sort all positions by the order, within segments. */
struct request segments_by_order(const struct request *request, void *order);

#endif
