/*
 * launch_deal.h - what host and kernels agree on for dealing keys (deal.cuh). Included by
 * launch.h.
 */
#ifndef MW_LAUNCH_DEAL_H
#define MW_LAUNCH_DEAL_H

enum {
    DEAL_BIN_BITS = 13,
    DEAL_BINS = 1 << DEAL_BIN_BITS,   /* into which a range of codes is cut */
    DEAL_MOST = 512,                  /* buckets, and tiles of a bucket */
    DEAL_WIDEST = 64,                 /* bins of a bucket */
    DEAL_BLOCKS = 2,                  /* that deal on an SM */
    DEAL_THREADS = 512,               /* of a block that deals: one for each bucket */
    DEAL_BYTES = 32768,               /* of the keys that a block deals at once */
    DEAL_SAMPLES = 16 * DEAL_THREADS, /* their number is a multiple of it: whole tiles */
    DEAL_SAMPLED = 8 * DEAL_THREADS,  /* samples that a block of deal_sample counts */
    DEAL_PASSES = 3, /* that read and write all keys: deal_out, deal_in, deal_sort */
    DEAL_STRETCH_BITS = 16,
    DEAL_LAUNCHES = 8,
    DEAL_LEVELS = 9,                        /* of the tree of frequent values, ... */
    DEAL_FREQUENT = (1 << DEAL_LEVELS) - 1, /* ... and the values that it holds */
    DEAL_FLAG = 1 << 15,                    /* in `bucket_of`: a value is in the bin */
    DEAL_AROUND = 1 << 15,                  /* in `tiles`: a value is in its range */
    DEAL_EQUAL = 1 << 14,                   /* in `tiles`: all its keys are equal */
    DEAL_EXACT = 7 /* if bins have at most 2^this codes, bins of buckets have one */
};

/* The program of a tile of DEAL_BYTES bytes has the kernels that deal. */
#define DEAL_TILE(rows, items, bits) \
    ((bits) >= 32 && (rows) * (items) * ((bits) / 8) == DEAL_BYTES)

/* No bucket has more than DEAL_WIDEST bins, so there may be more than shares. */
#define DEAL_BUCKETS(shares) ((shares) + DEAL_BINS / DEAL_WIDEST)

/* Shared memory of kernels: sort samples, sum up bins, count samples, pack, deal. */
#define DEAL_RANGE_SHARED(rows, items, bytes) (TILE_SORT_SHARED(rows, items, bytes) + 128)
#define DEAL_SUMS_SHARED (4 * (DEAL_BINS + DEAL_BINS / WARP + DEAL_THREADS / WARP + 2))
#define DEAL_SAMPLE_SHARED (DEAL_SUMS_SHARED + DEAL_TREE_SHARED)
#define DEAL_PACK_SHARED (DEAL_SUMS_SHARED + 8 * (DEAL_MOST + 2))
#define DEAL_SHARED (DEAL_BYTES + 2 * DEAL_BINS + 12 * DEAL_MOST + DEAL_TREE_SHARED + 384)
/* The frequent values as keys of up to 8 bytes, and a counter of each. */
#define DEAL_TREE_SHARED (12 * (DEAL_FREQUENT + 1))

#ifdef TILE_ROWS
enum {
    deal_range_threads = TILE_ROWS,
    deal_sort_threads = TILE_ROWS,
    deal_merge_threads = TILE_ROWS,
    deal_range_blocks = 1
};
#endif
enum {
    deal_sample_threads = DEAL_THREADS,
    deal_split_threads = DEAL_THREADS,
    deal_out_threads = DEAL_THREADS,
    deal_count_threads = DEAL_THREADS,
    deal_pack_threads = DEAL_THREADS,
    deal_in_threads = DEAL_THREADS,
    deal_sample_blocks = 2,
    deal_split_blocks = 1,
    deal_out_blocks = DEAL_BLOCKS,
    deal_count_blocks = 3,
    deal_pack_blocks = 1,
    deal_in_blocks = DEAL_BLOCKS
};

/* The kernels that may find that keys cannot be dealt, in order. */
enum deal_stage {
    DEAL_SPLITTING, /* deal_sample, deal_split */
    DEAL_DEALING,   /* deal_out */
    DEAL_PACKING,   /* deal_pack */
    DEAL_STAGES
};

/* Words of `head`. */
enum {
    DEAL_STOPPED,                             /* of each stage: not 0 if it found that */
    DEAL_FAILED = DEAL_STOPPED + DEAL_STAGES, /* not 0 if any did: the keys are merged */
    DEAL_BASE,   /* the code at which the first bin begins, ... */
    DEAL_SHIFT,  /* ... log2 of the codes of a bin, ... */
    DEAL_BELOW,  /* ... and, of floats, the greatest code of a negative sample, ... */
    DEAL_GAP,    /* ... and how many codes follow it that no sample has */
    DEAL_LISTED, /* tiles in the list */
    DEAL_LIKELY, /* values that may be frequent, ... */
    DEAL_FOUND,  /* ... and those that are */
    DEAL_FILLS,  /* tiles of places that all blocks fill with them */
    DEAL_HEAD
};

/* What a block of deal_range tells of its samples. */
enum {
    REACH_LEAST, /* code */
    REACH_MOST,
    REACH_BELOW, /* the greatest code of a negative float; 0: none */
    REACH_ABOVE, /* the least code of another number; all ones: none */
    REACH_EQUAL, /* equal neighbours, sorted */
    DEAL_REACH
};

/* What is known of frequent values, in order: rows of DEAL_FREQUENT words. */
enum {
    FREQUENT_CODE,
    FREQUENT_SAMPLES, /* with this code */
    FREQUENT_KEYS,    /* with this code */
    FREQUENT_TILE,    /* where the tile begins in whose range the value is, ... */
    FREQUENT_FIRST,   /* ... where the value begins if all its keys are greater, ... */
    FREQUENT_PAST,    /* ... and if all are less */
    FREQUENT_FILL,    /* of the DEAL_FILLS tiles, those that lower values fill */
    DEAL_ROWS
};

/* The argument of every kernel that deals. Arrays of buckets have DEAL_MOST + 1 cells. */
struct deal_args {
    void *keys;      /* the caller's */
    void *room;      /* the other array, which first has the samples, ... */
    wide room_count; /* ... and the keys that it holds */
    wide count;
    wide *head;
    wide *reach;               /* DEAL_REACH words for each block of deal_range */
    unsigned *bins;            /* samples of each bin */
    unsigned short *bucket_of; /* the bucket of each bin */
    wide *first;               /* of each bucket: its first bin, ... */
    wide *start;               /* ... where in `room` it begins, ... */
    wide *next;                /* ... and where its next key goes */
    unsigned *fine;            /* DEAL_BINS for each bucket: keys of each of its bins */
    unsigned short *tile_of;   /* DEAL_BINS for each bucket: the tile of each of them */
    wide *tile_next; /* DEAL_MOST for each bucket: where in `keys` a tile's next goes */
    wide *tiles;    /* the list: where a tile begins, times 2^16, plus its keys and flags */
    wide *frequent; /* DEAL_ROWS rows */
    wide stretch;   /* keys for each sample, times 2^DEAL_STRETCH_BITS */
    unsigned samples;    /* a multiple of DEAL_SAMPLES */
    unsigned shares;     /* into which samples are divided */
    unsigned buckets;    /* DEAL_BUCKETS(shares) */
    unsigned pieces;     /* blocks for each bucket */
    unsigned fill;       /* keys that a tile will have, about */
    unsigned most_equal; /* equal neighbours in all sorted tiles of samples, without ... */
    unsigned alike;      /* ... values that have this many samples of a tile, or more */
    unsigned unused;
    wide most_tiles;              /* of the list */
    struct key_code leave;        /* to the caller's bits */
    struct tile_sort_args merged; /* for deal_sort, if the keys are merged instead */
};

#endif
