/*
 * sort.c - `multiway sort`: a file of keys or records in, the same in order out, with
 * values from files of their own; or the positions of a sorted sequence.
 */
#include "cli.h"
#include "work.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_COLUMNS = TEXTS_MOST, MOST_FILES = 1 + MOST_COLUMNS };

struct sort {
    struct work work;
    const char *output;
    const char *input;
    struct texts columns;
    const char *segments, *segment_type_name;

    mw_type segment_type;
    void *position;
    mw_table in, out;
    mw_column column[MOST_COLUMNS];
    struct source source[MOST_FILES + 1]; /* the elements, columns, offsets of segments */
    struct result result[MOST_FILES];
};

/* `BYTES:IN:OUT`; the text is cut at its colons. */
static int read_column(struct source *source, struct result *result, char *text)
{
    char *const from = strchr(text, ':');
    char *const to = from ? strchr(from + 1, ':') : NULL;
    uint64_t bytes = 0;

    if (to && to > from + 1 && to[1]) {
        *from = *to = '\0';
        if (kit_parse_count(text, &bytes) == 0 && bytes > 0 && bytes <= ELEMENT_MOST) {
            *source = (struct source){
                .path = from + 1, .bytes = (uint32_t)bytes, .what = "values"};
            *result = (struct result){.path = to + 1};
            return 0;
        }
        *from = *to = ':';
    }
    return complain("sort",
                    "--column %s: expected BYTES:IN:OUT, as in 8:values.bin:sorted.bin, "
                    "with 1 to %d bytes a value",
                    text, ELEMENT_MOST);
}

/* Where segments begin and end; their offsets are the last source. */
static int read_segment_options(struct sort *sort)
{
    struct work *const work = &sort->work;

    if (!sort->segments)
        return sort->segment_type_name
                   ? complain("sort", "--segments-type goes with --segments FILE")
                   : 0;
    sort->segment_type = MW_U64;
    if (sort->segment_type_name &&
        work_index_type(work, "segments-type", sort->segment_type_name,
                        &sort->segment_type))
        return -1;
    sort->source[work->source_count++] =
        (struct source){.path = sort->segments,
                        .bytes = (uint32_t)mw_type_size(sort->segment_type),
                        .what = "offsets"};
    return 0;
}

/* The files that the options name, and what is to be found. */
static int read_options(struct sort *sort)
{
    struct work *const work = &sort->work;
    const uint32_t columns = sort->columns.count;

    if (work_begin(work))
        return -1;
    if (work->positions && columns)
        return complain("sort", "--positions writes positions only (leave out --column)");
    sort->source[0] = (struct source){.path = sort->input,
                                      .bytes = work->order.order->element_bytes,
                                      .what = work->order.what};
    sort->result[0] = (struct result){.path = sort->output};
    for (uint32_t i = 0; i < columns; i++) {
        if (read_column(&sort->source[i + 1], &sort->result[i + 1], sort->columns.text[i]))
            return -1;
    }
    work->sources = sort->source;
    work->results = sort->result;
    work->source_count = work->result_count = 1 + columns;
    work->parts = "columns";
    work->part_count = columns;
    return read_segment_options(sort);
}

static uint64_t offset_at(const struct sort *sort, const struct source *offsets, uint64_t i)
{
    const int is_short = offsets->bytes == 4;
    const uint64_t number = is_short ? ((const uint32_t *)offsets->data)[i]
                                     : ((const uint64_t *)offsets->data)[i];
    const int is_negative = (sort->segment_type == MW_I32 && number > INT32_MAX) ||
                            (sort->segment_type == MW_I64 && number > INT64_MAX);

    return is_negative ? UINT64_MAX : number; /* which is beyond any row */
}

/* Offsets that do not ascend would give segments that overlap, and rows could be lost. */
static int prepare_segments(struct sort *sort, const struct source *offsets, uint64_t rows)
{
    mw_job *const job = &sort->work.job;
    uint64_t last = 0;
    char text[KIT_KEY_TEXT];

    if (!offsets->count)
        return complain("sort", "%s has no offsets (expected one more than segments)",
                        offsets->input.name);
    for (uint64_t i = 0; i < offsets->count; i++) {
        const uint64_t offset = offset_at(sort, offsets, i);

        if (offset < last || offset > rows) {
            kit_key_text(sort->segment_type, (char *)offsets->data + i * offsets->bytes,
                         text);
            return complain("sort",
                            "%s: offset number %" PRIu64 " is %s (expected %" PRIu64
                            " to %" PRIu64 ")",
                            offsets->input.name, i, text, last, rows);
        }
        last = offset;
    }
    if (sort->work.positions && (last < rows || offset_at(sort, offsets, 0) > 0))
        return complain("sort",
                        "%s: --positions needs offsets that begin with 0 and end with "
                        "%" PRIu64,
                        offsets->input.name, rows);
    job->segment_begins = offsets->data;
    job->segment_ends = (const char *)offsets->data + offsets->bytes;
    job->segment_type = sort->segment_type;
    job->segment_count = offsets->count - 1;
    return 0;
}

static int prepare_columns(struct sort *sort, uint64_t rows)
{
    for (uint32_t i = 1; i <= sort->columns.count; i++) {
        const struct source *const s = &sort->source[i];

        if (s->count != rows)
            return complain("sort",
                            "%s has %" PRIu64 " values (expected %" PRIu64
                            ", one for each of the %s)",
                            s->input.name, s->count, rows, sort->work.order.what);
        sort->column[i - 1] = (mw_column){s->data, s->bytes};
        sort->result[i].data = s->data;
        sort->result[i].bytes = rows * s->bytes;
    }
    return 0;
}

static int prepare(struct work *work, mw_context *context, void *command)
{
    struct sort *const sort = command;
    const struct source *const elements = &sort->source[0];
    const uint64_t rows = elements->count;
    const size_t position_bytes = mw_type_size(work->position_type);

    (void)context;
    sort->in = (mw_table){.elements = elements->data,
                          .count = rows,
                          .columns = sort->column,
                          .column_count = sort->columns.count};
    sort->out.count = rows;
    work->job.in = &sort->in;
    sort->result[0].data = elements->data;
    sort->result[0].bytes = rows * elements->bytes;
    if (prepare_columns(sort, rows) ||
        (sort->segments &&
         prepare_segments(sort, &sort->source[work->source_count - 1], rows)))
        return -1;
    if (!work->positions)
        return 0;
    sort->position = memory_for("sort", rows, position_bytes);
    work->job.out = &sort->out;
    work->job.positions = sort->position;
    work->job.position_type = work->position_type;
    sort->result[0].data = sort->position;
    sort->result[0].bytes = rows * position_bytes;
    return !sort->position;
}

static int sort(struct sort *sort)
{
    const int bad = read_options(sort) || work_run(&sort->work, prepare, sort) ||
                    work_write(&sort->work);

    work_end(&sort->work);
    free(sort->position);
    return bad ? EXIT_TROUBLE : EXIT_FINE;
}

int command_sort(int argc, char **argv)
{
    struct sort c = {.work = WORK_INIT("sort")};
    /* clang-format off */
    const struct option options[] = {
        WORK_ORDER_OPTIONS(c.work, "the exact reverse order"),
        {"column",    0, "SPEC",  OPTION_LIST, &c.columns,            0,
         "BYTES:IN:OUT: values that move along, in files"},
        {"segments",  0, "FILE",  OPTION_TEXT, &c.segments,           0,
         "n + 1 offsets: sort n segments, each on its own"},
        {"segments-type", 0, "TYPE", OPTION_TEXT, &c.segment_type_name, 0,
         "the offsets' type: u32, i32, u64 or i64 (u64)"},
        WORK_POSITIONS_OPTION(c.work),
        OUTPUT_OPTION(c.output),
        WORK_DEVICE_OPTIONS(c.work),
        TUNING_OPTIONS(c.work.tuning),
        CACHE_OPTIONS(c.work.cache),
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
            "complete, and may be an input. With --segments, segment i is the rows from\n"
            "offset i up to offset i + 1; positions then count from its beginning.",
        .options = options,
        .takes_files = 1,
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
        "  multiway sort --type u64 --positions u32 -o positions.bin keys.bin\n"
        "  multiway sort --type u64 --segments offsets.bin -o sorted.bin keys.bin\n",
    };
    const int parsed = options_parse(&command, argc, argv, &c.input);

    return parsed == OPTIONS_RUN ? sort(&c) : parsed;
}
