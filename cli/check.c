/*
 * check.c - `multiway check`: in order? the same keys?
 */
#include "cli.h"
#include "input.h"
#include "json.h"
#include "options.h"

#include <inttypes.h>

enum { CHUNK_BYTES = 1 << 20 };

struct check {
    mw_type type;
    int descending;
    const char *same_as;
    const char *input;
    int json;
};

struct finding {
    const char *name;
    struct kit_fingerprint print;
    int disordered;
    uint64_t position;    /* the first key that should stand before its left neighbour */
    uint64_t left, right; /* the two keys; read as bytes */
};

/*
 * Read a file to its end. A chunk begins with the last key of the previous one, so that
 * all neighbours are compared; the fingerprint leaves that key out.
 */
static int examine_keys(const struct check *check, struct input *input, char *chunk,
                        struct finding *finding)
{
    const mw_direction direction = check->descending ? MW_DESCENDING : MW_ASCENDING;
    const size_t size = mw_type_size(check->type);
    const uint64_t most = CHUNK_BYTES / size - 1;
    uint64_t kept = 0;
    uint64_t got;

    do {
        uint64_t count;
        uint64_t at;

        if (input_read(input, chunk + kept * size, most, &got))
            return -1;
        count = kept + got;
        at = kit_first_disorder(check->type, direction, chunk, count);
        if (at < count && !finding->disordered) {
            finding->disordered = 1;
            finding->position = finding->print.count - kept + at;
            memcpy(&finding->left, chunk + (at - 1) * size, size);
            memcpy(&finding->right, chunk + at * size, size);
        }
        kit_fingerprint_add(&finding->print, check->type, chunk + kept * size, got);
        if (count > 0)
            memmove(chunk, chunk + (count - 1) * size, size);
        kept = count > 0;
    } while (got == most);
    return 0;
}

static int examine(const struct check *check, const char *path, char *chunk,
                   struct finding *finding)
{
    struct input input;
    const int failed = input_open(&input, "check", path, check->type) ||
                       examine_keys(check, &input, chunk, finding);

    finding->name = input.name;
    input_close(&input);
    return failed;
}

static int is_standard_input(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static void print_text(const struct check *check, const struct finding *finding,
                       const struct finding *other, int same)
{
    char left[KIT_KEY_TEXT];
    char right[KIT_KEY_TEXT];

    if (finding->disordered) {
        kit_key_text(check->type, &finding->left, left);
        kit_key_text(check->type, &finding->right, right);
        printf("%s: not in order at position %" PRIu64 ": %s follows %s\n", finding->name,
               finding->position, right, left);
    } else {
        printf("%s: %" PRIu64 " %s keys, in %sorder\n", finding->name, finding->print.count,
               mw_type_name(check->type), check->descending ? "descending " : "");
    }
    if (check->same_as && same)
        printf("%s: the same keys as %s\n", finding->name, other->name);
    else if (check->same_as)
        printf("%s: not the same keys as %s (%" PRIu64 " and %" PRIu64 " keys)\n",
               finding->name, other->name, finding->print.count, other->print.count);
}

/* How many keys, and their sum as a hexadecimal text. */
static void json_print(struct json *json, const char *count, const char *sum,
                       struct kit_fingerprint print)
{
    char text[17];

    snprintf(text, sizeof text, "%016" PRIx64, print.sum);
    json_count(json, count, print.count);
    json_text(json, sum, text);
}

static void print_json(const struct check *check, const struct finding *finding,
                       const struct finding *other, int same)
{
    struct json json = {.to = stdout};

    json_open(&json, NULL, '{');
    json_text(&json, "file", finding->name);
    json_text(&json, "type", mw_type_name(check->type));
    json_text(&json, "direction", check->descending ? "descending" : "ascending");
    json_print(&json, "count", "fingerprint", finding->print);
    json_truth(&json, "in_order", !finding->disordered);
    if (finding->disordered) {
        json_count(&json, "position", finding->position);
        json_key(&json, "left", check->type, &finding->left);
        json_key(&json, "right", check->type, &finding->right);
    }
    if (check->same_as) {
        json_text(&json, "other_file", other->name);
        json_print(&json, "other_count", "other_fingerprint", other->print);
        json_truth(&json, "same_keys", same);
    }
    json_close(&json, '{');
}

static int check(const struct check *check)
{
    struct finding finding = {0};
    struct finding other = {0};
    static char chunk[CHUNK_BYTES];
    int same;

    if (check->same_as && is_standard_input(check->input) &&
        is_standard_input(check->same_as))
        return complain("check",
                        "both inputs are standard input (expected a file for one)");
    if (examine(check, check->input, chunk, &finding) ||
        (check->same_as && examine(check, check->same_as, chunk, &other)))
        return EXIT_TROUBLE;
    same = !check->same_as || kit_fingerprint_equal(finding.print, other.print);
    (check->json ? print_json : print_text)(check, &finding, &other, same);
    return finding.disordered || !same ? EXIT_NO : EXIT_FINE;
}

int command_check(int argc, char **argv)
{
    struct check c = {0};
    /* clang-format off */
    const struct option options[] = {
        TYPE_OPTION(c.type),
        {"desc",    0, NULL,   OPTION_FLAG, &c.descending, 0, "expect descending order"},
        {"same-as", 0, "FILE", OPTION_TEXT, &c.same_as,    0,
         "expect the keys of this file, in any order"},
        JSON_OPTION(c.json),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "check",
        .usage = "--type TYPE [--desc] [--same-as FILE] [--json] [FILE]",
        .about =
            "Check that keys are in order. If they are not, print the first position, "
            "from\n"
            "0, whose key should stand before its left neighbour. The exit status is 0\n"
            "for yes, 1 for no. Files of any size are read in small pieces.",
        .options = options,
        .takes_file = 1,
        .more = "Two files are compared by their counts and a 64-bit sum over the keys.\n"
                "\n"
                "  multiway check --type u64 sorted.bin\n"
                "  multiway check --type u64 --same-as keys.bin sorted.bin\n",
    };
    const int parsed = options_parse(&command, argc, argv, &c.input);

    return parsed == OPTIONS_RUN ? check(&c) : parsed;
}
