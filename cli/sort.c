/*
 * sort.c - `multiway sort`: a file of keys or records in, the same in order out, with
 * values from files of their own; or the positions of a sorted sequence.
 */
#include "cli.h"
#include "device.h"
#include "input.h"
#include "order.h"
#include "output.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_FILES = 1 + TEXTS_MOST };

/* Elements, or a column of values: where from, where to. */
struct file {
    uint32_t bytes; /* of an element or value */
    const char *what;
    const char *from, *to; /* NULL or "-": standard input or output */
    struct input input;
    struct output output;
    void *data;
};

struct sort {
    struct order_choice order;
    const char *device;
    mw_tuning tuning;
    struct cache_choice cache;
    const char *output;
    const char *input;
    const char *positions;
    struct texts columns;
    int stats;
    int json;

    mw_type position_type;
    void *position;
    uint64_t count;
    uint32_t file_count;
    struct file file[MOST_FILES]; /* the elements, then columns */
};

struct figures {
    mw_info info;
    mw_counts counts;
    double seconds;
};

/* `BYTES:IN:OUT`; the text is cut at its colons. */
static int read_column(struct file *file, char *text)
{
    char *const from = strchr(text, ':');
    char *const to = from ? strchr(from + 1, ':') : NULL;
    uint64_t bytes = 0;

    if (to && to > from + 1 && to[1]) {
        *from = *to = '\0';
        if (kit_parse_count(text, &bytes) == 0 && bytes > 0 && bytes <= ELEMENT_MOST) {
            *file = (struct file){
                .bytes = (uint32_t)bytes, .what = "values", .from = from + 1, .to = to + 1};
            return 0;
        }
        *from = *to = ':';
    }
    return complain("sort",
                    "--column %s: expected BYTES:IN:OUT, as in 8:values.bin:sorted.bin, "
                    "with 1 to %d bytes a value",
                    text, ELEMENT_MOST);
}

/* The files that the options name, and what is to be found. */
static int read_options(struct sort *sort)
{
    if (order_make(&sort->order, "sort"))
        return -1;
    if (!sort->order.order->field_count && !sort->order.less)
        return complain("sort", "--record needs --key FIELD or --order EXPRESSION");
    if (sort->positions &&
        (mw_type_parse(sort->positions, &sort->position_type) != MW_OK ||
         !strchr("iu", *sort->positions) || mw_type_size(sort->position_type) < 4))
        return complain("sort", "--positions %s: expected u32, i32, u64 or i64",
                        sort->positions);
    if (sort->positions && sort->columns.count)
        return complain("sort", "--positions writes positions only (leave out --column)");
    sort->file[0] = (struct file){.bytes = sort->order.order->element_bytes,
                                  .what = sort->order.what,
                                  .from = sort->input,
                                  .to = sort->output};
    for (sort->file_count = 1; sort->file_count <= sort->columns.count; sort->file_count++)
        if (read_column(&sort->file[sort->file_count],
                        sort->columns.text[sort->file_count - 1]))
            return -1;
    return 0;
}

/* Aim all outputs and open all inputs: nothing is read before that works. */
static int open_files(struct sort *sort)
{
    for (uint32_t i = 0; i < sort->file_count; i++) {
        struct file *const f = &sort->file[i];

        if (output_aim(&f->output, "sort", f->to) ||
            input_open(&f->input, "sort", f->from, f->bytes, f->what))
            return -1;
        for (uint32_t j = 0; j < i; j++) {
            const struct file *const g = &sort->file[j];

            if (is_standard(f->from) && is_standard(g->from))
                return complain("sort", "standard input is read twice (name a file)");
            if ((is_standard(f->to) && is_standard(g->to)) ||
                (f->output.target && g->output.target &&
                 strcmp(f->output.target, g->output.target) == 0))
                return complain("sort", "%s is written twice (name two files)",
                                f->output.name);
        }
    }
    return 0;
}

/* Read everything; each row must be whole. */
static int read_files(struct sort *sort)
{
    for (uint32_t i = 0; i < sort->file_count; i++) {
        struct file *const f = &sort->file[i];
        uint64_t count;

        if (input_all(&f->input, &f->data, &count))
            return -1;
        if (i > 0 && count != sort->count)
            return complain("sort",
                            "%s has %" PRIu64 " values (expected %" PRIu64
                            ", one for each of the %s)",
                            f->input.name, count, sort->count, sort->order.what);
        sort->count = count;
    }
    if (sort->positions)
        sort->position = memory_for("sort", sort->count, mw_type_size(sort->position_type));
    return sort->positions && !sort->position;
}

static mw_status run_job(struct sort *sort, mw_context *context)
{
    const mw_table none = {.count = sort->count};
    mw_column columns[MOST_FILES];
    const mw_table in = {.elements = sort->file[0].data,
                         .count = sort->count,
                         .columns = columns,
                         .column_count = sort->file_count - 1};
    mw_job job = MW_JOB_INIT;

    for (uint32_t i = 1; i < sort->file_count; i++)
        columns[i - 1] = (mw_column){sort->file[i].data, sort->file[i].bytes};
    job.order = sort->order.order;
    job.in = &in;
    if (sort->positions) {
        job.out = &none;
        job.positions = sort->position;
        job.position_type = sort->position_type;
    }
    return mw_run(context, &job);
}

/*
 * From the inputs to rows in order. The device is opened before anything is read, which
 * may take long on a pipe. The handle is closed before anything is written: its memory
 * may be needed then.
 */
static int read_and_sort(struct sort *sort, struct figures *figures)
{
    mw_context *context = NULL;
    mw_status status = device_open(&context, sort->device, sort->cache, &sort->tuning);
    int bad = 0;

    if (status == MW_OK)
        status = mw_get_info(context, &figures->info);
    if (status == MW_OK && sort->order.less &&
        strncmp(figures->info.device, "cuda", 4) != 0)
        bad = complain("sort",
                       "--order needs a GPU, not %s: elsewhere its text cannot be "
                       "compiled (use --key)",
                       figures->info.device);
    if (status == MW_OK && !bad)
        bad = read_files(sort);
    if (status == MW_OK && !bad) {
        const double start = kit_seconds();

        status = run_job(sort, context);
        figures->seconds = kit_seconds() - start;
        if (status == MW_OK)
            status = mw_get_counts(context, &figures->counts);
    }
    if (status != MW_OK)
        bad = complain("sort", "%s", device_error(context, status));
    mw_close(context);
    return bad;
}

/* Write all files, then let all appear. */
static int write_files(struct sort *sort)
{
    const uint32_t files = sort->file_count;
    int bad = 0;

    for (uint32_t i = 0; i < files && !bad; i++)
        bad = output_open(&sort->file[i].output);
    for (uint32_t i = 0; i < files && !bad; i++) {
        struct file *const f = &sort->file[i];
        const size_t bytes = sort->positions ? mw_type_size(sort->position_type) : f->bytes;

        bad = output_room(&f->output, sort->count * bytes) ||
              output_write(&f->output, sort->positions ? sort->position : f->data,
                           sort->count * bytes) ||
              output_sync(&f->output);
    }
    for (uint32_t i = 0; i < files && !bad; i++)
        bad = output_finish(&sort->file[i].output);
    return bad;
}

static void print_stats(const struct sort *sort, const struct figures *figures)
{
    const double rate =
        figures->seconds > 0 ? 1e-9 * (double)figures->counts.count / figures->seconds : 0;
    struct json json = {.to = stderr};

    if (!sort->json) {
        fprintf(stderr,
                "multiway sort: %s (%s): %" PRIu64 " %s in %.6f s, %.3f Gk/s, "
                "%" PRIu32 " merge round%s\n",
                figures->info.device, figures->info.name, figures->counts.count,
                sort->order.what, figures->seconds, rate, figures->counts.rounds,
                figures->counts.rounds == 1 ? "" : "s");
        return;
    }
    json_open(&json, NULL, '{');
    json_text(&json, "device", figures->info.device);
    json_text(&json, "name", figures->info.name);
    order_json(&sort->order, &json);
    if (sort->columns.count)
        json_count(&json, "columns", sort->columns.count);
    if (sort->positions)
        json_text(&json, "positions", sort->positions);
    json_count(&json, "count", figures->counts.count);
    json_real(&json, "seconds", figures->seconds);
    json_real(&json, "giga_keys_per_second", rate);
    json_count(&json, "rounds", figures->counts.rounds);
    json_count(&json, "launches", figures->counts.launches);
    json_count(&json, "bytes_read", figures->counts.bytes_read);
    json_count(&json, "bytes_written", figures->counts.bytes_written);
    json_tuning(&json, "tuning", &figures->counts.tuning);
    json_close(&json, '{');
}

static int sort(struct sort *sort)
{
    struct figures figures = {.info = MW_INFO_INIT, .counts = MW_COUNTS_INIT};
    const int bad = read_options(sort) || open_files(sort) ||
                    read_and_sort(sort, &figures) || write_files(sort);

    for (uint32_t i = 0; i < MOST_FILES; i++) {
        input_close(&sort->file[i].input);
        output_drop(&sort->file[i].output);
        free(sort->file[i].data);
    }
    free(sort->position);
    if (!bad && (sort->stats || sort->json))
        print_stats(sort, &figures);
    return bad ? EXIT_TROUBLE : EXIT_FINE;
}

int command_sort(int argc, char **argv)
{
    struct sort c = {
        .order = ORDER_CHOICE_INIT, .device = "auto", .tuning = MW_TUNING_INIT};
    /* clang-format off */
    const struct option options[] = {
        TYPE_OPTION_IF(c.order.type, 0),
        {"desc",      0, NULL,    OPTION_FLAG, &c.order.descending,   0,
         "the exact reverse order"},
        RECORD_OPTIONS(c.order),
        {"order",     0, "TEXT",  OPTION_TEXT, &c.order.less,         0,
         "must *a precede *b? A C expression, for a GPU"},
        {"declare",   0, "TEXT",  OPTION_TEXT, &c.order.declarations, 0,
         "C that defines mw_element, the type of *a"},
        {"column",    0, "SPEC",  OPTION_LIST, &c.columns,            0,
         "BYTES:IN:OUT: values that move along, in files"},
        {"positions", 0, "TYPE",  OPTION_TEXT, &c.positions,          0,
         "write u32, i32, u64 or i64 positions instead"},
        OUTPUT_OPTION(c.output),
        {"device",    0, "NAME",  OPTION_TEXT, &c.device,             0,
         "auto, cuda[:N], cpu[:N] or sim (auto)"},
        {"stats",    'v', NULL,   OPTION_FLAG, &c.stats,              0,
         "time on standard error"},
        JSON_OPTION(c.json),
        TUNING_OPTIONS(c.tuning),
        CACHE_OPTIONS(c.cache),
        {0},
    };
    /* clang-format on */
    const struct command command = {
        .name = "sort",
        .usage = "--type TYPE [--desc] [--column BYTES:IN:OUT] [-o FILE] [FILE]\n"
                 "       multiway sort --record BYTES --key FIELD ... [-o FILE] [FILE]",
        .about =
            "Sort a file of keys: numbers by value, -0 before +0, NaNs after all numbers\n"
            "by their bits. Or sort records by fields; equal ones keep their order. Every\n"
            "device writes the same bytes. An output appears under its name when all are\n"
            "complete, and may be an input.",
        .options = options,
        .takes_file = 1,
        .more = KEY_HELP
        "\n"
        "What is not given of engine, ways, warps, threads, items and base is the\n"
        "library's choice for the device; the CPU ignores all of them. Engine auto is\n"
        "heap if warps, threads or base are given, and otherwise tile.\n"
        "\n"
        "  multiway sort --type u64 -o sorted.bin keys.bin\n"
        "  multiway sort --type f32 --desc --device cpu:4 -v < keys.bin > sorted.bin\n"
        "  multiway sort --type i32 --engine heap --ways 8 -o keys.bin keys.bin\n"
        "  multiway sort --record 16 --key 8:u32:desc --key 0:bytes:8 -o r.bin keys.bin\n"
        "  multiway sort --type u64 --positions u32 -o positions.bin keys.bin\n",
    };
    const int parsed = options_parse(&command, argc, argv, &c.input);

    return parsed == OPTIONS_RUN ? sort(&c) : parsed;
}
