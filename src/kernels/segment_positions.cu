/*
 * segment_positions.cu - positions of rows, counted from the beginning of their segment.
 */

enum { segment_positions_blocks = 8 };

/* Each thread makes one position. */
KERNEL(segment_positions, struct segment_positions_args)
{
    const wide i = (wide)BLOCK * THREADS + THREAD;

    if (i >= args.count ||
        !(LOAD((const wide_cell *)args.covered + i / SEGMENT_WORD) >> i % SEGMENT_WORD & 1))
        return;

    const unsigned position = LOAD_AS(BULK, (const unsigned_cell *)args.in + i) -
                              LOAD_AS(BULK, (const unsigned_cell *)args.home + i);

    if (args.bytes == 8)
        STORE_AS(BULK, (wide_cell *)args.out + i, position);
    else
        STORE_AS(BULK, (unsigned_cell *)args.out + i, position);
}
