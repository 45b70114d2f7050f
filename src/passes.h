/*
 * passes.h - run a plan on a device: enqueue the launches of its passes.
 */
#ifndef MW_PASSES_H
#define MW_PASSES_H

#include "device.h"
#include "plan.h"
#include "rows.h"

/* A first pass, and for each round a merge and perhaps a launch for its cuts. */
enum { PASSES_MOST_LAUNCHES = 1 + 2 * PLAN_MOST_ROUNDS };

/* The launches of a timed sort; launch i ran between events i and i + 1. */
struct pass_log {
    int phases;     /* cuts get launches of their own */
    uint32_t round; /* of the next launches */
    uint32_t count;
    mw_launch launches[PASSES_MOST_LAUNCHES]; /* without their times */
    void *events[PASSES_MOST_LAUNCHES + 1];   /* kept for the next sort; NULL: not open */
};

/*
 * Enqueue the sort that `plan` describes: `count` keys of `program`'s width, in device
 * memory and in place, with `workspace`. `code` makes them unsigned numbers. Does not
 * wait. If `log` is not NULL, launches are entered there and events are recorded around
 * them.
 */
mw_status passes_sort(struct device *device, struct program *program,
                      const struct plan *plan, struct code code, void *keys, uint64_t count,
                      void *workspace, void *stream, struct pass_log *log);

/* The same by a plan of engine tally. */
mw_status passes_tally(struct device *device, struct program *program,
                       const struct plan *plan, struct code code, void *keys,
                       uint64_t count, void *workspace, void *stream, struct pass_log *log);

/*
 * Enqueue the launches of engine deal. They either sort the keys, or set word DEAL_FAILED
 * of the plan's deal.head in the workspace. Then they have sorted tiles as `merged` says,
 * and engine tile's rounds must merge these.
 */
mw_status passes_deal(struct device *device, struct program *program,
                      const struct plan *plan, const struct tile_sort_args *merged,
                      struct key_code leave, char *workspace, void *stream,
                      struct pass_log *log);

/*
 * The same for rows: the sort that `rows` describes, by a plan for its codes. `workspace`
 * has the cuts and samples of the plan.
 */
mw_status passes_sort_rows(struct device *device, struct program *program,
                           const struct plan *plan, const struct rows *rows,
                           void *workspace, void *stream, struct pass_log *log);

/*
 * Gather `count` rows of `bytes` bytes: row i of `out` is row positions[i] of `in`, or row
 * i if `positions` is NULL. `program` is PROGRAM_ROWS.
 */
mw_status passes_gather(struct device *device, struct program *program, const void *in,
                        void *out, const void *positions, uint64_t count, uint32_t bytes,
                        void *stream, struct pass_log *log);

/* The same for rows of `out` whose bits in `wanted` are set; NULL: all. */
mw_status passes_gather_some(struct device *device, struct program *program, const void *in,
                             void *out, const void *positions, const void *wanted,
                             uint64_t count, uint32_t bytes, void *stream,
                             struct pass_log *log);

/* Enqueue a check: the rows of each block, then all blocks. */
mw_status passes_check(struct device *device, struct program *program,
                       const struct check_rows_args *args,
                       const struct check_last_args *last, void *stream,
                       struct pass_log *log);

/* One launch. If `log` is not NULL, the launch is entered there between two events. */
mw_status passes_launch(struct device *device, const struct launch *what,
                        struct pass_log *log);

/* Launches of one job, each after the one before. */
struct pass_queue {
    struct device *device;
    void *stream;
    struct pass_log *log; /* or NULL */
    int is_strict;        /* no launch may begin before the previous one has ended */
    int begun;            /* something was launched */
};

/*
 * Add a launch to a queue. From sm_90 on it may begin before the previous launch has
 * ended, since each kernel waits for that itself; not if the queue is strict or has a log.
 */
mw_status passes_enqueue(struct pass_queue *queue, struct program *program,
                         enum kernel_id kernel, uint64_t blocks, uint32_t threads,
                         uint32_t shared_bytes, const void *args, size_t args_bytes);

/* Load all kernels of PROGRAM_ROWS: those that move, check, select and mark rows. */
mw_status passes_load_rows(struct device *device, struct program **program);

/* Close the events of a log. */
void pass_log_close(struct device *device, struct pass_log *log);

#endif
