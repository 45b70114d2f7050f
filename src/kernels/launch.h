/*
 * launch.h - what host and kernels must agree on: the argument of each kernel,
 * its shared memory, and the shapes both sides compute with. Included by both.
 */
#ifndef MW_LAUNCH_H
#define MW_LAUNCH_H

#define WARP 32 /* lanes of a warp */

typedef unsigned long long wide; /* positions in the array: 64 bits everywhere */

/*
 * Engine pair: threads of a block, and keys each of them merges; what CUB's merge
 * sort has. Others can be had by defining them before.
 */
#ifndef PAIR_THREADS
#define PAIR_THREADS 256
#endif
#ifndef PAIR_NARROW_ITEMS
#define PAIR_NARROW_ITEMS 17 /* of up to 4 bytes */
#endif
#ifndef PAIR_WIDE_ITEMS
#define PAIR_WIDE_ITEMS 8 /* of 8 bytes */
#endif

enum {
    HEAP_NODE_KEYS = WARP, /* a key a lane; also the keys of a bulk access, B */
    HEAP_MOST_WAYS = WARP, /* one lane holds one list's cursor */
    HEAP_GRID = 1024,      /* WARP * WARP: the keys one warp sorts alone */
    HEAP_MOST_BASE = 16384 /* the largest base case: 16 warps */
};

/* The most threads a block of each kernel may have. */
enum {
    heap_base_threads = HEAP_MOST_BASE / WARP,
    heap_cut_threads = 128, /* 4 cuts a block */
    heap_merge_threads = 1024,
    tile_cut_threads = 128,
    pair_sort_threads = PAIR_THREADS,
    pair_cut_threads = 128, /* one cut each */
    pair_merge_threads = PAIR_THREADS
};

/*
 * The geometry of engine tile is chosen when its kernels are compiled. In them it
 * is TILE_ROWS, TILE_ITEMS, TILE_SORT_BLOCKS and TILE_MERGE_BLOCKS, defined in
 * front of program.cu; the host has it in this struct.
 */
struct tile_geometry {
    unsigned rows;         /* of a tile: threads of a block; 64, 128, 256 or 512 */
    unsigned items;        /* keys of a row: 8, 16 or 32 */
    unsigned sort_blocks;  /* that are to share a multiprocessor, and so limit the */
    unsigned merge_blocks; /*   registers of tile_sort and tile_merge; 0: by TILE_BLOCKS */
};

#ifdef TILE_ROWS
enum {
    tile_sort_threads = TILE_ROWS,
    tile_merge_threads = TILE_ROWS,
    tile_join_threads = TILE_ROWS
};
#endif

/* A key's code, as src/base knows it: rank floats, then flip (code.inl). */
struct key_code {
    wide flip;
    int is_float;
    int unused; /* keeps the size the same for every compiler */
};

/* Sort each `base` keys of `in` into `out`; the two may be the same. */
struct heap_base_args {
    const void *in;
    void *out;
    wide count;
    wide base;             /* HEAP_GRID << n; THREADS = base / 32 */
    struct key_code enter; /* from the caller's bits */
    struct key_code leave; /* back to them, if this is the only pass */
};

/*
 * A merge round. `in` holds sorted runs of `run` keys (the last may be short);
 * each `ways` neighbours form a group. The merged group is written in
 * `pieces` pieces of `piece` keys, a multiple of 32; the last may be short.
 * cuts[(group * (pieces + 1) + i) * ways + list] says how many keys of that
 * list come before piece i.
 */
struct heap_round {
    const void *in;
    void *out;
    wide *cuts;
    wide count;
    wide run;
    wide piece;
    wide groups;
    wide pieces;
    int ways;
    int unused;
};

struct heap_cut_args {
    struct heap_round round;
};

struct heap_merge_args {
    struct heap_round round;
    struct key_code leave; /* back to the caller's bits, in the last round */
};

/*
 * Cells between two rows of a warp's grid: 32 keys and one spare word, so that
 * a column of the grid lies in 32 different banks, as a row does anyway.
 */
#define HEAP_PITCH(key_bytes) (WARP + ((key_bytes) < 4 ? 4 / (int)(key_bytes) : 1))
#define HEAP_GRID_CELLS(key_bytes) (WARP * HEAP_PITCH(key_bytes))

/* Nodes of a minBlockHeap: its leaves are the lists. */
#define HEAP_NODES(ways) (2 * (ways)-1)

enum {
    TILE_LEAST_ROWS = 64,
    TILE_MOST_ROWS = 512,
    TILE_MOST_WAYS = 32,   /* one lane looks after one list */
    TILE_SAMPLE = 32,      /* every 32nd key of a pass's output is also a sample */
    TILE_SLACK_PART = 72,  /* a cut may be off by this part of a tile, ... */
    TILE_LEAST_SLACK = 60, /* ... or by so many keys: samples hardly tell more */
    TILE_GAP_BYTES = 128   /* behind each group of rows: all banks once */
};

/*
 * How far off a cut may be, in keys, for tiles of `keys` keys. A little more, and 16
 * lists of one tile each would not fit into 17 tiles of 8192 or 4096 keys, but take 18.
 */
#define TILE_SLACK(keys)                                                         \
    ((keys) / TILE_SLACK_PART > (int)TILE_LEAST_SLACK ? (keys) / TILE_SLACK_PART \
                                                      : TILE_LEAST_SLACK)

/*
 * The cell of an item in shared memory. `bytes`, here and below, is a key's size, or
 * TILE_PLACED_BYTES of it in a program whose items carry their places (TILE_PLACES).
 */
#define TILE_CELL_BYTES(bytes) ((bytes) > 4 ? (bytes) : 4)
#define TILE_PLACED_BYTES(key_bytes) ((key_bytes) == 8 ? 16 : 8)

/* A row of `items` cells and a spare one. */
#define TILE_ROW_BYTES(items, bytes) (((items) + 1) * TILE_CELL_BYTES(bytes))

/* Shared memory of sorting and of merging, in bytes: cells, splits, the tree of groups. */
#define TILE_SORT_SHARED(rows, items, bytes) ((rows) * (TILE_ROW_BYTES(items, bytes) + 4))
#define TILE_MERGE_SHARED(rows, items, bytes)                                     \
    (TILE_SORT_SHARED(rows, items, bytes) + TILE_MOST_WAYS / 2 * TILE_GAP_BYTES + \
     16 * TILE_MOST_WAYS + ((bytes) > 8 ? 16 : 8))

/*
 * Blocks of a tile kernel that are to share a multiprocessor if the geometry does
 * not say: as many as 64 K registers allow, when each thread has enough not to
 * spill: a row's words and 32 more, 56 at the least.
 */
#define TILE_WORDS(items, bytes) ((items)*TILE_CELL_BYTES(bytes) / 4)
#define TILE_REGISTERS(items, bytes) \
    (TILE_WORDS(items, bytes) > 24 ? TILE_WORDS(items, bytes) + 32 : 56)
#define TILE_FITTING(rows, items, bytes) (65536 / ((rows)*TILE_REGISTERS(items, bytes)))
#define TILE_BLOCKS(rows, items, bytes) \
    (TILE_FITTING(rows, items, bytes) < 16 ? TILE_FITTING(rows, items, bytes) : 16)

/* Sort each tile of `in` into `out`; the two may be the same. */
struct tile_sort_args {
    const void *in;
    void *out;
    void *samples; /* of `out`, see below; NULL: none, if this is the only pass */
    wide *cuts;    /* of the rounds to come: `cells` of them, to be cleared */
    wide cells;
    wide count;
    struct key_code enter;  /* from the caller's bits */
    struct key_code leave;  /* back to them, if this is the only pass */
    unsigned short *places; /* TILE_PLACES: where each key of `out` was in its tile */
};

/*
 * A merge round. `in` holds sorted runs of `run` keys (the last may be short);
 * each `ways` neighbours form a group, whose merged keys are written in
 * `pieces` tiles.
 *
 * Row group * (pieces + 1) + i of `cuts` is the cut before tile i of a group, a cell for
 * each list. Its lower half says how many of the list's keys come before the tile, all
 * together about i * `piece`; then come 16 bits with the number of the round, which tell
 * whether the cut was posted yet. Of 8-byte keys the last 16 bits of the first two cells
 * are the lower and the upper half of a bound: no upper half of a key before the cut is
 * greater, and none of one behind it is less.
 */
struct tile_round {
    const void *in;
    void *out;
    const void *samples; /* key 32 i of `in` at place i */
    void *out_samples;   /* the same of `out`, in another array; NULL: none, in the last */
                         /*   round */
    wide *cuts;          /* tile_join: none */
    wide count;
    wide run;
    wide piece;
    unsigned groups;
    unsigned pieces;
    unsigned number; /* of the round, from 1 to 65535 */
    int ways;
    int floats; /* what keys stand for, 1: ascending floats, -1: descending ones, 0: none */
    int unused;
};

struct tile_cut_args {
    struct tile_round round;
};

/* Of the blocks of tile_merge `cutters` find cuts, each warp one, and the others merge. */
struct tile_merge_args {
    struct tile_round round;
    unsigned cutters; /* 0: the cuts are there */
    unsigned ahead;   /* cutters that come before all others, ... */
    unsigned rate;    /* ... and how many more there are for a block, in parts of 2^32 */
    unsigned unused;
    struct key_code leave;  /* back to the caller's bits, in the last round */
    unsigned short *places; /* TILE_PLACES: where each key of `out` was among those of */
                            /*   its tile, list after list */
};

#define PAIR_ITEMS(key_bytes) ((key_bytes) == 8 ? PAIR_WIDE_ITEMS : PAIR_NARROW_ITEMS)
#define PAIR_TILE(key_bytes) (PAIR_THREADS * PAIR_ITEMS(key_bytes))

/* Cells of a tile: one pad a turn of the banks if items are even, one at the end. */
#define PAIR_PAD_EVERY(key_bytes) (128 / (int)(key_bytes))
#define PAIR_PADS(key_bytes) \
    (PAIR_ITEMS(key_bytes) % 2 ? 0 : PAIR_TILE(key_bytes) / PAIR_PAD_EVERY(key_bytes))
#define PAIR_CELLS(key_bytes) (PAIR_TILE(key_bytes) + PAIR_PADS(key_bytes) + 1)
#define PAIR_SHARED(key_bytes) (PAIR_CELLS(key_bytes) * (int)(key_bytes))

/* Sort each tile of `in` into `out`; the two may be the same. */
struct pair_sort_args {
    const void *in;
    void *out;
    wide count;
    struct key_code enter; /* from the caller's bits */
    struct key_code leave; /* back to them, if this is the only pass */
};

/*
 * A merge round. `in` holds sorted runs of `span` tiles, a power of two (the last
 * may be short); each two neighbours are merged to `out`. cuts[i] says how many
 * keys of the first run come before tile i of the output.
 */
struct pair_round {
    const void *in;
    void *out;
    wide *cuts;
    wide count;
    wide span;
    wide tiles;
};

struct pair_cut_args {
    struct pair_round round;
};

struct pair_merge_args {
    struct pair_round round;
    struct key_code leave; /* back to the caller's bits, in the last round */
};

#endif
