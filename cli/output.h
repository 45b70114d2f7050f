/*
 * output.h - keys to a file that is either complete or not there.
 *
 * Bytes go to a new file in the same folder, which takes the name asked for at
 * the very end; until then what had that name is untouched, so a file can be
 * sorted onto itself. The new file vanishes when anything fails or the program
 * is interrupted. Standard output (`-` or NULL) and devices are written
 * directly. Trouble is complained about here; the calls then return -1.
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
};

/* Decide where to and refuse what cannot work, before any work is done. */
int output_aim(struct output *output, const char *command, const char *path);

/*
 * Refuse to write `bytes` bytes if the disk has no room for them: that is known before
 * it is full. To be asked when it is open; pipes and devices have room for anything.
 */
int output_room(const struct output *output, uint64_t bytes);

/* Begin, write, finish. After a failure, and instead of finishing: output_drop. */
int output_open(struct output *output);
int output_write(struct output *output, const void *bytes, size_t count);
int output_finish(struct output *output);
void output_drop(struct output *output);

#endif
