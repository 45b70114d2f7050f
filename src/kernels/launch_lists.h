/*
 * launch_lists.h - a part of launch.h: lists that lie anywhere.
 *
 * A table in device memory tells where lists are. `firsts` has a word for each list, and
 * one more at the end: how many rows of all lists come before it. `at` has a word for each
 * list and array: the address of the array's first row.
 */
#ifndef MW_LAUNCH_LISTS_H
#define MW_LAUNCH_LISTS_H

enum {
    LISTS_WORDS = 480, /* of a table that one launch writes: they are its argument */
    LISTS_COPY_WARPS = 8,
    write_words_threads = 256,
    copy_lists_threads = LISTS_COPY_WARPS * WARP,
    split_keys_threads = 128, /* 4 ranks at once */
    split_rows_threads = 128,
    split_by_less_threads = 128
};

/* Write the words to `to`, and zeros to another array. */
struct write_words_args {
    wide *to;
    wide *zeros;
    wide zero_count;
    unsigned count; /* at most LISTS_WORDS */
    unsigned unused;
    wide word[LISTS_WORDS];
};

/*
 * Copy `bytes` bytes of each row of one array of all lists to `out`, list after list.
 * Pitches are the distances from a row to the next. If they are not `bytes`, there are at
 * most 8 bytes.
 */
struct copy_lists_args {
    const wide *firsts;
    const wide *at;
    void *out;
    const wide *condition; /* rows are copied only if this is `number`; NULL: always */
    wide number;           /* 0: only if the condition is not 0 */
    wide count;            /* rows of all lists */
    unsigned list_count;
    unsigned bytes; /* 1 to GATHER_MOST_BYTES */
    unsigned in_pitch;
    unsigned out_pitch;
    unsigned out_bytes; /* `bytes`; or 8 for values of 4, which are extended by zeros */
    unsigned unused;
};

/* In a table instead of an address: the number of the list's first row is meant. */
#define LISTS_NUMBERS ((wide)1 << 63)

/* Rows that a warp of copy_lists copies at once. */
#define LISTS_COPY_ROWS(bytes) (GATHER_ROWS(bytes) / LISTS_COPY_WARPS)

/* Cuts that a warp finds at once. Rounds of more than one have the kernel lists_pair. */
#define LISTS_CUTS(ways, groups, places) \
    (!(places) && (ways) == 2 && (groups) == 1 ? WARP : 1)

/*
 * Where the lists of a merge round are. Groups of neighbouring lists are merged; other
 * lists stay where they are. Array 0 has the keys; with places arrays of all pieces follow,
 * of which one may be numbers of rows (LISTS_NUMBERS), and then of all parts of codes.
 */
struct tile_lists {
    const wide *firsts;
    const wide *at;     /* of array a, list i: at[a * list_count + i] */
    const wide *groups; /* of each its first list, and in the upper half how many lists; */
                        /*   then how many tiles come before it */
    wide *flag;         /* becomes the round's number if a list is not sorted */
    unsigned list_count;
    unsigned merged;       /* lists of all groups, which are the first ones */
    struct key_code enter; /* from the caller's bits, which the result has too */
};

/*
 * A merge round of lists: as tile_merge, with cuts found by the same launch. Of its round
 * `in`, the samples, `run` and `count` are not used; `piece` is the most keys of a tile,
 * and `pieces` the tiles of all groups.
 */
struct lists_merge_args {
    struct tile_merge_args merge;
    struct tile_lists lists;
};

/*
 * For each of `rank_count` ranks the cuts of all lists: list_count words. A warp cuts by
 * one rank after another; `warps` of them have room in `scratch` for SPLIT_SCRATCH words
 * of each list.
 */
struct split_lists {
    const wide *firsts;
    const wide *at; /* of array a, list i: at[a * list_count + i] */
    const wide *ranks;
    wide *cuts;
    wide *scratch;
    wide rank_count;
    wide warps;
    unsigned list_count;
    unsigned unused;
};

enum { SPLIT_SCRATCH = 3 };

/* By fields. Each field is an array of its own; `field[i].at` is not used. */
struct split_rows_args {
    struct split_lists lists;
    int field_count;
    int unused;
    struct code_part field[CHECK_FIELDS]; /* strings of any length; without drop and bits */
};

/*
 * By a code of up to 8 bytes, made of fields that are arrays of their own: field i has
 * part[i].bits bits of it. The greatest code is `most`.
 */
struct split_keys_args {
    struct split_lists lists;
    wide most;
    int part_count;
    int unused;
    struct code_part part[TILE_MOST_PARTS];
};

/* By a comparison of the elements, which are the only array. */
struct split_by_less_args {
    struct split_lists lists;
    struct less_order order;
};

#endif
