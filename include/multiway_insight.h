/*
 * multiway_insight.h - how a sort is carried out, and what it cost: tuning, plan, counts,
 * ledger (counts by source line), launches, timing.
 */
#ifndef MULTIWAY_INSIGHT_H
#define MULTIWAY_INSIGHT_H

#include "multiway.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The methods by which a GPU or the simulator sorts. Values are pinned. */
typedef enum mw_engine {
    MW_ENGINE_AUTO = 0,  /* heap if warps, threads or base is set, or for more keys than */
                         /*   tile takes. Otherwise tile or, for many bare keys if ways */
                         /*   and items are 0, tally (1, 2 bytes) or deal (4, 8) */
    MW_ENGINE_HEAP = 1,  /* the paper's: shearsort, exact cuts, minBlockHeap */
    MW_ENGINE_TILE = 2,  /* merges tiles in shared memory: faster; up to 2^34 keys of 4 */
                         /*   and 8 bytes, fewer than 2^32 of others */
    MW_ENGINE_PAIR = 3,  /* two ways, by merge path, as CUB and Thrust do: to compare */
    MW_ENGINE_TALLY = 4, /* counts bare keys of 1 and 2 bytes and writes them again */
    MW_ENGINE_DEAL = 5   /* distributes bare keys of 4 and 8 bytes to tiles by range, and */
                         /*   sorts these; keys that are too uneven are sorted as by tile */
} mw_engine;

/*
 * How to sort. Every field may stay 0, which means: the library's choice for
 * this device, type and count.
 *
 * Kernels of engine tile are compiled for threads and items. The library contains
 * those of its own choices; a GPU gets others compiled by NVRTC at their first use,
 * and the simulator answers MW_UNSUPPORTED. To choose threads or base for engine
 * tile, name the engine: MW_ENGINE_AUTO takes them for engine heap's.
 *
 * Engine pair has nothing to tune: it merges 2 ways with 256 threads of 17 keys each (8
 * keys of 8 bytes). Nor has engine tally: its blocks have 1024 threads and it merges
 * nothing.
 */
typedef struct mw_tuning {
    size_t size; /* sizeof(mw_tuning), set by MW_TUNING_INIT */
    mw_engine engine;
    uint32_t ways;    /* lists merged at once: 2, 4, 8, 16 or 32; tile: at most */
    uint32_t warps;   /* heap: merge tasks in flight, any number; ignored by tile */
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
 * Use this tuning for the handle's later jobs; NULL restores the defaults.
 * MW_BAD_ARGUMENT if a field is out of its range: nothing changes. The CPU accepts
 * any valid tuning and ignores it.
 */
MW_API mw_status mw_set_tuning(mw_context *context, const mw_tuning *tuning);

enum { MW_PLAN_MOST_ROUNDS = 64 };

/* One merge round of a plan. Of MW_MERGE, `run` and `pieces` are means. */
typedef struct mw_plan_round {
    uint64_t run;    /* keys in each sorted run that comes in */
    uint64_t groups; /* groups of `ways` neighbouring runs, merged to one run each */
    uint64_t pieces; /* pieces of each group's output: merge tasks (heap), tiles */
    uint64_t piece;  /* keys in a piece; heap: a multiple of 32, tile: about that many */
    uint64_t blocks; /* thread blocks that merge */
    uint32_t ways;   /* runs merged at once */
    uint32_t joined; /* tile: 1: each block finds the cuts of its tile; 2: no cuts, ranks */
} mw_plan_round;

/*
 * How the handle would run a job now. mw_get_plan runs nothing. Of sorts and checks without
 * segments it loads nothing either; the kernels of other jobs it loads as mw_prepare does.
 */
typedef struct mw_plan {
    size_t size;              /* sizeof(mw_plan), set by MW_PLAN_INIT */
    uint64_t count;           /* keys */
    uint64_t workspace_bytes; /* of this count alone; mw_prepare covers smaller ones too */
    uint64_t first_blocks;    /* of the first pass, which sorts runs of tuning.base keys */
    uint32_t first_threads;   /* per block */
    uint32_t first_shared;    /* bytes of shared memory per block */
    uint32_t merge_shared;    /* the same of a merge, whose threads are tuning.threads */
    uint32_t launches;        /* MW_TIMING_PHASES adds those of cuts */
    uint32_t rounds;
    uint32_t reserved;
    mw_tuning tuning; /* every field filled in; on the CPU the one that was set */
    mw_plan_round round[MW_PLAN_MOST_ROUNDS];
} mw_plan;

#define MW_PLAN_INIT                                                \
    {                                                               \
        sizeof(mw_plan), 0, 0, 0, 0, 0, 0, 0, 0, 0, MW_TUNING_INIT, \
        {                                                           \
            {                                                       \
                0, 0, 0, 0, 0, 0, 0                                 \
            }                                                       \
        }                                                           \
    }

MW_API mw_status mw_get_plan(mw_context *context, const mw_job *job, mw_plan *plan);

/*
 * Memory traffic of a kernel, a source line, a launch or a whole sort (simulator
 * only). A launch counts a distinct sector once for all its loads, unless it stored
 * to the sector before, and once for all its stores: the least that DRAM has to move,
 * whatever caches do.
 */
typedef struct mw_traffic {
    uint64_t shared_requests;   /* warp-wide accesses to shared memory */
    uint64_t shared_wavefronts; /* wavefronts they took */
    uint64_t shared_ideal;      /* wavefronts without bank conflicts */
    uint64_t global_requests;   /* warp-wide accesses to global memory */
    uint64_t global_sectors;    /* 32-byte sectors they touched */
    uint64_t global_distinct;   /* distinct ones; those of launches are added up */
    uint64_t global_ideal;      /* sectors the same bytes would fill if packed */
    uint64_t shuffles;          /* warp-wide register exchanges, ballots included */
    uint64_t barriers;          /* block-wide barriers, counted once a warp */
    uint64_t shared_worst;      /* of one request: an n-way conflict; 1: none had any */
} mw_traffic;

/* Figures of the handle's last sort; all 0 before the first, and after a failed one. */
typedef struct mw_counts {
    size_t size;            /* sizeof(mw_counts), set by MW_COUNTS_INIT */
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

/* What an access in a kernel is for. A kernel names the kind beside the access. */
typedef enum mw_access {
    MW_ACCESS_PLAIN = 0,   /* none of the others */
    MW_ACCESS_BULK = 1,    /* keys between global memory and a block, coalesced */
    MW_ACCESS_SEARCH = 2,  /* a probe of a thread's merge path search in shared memory */
    MW_ACCESS_GATHER = 3,  /* keys to be merged, from shared memory to registers */
    MW_ACCESS_SCATTER = 4, /* merged keys, from registers to shared memory */
    MW_ACCESS_SERIAL = 5,  /* engine pair: a read of a thread's serial merge */
    MW_ACCESS_SAMPLE = 6,  /* samples of keys or rows */
    MW_ACCESS_CUT = 7,     /* cuts of lists */
    MW_ACCESS_PROBE = 8,   /* a key or sample that is read to find a cut; not SEARCH, */
                           /*   since its cost is counted per cut */
    MW_ACCESS_VALUE = 9,   /* values that travel with the keys, in shared memory */
    MW_ACCESS_COUNTER = 10 /* engine tally: additions to counters in shared memory */
} mw_access;

enum { MW_ACCESS_COUNT = 11 };

/* The short name of a kind of access, such as "bulk"; NULL if there is none. */
MW_API const char *mw_access_name(mw_access access);

/* One kind of access in one source line of a kernel, and its traffic in the last sort. */
typedef struct mw_ledger_line {
    const char *kernel; /* such as "heap_merge" */
    const char *file;   /* such as "heap_merge.cu" */
    int line;
    const char *text; /* the line itself, without its indentation: to be printed */
    mw_access access;
    int stores;        /* 1: the line stores, 0: it loads or touches no memory */
    uint64_t launches; /* of the kernel */
    mw_traffic traffic;
} mw_ledger_line;

/*
 * The ledger of the last sort, sorted by kernel, file, line, kind of access and loads
 * before stores; `*count` is 0 on devices that keep none. The array belongs to the
 * handle until its next sort.
 */
MW_API mw_status mw_get_ledger(mw_context *context, const mw_ledger_line **lines,
                               size_t *count);

/* One kernel launch of a sort: its time and its memory traffic. */
typedef struct mw_launch {
    const char *kernel; /* such as "tile_merge" */
    uint32_t round;     /* the merge round it belongs to, from 1; 0: the first pass */
    uint32_t threads;   /* per block */
    uint64_t blocks;
    double milliseconds;
    mw_traffic traffic; /* all zero except on the simulator */
} mw_launch;

/* What to time. */
typedef enum mw_timing {
    MW_TIMING_OFF,      /* nothing */
    MW_TIMING_LAUNCHES, /* every launch of a sort */
    MW_TIMING_PHASES    /* the same, with cuts and merges in separate launches */
} mw_timing;

/*
 * Time every launch of the handle's later sorts, or stop doing so. A handle starts
 * with MW_TIMING_OFF. On CUDA a timed sort records an event before its first launch
 * and one after each launch, on the sort's stream. It may create events, cannot be
 * captured in a graph, and no launch begins before the previous one has ended. The
 * simulator uses the host's clock and counts each launch's traffic. The CPU launches
 * nothing.
 *
 * Engine tile finds cuts while it merges, in one launch. With MW_TIMING_PHASES the
 * cuts get a launch of their own; the sum stays about the same.
 */
MW_API mw_status mw_set_timing(mw_context *context, mw_timing timing);

/*
 * The launches of the handle's last sort, in order; waits until the last of them is
 * done. A launch's time runs from the end of the previous one, so the sum is the
 * sort's time. `*count` is 0 if that sort was not timed, failed, or launched nothing.
 * The array belongs to the handle until its next sort.
 */
MW_API mw_status mw_get_launches(mw_context *context, const mw_launch **launches,
                                 size_t *count);

#ifdef __cplusplus
}
#endif
#endif
