/*
 * launch_segments.h - a part of launch.h: sorting segments.
 *
 * Two arrays of bits, with one bit for each row, mark where segments begin and end. A row
 * with a begin mark begins a segment, and ends one that is open. A row with an end mark
 * only ends one. So whatever the caller's numbers are, marks describe segments that lie in
 * the array and do not overlap.
 */
#ifndef MW_LAUNCH_SEGMENTS_H
#define MW_LAUNCH_SEGMENTS_H

enum {
    segment_mark_threads = 256,
    SEGMENT_MARKED = 4, /* segments of a thread of segment_mark */
    segment_scan_threads = 1024,
    segment_cut_threads = 128, /* a cut for each warp */
    segment_positions_threads = 256,
    segment_copy_threads = 256,
    SEGMENT_COPIED = 8, /* keys of a thread of segment_copy */
    SEGMENT_FILL_THREADS = 256,
    SEGMENT_WORD = 64,     /* marks of a word */
    SEGMENT_WINDOW = 4096, /* rows of a block of SEGMENT_FILL */
    SEGMENT_WORDS = SEGMENT_WINDOW / SEGMENT_WORD,
    SEGMENT_CARRIED = 8, /* windows of a lane that SEGMENT_CARRY has at once */
    SEGMENT_SCAN_SHARED = 2 * 8 * segment_scan_threads / WARP
};

/* The marks of `count` rows. */
struct segment_marks {
    wide *begins;
    wide *ends;
    wide count;
};

/* The caller's segments. */
struct segment_numbers {
    const void *begins;
    const void *ends;
    wide count;
    int bytes; /* of a number, 4 or 8 */
    int is_signed;
};

/* A launch without numbers clears all marks; the next one sets those of segments. */
struct segment_mark_args {
    struct segment_marks marks;
    struct segment_numbers numbers;
};

/*
 * Copy the keys of the one segment from `in` to the beginning of `out`, and fill the rest
 * of `count` keys; or copy them from the beginning of `in` back to their places.
 */
struct segment_copy_args {
    struct segment_numbers numbers;
    const void *in;
    void *out;
    wide count;
    wide filler;
    int bytes; /* of a key: 1, 2 or 4 */
    int back;
};

/*
 * Rows are seen in windows of `window` rows, a multiple of SEGMENT_WORD.
 *
 * SEGMENT_LOOK   each warp looks at a window. first[w] is the row of its first mark, or
 *                ~0. last[w + 1] is 0 without a mark, else 2 (row + 1) of its last one,
 *                and one more if that begins a segment. last[0] and first[windows] are
 *                those of a mark before and after all rows. *crossed, if there is such a
 *                word, is cleared
 * SEGMENT_CARRY  one block: last[w] becomes that of the latest mark before window w, and
 *                first[w] that of the earliest from it on, so they tell which segment is
 *                open where the window begins
 * SEGMENT_FILL   each block fills a window: home[row] is the first row of the row's
 *                segment, or the row itself if it is in none. covered has a bit for each
 *                row that is in a segment
 */
enum segment_step { SEGMENT_LOOK, SEGMENT_CARRY, SEGMENT_FILL };

struct segment_scan_args {
    struct segment_marks marks;
    wide *first;
    wide *last;
    wide *crossed; /* struct segment_windows; or NULL */
    wide windows;
    unsigned *home;
    wide *covered;
    unsigned window;
    int step; /* enum segment_step */
};

/* out[i] = in[i] - home[i], in `bytes` bytes, for rows that are in a segment. */
struct segment_positions_args {
    const unsigned *in;
    const unsigned *home;
    const wide *covered;
    void *out;
    wide count;
    int bytes; /* 4 or 8 */
    int unused;
};

/*
 * The fast way, for codes of up to 8 bytes, in programs with places. A block sorts the
 * rows of a window: short segments that begin there, as a whole, and parts of long ones.
 * Other blocks sort segments that are neither, one each, which fill most of a tile. Rounds
 * then merge the parts of long segments. Rows of a segment that is complete go to the
 * caller's arrays, others to temporary ones.
 *
 * Which segments are open where windows begin, as SEGMENT_CARRY tells it, and what is short
 * and long. segment_sort may get `first` and `last` from SEGMENT_LOOK instead. It writes
 * them as rounds need them to `open`. *crossed tells whether any long segment crosses the
 * beginning of a run: for each window whose beginning is crossed it has the lowest bit set
 * in the window's number, and a run is 2^n windows. If the segment lies in few windows it
 * has bit 0, since later rounds do not merge it. A round that merges nothing ends after a
 * look at it.
 */
struct segment_windows {
    const wide *first;
    const wide *last;
    wide *open[2]; /* for rounds: `first` and `last` of each window */
    wide *crossed;
    unsigned count;
    unsigned rows;       /* of a window, a multiple of SEGMENT_WORD */
    unsigned most_short; /* rows of a short segment, at most; with a window one tile */
    unsigned least_long; /* long ones have more; if there are others, a tile, and short */
                         /*   ones have as many rows as a window */
    unsigned at_once;    /* windows of a segment that the first round merges as a whole */
    unsigned unused;
};

/* Temporary arrays of codes and pieces; and which piece is a position, -1: none. */
struct segment_temp {
    void *codes;
    void *piece[TILE_MOST_PIECES];
    int position;
    int unused;
};

#ifdef TILE_PLACES

struct segment_sort_args {
    struct tile_sort_args sort; /* of it `out`, `count`, `enter`, `leave` and `carry` */
    struct segment_marks marks;
    struct segment_windows windows;
    struct segment_temp temp;
};

/*
 * Of segment_cut and segment_merge. A run of the round is some windows, and its pieces are
 * rows of the array. Without `cuts` the blocks of segment_merge find their own.
 */
struct segment_merge_args {
    struct tile_merge_args merge; /* of it `leave`, `carry` and some of the round */
    struct segment_windows windows;
    struct segment_temp temp;
    wide run_before; /* rows of a run of the round before; 0: this is the first */
};

/*
 * The first and the last pass of sorting one segment together with all other rows, by
 * engine tile. Of `temp` only `position` is used.
 */
struct segment_first_args {
    struct tile_sort_args sort;
    struct segment_numbers numbers;
};

struct segment_last_args {
    struct tile_merge_args merge;
    struct segment_numbers numbers;
    struct segment_temp temp;
};

enum {
    segment_sort_threads = TILE_ROWS,
    segment_merge_threads = TILE_ROWS,
    segment_first_threads = TILE_ROWS,
    segment_last_threads = TILE_ROWS
};

#endif

/* Words of marks of a tile, and the shared memory of a block that sorts it. */
#define SEGMENT_TILE_WORDS(tile) ((tile) / SEGMENT_WORD)
#define SEGMENT_SORT_SHARED(rows, items) \
    (TILE_SORT_PLACED(rows, items) + SEGMENT_TILE_WORDS((rows) * (items)) * 24 + 16)

#endif
