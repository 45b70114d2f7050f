/*
 * gather_rows.cu - the rows of a column in the order of given positions.
 *
 * Rows are copied by the largest words that their size and both addresses allow.
 */

enum { ROWS_BATCH = 4 }; /* words that a thread has on their way */

typedef struct {
    ALIGNED(16) wide low;
    wide high;
} quad;
typedef unsigned short half;
typedef unsigned char byte;

CELL(quad_cell, quad);
CELL(wide_cell, wide);
CELL(unsigned_cell, unsigned);
CELL(half_cell, half);
CELL(byte_cell, byte);

#define ROWS_JOIN(word, name) word##_##name
#define ROWS_JOIN_OF(word, name) ROWS_JOIN(word, name)
#define ROWS_NAME(name) ROWS_JOIN_OF(ROWS_WORD, name)

#define ROWS_WORD quad
#include "rows_word.cuh"
#define ROWS_WORD wide
#include "rows_word.cuh"
#define ROWS_WORD unsigned
#include "rows_word.cuh"
#define ROWS_WORD half
#include "rows_word.cuh"
#define ROWS_WORD byte
#include "rows_word.cuh"

enum { gather_rows_blocks = 4 };

/* Each block gathers GATHER_ROWS(bytes) rows; the last block may have fewer. */
KERNEL(gather_rows, struct gather_rows_args)
{
    const int bytes = (int)args.bytes;
    const wide rows = GATHER_ROWS(bytes);
    const wide first = (wide)BLOCK * rows;
    const wide last = first + rows < args.count ? first + rows : args.count;
    const size_t bits = (size_t)args.in | (size_t)args.out | (size_t)bytes;

    if (bits % 16 == 0)
        quad_gather(&args, first, last, bytes / 16);
    else if (bits % 8 == 0)
        wide_gather(&args, first, last, bytes / 8);
    else if (bits % 4 == 0)
        unsigned_gather(&args, first, last, bytes / 4);
    else if (bits % 2 == 0)
        half_gather(&args, first, last, bytes / 2);
    else
        byte_gather(&args, first, last, bytes);
}
