/*
 * top.c - `multiway top`: the smallest or largest keys or records of a file.
 */
#include "cli.h"
#include "work.h"

#include <inttypes.h>
#include <stdlib.h>

struct top {
    struct work work;
    uint64_t most;
    const char *input;
    struct source source;
    struct result result; /* without a path: printed */

    mw_table in, out;
    uint64_t count; /* of rows found */
    size_t bytes;   /* of a row or position */
    void *found;
};

static int prepare(struct work *work, mw_context *context, void *command)
{
    struct top *const top = command;

    (void)context;
    top->count = top->most < top->source.count ? top->most : top->source.count;
    top->bytes = work->positions ? mw_type_size(work->position_type) : top->source.bytes;
    top->found = memory_for("top", top->count, top->bytes);
    top->in = (mw_table){.elements = top->source.data, .count = top->source.count};
    top->out.count = top->count;
    work->job.operation = MW_SELECT;
    work->job.in = &top->in;
    work->job.out = &top->out;
    work->job.last = top->count;
    if (work->positions) {
        work->job.positions = top->found;
        work->job.position_type = work->position_type;
    } else {
        top->out.elements = top->found;
    }
    top->result.data = top->found;
    top->result.bytes = top->count * top->bytes;
    return !top->found;
}

/* A line for each row: the fields that order it, or its position. */
static void print_rows(const struct top *top)
{
    const struct work *const work = &top->work;
    const mw_field position = {.type = work->position_type};
    const mw_field *const fields = work->positions ? &position : work->order.fields;
    const uint32_t field_count = work->positions ? 1 : work->order.order->field_count;

    for (uint64_t i = 0; i < top->count; i++) {
        for (uint32_t j = 0; j < field_count; j++) {
            char text[KIT_KEY_TEXT];

            order_field_text(&fields[j], (const char *)top->found + i * top->bytes, text);
            printf("%s%s", j ? " " : "", text);
        }
        putchar('\n');
    }
}

static int run(struct top *top)
{
    struct work *const work = &top->work;

    if (work_begin(work))
        return -1;
    if (!top->result.path && !work->positions && work->order.less)
        return complain("top", "records by --order are not printed (name a file with -o)");
    top->source = (struct source){.path = top->input,
                                  .bytes = work->order.order->element_bytes,
                                  .what = work->order.what};
    work->sources = &top->source;
    work->source_count = 1;
    work->results = &top->result;
    work->result_count = top->result.path ? 1 : 0;
    if (work_run(work, prepare, top))
        return -1;
    if (!top->result.path)
        print_rows(top);
    return work_write(work);
}

int command_top(int argc, char **argv)
{
    struct top c = {.work = WORK_INIT("top")};
    /* clang-format off */
    const struct option options[] = {
        WORK_ORDER_OPTIONS(c.work, "the largest first"),
        {"count", 'n', "N", OPTION_COUNT, &c.most, 1, "how many: 100, 5k, 2^20"},
        WORK_POSITIONS_OPTION(c.work),
        {"output", 'o', "FILE", OPTION_TEXT, &c.result.path, 0,
         "write raw keys or positions; - is standard output"},
        WORK_DEVICE_OPTIONS(c.work),
        CACHE_OPTIONS(c.work.cache),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "top",
        .usage = "--type TYPE -n N [--desc] [-o FILE] [FILE]\n"
                 "       multiway top --record BYTES --key FIELD ... -n N [-o FILE] [FILE]",
        .about =
            "Find the smallest N keys or records of a file, or the largest, without\n"
            "sorting the rest. They come in order, and equal ones by position, so every\n"
            "device gives the same answer. Without -o, print one per line: the key, the\n"
            "fields of a record (bytes in hexadecimal, the first 18) or the position.",
        .options = options,
        .takes_files = 1,
        .more = KEY_HELP "\n"
                         "  multiway top --type u64 -n 100 keys.bin\n"
                         "  multiway top --type u64 -n 5 --desc --positions u32 keys.bin\n"
                         "  multiway top --type u64 -n 1k -o least.bin keys.bin\n",
    };
    int status = options_parse(&command, argc, argv, &c.input);

    if (status != OPTIONS_RUN)
        return status;
    status = run(&c) ? EXIT_TROUBLE : EXIT_FINE;
    work_end(&c.work);
    free(c.found);
    return status;
}
