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

DEVICE void clear_counters(struct tally_shared *sm)
{
    for (int i = THREAD; i < (int)sizeof *sm / TALLY_VECTOR; i += THREADS) {
        const vector none = {0, 0};

        STORE((vector_cell *)sm + i, none);
    }
}

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

/* Count the vectors [first, last) that are mine; a batch is loaded ahead. */
DEVICE void count_vectors(struct tally_shared *sm, const vector_cell *all, wide first,
                          wide last)
{
    const wide step = (wide)BLOCKS * THREADS;
    const wide block = first + (wide)BLOCK * THREADS;
    vector batch[COUNT_BATCH] = {
        {0, 0}
    };
    int batches = 0;

    UNROLL
    for (int j = 0; j < COUNT_BATCH; j++) {
        if (block + j * step + THREAD < last)
            batch[j] = LOAD_AS(BULK, all + block + j * step + THREAD);
    }
    clear_counters(sm); /* while the loads are under way */
    BARRIER();
    NO_UNROLL
    for (wide begin = block; begin < last; begin += COUNT_BATCH * step) {
        UNROLL
        for (int j = 0; j < COUNT_BATCH; j++) {
            const wide i = begin + j * step + THREAD;
            const vector now = batch[j];

            if (i + COUNT_BATCH * step < last)
                batch[j] = LOAD_AS(BULK, all + i + COUNT_BATCH * step);
            count_vector(sm, now, i < last);
        }
        meet_after(++batches);
    }
    BARRIER();
}

KERNEL(tally_count, struct tally_count_args)
{
    SHARED(struct tally_shared, sm);
    const struct vectors all = vectors_of(args.keys);
    const wide first = all.skipped != 0;
    const wide last = (all.skipped + args.count) / VECTOR_KEYS;

    count_vectors(sm, (const vector_cell *)all.at, first, last);
    count_edges(&args, sm, all.skipped, last > first ? last - first : 0);
    BARRIER();
    put_row(&args, sm);
}
