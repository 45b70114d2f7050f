/*
 * sort_table.c - sort a file with values from files of their own, by segments, or to
 * positions.
 */
#include "sort_table.h"

#include "cli.h"

#include <inttypes.h>
#include <stdlib.h>

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
static int read_segment_options(struct sort_table *sort)
{
    struct work *const work = sort->work;

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
static int read_options(struct sort_table *sort)
{
    struct work *const work = sort->work;
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

static uint64_t offset_at(const struct sort_table *sort, const struct source *offsets,
                          uint64_t i)
{
    const int is_short = offsets->bytes == 4;
    const uint64_t number = is_short ? ((const uint32_t *)offsets->data)[i]
                                     : ((const uint64_t *)offsets->data)[i];
    const int is_negative = (sort->segment_type == MW_I32 && number > INT32_MAX) ||
                            (sort->segment_type == MW_I64 && number > INT64_MAX);

    return is_negative ? UINT64_MAX : number; /* which is beyond any row */
}

/* Offsets that do not ascend would give segments that overlap, and rows could be lost. */
static int prepare_segments(struct sort_table *sort, const struct source *offsets,
                            uint64_t rows)
{
    mw_job *const job = &sort->work->job;
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
    if (sort->work->positions && (last < rows || offset_at(sort, offsets, 0) > 0))
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

static int prepare_columns(struct sort_table *sort, uint64_t rows)
{
    for (uint32_t i = 1; i <= sort->columns.count; i++) {
        const struct source *const s = &sort->source[i];

        if (s->count != rows)
            return complain("sort",
                            "%s has %" PRIu64 " values (expected %" PRIu64
                            ", one for each of the %s)",
                            s->input.name, s->count, rows, sort->work->order.what);
        sort->column[i - 1] = (mw_column){s->data, s->bytes};
        sort->result[i].data = s->data;
        sort->result[i].bytes = rows * s->bytes;
    }
    return 0;
}

static int prepare(struct work *work, mw_context *context, void *command)
{
    struct sort_table *const sort = command;
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

int sort_table_is_wanted(const struct sort_table *sort, const struct work *work)
{
    return sort->columns.count || sort->segments || sort->segment_type_name ||
           work->positions;
}

int sort_table(struct sort_table *sort, struct work *work)
{
    int bad;

    sort->work = work;
    bad = read_options(sort) || work_run(work, prepare, sort) || work_write(work);
    work_end(work);
    free(sort->position);
    return bad;
}
