/*
 * files.c - mw_sort_file and mw_merge_files against MW_SORT on the same rows.
 *
 *   files [FOLDER [SEED]]
 */
#define _XOPEN_SOURCE 700

#include "multiway_file.h"

#include "kit.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PIPES = 1,    /* inputs are pipes */
    ITSELF = 2,   /* the output is the first input */
    NPY = 4,      /* inputs and output are .npy */
    UNIQUE = 8,   /* first of equals */
    MERGE = 16,   /* inputs are sorted, and merged */
    FEW = 32,     /* few different keys */
    TO_PIPE = 64, /* the output is a pipe */
    LESS = 128,   /* by a comparison of one's own: the first two bytes */
    SIM = 256,    /* on the simulator, whose handle may take enough for all rows, ... */
    TIGHT = 512,  /* ... or for the rows, but not for their workspace, too */
    MOST_INPUTS = 300
};

#define MIB(n) ((uint64_t)(n) << 20)

struct row {
    const char *name;
    mw_type type;       /* MW_BYTES: records of ... */
    uint32_t row_bytes; /* ... so many bytes, by the bytes from ... */
    uint32_t key_at;    /* ... here, ... */
    uint32_t key_bytes; /* ... so many */
    uint64_t rows;
    uint32_t inputs;
    uint64_t memory; /* 0: the default */
    int flags;
    int on_disk; /* temporaries are expected */
};

/* clang-format off */
static const struct row rows[] = {
    {"no rows", MW_U64, 8, 0, 0, 0, 1, MIB(4), 0, 0},
    {"one row", MW_U64, 8, 0, 0, 1, 1, MIB(4), 0, 0},
    {"keys in memory", MW_U64, 8, 0, 0, 100000, 1, MIB(8), 0, 0},
    {"chunks in memory", MW_U64, 8, 0, 0, 3000001, 3, MIB(99), 0, 0},
    {"keys on disk", MW_U64, 8, 0, 0, 2000003, 1, MIB(4), 0, 1},
    {"keys of 4 bytes on disk", MW_F32, 4, 0, 0, 3000017, 2, MIB(4), 0, 1},
    {"keys of 1 byte on disk", MW_I8, 1, 0, 0, 9000000, 1, MIB(4), 0, 1},
    {"keys of 2 bytes on disk", MW_F16, 2, 0, 0, 4000001, 1, MIB(4), 0, 1},
    {"two merge passes", MW_U64, 8, 0, 0, 1500000, 1, MIB(2), FEW, 1},
    {"records in memory", MW_BYTES, 100, 0, 10, 200000, 1, MIB(64), FEW, 0},
    {"records on disk", MW_BYTES, 100, 7, 10, 200003, 1, MIB(6), FEW, 1},
    {"12-byte records on disk", MW_BYTES, 12, 3, 5, 700001, 2, MIB(4), FEW, 1},
    {"records of odd length", MW_BYTES, 4093, 11, 9, 5003, 1, MIB(6), FEW, 1},
    {"records in two passes", MW_BYTES, 333, 0, 3, 40000, 1, MIB(2), FEW, 1},
    {"many small inputs", MW_BYTES, 24, 8, 8, 100000, 300, MIB(4), FEW, 1},
    {"a pipe in memory", MW_U64, 8, 0, 0, 50000, 1, MIB(8), PIPES, 0},
    {"a pipe that outgrows memory", MW_U64, 8, 0, 0, 2000000, 1, MIB(4), PIPES, 1},
    {"pipes that outgrow memory", MW_BYTES, 100, 4, 6, 300000, 3, MIB(8), PIPES | FEW, 1},
    {"an empty pipe", MW_U32, 4, 0, 0, 0, 1, MIB(4), PIPES, 0},
    {"onto itself", MW_U32, 4, 0, 0, 300000, 1, MIB(8), ITSELF, 0},
    {"onto itself, on disk", MW_BYTES, 100, 0, 10, 100000, 2, MIB(4), ITSELF, 1},
    {"to a pipe", MW_BYTES, 100, 0, 10, 100000, 2, MIB(4), TO_PIPE, 1},
    {".npy in memory", MW_F64, 8, 0, 0, 200000, 2, MIB(8), NPY, 0},
    {".npy on disk", MW_F64, 8, 0, 0, 900000, 2, MIB(4), NPY, 1},
    {".npy, unique records", MW_BYTES, 40, 8, 4, 200000, 1, MIB(4), NPY | FEW | UNIQUE, 1},
    {"unique keys", MW_U16, 2, 0, 0, 900000, 1, MIB(8), UNIQUE, 0},
    {"unique records on disk", MW_BYTES, 100, 0, 2, 200000, 1, MIB(4), UNIQUE | FEW, 1},
    {"merge two", MW_U64, 8, 0, 0, 1000001, 2, MIB(4), MERGE, 0},
    {"merge records", MW_BYTES, 100, 0, 10, 100000, 7, MIB(8), MERGE | FEW, 0},
    {"merge pipes", MW_BYTES, 30, 2, 4, 200000, 5, MIB(4), MERGE | PIPES | FEW, 0},
    {"merge more than fit", MW_U32, 4, 0, 0, 500000, 100, MIB(4), MERGE | FEW, 1},
    {"merge .npy", MW_I32, 4, 0, 0, 300000, 3, MIB(4), MERGE | NPY, 0},
    {"merge nothing", MW_I32, 4, 0, 0, 0, 3, MIB(4), MERGE, 0},
    {"own order on disk", MW_BYTES, 100, 0, 2, 200000, 1, MIB(4), LESS | UNIQUE | FEW, 1},
    {"own order, narrow", MW_BYTES, 6, 0, 2, 900000, 1, MIB(4), LESS | FEW, 1},
    {"aboard a device", MW_BYTES, 100, 7, 10, 30003, 2, MIB(2), FEW | SIM, 0},
    {"keys aboard", MW_U64, 8, 0, 0, 300001, 3, MIB(2), SIM | TO_PIPE, 0},
    {".npy aboard, unique", MW_BYTES, 40, 8, 4, 60000, 2, MIB(2), NPY | FEW | UNIQUE | SIM, 0},
    {"aboard, onto itself", MW_U32, 4, 0, 0, 600000, 1, MIB(2), ITSELF | SIM, 0},
    {"no room for workspace", MW_U32, 4, 0, 0, 600000, 2, MIB(2), TIGHT, 1},
    {"a pipe is not aboard", MW_U32, 4, 0, 0, 600000, 1, MIB(2), PIPES | SIM, 1},
    {"nor is an own order", MW_BYTES, 12, 0, 2, 200000, 1, MIB(2), LESS | FEW | SIM, 1},
    {"all the memory there is", MW_U64, 8, 0, 0, 100000, 1, 0, 0, 0},
};
/* clang-format on */

static char folder[4096];
static uint64_t seed = 1;

/* ---- Rows ------------------------------------------------------------------------- */

static void fill_rows(const struct row *row, unsigned char *data)
{
    const uint64_t bytes = row->rows * row->row_bytes;

    for (uint64_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)(kit_mix(seed * 77 + i / 8) >> i % 8 * 8);
    for (uint64_t i = 0; row->flags & FEW && i < row->rows; i++) {
        unsigned char *const at = data + i * row->row_bytes + row->key_at;

        memset(at, 0, row->key_bytes ? row->key_bytes : row->row_bytes);
        at[0] = (unsigned char)(kit_mix(seed + i) % 200);
        if (row->key_bytes > 1)
            at[row->key_bytes - 1] = (unsigned char)(kit_mix(seed * 3 + i) % 9);
    }
}

static void write_bytes(const char *path, const void *data, uint64_t bytes, int how)
{
    const int fd = open(path, O_WRONLY | how, 0600);

    for (uint64_t done = 0; fd >= 0 && done < bytes;) {
        const uint64_t left = bytes - done;
        const ssize_t n = write(fd, (const char *)data + done, left < 65536 ? left : 65536);

        if (n <= 0)
            break;
        done += (uint64_t)n;
    }
    close(fd);
}

static void sort_rows(mw_context *cpu, const mw_order *order, void *data, uint64_t count)
{
    const mw_table table = {.elements = data, .count = count};
    mw_job job = MW_JOB_INIT;

    job.order = order;
    job.in = &table;
    if (mw_run(cpu, &job) != MW_OK)
        abort();
}

/* Of sorted rows the first of equals, by the bytes of their keys. */
static uint64_t drop_equals(const struct row *row, unsigned char *data)
{
    const uint32_t bytes = row->key_bytes ? row->key_bytes : row->row_bytes;
    uint64_t kept = row->rows > 0;

    for (uint64_t i = 1; i < row->rows; i++) {
        const unsigned char *const at = data + i * row->row_bytes;

        if (memcmp(data + (kept - 1) * row->row_bytes + row->key_at, at + row->key_at,
                   bytes) != 0)
            memmove(data + kept++ * row->row_bytes, at, row->row_bytes);
    }
    return kept;
}

/* ---- One case --------------------------------------------------------------------- */

struct trial {
    const struct row *row;
    mw_order order;
    mw_field field;
    unsigned char *data;     /* of all inputs */
    unsigned char *expected; /* and this many rows of it */
    uint64_t expected_rows;
    char paths[MOST_INPUTS][64];
    const char *inputs[MOST_INPUTS];
    char output[64];
    pid_t child[MOST_INPUTS + 1];
    uint32_t children;
    mw_file_report report;
    int is_wrong; /* what progress was told */
};

static uint64_t first_row(const struct row *row, uint32_t input)
{
    return row->rows / row->inputs * input +
           (input && input < row->inputs ? input % 3 : 0) * (row->rows > 1000) +
           (input == row->inputs) * (row->rows % row->inputs);
}

static const char *descr_of(const struct row *row, char text[64])
{
    const char *const plain = row->type == MW_F64 ? "'<f8'" : "'<i4'";

    if (row->type != MW_BYTES)
        return plain;
    snprintf(text, 64, "[('a', '|V%u'), ('k', '|S%u'), ('c', '|V%u')]", row->key_at,
             row->key_bytes, row->row_bytes - row->key_at - row->key_bytes);
    return text;
}

/* A header as NumPy writes it. */
static uint64_t npy_header(const struct row *row, uint64_t count, char header[256])
{
    char descr[64];
    const int length = snprintf(header + 10, 200,
                                "{'descr': %s, 'fortran_order': False, 'shape': (%llu,), }",
                                descr_of(row, descr), (unsigned long long)count);
    const int total = (10 + length + 1 + 63) / 64 * 64;

    memcpy(header, "\x93NUMPY\x01", 8);
    header[8] = (char)(total - 10);
    header[9] = 0;
    memset(header + 10 + length, ' ', (size_t)(total - 10 - length));
    header[total - 1] = '\n';
    return (uint64_t)total;
}

/* A file or a pipe with its writer. */
static void make_input(struct trial *trial, uint32_t i)
{
    const struct row *const row = trial->row;
    const uint64_t first = first_row(row, i), last = first_row(row, i + 1);
    const void *const data = trial->data + first * row->row_bytes;
    const uint64_t bytes = (last - first) * row->row_bytes;
    const char *const path = trial->paths[i];

    snprintf(trial->paths[i], sizeof trial->paths[i], "in-%u%s", i,
             row->flags & NPY ? ".npy" : "");
    trial->inputs[i] = path;
    if (row->flags & PIPES) {
        mkfifo(path, 0600);
        trial->child[trial->children++] = fork();
        if (trial->child[trial->children - 1] == 0) {
            write_bytes(path, data, bytes, 0);
            _exit(0);
        }
        return;
    }
    write_bytes(path, "", 0, O_CREAT | O_TRUNC);
    if (row->flags & NPY) {
        char header[256];

        write_bytes(path, header, npy_header(row, last - first, header), 0);
    }
    write_bytes(path, data, bytes, O_APPEND);
}

static int is_less(const void *a, const void *b)
{
    return memcmp(a, b, 2) < 0;
}

static void prepare(struct trial *trial, mw_context *cpu)
{
    const struct row *const row = trial->row;
    const uint64_t bytes = row->rows * row->row_bytes;

    trial->field =
        (mw_field){.offset = row->key_at, .type = MW_BYTES, .bytes = row->key_bytes};
    trial->order = (mw_order)MW_ORDER_INIT;
    if (row->type != MW_BYTES) {
        trial->order = *mw_order_of(row->type, MW_ASCENDING);
    } else {
        trial->order.element_bytes = row->row_bytes;
        trial->order.fields = row->flags & LESS ? NULL : &trial->field;
        trial->order.field_count = !(row->flags & LESS);
        trial->order.less_on_host = row->flags & LESS ? is_less : NULL;
    }
    trial->data = malloc(bytes + 1);
    trial->expected = malloc(bytes + 1);
    fill_rows(row, trial->data);
    for (uint32_t i = 0; row->flags & MERGE && i < row->inputs; i++)
        sort_rows(cpu, &trial->order, trial->data + first_row(row, i) * row->row_bytes,
                  first_row(row, i + 1) - first_row(row, i));
    memcpy(trial->expected, trial->data, bytes);
    sort_rows(cpu, &trial->order, trial->expected, row->rows);
    trial->expected_rows =
        row->flags & UNIQUE ? drop_equals(row, trial->expected) : row->rows;
    for (uint32_t i = 0; i < row->inputs; i++)
        make_input(trial, i);
}

/* `done` never exceeds `total`, and reaches it before the output is synced. */
static int watch(void *user, const mw_file_progress *progress)
{
    struct trial *const trial = user;

    if (strcmp(progress->phase, "write") == 0
            ? progress->done != progress->total
            : progress->total != 0 && progress->done > progress->total)
        trial->is_wrong = 1;
    return 0;
}

static mw_status run(struct trial *trial, mw_context *context)
{
    const struct row *const row = trial->row;
    mw_file_job job = MW_FILE_JOB_INIT;

    snprintf(trial->output, sizeof trial->output, "%s",
             row->flags & ITSELF ? "in-0"
             : row->flags & NPY  ? "out.npy"
                                 : "out");
    if (row->flags & TO_PIPE) {
        mkfifo("fifo", 0600);
        trial->child[trial->children++] = fork();
        if (trial->child[trial->children - 1] == 0) {
            execlp("sh", "sh", "-c", "cat fifo >out", (char *)NULL);
            _exit(1);
        }
    }
    job.order = &trial->order;
    job.inputs = trial->inputs;
    job.input_count = row->inputs;
    job.output = row->flags & TO_PIPE ? "fifo" : trial->output;
    job.memory_bytes = row->memory;
    job.progress = watch;
    job.user = trial;
    job.flags = row->flags & UNIQUE ? MW_FILE_UNIQUE : 0;
    trial->report = (mw_file_report)MW_FILE_REPORT_INIT;
    return (row->flags & MERGE ? mw_merge_files : mw_sort_file)(context, &job,
                                                                &trial->report);
}

static int is_expected(const struct trial *trial)
{
    const struct row *const row = trial->row;
    const uint64_t bytes = trial->expected_rows * row->row_bytes;
    unsigned char *const got = malloc(bytes + 512);
    const int fd = open(trial->output, O_RDONLY);
    uint64_t n = 0, head = 0;
    int right;

    for (ssize_t some = 1; fd >= 0 && some > 0; n += some > 0 ? (uint64_t)some : 0)
        some = read(fd, got + n, bytes + 512 - n);
    close(fd);
    if (row->flags & NPY) {
        mw_npy npy = {.size = sizeof npy};
        char message[512];

        if (mw_read_npy(trial->output, &npy, message) != MW_OK ||
            npy.rows != trial->expected_rows || npy.row_bytes != row->row_bytes)
            tap_note("header: %s, %llu rows", message, (unsigned long long)npy.rows);
        head = npy.header_bytes;
    }
    right = n == head + bytes && memcmp(got + head, trial->expected, bytes) == 0;
    free(got);
    return right;
}

static void test_row(struct tap *tap, const struct row *row, mw_context *cpu,
                     mw_context *sim, mw_context *tight)
{
    struct trial *const trial = calloc(1, sizeof *trial);
    mw_status status;
    int right;

    trial->row = row;
    prepare(trial, cpu);
    status = run(trial, row->flags & SIM ? sim : row->flags & TIGHT ? tight : cpu);
    for (uint32_t i = 0; i < trial->children; i++)
        waitpid(trial->child[i], NULL, 0);
    right = status == MW_OK && is_expected(trial);
    if (trial->is_wrong) {
        tap_note("progress does not end with its total");
        right = 0;
    }
    if (!right || (trial->report.temporary_bytes > 0) != row->on_disk) {
        tap_note("%s: %s, %u runs, %u passes", mw_status_text(status),
                 trial->report.message, trial->report.runs, trial->report.passes);
        right = 0;
    }
    tap_ok(tap, right && trial->report.rows_written == trial->expected_rows, row->name, "");
    free(trial->expected);
    free(trial->data);
    free(trial);
    if (system("rm -f in-* out out.npy fifo"))
        tap_note("files are left");
}

/* ---- Cancelling -------------------------------------------------------------------- */

static int end_in(void *phase, const mw_file_progress *progress)
{
    return strcmp(progress->phase, phase) == 0;
}

static void test_cancel(struct tap *tap, const char *phase, mw_context *cpu)
{
    static const char *const inputs[] = {"in"};
    mw_file_report report = MW_FILE_REPORT_INIT;
    mw_file_job job = MW_FILE_JOB_INIT;
    mw_status status;

    if (system("head -c 40000000 /dev/zero >in"))
        tap_note("no input");
    job.order = mw_order_of(MW_U64, MW_ASCENDING);
    job.inputs = inputs;
    job.input_count = 1;
    job.output = "out";
    job.memory_bytes = MIB(4);
    job.progress = end_in;
    job.user = (void *)phase;
    status = mw_sort_file(cpu, &job, &report);
    tap_ok(tap, status == MW_CANCELLED && access("out", F_OK) != 0,
           "cancelled while in phase", phase);
    unlink("in");
}

int main(int argc, char **argv)
{
    struct tap tap = {0};
    mw_context *cpu = NULL, *sim = NULL, *tight = NULL;
    mw_options much = MW_OPTIONS_INIT, little = MW_OPTIONS_INIT;
    char command[2 * sizeof folder + 64];

    signal(SIGPIPE, SIG_IGN);
    snprintf(folder, sizeof folder, "%s/multiway-files-XXXXXX",
             argc > 1 ? argv[1] : "/tmp");
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    much.memory_bytes = MIB(256);
    little.memory_bytes = MIB(3);
    if (!mkdtemp(folder) || chdir(folder) || !getcwd(folder, sizeof folder) ||
        mw_open(&cpu, "cpu:2", NULL) != MW_OK || mw_open(&sim, "sim", &much) != MW_OK ||
        mw_open(&tight, "sim", &little) != MW_OK)
        return 1;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        test_row(&tap, &rows[i], cpu, sim, tight);
    test_cancel(&tap, "sort", cpu);
    test_cancel(&tap, "write", cpu);
    test_cancel(&tap, "sort", sim);
    mw_close(tight);
    mw_close(sim);
    mw_close(cpu);
    snprintf(command, sizeof command, "ls -A %s | head -n 3; rm -rf %s", folder, folder);
    if (system(command))
        return 1;
    return tap_end(&tap);
}
