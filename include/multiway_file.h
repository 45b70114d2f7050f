/*
 * multiway_file.h - sort and merge files that need not fit into memory.
 *
 *   mw_sort_file      one sorted file from any number of files or pipes
 *   mw_merge_files    the same where each input is sorted already
 *   mw_output_open    a file that appears under its name when it is complete
 *   mw_read_npy       what the header of a .npy file says
 *
 * A job says what to do and how much memory it may take; a report says what was done, or
 * what went wrong. Nothing here prints, exits or reads the environment.
 *
 * Results are those of MW_SORT and MW_MERGE (multiway.h): stable, and the same bytes from
 * every device. An output file appears under its name when it is complete and synced, and
 * may be one of the inputs. Temporary files have no name, so none is left behind even if
 * the process is killed. Where the file system has no O_TMPFILE, a killed process may leave
 * its unfinished output, .multiway-PID-N.tmp, which the next sort in that folder removes.
 * docs/files.md explains how it works.
 */
#ifndef MULTIWAY_FILE_H
#define MULTIWAY_FILE_H

#include "multiway.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a file holds besides its rows. */
typedef enum mw_file_format {
    MW_FILE_BY_NAME = 0, /* NumPy's format if the name ends in .npy, raw otherwise */
    MW_FILE_RAW = 1,     /* rows and nothing else */
    MW_FILE_NPY = 2      /* a header, then rows */
} mw_file_format;

enum {
    MW_FILE_UNIQUE = 1 /* of rows that compare equal, write the first only */
};

/*
 * How far a job is. `done` of `total` bytes: each byte counts once for each pass. So
 * `total` grows if there are too many runs for one merge.
 */
typedef struct mw_file_progress {
    size_t size;       /* of this struct, set by the library */
    const char *phase; /* "sort": reading and forming runs; "merge"; "write": syncing */
    uint64_t done;
    uint64_t total; /* 0: not known yet, because an input is a pipe */
} mw_file_progress;

/* What to do with which files. Start from MW_FILE_JOB_INIT. */
typedef struct mw_file_job {
    size_t size;           /* sizeof(mw_file_job), set by MW_FILE_JOB_INIT */
    const mw_order *order; /* of rows; its element_bytes are the bytes of a row */
    const char *const *inputs;
    uint32_t input_count; /* an input "-" is standard input */
    const char *output;   /* NULL or "-": standard output */
    mw_file_format input_format;
    mw_file_format output_format;
    const char *descr;     /* .npy output: the dtype as the header has it; NULL: from the */
                           /*   first .npy input, or else from the order */
    uint64_t memory_bytes; /* most host memory for buffers and scratch, at least 2 MiB; */
                           /*   0: half of what is available now */
    const char *const *folders; /* for temporary files, used in turn; none: the output's */
    uint32_t folder_count;      /*   folder, or /tmp if the output is not a regular file */
    uint32_t flags;             /* MW_FILE_UNIQUE, or 0 */
    uint32_t io_threads;        /* 0: chosen by the number of processors */
    int (*progress)(void *user, const mw_file_progress *progress); /* not 0: cancel */
    void *user;
} mw_file_job;

#define MW_FILE_JOB_INIT                                                                  \
    {                                                                                     \
        sizeof(mw_file_job), NULL, NULL, 0, NULL, MW_FILE_BY_NAME, MW_FILE_BY_NAME, NULL, \
            0, NULL, 0, 0, 0, NULL, NULL                                                  \
    }

/* What was done. Bytes are those of file I/O, temporary files included. */
typedef struct mw_file_report {
    size_t size; /* sizeof(mw_file_report), set by MW_FILE_REPORT_INIT */
    uint64_t rows;
    uint64_t rows_written; /* fewer than `rows` with MW_FILE_UNIQUE */
    uint64_t bytes_read;
    uint64_t bytes_written;
    uint64_t temporary_bytes; /* written to temporary files */
    uint64_t memory_bytes;    /* host memory reserved: buffers and scratch memory */
    uint32_t runs;            /* sorted runs that were merged, inputs of a merge included */
    uint32_t passes;          /* merge passes over temporary files; 0: there are none */
    double sort_seconds;      /* spent sorting (and copying to a GPU), */
    double merge_seconds;     /*   cutting and merging (or copying from a GPU), */
    double wait_seconds;      /*   and waiting for I/O that did not overlap with these */
    double seconds;           /* wall clock of the whole call */
    char message[512];        /* of a failure: what was wrong, and the file's name */
} mw_file_report;

#define MW_FILE_REPORT_INIT                                                    \
    {                                                                          \
        sizeof(mw_file_report), 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, "" \
    }

/*
 * Sort the rows of all inputs, as if concatenated, to the output.
 *
 * Inputs that fit into the memory are sorted there. Otherwise sorted runs go to temporary
 * files, which are merged: each byte is read twice and written twice. Temporary files
 * take at most the bytes of the inputs, and give them back while they are merged.
 *
 * Rows are sorted on the device of `context`. If all of them and their workspace fit into
 * half of a GPU's memory, and into memory_bytes of mw_options, many rows are sorted there
 * at once, without temporary files, for the time of the call; memory_bytes of the job
 * limits host memory only. Merges run on the CPU, unless the order has a text but no host
 * function. The calling thread calls `progress` several times a second. `report` may be
 * NULL.
 *
 * Returns MW_OK, MW_BAD_ARGUMENT, MW_FILE_FAILED if a file cannot be used (report->message
 * has its name and the reason), MW_CANCELLED if `progress` said so, or a status of mw_run.
 * After a failure there is no output file, or the one that was there before. What was
 * already written to a pipe cannot be taken back.
 */
MW_API mw_status mw_sort_file(mw_context *context, const mw_file_job *job,
                              mw_file_report *report);

/*
 * Merge sorted inputs to the output: equal rows in the order of their inputs. An input that
 * is not sorted is MW_FILE_FAILED. Memory and statuses are those of mw_sort_file. Temporary
 * files are only used if there are too many inputs for the memory.
 */
MW_API mw_status mw_merge_files(mw_context *context, const mw_file_job *job,
                                mw_file_report *report);

/*
 * A file of the caller's own that appears under its name when it is complete, or not at
 * all: open it, write to its descriptor from the beginning to the end, and finish it. NULL
 * or "-" is standard output; that, devices and pipes are written directly.
 *
 * On failure of mw_output_open `*output` is a handle that can only report its error, or
 * NULL if there was no memory for one. All calls but mw_output_open take a handle that is
 * not NULL; mw_output_close takes NULL, too, and removes what was not finished.
 */
typedef struct mw_output mw_output;

MW_API mw_status mw_output_open(mw_output **output, const char *path);
MW_API mw_status mw_output_finish(mw_output *output);
MW_API void mw_output_close(mw_output *output);
MW_API const char *mw_output_error(const mw_output *output);
MW_API int mw_output_descriptor(const mw_output *output);

/* The path with links followed; NULL if it is written directly. */
MW_API const char *mw_output_target(const mw_output *output);

/* The name that the file has until it is finished; NULL if it has none, which is usual. */
MW_API const char *mw_output_name(const mw_output *output);

/* A field of a structured dtype. */
typedef struct mw_npy_field {
    char name[64];
    uint32_t offset;
    mw_type type;   /* MW_BYTES: a string or void of `bytes` bytes */
    uint32_t bytes; /* of the field; of a sub-array: of all its numbers */
} mw_npy_field;

enum { MW_NPY_FIELDS = 64 };

/* The header of a .npy file of one dimension. */
typedef struct mw_npy {
    size_t size;           /* sizeof(mw_npy): set it before the call */
    uint32_t row_bytes;    /* of an element */
    uint32_t header_bytes; /* where the rows begin */
    uint64_t rows;
    mw_type type;         /* of a plain dtype; MW_BYTES if it is structured or a string */
    uint32_t field_count; /* of a structured dtype; 0: plain */
    mw_npy_field fields[MW_NPY_FIELDS];
    char descr[2048]; /* the dtype, as it stands in the header */
    int is_utf8;      /* 1: descr is UTF-8 (version 3), 0: Latin-1 */
} mw_npy;

/*
 * Read the header of a .npy file, versions 1 to 3, little-endian.
 * Returns MW_OK, MW_FILE_FAILED or MW_UNSUPPORTED; `message`, of 512 bytes, says why.
 */
MW_API mw_status mw_read_npy(const char *path, mw_npy *npy, char *message);

#ifdef __cplusplus
}
#endif
#endif
