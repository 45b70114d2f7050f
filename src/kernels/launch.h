/*
 * launch.h - what host and kernels must agree on: the argument of each kernel, its
 * shared memory, and the sizes that both sides compute. Included by both.
 */
#ifndef MW_LAUNCH_H
#define MW_LAUNCH_H

#define WARP 32 /* lanes of a warp */

#ifdef __CUDACC__
#define FIELD_FUNCTION static __device__ __forceinline__
#else
#define FIELD_FUNCTION static inline
#endif
#include "field.inl"
#undef FIELD_FUNCTION

typedef unsigned long long wide; /* positions in the array: 64 bits everywhere */

/*
 * Engine pair: threads of a block, and keys that each of them merges, as in CUB's merge
 * sort. A test may define others before.
 */
#ifndef PAIR_THREADS
#define PAIR_THREADS 256
#endif
#ifndef PAIR_NARROW_ITEMS
#define PAIR_NARROW_ITEMS 17 /* keys of up to 4 bytes */
#endif
#ifndef PAIR_WIDE_ITEMS
#define PAIR_WIDE_ITEMS 8 /* keys of 8 bytes */
#endif

enum {
    CHECK_THREADS = 256,
    CHECK_ROWS = 4096, /* of a block of check_rows */
    CHECK_FIELDS = 17  /* those of an order, and the number of a segment */
};

enum {
    HEAP_NODE_KEYS = WARP, /* a key a lane; also the keys of a bulk access, B */
    HEAP_MOST_WAYS = WARP, /* one lane holds one list's cursor */
    HEAP_GRID = 1024,      /* WARP * WARP: the keys one warp sorts alone */
    HEAP_MOST_BASE = 16384 /* the largest base case: 16 warps */
};

/* The most threads a block of each kernel may have. */
enum {
    heap_base_threads = HEAP_MOST_BASE / WARP,
    heap_cut_threads = 128, /* 4 cuts per block */
    heap_merge_threads = 1024,
    tile_cut_threads = 128,
    pair_sort_threads = PAIR_THREADS,
    pair_cut_threads = 128, /* one cut per thread */
    pair_merge_threads = PAIR_THREADS,
    gather_rows_threads = 256,
    check_cuts_threads = 128,
    widen_positions_threads = 256,
    less_cut_threads = 128, /* 4 cuts per block */
    less_cut_block_threads = 128, /* a cut per block */
    less_check_threads = CHECK_THREADS,
    check_rows_threads = CHECK_THREADS,
    check_last_threads = CHECK_THREADS
};

/*
 * The geometry of engine tile is fixed when its kernels are compiled. The host has it in
 * this struct; kernels have the macros TILE_ROWS, TILE_ITEMS, TILE_SORT_BLOCKS,
 * TILE_MERGE_BLOCKS and perhaps TILE_PLACES or TILE_LARGE.
 */
struct tile_geometry {
    unsigned rows;         /* of a tile: threads of a block; 64, 128, 256 or 512 */
    unsigned items;        /* keys of a row: 8, 16 or 32 */
    unsigned sort_blocks;  /* blocks of tile_sort and of tile_merge per SM, which */
    unsigned merge_blocks; /*   limits their registers; 0: by TILE_BLOCKS */
    unsigned places;       /* 1: TILE_PLACES */
    unsigned large;        /* 1: TILE_LARGE, for 2^32 keys and more */
};

#ifdef TILE_ROWS
enum {
    tile_sort_threads = TILE_ROWS,
    tile_merge_threads = TILE_ROWS,
    lists_merge_threads = TILE_ROWS,
    lists_pair_threads = TILE_ROWS,
    tile_join_threads = TILE_ROWS,
    tile_ranks_threads = TILE_ROWS
};
#endif

/* Bytes of keys that tile_ranks serves. */
enum { TILE_RANKS_BYTES = 65536 };

/* How keys are coded (code.inl): floats are made monotone, then bits are flipped. */
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
 * A merge round. `in` holds sorted runs of `run` keys (the last may be short); each
 * `ways` neighbours form a group. The merged group is written in `pieces` pieces of
 * `piece` keys, a multiple of 32; the last may be short.
 * cuts[(group * (pieces + 1) + i) * ways + list] is the number of keys of that list
 * before piece i.
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
 * The pitch of a warp's grid in cells: 32 keys and one spare word, so that a column of
 * the grid lies in 32 different banks, as a row does anyway.
 */
#define HEAP_PITCH(key_bytes) (WARP + ((key_bytes) < 4 ? 4 / (int)(key_bytes) : 1))
#define HEAP_GRID_CELLS(key_bytes) (WARP * HEAP_PITCH(key_bytes))

/* Nodes of a minBlockHeap, which has a leaf for each list. */
#define HEAP_NODES(ways) (2 * (ways)-1)

enum {
    TILE_LEAST_ROWS = 64,
    TILE_MOST_ROWS = 512,
    TILE_MOST_WAYS = 32,     /* one lane for each list */
    TILE_SAMPLE = 32,        /* every 32nd key of a pass's output is also a sample */
    TILE_SLACK_PART = 72,    /* a cut may be off by 1/72 of a tile, ... */
    TILE_LEAST_SLACK = 60,   /* ... or by 60 keys, about the resolution of samples, ... */
    TILE_FEW_PARTS = 3,      /* ... or, of tiles for few keys, by 3/16; ... */
    LISTS_SLACK = 40,        /* ... of lists of the caller by 40 keys, ... */
    LISTS_PLACED_SLACK = 60, /* ... or by 60 rows */
    TILE_MOST_PLACES = 4096, /* rows of a tile with places */
    TILE_GAP_BYTES = 128     /* after each group of rows: one word of every bank */
};

/*
 * How far off a cut may be, in keys, for tiles of `keys` keys. With a little more, 16
 * lists of one tile each would need 18 tiles of 8192 or 4096 keys instead of 17. Rows of 8
 * keys are for few keys, which have more SMs than tiles: cuts that are found at the first
 * attempt are worth a few tiles more.
 */
#define TILE_SLACK(keys, items)                                                      \
    ((items) == 8 && (keys) >= 1024                     ? (keys)*TILE_FEW_PARTS / 16 \
     : (keys) / TILE_SLACK_PART > (int)TILE_LEAST_SLACK ? (keys) / TILE_SLACK_PART   \
                                                        : (int)TILE_LEAST_SLACK)

/*
 * The cell of an item in shared memory. `bytes`, here and below, is the size of a key, or
 * TILE_PLACED_BYTES in a program whose items have places (TILE_PLACES).
 */
#define TILE_CELL_BYTES(bytes) ((bytes) > 4 ? (bytes) : 4)
#define TILE_PLACED_BYTES 4

/* A row: `items` cells and one spare cell. */
#define TILE_ROW_BYTES(items, bytes) (((items) + 1) * TILE_CELL_BYTES(bytes))

/* Shared memory of sorting and of merging, in bytes: cells, splits, the tree of groups. */
#define TILE_SORT_SHARED(rows, items, bytes) ((rows) * (TILE_ROW_BYTES(items, bytes) + 4))
#define TILE_MERGE_SHARED(rows, items, bytes)                                     \
    (TILE_SORT_SHARED(rows, items, bytes) + TILE_MOST_WAYS / 2 * TILE_GAP_BYTES + \
     16 * TILE_MOST_WAYS + 8)

/*
 * With places items have 4 bytes, and 8 bytes of each row are staged besides: its code and
 * some of its values. Each chunk of a list has 20 bytes, and each of `rows` threads and
 * of 32 warps has a word.
 */
#define TILE_STAGE_BYTES 8
#define TILE_STAGE(rows, items) ((rows) * (items)*TILE_STAGE_BYTES)
#define TILE_CHUNKS(rows) (TILE_MOST_WAYS + (rows) / 16)
#define TILE_STAGED(rows, items) \
    (TILE_STAGE(rows, items) + 20 * TILE_CHUNKS(rows) + 4 * ((rows) + 32))
#define TILE_SORT_PLACED(rows, items) \
    (TILE_STAGED(rows, items) + TILE_SORT_SHARED(rows, items, TILE_PLACED_BYTES))
#define TILE_MERGE_PLACED(rows, items) \
    (TILE_STAGED(rows, items) + TILE_MERGE_SHARED(rows, items, TILE_PLACED_BYTES))

/* Cells of one cut: one per list, and at least enough for a bound (struct tile_round). */
#define TILE_CUT_CELLS(ways, key_bits, places) \
    ((places) && (key_bits) == 64 && (ways) < 4 ? 4 : (ways))

/*
 * Blocks of a tile kernel per SM if the geometry does not say: what 64 K registers allow
 * if no thread spills. A thread needs the words of a row and 32 more, at least 56.
 */
#define TILE_WORDS(items, bytes) ((items)*TILE_CELL_BYTES(bytes) / 4)
#define TILE_REGISTERS(items, bytes) \
    (TILE_WORDS(items, bytes) > 24 ? TILE_WORDS(items, bytes) + 32 : 56)
#define TILE_FITTING(rows, items, bytes) (65536 / ((rows)*TILE_REGISTERS(items, bytes)))
#define TILE_BLOCKS(rows, items, bytes) \
    (TILE_FITTING(rows, items, bytes) < 16 ? TILE_FITTING(rows, items, bytes) : 16)

/*
 * What the kernels of a program with places (TILE_PLACES) get besides: where codes come
 * from, and what travels with the keys. Rows are numbered from 0; `pitch` is the distance
 * in bytes from a row's value to the next row's.
 */
enum {
    TILE_MOST_PARTS = 8,  /* of one code: it has 8 bytes */
    TILE_MOST_PIECES = 26 /* of one row: 24 bytes, and positions twice */
};

/* A part of a code: the value of a field, or some bits of it. */
struct code_part {
    const void *at; /* the field in row 0 */
    wide pitch;
    int bytes;     /* of the field, 1 to 8, at any alignment */
    int is_string; /* its first byte is the most significant */
    int drop;      /* low bits of its code that are left out */
    int bits;      /* that it has in the code */
    struct field_code code;
};

/* The codes by which rows are sorted. */
struct tile_source {
    const void *keys; /* without parts: keys of the program's width, aligned */
    wide pitch;
    int part_count; /* the first part is the most significant */
    int is_whole; /* selection: keys, whose code is that of part[0], which is not counted */
    const unsigned *order; /* parts: row i is row order[i] of the arrays; NULL: row i */
    struct code_part part[TILE_MOST_PARTS];
};

/* A value of 1, 2, 4 or 8 bytes, aligned, that travels with each key. */
struct tile_piece {
    const void *in; /* NULL: the number of the row */
    void *out;
    unsigned in_pitch;
    unsigned out_pitch;
    unsigned bytes;
    unsigned out_bytes; /* `bytes`; or 8 for a value of 4, which is extended by zeros */
};

struct tile_carry {
    struct tile_source source;
    wide out_pitch;            /* of the keys in `out`, which is NULL if none are wanted */
    const unsigned *condition; /* nothing is to be done if this is 0; NULL: do it */
    int piece_count;
    int unused;
    struct tile_piece piece[TILE_MOST_PIECES];
};

#ifdef TILE_PLACES
#define TILE_CARRIES struct tile_carry carry;
#else
#define TILE_CARRIES
#endif

/* Sort each tile of `in` into `out`; the two may be the same. */
struct tile_sort_args {
    const void *in;
    void *out;
    void *samples; /* of `out`, see tile_round; NULL: none, if this is the only pass */
    wide *cuts;    /* `cells` cells of the later rounds, to be cleared */
    wide cells;
    wide count;
    struct key_code enter; /* from the caller's bits */
    struct key_code leave; /* back to them, if this is the only pass */
    TILE_CARRIES
};

/*
 * A merge round. `in` holds sorted runs of `run` keys (the last may be short); each
 * `ways` neighbours form a group, which is merged into `pieces` tiles.
 *
 * Row group * (pieces + 1) + i of `cuts` is the cut before tile i of a group, one cell
 * per list. From the low end a cell has:
 *   32 bits: keys of the list before the tile; over all lists about i * `piece`
 *   16 bits: the number of the round, which tells that the cut has been posted
 *   16 bits: with 8-byte keys, in the first two cells, the lower and the upper half of a
 *            bound: upper words of keys before the cut are at most the bound, those of
 *            keys after the cut at least. With places the bound is one of whole keys, in
 *            the first two cells or, of 8-byte keys, in four
 */
struct tile_round {
    const void *in;
    void *out;
    const void *samples; /* key 32 i of `in` at place i */
    void *out_samples;   /* those of `out`, in another array; NULL in the last round */
    wide *cuts;          /* not used by tile_join */
    wide count;
    wide run;
    wide piece;
    unsigned groups;
    unsigned pieces;
    unsigned number; /* of the round, from 1 to 65535 */
    int ways;
    int floats; /* codes of floats: 1 ascending, -1 descending; 0: of integers */
    int unused;
};

struct tile_cut_args {
    struct tile_round round;
    TILE_CARRIES
};

/* Of the blocks of tile_merge `cutters` find cuts, one per warp; the others merge. */
struct tile_merge_args {
    struct tile_round round;
    unsigned cutters; /* 0: the cuts have been found by tile_cut */
    unsigned ahead;   /* cutters at the beginning of the grid, ... */
    unsigned rate;    /* ... and further ones per later block, in units of 2^-32 */
    unsigned unused;
    struct key_code leave; /* back to the caller's bits, in the last round */
    const wide *condition; /* bare keys: nothing is to be done if this is 0; NULL: do it */
    TILE_CARRIES
};

#define PAIR_ITEMS(key_bytes) ((key_bytes) == 8 ? PAIR_WIDE_ITEMS : PAIR_NARROW_ITEMS)
#define PAIR_TILE(key_bytes) (PAIR_THREADS * PAIR_ITEMS(key_bytes))

/* Cells of a tile: with even items one pad for every 32 words, and one at the end. */
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
 * A merge round. `in` holds sorted runs of `span` tiles, a power of two (the last may be
 * short); pairs of neighbours are merged to `out`. cuts[i] is the number of keys of the
 * first run before tile i of the output.
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

/*
 * Row i of `out` is row positions[i] of `in`, or row i if there are no positions. Rows
 * have 1 to GATHER_MOST_BYTES bytes and any alignment. The arrays do not overlap.
 */
struct gather_rows_args {
    const void *in;
    void *out;
    const unsigned *positions; /* of rows of `in`, or GATHER_NONE; NULL: a copy */
    const wide *wanted;        /* a bit for each row of `out` to be written; NULL: all */
    wide count;
    unsigned bytes; /* of a row */
    unsigned some;  /* rows are left out, by GATHER_NONE or `wanted` */
};

/* A position that no row has: nothing is written. */
#define GATHER_NONE 0xffffffffu

/* Rows of a block: about GATHER_BLOCK_BYTES bytes. */
enum { GATHER_MOST_BYTES = 4096, GATHER_BLOCK_BYTES = 32768 };
#define GATHER_ROWS(bytes) (GATHER_BLOCK_BYTES / (int)(bytes))

/*
 * least[block] is the number of the first row of the block's rows that comes before the
 * row ahead of it, or `count`. Row i is row order[i] of the arrays; without `order`, row i.
 */
struct check_rows_args {
    const unsigned *order;
    const wide
        *codes; /* of the rows, in order; only equal ones are looked at. NULL: none */
    wide count;
    wide *least;
    int field_count;
    int unused;
    struct code_part field[CHECK_FIELDS]; /* strings of any length; without drop and bits */
};

/* The least of them; and is it a row's number? Both addresses may be NULL. */
struct check_last_args {
    const wide *least;
    wide blocks;
    wide count;
    wide *result;
    unsigned *wrong;
};

#include "launch_deal.h"
#include "launch_tally.h"

#include "launch_less.h"
#include "launch_lists.h"

#include "launch_select.h"

#include "launch_segments.h"

#endif
