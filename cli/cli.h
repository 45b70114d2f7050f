/*
 * cli.h - what the commands of `multiway` have in common.
 *
 * A command takes its own arguments (argv[0] is its name) and returns the exit
 * status. Results go to standard output. An error is one line on standard error that
 * begins with the command's name.
 */
#ifndef MW_CLI_H
#define MW_CLI_H

#include "kit.h"

enum {
    EXIT_FINE = 0,
    EXIT_NO = 1,     /* the question was answered, with no */
    EXIT_TROUBLE = 2 /* wrong usage or a failure */
};

int command_gen(int argc, char **argv);
int command_sort(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_top(int argc, char **argv);
int command_split(int argc, char **argv);
int command_check(int argc, char **argv);
int command_count(int argc, char **argv);
int command_model(int argc, char **argv);
int command_info(int argc, char **argv);
int command_tune(int argc, char **argv);

/* Write "multiway <command>: ..." and return EXIT_TROUBLE. `command` may be NULL. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int complain(const char *command, const char *format, ...);

/* Bytes of memory that this machine has. */
uint64_t machine_memory(void);

/* Memory for `count` elements of `size` bytes, or NULL and a complaint. */
void *memory_for(const char *command, uint64_t count, size_t size);

#endif
