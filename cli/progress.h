/*
 * progress.h - how far a job on files is, and signals that end it.
 */
#ifndef MW_CLI_PROGRESS_H
#define MW_CLI_PROGRESS_H

#include "multiway_file.h"

struct progress {
    const char *command;
    enum { PROGRESS_NONE, PROGRESS_SUMMARY, PROGRESS_TERMINAL, PROGRESS_JSON } kind;
    double started, shown;
    int is_open; /* a line without its end is on the terminal */
};

/* Watch signals, and choose how to show progress: `how` is "json" or NULL. */
void progress_open(struct progress *progress, const char *command, const char *how,
                   int is_quiet);

/* The callback of a job: not 0 once a signal has come. */
int progress_show(void *progress, const mw_file_progress *at);

/*
 * End the line on the terminal; die of the signal, if one has come. Returns whether a
 * summary is wanted: instead of progress, or after some on a terminal.
 */
int progress_close(struct progress *progress);

#endif
