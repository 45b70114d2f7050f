/*
 * host.h - sorts of host memory in chunks, on a device: what their files share.
 *
 * Rows travel in columns: those that are compared or wanted, and where positions are
 * wanted, the number of each row. Chunks of them are sorted, then merged in parts, which
 * are cut exactly. Copies and kernels overlap.
 */
#ifndef MW_HOST_H
#define MW_HOST_H

#include "lists.h"

enum {
    HOST_MOST_ROWS = 1 << 30, /* of a chunk or a part */
    HOST_CHUNKS = 16,         /* of rows that fit the device */
    HOST_RING = 3             /* buffers of parts, or of chunks */
};

/* A column in the caller's memory. */
struct host_column {
    const char *in; /* NULL: numbers of rows, which the device makes */
    char *out;      /* NULL: not wanted */
    uint32_t bytes;
};

/* Memory for `room` rows, one column after the other. */
struct host_array {
    char *memory;
    uint64_t room;
};

/* Rows [first, first + count) of an array. */
struct host_range {
    uint64_t first;
    uint64_t count;
};

struct host_sort {
    struct backend *backend;
    struct device *device;
    uint64_t count;
    uint64_t budget; /* bytes of device memory */
    int in_place;
    int is_bare;
    struct code code;    /* of bare keys */
    struct request rows; /* what all jobs have in common */
    struct host_column *columns;
    struct host_array runs; /* host memory for sorted chunks; NULL: none */
    mw_table *lists;        /* of a merge or a split */
    mw_column *values;      /* of `out`, then of each list */
    mw_counts counts;       /* of all jobs so far */
};

static inline uint64_t host_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline uint64_t host_greatest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Chunk or part `number` of all rows, if each has `rows` rows. */
static inline struct host_range host_piece(const struct host_sort *sort, uint32_t number,
                                           uint64_t rows)
{
    const uint64_t first = number * rows;

    return (struct host_range){first, host_least(rows, sort->count - first)};
}

/* Where host memory of a load is. */
enum host_side { HOST_IN, HOST_OUT, HOST_RUNS };

/* Rows on their way: a transfer for each column. */
struct host_load {
    struct transfer *transfers;
    struct host_span *spans;
    int begun;
};

/* ---- backend_host_jobs.c: arrays, loads and jobs ------------------------------------- */

uint64_t host_array_bytes(const struct host_sort *sort, uint64_t room);

/* Where a row of a column is. */
char *host_at(const struct host_sort *sort, struct host_array array, uint32_t column,
              uint64_t row);

/* Make `count` loads of up to `ranges` ranges each; NULL if there is no memory. */
struct host_load *host_loads(const struct host_sort *sort, uint32_t count, uint32_t ranges);

/*
 * Begin to copy ranges of rows between host memory and consecutive rows of `array`, from
 * `row` on. Columns that the side does not have are left out.
 */
void host_begin(const struct host_sort *sort, struct host_load *load, enum host_side side,
                int upload, struct host_array array, uint64_t row,
                const struct host_range *ranges, uint32_t range_count);

/* Wait for a load, which need not have begun; and for several, whatever happens. */
mw_status host_finish(const struct host_sort *sort, struct host_load *load);
mw_status host_finish_all(const struct host_sort *sort, struct host_load *loads,
                          uint32_t count);

/* Room for jobs with up to that number of lists. */
mw_status host_make_lists(struct host_sort *sort, uint32_t list_count);

/* Workspace of a sort of rows, and the sort; the first one has number `number`. */
mw_status host_sort_bytes(struct host_sort *sort, uint64_t rows, uint64_t *bytes);
mw_status host_sort_rows(struct host_sort *sort, struct host_array array, uint64_t row,
                         uint64_t rows, uint64_t number, char *workspace, uint64_t bytes);

/*
 * The rows of part `part` in each of `list_count` lists of `rows` rows each; `cuts` has a
 * number for each list and part, and one more for each list.
 */
void host_find_part(const uint64_t *cuts, uint32_t part, uint32_t list_count, uint64_t rows,
                    struct host_range *ranges);

/* The request to merge ranges of `in` to the beginning of `out`. */
struct request host_merge(struct host_sort *sort, struct host_array in,
                          const struct host_range *ranges, uint32_t list_count,
                          struct host_array out);

/* Workspace to merge up to that number of lists and rows. */
mw_status host_merge_bytes(struct host_sort *sort, uint32_t list_count, uint64_t rows,
                           uint64_t *bytes);

/* The request to cut them. */
struct request host_split(struct host_sort *sort, struct host_array in,
                          const struct host_range *ranges, uint32_t list_count,
                          const uint64_t *ranks, uint64_t rank_count, uint64_t *cuts);

/* Enqueue a request on the device's own stream. */
mw_status host_enqueue(struct host_sort *sort, const struct request *request,
                       char *workspace, uint64_t bytes);

/* Device memory; `got` is 0 if there is not so much. */
mw_status host_take(struct host_sort *sort, uint64_t bytes, char **memory, int *got);

/* ---- Two ways ------------------------------------------------------------------------ */

/* backend_host_fits.c: all rows are on the device; `served` is 0 if they do not fit. */
mw_status host_sort_fitting(struct host_sort *sort, uint64_t chunk_bytes,
                            uint64_t part_bytes, int *served);

/* backend_host_runs.c: sorted chunks go back to host memory, and through it again. */
mw_status host_sort_runs(struct host_sort *sort, uint64_t part_bytes, int *served);

#endif
