/*
 * across_mpi_shapes.c - every shape of the kit on ranks of MPI that bring equal, skewed,
 * random and mostly no counts: the rows of each rank must be those of mw_run with all rows.
 *
 *   mpirun -n RANKS across_mpi_shapes keys|pairs|records|ties
 *
 * The last rank prints, one case for each shape.
 */
#include "multiway_mpi.h"
#include "tap.h"
#include "trial.h"

#include <string.h>

enum { COUNT = 3000, SEED = 22, RECORD = 100, KEY = 10, VALUE = 8, SPLITS = 4 };

enum rows { KEYS, PAIRS, RECORDS, TIES, KINDS };

static const char *const names[KINDS] = {"keys", "pairs", "records", "ties"};
static const uint32_t element_bytes[KINDS] = {8, 8, RECORD, 8};

/* All rows, on every rank. */
struct stock {
    uint64_t values[COUNT];                 /* PAIRS and TIES: numbers of the rows */
    unsigned char elements[COUNT * RECORD]; /* aligned as the numbers before them */
    enum rows kind;
};

/* The elements made of keys; records begin with their most significant bytes. */
static void fill(struct stock *stock, const uint64_t *keys)
{
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t key = stock->kind == TIES ? keys[i] % 3 : keys[i];
        unsigned char *const to = stock->elements + i * element_bytes[stock->kind];

        stock->values[i] = i;
        if (stock->kind != RECORDS) {
            memcpy(to, &key, sizeof key);
            continue;
        }
        for (int k = 0; k < RECORD; k++)
            to[k] = (unsigned char)(k < 8 ? key >> (56 - 8 * k) : k < KEY ? 0 : i >> k % 8);
    }
}

/* Sort rows [first, last) in place: alone, or with those of all other ranks. */
static mw_status sort(mw_context *context, mw_comm *comm, struct stock *stock,
                      uint64_t first, uint64_t last)
{
    const uint32_t bytes = element_bytes[stock->kind];
    const int has_values = stock->kind == PAIRS || stock->kind == TIES;
    const mw_field field = {.type = MW_BYTES, .bytes = KEY};
    mw_column column = {stock->values + first, VALUE};
    const mw_table in = {.elements = stock->elements + first * bytes,
                         .count = last - first,
                         .columns = &column,
                         .column_count = has_values ? 1 : 0};
    mw_order by_bytes = MW_ORDER_INIT;
    mw_job job = MW_JOB_INIT;

    by_bytes.element_bytes = RECORD;
    by_bytes.fields = &field;
    by_bytes.field_count = 1;
    job.order = stock->kind == RECORDS ? &by_bytes : mw_order_of(MW_U64, MW_ASCENDING);
    job.in = &in;
    return comm ? mw_sort_across(context, comm, &job) : mw_run(context, &job);
}

/* Where the rows of a rank begin. */
static uint64_t begin(int split, uint32_t rank, uint32_t ranks)
{
    const uint64_t count = COUNT;
    uint64_t before = 0, all = 0;

    if (rank == 0 || rank == ranks)
        return rank ? count : 0;
    if (split == 0)
        return count * rank / ranks;
    if (split == 1) /* each rank has half of what those before it left */
        return count - (count >> rank);
    for (uint32_t i = 0; i < ranks; i++) {
        const uint64_t part = kit_mix(SEED + i) % 1000;

        all += part;
        before += i < rank ? part : 0;
    }
    if (split == 2)
        return count * before / all;
    return rank > ranks / 2 ? count : 0;
}

/* One shape, cut in every way: is this rank's part right? */
static int try_shape(mw_context *context, mw_comm *comm, const uint64_t *keys,
                     struct stock *ours, struct stock *all)
{
    const uint32_t bytes = element_bytes[ours->kind];
    int right = 1;

    fill(all, keys);
    right &= sort(context, NULL, all, 0, COUNT) == MW_OK;
    for (int split = 0; split < SPLITS; split++) {
        const uint64_t first = begin(split, comm->rank, comm->ranks);
        const uint64_t last = begin(split, comm->rank + 1, comm->ranks);

        fill(ours, keys);
        right &= sort(context, comm, ours, first, last) == MW_OK;
        right &= memcmp(ours->elements + first * bytes, all->elements + first * bytes,
                        (size_t)((last - first) * bytes)) == 0;
        right &= memcmp(ours->values + first, all->values + first,
                        (size_t)((last - first) * VALUE)) == 0;
    }
    return right;
}

int main(int count, char **words)
{
    static struct stock ours, all;
    static uint64_t keys[COUNT];
    char shape[SHAPE_TEXT];
    struct tap tap = {0};
    mw_context *context = NULL;
    mw_comm comm;

    while (ours.kind < KINDS && (count < 2 || strcmp(names[ours.kind], words[1]) != 0))
        ours.kind++;
    all.kind = ours.kind;
    if (ours.kind == KINDS || MPI_Init(&count, &words) != MPI_SUCCESS ||
        mw_mpi_open(&comm, MPI_COMM_WORLD) != MW_OK ||
        mw_open(&context, "cpu:1", NULL) != MW_OK)
        return 1;
    for (int i = 0; trial_shape(i, shape); i++) {
        uint64_t wrong = kit_fill(MW_U64, shape, SEED, keys, COUNT) != MW_OK ||
                         !try_shape(context, &comm, keys, &ours, &all);

        comm.maximum(comm.state, &wrong, 1);
        if (comm.rank == comm.ranks - 1)
            tap_case(&tap, !wrong, "%s, %s, %u ranks", names[ours.kind], shape, comm.ranks);
    }
    mw_close(context);
    if (comm.rank == comm.ranks - 1)
        tap_end(&tap);
    mw_mpi_close(&comm);
    MPI_Finalize();
    return tap.failed != 0;
}
