/*
 * primitives_case.c - random jobs with segments or ranks, and what becomes of them.
 */
#include "primitives.h"

#include "tap.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const primitive_names[MW_CHECK + 1] = {"sort", "merge", "split", "select",
                                                   "check"};

static const mw_type number_types[] = {MW_U32, MW_I32, MW_U64, MW_I64};

/* ---- Segments --------------------------------------------------------------------------
 */

static void set_number(struct array *array, mw_type type, uint64_t i, uint64_t value)
{
    const size_t size = mw_type_size(type);

    memcpy(array_at(array) + i * size, &value, size); /* little-endian */
}

/* Write segment `i`, or sometimes one that is not valid. */
static void write_segment(struct primitive *p, uint64_t i)
{
    struct case_of_rows *const c = &p->c;
    const int is_signed = p->segment_type == MW_I32 || p->segment_type == MW_I64;
    uint64_t *const segment = p->segments + 2 * i;
    uint64_t begin = segment[0];
    uint64_t end = begin + segment[1];

    switch (roll(c, 30)) {
    case 0:
        end = c->count + 1 + roll(c, 1000);
        break;
    case 1:
        begin = end + 1 + roll(c, 5);
        break;
    case 2:
        begin = is_signed ? (uint64_t)-1 - roll(c, 9) : begin + 0x7fff0000;
        break;
    case 3:
        end = is_signed ? (uint64_t)-1 - roll(c, 9) : 0xfffffff0;
        break;
    case 4:
        begin = end = c->count + roll(c, 3);
        break;
    default:
        break;
    }
    if (begin != segment[0] || end != begin + segment[1])
        segment[1] = 0;
    set_number(&p->begins, p->segment_type, i, begin);
    set_number(&p->ends, p->segment_type, i, end);
}

/* Threads that sort overlapping segments write to the same rows, which is a race. */
#if defined(__SANITIZE_THREAD__)
enum { may_overlap = 0 };
#else
enum { may_overlap = 1 };
#endif

static int make_segments(struct primitive *p)
{
    static const uint64_t most[] = {0, 1, 2, 5, 20, 200, 2000, 10000};
    struct case_of_rows *const c = &p->c;
    uint64_t *first, *rows;
    uint64_t bytes;
    int right;

    p->has_segments = 1;
    p->has_overlaps = roll(c, 12) == 0 && may_overlap;
    p->segment_type = number_types[roll(c, 4)];
    p->segment_count = roll(c, most[roll(c, COUNT_OF(most))] + 1);
    bytes = p->segment_count * mw_type_size(p->segment_type);
    p->segments = calloc((size_t)p->segment_count * 2 + 1, sizeof *p->segments);
    first = calloc((size_t)p->segment_count + 1, sizeof *first);
    rows = calloc((size_t)p->segment_count + 1, sizeof *rows);
    right = p->segments && first && rows && make_pieces(p, p->segment_count, first, rows) &&
            array_make(&p->begins, bytes, 8 * (uint32_t)roll(c, 4)) &&
            array_make(&p->ends, bytes, 8 * (uint32_t)roll(c, 4));
    for (uint64_t i = 0; right && i < p->segment_count; i++) {
        if (p->has_overlaps) {
            first[i] = roll(c, c->count + 1);
            rows[i] = roll(c, 4 * c->count / p->segment_count + 1);
            if (rows[i] > c->count - first[i])
                rows[i] = c->count - first[i];
        }
        p->segments[2 * i] = first[i];
        p->segments[2 * i + 1] = rows[i];
        write_segment(p, i);
    }
    free(first);
    free(rows);
    return right;
}

/* ---- Ranges ----------------------------------------------------------------------------
 */

/* Ranks of a selection: few, a page, all, none, more than there are. */
static void make_ranks_wanted(struct primitive *p)
{
    struct case_of_rows *const c = &p->c;
    const uint64_t parts = p->has_segments && p->segment_count ? p->segment_count : 1;
    const uint64_t room = (8u << 20) / c->row_bytes / parts + 1;
    const uint64_t kind = roll(c, 8);
    const uint64_t most = kind == 0   ? 3
                          : kind < 4  ? 50
                          : kind == 4 ? c->count / parts / 20 + 2
                                      : 2 * c->count / parts + 2;

    p->first = roll(c, 3) ? roll(c, c->count / parts + 2) : 0;
    p->last = p->first + (kind == 7 ? c->count : roll(c, most));
    if (p->last - p->first > room)
        p->last = p->first + room;
    if (!p->has_segments && roll(c, 20) == 0)
        p->last = UINT64_MAX;
}

/* Rows [from, from + count) of the input go to `to`, without those that are not wanted. */
static int judge_range(struct primitive *p, uint64_t from, uint64_t count, uint64_t to)
{
    uint64_t *const rows = calloc((size_t)count + 1, sizeof *rows);
    const int is_sort = p->operation == MW_SORT;
    const uint64_t first = is_sort ? 0 : p->first;
    const uint64_t last = is_sort || p->last > count ? count : p->last;
    int right = rows != NULL;

    for (uint64_t i = 0; right && i < count; i++)
        rows[i] = from + i;
    right = right && (!p->is_judged || oracle_sort(&p->c, rows, count, 1));
    for (uint64_t i = first; right && i < last; i++) {
        p->source[to + i - first] = rows[i];
        p->position[to + i - first] = rows[i] - from;
    }
    free(rows);
    return right;
}

static int judge_ranges(struct primitive *p)
{
    int right = 1;

    if (!p->has_segments)
        return judge_range(p, 0, p->c.count, 0);
    for (uint64_t i = 0; right && i < p->segment_count; i++) {
        const uint64_t from = p->segments[2 * i];
        const uint64_t to = p->operation == MW_SORT ? from : i * (p->last - p->first);

        right = judge_range(p, from, p->segments[2 * i + 1], to);
    }
    return right;
}

/* ---- All together ----------------------------------------------------------------------
 */

/* Arrays of the result, full of bytes that may have to stay. */
static int make_results(struct primitive *p)
{
    struct case_of_rows *const c = &p->c;
    int right = 1;

    for (uint32_t i = 0; i <= c->columns; i++) {
        struct array *const array = i < c->columns ? &c->out[i] : &c->positions;
        const uint64_t bytes =
            i < c->columns ? c->bytes[i] : mw_type_size(c->position_type);
        const uint32_t shift = array->shift;

        free(array->room);
        right &= array_make(array, p->result_count * bytes, shift);
        for (uint64_t j = 0; right && j < array->bytes; j++)
            array_at(array)[j] = (unsigned char)(j * 37 + 11);
    }
    return right;
}

static int make_task(struct primitive *p)
{
    struct case_of_rows *const c = &p->c;

    p->is_judged = c->is_order;
    if (p->operation == MW_MERGE || p->operation == MW_SPLIT)
        return make_lists(p) && (p->operation == MW_MERGE || make_ranks(p));
    if ((p->operation == MW_SORT || roll(c, 2)) && !make_segments(p))
        return 0;
    if (p->operation == MW_SELECT)
        make_ranks_wanted(p);
    return 1;
}

static uint64_t result_count(const struct primitive *p)
{
    const uint64_t count = p->c.count;
    const uint64_t last = p->last < count ? p->last : count;

    switch (p->operation) {
    case MW_MERGE:
        return p->total;
    case MW_SELECT:
        return p->has_segments   ? p->segment_count * (p->last - p->first)
               : p->first < last ? last - p->first
                                 : 0;
    case MW_SORT:
        return count;
    default:
        return 0;
    }
}

/* Where columns go: only sorts are in place. */
static void make_places(struct primitive *p)
{
    struct case_of_rows *const c = &p->c;
    int wanted = 0;

    for (uint32_t i = 0; i < c->columns; i++) {
        if (p->operation != MW_SORT && c->place[i] == IN_PLACE)
            c->place[i] = ELSEWHERE;
        wanted |= c->place[i] != NOWHERE;
    }
    if (p->operation != MW_SORT && !c->with_out) {
        c->with_out = wanted || roll(c, 2);
        c->has_positions |= !c->with_out;
    }
    p->is_bag = !p->is_judged && p->operation == MW_MERGE && c->is_bare &&
                c->columns == 1 && roll(c, 2);
    if (p->is_bag) {
        c->has_positions = 0;
        c->with_out = 1;
        c->place[0] = ELSEWHERE;
    } else if (!p->is_judged && c->is_order) {
        c->has_positions = 1; /* to see what became of each row */
    }
}

int primitive_make(struct primitive *p, uint64_t seed, uint64_t most, int operation)
{
    static const mw_operation operations[] = {MW_SORT, MW_MERGE, MW_SPLIT, MW_SELECT};
    struct case_of_rows *const c = &p->c;
    int right;

    memset(p, 0, sizeof *p);
    right = case_make(c, seed, most);
    p->operation = operations[roll(c, 4)];
    if (operation >= 0)
        p->operation = (mw_operation)operation;
    right = right && make_task(p);
    make_places(p);
    p->result_count = result_count(p);
    p->source = malloc((size_t)(p->result_count + 1) * sizeof *p->source);
    p->position = calloc((size_t)p->result_count + 1, sizeof *p->position);
    p->merged = calloc((size_t)p->total + 1, sizeof *p->merged);
    right = right && p->source && p->position && p->merged && make_results(p);
    for (uint64_t i = 0; right && i < p->result_count; i++)
        p->source[i] = UNTOUCHED;
    if (right && (p->operation == MW_MERGE || p->operation == MW_SPLIT))
        right = judge_lists(p);
    else if (right)
        right = judge_ranges(p);
    return right;
}

void primitive_free(struct primitive *p)
{
    case_free(&p->c);
    free(p->list_first);
    free(p->list_rows);
    free(p->segments);
    free(p->begins.room);
    free(p->ends.room);
    free(p->ranks.room);
    free(p->cuts.room);
    free(p->source);
    free(p->position);
    free(p->merged);
}

void primitive_print(const struct primitive *p)
{
    tap_note("%s: %u lists of %" PRIu64 " rows, %" PRIu64 " segments of type %s%s%s, ranks "
             "%" PRIu64 " to %" PRIu64 ", %" PRIu64 " cuts, %s",
             primitive_names[p->operation], p->list_count, p->total, p->segment_count,
             p->has_segments ? mw_type_name(p->segment_type) : "none",
             p->has_segments ? "" : " (no segments)",
             p->has_overlaps ? ", overlapping" : "", p->first, p->last, p->rank_count,
             p->is_judged ? "in order" : "sorted by no order");
    case_print(&p->c);
}
