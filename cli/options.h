/*
 * options.h - a command's options as a table, read and explained from it.
 *
 * `--name value`, `--name=value`, `-x value` and `-xvalue` are understood; options and
 * file names may come in any order; `--` ends the options, and `-` is a file name.
 * Every command has `--help`.
 */
#ifndef MW_CLI_OPTIONS_H
#define MW_CLI_OPTIONS_H

#include "kit.h"

enum option_kind {
    OPTION_FLAG,   /* int: set to 1 */
    OPTION_TEXT,   /* const char * */
    OPTION_COUNT,  /* uint64_t */
    OPTION_SIZE,   /* uint64_t, at least 1 */
    OPTION_NUMBER, /* uint32_t, at least 1 */
    OPTION_TYPE,   /* mw_type */
    OPTION_SHAPE,  /* struct kit_shape */
    OPTION_ENGINE, /* mw_engine */
    OPTION_LIST    /* struct texts: may be given several times */
};

enum { TEXTS_MOST = 16 };

struct texts {
    char *text[TEXTS_MOST]; /* of argv: may be changed */
    uint32_t count;
};

struct option {
    const char *name;     /* without the dashes; NULL ends the table */
    char letter;          /* 0: has no short form */
    const char *argument; /* its name in the help; NULL for a flag */
    enum option_kind kind;
    void *value; /* what it sets; the first value is the default */
    int required;
    const char *help; /* of a type: followed by the names of all types */
};

struct command {
    const char *program; /* NULL: multiway */
    const char *name;
    const char *usage; /* what follows the name */
    const char *about; /* a paragraph */
    const char *more;  /* what comes after the options: notes, examples */
    const struct option *options;
    int takes_files; /* how many files may be named */
    int shapes;      /* 1: the help lists the shapes */
};

/*
 * Set the options' values and `files`, in their order; what is not named is left alone.
 * Unless this returns OPTIONS_RUN, help or a complaint has been written, and it is the exit
 * status.
 */
enum { OPTIONS_RUN = -1 };
int options_parse(const struct command *command, int argc, char **argv, const char **files);

/* The names of all types, a blank before each. */
enum { TYPE_NAMES = 8 * MW_TYPE_COUNT };
void type_names(char names[TYPE_NAMES]);

/* The name of `engine` on the command line. */
const char *engine_name(mw_engine engine);

/* `few:16`, as it could have been typed. */
enum { SHAPE_WORDS = 64 };
void shape_text(struct kit_shape shape, char text[SHAPE_WORDS]);

/* Rows that several commands have. */
/* clang-format off */
#define TYPE_OPTION(type)       TYPE_OPTION_IF(type, 1)
#define TYPE_OPTION_IF(type, required)                                                   \
    {"type",    0, "TYPE",  OPTION_TYPE,  &(type),       required, "of the keys:"}
#define COUNT_OPTION(count)                                                              \
    {"count",   0, "N",     OPTION_COUNT, &(count),      1,                              \
     "number of keys: 1000000, 1M (k M G T), 2^20, 2^20-1"}
#define SHAPE_OPTION(shape)                                                              \
    {"shape",   0, "SHAPE", OPTION_SHAPE, &(shape),      0,                              \
     "of the input, see Shapes in multiway gen --help (random)"}
#define SEED_OPTION(seed)                                                                \
    {"seed",    0, "N",     OPTION_COUNT, &(seed),       0,                              \
     "another seed gives another input (0)"}
#define OUTPUT_OPTION(path)                                                              \
    {"output", 'o', "FILE", OPTION_TEXT,  &(path),       0, "where to (standard output)"}
#define JSON_OPTION(json)                                                                \
    {"json",    0, NULL,    OPTION_FLAG,  &(json),       0, "print everything as JSON"}
#define TUNING_OPTIONS(t)                                                                \
    {"engine",  0, "NAME", OPTION_ENGINE, &(t).engine,  0,                               \
     "auto, heap, tile, pair, tally or deal"},                                           \
    {"ways",    0, "K",    OPTION_NUMBER, &(t).ways,    0, "merged at once: 2 to 32"},   \
    {"warps",   0, "N",    OPTION_NUMBER, &(t).warps,   0, "heap: tasks in flight"},     \
    {"threads", 0, "N",    OPTION_NUMBER, &(t).threads, 0, "per block of the merge"},    \
    {"items",   0, "N",    OPTION_NUMBER, &(t).items,   0, "tile: keys of a thread"},    \
    {"base",    0, "N",    OPTION_NUMBER, &(t).base,    0, "keys of a base-case run"}
/* clang-format on */

#endif
