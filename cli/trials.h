/*
 * trials.h - sort one made input by one tuning after the other; verify and time it.
 *
 *   trials_open, then trials_run or trials_count for each tuning, then trials_close.
 *
 * Keys lie in device memory. A time is the wall clock's, from the call of mw_enqueue
 * to the end of mw_wait. Calls return EXIT_FINE, EXIT_NO if a result is not the input
 * in order, or EXIT_TROUBLE after a complaint.
 */
#ifndef MW_CLI_TRIALS_H
#define MW_CLI_TRIALS_H

#include "task.h"

enum { TRIALS_MOST = 10 };

/* The first part is the caller's. */
struct trials {
    const char *command; /* for complaints */
    mw_context *context;
    mw_type type;
    mw_direction direction;
    uint64_t count;
    struct kit_shape shape;
    uint64_t seed;
    int warm_ups;
    int trials; /* 1 to TRIALS_MOST */

    void *input;
    void *output;
    struct kit_fingerprint print; /* of the input */
    void *keys;                   /* device memory, as the workspace */
    void *workspace;
    uint64_t workspace_bytes;
};

/* Milliseconds. */
struct times {
    double median, mean, least, most;
};

/* Of that many trials, which are sorted in place. */
struct times times_of(double *trial, int trials);

/* Open the simulator, in which launches are counted one by one. */
int trials_simulate(struct trials *trials);

/* Make the input and a place for it. */
int trials_open(struct trials *trials);
void trials_close(struct trials *trials);

/* Sort `trials` times by this tuning; `times` may be NULL. */
enum { TRIALS_CANNOT = 3 }; /* the device does not support this tuning: no complaint */
int trials_run(struct trials *trials, const mw_tuning *tuning, struct times *times);

struct tally;

/* Do a task other than a sort in the simulator, and add up what it counted. */
int trials_count_task(struct trials *trials, const struct kit_task *task,
                      const mw_tuning *tuning, struct tally *tally);

/* Sort in the simulator and add up what it counted. EXIT_NO also if a claim fails. */
int trials_count(struct trials *trials, const mw_tuning *tuning, struct tally *tally);

#endif
