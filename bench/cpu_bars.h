/*
 * cpu_bars.h - what the parts of multiway-cpu-bars share.
 */
#ifndef CPU_BARS_H
#define CPU_BARS_H

#include "kit.h"
#include "rivals/cpu_rivals.h"

enum { RIVALS_MOST = 32, TRIALS_MOST = 101, LISTS = 64, SELECTED = 1000 };

/* A task, and how large its elements are. */
struct task {
    const char *name;
    mw_type type; /* of keys; of records, the first 8 bytes */
    uint32_t bytes;
    enum { KEYS, ARGSORT, PAIRS, RECORDS, MERGE, TOP } kind;
};

struct contestant {
    char name[96];
    void (*run)(struct cpu_work *work);
    mw_context *context; /* or NULL: a rival */
    mw_status (*sort)(mw_context *, mw_type, mw_direction, void *, uint64_t);
    double ms[TRIALS_MOST];
    int is_right;
};

struct bench {
    const struct task *task;
    const char *shape;
    uint64_t count;  /* of one input */
    uint64_t inputs; /* short inputs are repeated */
    int trials;
    unsigned char *input;
    unsigned char *data;
    unsigned char *out;
    unsigned char *columns[2]; /* pairs of ours: keys, values */
    struct contestant all[RIVALS_MOST];
    int contestants;
};

/* Make the input; 0 if it cannot be made. */
int bench_prepare(struct bench *bench);

/* Is the result in order, with every element once; and ours stable? */
int bench_is_right(const struct bench *bench, int is_ours);

#endif
