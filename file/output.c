/*
 * output.c - an outfile for callers.
 */
#include "outfile.h"

#include <stdlib.h>

struct mw_output {
    struct fault fault;
    struct disk disk;
    struct outfile file;
};

mw_status mw_output_open(mw_output **output, const char *path)
{
    mw_output *const made = calloc(1, sizeof *made);
    mw_status status;

    *output = made;
    if (!made)
        return MW_NO_MEMORY;
    fault_open(&made->fault);
    made->disk.fault = &made->fault;
    status = outfile_open(&made->file, &made->disk, path);
    if (status == MW_OK && !made->file.is_pipe)
        disk_be_buffered(&made->file.file); /* writes need not be aligned */
    return status;
}

mw_status mw_output_finish(mw_output *output)
{
    return outfile_finish(&output->file);
}

void mw_output_close(mw_output *output)
{
    if (!output)
        return;
    outfile_close(&output->file);
    fault_close(&output->fault);
    free(output);
}

const char *mw_output_error(const mw_output *output)
{
    return output->fault.message;
}

int mw_output_descriptor(const mw_output *output)
{
    return output->file.file.fd;
}

const char *mw_output_target(const mw_output *output)
{
    return output->file.target;
}

const char *mw_output_name(const mw_output *output)
{
    return output->file.name;
}
