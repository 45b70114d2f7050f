/*
 * files_faults.c - jobs on files while the system fails: every k-th call in turn.
 *
 * Calls of the system go through the test (-Wl,--wrap). Whichever fails: the job succeeds
 * by another way and its output is right, or it fails with a message, and then the output
 * is absent or the old one, no other file is left, and the inputs are as they were.
 *
 *   files_faults [FOLDER]
 */
#define _GNU_SOURCE

#include "multiway_file.h"

#include "kit.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int armed, calls, fail_at, no_unnamed;

/* Is it this call's turn to fail? */
static int fails(int code)
{
    if (!armed || ++calls != fail_at)
        return 0;
    errno = code;
    return 1;
}

/* NAME, what it returns, its parameters, its arguments, what it returns if it fails. */
#define WRAP(name, type, parameters, arguments, failure, code)  \
    type __real_##name parameters;                              \
    type __wrap_##name parameters;                              \
    type __wrap_##name parameters                               \
    {                                                           \
        return fails(code) ? failure : __real_##name arguments; \
    }

WRAP(malloc, void *, (size_t n), (n), NULL, ENOMEM)
WRAP(calloc, void *, (size_t n, size_t m), (n, m), NULL, ENOMEM)
WRAP(realloc, void *, (void *p, size_t n), (p, n), NULL, ENOMEM)
WRAP(mmap, void *, (void *p, size_t n, int a, int b, int c, off_t d), (p, n, a, b, c, d),
     MAP_FAILED, ENOMEM)
WRAP(pread, ssize_t, (int f, void *p, size_t n, off_t at), (f, p, n, at), -1, EIO)
WRAP(preadv2, ssize_t, (int f, const struct iovec *v, int n, off_t at, int flags),
     (f, v, n, at, flags), -1, EIO)
WRAP(pwrite, ssize_t, (int f, const void *p, size_t n, off_t at), (f, p, n, at), -1, ENOSPC)
WRAP(fsync, int, (int f), (f), -1, EIO)
WRAP(fallocate, int, (int f, int how, off_t at, off_t n), (f, how, at, n), -1, ENOSYS)
WRAP(rename, int, (const char *a, const char *b), (a, b), -1, EACCES)
WRAP(linkat, int, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e), -1,
     EPERM)
WRAP(realpath, char *, (const char *a, char *b), (a, b), NULL, ENOMEM)
WRAP(flock, int, (int f, int how), (f, how), -1, ENOLCK)
WRAP(pthread_create, int,
     (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *p), (t, a, f, p),
     EAGAIN, EAGAIN)

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
    if (fails(EMFILE))
        return -1;
    if (armed && no_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_open(path, flags, 0666);
}

/* ---- Jobs ------------------------------------------------------------------------- */

static const struct job {
    const char *name;
    uint32_t rows;
    int is_merge, replaces, no_unnamed;
    uint64_t memory;
    int is_aboard; /* a device that has room for all rows */
} jobs[] = {
    {"in memory",                3000,  0, 0, 0, 4 << 20, 0},
    {"on disk",                  30000, 0, 0, 0, 2 << 20, 0},
    {"on disk, replacing",       30000, 0, 1, 0, 2 << 20, 0},
    {"named from the beginning", 3000,  0, 1, 1, 4 << 20, 0},
    {"a merge",                  3000,  1, 0, 0, 4 << 20, 0},
    {"aboard a device",          24000, 0, 0, 0, 2 << 20, 1},
};

enum { ROW = 100 };

static unsigned char *input, *sorted;

static void write_file(const char *path, const void *data, size_t bytes)
{
    const int fd = __real_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
        abort();
    close(fd);
}

static int holds(const char *path, const void *data, size_t bytes)
{
    unsigned char *const got = malloc(bytes + 1);
    const int fd = __real_open(path, O_RDONLY);
    const int right = fd >= 0 && read(fd, got, bytes + 1) == (ssize_t)bytes &&
                      memcmp(got, data, bytes) == 0;

    close(fd);
    free(got);
    return right;
}

static int file_count(void)
{
    DIR *const folder = opendir(".");
    int count = 0;

    while (folder && readdir(folder))
        count++;
    closedir(folder);
    return count - 2;
}

/* One job, of which call number `at` fails; returns 0 if everything is as it should be. */
static int run(const struct job *job, mw_context *cpu, const mw_order *order, int at,
               mw_status *status)
{
    static const char *const inputs[] = {"in", "in"};
    const size_t bytes = (size_t)job->rows * ROW;
    mw_file_report report = MW_FILE_REPORT_INIT;
    mw_file_job file = MW_FILE_JOB_INIT;
    int wrong;

    unlink("out");
    if (job->replaces)
        write_file("out", "old", 3);
    file.order = order;
    file.inputs = inputs;
    file.input_count = job->is_merge ? 2 : 1;
    file.output = "out";
    file.memory_bytes = job->memory;
    no_unnamed = job->no_unnamed;
    calls = 0;
    fail_at = at;
    armed = 1;
    *status = (job->is_merge ? mw_merge_files : mw_sort_file)(cpu, &file, &report);
    armed = 0;
    wrong = !holds("in", job->is_merge ? sorted : input, bytes);
    if (*status == MW_OK)
        return wrong || file_count() != 2 ||
               (!job->is_merge && !holds("out", sorted, bytes));
    if (!report.message[0] || (*status != MW_FILE_FAILED && *status != MW_NO_MEMORY))
        wrong = 1;
    return wrong || (job->replaces ? file_count() != 2 || !holds("out", "old", 3)
                                   : file_count() != 1);
}

static void test_job(struct tap *tap, const struct job *job, mw_context *cpu)
{
    const mw_field field = {.type = MW_BYTES, .bytes = 10};
    const size_t bytes = (size_t)job->rows * ROW;
    mw_order order = MW_ORDER_INIT;
    mw_status status;
    int failed = 0, wrong = 0, total = 1;

    order.element_bytes = ROW;
    order.fields = &field;
    order.field_count = 1;
    input = malloc(bytes);
    sorted = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        input[i] = (unsigned char)kit_mix(i);
    memcpy(sorted, input, bytes);
    mw_sort_records(cpu, &order, sorted, job->rows);
    write_file("in", job->is_merge ? sorted : input, bytes);
    for (int at = 0; at <= total; at++) {
        if (run(job, cpu, &order, at, &status)) {
            tap_note("call %d: %s", at, mw_status_text(status));
            wrong++;
        }
        total = at == 0 ? calls + 2 : total;
        failed += status != MW_OK;
    }
    tap_case(tap, !wrong && failed > 10, "%s: %d calls, %d of them end the job", job->name,
             total - 2, failed);
    unlink("in");
    unlink("out");
    free(sorted);
    free(input);
}

int main(int argc, char **argv)
{
    char folder[4096];
    struct tap tap = {0};
    mw_context *cpu = NULL, *sim = NULL;
    mw_options much = MW_OPTIONS_INIT;

    much.memory_bytes = 64 << 20; /* without a limit the simulator keeps no rows */
    snprintf(folder, sizeof folder, "%s/multiway-faults-XXXXXX",
             argc > 1 && access(argv[1], W_OK) == 0 ? argv[1] : "/tmp");
    if (!mkdtemp(folder) || chdir(folder) || !getcwd(folder, sizeof folder) ||
        mw_open(&cpu, "cpu:2", NULL) != MW_OK || mw_open(&sim, "sim", &much) != MW_OK)
        return 1;
    for (size_t i = 0; i < COUNT_OF(jobs); i++)
        test_job(&tap, &jobs[i], jobs[i].is_aboard ? sim : cpu);
    mw_close(sim);
    mw_close(cpu);
    if (chdir("/") || rmdir(folder))
        tap_ok(&tap, 0, "nothing is left", "");
    return tap_end(&tap);
}
