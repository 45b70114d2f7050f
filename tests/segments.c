/*
 * segments.c - random sorts of segments on one device, against an oracle that sorts
 * positions by insertion into runs.
 *
 *   segments DEVICE SEED COUNT [MOST]
 *
 * runs COUNT jobs of at most MOST rows: keys, pairs, records, byte strings, an order of
 * one's own, positions, in place and not, holes, empty and invalid segments, overlapping
 * ones. Case i of a seed is case 0 of seed + i. Arrays that are only read, rows in no
 * segment and guards around all arrays must be untouched.
 */
#include "segments.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void *array_there(const struct array *a)
{
    return (char *)a->there + GUARD + a->shift;
}

static void array_free(mw_context *context, struct array *a)
{
    free(a->here);
    free(a->before);
    mw_free(context, a->there);
}

/* ---- The oracle ---------------------------------------------------------------------- */

static int compare_numbers(mw_type type, const void *x, const void *y)
{
#define NUMBERS(id, c_type)        \
    case id: {                     \
        c_type a, b;               \
        memcpy(&a, x, sizeof a);   \
        memcpy(&b, y, sizeof b);   \
        return a < b ? -1 : a > b; \
    }
    switch (type) {
        NUMBERS(MW_U8, uint8_t)
        NUMBERS(MW_I16, int16_t)
        NUMBERS(MW_I32, int32_t)
        NUMBERS(MW_U32, uint32_t)
        NUMBERS(MW_I64, int64_t)
        NUMBERS(MW_U64, uint64_t)
        NUMBERS(MW_F32, float)
        NUMBERS(MW_F64, double)
    default:
        return 0;
    }
}

static int compare_rows(const struct one_case *c, uint64_t a, uint64_t b)
{
    if (c->order.less_on_host) {
        const char *const rows = (const char *)c->in[0].before + GUARD + c->in[0].shift;
        const char *const x = rows + a * c->bytes[0], *const y = rows + b * c->bytes[0];

        return c->order.less_on_host(x, y) ? -1 : c->order.less_on_host(y, x);
    }
    for (uint32_t i = 0; i < c->order.field_count; i++) {
        const mw_field *const f = &c->fields[i];
        const struct array *const in = &c->in[f->column];
        const char *const at = (const char *)in->before + GUARD + in->shift + f->offset;
        const char *const x = at + a * c->bytes[f->column];
        const char *const y = at + b * c->bytes[f->column];
        const int order =
            f->type == MW_BYTES ? memcmp(x, y, f->bytes) : compare_numbers(f->type, x, y);

        if (order)
            return f->direction == MW_DESCENDING ? -order : order;
    }
    return 0;
}

/* Sort positions [first, last) stably by merging. */
static void merge_sort(const struct one_case *c, uint64_t *rows, uint64_t *spare,
                       uint64_t count)
{
    const uint64_t half = count / 2;
    uint64_t i = 0, j = half, k = 0;

    if (count < 2)
        return;
    merge_sort(c, rows, spare, half);
    merge_sort(c, rows + half, spare, count - half);
    while (i < half || j < count)
        spare[k++] = j == count || (i < half && compare_rows(c, rows[j], rows[i]) >= 0)
                         ? rows[i++]
                         : rows[j++];
    memcpy(rows, spare, count * sizeof *rows);
}

/* ---- Running ------------------------------------------------------------------------- */

static struct array *array_number(struct one_case *c, uint32_t i)
{
    return i < MOST_COLUMNS            ? &c->in[i]
           : i < 2 * MOST_COLUMNS      ? &c->out[i - MOST_COLUMNS]
           : i == 2 * MOST_COLUMNS     ? &c->positions
           : i == 2 * MOST_COLUMNS + 1 ? &c->begins
           : i == 2 * MOST_COLUMNS + 2 ? &c->ends
           : i == 2 * MOST_COLUMNS + 3 ? &c->workspace
                                       : NULL;
}

/* Small tiles and few ways make many rounds of few rows. */
static void tune(mw_context *context, const struct one_case *c)
{
    mw_tuning tuning = MW_TUNING_INIT;

    if (below(2) && c->order.field_count && !c->is_lone) {
        tuning.engine = MW_ENGINE_TILE;
        tuning.threads = 64;
        tuning.items = 16;
        tuning.ways = 2u << below(5);
    } else if (c->is_lone && below(2)) {
        tuning.engine = MW_ENGINE_TILE;
    }
    mw_set_tuning(context, &tuning);
}

static mw_status run(mw_context *context, struct one_case *c)
{
    mw_column in_columns[MOST_COLUMNS], out_columns[MOST_COLUMNS];
    mw_table in = {.count = c->count}, out = {.count = c->count};
    mw_job job = MW_JOB_INIT;
    uint64_t bytes = 0;
    mw_status status = MW_OK;
    struct array *a;

    for (uint32_t pass = 0; pass < 2 && status == MW_OK; pass++) {
        in.elements = array_there(&c->in[0]);
        in.columns = in_columns;
        in.column_count = out.column_count = c->columns - 1;
        out.columns = out_columns;
        for (uint32_t i = 0; i < c->columns; i++) {
            void *const from = array_there(&c->in[i]);
            void *const to = c->place[i] == 0   ? from
                             : c->place[i] == 1 ? array_there(&c->out[i])
                                                : NULL;

            if (i == 0)
                out.elements = to;
            else
                out_columns[i - 1] = (mw_column){to, c->bytes[i]};
            if (i > 0)
                in_columns[i - 1] = (mw_column){from, c->bytes[i]};
        }
        job.order = &c->order;
        job.in = &in;
        job.out = &out;
        job.positions = c->has_positions ? array_there(&c->positions) : NULL;
        job.position_type = c->position_type;
        job.segment_begins = array_there(&c->begins);
        job.segment_ends = array_there(&c->ends);
        job.segment_type = c->segment_type;
        job.segment_count = c->segments;
        if (pass == 0) {
            in.count = out.count = c->count + below(3) * 1000; /* covers smaller ones */
            status = mw_prepare(context, &job, &bytes);
            in.count = out.count = c->count;
            array_make(&c->workspace, bytes, 256 - GUARD % 256);
            for (uint32_t i = 0; (a = array_number(c, i)) && status == MW_OK; i++) {
                if (!a->here)
                    continue;
                memcpy(a->before, a->here, array_room(a));
                status = mw_alloc(context, array_room(a), &a->there);
                if (status == MW_OK)
                    status = mw_upload(context, a->there, a->here, array_room(a));
            }
        } else {
            status = mw_enqueue(context, &job, array_there(&c->workspace), bytes, NULL);
            if (status == MW_OK)
                status = mw_wait(context);
        }
    }
    for (uint32_t i = 0; (a = array_number(c, i)) && status == MW_OK; i++)
        if (a->here)
            status = mw_download(context, a->here, a->there, array_room(a));
    return status;
}

static int same_bytes(const struct array *a, uint64_t first, uint64_t last)
{
    return memcmp(a->here + first, a->before + first, last - first) == 0;
}

static int guards_hold(const struct array *a)
{
    return same_bytes(a, 0, GUARD + a->shift) &&
           same_bytes(a, GUARD + a->shift + a->bytes, array_room(a));
}

/* What row `row` of the result shall be. */
static int row_is_right(const struct one_case *c, uint64_t row, uint64_t from,
                        uint64_t begin)
{
    const int width = number_bytes(c->position_type);
    uint64_t position = 0;

    for (uint32_t i = 0; i < c->columns; i++) {
        const struct array *const to = c->place[i] == 1 ? &c->out[i] : &c->in[i];
        const unsigned char *const is = (unsigned char *)array_at(to) + row * c->bytes[i];
        const struct array *const source = begin == UINT64_MAX ? to : &c->in[i];
        const unsigned char *const want =
            source->before + GUARD + source->shift + from * c->bytes[i];

        if (c->place[i] != 2 && memcmp(is, want, c->bytes[i]))
            return 0;
    }
    if (!c->has_positions)
        return 1;
    if (begin == UINT64_MAX)
        return same_bytes(&c->positions, GUARD + row * (uint64_t)width,
                          GUARD + (row + 1) * (uint64_t)width);
    memcpy(&position, (char *)array_at(&c->positions) + row * (uint64_t)width,
           (size_t)width);
    return position == from - begin;
}

static int is_right(struct one_case *c)
{
    uint64_t *const rows = malloc((c->count + 1) * sizeof *rows);
    uint64_t *const home = malloc((c->count + 1) * sizeof *rows);
    uint64_t *const spare = malloc((c->count + 1) * sizeof *rows);
    struct array *a;
    int right = 1;

    for (uint32_t i = 0; (a = array_number(c, i)); i++)
        right &= !a->here || guards_hold(a);
    for (uint32_t i = 0; i < c->columns; i++)
        right &= c->place[i] == 0 || same_bytes(&c->in[i], 0, array_room(&c->in[i]));
    for (uint64_t i = 0; i < c->count; i++) {
        rows[i] = i;
        home[i] = UINT64_MAX;
    }
    for (uint64_t s = 0; s < c->segments; s++) {
        const uint64_t b = c->segment_begin[s], e = c->segment_end[s];

        if (b >= e || e > c->count)
            continue;
        merge_sort(c, rows + b, spare, e - b);
        for (uint64_t i = b; i < e; i++)
            home[i] = b;
    }
    for (uint64_t i = 0; i < c->count && right && !c->overlap; i++) {
        right = row_is_right(c, i, rows[i], home[i]);
        if (!right)
            printf("# row %llu should be %llu, home %lld\n", (unsigned long long)i,
                   (unsigned long long)rows[i], (long long)home[i]);
    }
    free(rows);
    free(home);
    free(spare);
    return right;
}

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "sim";
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    const uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 0) : 100;
    const uint64_t most = argc > 4 ? strtoull(argv[4], NULL, 0) : 20000;
    mw_context *context;
    struct tap tap = {0, 0};

    if (mw_open(&context, device, NULL) != MW_OK)
        return 1;
    for (uint64_t i = 0; i < count; i++) {
        struct one_case c;
        struct array *a;
        mw_status status;
        int right;

        make_case(&c, seed + i, most);
        tune(context, &c);
        status = run(context, &c);
        right = status == MW_OK && is_right(&c);
        if (!right) {
            printf("# seed %llu: %s; %llu rows, %llu segments, %u columns, %u fields of %u "
                   "bytes, places %d, positions %d, overlap %d\n",
                   (unsigned long long)(seed + i),
                   status == MW_OK ? "wrong" : mw_error(context),
                   (unsigned long long)c.count, (unsigned long long)c.segments, c.columns,
                   c.order.field_count, c.bytes[0], c.place[0], c.has_positions, c.overlap);
            tap_case(&tap, 0, "seed %llu", (unsigned long long)(seed + i));
        }
        for (uint32_t j = 0; (a = array_number(&c, j)); j++)
            array_free(context, a);
        free(c.segment_begin);
        free(c.segment_end);
    }
    tap_case(&tap, tap.failed == 0, "%llu sorts of segments on %s",
             (unsigned long long)count, device);
    mw_close(context);
    return tap_end(&tap);
}
