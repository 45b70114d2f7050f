/*
 * selections.c - random selections on one device, against an oracle that sorts positions.
 *
 *   selections DEVICE SEED COUNT [MOST]
 *
 * runs COUNT jobs of at most MOST rows, those of anything_case.c, with ranks of their own
 * and half the time with segments. Each row of the result must be the one of its rank,
 * rows that have none must be untouched, and so must the input and guards around all.
 */
#include "anything.h"
#include "trial.h"

#include "tap.h"

#include <stdlib.h>

/* What is asked for besides the case: ranks, and segments as numbers of any type. */
struct asked {
    uint64_t first, last;
    int segmented;
    uint64_t groups; /* segments, or 1 */
    uint64_t *begins, *ends;
    mw_type segment_type;
    struct array begin_array, end_array, workspace;
    struct array out[MOST_COLUMNS], positions;
    int wanted[MOST_COLUMNS];
};

/* Many keys, of which samples are taken; or all of them in one segment. */
struct large {
    mw_type type;
    const char *shape;
    uint64_t first, last;
    int segmented; /* 2: no, but fewer keys, a tile or less for each block */
};

static uint64_t rows_of(const struct asked *a)
{
    return a->groups * (a->last - a->first);
}

static void set_number(const struct array *array, size_t size, uint64_t i, uint64_t value)
{
    memcpy(array_at(array) + i * size, &value, size); /* little-endian */
}

/*
 * Segments one after the other in any order, with holes; some of them no segments. Or one
 * segment of all rows.
 */
static int make_segments(struct case_of_rows *c, struct asked *a, int is_one)
{
    const uint64_t longest = is_one ? c->count : 1 + (c->count >> roll(c, 12));
    const size_t size = mw_type_size(a->segment_type);
    uint64_t at = 0;

    a->groups = is_one ? 1 : roll(c, 6) ? roll(c, 1 + c->count / longest + 3) : roll(c, 70);
    a->begins = malloc((size_t)(a->groups + 1) * 8);
    a->ends = malloc((size_t)(a->groups + 1) * 8);
    if (!a->begins || !a->ends ||
        !array_make(&a->begin_array, a->groups * size, (uint32_t)(size * roll(c, 3))) ||
        !array_make(&a->end_array, a->groups * size, (uint32_t)(size * roll(c, 3))))
        return 0;
    for (uint64_t i = 0; i < a->groups; i++) {
        uint64_t length = is_one ? longest : roll(c, longest + 1);

        at += is_one || roll(c, 3) ? 0 : roll(c, 5);
        length = at > c->count ? 0 : length > c->count - at ? c->count - at : length;
        a->begins[i] = at;
        a->ends[i] = at + length;
        at += length;
    }
    for (uint64_t i = 0; i < a->groups; i++) {
        const uint64_t j = roll(c, a->groups);
        const uint64_t begin = a->begins[i], end = a->ends[i];

        a->begins[i] = a->begins[j], a->ends[i] = a->ends[j];
        a->begins[j] = begin, a->ends[j] = end;
    }
    for (uint64_t i = 0; i < a->groups; i++) {
        const uint64_t kind = is_one ? 3 : roll(c, 20);

        if (kind == 0)
            a->ends[i] = a->begins[i] ? a->begins[i] - 1 : c->count + 1;
        if (kind == 1)
            a->ends[i] = c->count + 1 + roll(c, 5);
        if (kind == 2)
            a->begins[i] = UINT64_MAX - roll(c, 3);
        set_number(&a->begin_array, size, i, a->begins[i]);
        set_number(&a->end_array, size, i, a->ends[i]);
        if (kind == 2 && size == 4)
            a->begins[i] &= UINT32_MAX;
    }
    return 1;
}

static int make_asked(struct case_of_rows *c, struct asked *a, const struct large *large)
{
    static const mw_type types[] = {MW_U32, MW_I32, MW_U64, MW_I64};
    const uint64_t most = roll(c, 3) ? 1 + roll(c, 100) : 1 + roll(c, c->count + 10);
    const uint32_t position_bytes = (uint32_t)mw_type_size(c->position_type);
    int right = 1;

    *a = (struct asked){.groups = 1, .segment_type = types[roll(c, 4)]};
    a->segmented = large ? large->segmented == 1 : (int)roll(c, 2);
    a->first = roll(c, 2) ? 0 : roll(c, c->count + 2) >> roll(c, 12);
    if (a->segmented)
        right = make_segments(c, a, large != NULL);
    a->last = a->first + roll(c, most + 1);
    if (large) {
        a->first = large->first;
        a->last = large->last;
    }
    while (a->segmented && rows_of(a) * c->row_bytes > 8 << 20)
        a->last = a->first + (a->last - a->first) / 2;
    for (uint32_t i = 0; i < c->columns; i++) {
        const uint32_t step = i ? 1 : c->is_bare ? c->bytes[0] : c->own ? 8 : 1;

        a->wanted[i] = c->place[i] != NOWHERE;
        right &=
            array_make(&a->out[i], rows_of(a) * c->bytes[i], step * (uint32_t)roll(c, 9));
    }
    return right & array_make(&a->positions, rows_of(a) * position_bytes,
                              position_bytes * (uint32_t)roll(c, 4));
}

/* ---- Jobs ---------------------------------------------------------------------------- */

struct asked_job {
    mw_column columns[2][MOST_COLUMNS];
    mw_table in, out;
    mw_job job;
};

static void *there(const struct array *array)
{
    return (char *)array->there + GUARD + array->shift;
}

static void ask(struct case_of_rows *c, struct asked *a, struct asked_job *j)
{
    for (uint32_t i = 0; i < c->columns; i++) {
        j->columns[0][i] = (mw_column){there(&c->in[i]), c->bytes[i]};
        j->columns[1][i] =
            (mw_column){a->wanted[i] ? there(&a->out[i]) : NULL, c->bytes[i]};
    }
    j->in = (mw_table){j->columns[0][0].data, c->count, j->columns[0] + 1, c->columns - 1};
    j->out =
        (mw_table){j->columns[1][0].data, rows_of(a), j->columns[1] + 1, c->columns - 1};
    j->job = (mw_job)MW_JOB_INIT;
    j->job.operation = MW_SELECT;
    j->job.order = &c->order;
    j->job.in = &j->in;
    j->job.out = &j->out;
    j->job.position_type = c->position_type;
    j->job.positions = c->has_positions ? there(&a->positions) : NULL;
    j->job.first = a->first;
    j->job.last = a->last;
    if (a->segmented) {
        j->job.segment_begins = there(&a->begin_array);
        j->job.segment_ends = there(&a->end_array);
        j->job.segment_type = a->segment_type;
        j->job.segment_count = a->groups;
    }
}

static struct array *array_number(struct case_of_rows *c, struct asked *a, uint32_t i)
{
    return i < c->columns            ? &c->in[i]
           : i < 2 * c->columns      ? &a->out[i - c->columns]
           : i == 2 * c->columns     ? &a->positions
           : i == 2 * c->columns + 1 ? &a->begin_array
           : i == 2 * c->columns + 2 ? &a->end_array
           : i == 2 * c->columns + 3 ? &a->workspace
                                     : NULL;
}

static mw_status send(mw_context *context, struct array *array)
{
    mw_status status = mw_alloc(context, array_room(array), &array->there);

    return status == MW_OK
               ? mw_upload(context, array->there, array->room, array_room(array))
               : status;
}

/* Prepare, perhaps for more, and run; NULL, or what went wrong. */
static const char *run(mw_context *context, struct case_of_rows *c, struct asked *a)
{
    struct asked_job j;
    struct array *array;
    uint64_t bytes;
    const uint64_t count = c->count, last = a->last;

    for (uint32_t i = 0; (array = array_number(c, a, i)); i++)
        if (array->room && send(context, array) != MW_OK)
            return "no way there";
    if (c->seed & 1) {
        c->count += c->seed >> 9 & 1023;
        a->last += c->seed >> 19 & 1023;
    }
    ask(c, a, &j);
    c->count = count;
    a->last = last;
    if (mw_prepare(context, &j.job, &bytes) != MW_OK)
        return "mw_prepare failed";
    if (!array_make(&a->workspace, bytes, 256 - GUARD) ||
        send(context, &a->workspace) != MW_OK)
        return "no memory";
    ask(c, a, &j);
    if (mw_enqueue(context, &j.job, there(&a->workspace), bytes, NULL) != MW_OK ||
        mw_wait(context) != MW_OK)
        return "mw_enqueue failed";
    for (uint32_t i = 0; (array = array_number(c, a, i)); i++)
        if (array->room &&
            mw_download(context, array->room, array->there, array_room(array)) != MW_OK)
            return "no way back";
    return NULL;
}

/* ---- Verdicts ------------------------------------------------------------------------ */

static int untouched(const unsigned char *at, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (at[i] != GUARD_BYTE)
            return 0;
    return 1;
}

/* Row `row` of the result: `from`, counted from `begin`; or nobody, UINT64_MAX. */
static const char *judge_row(const struct case_of_rows *c, const struct asked *a,
                             uint64_t row, uint64_t from, uint64_t begin)
{
    const size_t size = mw_type_size(c->position_type);
    uint64_t position = 0;

    for (uint32_t i = 0; i < c->columns; i++) {
        const size_t bytes = c->bytes[i];
        const unsigned char *const at = array_at(&a->out[i]) + row * bytes;

        if (from == UINT64_MAX || !a->wanted[i]) {
            if (!untouched(at, bytes))
                return "a row that is not in the result was written";
        } else if (memcmp(at, array_at(&c->in[i]) + from * bytes, bytes) != 0) {
            return i ? "wrong values" : "wrong elements";
        }
    }
    memcpy(&position, array_at(&a->positions) + row * size, size);
    if (from == UINT64_MAX || !c->has_positions)
        return untouched(array_at(&a->positions) + row * size, size)
                   ? NULL
                   : "a position that is not in the result was written";
    return position == from - begin ? NULL : "wrong positions";
}

/* One group, rows [begin, end), whose order is in `order`. */
static const char *judge_group(const struct case_of_rows *c, const struct asked *a,
                               uint64_t group, uint64_t begin, uint64_t end,
                               const uint64_t *order)
{
    const uint64_t width = a->last - a->first;
    const char *wrong = NULL;
    uint64_t rank = 0; /* of the next row of the group */
    uint64_t row = 0;

    for (uint64_t i = 0; i < c->count && row < width && !wrong; i++) {
        if (order[i] < begin || order[i] >= end)
            continue;
        if (rank++ >= a->first)
            wrong = judge_row(c, a, group * width + row++, order[i], begin);
    }
    for (; row < width && !wrong; row++)
        wrong = judge_row(c, a, group * width + row, UINT64_MAX, 0);
    return wrong;
}

static const char *judge(struct case_of_rows *c, struct asked *a, const uint64_t *order,
                         unsigned char *const before[MOST_COLUMNS])
{
    const char *wrong = NULL;
    struct array *array;

    for (uint32_t i = 0; (array = array_number(c, a, i)); i++)
        if (array->room && !array_guarded(array))
            return "a guard was written to";
    for (uint32_t i = 0; i < c->columns; i++)
        if (memcmp(array_at(&c->in[i]), before[i], (size_t)c->in[i].bytes) != 0)
            return "the input was written to";
    if (!c->is_order)
        return NULL;
    if (!a->segmented) {
        a->first = a->first < c->count ? a->first : c->count;
        a->last = a->last < c->count ? a->last : c->count;
        return judge_group(c, a, 0, 0, c->count, order);
    }
    for (uint64_t i = 0; i < a->groups && !wrong; i++) {
        const int is_none = a->ends[i] < a->begins[i] || a->ends[i] > c->count;

        wrong =
            judge_group(c, a, i, a->begins[i], is_none ? a->begins[i] : a->ends[i], order);
    }
    return wrong;
}

static const char *try_case(mw_context *context, struct case_of_rows *c,
                            const struct large *large)
{
    struct asked a = {.first = 0};
    unsigned char *before[MOST_COLUMNS] = {NULL};
    uint64_t *const order = malloc((size_t)(c->count + 1) * sizeof *order);
    const char *wrong = order && make_asked(c, &a, large) ? NULL : "no memory";
    struct array *array;

    for (uint32_t i = 0; i < c->columns && !wrong; i++) {
        before[i] = malloc((size_t)c->in[i].bytes + 1);
        if (before[i])
            memcpy(before[i], array_at(&c->in[i]), (size_t)c->in[i].bytes);
        else
            wrong = "no memory";
    }
    if (!wrong && c->is_order)
        case_sort(c, order);
    if (!wrong)
        wrong = run(context, c, &a);
    if (!wrong)
        wrong = judge(c, &a, order, before);
    if (wrong)
        tap_note("ranks %llu to %llu, %llu groups%s", (unsigned long long)a.first,
                 (unsigned long long)a.last, (unsigned long long)a.groups,
                 a.segmented ? " in segments" : "");
    for (uint32_t i = 0; (array = array_number(c, &a, i)); i++) {
        mw_free(context, array->there);
        if (i >= c->columns)
            free(array->room);
    }
    for (uint32_t i = 0; i < c->columns; i++)
        free(before[i]);
    free(a.begins);
    free(a.ends);
    free(order);
    return wrong;
}

enum { LARGE = 70001 }; /* keys, of which the simulator takes samples; not of 10,000 less */

/* Smallest, largest, middle ones and pages, of keys that samples tell much of or little. */
static const struct large larges[] = {
    {MW_U32, "random",   0,         16,        0},
    {MW_F32, "random",   0,         4096,      0},
    {MW_U64, "random",   0,         64,        0},
    {MW_U32, "equal",    0,         100,       0},
    {MW_U32, "few:16",   0,         900,       2}, /* all wanted rows have one code */
    {MW_U64, "equal",    0,         900,       2},
    {MW_U64, "equal",    0,         100,       0},
    {MW_U32, "few:2",    0,         2000,      0},
    {MW_U32, "few:16",   0,         3000,      0},
    {MW_I64, "few:16",   0,         3000,      0},
    {MW_U32, "few:5000", 0,         500,       0}, /* buckets just too small, ... */
    {MW_U64, "few:5000", 0,         500,       0}, /* ... also of rows of two words */
    {MW_U32, "sorted",   0,         64,        0},
    {MW_U32, "reversed", 0,         64,        0},
    {MW_F64, "specials", 0,         1000,      0},
    {MW_U16, "random",   0,         1000,      0},
    {MW_U32, "random",   LARGE / 2, 0,         0},
    {MW_U64, "random",   LARGE / 2, 0,         0},
    {MW_U32, "equal",    LARGE / 2, 0,         0},
    {MW_U32, "few:3",    LARGE / 2, 0,         0},
    {MW_F32, "specials", LARGE / 3, 0,         0},
    {MW_U32, "sorted",   7,         9000,      0},
    {MW_U32, "random",   LARGE - 9, LARGE,     0},
    {MW_F32, "equal",    LARGE - 9, LARGE + 9, 0},
    {MW_U8,  "random",   1000,      17000,     0},
    {MW_I32, "random",   0,         123,       1},
    {MW_I64, "random",   0,         123,       1},
    {MW_F32, "few:16",   0,         123,       1},
    {MW_U32, "reversed", 0,         64,        1}, /* its leaders tell little, ... */
    {MW_F64, "specials", 0,         128,       1}, /* ... and many of these are equal */
};

static const char *try_large(mw_context *context, const struct large *row, int descends)
{
    struct large large = *row;
    const uint64_t rows = row->segmented == 2 ? 15001 : descends ? LARGE : LARGE - 10000;
    struct case_of_rows c = {.seed = 4 + 2 * (uint64_t)descends, .count = rows};
    const uint32_t bytes = (uint32_t)mw_type_size(row->type);
    const char *wrong = "no memory";

    large.last = row->last ? row->last : row->first + 1 + 40 * (uint64_t)descends;
    c.fields[0] =
        (mw_field){.type = row->type, .direction = descends ? MW_DESCENDING : MW_ASCENDING};
    c.order = (mw_order)MW_ORDER_INIT;
    c.order.fields = c.fields;
    c.order.field_count = 1;
    c.order.element_bytes = c.row_bytes = c.bytes[0] = bytes;
    c.columns = c.is_order = c.is_bare = c.has_positions = 1;
    c.position_type = descends ? MW_I64 : MW_U32;
    c.place[0] = ELSEWHERE;
    c.shape = row->shape;
    if (array_make(&c.in[0], rows * bytes, bytes)) {
        kit_fill(row->type, row->shape, 1, array_at(&c.in[0]), rows);
        wrong = try_case(context, &c, &large);
    }
    case_free(&c);
    return wrong;
}

int main(int count, char **words)
{
    const char *const device = count > 1 ? words[1] : "sim";
    const uint64_t seed = count > 2 ? strtoull(words[2], NULL, 0) : 1;
    const uint64_t cases = count > 3 ? strtoull(words[3], NULL, 0) : 100;
    const uint64_t most = count > 4 ? strtoull(words[4], NULL, 0) : 20000;
    struct tap tap = {0, 0};
    mw_context *const context = trial_open(&tap, device);
    const char *wrong = NULL;

    for (uint64_t i = 0; context && i < cases && !wrong; i++) {
        struct case_of_rows c;

        wrong = case_make(&c, seed + i, most) ? try_case(context, &c, NULL) : "no memory";
        if (wrong) {
            tap_note("%s: %s (%s)", device, wrong, mw_error(context));
            tap_note("selections %s %llu 1 %llu", device, (unsigned long long)(seed + i),
                     (unsigned long long)most);
            case_print(&c);
        }
        case_free(&c);
    }
    if (context)
        tap_case(&tap, !wrong, "%s: %llu random selections", device,
                 (unsigned long long)cases);
    for (size_t i = 0; context && i < 2 * COUNT_OF(larges); i++) {
        const struct large *const row = &larges[i / 2];

        wrong = try_large(context, row, (int)(i % 2));
        if (wrong)
            tap_note("%s: %s", wrong, mw_error(context));
        tap_case(&tap, !wrong, "%s: ranks from %llu of %d %s %s keys%s", device,
                 (unsigned long long)row->first, LARGE, row->shape, mw_type_name(row->type),
                 row->segmented == 1 ? " in a segment" : "");
    }
    mw_close(context);
    return tap_end(&tap);
}
