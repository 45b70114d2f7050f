/*
 * backend_select.h - what the files of SELECT share.
 */
#ifndef MW_BACKEND_SELECT_H
#define MW_BACKEND_SELECT_H

#include "backend_device.h"
#include "select.h"

/* Everything that the steps of one request have in common. */
struct select_run {
    struct backend *backend;
    const struct request *request;
    uint64_t count; /* rows of the result */
    struct program *mover;
    char *workspace;
    uint64_t bytes; /* of it */
    struct pass_queue queue;
};

/* One launch of PROGRAM_ROWS. */
mw_status select_launch(struct select_run *run, enum kernel_id kernel, uint64_t blocks,
                        uint32_t threads, uint32_t shared_bytes, const void *args,
                        size_t args_bytes);

/* Gather the columns of the rows of these numbers, from column `first` on. */
mw_status select_write(struct select_run *run, uint32_t first, const unsigned *numbers);

/* Are the elements keys? Then a kernel writes them; otherwise codes may be made of parts.
 */
int select_has_keys(const struct request *request);

/* What a kernel writes; `numbers` only if columns are to be gathered. */
struct select_result select_result(const struct request *request, uint32_t code_bytes,
                                   unsigned *numbers);

/* The request that finds the order of all rows, to `positions`. */
struct request select_all(const struct request *request, unsigned *positions);

/*
 * Are rows compared by codes of one word? Then `shape` is that of sorting their numbers.
 */
int select_by_codes(struct backend *backend, const struct request *request,
                    struct rows_shape *shape);

/* Where their codes come from. */
void select_source(const struct request *request, const struct rows_shape *shape,
                   struct tile_source *source, struct key_code *enter);

/* If a code is made of one field that is all of an array, it is loaded as keys are. */
void select_load_whole(struct tile_source *source, uint32_t code_bytes);

/*
 * Find the rows of some ranks. If they are few their numbers are sorted by code, and
 * written as the request says; otherwise the numbers go to `numbers`, by position.
 */
mw_status select_find(struct select_run *run, const struct rows_shape *shape,
                      const struct select_plan *plan, unsigned *numbers);

/* Write the numbers themselves. */
mw_status select_write_positions(struct select_run *run, const unsigned *numbers);

/* By codes of several words, if `wanted` ranks are; 0: all rows are to be sorted. */
int select_by_words(struct backend *backend, const struct request *request, uint64_t wanted,
                    struct rows_shape *shape);
mw_status select_words_prepare(struct backend *backend, const struct request *request,
                               uint64_t sorting, uint64_t *bytes);
mw_status select_words_enqueue(struct select_run *run, const struct rows_shape *shape);

/* The rows of some ranks, by codes, and what that takes. */
mw_status select_rank_prepare(struct backend *backend, const struct request *request,
                              const struct rows_shape *shape, uint64_t *bytes);
mw_status select_by_rank(struct select_run *run, const struct rows_shape *shape);

/* The verbs of requests with segments. */
mw_status select_segments_prepare(struct backend *backend, const struct request *request,
                                  uint64_t *workspace_bytes);
mw_status select_segments_enqueue(struct select_run *run);

#endif
