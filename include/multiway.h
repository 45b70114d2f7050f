/*
 * multiway.h - sort on a GPU, on the CPU, or in a simulator that counts.
 *
 * Three storeys; stop at the lowest that serves you:
 *
 *   1. mw_open, mw_sort, mw_close        sort an array in host memory
 *   2. mw_sort_device and its workspace  sort device memory on your own stream
 *   3. mw_tuning, mw_counts, mw_ledger   choose how, and see what it cost
 *
 * Everything returns a status; nothing prints, exits or reads the environment.
 * A handle may be used by one thread at a time; different handles are
 * independent of each other.
 */
#ifndef MULTIWAY_H
#define MULTIWAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MW_VERSION_MAJOR 0
#define MW_VERSION_MINOR 1
#define MW_VERSION_PATCH 0
#define MW_VERSION (MW_VERSION_MAJOR * 10000 + MW_VERSION_MINOR * 100 + MW_VERSION_PATCH)

#if defined(__GNUC__)
#define MW_API __attribute__((visibility("default")))
#else
#define MW_API
#endif

/* The version of the library that is running; MW_VERSION is that of this header. */
MW_API int mw_version(void);

/* What a call came to. Values are pinned: they will not change meaning. */
typedef enum mw_status {
    MW_OK = 0,
    MW_BAD_ARGUMENT = 1,   /* the call was wrong; nothing was touched */
    MW_NO_MEMORY = 2,      /* host or device memory ran out */
    MW_NO_DEVICE = 3,      /* the device named does not exist on this machine */
    MW_DEVICE_FAILED = 4,  /* the driver reported an error */
    MW_COMPILE_FAILED = 5, /* a kernel could not be compiled or loaded */
    MW_UNSUPPORTED = 6,    /* a valid request that this device cannot serve */
    MW_KERNEL_FAULT = 7    /* the simulator caught a kernel breaking a rule */
} mw_status;

/* One fixed sentence per status, never NULL. */
MW_API const char *mw_status_text(mw_status status);

/* The ten element types. Values are pinned. */
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
    MW_F64 = 9
} mw_type;

enum { MW_TYPE_COUNT = 10 };

/* Bytes of one element of `type`, or 0 if there is no such type. */
MW_API size_t mw_type_size(mw_type type);

/* The short name of `type`, such as "u64", or NULL if there is no such type. */
MW_API const char *mw_type_name(mw_type type);

/* The type of that short name into `*type`; MW_BAD_ARGUMENT if there is none. */
MW_API mw_status mw_type_parse(const char *name, mw_type *type);

/*
 * The order of keys. Ascending is: numbers by value, -0 before +0, then every
 * NaN, NaNs among themselves by their bits as an unsigned number. Descending
 * is the exact reverse. Both are total orders on bit patterns, so a sorted
 * array of keys is unique: every device returns identical bytes.
 */
typedef enum mw_direction { MW_ASCENDING = 0, MW_DESCENDING = 1 } mw_direction;

/* ---- 1. A handle, and sorting host memory ------------------------------- */

/* A handle on one device: its loaded kernels, scratch memory and last error. */
typedef struct mw_context mw_context;

/*
 * Choices made once, when a handle is opened. Start from MW_OPTIONS_INIT and
 * change what you need.
 */
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
 *   "auto"    the first GPU, or else the CPU
 *   "cuda"    the first GPU; "cuda:1" the second
 *   "cpu"     one thread per processor this process may use; "cpu:8" eight
 *   "sim"     the simulator
 *
 * `options` may be NULL. On failure `*context` is set to a handle that can do
 * nothing but tell mw_error why, or to NULL if even that could not be had;
 * mw_close takes either.
 *
 * Returns MW_OK, MW_BAD_ARGUMENT for a name that is none of the above,
 * MW_NO_DEVICE, MW_NO_MEMORY or MW_DEVICE_FAILED.
 */
MW_API mw_status mw_open(mw_context **context, const char *device,
                         const mw_options *options);

/* Give back everything the handle holds. NULL is allowed. */
MW_API void mw_close(mw_context *context);

/*
 * What went wrong in the last call on this handle that failed, in words: the
 * argument and its value, or the driver's own message. "" if none failed yet;
 * of NULL, what mw_open says when it has no memory for a handle.
 * The text belongs to the handle and changes with its next failing call.
 */
MW_API const char *mw_error(const mw_context *context);

/*
 * Sort `count` keys in place, in host memory, aligned as their type is.
 *
 * The handle keeps the scratch memory it needed (twice the keys' bytes on a
 * GPU, once on the CPU) for the next call. Returns MW_OK, MW_BAD_ARGUMENT,
 * MW_NO_MEMORY, MW_DEVICE_FAILED, MW_COMPILE_FAILED, MW_KERNEL_FAULT, or
 * MW_UNSUPPORTED if the tuning set does not go with this type or device. After
 * a failure `keys` still holds the same elements, in no particular order; the
 * one exception is a GPU lost in the middle of the final copy back.
 */
MW_API mw_status mw_sort(mw_context *context, mw_type type, mw_direction direction,
                         void *keys, uint64_t count);

/* ---- 2. Device memory, your workspace, your stream ----------------------- */

/*
 * How many bytes of workspace mw_sort_device needs for `count` keys under the
 * handle's present tuning; for few keys that may be none. Also loads (and, on
 * first use, compiles) the kernels that sort will launch, so that the sort
 * itself does neither.
 */
MW_API mw_status mw_sort_workspace(mw_context *context, mw_type type, uint64_t count,
                                   uint64_t *bytes);

/*
 * Sort `count` keys in place, in the device's memory.
 *
 * `keys` and `workspace` are device pointers (on "cpu", plain memory), aligned
 * to 16 bytes and not overlapping; `workspace_bytes` is at least what
 * mw_sort_workspace said, and if that is 0 `workspace` may be NULL. `stream`
 * is a CUstream or cudaStream_t, NULL for the default stream; "cpu" and "sim"
 * ignore it. On CUDA the call only enqueues: no allocation, no
 * synchronisation, safe under graph capture once mw_sort_workspace was asked
 * for this type. An error of the device itself may therefore show in a later
 * call. After a failure the contents of both buffers are undefined.
 */
MW_API mw_status mw_sort_device(mw_context *context, mw_type type, mw_direction direction,
                                void *keys, uint64_t count, void *workspace,
                                uint64_t workspace_bytes, void *stream);

/*
 * Device memory for programs that have no CUDA headers: allocate, free, copy
 * in, copy out, wait for everything enqueued. Copies return when done.
 * Memory from cuMemAlloc or cudaMalloc on the same device serves as well.
 */
MW_API mw_status mw_alloc(mw_context *context, uint64_t bytes, void **memory);
MW_API void mw_free(mw_context *context, void *memory);
MW_API mw_status mw_upload(mw_context *context, void *memory, const void *from,
                           uint64_t bytes);
MW_API mw_status mw_download(mw_context *context, void *to, const void *memory,
                             uint64_t bytes);
MW_API mw_status mw_wait(mw_context *context);

/* ---- 3. How it is done, and what it cost --------------------------------- */

/* The methods a GPU (or the simulator) can sort by. Values are pinned. */
typedef enum mw_engine {
    MW_ENGINE_AUTO = 0, /* tile, or heap where a choice was made that only heap has */
    MW_ENGINE_HEAP = 1, /* the paper's: shearsort, exact cuts, minBlockHeap */
    MW_ENGINE_TILE = 2, /* merging by cuts alone, in tiles: faster; under 2^32 keys */
    MW_ENGINE_PAIR = 3  /* two ways, by merge path: what others do, for comparison */
} mw_engine;

/*
 * How to sort. Every field may stay 0, which means: the library's choice for
 * this device, type and count. Start from MW_TUNING_INIT.
 *
 * Kernels of engine tile are compiled for threads and items. The library has
 * those of its own choices; a GPU gets others compiled by NVRTC when they are
 * first used, and the simulator refuses what it does not have (MW_UNSUPPORTED).
 * To choose threads or base for engine tile, name it: MW_ENGINE_AUTO takes them
 * for engine heap's.
 *
 * Engine pair leaves no choice: it merges 2 ways with 256 threads of 17 keys, or of
 * 8 if they have 8 bytes.
 */
typedef struct mw_tuning {
    size_t size; /* sizeof(mw_tuning), set by MW_TUNING_INIT */
    mw_engine engine;
    uint32_t ways;    /* lists merged at once, K: 2, 4, 8, 16 or 32; tile: at most K */
    uint32_t warps;   /* heap: merge tasks in flight, P, any number; tile: of no use */
    uint32_t threads; /* per block of the merge; heap: a multiple of 32 up to 1024; */
                      /*   tile: 64, 128, 256 or 512, the rows of a tile */
    uint32_t items;   /* keys a thread owns; heap: 32; tile: 8, 16 or 32 */
    uint32_t base;    /* keys of a base-case run; heap: 1024, 2048, ... 16384; */
                      /*   tile: of a tile, threads times items */
} mw_tuning;

#define MW_TUNING_INIT                                   \
    {                                                    \
        sizeof(mw_tuning), MW_ENGINE_AUTO, 0, 0, 0, 0, 0 \
    }

/*
 * Use this tuning for the handle's later sorts; NULL goes back to the
 * defaults. MW_BAD_ARGUMENT if a field is out of its range: nothing changes.
 * The CPU device has no use for a tuning and accepts any valid one.
 */
MW_API mw_status mw_set_tuning(mw_context *context, const mw_tuning *tuning);

/*
 * The tuning a sort of `count` keys of `type` would use now, every field filled;
 * on the CPU, which needs none, the one that was set.
 */
MW_API mw_status mw_get_tuning(mw_context *context, mw_type type, uint64_t count,
                               mw_tuning *tuning);

/*
 * What a kernel, a source line, a launch or a whole sort asked of memory (simulator
 * only). Distinct sectors count once in a launch for all that load them, unless it has
 * stored to them before, and once for all that store to them: memory has to move so many
 * at least, whatever caches do.
 */
typedef struct mw_traffic {
    uint64_t shared_requests;   /* warp-wide accesses to shared memory */
    uint64_t shared_wavefronts; /* turns of the banks they took */
    uint64_t shared_ideal;      /* turns they would have taken without conflicts */
    uint64_t global_requests;   /* warp-wide accesses to global memory */
    uint64_t global_sectors;    /* 32-byte sectors they touched */
    uint64_t global_distinct;   /* distinct ones; those of launches are added up */
    uint64_t global_ideal;      /* sectors the same bytes would fill if packed */
    uint64_t shuffles;          /* warp-wide register exchanges, ballots included */
    uint64_t barriers;          /* block-wide barriers, counted once a warp */
    uint64_t shared_worst;      /* of one request: an n-way conflict; 1: none had any */
} mw_traffic;

/* The last sort of a handle, in figures; all 0 before the first. */
typedef struct mw_counts {
    size_t size;            /* sizeof(mw_counts), set by the caller */
    uint64_t count;         /* keys */
    uint32_t rounds;        /* merge rounds after the base case */
    uint32_t launches;      /* kernels launched */
    uint64_t bytes_read;    /* bulk traffic by plan: keys read and written by */
    uint64_t bytes_written; /*   the base case and the merges, without the cuts */
    uint64_t warp_shared;   /* bytes of shared memory a merging warp has; 0 on the CPU */
    mw_tuning tuning;       /* what was used */
    mw_traffic traffic;     /* counted; all zero except on the simulator */
} mw_counts;

#define MW_COUNTS_INIT                                       \
    {                                                        \
        sizeof(mw_counts), 0, 0, 0, 0, 0, 0, MW_TUNING_INIT, \
        {                                                    \
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0                     \
        }                                                    \
    }

MW_API mw_status mw_get_counts(mw_context *context, mw_counts *counts);

/* One source line of one kernel, and its traffic in the handle's last sort. */
typedef struct mw_ledger_line {
    const char *kernel; /* such as "heap_merge" */
    const char *file;   /* such as "heap_merge.cu" */
    int line;
    const char *text;  /* the line itself, without its indentation */
    int bulk;          /* 1 if the line moves keys in bulk (P4's coalesced accesses) */
    uint64_t launches; /* of the kernel */
    mw_traffic traffic;
} mw_ledger_line;

/*
 * The ledger of the last sort, sorted by kernel, file and line; `*count` is 0
 * on devices that keep none. The array belongs to the handle until its next
 * sort.
 */
MW_API mw_status mw_get_ledger(mw_context *context, const mw_ledger_line **lines,
                               size_t *count);

/* One kernel that a sort launched, how long it ran, and what it asked of memory. */
typedef struct mw_launch {
    const char *kernel; /* such as "tile_merge" */
    uint32_t round;     /* the merge round it belongs to, from 1; 0: the first pass */
    uint32_t threads;   /* of a block */
    uint64_t blocks;
    double milliseconds;
    mw_traffic traffic; /* all zero except on the simulator */
} mw_launch;

/* What is to be timed. */
typedef enum mw_timing {
    MW_TIMING_OFF,      /* nothing */
    MW_TIMING_LAUNCHES, /* the launches that a sort makes */
    MW_TIMING_PHASES    /* the same, with cuts and merges in launches of their own */
} mw_timing;

/*
 * Time every launch of the handle's later sorts, or stop doing so, which is how a
 * handle begins. On CUDA a timed sort puts an event before its first launch and one
 * behind each, in the sort's own stream; it may create events, it cannot be captured
 * in a graph, and no launch begins before the one ahead has ended, as some do
 * otherwise. The simulator takes the time of the host's clock, and counts each launch's
 * traffic; the CPU launches nothing and has nothing to time.
 *
 * Engine tile finds cuts while it merges, in one launch. With MW_TIMING_PHASES it does
 * the one before the other, so that each has its time: together they take about as long.
 */
MW_API mw_status mw_set_timing(mw_context *context, mw_timing timing);

/*
 * The launches of the handle's last sort, in their order; waits until the last
 * of them is done. A launch's time runs from the end of the one before it, so
 * that together they are the sort's. `*count` is 0 if that sort was not timed,
 * failed, or launched nothing. The array belongs to the handle until its next
 * sort.
 */
MW_API mw_status mw_get_launches(mw_context *context, const mw_launch **launches,
                                 size_t *count);

/* What a handle was opened on. */
typedef struct mw_info {
    size_t size;               /* sizeof(mw_info), set by the caller */
    char device[32];           /* "cuda:0", "cpu:2", "sim" */
    char name[128];            /* the product's name */
    char driver[64];           /* driver version, "" where there is none */
    uint64_t memory_bytes;     /* of the device, 0 if unknown */
    uint32_t processors;       /* multiprocessors, or threads on the CPU */
    uint32_t architecture;     /* 90 for sm_90; 0 on the CPU */
    uint64_t shared_per_block; /* most shared memory a block may use */
    uint64_t shared_per_processor;
    int ahead_of_time; /* 1 if embedded kernel images serve this device */
} mw_info;

#define MW_INFO_INIT                                  \
    {                                                 \
        sizeof(mw_info), "", "", "", 0, 0, 0, 0, 0, 0 \
    }

MW_API mw_status mw_get_info(mw_context *context, mw_info *info);

#ifdef __cplusplus
}
#endif
#endif
