/*
 * command.c - `multiway-mpi sort`: sort a file by all ranks of an MPI program. Each reads
 * its part and writes its part of the result.
 */
#define _XOPEN_SOURCE 700

#include "order.h"
#include "part.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sort {
    struct order_choice order;
    const char *device;
    const char *output;
    const char *input;
    int verbose;

    mw_comm comm;
    uint64_t rows; /* of all ranks */
    uint64_t first, count;
    void *data;
    double start;
};

/* The processors that each rank of this machine may use: its share. */
static unsigned share_of_processors(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Comm here;
    int ranks = 1;

    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                            &here) == MPI_SUCCESS) {
        MPI_Comm_size(here, &ranks);
        MPI_Comm_free(&here);
    }
    return processors > ranks ? (unsigned)(processors / ranks) : 1;
}

static void tell(const struct sort *s, const char *what)
{
    if (s->verbose && s->comm.rank == 0)
        fprintf(stderr, "multiway-mpi: %" PRIu64 " %s %s by %u ranks after %.3f s\n",
                s->rows, s->order.what, what, s->comm.ranks, MPI_Wtime() - s->start);
}

static int read_rows(struct sort *s)
{
    const uint64_t ranks = s->comm.ranks, rank = s->comm.rank;
    const uint32_t bytes = s->order.order->element_bytes;
    uint64_t size;
    int bad = 0;

    if (part_size(&s->comm, s->input, &size))
        return EXIT_TROUBLE;
    s->rows = size / bytes;
    s->first = s->rows / ranks * rank + s->rows % ranks * rank / ranks;
    s->count =
        s->rows / ranks * (rank + 1) + s->rows % ranks * (rank + 1) / ranks - s->first;
    if (size % bytes)
        bad = complain(NULL, "%s has %" PRIu64 " bytes, which is no number of %s", s->input,
                       size, s->order.what);
    if (!bad) {
        s->data = malloc((size_t)(s->count * bytes + 1));
        bad = s->data
                  ? 0
                  : complain(NULL, "no memory for %" PRIu64 " %s", s->count, s->order.what);
    }
    if (!bad)
        bad = part_read(s->input, s->first * bytes, s->data, s->count * bytes);
    return all_fine(&s->comm, bad) ? 0 : EXIT_TROUBLE;
}

static int sort_rows(struct sort *s)
{
    mw_table in = {.elements = s->data, .count = s->count};
    mw_job job = MW_JOB_INIT;
    mw_context *context = NULL;
    char name[32];
    mw_status status;
    int bad = 0;

    snprintf(name, sizeof name, "cpu:%u", share_of_processors());
    status = mw_open(&context, s->device ? s->device : name, NULL);
    if (status != MW_OK)
        bad = complain(NULL, "%s", context ? mw_error(context) : mw_status_text(status));
    if (!all_fine(&s->comm, bad)) {
        mw_close(context);
        return EXIT_TROUBLE;
    }
    job.order = s->order.order;
    job.in = &in;
    status = mw_sort_across(context, &s->comm, &job);
    mw_close(context);
    if (status != MW_OK && s->comm.rank == 0)
        fprintf(stderr, "multiway-mpi: %s\n", s->comm.error);
    return status == MW_OK ? 0 : EXIT_TROUBLE;
}

static int sort_file(struct sort *s)
{
    const uint32_t bytes = s->order.order->element_bytes;

    if (part_aim(&s->comm, s->output) || read_rows(s))
        return EXIT_TROUBLE;
    tell(s, "read");
    if (sort_rows(s))
        return EXIT_TROUBLE;
    tell(s, "sorted");
    if (part_write(&s->comm, s->output, s->rows * bytes, s->first * bytes, s->data,
                   s->count * bytes))
        return EXIT_TROUBLE;
    tell(s, "written");
    return EXIT_FINE;
}

static int parse(struct sort *s, int argc, char **argv)
{
    /* clang-format off */
    const struct option options[] = {
        TYPE_OPTION_IF(s->order.type, 0),
        {"desc",    0,  NULL,   OPTION_FLAG, &s->order.descending, 0,
         "the exact reverse order"},
        RECORD_OPTIONS(s->order),
        {"output", 'o', "FILE", OPTION_TEXT, &s->output,  1, "a regular file"},
        {"device",  0,  "NAME", OPTION_TEXT, &s->device,  0,
         "auto, cuda[:N], cpu[:N] or sim (cpu, shared by ranks)"},
        {"progress", 'v', NULL, OPTION_FLAG, &s->verbose, 0, "rank 0 says how far it is"},
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .program = "mpirun -n RANKS multiway-mpi",
        .name = "sort",
        .usage = "--type TYPE [--desc] -o FILE FILE\n"
                 "       mpirun -n RANKS multiway-mpi sort --record BYTES --key FIELD ... "
                 "-o FILE FILE",
        .about =
            "Sort a file of keys or records. Each rank reads a part of it, and writes\n"
            "a part of the result: the bytes that multiway sort writes. The output\n"
            "appears under its name when it is complete, and may be the input.",
        .options = options,
        .takes_files = 1,
        .more =
            KEY_HELP "\n"
                     "  mpirun -n 4 multiway-mpi sort --type u64 -o sorted.bin keys.bin\n"};
    int parsed;

    if (argc < 2 || (strcmp(argv[1], "sort") != 0 && strcmp(argv[1], "--help") != 0))
        return complain(NULL, "expected the command sort (see multiway-mpi --help)");
    if (strcmp(argv[1], "sort") == 0) { /* its options follow; --help is one itself */
        argc--;
        argv++;
    }
    parsed = options_parse(&command, argc, argv, &s->input);
    if (parsed != OPTIONS_RUN)
        return parsed;
    if (order_make(&s->order, "sort"))
        return EXIT_TROUBLE;
    if (!s->order.order->field_count)
        return complain(NULL, "--record needs --key FIELD");
    return s->input ? OPTIONS_RUN : complain(NULL, "no file to sort (name one)");
}

int main(int argc, char **argv)
{
    struct sort s = {.order = ORDER_CHOICE_INIT};
    int provided, code;

    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error of pwrite */
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return EXIT_TROUBLE;
    if (mw_mpi_open(&s.comm, MPI_COMM_WORLD) != MW_OK)
        MPI_Abort(MPI_COMM_WORLD, EXIT_TROUBLE);
    s.start = MPI_Wtime();
    if (s.comm.rank != 0 && !freopen("/dev/null", "w", stdout)) /* rank 0 prints help */
        MPI_Abort(MPI_COMM_WORLD, EXIT_TROUBLE);
    code = parse(&s, argc, argv);
    if (!all_fine(&s.comm, code == EXIT_TROUBLE))
        code = EXIT_TROUBLE;
    else if (code == OPTIONS_RUN)
        code = sort_file(&s);
    free(s.data);
    mw_mpi_close(&s.comm);
    MPI_Finalize();
    return code;
}
