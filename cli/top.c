/*
 * top.c - `multiway top`: the smallest or largest keys or records of a file.
 */
#include "cli.h"
#include "npy.h"
#include "work.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 64 << 20 };

/* The best rows so far stand before the chunk that is read, so ties go by position. */
struct top {
    struct work work;
    uint64_t most;
    const char *input;
    struct source source;
    struct result result; /* without a path: printed */

    uint32_t bytes; /* of a row */
    uint64_t seen;  /* rows read */
    uint64_t count; /* rows found */
    uint64_t room;  /* rows that have room in ... */
    void *rows;
    void *found;
    void *positions; /* u64, in `rows`, of what is found */
    void *places;    /* u64, in the file, of the best rows */
    void *numbers;   /* places, as they are wanted */
};

/* More room for what `*memory` holds; not 0 after a complaint. */
static int grow(void **memory, uint64_t count, size_t size)
{
    void *const more =
        count <= machine_memory() / size ? realloc(*memory, count * size) : NULL;

    if (!more)
        return complain("top", "no memory for %" PRIu64 " elements of %zu bytes", count,
                        size);
    *memory = more;
    return 0;
}

/* Let that many rows, with positions and places, have room. */
static int make_room(struct top *top, uint64_t room)
{
    if (room <= top->room)
        return 0;
    top->room = room;
    return grow(&top->rows, room, top->bytes) || grow(&top->found, room, top->bytes) ||
           grow(&top->positions, room, sizeof(uint64_t)) ||
           grow(&top->places, room, sizeof(uint64_t));
}

/* Select among the best rows and the next `got` ones. */
static int select_rows(struct top *top, mw_context *context, uint64_t got)
{
    struct work *const work = &top->work;
    const uint64_t all = top->count + got;
    const mw_table in = {.elements = top->rows, .count = all};
    const uint64_t kept = top->most < all ? top->most : all;
    const mw_table out = {.elements = top->found, .count = kept};
    uint64_t *const positions = top->positions;
    uint64_t *const places = top->places;

    work->job.operation = MW_SELECT;
    work->job.in = &in;
    work->job.out = &out;
    work->job.last = kept;
    work->job.positions = top->positions;
    work->job.position_type = MW_U64;
    if (work_job(work, context))
        return -1;
    for (uint64_t i = 0; i < kept; i++)
        positions[i] = positions[i] < top->count ? places[positions[i]]
                                                 : top->seen + positions[i] - top->count;
    memcpy(places, positions, kept * sizeof *places);
    memcpy(top->rows, top->found, kept * top->bytes);
    top->count = kept;
    top->seen += got;
    return 0;
}

/* Read chunk after chunk; each is at least as long as what is kept. */
static int find(struct top *top, mw_context *context)
{
    uint64_t got, chunk;

    do {
        chunk = CHUNK_BYTES / top->bytes;
        if (chunk < top->count)
            chunk = top->count;
        if (make_room(top, top->count + chunk) ||
            input_read(&top->source.input, (char *)top->rows + top->count * top->bytes,
                       chunk, &got) ||
            ((got || !top->seen) && select_rows(top, context, got)))
            return -1;
    } while (got == chunk);
    top->work.counts.count = top->seen;
    return 0;
}

/* Positions as the user wants them, if they can number all rows. */
static int number_rows(struct top *top)
{
    const mw_type type = top->work.position_type;
    const size_t bytes = mw_type_size(type);
    const uint64_t most = type == MW_I32   ? INT32_MAX
                          : type == MW_U32 ? UINT32_MAX
                                           : INT64_MAX;

    if (top->seen && top->seen - 1 > most)
        return complain("top", "--positions %s: cannot number %" PRIu64 " rows",
                        top->work.positions, top->seen);
    top->numbers = memory_for("top", top->count, bytes);
    for (uint64_t i = 0; top->numbers && i < top->count; i++)
        memcpy((char *)top->numbers + i * bytes, (uint64_t *)top->places + i, bytes);
    return !top->numbers;
}

/* A line for each row: the fields that order it, or its position. */
static void print_rows(const struct top *top)
{
    const struct work *const work = &top->work;
    const mw_field position = {.type = work->position_type};
    const mw_field *const fields = work->positions ? &position : work->order.fields;
    const uint32_t field_count = work->positions ? 1 : work->order.order->field_count;
    const char *const rows = top->result.data;
    const size_t bytes = work->positions ? mw_type_size(position.type) : top->bytes;

    for (uint64_t i = 0; i < top->count; i++) {
        for (uint32_t j = 0; j < field_count; j++) {
            char text[KIT_KEY_TEXT];

            order_field_text(&fields[j], rows + i * bytes, text);
            printf("%s%s", j ? " " : "", text);
        }
        putchar('\n');
    }
}

static int run(struct top *top)
{
    struct work *const work = &top->work;
    mw_context *context = NULL;
    int bad;

    if (order_from_npy(&work->order, "top", &top->input, 1, MW_FILE_BY_NAME) ||
        work_begin(work))
        return -1;
    if (!top->result.path && !work->positions && work->order.less)
        return complain("top", "records by --order are not printed (name a file with -o)");
    top->bytes = work->order.order->element_bytes;
    top->source =
        (struct source){.path = top->input, .bytes = top->bytes, .what = work->order.what};
    work->sources = &top->source;
    work->source_count = 1;
    work->results = &top->result;
    work->result_count = top->result.path ? 1 : 0;
    bad = work_start(work, &context) || find(top, context);
    mw_close(context);
    if (bad || (work->positions && number_rows(top)))
        return -1;
    top->result.data = work->positions ? top->numbers : top->rows;
    top->result.bytes =
        top->count * (work->positions ? mw_type_size(work->position_type) : top->bytes);
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
            "Find the smallest N keys or records of a file of any size, or the largest,\n"
            "without sorting the rest. They come in order, equal ones by position. Every\n"
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
    free(c.numbers);
    free(c.places);
    free(c.positions);
    free(c.found);
    free(c.rows);
    return status;
}
