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
#include "multiway.h"

#include "tap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, MOST_COLUMNS = 4, MOST_FIELDS = 3 };

static uint64_t state;

static uint64_t random_bits(void)
{
    state += UINT64_C(0x9e3779b97f4a7c15);

    uint64_t z = state;

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t below(uint64_t n)
{
    return random_bits() % n;
}

/* An array on both sides, with guards. */
struct array {
    unsigned char *here; /* with guards */
    unsigned char *before;
    uint64_t bytes; /* without */
    uint64_t shift;
    void *there;
};

static void *array_at(const struct array *a)
{
    return a->here + GUARD + a->shift;
}

static void *array_there(const struct array *a)
{
    return (char *)a->there + GUARD + a->shift;
}

static uint64_t array_room(const struct array *a)
{
    return a->bytes + a->shift + 2 * GUARD;
}

static void array_make(struct array *a, uint64_t bytes, uint64_t shift)
{
    a->bytes = bytes;
    a->shift = shift;
    a->here = malloc(array_room(a));
    a->before = malloc(array_room(a));
    a->there = NULL;
    for (uint64_t i = 0; i < array_room(a); i++)
        a->here[i] = (unsigned char)random_bits();
}

static void array_free(mw_context *context, struct array *a)
{
    free(a->here);
    free(a->before);
    mw_free(context, a->there);
}

struct one_case {
    uint64_t count;
    uint32_t columns; /* with the elements */
    uint32_t bytes[MOST_COLUMNS];
    struct array in[MOST_COLUMNS], out[MOST_COLUMNS], positions, begins, ends, workspace;
    int place[MOST_COLUMNS]; /* 0: in place, 1: out, 2: nowhere */
    mw_field fields[MOST_FIELDS];
    mw_order order;
    mw_type position_type, segment_type;
    int has_positions, overlap;
    uint64_t segments;
    uint64_t *segment_begin, *segment_end; /* valid ones, or empty */
};

static int number_bytes(mw_type type)
{
    return (int)mw_type_size(type);
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

static int less_of_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 4) < 0;
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

/* ---- Cases --------------------------------------------------------------------------- */

static mw_type any_number(void)
{
    static const mw_type types[] = {MW_U8,  MW_I16, MW_I32, MW_U32,
                                    MW_I64, MW_U64, MW_F32, MW_F64};

    return types[below(8)];
}

static void make_order(struct one_case *c)
{
    const uint64_t kind = below(10);

    c->order = (mw_order)MW_ORDER_INIT;
    if (kind < 5) { /* a built-in type */
        const mw_type type = any_number();

        c->bytes[0] = (uint32_t)number_bytes(type);
        c->fields[0] = (mw_field){.type = type};
        c->order.field_count = 1;
    } else if (kind == 5) {
        c->bytes[0] = 4 + (uint32_t)below(20);
        c->order.less_on_host = less_of_bytes;
        c->order.less = "memcmp(a, b, 4) < 0";
        c->order.declarations = "typedef struct { char c[4]; } mw_element;";
    } else {
        c->bytes[0] = 8 + (uint32_t)below(40);
        c->order.field_count = 1 + (uint32_t)below(MOST_FIELDS);
    }
    c->order.element_bytes = c->bytes[0];
    c->order.fields = c->order.field_count ? c->fields : NULL;
    for (uint32_t i = 0; i < c->order.field_count; i++) {
        mw_field *const f = &c->fields[i];

        if (kind > 5) {
            f->column = (uint32_t)below(c->columns);
            f->type = any_number();
            if (below(3) == 0 || (uint32_t)number_bytes(f->type) > c->bytes[f->column]) {
                f->type = MW_BYTES;
                f->bytes = 1 + (uint32_t)below(c->bytes[f->column]);
            }
            f->offset = (uint32_t)below(
                c->bytes[f->column] -
                (f->type == MW_BYTES ? f->bytes : (uint32_t)number_bytes(f->type)) + 1);
        }
        f->direction = below(2) ? MW_DESCENDING : MW_ASCENDING;
    }
}

/* Values that tie often; floats without NaNs and zeros. */
static void tie_values(struct array *a, uint64_t keep)
{
    unsigned char *const at = array_at(a);

    for (uint64_t i = 0; i < a->bytes; i++)
        at[i] = (unsigned char)(keep ? 0x40 | (at[i] & keep) : 0x40 | (at[i] & 0x3f));
}

static void set_number(struct array *a, mw_type type, uint64_t i, uint64_t value)
{
    const int bytes = number_bytes(type);

    memcpy((char *)array_at(a) + i * (uint64_t)bytes, &value, (size_t)bytes);
}

/* Cut the rows into segments and holes; then list the segments in some order. */
static void make_segments(struct one_case *c)
{
    static const uint64_t mosts[] = {1, 2, 8, 40, 300, 2500, 9000, 40000};
    const uint64_t most = mosts[below(8)], also = mosts[below(8)];
    const int holes = (int)below(3), shuffled = (int)below(2);
    uint64_t n = 0, at = 0;

    c->segment_begin = malloc((2 * c->count + 10) * sizeof(uint64_t));
    c->segment_end = malloc((2 * c->count + 10) * sizeof(uint64_t));
    while (at < c->count) {
        uint64_t length = below((below(8) ? most : also) + 1);

        length = length < c->count - at ? length : c->count - at;
        if (length == 0 && below(4))
            length = 1;
        if (!holes || below(4)) {
            c->segment_begin[n] = at;
            c->segment_end[n++] = at + length;
        }
        at += length;
        if (n > 2 * c->count)
            break;
    }
    for (int i = 0; i < 3; i++) { /* empty ones */
        const uint64_t begin = below(c->count + 9);

        c->segment_begin[n] = begin;
        c->segment_end[n++] = below(2) ? begin / 2 : c->count + 1 + below(5);
    }
    if (c->overlap)
        for (int i = 0; i < 3; i++) {
            c->segment_begin[n] = below(c->count + 1);
            c->segment_end[n++] = below(c->count + 1);
        }
    for (uint64_t i = n; shuffled && i > 1; i--) {
        const uint64_t j = below(i), b = c->segment_begin[j], e = c->segment_end[j];

        c->segment_begin[j] = c->segment_begin[i - 1];
        c->segment_end[j] = c->segment_end[i - 1];
        c->segment_begin[i - 1] = b;
        c->segment_end[i - 1] = e;
    }
    c->segments = n;
    array_make(&c->begins, n * (uint64_t)number_bytes(c->segment_type), 0);
    array_make(&c->ends, n * (uint64_t)number_bytes(c->segment_type), 0);
    for (uint64_t i = 0; i < n; i++) {
        const int negative = c->segment_begin[i] >= c->segment_end[i] && below(2) &&
                             (c->segment_type == MW_I32 || c->segment_type == MW_I64);

        set_number(&c->begins, c->segment_type, i,
                   negative ? UINT64_MAX - below(9) : c->segment_begin[i]);
        set_number(&c->ends, c->segment_type, i, c->segment_end[i]);
    }
}

static void make_case(struct one_case *c, uint64_t seed, uint64_t most)
{
    static const mw_type indices[] = {MW_U32, MW_I32, MW_U64, MW_I64};
    uint64_t keep;
    int mode; /* in place, out, mixed, argsort */

    state = seed;
    keep = below(3) ? 0 : 1 + below(7);
    mode = (int)below(4);
    memset(c, 0, sizeof *c);
    c->count = 1 + below(1 + below(most));
    c->columns = 1 + (below(2) ? (uint32_t)below(MOST_COLUMNS) : 0);
    for (uint32_t i = 1; i < c->columns; i++)
        c->bytes[i] = 1 + (uint32_t)below(below(3) ? 8 : 40);
    make_order(c);
    c->overlap = below(12) == 0;
    c->has_positions = mode == 3 || below(3) == 0;
    c->position_type = indices[below(4)];
    c->segment_type = indices[below(4)];
    for (uint32_t i = 0; i < c->columns; i++) {
        const uint64_t shift = c->order.field_count == 1 && i == 0 ? 0
                               : below(2)                          ? 0
                                                                   : 4 * below(5);

        c->place[i] = mode == 3 ? 2 : mode == 2 ? (int)below(3) : mode;
        array_make(&c->in[i], c->count * c->bytes[i], shift);
        array_make(&c->out[i], c->count * c->bytes[i], shift);
        tie_values(&c->in[i], keep);
    }
    if (c->place[0] == 2 && mode == 2 && c->columns == 1)
        c->place[0] = 0;
    array_make(&c->positions, c->count * (uint64_t)number_bytes(c->position_type), 0);
    make_segments(c);
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
