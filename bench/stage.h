/*
 * stage.h - where contestants meet: one device, one input, one stopwatch.
 *
 * With a plugin, keys are copied inside the device, timed by the plugin's
 * stopwatch and judged on the device; without one they are uploaded, timed by
 * the wall clock from the call of mw_enqueue to the end of mw_wait, and
 * judged on the host. Functions that return an int return 0, or -1 after a complaint;
 * those that contest.c calls while it measures do so without one.
 */
#ifndef MW_BENCH_STAGE_H
#define MW_BENCH_STAGE_H

#include "bench.h"

struct stage {
    mw_context *context;
    mw_info info;
    const struct rivals *plugin; /* or NULL */
    int plugin_open;
    char no_rivals[256];   /* why there is no plugin */
    char clocks[200];      /* what the plugin says of the device */
    void *stream;          /* the plugin's */
    void *input, *output;  /* host memory; `output` only without a plugin */
    void *pristine, *keys; /* device memory; `pristine` only with a plugin */
    void *workspace;
    uint64_t workspace_bytes;
    struct one_case what; /* the present input, and who it is: */
    uint64_t bytes;
    struct kit_fingerprint print;  /* without a plugin */
    struct rival_verdict original; /* with one */
    uint32_t trials;
};

int stage_open(struct stage *stage, const struct wish *wish);
void stage_close(struct stage *stage);

/* What times are told by, in words. */
const char *stage_clock(const struct stage *stage);

/* Memory for the keys of the largest case; asked for once. */
int stage_reserve(struct stage *stage, const struct one_case *largest);

/* Make the input of this case; the contestants that follow sort it. */
int stage_load(struct stage *stage, const struct one_case *what, uint64_t seed);

/* By which order a rival sorts this case: by `<` wherever that is an order. */
struct rival_case stage_rival_case(const struct one_case *what);

/* The pristine keys once more; then the stopwatch, around what comes between. */
int stage_refill(struct stage *stage);
int stage_start(struct stage *stage, double *began);
int stage_stop(struct stage *stage, double began, double *milliseconds);

/* Can copies be timed here? */
int stage_copies(const struct stage *stage);

/* Time a plain copy of `bytes` bytes from device memory to device memory. */
int stage_copy(struct stage *stage, uint64_t bytes, struct figures *figures);

/* Measure and judge one contestant; with `phases`, its launches too. */
void stage_run(struct stage *stage, const struct contestant *who, int phases,
               struct result *result);

/* Fill `count` keys, on all processors. */
int input_fill(const struct one_case *what, uint64_t seed, void *keys);

#endif
