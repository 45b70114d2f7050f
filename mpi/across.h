/*
 * across.h - one mw_sort_across: its state, and the steps that work on it.
 *
 *   across.c    the steps in order; agreement on a status
 *   shape.c     check the job; which arrays travel; what is compared
 *   search.c    where to look for a cut, and what samples say about it: arithmetic
 *   cuts.c      find all cuts, each by its owner
 *   exchange.c  send each row to its rank, and merge
 *   memory.c    memory of the handle or of the host
 */
#ifndef MW_MPI_ACROSS_H
#define MW_MPI_ACROSS_H

#include "multiway_across.h"

#define TRY(call)            \
    do {                     \
        status = (call);     \
        if (status != MW_OK) \
            goto done;       \
    } while (0)

enum { MOST_FIELDS = 16, ALIGNMENT = 256 };

/* Samples of a window: this many evenly spaced, and this many near the guess. */
enum { EVEN_PLACES = 12, NEAR_PLACES = 4, MOST_PLACES = EVEN_PLACES + NEAR_PLACES };

/* One array of the rows: the elements, a column, or the positions. */
struct array {
    const void *in;
    int counts;                          /* positions: numbers of rows, not from memory */
    void *out;                           /* NULL: not wanted */
    uint32_t bytes;                      /* of one value */
    uint32_t sample_first, sample_bytes; /* the part that the order compares */
    void *sorted;                        /* the rank's rows in order ... */
    void *own;                           /* ... if not NULL, allocated for them */
    void *received; /* rows of the result, as sorted lists; in `room` */
};

/*
 * A window of one rank's sorted rows, in which a cut lies, and where to take samples: the
 * cut is expected near `guess`, and samples near it are `spread` apart.
 */
struct ask {
    uint64_t first, last, guess, spread;
};

/* Global ranks of a window's ends, estimated. */
struct ends {
    double low, high;
};

/* The search for the cut that this rank owns. */
struct search {
    uint64_t target; /* rows before the cut */
    uint32_t lists, rounds;
    struct ask *asks; /* one for each list */
    struct ends *ends;
    uint32_t *begins;  /* lists + 1: samples of list i are begins[i] to begins[i + 1] */
    uint32_t *merged;  /* numbers of samples in order */
    uint64_t *places;  /* of samples in their lists */
    double *estimates; /* of their ranks */
    uint32_t *cursors;
};

/* What every rank tells all others about its job. */
struct hello {
    uint64_t shape; /* a hash of what must be equal */
    uint64_t in_count, out_count;
};

/* Bytes to or from each rank, and where. */
struct parts {
    uint64_t *bytes, *at;
};

struct across {
    mw_context *context;
    mw_comm *comm;
    const mw_job *job;
    uint32_t ranks;
    int is_device; /* arrays are device memory: jobs are enqueued with our workspace */

    mw_order order; /* of the arrays that travel */
    mw_field fields[MOST_FIELDS];
    mw_order sample_order; /* of samples */
    mw_field sample_fields[MOST_FIELDS];
    struct array *arrays; /* elements, columns, positions */
    uint32_t array_count;
    mw_column *columns; /* of tables of all arrays but the first: in and out */
    uint32_t sample_bytes, sample_arrays;
    uint64_t in_count, out_count;

    void *desk;                   /* what follows, in one piece: */
    struct hello *hello, *hellos; /* ours, and of all ranks */
    uint64_t *firsts;             /* the number of the first row that each rank brings */
    uint64_t *targets; /* ranks + 1: the number of the first row that each rank gets */
    struct search search;
    struct ask *asked; /* what other ranks ask */
    struct parts send, receive;
    unsigned char *samples_sent, *samples, *unpacked;
    mw_table *tables;        /* one for each list, and ... */
    mw_column *list_columns; /* ... their columns */
    uint64_t *cuts;          /* ranks + 1: the rows for rank i begin at cuts[i] */
    uint64_t *numbers;       /* 2 * ranks: one to each rank, and one from each */

    void *room; /* rows received; in device memory also workspaces of sort and merge */
    uint64_t room_bytes;
    uint64_t merge_at; /* where the workspace of the merge begins */
    void *staged[2];   /* host memory for an array on its way */
};

/* ---- shape.c ---- */

/* Check the job as far as one rank can, and make everything but positions. */
mw_status shape_make(struct across *across);

/* The type of positions as a number that all ranks agree on; 0: none are wanted. */
uint64_t shape_positions(const struct across *across);

/*
 * Add the positions, and fill in `hello`. A rank that gets no rows may have no array for
 * them; then they are of the type that all agreed on.
 */
void shape_complete(struct across *across, uint64_t agreed);

/* Compare the jobs of all ranks: each rank finds the same. */
mw_status shape_compare(struct across *across, uint64_t positions);

/* ---- memory.c ---- */
mw_status desk_make(struct across *across);
void *pages_alloc(uint64_t bytes); /* which free() frees */
mw_status memory_alloc(struct across *across, uint64_t bytes, void **memory);
void memory_free(struct across *across, void *memory);
mw_status room_make(struct across *across, uint64_t bytes);
void across_free(struct across *across);

/* ---- search.c ---- */

/* Where to take samples, ascending; returns their number. */
uint32_t ask_places(const struct ask *ask, uint64_t places[MOST_PLACES]);

/* All windows are open: guess ranks of their ends, of `all` rows. */
void search_begin(struct search *search, uint64_t all);

/* Guess where the cut lies in each window; returns the rows of all windows. */
uint64_t search_guess(struct search *search);

/*
 * Narrow the windows by samples, after `places`, `begins` and `merged` were set. Returns 0,
 * or -1 if `merged` is no order in which the samples of each list ascend.
 */
int search_narrow(struct search *search);

/* ---- exchange.c, cuts.c ---- */
mw_status sort_locally(struct across *across);
mw_status exchange(struct across *across);

/* Find where to cut this rank's rows; `status` is what the rank has come to so far. */
mw_status cuts_find(struct across *across, mw_status status);

/* ---- across.c: calls of the communicator; if one fails, it is aborted ---- */

/*
 * The status of the lowest rank that has one other than MW_OK, and the maximum of
 * `*value` over all ranks.
 */
mw_status agree(struct across *across, mw_status status, uint64_t *value);

/* Send parts that follow each other, of the bytes in `send` and `receive`; or all equal. */
mw_status send_parts(struct across *across, const void *from, void *to);
mw_status send_equal(struct across *across, const void *from, void *to, uint64_t bytes);

/* Keep an error message; returns the status. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
mw_status
refuse(struct across *across, mw_status status, const char *format, ...);

#endif
