/*
 * input.h - keys from a file, or from standard input if the name is `-` or NULL: piece
 * by piece, or all at once. The calls return 0, or not 0 after a complaint.
 */
#ifndef MW_CLI_INPUT_H
#define MW_CLI_INPUT_H

#include "kit.h"

struct input {
    const char *command;
    const char *name; /* for messages */
    mw_type type;
    int file;
    uint64_t count; /* keys read so far */
};

int input_open(struct input *input, const char *command, const char *path, mw_type type);
void input_close(struct input *input);

/* Read up to `count` keys; `*got` is less only at the end. Half a key is an error. */
int input_read(struct input *input, void *keys, uint64_t count, uint64_t *got);

/* Read everything into `*keys`, to be freed by the caller. */
int input_all(struct input *input, void **keys, uint64_t *count);

#endif
