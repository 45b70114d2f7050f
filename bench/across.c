/*
 * across.c - `multiway-across`: the time of a sort across ranks, under mpirun.
 *
 *   multiway-across COUNT TRIALS DEVICE [alone | device | LIBRARY]
 *
 * sorts COUNT random u64 keys in all, equally many on each rank. Each result is checked:
 * in order, across ranks too, and with the fingerprint from before. Rank 0 prints ranks,
 * keys, the median of the trials in seconds, million keys per second, and the peak memory
 * of a rank (VmHWM) in bytes for each key that it has. `alone` calls mw_sort on one rank;
 * `device` sorts device memory; LIBRARY is a path with a slash of a rival's shared library,
 * whose three functions (struct rival) sort instead.
 */
#include "kit.h"
#include "multiway_mpi.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TRIALS = 100 };

/* What a rival's library has, named rival_keys and so on; only `sort` is timed. */
struct rival {
    uint64_t *(*keys)(uint64_t count); /* memory to fill with this rank's keys */
    void (*sort)(MPI_Comm comm);
    uint64_t *(*result)(uint64_t *count); /* the keys that this rank got, at least one */
};

struct bench {
    mw_comm comm;
    mw_context *context;
    uint64_t *keys;
    uint64_t count; /* of this rank */
    int alone, on_device;
    struct rival rival;
    double seconds[MOST_TRIALS];
};

static void fill(const struct bench *b, uint64_t trial)
{
    const uint64_t first = b->comm.rank * b->count + trial * 0x9e3779b97f4a7c15;

    for (uint64_t i = 0; i < b->count; i++)
        b->keys[i] = kit_mix(first + i);
}

static mw_status sort_on_device(struct bench *b, mw_job *job, mw_table *in)
{
    const uint64_t bytes = b->count * sizeof *b->keys;
    void *keys = NULL;
    mw_status status = mw_alloc(b->context, bytes, &keys);
    double start;

    if (status == MW_OK)
        status = mw_upload(b->context, keys, b->keys, bytes);
    in->elements = keys;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (status == MW_OK)
        status = mw_sort_across_device(b->context, &b->comm, job);
    b->seconds[0] = MPI_Wtime() - start;
    if (status == MW_OK)
        status = mw_download(b->context, b->keys, keys, bytes);
    mw_free(b->context, keys);
    return status;
}

static mw_status sort_once(struct bench *b, double *seconds)
{
    mw_table in = {.elements = b->keys, .count = b->count};
    mw_job job = MW_JOB_INIT;
    mw_status status;

    job.order = mw_order_of(MW_U64, MW_ASCENDING);
    job.in = &in;
    if (b->on_device) {
        status = sort_on_device(b, &job, &in);
        *seconds = b->seconds[0];
        return status;
    }
    MPI_Barrier(MPI_COMM_WORLD);

    const double start = MPI_Wtime();

    if (b->rival.sort) {
        b->rival.sort(MPI_COMM_WORLD);
        status = MW_OK;
    } else if (b->alone) {
        status = mw_sort(b->context, MW_U64, MW_ASCENDING, b->keys, b->count);
    } else {
        status = mw_sort_across(b->context, &b->comm, &job);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    *seconds = MPI_Wtime() - start;
    return status;
}

/* In order, after the keys of the rank before, and the same keys on all ranks together? */
static int right(const struct bench *b, uint64_t before)
{
    const int rank = (int)b->comm.rank, last = (int)b->comm.ranks - 1;
    struct kit_fingerprint print = {0};
    uint64_t sums[2] = {before, 0}, all[2], previous = 0;
    int fine;

    kit_fingerprint_add(&print, MW_U64, b->keys, b->count);
    sums[1] = print.sum;
    MPI_Allreduce(sums, all, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Sendrecv(&b->keys[b->count - 1], 1, MPI_UINT64_T,
                 rank < last ? rank + 1 : MPI_PROC_NULL, 0, &previous, 1, MPI_UINT64_T,
                 rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fine = all[0] == all[1] && previous <= b->keys[0] &&
           kit_first_disorder(MW_U64, MW_ASCENDING, b->keys, b->count) == b->count;
    MPI_Allreduce(MPI_IN_PLACE, &fine, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return fine;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The most memory that this process has had, in bytes; 0 if the system does not say. */
static double peak_memory(void)
{
    FILE *const file = fopen("/proc/self/status", "r");
    char line[256];
    double kilobytes = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtod(line + 6, NULL);
    if (file)
        fclose(file);
    return 1024 * kilobytes;
}

static int run(struct bench *b, int trials)
{
    const uint64_t count = b->count;

    for (int i = 0; i <= trials; i++) { /* the first is a warm-up */
        struct kit_fingerprint print = {0};
        double *const seconds = &b->seconds[i ? i - 1 : 0];
        int is_right;

        if (b->rival.sort)
            b->keys = b->rival.keys(count);
        fill(b, (uint64_t)i);
        kit_fingerprint_add(&print, MW_U64, b->keys, b->count);
        if (sort_once(b, seconds) != MW_OK) {
            fprintf(stderr, "multiway-across: %s\n", b->comm.error);
            return 1;
        }
        if (b->rival.sort)
            b->keys = b->rival.result(&b->count);
        is_right = right(b, print.sum);
        b->count = count;
        if (!is_right) {
            fprintf(stderr, "multiway-across: wrong result\n");
            return 1;
        }
    }
    return 0;
}

static int load_rival(struct rival *rival, const char *path)
{
    void *const library = dlopen(path, RTLD_NOW);

    if (!library) {
        fprintf(stderr, "multiway-across: %s\n", dlerror());
        return -1;
    }
    *(void **)&rival->keys = dlsym(library, "rival_keys");
    *(void **)&rival->sort = dlsym(library, "rival_sort");
    *(void **)&rival->result = dlsym(library, "rival_result");
    return rival->keys && rival->sort && rival->result ? 0 : -1;
}

int main(int argc, char **argv)
{
    static struct bench b;
    uint64_t all = 0;
    int trials;

    if (argc < 4 || kit_parse_count(argv[1], &all) != 0 || atoi(argv[2]) < 1) {
        fprintf(stderr, "usage: multiway-across COUNT TRIALS DEVICE "
                        "[alone | device | LIBRARY]\n");
        return 2;
    }
    trials = atoi(argv[2]) < MOST_TRIALS ? atoi(argv[2]) : MOST_TRIALS - 1;
    b.alone = argc > 4 && strcmp(argv[4], "alone") == 0;
    b.on_device = argc > 4 && strcmp(argv[4], "device") == 0;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS ||
        mw_mpi_open(&b.comm, MPI_COMM_WORLD) != MW_OK)
        return 2;
    b.count = all / b.comm.ranks;
    if (argc > 4 && strchr(argv[4], '/') && load_rival(&b.rival, argv[4]) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (!b.rival.sort)
        b.keys = malloc((size_t)b.count * sizeof *b.keys);
    if ((!b.rival.sort && !b.keys) || b.count == 0 ||
        mw_open(&b.context, argv[3], NULL) != MW_OK || run(&b, trials) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    qsort(b.seconds, (size_t)trials, sizeof *b.seconds, ascending);
    if (b.comm.rank == 0)
        printf("%u\t%" PRIu64 "\t%.6f\t%.1f\t%.1f\n", b.comm.ranks, b.count * b.comm.ranks,
               b.seconds[trials / 2],
               1e-6 * (double)(b.count * b.comm.ranks) / b.seconds[trials / 2],
               peak_memory() / (double)b.count);
    mw_close(b.context);
    if (!b.rival.sort)
        free(b.keys);
    mw_mpi_close(&b.comm);
    MPI_Finalize();
    return 0;
}
