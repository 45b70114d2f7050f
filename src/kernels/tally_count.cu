/*
 * tally_count.cu - count the keys: the first pass of engine tally.
 *
 * Blocks take vectors in turn. Each counts its keys by their bits in shared memory, and
 * writes a row of counts by code. No two blocks write the same cell.
 */
#include "tally.cuh"

#include "tally_bytes.cuh"
#include "tally_pairs.cuh"

enum { tally_count_blocks = 1 };

/* The first block counts keys before the first whole vector and after the last. */
DEVICE void count_edges(const struct tally_count_args *args, struct tally_shared *sm,
                        wide skipped, wide whole)
{
    const wide edges = args->count - whole * VECTOR_KEYS;
    const wide head = skipped ? VECTOR_KEYS - skipped : 0;
    const wide place =
        (wide)THREAD < head ? (wide)THREAD : args->count - edges + (wide)THREAD;

    if (BLOCK == 0 && (wide)THREAD < edges)
        count_key(sm, LOAD_AS(BULK, (const key_cell *)args->keys + place));
}

KERNEL(tally_count, struct tally_count_args)
{
    SHARED(struct tally_shared, sm);
    const struct vectors all = vectors_of(args.keys);
    const wide first = all.skipped != 0;
    const wide last = (all.skipped + args.count) / VECTOR_KEYS;

    count_begin(sm);
    count_edges(&args, sm, all.skipped, last > first ? last - first : 0);
    count_vectors(sm, (const vector_cell *)all.at, first, last);
    BARRIER();
    put_row(&args, sm);
}
