/*
 * input.h - elements from a file, or from standard input if the name is `-` or NULL: piece
 * by piece, or all at once. The calls return 0, or not 0 after a complaint.
 */
#ifndef MW_CLI_INPUT_H
#define MW_CLI_INPUT_H

#include "kit.h"
#include "multiway_file.h"

struct input {
    const char *command;
    const char *name; /* for messages */
    uint32_t bytes;   /* of an element */
    const char *what; /* the elements are, for messages: "u64 keys" */
    int file;
    uint64_t count; /* elements read so far */
};

/* Of a file in NumPy's format, which standard input cannot have, the header is skipped. */
int input_open(struct input *input, const char *command, const char *path,
               mw_file_format format, uint32_t bytes, const char *what);
void input_close(struct input *input);

/* Read up to `count` elements; `*got` is less only at the end. Half of one is an error. */
int input_read(struct input *input, void *elements, uint64_t count, uint64_t *got);

/* Read everything into `*elements`, to be freed by the caller. */
int input_all(struct input *input, void **elements, uint64_t *count);

/* Let that many inputs be open at once, as far as the system does. */
void input_allow(uint32_t inputs);

/* Is that the name of standard input, or of standard output? */
int is_standard(const char *path);

#endif
