/*
 * files.c - a job on files of any size.
 */
#define _GNU_SOURCE /* pthread_setattr_default_np is glibc's own */

#include "files.h"

#include "cli.h"
#include "npy.h"
#include "progress.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREAD_STACK = 1 << 20, PERCENT = 100 };

int file_work_open(struct file_work *files, struct work *work, int argc)
{
    files->work = work;
    files->files = memory_for(work->command, (size_t)argc + 1, sizeof(char *));
    if (files->files)
        memset(files->files, 0, ((size_t)argc + 1) * sizeof(char *));
    return !files->files;
}

void file_work_close(struct file_work *files)
{
    free(files->names);
    free(files->files);
}

/* ---- Options ---------------------------------------------------------------------- */

/* All of a file of names; a NUL follows the last byte. */
static char *read_names(const char *command, const char *path, size_t *bytes)
{
    FILE *const file = is_standard(path) ? stdin : fopen(path, "re");
    size_t room = 1 << 16;
    char *text = file ? malloc(room + 1) : NULL;
    size_t n;

    *bytes = 0;
    while (text && (n = fread(text + *bytes, 1, room - *bytes, file)) > 0) {
        *bytes += n;
        if (*bytes == room) {
            char *const more = realloc(text, 2 * room + 1);

            if (!more)
                free(text);
            text = more;
            room *= 2;
        }
    }
    if (!text || ferror(file)) {
        complain(command, "cannot read %s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (file && file != stdin)
        fclose(file);
    if (text)
        text[*bytes] = '\0';
    return text;
}

static int take_names(struct file_work *files)
{
    const char *const command = files->work->command;
    size_t bytes;
    uint32_t count = 0;

    if (files->files[0])
        return complain(command, "--files0-from and %s: expected one of them",
                        files->files[0]);
    files->names = read_names(command, files->files_from, &bytes);
    if (!files->names)
        return -1;
    for (size_t i = 0; i < bytes; i += strlen(files->names + i) + 1)
        count++;
    free(files->files);
    files->files = memory_for(command, (uint64_t)count + 1, sizeof(char *));
    if (!files->files)
        return -1;
    files->file_count = 0;
    for (size_t i = 0; i < bytes; i += strlen(files->names + i) + 1) {
        if (!files->names[i])
            return complain(command, "%s: name number %u is empty", files->files_from,
                            files->file_count + 1);
        files->files[files->file_count++] = files->names + i;
    }
    return count ? 0 : complain(command, "%s names no file", files->files_from);
}

/* GNU's sizes: KiB without a letter, b is bytes, % a share of the memory. */
static int read_memory(const struct file_work *files, uint64_t *bytes)
{
    static const char letters[] = "bKMGT";
    const char *const text = files->memory;
    char *end = NULL;
    const char *letter;
    unsigned long long number;

    *bytes = 0;
    if (!text)
        return 0;
    errno = 0;
    number = strtoull(text, &end, 10);
    letter = strchr(letters, *end == 'k' ? 'K' : *end ? *end : 'K');
    if (end == text || errno || *text == '-')
        letter = NULL;
    else if (strcmp(end, "%") == 0 && number > 0 && number <= PERCENT)
        *bytes = (uint64_t)((double)machine_memory() * (double)number / PERCENT);
    else if (letter && (!*end || !end[1]) &&
             number <= UINT64_MAX >> 10 * (letter - letters))
        *bytes = (uint64_t)number << 10 * (letter - letters);
    return *bytes ? 0
                  : complain(files->work->command,
                             "--memory %s: expected a size such as 256M, 4G or 50%%", text);
}

static int read_format(struct file_work *files)
{
    files->how = MW_FILE_BY_NAME;
    if (!files->format)
        return 0;
    if (strcmp(files->format, "npy") == 0)
        files->how = MW_FILE_NPY;
    else if (strcmp(files->format, "raw") == 0)
        files->how = MW_FILE_RAW;
    else
        return complain(files->work->command, "--format %s: expected npy or raw",
                        files->format);
    return 0;
}

int file_work_begin(struct file_work *files)
{
    static const char *const standard = "-";
    struct work *const work = files->work;

    if (files->progress && strcmp(files->progress, "json") != 0)
        return complain(work->command, "--progress %s: expected json", files->progress);
    if (read_format(files) || (files->files_from && take_names(files)))
        return -1;
    while (!files->files_from && files->files[files->file_count])
        files->file_count++;
    if (!files->file_count)
        files->files[files->file_count++] = standard;
    return order_from_npy(&work->order, work->command, files->files, files->file_count,
                          files->how);
}

/* ---- Running ---------------------------------------------------------------------- */

/* Was a CPU opened without a number of threads? */
static int is_cpu_of_any_size(const struct work *work)
{
    return strncmp(work->info.device, "cpu", 3) == 0 && !strchr(work->device, ':');
}

/* Worker threads need little stack, and it counts as memory. */
static mw_status open_device(struct file_work *files, mw_context **context)
{
    struct work *const work = files->work;
    pthread_attr_t attributes;
    mw_status status;

    if (strncmp(work->device, "cpu", 3) == 0 && pthread_attr_init(&attributes) == 0) {
        pthread_attr_setstacksize(&attributes, THREAD_STACK);
        pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
    status = device_open(context, work->device, work->cache, &work->tuning);
    if (status == MW_OK)
        status = mw_get_info(*context, &work->info);
    if (status == MW_OK && files->parallel && is_cpu_of_any_size(work)) {
        mw_close(*context);
        snprintf(files->device, sizeof files->device, "cpu:%u", files->parallel);
        status = device_open(context, files->device, work->cache, &work->tuning);
        if (status == MW_OK)
            status = mw_get_info(*context, &work->info);
    }
    return status;
}

static double overlap(const mw_file_report *report)
{
    return report->seconds > 0 ? 1 - report->wait_seconds / report->seconds : 1;
}

static void print_line(const struct file_work *files, const mw_file_report *report)
{
    const struct work *const work = files->work;

    fprintf(stderr,
            "multiway %s: %s (%s): %" PRIu64 " %s in %.6f s, %.3f GB/s, read %" PRIu64
            " and wrote %" PRIu64 " bytes, %u run%s, %u pass%s over temporary files, "
            "%.0f %% overlapped\n",
            work->command, work->info.device, work->info.name, report->rows,
            work->order.what, report->seconds,
            1e-9 * (double)(report->rows * work->order.order->element_bytes) /
                report->seconds,
            report->bytes_read, report->bytes_written, report->runs,
            report->runs == 1 ? "" : "s", report->passes, report->passes == 1 ? "" : "es",
            100 * overlap(report));
}

static void print_json(const struct file_work *files, const mw_file_report *report)
{
    struct work *const work = files->work;
    struct json json = {.to = stderr};

    work->parts = "files";
    work->part_count = files->file_count;
    work->seconds = report->seconds;
    work->counts.count = report->rows;
    work_json_begin(work, &json);
    json_open(&json, "io", '{');
    json_count(&json, "rows_written", report->rows_written);
    json_count(&json, "bytes_read", report->bytes_read);
    json_count(&json, "bytes_written", report->bytes_written);
    json_count(&json, "temporary_bytes", report->temporary_bytes);
    json_count(&json, "memory_bytes", report->memory_bytes);
    json_count(&json, "runs", report->runs);
    json_count(&json, "passes", report->passes);
    json_real(&json, "sort_seconds", report->sort_seconds);
    json_real(&json, "merge_seconds", report->merge_seconds);
    json_real(&json, "wait_seconds", report->wait_seconds);
    json_real(&json, "overlap", overlap(report));
    json_close(&json, '{');
    json_close(&json, '{');
}

static int run_job(struct file_work *files, mw_context *context, const mw_file_job *job)
{
    struct work *const work = files->work;
    mw_file_report report = MW_FILE_REPORT_INIT;
    const mw_status status =
        (files->is_merge ? mw_merge_files : mw_sort_file)(context, job, &report);
    const int is_wanted = progress_close(job->user);

    if (status != MW_OK)
        return complain(work->command, "%s",
                        *report.message ? report.message : mw_status_text(status));
    mw_get_counts(context, &work->counts);
    if (work->json)
        print_json(files, &report);
    else if (work->stats || is_wanted)
        print_line(files, &report);
    return 0;
}

/* Where temporary files go: -T, or TMPDIR, or the library's choice. */
static void choose_folders(const struct file_work *files, mw_file_job *job,
                           const char **folder)
{
    *folder = getenv("TMPDIR");
    job->folders = (const char *const *)files->folders.text;
    job->folder_count = files->folders.count;
    if (!files->folders.count && *folder && **folder) {
        job->folders = folder;
        job->folder_count = 1;
    }
}

int file_work_run(struct file_work *files)
{
    struct work *const work = files->work;
    mw_file_job job = MW_FILE_JOB_INIT;
    struct progress progress;
    mw_context *context = NULL;
    const char *folder;
    mw_status status;
    int bad = 0;

    if (read_memory(files, &job.memory_bytes))
        return -1;
    job.input_format = job.output_format = files->how;
    job.order = work->order.order;
    job.inputs = files->files;
    job.input_count = files->file_count;
    job.output = files->output;
    job.flags = files->is_unique ? MW_FILE_UNIQUE : 0;
    job.io_threads = files->parallel;
    job.progress = progress_show;
    job.user = &progress;
    choose_folders(files, &job, &folder);
    progress_open(&progress, work->command, files->progress, files->is_quiet);
    status = open_device(files, &context);
    if (status != MW_OK)
        bad = complain(work->command, "%s", device_error(context, status));
    else
        bad = work_check_device(work) || run_job(files, context, &job);
    mw_close(context);
    return bad;
}
