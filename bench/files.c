/*
 * files.c - the files of a run: TSV of times and of launches, which grow as it goes, so
 * that an interrupted run leaves what it measured; and JSON, written at the end.
 */
#define _XOPEN_SOURCE 700 /* fdopen, ftruncate, realpath */

#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int cannot_write(const char *path)
{
    return complain("bench", "cannot write %s: %s", path, strerror(errno));
}

/* The file keeps its contents until files_begin. */
static int open_file(struct file *file)
{
    struct stat about;
    int is_new;
    int number;

    if (!file->path)
        return 0;
    is_new = stat(file->path, &about) != 0;
    number = open(file->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (number < 0)
        return cannot_write(file->path);
    if (is_new) /* the path may be a link, which must stay */
        file->created = realpath(file->path, NULL);
    file->to = fdopen(number, "w");
    if (file->to)
        return 0;
    cannot_write(file->path);
    close(number);
    return -1;
}

/* Devices and pipes may have two names in one run; a regular file may not. */
static int same_file(const char *a, const char *b)
{
    struct stat is;
    struct stat also;

    return a && b && stat(a, &is) == 0 && stat(b, &also) == 0 && S_ISREG(is.st_mode) &&
           is.st_dev == also.st_dev && is.st_ino == also.st_ino;
}

int files_open(struct run *run)
{
    const struct wish *const wish = &run->wish;
    const struct field_text files[] = {
        [FILE_TSV] = {"tsv",        wish->tsv     },
        [FILE_LAUNCHES] = {"phases-tsv", wish->launches},
        [FILE_JSON] = {"json",       wish->json    },
        [FILE_COUNT] = {"report",     wish->report  }, /* opened at the end of the run */
    };

    for (int i = 0; i < FILE_COUNT; i++) {
        run->files[i].path = files[i].text;
        if (open_file(&run->files[i]))
            return -1;
    }
    /* All but the report exist by now, so a name of one of them is found by stat. */
    for (int i = 0; i <= FILE_COUNT; i++) {
        for (int j = 0; j < i; j++) {
            if (same_file(files[i].text, files[j].text))
                return complain("bench", "--%s %s and --%s %s are the same file",
                                files[j].name, files[j].text, files[i].name, files[i].text);
        }
    }
    return 0;
}

/* Devices and pipes cannot be emptied. */
static int empty_file(const struct file *file)
{
    struct stat about;

    if (!file->to || (fstat(fileno(file->to), &about) == 0 && !S_ISREG(about.st_mode)))
        return 0;
    return ftruncate(fileno(file->to), 0) == 0 ? 0 : cannot_write(file->path);
}

/* Control characters, which would break a line of TSV, become blanks. */
static void write_header(const struct run *run, FILE *to)
{
    for (int i = 0; i < HEADER_LINES; i++) {
        fprintf(to, "# %s: ", run->header[i].name);
        for (const char *c = run->header[i].text; *c; c++)
            putc(*c < ' ' && *c >= 0 ? ' ' : *c, to);
        putc('\n', to);
    }
}

static void describe(struct run *run)
{
    const struct stage *const stage = &run->stage;
    const time_t now = time(NULL);
    size_t used = (size_t)snprintf(run->command, sizeof run->command, "multiway bench");

    for (char **a = run->wish.arguments; *a && used < sizeof run->command; a++)
        used +=
            (size_t)snprintf(run->command + used, sizeof run->command - used, " %s", *a);
    strftime(run->date, sizeof run->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));

    const struct field_text header[HEADER_LINES] = {
        {"machine", stage->info.name                         },
        {"device",  stage->info.device                       },
        {"driver",  stage->info.driver                       },
        {"clocks",  stage->clocks                            },
        {"rivals",  stage->plugin ? stage->plugin->built : ""},
        {"date",    run->date                                },
        {"commit",  run->wish.commit                         },
        {"command", run->command                             },
        {"times",   stage_clock(stage)                       }
    };

    memcpy(run->header, header, sizeof header);
}

int files_begin(struct run *run)
{
    FILE *const tsv = run->files[FILE_TSV].to;
    FILE *const launches = run->files[FILE_LAUNCHES].to;

    for (int i = 0; i < FILE_COUNT; i++) {
        if (empty_file(&run->files[i]))
            return -1;
    }
    run->begun = 1;
    describe(run);
    if (tsv) {
        write_header(run, tsv);
        for (int i = 0; i < run->field.count; i++)
            fprintf(tsv, "# %s: %s\n", run->field.list[i].name, run->field.list[i].about);
        fprintf(tsv, "# %u trials after %d warm-ups; ratio: median / median of %s\n%s\n",
                (unsigned)run->stage.trials, WARM_UPS, run->field.list[0].name,
                "type\tshape\tcount\tcontestant\tmedian_ms\tmean_ms\tmin_ms\tmax_ms\t"
                "trials\tgkeys_s\tratio\tverified\tworkspace_bytes\tjob");
    }
    if (launches) {
        write_header(run, launches);
        fprintf(launches, "# %u sorts; events around every launch\n%s\n",
                (unsigned)run->stage.trials,
                "type\tshape\tcount\tcontestant\tpass\tkernel\tblocks\tthreads\tmedian_ms\t"
                "job");
    }
    return 0;
}

/* The columns from the type to the throughput. */
static void write_times(const struct run *run, const struct one_case *what,
                        const char *shape, const char *who, const struct times *ms)
{
    fprintf(run->files[FILE_TSV].to, "%s\t%s\t%llu\t%s\t%.6f\t%.6f\t%.6f\t%.6f\t%u\t%.4f\t",
            mw_type_name(what->type), shape, (unsigned long long)what->count, who,
            ms->median, ms->mean, ms->least, ms->most, (unsigned)run->stage.trials,
            1e-6 * (double)what->count / ms->median);
}

void files_copy(struct run *run, const struct one_case *what, const struct copy *copy)
{
    if (!run->files[FILE_TSV].to)
        return;
    write_times(run, what, "-", "copy", &copy->ms);
    fputs("-\t-\t0\t-\n", run->files[FILE_TSV].to);
}

static void write_launches(const struct entry *entry, FILE *to)
{
    for (size_t l = 0; l < entry->result->launch_count; l++) {
        const mw_launch *const launch = &entry->result->launches[l];

        char job[JOB_TEXT];

        fprintf(to, "%s\t%s\t%llu\t%s\t%u\t%s\t%llu\t%u\t%.6f\t%s\n",
                mw_type_name(entry->what.type), entry->what.shape->name,
                (unsigned long long)entry->what.count, entry->name, (unsigned)launch->round,
                launch->kernel, (unsigned long long)launch->blocks,
                (unsigned)launch->threads, launch->milliseconds,
                job_text(entry->what.task, job));
    }
    fflush(to);
}

/* A result without a time has no line in the TSV; the table and the JSON say why. */
void files_result(struct run *run, int number)
{
    const struct entry entry = run_entry(run, number);
    FILE *const to = run->files[FILE_TSV].to;
    char job[JOB_TEXT];

    if (run->files[FILE_LAUNCHES].to)
        write_launches(&entry, run->files[FILE_LAUNCHES].to);
    if (!to || !(entry.result->ms.median > 0))
        return;
    write_times(run, &entry.what, entry.what.shape->name, entry.name, &entry.result->ms);
    fprintf(to, entry.ratio > 0 ? "%.4f" : "-", entry.ratio);
    fprintf(to, "\t%s\t%llu\t%s\n", outcome_names[entry.result->outcome],
            (unsigned long long)entry.result->workspace_bytes,
            job_text(entry.what.task, job));
    fflush(to);
}

int files_close(struct run *run)
{
    int failed = 0;

    if (run->begun && run->files[FILE_JSON].to)
        run_json(run, run->files[FILE_JSON].to);
    for (int i = 0; i < FILE_COUNT; i++) {
        struct file *const file = &run->files[i];

        if (file->to && (ferror(file->to) | (fclose(file->to) != 0)))
            failed = cannot_write(file->path);
        if (!run->begun && file->created)
            unlink(file->created);
        free(file->created);
    }
    return failed;
}
