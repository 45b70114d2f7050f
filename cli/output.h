/*
 * output.h - bytes to files, each of which is either complete or not there.
 *
 * An existing file of that name is untouched until the new one is finished, so a file can
 * be sorted onto itself (multiway_file.h, mw_output_open). Standard output (`-` or NULL)
 * and devices are written directly. The calls return 0, or not 0 after a complaint.
 */
#ifndef MW_CLI_OUTPUT_H
#define MW_CLI_OUTPUT_H

#include "kit.h"
#include "multiway_file.h"

struct output {
    const char *command;
    const char *name; /* for messages */
    mw_output *own;
    int file; /* its descriptor */
    int slot; /* 1 + that of its name for the signal handler, or 0 */
};

enum { OUTPUTS_MOST = 20 }; /* open at once */

/* Does the name end in .npy? */
int path_is_npy(const char *path);

/* Make the file, and refuse what cannot work, before any work is done. */
int output_open(struct output *output, const char *command, const char *path);

/* Refuse early if the disk has no room for `bytes` bytes. */
int output_room(const struct output *output, uint64_t bytes);

/*
 * Write, finish. After a failure, and instead of finishing: output_drop. Where several
 * files belong together, output_sync all before the first output_finish.
 */
int output_write(struct output *output, const void *bytes, size_t count);
int output_sync(struct output *output);
int output_finish(struct output *output);
void output_drop(struct output *output);

/* Do both write to the same file? */
int output_is_same(const struct output *a, const struct output *b);

#endif
