/*
 * options.c - from a table of options: values, complaints, help.
 */
#include "options.h"

#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const engines[] = {[MW_ENGINE_AUTO] = "auto",
                                      [MW_ENGINE_HEAP] = "heap",
                                      [MW_ENGINE_TILE] = "tile",
                                      [MW_ENGINE_PAIR] = "pair",
                                      [MW_ENGINE_TALLY] = "tally",
                                      [MW_ENGINE_DEAL] = "deal"};

enum { ENGINES = sizeof engines / sizeof engines[0] };

const char *engine_name(mw_engine engine)
{
    return (size_t)engine < ENGINES ? engines[engine] : "unknown";
}

void type_names(char names[TYPE_NAMES])
{
    size_t used = 0;

    for (int i = 0; i < MW_TYPE_COUNT; i++)
        used += (size_t)snprintf(names + used, TYPE_NAMES - used, " %s",
                                 mw_type_name((mw_type)i));
}

void shape_text(struct kit_shape shape, char text[SHAPE_WORDS])
{
    const char *const usage = kit_shape_text(shape.row)->usage;
    const int length = (int)strcspn(usage, "[:");

    if (shape.threads)
        snprintf(text, SHAPE_WORDS, "%.*s:%" PRIu64 ",%" PRIu64 "%s", length, usage,
                 shape.parameter, shape.threads, shape.worst ? ",worst" : "");
    else if (usage[length])
        snprintf(text, SHAPE_WORDS, "%.*s:%" PRIu64, length, usage, shape.parameter);
    else
        snprintf(text, SHAPE_WORDS, "%s", usage);
}

/* What is wrong with a number, or NULL. */
static const char *set_number(const struct option *option, const char *text)
{
    uint64_t count;

    if (kit_parse_count(text, &count))
        return "expected a number such as 1000, 5M or 2^20";
    if (count == 0 && option->kind != OPTION_COUNT)
        return "expected at least 1";
    if (option->kind != OPTION_NUMBER)
        *(uint64_t *)option->value = count;
    else if (count > UINT32_MAX)
        return "expected less than 2^32";
    else
        *(uint32_t *)option->value = (uint32_t)count;
    return NULL;
}

static const char *add_text(struct texts *texts, const char *text)
{
    if (texts->count == TEXTS_MOST)
        return "expected at most 16 of these";
    texts->text[texts->count++] = (char *)text;
    return NULL;
}

/* Set an option; returns what is wrong with the value, or NULL. */
static const char *set_value(const struct option *option, const char *text)
{
    switch (option->kind) {
    case OPTION_FLAG:
        *(int *)option->value = 1;
        return NULL;
    case OPTION_TEXT:
        *(const char **)option->value = text;
        return NULL;
    case OPTION_COUNT:
    case OPTION_SIZE:
    case OPTION_NUMBER:
        return set_number(option, text);
    case OPTION_TYPE:
        return mw_type_parse(text, option->value) == MW_OK ? NULL : "expected one of";
    case OPTION_SHAPE:
        return kit_shape_parse(text, option->value);
    case OPTION_ENGINE:
        for (int i = 0; i < ENGINES; i++) {
            if (strcmp(engines[i], text) == 0) {
                *(mw_engine *)option->value = (mw_engine)i;
                return NULL;
            }
        }
        return "expected auto, heap, tile, pair, tally or deal";
    case OPTION_LIST:
        return add_text(option->value, text);
    }
    return "no such kind of option";
}

static int take_value(const struct command *command, const struct option *option,
                      const char *text)
{
    const char *const trouble = set_value(option, text);
    char names[TYPE_NAMES] = "";

    if (!trouble)
        return 0;
    if (option->kind == OPTION_TYPE)
        type_names(names);
    return complain(command->name, "--%s %s: %s%s%s", option->name, text, trouble, names,
                    option->kind == OPTION_SHAPE ? " (see multiway gen --help)" : "");
}

static void print_help(const struct command *command)
{
    char names[TYPE_NAMES];

    type_names(names);
    printf("usage: %s %s %s\n\n%s\n\n", command->program ? command->program : "multiway",
           command->name, command->usage, command->about);
    for (const struct option *o = command->options; o->name; o++) {
        const char letter[] = {'-', o->letter, ',', ' ', '\0'};
        char left[64];

        snprintf(left, sizeof left, "%s--%s%s%s", o->letter ? letter : "    ", o->name,
                 o->argument ? " " : "", o->argument ? o->argument : "");
        printf("  %-21s %s%s\n", left, o->help, o->kind == OPTION_TYPE ? names : "");
    }
    printf("  %-21s %s\n", "-h, --help", "this text");
    if (command->shapes)
        printf("\nShapes:\n");
    for (int i = 0; command->shapes && kit_shape_text(i); i++)
        printf("  %-21s %s\n", kit_shape_text(i)->usage, kit_shape_text(i)->about);
    printf("\n%s", command->more);
}

/* Does `argument` name this option? `*value` becomes the value attached to it, if any. */
static int is_option(const struct option *option, const char *argument, const char **value)
{
    const size_t length = strlen(option->name);

    if (argument[1] != '-') {
        if (!option->letter || argument[1] != option->letter)
            return 0;
        if (argument[2] == '\0')
            return 1;
        *value = argument + 2;
        return option->argument != NULL;
    }
    if (strncmp(argument + 2, option->name, length) != 0)
        return 0;
    if (argument[2 + length] == '=')
        *value = argument + 2 + length + 1;
    return *value || argument[2 + length] == '\0';
}

/* Take the option at argv[i]; returns the number of arguments, 0 after a complaint. */
static int take_option(const struct command *command, int argc, char **argv, int i,
                       uint64_t *given)
{
    for (const struct option *o = command->options; o->name; o++) {
        const char *value = NULL;
        int took = 1;

        if (!is_option(o, argv[i], &value))
            continue;
        if (o->argument && !value) {
            value = i + 1 < argc ? argv[i + 1] : NULL;
            took = 2;
        }
        if (!value != !o->argument) {
            complain(command->name, "--%s %s", o->name,
                     value ? "takes no value" : "needs a value");
            return 0;
        }
        *given |= UINT64_C(1) << (o - command->options);
        return take_value(command, o, value) ? 0 : took;
    }
    complain(command->name, "unknown option %s (see %s %s --help)", argv[i],
             command->program ? command->program : "multiway", command->name);
    return 0;
}

static int refuse_file(const struct command *command, const char *argument)
{
    return complain(command->name, "unexpected argument %s (%s)", argument,
                    command->takes_files ? "expected one file" : "no file is read");
}

int options_parse(const struct command *command, int argc, char **argv, const char **files)
{
    int file_count = 0;
    uint64_t given = 0;
    int only_files = 0;

    for (int i = 1; i < argc;) {
        const char *const argument = argv[i];
        int took = 1;

        if (only_files || argument[0] != '-' || argument[1] == '\0') {
            if (file_count == command->takes_files)
                return refuse_file(command, argument);
            files[file_count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            only_files = 1;
        } else if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_help(command);
            return EXIT_FINE;
        } else {
            took = take_option(command, argc, argv, i, &given);
            if (took == 0)
                return EXIT_TROUBLE;
        }
        i += took;
    }
    for (const struct option *o = command->options; o->name; o++) {
        if (o->required && !(given >> (o - command->options) & 1))
            return o->letter ? complain(command->name, "-%c %s (--%s) is missing",
                                        o->letter, o->argument, o->name)
                             : complain(command->name, "--%s %s is missing", o->name,
                                        o->argument);
    }
    return OPTIONS_RUN;
}
