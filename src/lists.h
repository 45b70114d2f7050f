/*
 * lists.h - jobs with lists on a device, MERGE and SPLIT: what their files share.
 */
#ifndef MW_LISTS_H
#define MW_LISTS_H

#include "backend_device.h"

/* Everything that the launches of one request have in common. */
struct lists_run {
    struct backend *backend;
    const struct request *request;
    struct program *mover; /* PROGRAM_ROWS */
    char *workspace;
    struct pass_queue queue;
    uint32_t launches;
};

/* Begin a request: forget the figures of the last one, load what moves rows. */
mw_status lists_begin(struct lists_run *run, struct backend *backend,
                      const struct request *request, void *workspace, void *stream);

mw_status lists_launch(struct lists_run *run, struct program *program,
                       enum kernel_id kernel, uint64_t blocks, uint32_t threads,
                       uint32_t shared_bytes, const void *args, size_t args_bytes);

/*
 * Words on their way to device memory, in order. They travel as arguments of launches: the
 * caller may capture the job in a graph and then forget its tables.
 */
struct lists_writer {
    struct lists_run *run;
    struct write_words_args args;
};

/* Write from `to` on. */
void lists_write(struct lists_writer *writer, struct lists_run *run, wide *to);
mw_status lists_put(struct lists_writer *writer, wide word);
mw_status lists_flush(struct lists_writer *writer);

/* Write how many rows come before each list, and at the end the number of all. */
mw_status lists_put_firsts(struct lists_writer *writer);

/* Write where each list has its column, `offset` bytes further on. */
mw_status lists_put_column(struct lists_writer *writer, uint32_t column, uint32_t offset);

/* Copy an array of all lists, by its table. */
mw_status lists_copy(struct lists_run *run, const struct copy_lists_args *args);

/* A sort of all rows: the request, and where its rows are. */
struct lists_sort {
    struct request request; /* without columns that are neither wanted nor compared */
    mw_column *columns;     /* of its tables: `in`, then `out` */
    uint32_t *number;       /* which columns of the caller's they are */
    uint64_t copy_bytes;    /* of all arrays of `in`, which begin at `copies` */
};

/* The sort whose input is at `copies`, which may not be there yet; to be freed. */
mw_status lists_sort_make(struct lists_sort *sort, struct backend *backend,
                          const struct request *request, char *copies);
void lists_sort_free(struct lists_sort *sort);

/* Enter the figures of a request that took `rounds` rounds of a program. */
void lists_note(struct lists_run *run, uint32_t rounds, const struct program_name *program);

/* backend_merge.c: the verbs for MERGE without a sort; `served` is 0 if they do not. */
mw_status merge_prepare(struct backend *backend, const struct request *request,
                        uint64_t *workspace_bytes, int *served);
mw_status merge_enqueue(struct backend *backend, const struct request *request,
                        void *workspace, uint64_t bytes, void *stream, int *served);

/* backend_split.c: the verbs for SPLIT. */
mw_status split_prepare(struct backend *backend, const struct request *request,
                        uint64_t *workspace_bytes);
mw_status split_enqueue(struct backend *backend, const struct request *request,
                        void *workspace, uint64_t bytes, void *stream);

#endif
