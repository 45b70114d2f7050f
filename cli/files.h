/*
 * files.h - a job on files of any size: what sort and merge have in common.
 */
#ifndef MW_CLI_FILES_H
#define MW_CLI_FILES_H

#include "work.h"

/* The first part is set by options. */
struct file_work {
    struct work *work; /* order, device, figures */
    const char **files;
    uint32_t file_count;
    const char *output;
    const char *files_from; /* --files0-from */
    const char *memory;
    struct texts folders;
    uint32_t parallel;
    const char *format;
    const char *progress;
    int is_quiet;
    int is_unique;
    int is_merge;

    char device[32];
    char *names; /* what --files0-from holds */
    mw_file_format how; /* --format */
};

/* clang-format off */
#define FILE_OPTIONS(f)                                                                  \
    {"memory",  'S', "SIZE", OPTION_TEXT,   &(f).memory,     0,                          \
     "most memory of the host: 256M, 4G, 25%"},                                                      \
    {"temporary", 'T', "DIR", OPTION_LIST,  &(f).folders,    0,                          \
     "for temporary files; several take turns"},                                         \
    {"parallel", 0, "N",     OPTION_NUMBER, &(f).parallel,   0, "threads on the CPU"},   \
    {"files0-from", 0, "FILE", OPTION_TEXT, &(f).files_from, 0,                          \
     "read names of inputs, each with a NUL after it"},                                  \
    {"format",   0, "NAME",  OPTION_TEXT,   &(f).format,     0,                          \
     "npy or raw (npy if a name ends in .npy)"},                                         \
    {"unique",  'u', NULL,   OPTION_FLAG,   &(f).is_unique,  0,                          \
     "only the first of equal rows"},                                                    \
    {"progress", 0, "json",  OPTION_TEXT,   &(f).progress,   0,                          \
     "lines of JSON on standard error"},                                                 \
    {"quiet",   'q', NULL,   OPTION_FLAG,   &(f).is_quiet,   0,                          \
     "neither progress nor a summary"}
/* clang-format on */

/* Room for `argc` names in `files`; file_work_close in any case. */
int file_work_open(struct file_work *files, struct work *work, int argc);
void file_work_close(struct file_work *files);

/* Names from --files0-from, and the order from a .npy file where no option says it. */
int file_work_begin(struct file_work *files);

/* Sort or merge. Returns 0, or not 0 after a complaint. */
int file_work_run(struct file_work *files);

#endif
