/*
 * trials.h - sort the same keys again and again, by one tuning after the other,
 * and say how long it took.
 *
 *   TRY trials_open, then for each tuning trials_run, then trials_close.
 *
 * Keys lie in device memory. A time is the wall clock's, from the call of
 * mw_enqueue to the end of mw_wait; every tuning's result is verified. Trouble
 * is complained about here; the calls then return something else than TRIALS_FINE.
 */
#ifndef MW_CLI_TRIALS_H
#define MW_CLI_TRIALS_H

#include "kit.h"

enum { TRIALS_MOST = 10 };

enum trials_result {
    TRIALS_FINE,
    TRIALS_CANNOT, /* this device has no such tuning: no complaint */
    TRIALS_WRONG,  /* the result is not the input in order */
    TRIALS_TROUBLE
};

struct trials {
    const char *command; /* whose trials, for complaints */
    mw_context *context;
    mw_type type;
    uint64_t count;
    int warm_ups;
    int trials; /* at most TRIALS_MOST */
    void *input;
    void *output; /* behind the input, in the same memory */
    void *keys;   /* device memory, as the next one */
    void *workspace;
    uint64_t workspace_bytes;
    struct kit_fingerprint print; /* of the input */
};

/* Milliseconds, and what was used. */
struct times {
    double median, mean, least, most;
    mw_counts counts;
};

/* Make the input and a place for it; `trials` begins with all but pointers filled in. */
enum trials_result trials_open(struct trials *trials, struct kit_shape shape,
                               uint64_t seed);
void trials_close(struct trials *trials);

enum trials_result trials_run(struct trials *trials, const mw_tuning *tuning,
                              struct times *times);

#endif
