/*
 * stage.h - what all contestants share: one device, one input, one clock.
 *
 * With a plugin, the input is copied inside the device, and the plugin times and checks.
 * Without one, the input is uploaded, the wall clock times from the call to the end of
 * mw_wait, and the host checks. Functions that return an int return 0, or -1 after an
 * error message; stage_refill, stage_start, stage_stop and stage_check print none.
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
    struct one_case what;          /* the present input, and its ... */
    uint64_t bytes;                /* ... bytes */
    struct rival_verdict original; /* of the input */
    uint32_t trials;
};

int stage_open(struct stage *stage, const struct wish *wish);
void stage_close(struct stage *stage);

/* What measures the times. */
const char *stage_clock(const struct stage *stage);

/* Allocate memory for the keys of the largest case, once. */
int stage_reserve(struct stage *stage, const struct one_case *largest);

/* Make the input of this case; the contestants that follow sort it. */
int stage_load(struct stage *stage, const struct one_case *what, uint64_t seed);

/* The case as a rival sorts it: by `<` if there are no NaNs. */
struct rival_case stage_rival_case(const struct one_case *what);

/* Restore the input; start the clock; stop it and read it. */
int stage_refill(struct stage *stage);
int stage_start(struct stage *stage, double *began);
int stage_stop(struct stage *stage, double began, double *milliseconds);

/* Check sorted keys in device memory. */
int stage_check(struct stage *stage, const struct rival_case *judged, const void *keys,
                struct rival_verdict *verdict);

/* Why refill, start, stop or check failed. */
const char *stage_error(const struct stage *stage);

/* Can copies be timed here? */
int stage_copies(const struct stage *stage);

/* Time a plain copy of `bytes` bytes from device memory to device memory. */
int stage_copy(struct stage *stage, uint64_t bytes, struct figures *figures);

/* Time and check one contestant; with `phases`, its launches too. */
void stage_run(struct stage *stage, const struct contestant *who, int phases,
               struct result *result);

/*
 * Open the plugin `file`, or, if that is NULL, the multiway-rivals.so in the folder of
 * the running program. On failure NULL, and `why` says why. It stays open until the
 * process ends.
 */
const struct rivals *plugin_open(const char *file, char *why, size_t bytes);

/* Fill the keys of a case, on all processors. */
int input_fill(const struct one_case *what, uint64_t seed, void *keys);

#endif
