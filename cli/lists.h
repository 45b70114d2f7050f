/*
 * lists.h - sorted files as lists of a job: what merge and split have in common.
 */
#ifndef MW_CLI_LISTS_H
#define MW_CLI_LISTS_H

#include "work.h"

struct list_files {
    const char **files; /* room for all arguments; the named ones come first */
    struct source *sources;
    mw_table *tables;
    uint64_t rows; /* of all */
};

/* Room for the names of files; list_files_close in any case. */
int list_files_open(struct list_files *lists, const char *command, int argc);
void list_files_close(struct list_files *lists);

/* Make the named files, or standard input, the sources of `work`. */
int list_files_begin(struct list_files *lists, struct work *work);

/* Check that all are sorted, and make them the tables of the job. */
int list_files_prepare(struct list_files *lists, struct work *work, mw_context *context);

#endif
