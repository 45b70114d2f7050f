/*
 * trial.h - one sort, tried and judged: in order by the kit's own definition,
 * with the fingerprint that was taken before the call, and nothing written
 * beside the keys.
 */
#ifndef MW_TESTS_TRIAL_H
#define MW_TESTS_TRIAL_H

#include "kit.h"

/* What to sort, and how. */
struct trial {
    mw_type type;
    mw_direction direction;
    const char *shape; /* as the kit reads it */
    uint64_t seed;
    uint64_t count;
    mw_tuning tuning;
    int device_memory; /* by mw_enqueue, with exactly the workspace it asks for */
    void (*fill)(const struct trial *trial, char *keys); /* if not NULL: makes the keys */
    const void *by;                                      /* what it makes them by */
};

struct outcome {
    mw_status status; /* of the call that failed, else MW_OK */
    char *keys;       /* the sorted keys; NULL if it did not come to that */
    char *memory;     /* what they lie in */
    char why[768];    /* what is wrong, "" if nothing is */
};

/* Returns 1 if all is well. Close the outcome either way. */
int trial_run(mw_context *context, const struct trial *trial, struct outcome *outcome);
void trial_close(struct outcome *outcome);

/*
 * A handle on a device, or NULL: then a case of `tap` has failed, or was skipped because
 * the machine has no CUDA device. Kernels compiled at run time are kept in the folder that
 * MULTIWAY_TEST_CACHE names, if it names one.
 */
struct tap;
mw_context *trial_open(struct tap *tap, const char *device);

/*
 * Is the time up that MULTIWAY_TEST_SECONDS in the environment gives a process? Then a
 * note says how many jobs were done.
 */
int trial_is_over(uint64_t jobs);

/* Did the last sort of engine deal, its launches timed, leave nothing to merge? */
int trial_dealt(mw_context *context);

/* The trial in words, for the name of a case. */
enum { TRIAL_TEXT = 200 };
void trial_text(const struct trial *trial, char text[TRIAL_TEXT]);

/* Every shape of the kit with a number where it needs one; NULL after the last. */
enum { SHAPE_TEXT = 32, MOST_SHAPES = 64 };
const char *trial_shape(int row, char text[SHAPE_TEXT]);

/* All of these, and every `step`-th of more numbers. Returns how many. */
int trial_shapes(char (*shapes)[SHAPE_TEXT], int step);

#endif
