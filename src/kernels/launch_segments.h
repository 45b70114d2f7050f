/*
 * launch_segments.h - a part of launch.h: sorting segments.
 *
 * Where segments begin and end is kept in two arrays of bits, one bit for each row: a
 * mark. A row with the first mark begins a segment, and ends one that is open. A row with
 * the second mark only ends one. So whatever the caller's numbers are, marks describe
 * segments that lie in the array and do not overlap.
 */
#ifndef MW_LAUNCH_SEGMENTS_H
#define MW_LAUNCH_SEGMENTS_H

enum {
    segment_mark_threads = 256,
    segment_scan_threads = 1024,
    segment_positions_threads = 256,
    SEGMENT_FILL_THREADS = 256,
    SEGMENT_WORD = 64,     /* marks of a word */
    SEGMENT_WINDOW = 4096, /* rows of a block of SEGMENT_FILL */
    SEGMENT_WORDS = SEGMENT_WINDOW / SEGMENT_WORD,
    SEGMENT_SCAN_SHARED = 2 * 8 * segment_scan_threads / WARP
};

/* The marks of `count` rows. */
struct segment_marks {
    wide *begins;
    wide *ends;
    wide count;
};

/* First the marks are cleared; then those of the caller's segments are set. */
struct segment_mark_args {
    struct segment_marks marks;
    const void *begins; /* NULL: clear */
    const void *ends;
    wide segments;
    int bytes; /* of a number, 4 or 8 */
    int is_signed;
};

/*
 * Rows are seen in windows of `window` rows, a multiple of SEGMENT_WORD.
 *
 * SEGMENT_LOOK   each warp looks at a window. first[w] is the row of its first mark, or
 *                ~0. last[w] is 0 without a mark, else 2 (row + 1) of its last one, and
 *                one more if that begins a segment
 * SEGMENT_CARRY  one block: last[w] becomes the greatest of those before w, and first[w]
 *                the least of those after w, so they tell of the segments that are open
 *                where a window begins and where it ends
 * SEGMENT_FILL   each block fills a window: home[row] is the first row of the row's
 *                segment, or the row itself if it is in none. covered has a bit for each
 *                row that is in a segment
 */
enum segment_step { SEGMENT_LOOK, SEGMENT_CARRY, SEGMENT_FILL };

struct segment_scan_args {
    struct segment_marks marks;
    wide *first;
    wide *last;
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

#endif
