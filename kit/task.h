/*
 * task.h - jobs for benchmarks and counts: lists, ranks and segments by a short text, and
 * a judge of their results that sorts nothing.
 *
 *   merge     [zipf:]LISTS[+BYTES]            64, zipf:64, 16+8
 *   split     [long:]LISTS                    64, long:64
 *   select    K[/COLUMNS]                     16, 64/256
 *   segments  LENGTH[+BYTES], to:LENGTH, mixed, one, each also +positions
 *
 * `+8` gives each key a value of 8 bytes, its row number, that travels. Zipf: list i has
 * 1/i of the first list's keys. long: one list has almost all keys. select finds the K
 * greatest, of each row of a matrix with COLUMNS, with positions. to: up to that length.
 * mixed: eight long segments among short ones. one: all rows are one segment.
 */
#ifndef MW_KIT_TASK_H
#define MW_KIT_TASK_H

#include "kit.h"

/* clang-format off */
enum kit_operation { KIT_SORT, KIT_MERGE, KIT_SPLIT, KIT_SELECT, KIT_SEGMENTS,
                     KIT_OPERATIONS };
/* clang-format on */
enum { KIT_TASK_TEXT = 32 };

/* The operation of that name, or KIT_OPERATIONS. */
enum kit_operation kit_operation_of(const char *name);
const char *kit_operation_name(enum kit_operation operation);

struct kit_task {
    enum kit_operation operation;
    char text[KIT_TASK_TEXT]; /* "" for KIT_SORT */
    enum { KIT_EVEN, KIT_ZIPF, KIT_LONG, KIT_UP_TO, KIT_MIXED, KIT_ONE } lengths;
    uint64_t number;      /* lists, greatest keys or rows of a segment */
    uint64_t columns;     /* of a matrix; 0: none */
    uint32_t value_bytes; /* 4 or 8: of a value or a position; 0: none */
    int positions;        /* results have positions, not values */
};

/* The tasks that are measured if none is named, with commas. */
const char *kit_task_usual(enum kit_operation operation);

/* NULL, or what is wrong with the text. */
const char *kit_task_parse(enum kit_operation operation, const char *text,
                           struct kit_task *task);

/* Arrays of a job, all in one memory. */
struct kit_arrays {
    void *keys;
    void *values;         /* of the input; NULL: none */
    void *out;            /* the keys of the result; SPLIT: cuts */
    void *out_values;     /* its values or positions; NULL: none */
    const void *segments; /* u32: where they begin, and the count; NULL: none */
    const uint64_t *ranks;
};

/* A task for some rows. */
struct kit_work {
    struct kit_task task;
    mw_type type;
    mw_direction direction; /* SELECT: descending */
    uint64_t count;
    uint64_t *bounds; /* where lists and segments begin, and the count */
    uint64_t parts;   /* how many there are; SELECT without columns: 1 */
    uint64_t results; /* rows of the result; SPLIT: cuts */
    uint64_t out_bytes, out_value_bytes;
    uint64_t *ranks; /* SPLIT: 10,000 of them, 100 of less than 2^20 keys */
    uint64_t rank_count;
    mw_table *in; /* tables of the job, with the columns of each, and of its result */
    mw_column *columns;
    mw_table out;
    mw_column out_column;
};

/* NULL, or what is wrong. Close it either way. */
const char *kit_work_open(struct kit_work *work, const struct kit_task *task, mw_type type,
                          uint64_t count);
void kit_work_close(struct kit_work *work);

/* The job on these arrays; it points into `work`. */
mw_job kit_work_job(struct kit_work *work, const struct kit_arrays *arrays);

/* Sort each list, or segment, of the input in place; not for measuring. */
mw_job kit_work_lists(struct kit_work *work, void *keys);

/* Row numbers, the values of the input; bounds as u32. */
void kit_work_numbers(const struct kit_work *work, void *values);
void kit_work_segments(const struct kit_work *work, uint32_t *segments);

/* ---- judge.c ---------------------------------------------------------------------- */

/* A result in host memory, and what it is compared with. */
struct kit_judge {
    const struct kit_work *work;
    const void *keys; /* of the input */
    const void *out, *out_values;
    int is_loose;        /* any of equal keys, in any order; SELECT: unsorted, too */
    unsigned char *seen; /* rows that the result has */
    uint64_t *order;     /* SELECT, loose: the rows of the result by key */
};

struct kit_faults {
    uint64_t sums[2];   /* of the input and the result, by segment */
    uint64_t descents;  /* keys less than their predecessor */
    uint64_t strangers; /* row numbers from elsewhere, or of another key */
    uint64_t ties;      /* equal keys in another order than in the input */
    uint64_t ahead;     /* SELECT: rows of the input that belong to the result */
};

/* Begin; judge rows [first, last) of `count`, in any number of parts; end: NULL, or what
 * is wrong. `faults` are all zero at first; those of parts are added up. */
int kit_judge_begin(struct kit_judge *judge, struct kit_faults *faults);
void kit_judge_rows(const struct kit_judge *judge, uint64_t first, uint64_t last,
                    struct kit_faults *faults);
void kit_faults_add(struct kit_faults *to, const struct kit_faults *from);
const char *kit_judge_end(struct kit_judge *judge, const struct kit_faults *faults);

#endif
