/*
 * 16_file.c - sort a file that need not fit into memory.
 *
 * The job has 8 MiB of memory for 16 MB of records. Sorted runs go to temporary files
 * without a name; the output appears under its name when it is complete.
 */
#include <multiway_file.h>

#include <stdio.h>

enum { RECORDS = 500000 };

struct record {
    uint32_t key;
    uint32_t number;
    char rest[24];
};

/* Called several times a second; returning 1 would cancel the job. */
static int show(void *user, const mw_file_progress *progress)
{
    (void)user;
    printf("%s: %.0f of %.0f MB\n", progress->phase, 1e-6 * (double)progress->done,
           1e-6 * (double)progress->total);
    return 0;
}

static int is_sorted(const char *path)
{
    FILE *const file = fopen(path, "rb");
    struct record last = {0, 0, ""}, next;
    uint32_t count = 0;

    while (file && fread(&next, sizeof next, 1, file) == 1) {
        if (next.key < last.key || (next.key == last.key && next.number < last.number))
            break;
        last = next;
        count++;
    }
    if (file)
        fclose(file);
    return count == RECORDS;
}

int main(void)
{
    static const char *const inputs[] = {"16_file.bin"};
    const mw_field key = {0, 0, MW_U32, 0, MW_ASCENDING, 0}; /* the first four bytes */
    mw_order order = MW_ORDER_INIT;
    mw_file_job job = MW_FILE_JOB_INIT;
    mw_file_report report = MW_FILE_REPORT_INIT;
    mw_context *context;
    mw_status status;
    FILE *file = fopen(inputs[0], "wb");

    for (uint32_t i = 0; file && i < RECORDS; i++) {
        const struct record record = {i * 2654435761u % 1000, i, "any other bytes"};

        fwrite(&record, sizeof record, 1, file);
    }
    if (!file || fclose(file) != 0)
        return 1;

    order.element_bytes = sizeof(struct record);
    order.fields = &key;
    order.field_count = 1;
    job.order = &order;
    job.inputs = inputs;
    job.input_count = 1;
    job.output = inputs[0]; /* an output may be an input */
    job.memory_bytes = 8 << 20;
    job.progress = show;

    status = mw_open(&context, "auto", NULL);
    if (status == MW_OK)
        status = mw_sort_file(context, &job, &report);
    mw_close(context);
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), report.message);
    else
        printf("%u runs, %.0f MB read, %.0f MB written\n", report.runs,
               1e-6 * (double)report.bytes_read, 1e-6 * (double)report.bytes_written);
    status = status == MW_OK && is_sorted(job.output) ? MW_OK : MW_FILE_FAILED;
    remove(inputs[0]);
    return status != MW_OK;
}
