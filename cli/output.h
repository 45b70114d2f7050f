/*
 * output.h - bytes to files, each of which is either complete or not there.
 *
 * Bytes go to a new file in the same folder, which is renamed at the very end; until
 * then an existing file of that name is untouched, so a file can be sorted onto itself.
 * The new file is removed after a failure or an interrupt. Standard output (`-` or NULL)
 * and devices are written directly. The calls return 0, or not 0 after a complaint.
 */
#ifndef MW_CLI_OUTPUT_H
#define MW_CLI_OUTPUT_H

#include "kit.h"

struct output {
    const char *command;
    const char *name; /* for messages */
    char *target;     /* with links followed; NULL: written directly */
    int file;
    int replaces; /* the target exists, with this mode */
    unsigned mode;
    int slot; /* of the new file's name */
};

enum { OUTPUTS_MOST = 20 }; /* open at once */

/* Decide where to write and refuse what cannot work, before any work is done. */
int output_aim(struct output *output, const char *command, const char *path);

/* Refuse early if the disk has no room for `bytes` bytes; call after output_open. */
int output_room(const struct output *output, uint64_t bytes);

/*
 * Begin, write, finish. After a failure, and instead of finishing: output_drop. Where
 * several files belong together, output_sync all before the first output_finish, which
 * then only renames.
 */
int output_open(struct output *output);
int output_write(struct output *output, const void *bytes, size_t count);
int output_sync(struct output *output);
int output_finish(struct output *output);
void output_drop(struct output *output);

#endif
