/*
 * multiway.h - sort on a GPU, on the CPU, or in a simulator that counts.
 *
 *   1. mw_open, mw_sort, mw_close           sort an array in host memory
 *   2. mw_order, mw_job and three verbs     say what to do once, then prepare it,
 *      mw_prepare, mw_run, mw_enqueue       run it, or enqueue it on a stream
 *
 * How a sort is made, and what it costs, is in multiway_insight.h.
 *
 * Everything returns a status; nothing prints, exits or reads the environment.
 * A handle serves one thread at a time; different handles are independent.
 *
 * Structs that begin with `size` may grow in later versions. Start from the _INIT
 * macro. A smaller struct is an older caller's: what it lacks is 0. A larger one is
 * MW_BAD_ARGUMENT if it has a byte set that this version does not know.
 */
#ifndef MULTIWAY_H
#define MULTIWAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MW_VERSION_MAJOR 0
#define MW_VERSION_MINOR 2
#define MW_VERSION_PATCH 0
#define MW_VERSION (MW_VERSION_MAJOR * 10000 + MW_VERSION_MINOR * 100 + MW_VERSION_PATCH)

#if defined(__GNUC__)
#define MW_API __attribute__((visibility("default")))
#else
#define MW_API
#endif

/* The version of the running library; MW_VERSION is the version of this header. */
MW_API int mw_version(void);

/* Result of a call. Values are pinned: they will not change meaning. */
typedef enum mw_status {
    MW_OK = 0,
    MW_BAD_ARGUMENT = 1,   /* the call was wrong; nothing was touched */
    MW_NO_MEMORY = 2,      /* host or device memory ran out */
    MW_NO_DEVICE = 3,      /* the device named does not exist on this machine */
    MW_DEVICE_FAILED = 4,  /* the driver reported an error */
    MW_COMPILE_FAILED = 5, /* a kernel could not be compiled or loaded */
    MW_UNSUPPORTED = 6,    /* a valid request that this version or device cannot serve */
    MW_KERNEL_FAULT = 7    /* the simulator caught a kernel breaking a rule */
} mw_status;

/* One fixed sentence per status, never NULL. */
MW_API const char *mw_status_text(mw_status status);

/* The ten element types, and byte strings, which only fields have. Values are pinned. */
typedef enum mw_type {
    MW_I8 = 0,
    MW_U8 = 1,
    MW_I16 = 2,
    MW_U16 = 3,
    MW_I32 = 4,
    MW_U32 = 5,
    MW_I64 = 6,
    MW_U64 = 7,
    MW_F32 = 8,
    MW_F64 = 9,
    MW_BYTES = 255
} mw_type;

enum { MW_TYPE_COUNT = 10 };

/* Bytes of one element of `type`, or 0 if there is no such type. */
MW_API size_t mw_type_size(mw_type type);

/* The short name of `type`, such as "u64", or NULL if there is no such type. */
MW_API const char *mw_type_name(mw_type type);

/* Find the type of that short name; MW_BAD_ARGUMENT if there is none. */
MW_API mw_status mw_type_parse(const char *name, mw_type *type);

/*
 * Ascending is: numbers by value, -0 before +0, then every NaN, NaNs among
 * themselves by their bits as an unsigned number. Descending is the exact
 * reverse. Both are total orders on bit patterns, so a sorted array of keys is
 * unique: every device returns identical bytes.
 */
typedef enum mw_direction { MW_ASCENDING = 0, MW_DESCENDING = 1 } mw_direction;

/* ---- 1. A handle, and sorting host memory ------------------------------- */

/* A handle on one device: its loaded kernels, scratch memory and error message. */
typedef struct mw_context mw_context;

/* Choices made once, when a handle is opened. */
typedef struct mw_options {
    size_t size;            /* sizeof(mw_options), set by MW_OPTIONS_INIT */
    const char *cache_path; /* folder for kernels compiled at run time; NULL: no cache */
    uint64_t cache_bytes;   /* most that folder may hold; 0: 256 MiB */
} mw_options;

#define MW_OPTIONS_INIT             \
    {                               \
        sizeof(mw_options), NULL, 0 \
    }

/*
 * Open a handle on the device named:
 *
 *   "auto"    the first GPU, if kernels can be had for it, or else the CPU
 *   "cuda"    the first GPU; "cuda:1" the second
 *   "cpu"     one thread per processor this process may use; "cpu:8" eight
 *   "sim"     the simulator
 *
 * `options` may be NULL. On failure `*context` is a handle that can only report
 * its error message, or NULL if there was no memory for one; mw_close takes either.
 *
 * Returns MW_OK, MW_BAD_ARGUMENT for an unknown name, MW_NO_DEVICE, MW_NO_MEMORY
 * or MW_DEVICE_FAILED.
 */
MW_API mw_status mw_open(mw_context **context, const char *device,
                         const mw_options *options);

/* Wait for all work enqueued on the handle and free it. NULL is allowed. */
MW_API void mw_close(mw_context *context);

/*
 * The error message of the last call on this handle that failed: what was wrong,
 * the value, and what would be right, or the driver's own message. "" if none
 * failed yet. NULL is allowed: it stands for a handle that mw_open had no memory
 * for. The text belongs to the handle and changes with its next failing call.
 */
MW_API const char *mw_error(const mw_context *context);

/*
 * Sort `count` keys in place, in host memory, aligned as their type is.
 *
 * The handle keeps the scratch memory it needed (twice the keys' bytes on a
 * GPU, once on the CPU) for the next call. Returns MW_OK, MW_BAD_ARGUMENT,
 * MW_NO_MEMORY, MW_DEVICE_FAILED, MW_COMPILE_FAILED, MW_KERNEL_FAULT, or
 * MW_UNSUPPORTED if the tuning set does not serve this type or device. After
 * a failure `keys` still holds the same elements, in no particular order; the
 * one exception is a GPU lost in the middle of the final copy.
 */
MW_API mw_status mw_sort(mw_context *context, mw_type type, mw_direction direction,
                         void *keys, uint64_t count);

/* ---- 2. Orders, jobs and three verbs -------------------------------------- */

/* One criterion of an order; the first field that differs decides. */
typedef struct mw_field {
    uint32_t column; /* 0: the elements; c: value column c - 1 */
    uint32_t offset; /* bytes from the beginning of the element or value */
    mw_type type;    /* MW_BYTES: `bytes` bytes, as memcmp compares them */
    uint32_t bytes;  /* of MW_BYTES; otherwise 0 */
    mw_direction direction;
    uint32_t flags; /* 0: no flags exist yet */
} mw_field;

/*
 * How elements compare. This version serves the orders of built-in types, which
 * mw_order_of returns; it checks others and answers MW_UNSUPPORTED.
 */
typedef struct mw_order {
    size_t size; /* sizeof(mw_order), set by MW_ORDER_INIT */
    uint32_t element_bytes;
    uint32_t field_size;    /* sizeof(mw_field), set by MW_ORDER_INIT */
    const mw_field *fields; /* compare by fields, or ... */
    uint32_t field_count;
    const char *less;         /* ... by a C expression in a and b, const mw_element *, */
    const char *declarations; /*   with the text that defines the type mw_element, */
    int (*less_on_host)(const void *a, const void *b); /* non-zero iff *a precedes *b */
} mw_order;

#define MW_ORDER_INIT                                                    \
    {                                                                    \
        sizeof(mw_order), 0, sizeof(mw_field), NULL, 0, NULL, NULL, NULL \
    }

/* The order of a built-in type, owned by the library; NULL if there is none. */
MW_API const mw_order *mw_order_of(mw_type type, mw_direction direction);

/* A column of values, one for each element. */
typedef struct mw_column {
    void *data;
    uint32_t bytes; /* of one value */
} mw_column;

/* Element i and value i of every column are row i. */
typedef struct mw_table {
    void *elements;
    uint64_t count;
    const mw_column *columns; /* values that travel with the elements; may be none */
    uint32_t column_count;
} mw_table;

typedef enum mw_operation {
    MW_SORT = 0,   /* the rows in order */
    MW_MERGE = 1,  /* one sorted table from `in_count` sorted ones */
    MW_SPLIT = 2,  /* where to cut sorted tables so that `rank` rows lie before */
    MW_SELECT = 3, /* rows of ranks [first, last), sorted, without sorting the rest */
    MW_CHECK = 4   /* the first position that is out of order, or the count */
} mw_operation;

/*
 * What to do. Results are stable, so they are unique: all devices return the same
 * bytes.
 *
 * This version serves MW_SORT of one table without columns, in place, by the order
 * of a built-in type. It answers other valid jobs with MW_UNSUPPORTED.
 */
typedef struct mw_job {
    size_t size;          /* sizeof(mw_job), ... */
    uint32_t table_size;  /* ... sizeof(mw_table) and ... */
    uint32_t column_size; /* ... sizeof(mw_column), set by MW_JOB_INIT */
    mw_operation operation;
    const mw_order *order;
    const mw_table *in; /* one table; MERGE and SPLIT: `in_count` sorted ones */
    uint32_t in_count;
    const mw_table *out;        /* NULL: in place (SORT) */
    void *positions;            /* where each row of the result came from, or NULL */
    mw_type position_type;      /* U32, I32, U64 or I64 */
    const void *segment_begins; /* SORT, SELECT: not NULL: segments of their own */
    const void *segment_ends;
    mw_type segment_type; /* U32, I32, U64 or I64 */
    uint64_t segment_count;
    uint64_t first, last;  /* SELECT: ranks [first, last), clamped to the count */
    const uint64_t *ranks; /* SPLIT: where to cut */
    uint64_t rank_count;
    uint64_t *cuts; /* SPLIT: rank_count rows of in_count positions; CHECK: one */
} mw_job;

#define MW_JOB_INIT                                                                        \
    {                                                                                      \
        sizeof(mw_job), sizeof(mw_table), sizeof(mw_column), MW_SORT, NULL, NULL, 1, NULL, \
            NULL, MW_U64, NULL, NULL, MW_U64, 0, 0, 0, NULL, 0, NULL                       \
    }

/*
 * Plan a job, compile and load its kernels, and say how many bytes of workspace
 * mw_enqueue needs. `elements` is ignored and may be NULL. The workspace and the
 * kernels then serve every job of the same operation, order and memory layout, up to
 * this count, under the handle's present tuning and timing. Workspace of a sort: about
 * the bytes of its keys, or none for few keys.
 */
MW_API mw_status mw_prepare(mw_context *context, const mw_job *job,
                            uint64_t *workspace_bytes);

/*
 * Run a job on host memory and wait for it. The handle keeps the device memory it
 * needed for the next call. Statuses, and what a failure leaves, are those of mw_sort.
 */
MW_API mw_status mw_run(mw_context *context, const mw_job *job);

/*
 * Enqueue a job on device memory (on "cpu": plain memory, and the call waits).
 *
 * Job, order and tables are host memory, read before the call returns; elements are
 * device memory, aligned as their type is. `workspace` is device memory of at
 * least the bytes that mw_prepare returned, aligned to 256 bytes; NULL if that was
 * 0. `stream` is a CUstream or cudaStream_t, NULL for the default stream; "cpu"
 * and "sim" ignore it.
 *
 * On CUDA, after mw_prepare and without timing (multiway_insight.h), this call
 * allocates, loads and waits for nothing and can be captured in a graph. Kernels stay
 * loaded until mw_close. A device error may appear in a later call or in mw_wait. After a
 * failure other than MW_BAD_ARGUMENT the contents of elements and workspace are undefined.
 */
MW_API mw_status mw_enqueue(mw_context *context, const mw_job *job, void *workspace,
                            uint64_t workspace_bytes, void *stream);

/*
 * Device memory for programs without CUDA headers: allocate, free, copy in, copy
 * out, wait for everything enqueued. Copies return when done. Memory from
 * cuMemAlloc or cudaMalloc on the same device serves as well.
 */
MW_API mw_status mw_alloc(mw_context *context, uint64_t bytes, void **memory);
MW_API void mw_free(mw_context *context, void *memory);
MW_API mw_status mw_upload(mw_context *context, void *memory, const void *from,
                           uint64_t bytes);
MW_API mw_status mw_download(mw_context *context, void *to, const void *memory,
                             uint64_t bytes);
MW_API mw_status mw_wait(mw_context *context);

/* What a handle was opened on. */
typedef struct mw_info {
    size_t size;               /* sizeof(mw_info), set by MW_INFO_INIT */
    char device[32];           /* "cuda:0", "cpu:2", "sim" */
    char name[128];            /* product name */
    char driver[64];           /* driver version, "" where there is none */
    uint64_t memory_bytes;     /* of the device, 0 if unknown */
    uint32_t processors;       /* SMs, or threads on the CPU */
    uint32_t architecture;     /* 90 for sm_90; 0 on the CPU */
    uint64_t shared_per_block; /* most shared memory a block may use */
    uint64_t shared_per_processor;
    int ahead_of_time;  /* 1 if nothing has to be compiled at run time */
    char fallback[192]; /* "auto" on the CPU: why it took no GPU; "cuda": why no kernels */
                        /*   can be had; otherwise "" */
} mw_info;

#define MW_INFO_INIT                                      \
    {                                                     \
        sizeof(mw_info), "", "", "", 0, 0, 0, 0, 0, 0, "" \
    }

MW_API mw_status mw_get_info(mw_context *context, mw_info *info);

#ifdef __cplusplus
}
#endif
#endif
