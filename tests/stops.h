/*
 * stops.h - jobs of every kind, which together launch every kernel: the stops of a tour.
 */
#ifndef MW_TESTS_STOPS_H
#define MW_TESTS_STOPS_H

#include "kit.h"

enum { STOP_MOST_PARTS = 3000 };

/* One job. Its rows are `count`, and `for_each_sm` for each SM, but of 16 at least. */
struct stop {
    mw_operation operation;
    int order;
    uint32_t value; /* bytes of a column, or 0 */
    int positions;  /* their type, or NO */
    int only;       /* positions are wanted, and nothing else */
    uint32_t parts; /* lists, or segments; 0: none */
    uint64_t count, for_each_sm;
    uint64_t first, last;
    mw_engine engine; /* HEAP and PAIR: in place; TILE: small tiles */
};

extern const struct stop stops[];
extern const size_t stop_count;

/* The arrays of a job, in one memory. */
enum stop_array {
    STOP_ELEMENTS,
    STOP_VALUES,
    STOP_BOUNDS, /* of lists and segments */
    STOP_RANKS,
    STOP_OUT, /* results, from here on; in place: the elements at first */
    STOP_OUT_VALUES,
    STOP_POSITIONS,
    STOP_CUTS,
    STOP_ARRAYS
};

/* A job on those arrays; it points into itself. */
struct stop_job {
    mw_job job;
    mw_table out, in[STOP_MOST_PARTS];
    mw_column out_column, columns[STOP_MOST_PARTS];
};

/* A stop on a machine with that many SMs. */
struct stop_data {
    const struct stop *stop;
    const mw_order *order;
    uint64_t count, results; /* rows in and out */
    uint64_t bytes[STOP_ARRAYS];
    char *at[STOP_ARRAYS]; /* host memory: the input, and zeros for results */
};

/* 0 if there is no memory. Lists are sorted by the handle `cpu`. */
int stop_open(struct stop_data *data, const struct stop *stop, uint32_t processors,
              mw_context *cpu);
void stop_close(struct stop_data *data);

/* The tuning that it wants. */
mw_tuning stop_tuning(const struct stop *stop);

/* The job on arrays at these places. */
void stop_make_job(const struct stop_data *data, char *const at[STOP_ARRAYS],
                   struct stop_job *job);

/* A copy of the host's arrays, for a second result; 0 if there is no memory. */
int stop_copy(const struct stop_data *data, char *at[STOP_ARRAYS]);
void stop_free(char *at[STOP_ARRAYS]);

/* Are all results the same bytes? */
int stop_same(const struct stop_data *data, char *const at[STOP_ARRAYS]);

/* "select of 20011 rows of 32 bytes" */
enum { STOP_TEXT = 80 };
const char *stop_text(const struct stop_data *data, char text[STOP_TEXT]);

#endif
