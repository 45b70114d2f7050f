/*
 * widen_positions.cu - positions of 4 bytes as positions of 8 bytes.
 */

enum { widen_positions_blocks = 8 };

/* Each thread widens one position. */
KERNEL(widen_positions, struct widen_positions_args)
{
    const wide i = (wide)BLOCK * THREADS + THREAD;

    if (i < args.count)
        STORE_AS(BULK, (wide_cell *)args.out + i,
                 LOAD_AS(BULK, (const unsigned_cell *)args.in + i));
}
