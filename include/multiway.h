/*
 * multiway.h - sort on a GPU, on the CPU, or in a simulator that counts.
 *
 *   1. mw_open, mw_sort, mw_sort_pairs,     sort keys, keys with values or records in
 *      mw_argsort, mw_sort_records,         host memory, or find their order; merge
 *      mw_merge, mw_top                     sorted lists; find the first few
 *   2. mw_order, mw_job and three verbs     say what to do once, then prepare it,
 *      mw_prepare, mw_run, mw_enqueue       run it, or enqueue it on a stream
 *
 * How a sort is made, and what it costs, is in multiway_insight.h.
 * Everything returns a status; nothing prints, exits or reads the environment.
 * A handle serves one thread at a time; different handles are independent.
 *
 * Structs that begin with `size` may grow in later versions; start from the _INIT macro.
 * Members that a smaller struct lacks (an older caller's) count as 0. A larger struct is
 * MW_BAD_ARGUMENT if a byte that this version does not know is not 0.
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
#define MW_UNUSED __attribute__((unused))
#else
#define MW_API
#define MW_UNUSED
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
    MW_KERNEL_FAULT = 7,   /* the simulator caught a kernel breaking a rule */
    MW_BAD_ORDER = 8,      /* the text of an order does not compile */
    MW_FILE_FAILED = 9,    /* a file could not be opened, read, written or named */
    MW_CANCELLED = 10      /* the caller's callback asked for it */
} mw_status;

/* One fixed sentence per status, never NULL. */
MW_API const char *mw_status_text(mw_status status);

/*
 * The element types, and MW_BYTES, byte strings, for fields only. MW_F16 is IEEE binary16,
 * MW_BF16 the upper half of a float. Values are pinned.
 */
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
    MW_F16 = 10,
    MW_BF16 = 11,
    MW_BYTES = 255
} mw_type;
enum { MW_TYPE_COUNT = 12 };

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
    uint64_t memory_bytes;  /* most device memory, or scratch memory on the CPU, that the */
                            /*   handle takes; 0: no limit. Larger sorts: see mw_run */
} mw_options;

#define MW_OPTIONS_INIT                \
    {                                  \
        sizeof(mw_options), NULL, 0, 0 \
    }

/*
 * Open a handle on the device named:
 *
 *   "auto"    the first GPU if its kernels are embedded or can be compiled, else the CPU
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
 * The handle keeps the scratch memory it needed (up to twice the keys' bytes on a GPU, once
 * on the CPU) for the next call. Returns MW_OK, MW_BAD_ARGUMENT, MW_NO_MEMORY,
 * MW_DEVICE_FAILED, MW_COMPILE_FAILED, MW_KERNEL_FAULT, or MW_UNSUPPORTED if the tuning set
 * does not serve this type or device. After a failure `keys` still holds the same elements,
 * in no particular order; the one exception is a GPU lost during the final copies.
 */
MW_API mw_status mw_sort(mw_context *context, mw_type type, mw_direction direction,
                         void *keys, uint64_t count);

struct mw_order;

/*
 * Sort `count` keys in place and move the value of each along: `values` has as many, of
 * `value_bytes` bytes each (1 to 4096), aligned to nothing in particular. Stable: values
 * of equal keys keep their order, in both directions. Memory and failures: see mw_run.
 */
MW_API mw_status mw_sort_pairs(mw_context *context, mw_type type, mw_direction direction,
                               void *keys, void *values, uint32_t value_bytes,
                               uint64_t count);

/*
 * Write to `positions` where each key of the sorted sequence stands in `keys`, which is
 * only read: keys[positions[0]] is the first. Stable: equal keys by position. Positions
 * are of type U32, I32, U64 or I64; MW_BAD_ARGUMENT if they cannot number `count` keys.
 */
MW_API mw_status mw_argsort(mw_context *context, mw_type type, mw_direction direction,
                            const void *keys, void *positions, mw_type position_type,
                            uint64_t count);

/* Sort `count` records in place and stably, by their fields or by a comparison. */
MW_API mw_status mw_sort_records(mw_context *context, const struct mw_order *order,
                                 void *records, uint64_t count);

/*
 * Merge `list_count` sorted lists, at most 100,000. List i has counts[i] keys at lists[i]
 * and may be empty. `out` has room for all keys and overlaps no list. Stable: equal keys
 * come in the order of their lists.
 */
MW_API mw_status mw_merge(mw_context *context, mw_type type, mw_direction direction,
                          const void *const *lists, const uint64_t *counts,
                          uint32_t list_count, void *out);

/*
 * Write the first `k` keys of the sorted sequence, or all if there are fewer, to `out`: the
 * smallest, or the largest if MW_DESCENDING; equal keys come by position. `positions`
 * receives where they are in `keys`, which is only read. `out` or `positions` may be NULL.
 */
MW_API mw_status mw_top(mw_context *context, mw_type type, mw_direction direction,
                        const void *keys, uint64_t count, uint64_t k, void *out,
                        void *positions, mw_type position_type);

/* ---- 2. Orders, jobs and three verbs -------------------------------------- */

/*
 * Flags of a field. Without them floats follow mw_direction's order on bits. A flag that
 * is not for the field's type is MW_BAD_ARGUMENT.
 *
 * Zeros or NaNs made equal keep their input order and their bits. Exception: a sort or
 * selection of bare keys (one built-in type, no columns or positions) orders them by bits.
 */
enum {
    MW_ZEROS_EQUAL = 1, /* floats: -0 and +0 are equal */
    MW_NANS_EQUAL = 2,  /* floats: all NaNs are equal */
    MW_NANS_LAST = 4,   /* floats: NaNs come last in both directions (NumPy's order) */
    MW_LEAST_LAST = 8   /* signed: the least integer, often "no value", comes last too */
};

/* One criterion of an order; the first field that differs decides. */
typedef struct mw_field {
    uint32_t column; /* 0: the elements; c: columns[c - 1], which is moved, too */
    uint32_t offset; /* bytes from the beginning of the element or value; any alignment */
    mw_type type;    /* MW_BYTES: `bytes` bytes, as memcmp compares them */
    uint32_t bytes;  /* of MW_BYTES; otherwise 0 */
    mw_direction direction;
    uint32_t flags; /* MW_ZEROS_EQUAL and so on, or 0 */
} mw_field;

/*
 * How elements compare: by 1 to 16 fields, or by the caller's own comparison, given as
 * C text, as a host function, or as both (MW_ORDER below).
 *
 * "cuda" needs the text, and compiles it at its first use: MW_BAD_ORDER if it does not
 * compile, and mw_error has the compiler's message. "cpu" and "sim" need the
 * function, which several threads may call at once. A job that lacks what its device
 * needs is MW_UNSUPPORTED.
 *
 * The comparison says whether *a must precede *b; it is not a qsort comparator. If it is
 * not a strict weak order (`<=`, say, or one that ignores NaNs), the result is in no
 * particular order, but it has each row once, and no other memory is touched.
 */
typedef struct mw_order {
    size_t size;            /* sizeof(mw_order), set by MW_ORDER_INIT */
    uint32_t element_bytes; /* 1 to 4096 */
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

/*
 * A comparison written once for host and GPU, at file scope:
 *
 *   MW_RECORD(city, { float lat, lon; uint32_t people; });
 *   MW_ORDER(by_people, city, a->people > b->people ||
 *                                 (a->people == b->people && a->lat < b->lat));
 *
 * defines a struct type `city` and a `static const mw_order by_people`. The GPU compiles
 * the text as it is written: macros in it are not expanded, and nothing declared elsewhere
 * can be used, except the types of stdint.h and memcmp.
 */
#define MW_RECORD(name, ...)                          \
    typedef struct name __VA_ARGS__ name;             \
    MW_UNUSED static const char mw_text_of_##name[] = \
        "typedef struct " #__VA_ARGS__ " mw_element;"

#define MW_ORDER(name, record, ...)                                       \
    static int mw_less_of_##name(const void *mw_a, const void *mw_b)      \
    {                                                                     \
        typedef record mw_element;                                        \
        const mw_element *const a = (const mw_element *)mw_a;             \
        const mw_element *const b = (const mw_element *)mw_b;             \
                                                                          \
        (void)a, (void)b;                                                 \
        return (__VA_ARGS__) ? 1 : 0;                                     \
    }                                                                     \
    MW_UNUSED static const mw_order name = {                              \
        sizeof(mw_order), sizeof(record),      sizeof(mw_field), NULL, 0, \
        #__VA_ARGS__,     mw_text_of_##record, mw_less_of_##name}

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
    const mw_column *columns; /* values that are moved along with the elements */
    uint32_t column_count;    /* 0 to 65,536 */
} mw_table;

/* clang-format off */
typedef enum mw_operation { MW_SORT = 0, MW_MERGE = 1, MW_SPLIT = 2, MW_SELECT = 3,
                            MW_CHECK = 4 } mw_operation; /* see mw_job */
/* clang-format on */

/*
 * What to do. Results are stable, descending ones too: rows that compare equal keep the
 * order they had, and rows of several lists come in the order of the lists. So results are
 * unique, and all devices return the same bytes.
 *
 *   MW_SORT    the rows in order; in place, or with `out`, and then `in` is only read
 *   MW_MERGE   one sorted table from 0 to 100,000 sorted ones; positions count as if these
 *              were concatenated. If one is not sorted, the result is some permutation
 *   MW_SPLIT   cuts[r * in_count + i] is how many rows of list i are among the first
 *              ranks[r] of all lists merged; a rank beyond their sum counts as the sum
 *   MW_SELECT  rows [first, last) of the sorted order, as MW_SORT would write them
 *   MW_CHECK   the first position that is out of order, or the count
 *
 * `out` has the columns of `in` or none, and as many rows as the result, or for MW_SELECT
 * more. A NULL array is not wanted; a sort with positions alone is an argsort. What a job
 * writes must not overlap what it reads, but MW_SORT's `in` and `out` may share arrays.
 *
 * Segment s is rows [segment_begins[s], segment_ends[s]), in any order. MW_SORT sorts each
 * on its own and leaves rows outside of them untouched, in `out` too. MW_SELECT writes to
 * rows s * (last - first) and following of `out`, fewer if segment s is short. Positions
 * count from the segment's beginning. A segment that ends before it begins or after the
 * last row, or begins below 0, is empty. Rows where segments overlap are undefined.
 *
 * Alignment: elements of a built-in type, positions, segments, ranks and cuts as their
 * type; elements compared by the caller's own function or text as these need it; those of
 * field orders, and values, to nothing in particular. Values have 1 to 4096 bytes.
 */
typedef struct mw_job {
    size_t size;          /* sizeof(mw_job), ... */
    uint32_t table_size;  /* ... sizeof(mw_table) and ... */
    uint32_t column_size; /* ... sizeof(mw_column), set by MW_JOB_INIT */
    mw_operation operation;
    const mw_order *order;
    const mw_table *in; /* one table; MERGE and SPLIT: `in_count` sorted ones */
    uint32_t in_count;
    const mw_table *out;        /* NULL: in place (SORT), or only positions are wanted */
    void *positions;            /* where each row of the result came from, or NULL */
    mw_type position_type;      /* U32, I32, U64 or I64 */
    const void *segment_begins; /* SORT, SELECT: where segments begin, ... */
    const void *segment_ends;   /* ... and where they end; both NULL: no segments */
    mw_type segment_type;       /* U32, I32, U64 or I64 */
    uint64_t segment_count;
    uint64_t first, last; /* SELECT: ranks [first, last), first <= last; cut off at count */
    const uint64_t *ranks; /* SPLIT: how many rows are to lie before the cuts */
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
 * mw_enqueue needs. No data is read, and the arrays of `in` may be NULL. But positions and
 * arrays of `out` must be NULL, or those of `in`, where they will be. The workspace and the
 * kernels also serve smaller jobs: at most as many rows, lists, segments, ranks, and last -
 * first. Operation, order, column sizes, position and segment types, wanted arrays and the
 * handle's tuning and timing must be the same. Workspace, at most, plus 1/4 byte a row and
 * some kilobytes (by an expression, rows of less than 4 bytes take as much as rows of 4):
 *
 *   sort of keys     1.25 times the bytes of the keys, or none for few keys
 *   other sorts      1.25 times the bytes of elements and columns, 4 bytes a row for
 *                      positions (CPU beyond 2^32 rows: 8), arrays that are only compared
 *   argsort          2.25 times the bytes compared (each field counts), 1.25 the positions
 *   sort of segments twice the bytes of elements and columns and 44 bytes a row; orders of
 *                      more than 8 bytes: also 2.25 times what is compared
 *   check            8 bytes for each 4096 rows
 */
MW_API mw_status mw_prepare(mw_context *context, const mw_job *job,
                            uint64_t *workspace_bytes);

/*
 * Run a job on host memory and wait for it. The handle keeps the scratch memory it needed
 * (on a GPU also a copy of all arrays) for the next call. Statuses are those of mw_sort,
 * and MW_BAD_ORDER. A sort may be larger than a GPU's memory, or than memory_bytes, if all
 * its arrays are in place or none is. It then takes host memory of their size, and by an
 * expression it needs less_on_host. Other jobs that do not fit are MW_NO_MEMORY.
 *
 * After a failure an `out` is undefined. A sort in place still has all rows, unless a GPU
 * was lost during the final copies: as they were, sorted or, from 32 MiB on, in any order.
 */
MW_API mw_status mw_run(mw_context *context, const mw_job *job);

/*
 * Enqueue a job on device memory (on "cpu": plain memory, and the call waits).
 *
 * Job, order, tables and columns are host memory, read before the call returns;
 * elements, values, positions, segments, ranks and cuts are device memory. `workspace` is
 * device memory of at least the bytes that mw_prepare returned, aligned to 256 bytes; NULL
 * if that was 0. `stream` is a CUstream or cudaStream_t, NULL for the default stream; "cpu"
 * and "sim" ignore it.
 *
 * On CUDA, after mw_prepare and without timing (multiway_insight.h), this call
 * allocates, loads and waits for nothing and can be captured in a graph. Kernels stay
 * loaded until mw_close. A device error may appear in a later call or in mw_wait. After a
 * failure other than MW_BAD_ARGUMENT the arrays that the job writes are undefined.
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
    int ahead_of_time;  /* 1 if no built-in kernel has to be compiled at run time */
    char fallback[192]; /* "auto" on the CPU: why no GPU; "cuda": why no kernels; or "" */
    uint64_t memory_limit; /* memory_bytes of mw_options; 0: no limit */
} mw_info;

#define MW_INFO_INIT                                         \
    {                                                        \
        sizeof(mw_info), "", "", "", 0, 0, 0, 0, 0, 0, "", 0 \
    }

MW_API mw_status mw_get_info(mw_context *context, mw_info *info);

#ifdef __cplusplus
}
#endif
#endif
