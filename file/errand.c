/*
 * errand.c - the state of one job on files: open, close, memory, progress.
 */
#define _GNU_SOURCE /* madvise and MAP_NORESERVE are Linux's own */

#include "errand.h"

#include "aboard.h"
#include "budget.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

enum {
    BUDGET_LEAST = 2 << 20,
    NARROW_MOST = 16, /* bytes of a row that is moved while it is sorted */
    THREADS_LEAST = 4,
    THREADS_MOST = 16,
    OTHER_FILES = 64, /* temporaries, devices, libraries */
    PATIENCE = 100,   /* ms between two looks at progress */
    SIM_MOST = 1 << 30
};

double now_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- Opening ---------------------------------------------------------------------- */

static mw_status check_job(struct errand *errand, const mw_file_job *job)
{
    const mw_order *const order = job->order;
    uint32_t pipes = 0;

    if (!order || order->element_bytes == 0 || order->element_bytes > ROW_MOST)
        return fault_note(&errand->fault, MW_BAD_ARGUMENT,
                          "order is NULL, or its elements do not have 1 to %d bytes",
                          ROW_MOST);
    if (!job->inputs || job->input_count == 0)
        return fault_note(&errand->fault, MW_BAD_ARGUMENT, "no input is named");
    for (uint32_t i = 0; i < job->input_count; i++)
        pipes += strcmp(job->inputs[i], "-") == 0;
    if (pipes > 1)
        return fault_note(&errand->fault, MW_BAD_ARGUMENT,
                          "standard input is read twice (name a file)");
    if (job->memory_bytes && job->memory_bytes < BUDGET_LEAST)
        return fault_note(&errand->fault, MW_BAD_ARGUMENT,
                          "the memory limit is %" PRIu64 " bytes (expected at least %d)",
                          job->memory_bytes, BUDGET_LEAST);
    if (job->flags & ~(uint32_t)MW_FILE_UNIQUE)
        return fault_note(&errand->fault, MW_BAD_ARGUMENT, "flags is %u (expected %d or 0)",
                          job->flags, MW_FILE_UNIQUE);
    if ((job->flags & MW_FILE_UNIQUE) && !order->field_count && !order->less_on_host)
        return fault_note(&errand->fault, MW_UNSUPPORTED,
                          "MW_FILE_UNIQUE needs an order of fields or less_on_host");
    return MW_OK;
}

mw_status errand_note(struct errand *errand, mw_context *context, mw_status status)
{
    if (status != MW_OK)
        fault_note(&errand->fault, status, "%s",
                   *mw_error(context) ? mw_error(context) : mw_status_text(status));
    return status;
}

/* Files are merged at the speed of the disk, so a GPU would gain nothing. */
static mw_status open_merger(struct errand *errand)
{
    const int is_text = !errand->order->field_count && !errand->order->less_on_host;
    mw_info info = MW_INFO_INIT;
    mw_status status;

    TRY(errand_note(errand, errand->context, mw_get_info(errand->context, &info)));
    errand->context_is_cpu = strncmp(info.device, "cpu", 3) == 0;
    errand->chunk_most = (uint64_t)UINT32_MAX; /* positions have 4 bytes */
    if (!errand->context_is_cpu && info.memory_bytes / 4 < errand->chunk_most)
        errand->chunk_most = info.memory_bytes ? info.memory_bytes / 4 : SIM_MOST;
    errand->aboard_most = info.memory_bytes / 2; /* 0 in the simulator, ... */
    if (info.memory_limit &&
        (info.memory_limit < errand->aboard_most || !info.memory_bytes))
        errand->aboard_most = info.memory_limit; /* ... unless the caller allows more */
    errand->merger = errand->context;
    errand->merger_is_cpu = errand->context_is_cpu;
    if (errand->context_is_cpu || is_text)
        goto done;
    errand->merger = NULL;
    errand->merger_is_own = errand->merger_is_cpu = 1;
    TRY(errand_note(errand, errand->merger, mw_open(&errand->merger, "cpu", NULL)));
done:
    return status;
}

/* Let all inputs be open at once, as far as the system does. */
static void allow_files(uint32_t inputs)
{
    const rlim_t wanted = 2 * (rlim_t)inputs + OTHER_FILES;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit); /* if this fails, opening says so */
    }
}

/* One for each processor, if the stacks of all are a small part of the memory. */
static uint32_t thread_count(const mw_file_job *job, uint64_t budget)
{
    const uint64_t wanted = job->io_threads ? job->io_threads : budget_processors();
    const uint64_t most = budget / (8 * CREW_STACK);
    const uint64_t count = wanted < most ? wanted : most;

    return count > THREADS_MOST    ? THREADS_MOST
           : count < THREADS_LEAST ? THREADS_LEAST
                                   : (uint32_t)count;
}

mw_status errand_open(struct errand *errand, mw_context *context, const mw_file_job *job,
                      mw_file_report *report)
{
    uint32_t threads;
    mw_status status;

    *errand = (struct errand){.job = job,
                              .report = report,
                              .context = context,
                              .order = job->order,
                              .output.file = DISK_FILE_INIT,
                              .phase = "sort",
                              .started = now_seconds()};
    fault_open(&errand->fault);
    errand->disk.fault = &errand->fault;
    TRY(check_job(errand, job));
    errand->row_bytes = job->order->element_bytes;
    errand->is_wide = errand->row_bytes > NARROW_MOST;
    errand->budget = job->memory_bytes ? job->memory_bytes : budget_default();
    if (errand->budget < BUDGET_LEAST)
        errand->budget = BUDGET_LEAST;
    threads = thread_count(job, errand->budget);
    errand->budget -= (uint64_t)threads * CREW_STACK;
    allow_files(job->input_count);
    TRY(outfile_open(&errand->output, &errand->disk, job->output));
    TRY(inputs_open(&errand->inputs, &errand->disk, job));
    TRY(open_merger(errand));
    TRY(crew_open(&errand->crew, threads, &errand->fault));
    errand->temporary_count = job->folder_count ? job->folder_count : 1;
    errand->temporaries = calloc(errand->temporary_count, sizeof *errand->temporaries);
    if (!errand->temporaries)
        status = fault_note(&errand->fault, MW_NO_MEMORY, "no memory for %u folders",
                            errand->temporary_count);
    for (uint32_t i = 0; errand->temporaries && i < errand->temporary_count; i++)
        errand->temporaries[i].file = (struct disk_file)DISK_FILE_INIT;
done:
    return status;
}

void errand_stop(struct errand *errand)
{
    crew_close(errand->crew);
    errand->crew = NULL;
}

void errand_close(struct errand *errand, mw_status status)
{
    mw_file_report *const report = errand->report;

    crew_close(errand->crew);
    if (status != MW_OK) {
        fault_note(&errand->fault, status, "%s", mw_status_text(status));
        snprintf(report->message, sizeof report->message, "%s", errand->fault.message);
    }
    report->bytes_read = errand->disk.bytes_read;
    report->bytes_written = errand->disk.bytes_written;
    report->memory_bytes = errand->memory_bytes;
    report->seconds = now_seconds() - errand->started;
    aboard_close(errand);
    inputs_close(&errand->inputs);
    outfile_close(&errand->output);
    for (uint32_t i = 0; errand->temporaries && i < errand->temporary_count; i++) {
        disk_close(&errand->temporaries[i].file);
        free(errand->temporaries[i].name);
    }
    free(errand->temporaries);
    free(errand->runs.run);
    if (errand->memory)
        munmap(errand->memory, errand->memory_bytes);
    if (errand->merger_is_own)
        mw_close(errand->merger);
    fault_close(&errand->fault);
}

/* ---- Memory ----------------------------------------------------------------------- */

mw_status errand_reserve(struct errand *errand, uint64_t bytes, uint64_t sequential)
{
    void *memory;

    bytes = disk_round_up(bytes);
    if (errand->memory)
        munmap(errand->memory, errand->memory_bytes);
    errand->memory = NULL;
    errand->memory_used = 0;
    memory = bytes < SIZE_MAX ? mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                              : MAP_FAILED;
    if (memory == MAP_FAILED)
        return fault_note(&errand->fault, MW_NO_MEMORY,
                          "no memory for %" PRIu64 " bytes (allow less)", bytes);
    errand->memory = memory;
    errand->memory_bytes = bytes;
#if defined(MADV_HUGEPAGE)
    sequential = disk_round_up(sequential);
    madvise((char *)memory + sequential, bytes - sequential, MADV_HUGEPAGE);
#endif
    return MW_OK;
}

void *errand_take(struct errand *errand, uint64_t bytes)
{
    void *const taken = errand->memory + errand->memory_used;

    errand->memory_used += disk_round_up(bytes);
    assert(errand->memory_used <= errand->memory_bytes);
    return taken;
}

/* ---- Jobs ------------------------------------------------------------------------- */

static int is_cpu(const struct errand *errand, const mw_context *context)
{
    return context == errand->context ? errand->context_is_cpu : errand->merger_is_cpu;
}

mw_status errand_scratch(struct errand *errand, mw_context *context, const mw_job *job,
                         uint64_t *bytes)
{
    *bytes = 0;
    if (!is_cpu(errand, context))
        return MW_OK;
    return errand_note(errand, context, mw_prepare(context, job, bytes));
}

mw_status errand_run(struct errand *errand, mw_context *context, const mw_job *job,
                     void *scratch, uint64_t bytes)
{
    return errand_note(errand, context,
                       is_cpu(errand, context)
                           ? mw_enqueue(context, job, bytes ? scratch : NULL, bytes, NULL)
                           : mw_run(context, job));
}

/* ---- Progress, waiting ------------------------------------------------------------ */

mw_status errand_tell(struct errand *errand, uint64_t done)
{
    const mw_file_job *const job = errand->job;
    const double now = now_seconds();
    const mw_file_progress progress = {sizeof progress, errand->phase, errand->done + done,
                                       errand->total};

    errand->done += done;
    if (!job->progress || now - errand->told < 1e-3 * PATIENCE)
        return fault_status(&errand->fault);
    errand->told = now;
    if (job->progress(job->user, &progress))
        return fault_note(&errand->fault, MW_CANCELLED, "cancelled");
    return fault_status(&errand->fault);
}

mw_status errand_wait(struct errand *errand, const struct tally *tally, uint32_t left)
{
    const double before = now_seconds();
    mw_status status = MW_OK;
    int is_done = 0;

    while (status == MW_OK && !is_done) {
        is_done = crew_wait(errand->crew, tally, left, PATIENCE);
        status = errand_tell(errand, 0);
    }
    errand->report->wait_seconds += now_seconds() - before;
    return status;
}

/* ---- Runs ------------------------------------------------------------------------- */

mw_status runs_add(struct errand *errand, struct run run)
{
    struct runs *const runs = &errand->runs;

    if (runs->count == runs->room) {
        const uint32_t room = runs->room ? 2 * runs->room : 64;
        struct run *const more = realloc(runs->run, room * sizeof *more);

        if (!more)
            return fault_note(&errand->fault, MW_NO_MEMORY, "no memory for %u runs", room);
        runs->run = more;
        runs->room = room;
    }
    runs->run[runs->count++] = run;
    return MW_OK;
}

/* The default folder for temporaries: the output's, which needs as much room. */
static const char *folder_of(const struct errand *errand, uint32_t i)
{
    if (errand->job->folder_count)
        return errand->job->folders[i];
    return !errand->output.folder   ? "/tmp"
           : *errand->output.folder ? errand->output.folder
                                    : "/";
}

mw_status errand_place(struct errand *errand, struct run *run)
{
    const uint32_t turn = errand->temporary_turn++ % errand->temporary_count;
    struct temporary *const temporary = &errand->temporaries[turn];
    const uint64_t bytes = run->rows * errand->row_bytes;

    if (temporary->file.fd < 0) {
        const char *const folder = folder_of(errand, turn);
        const char words[] = "a temporary file in ";

        temporary->name = malloc(sizeof words + strlen(folder));
        if (!temporary->name)
            return fault_note(&errand->fault, MW_NO_MEMORY, "no memory for a name");
        sprintf(temporary->name, "%s%s", words, folder);
        if (disk_open_unnamed(&errand->disk, &temporary->file, folder))
            return fault_status(&errand->fault);
        temporary->file.name = temporary->name;
    }
    run->temporary = temporary;
    run->at = temporary->end;
    temporary->end += disk_round_up(bytes);
    errand->report->temporary_bytes += bytes;
    return MW_OK;
}

void runs_replace(struct runs *runs, uint32_t first, uint32_t count, struct run by)
{
    runs->run[first] = by;
    memmove(&runs->run[first + 1], &runs->run[first + count],
            (runs->count - first - count) * sizeof by);
    runs->count -= count - 1;
}
