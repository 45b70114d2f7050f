/*
 * bench.h - what the files of multiway-bench share: contestants, cases, results, the stage.
 */
#ifndef MW_BENCH_H
#define MW_BENCH_H

#include "../cli/cli.h"
#include "../cli/device.h"
#include "../cli/placed.h"
#include "../cli/trials.h"
#include "rivals.h"

enum { WARM_UPS = 2, MOST_TRIALS = 10000, MOST_ITEMS = 64, MOST_NAME = 48 };

/* What the command line asks for. Lists are texts with commas. */
struct wish {
    const char *device;
    const char *operation;
    const char *types, *counts, *shapes; /* NULL: what suits the device */
    const char *jobs;                    /* NULL: what is usual for the operation */
    const char *with;                    /* contestants; NULL: all */
    const char *ours;                    /* ratios are relative to it; NULL: the first */
    const char *rivals_from;             /* a plugin's file; NULL: the one beside us */
    const char *tsv, *json, *launches, *report, *commit;
    uint64_t seed;
    uint32_t trials;
    int phases;
    struct cache_choice cache;
    char **arguments; /* the command line itself, ending with NULL */
};

/* One sort that is measured: a rival, or one of our engines where `rival` is NULL. */
struct contestant {
    char name[MOST_NAME];
    const char *about;
    mw_engine engine;
    const struct rival *rival;
    int plain;            /* sorts one segment as a whole array */
    uint32_t ways, warps; /* of an engine; 0: the library's choice */
};

/* The contestants; ratios are relative to number 0. */
struct field {
    struct contestant list[MOST_ITEMS];
    int count;
};

struct shape {
    char name[MOST_NAME];
    struct kit_shape shape;
};

/* Every type in every shape in every count and every task: all products are cases. */
struct cases {
    mw_type types[MW_TYPE_COUNT];
    struct shape shapes[MOST_ITEMS];
    uint64_t counts[MOST_ITEMS];
    struct kit_task tasks[MOST_ITEMS];
    int type_count, shape_count, count_count, task_count;
};

struct one_case {
    mw_type type;
    const struct shape *shape;
    uint64_t count;
    const struct kit_task *task;
};

int cases_total(const struct cases *cases);
struct one_case cases_at(const struct cases *cases, int i);

enum outcome { NOT_RUN, RIGHT, WRONG, FAILED };

/* The result of one contestant in one case. */
struct result {
    enum outcome outcome;
    struct times ms;
    uint64_t workspace_bytes;
    char why[256];       /* if it is not RIGHT */
    mw_launch *launches; /* with --phases, medians; NULL: none */
    size_t launch_count;
};

/*
 * A count as text: 2^20 for a power of two, otherwise its digits; a job: sort, merge 64; a
 * case: u32 few:3 2^20, with the job of another operation than sort.
 */
enum { COUNT_TEXT = 24, JOB_TEXT = 48, CASE_TEXT = MOST_NAME + 96 };
const char *count_text(uint64_t count, char text[COUNT_TEXT]);
const char *job_text(const struct kit_task *task, char text[JOB_TEXT]);
const char *case_text(const struct one_case *what, char text[CASE_TEXT]);

/*
 * What all contestants share: one device, one input, one clock.
 *
 * With a plugin, the input is copied inside the device, and the plugin times and checks.
 * Without one, the input is uploaded, the wall clock times from the call to the end of
 * mw_wait, and the host checks. Functions that return an int return 0, or not 0 after an
 * error message; stage_refill, stage_start, stage_stop and stage_check print none.
 */
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

    struct placed placed; /* operations other than sort */
};

int stage_open(struct stage *stage, const struct wish *wish);
void stage_close(struct stage *stage);

/* Read the lists of the wish. */
int lists_read_cases(const struct wish *wish, const mw_info *info, struct cases *cases);
int lists_read_field(const struct wish *wish, const struct stage *stage,
                     struct field *field);

/* What measures the times. */
const char *stage_clock(const struct stage *stage);

/* Allocate memory for the keys of the largest case, once. */
int stage_reserve(struct stage *stage, const struct one_case *largest);

/* Make the input of this case, unless it is there; the contestants that follow sort it. */
int stage_load(struct stage *stage, const struct one_case *what, uint64_t seed);

/* ---- work.c: operations other than sort, whose results the host judges ---- */

/* Is the present case one of these? */
int work_is_on(const struct stage *stage);

int work_load(struct stage *stage);   /* arrays of the present case */
int work_refill(struct stage *stage); /* overwrites the result with keys of the input */

/* 0, or not 0 if `who` does not take the case. */
int work_job(struct stage *stage, const struct contestant *who, mw_job *job);

/* NULL, or what is wrong with the result, of which the host gets a copy. */
const char *work_judge(struct stage *stage, const struct contestant *who);

/* ---- input.c ---- */

/* Do `work` for shares of 0 to `count`, with a thread for each processor. */
typedef void share_work(const void *what, uint64_t first, uint64_t last,
                        struct kit_faults *faults);
void in_shares(share_work *work, const void *what, uint64_t count,
               struct kit_faults *faults);

/* Make the keys of a case. */
int input_fill(const struct one_case *what, uint64_t seed, void *keys);

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
int stage_copy(struct stage *stage, uint64_t bytes, struct times *figures);

/* Time and check one contestant; with `phases`, its launches too. */
void stage_run(struct stage *stage, const struct contestant *who, int phases,
               struct result *result);

#endif
