/*
 * widen_positions.cu - positions of 4 bytes as positions of 8 bytes, and rows numbered.
 */

enum { widen_positions_blocks = 8 };

/* Each thread makes one position. */
KERNEL(widen_positions, struct widen_positions_args)
{
    const wide i = (wide)BLOCK * THREADS + THREAD;

    if (i >= args.count)
        return;

    const wide position =
        args.first + (args.in ? LOAD_AS(BULK, (const unsigned_cell *)args.in + i) : i);

    if (args.bytes == 8)
        STORE_AS(BULK, (wide_cell *)args.out + i, position);
    else
        STORE_AS(BULK, (unsigned_cell *)args.out + i, (unsigned)position);
}
