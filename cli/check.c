/*
 * check.c - `multiway check`: in order? the same keys or records? stably sorted?
 */
#include "check.h"

#include "cli.h"
#include "input.h"
#include "npy.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 1 << 20 };

struct check {
    struct order_choice order;
    const char *same_as;
    const char *stable_from;
    const char *command;
    const char *input;
    mw_file_format format;
    int json;
    int is_strict; /* equal neighbours are not in order */
};

struct finding {
    const char *name;
    struct kit_fingerprint print;
    int disordered;
    uint64_t position; /* the first element that should stand before its left neighbour, */
    uint32_t field;    /*   by this field */
    char left[ELEMENT_MOST], right[ELEMENT_MOST]; /* the two */
    int stable;     /* 1: --stable-from is so, or was not asked for */
    uint64_t wrong; /* the first element of that file with another place */
};

/* The first of `count` elements that should stand before its left neighbour, or `count`. */
static uint64_t first_disorder(const struct check *check, const char *elements,
                               uint64_t count, uint32_t *field)
{
    const struct order_choice *const order = &check->order;
    const uint32_t size = order->order->element_bytes;

    *field = 0;
    if (!order->record && !check->is_strict) /* much faster */
        return kit_first_disorder(order->type, order->fields[0].direction, elements, count);
    for (uint64_t i = 1; i < count; i++, elements += size) {
        if (order_compare(order, elements, elements + size, field) > -check->is_strict) {
            *field %= order->order->field_count; /* all are equal: name the first */
            return i;
        }
    }
    return count;
}

/*
 * Read a file to its end. A chunk begins with the last element of the previous one, so
 * that all neighbours are compared; the fingerprint leaves that element out.
 */
static int examine_chunks(const struct check *check, struct input *input, char *chunk,
                          struct finding *finding)
{
    const uint32_t size = input->bytes;
    const uint64_t most = CHUNK_BYTES / size - 1;
    uint64_t kept = 0;
    uint64_t got;

    do {
        uint64_t count;
        uint64_t at;

        if (input_read(input, chunk + kept * size, most, &got))
            return -1;
        count = kept + got;
        at = finding->disordered ? count
                                 : first_disorder(check, chunk, count, &finding->field);
        if (at < count) {
            finding->disordered = 1;
            finding->position = finding->print.count - kept + at;
            memcpy(finding->left, chunk + (at - 1) * size, size);
            memcpy(finding->right, chunk + at * size, size);
        }
        if (check->order.record)
            kit_fingerprint_add_rows(&finding->print, size, chunk + kept * size, got);
        else
            kit_fingerprint_add(&finding->print, check->order.type, chunk + kept * size,
                                got);
        if (count > 0)
            memmove(chunk, chunk + (count - 1) * size, size);
        kept = count > 0;
    } while (got == most);
    return 0;
}

static int open_input(const struct check *check, const char *path, struct input *input)
{
    return input_open(input, check->command, path, check->format,
                      check->order.order->element_bytes, check->order.what);
}

static int examine(const struct check *check, const char *path, char *chunk,
                   struct finding *finding)
{
    struct input input;
    const int failed =
        open_input(check, path, &input) || examine_chunks(check, &input, chunk, finding);

    finding->name = input.name;
    input_close(&input);
    return failed;
}

/* The first of `count` sorted elements that `element` does not follow. */
static uint64_t lower_bound(const struct check *check, const char *sorted, uint64_t count,
                            const char *element)
{
    uint64_t first = 0;
    uint32_t field;

    while (count > 0) {
        const uint64_t half = count / 2;
        const char *const middle =
            sorted + (first + half) * check->order.order->element_bytes;

        if (order_compare(&check->order, middle, element, &field) < 0) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

static int read_all(const struct check *check, const char *path, void **elements,
                    uint64_t *count)
{
    struct input input;
    const int failed =
        open_input(check, path, &input) || input_all(&input, elements, count);

    input_close(&input);
    return failed;
}

/* Each element of the unsorted file must stand at the next place among its equals. */
static int follow(const struct check *check, struct finding *finding)
{
    const uint32_t size = check->order.order->element_bytes;
    void *sorted = NULL, *from = NULL;
    uint64_t *taken = NULL; /* places, noted at the first of them */
    uint64_t count = 0, all = 0, i = 0;
    int failed = read_all(check, check->input, &sorted, &count) ||
                 read_all(check, check->stable_from, &from, &all);

    if (!failed)
        taken = memory_for("check", count, sizeof *taken);
    if (taken)
        memset(taken, 0, count * sizeof *taken);
    for (; taken && i < all; i++) {
        const char *const element = (const char *)from + i * size;
        const uint64_t first = lower_bound(check, sorted, count, element);
        const uint64_t place = first < count ? first + taken[first]++ : count;

        if (place >= count || memcmp((char *)sorted + place * size, element, size) != 0)
            break;
    }
    finding->stable = i == count && all == count;
    finding->wrong = i;
    failed = failed || !taken;
    free(taken);
    free(from);
    free(sorted);
    return failed;
}

static void print_text(const struct check *check, const struct finding *finding,
                       const struct finding *other, int same)
{
    char left[KIT_KEY_TEXT];
    char right[KIT_KEY_TEXT];
    const char *const rows = check->order.record ? "records" : "keys";

    if (finding->disordered) {
        order_field_text(&check->order.fields[finding->field], finding->left, left);
        order_field_text(&check->order.fields[finding->field], finding->right, right);
        printf("%s: not in order at position %" PRIu64 ": %s follows %s\n", finding->name,
               finding->position, right, left);
    } else {
        printf("%s: %" PRIu64 " %s, in %sorder\n", finding->name, finding->print.count,
               check->order.what, check->order.descending ? "descending " : "");
    }
    if (check->same_as && same)
        printf("%s: the same %s as %s\n", finding->name, rows, other->name);
    else if (check->same_as)
        printf("%s: not the same %s as %s (%" PRIu64 " and %" PRIu64 " %s)\n",
               finding->name, rows, other->name, finding->print.count, other->print.count,
               rows);
    if (check->stable_from && finding->stable)
        printf("%s: the stable sort of %s\n", finding->name, check->stable_from);
    else if (check->stable_from && !finding->disordered)
        printf("%s: not the stable sort of %s, from its position %" PRIu64 " on\n",
               finding->name, check->stable_from, finding->wrong);
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
    const mw_field *const field = &check->order.fields[finding->field];
    char left[KIT_KEY_TEXT], right[KIT_KEY_TEXT];

    json_open(&json, NULL, '{');
    json_text(&json, "file", finding->name);
    order_json(&check->order, &json);
    json_print(&json, "count", "fingerprint", finding->print);
    json_truth(&json, "in_order", !finding->disordered);
    if (finding->disordered) {
        json_count(&json, "position", finding->position);
        order_field_text(field, finding->left, left);
        order_field_text(field, finding->right, right);
        json_key(&json, "left", field->type, left);
        json_key(&json, "right", field->type, right);
    }
    if (check->same_as) {
        json_text(&json, "other_file", other->name);
        json_print(&json, "other_count", "other_fingerprint", other->print);
        json_truth(&json, "same_keys", same);
    }
    if (check->stable_from)
        json_truth(&json, "stable", finding->stable);
    json_close(&json, '{');
}

int check_order(const struct order_choice *order, const char *path, mw_file_format format,
                int is_strict)
{
    struct check check = {.order = *order,
                          .command = "sort",
                          .input = path,
                          .format = format,
                          .is_strict = is_strict};
    struct finding *const finding = memory_for("sort", 1, sizeof *finding);
    char *const chunk = memory_for("sort", CHUNK_BYTES, 1);
    int status = EXIT_TROUBLE;

    if (finding && chunk && !order_make(&check.order, "sort")) {
        *finding = (struct finding){0};
        if (!examine(&check, path, chunk, finding))
            status = finding->disordered ? EXIT_NO : EXIT_FINE;
        if (status == EXIT_NO)
            print_text(&check, finding, NULL, 1);
    }
    free(chunk);
    free(finding);
    return status;
}

static int check(struct check *check)
{
    static struct finding finding, other;
    static char chunk[CHUNK_BYTES];
    int same;

    if (order_from_npy(&check->order, "check", &check->input, 1, MW_FILE_BY_NAME) ||
        order_make(&check->order, "check"))
        return EXIT_TROUBLE;
    if (check->order.order->field_count == 0)
        return complain("check", "--record needs --key FIELD");
    if (is_standard(check->input) && check->same_as && is_standard(check->same_as))
        return complain("check",
                        "both inputs are standard input (expected a file for one)");
    if (is_standard(check->input) && check->stable_from)
        return complain("check", "--stable-from reads the sorted keys twice (expected a "
                                 "file, not standard input)");
    if (examine(check, check->input, chunk, &finding) ||
        (check->same_as && examine(check, check->same_as, chunk, &other)))
        return EXIT_TROUBLE;
    finding.stable = !check->stable_from;
    if (check->stable_from && !finding.disordered && follow(check, &finding))
        return EXIT_TROUBLE;
    same = !check->same_as || kit_fingerprint_equal(finding.print, other.print);
    (check->json ? print_json : print_text)(check, &finding, &other, same);
    return finding.disordered || !same || !finding.stable ? EXIT_NO : EXIT_FINE;
}

int command_check(int argc, char **argv)
{
    struct check c = {.order = ORDER_CHOICE_INIT, .command = "check"};
    /* clang-format off */
    const struct option options[] = {
        TYPE_OPTION_IF(c.order.type, 0),
        {"desc",        0, NULL,   OPTION_FLAG, &c.order.descending, 0,
         "expect descending order"},
        RECORD_OPTIONS(c.order),
        {"same-as",     0, "FILE", OPTION_TEXT, &c.same_as,          0,
         "expect what this file holds, in any order"},
        {"stable-from", 0, "FILE", OPTION_TEXT, &c.stable_from,      0,
         "expect the stable sort of this file"},
        JSON_OPTION(c.json),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "check",
        .usage = "--type TYPE [--desc] [--same-as FILE] [--stable-from FILE] [FILE]\n"
                 "       multiway check --record BYTES --key FIELD ... [FILE]",
        .about =
            "Check that keys or records are in order. If they are not, print the first\n"
            "position, from 0, whose key should come before the previous one. The exit\n"
            "status is 0 for yes, 1 for no. Files of any size are read in small pieces;\n"
            "--stable-from holds both files in memory.",
        .options = options,
        .takes_files = 1,
        .more = KEY_HELP
        "\n"
        "With --same-as files are compared by their counts and a 64-bit sum over keys\n"
        "or records; with --stable-from, byte by byte.\n"
        "\n"
        "  multiway check --type u64 sorted.bin\n"
        "  multiway check --type u64 --same-as keys.bin sorted.bin\n"
        "  multiway check --record 8 --key 0:u64 --stable-from keys.bin sorted.bin\n",
    };
    const int parsed = options_parse(&command, argc, argv, &c.input);

    return parsed == OPTIONS_RUN ? check(&c) : parsed;
}
