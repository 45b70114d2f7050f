/*
 * sort_file.c - mw_sort_file and mw_merge_files: check the job, form runs, merge them, and
 * give the output its name.
 */
#include "form.h"
#include "merge.h"
#include "npy.h"
#include "rounds.h"

#include <stdio.h>
#include <string.h>

/* What a caller says, as this version has it; an older caller's struct is shorter. */
static mw_status read_job(mw_file_job *own, const mw_file_job *job)
{
    const size_t known = sizeof *own;

    if (!job || job->size < sizeof job->size)
        return MW_BAD_ARGUMENT;
    for (size_t i = known; i < job->size; i++) {
        if (((const unsigned char *)job)[i])
            return MW_BAD_ARGUMENT;
    }
    memset(own, 0, known);
    memcpy(own, job, job->size < known ? job->size : known);
    return MW_OK;
}

/* A .npy output whose rows are not known beforehand cannot go to a pipe. */
static mw_status check_output(struct errand *errand, int is_merge)
{
    const mw_file_job *const job = errand->job;

    const int is_known = errand->inputs.is_known && !(job->flags & MW_FILE_UNIQUE);

    if (errand->output.is_pipe && !is_known &&
        (is_merge || (job->flags & MW_FILE_UNIQUE)) &&
        npy_is_named(job->output, job->output_format))
        return fault_note(&errand->fault, MW_FILE_FAILED,
                          "the header of a .npy file has the number of rows, which is not "
                          "known beforehand (name an output file)");
    return is_known ? outfile_room(&errand->output, errand->inputs.total) : MW_OK;
}

static mw_status sort_all(struct errand *errand)
{
    mw_status status;

    TRY(check_output(errand, 0));
    if (errand->inputs.is_known)
        errand->total = 2 * errand->inputs.total;
    TRY(form_runs(errand));
    errand->total = 2 * errand->inputs.taken;
    TRY(merge_runs(errand));
    errand->phase = "write";
    errand->told = 0;
    TRY(errand_tell(errand, 0));
    TRY(outfile_finish(&errand->output));
done:
    return status;
}

/* Every input is a run; only those of known length have a number of rows. */
static mw_status merge_all(struct errand *errand)
{
    struct inputs *const inputs = &errand->inputs;
    mw_status status;

    TRY(check_output(errand, 1));
    for (uint32_t i = 0; i < inputs->count; i++) {
        struct input *const input = &inputs->input[i];
        const struct run run = {.rows = input->is_regular ? input->bytes / errand->row_bytes
                                                          : 0,
                                .input = input,
                                .at = input->start};

        if (run.rows || !input->is_regular)
            TRY(runs_add(errand, run));
        errand->report->rows += run.rows;
    }
    errand->total = inputs->is_known ? inputs->total : 0;
    TRY(errand_reserve(errand, rounds_most_memory(errand), 0));
    TRY(merge_runs(errand));
    TRY(inputs_verify(inputs));
    TRY(outfile_finish(&errand->output));
done:
    return status;
}

static mw_status run(mw_context *context, const mw_file_job *job, mw_file_report *report,
                     mw_status (*all)(struct errand *))
{
    mw_file_report own_report = MW_FILE_REPORT_INIT;
    mw_file_job own = MW_FILE_JOB_INIT;
    struct errand errand;
    mw_status status = read_job(&own, job);

    if (status == MW_OK) {
        status = errand_open(&errand, context, &own, &own_report);
        if (status == MW_OK)
            status = all(&errand);
        if (status == MW_OK && own_report.rows == 0)
            own_report.rows = own_report.rows_written;
        errand_close(&errand, status);
    }
    if (status != MW_OK && !own_report.message[0])
        snprintf(own_report.message, sizeof own_report.message,
                 "job is NULL, or a byte of "
                 "it is set that this version does not know");
    if (report) {
        const size_t size = report->size;
        const size_t known = size < sizeof own_report ? size : sizeof own_report;

        memcpy(report, &own_report, known);
        report->size = size;
    }
    return status;
}

mw_status mw_sort_file(mw_context *context, const mw_file_job *job, mw_file_report *report)
{
    return run(context, job, report, sort_all);
}

mw_status mw_merge_files(mw_context *context, const mw_file_job *job,
                         mw_file_report *report)
{
    return run(context, job, report, merge_all);
}
