/*
 * primitives_judge.c - is the result of a job what it must be?
 */
#include "primitives.h"

#include <stdlib.h>

static uint64_t position_at(const struct case_of_rows *c, uint64_t row)
{
    const size_t size = mw_type_size(c->position_type);
    uint64_t position = 0;

    memcpy(&position, array_at(&c->positions) + row * size, size); /* little-endian */
    return position;
}

/* The input's row that became row `i` of the result, as the result itself tells. */
static uint64_t row_found(struct primitive *p, const uint64_t *row_of, uint64_t i)
{
    struct case_of_rows *const c = &p->c;
    const uint64_t position = c->has_positions ? position_at(c, i) : 0;
    uint32_t number;

    if (c->has_positions && p->operation == MW_MERGE)
        return position < p->total ? row_of[position] : UINT64_MAX;
    if (c->has_positions)
        return p->source[i] - p->position[i] + position;
    memcpy(&number, array_at(target_of(c, c->columns - 1)) + 4 * i, 4);
    return number;
}

/* Note which list or segment each row is in, and which row is at each position of lists. */
static void find_groups(struct primitive *p, uint64_t *group_of, uint64_t *row_of)
{
    uint64_t position = 0;

    for (uint32_t i = 0; i < p->list_count; i++)
        for (uint64_t row = 0; row < p->list_rows[i]; row++) {
            row_of[position++] = p->list_first[i] + row;
            group_of[p->list_first[i] + row] = 1;
        }
    for (uint64_t i = 0; i < p->segment_count; i++)
        for (uint64_t row = 0; row < p->segments[2 * i + 1]; row++)
            group_of[p->segments[2 * i] + row] = i + 1;
}

/* What no order made of the rows: is each of a group there once? */
static int read_order(struct primitive *p)
{
    const uint64_t count = p->c.count;
    uint64_t *const group_of = calloc((size_t)count + 1, sizeof *group_of);
    uint64_t *const row_of = calloc((size_t)count + 1, sizeof *row_of);
    uint64_t *const position_of = calloc((size_t)count + 1, sizeof *position_of);
    unsigned char *const seen = calloc((size_t)count + 1, 1);
    int right = group_of && row_of && seen && position_of;

    if (right)
        find_groups(p, group_of, row_of);
    for (uint64_t i = 0; right && i < p->total; i++)
        position_of[row_of[i]] = i;
    for (uint64_t i = 0; right && i < p->result_count; i++) {
        const uint64_t begin = p->source[i] - p->position[i];

        if (p->source[i] == UNTOUCHED)
            continue;

        const uint64_t row = row_found(p, row_of, i);

        right = row < count && !seen[row]++ && group_of[row] == group_of[p->source[i]];
        p->source[i] = row;
        p->position[i] = p->operation == MW_MERGE ? position_of[row] : row - begin;
    }
    free(group_of);
    free(row_of);
    free(position_of);
    free(seen);
    return right;
}

/* Are the keys of all lists those of the result? */
static int is_same_bag(const struct primitive *p)
{
    const struct case_of_rows *const c = &p->c;
    struct kit_fingerprint before = {0, 0};
    struct kit_fingerprint after = {0, 0};

    for (uint32_t i = 0; i < p->list_count; i++)
        kit_fingerprint_add_rows(&before, c->bytes[0], value_at(c, 0, p->list_first[i]),
                                 p->list_rows[i]);
    kit_fingerprint_add_rows(&after, c->bytes[0], array_at(&c->out[0]), p->total);
    return kit_fingerprint_equal(before, after);
}

static const char *judge_split(const struct primitive *p)
{
    const uint64_t *const ranks = (const uint64_t *)(const void *)array_at(&p->ranks);
    const uint64_t *cuts = (const uint64_t *)(const void *)array_at(&p->cuts);
    uint64_t *const expected = malloc((p->list_count + 1u) * sizeof *expected);
    int right = expected != NULL;

    for (uint64_t i = 0; right && i < p->rank_count; i++, cuts += p->list_count) {
        memset(expected, 0, p->list_count * sizeof *expected);
        for (uint64_t row = 0; row < p->total && row < ranks[i]; row++)
            expected[p->merged[row]]++;
        for (uint32_t list = 0; right && list < p->list_count; list++)
            right = p->is_judged ? cuts[list] == expected[list]
                                 : cuts[list] <= p->list_rows[list];
    }
    free(expected);
    return right ? NULL : "wrong cuts";
}

/* Is row `row` of a result as it was before the job? */
static int is_untouched(const struct array *array, size_t bytes, uint64_t row,
                        const unsigned char *before)
{
    const unsigned char *const at = array_at(array) + row * bytes;

    for (uint64_t j = row * bytes; !before && j < (row + 1) * bytes; j++)
        if (array_at(array)[j] != (unsigned char)(j * 37 + 11))
            return 0;
    return !before || memcmp(at, before + row * bytes, bytes) == 0;
}

/* One column of the result; `before` is the input's column as it was. */
static const char *judge_column(struct primitive *p, uint32_t i,
                                const unsigned char *before)
{
    struct case_of_rows *const c = &p->c;
    const struct array *const target = target_of(c, i);
    const int in_place = c->place[i] == IN_PLACE;
    const size_t bytes = c->bytes[i];

    if (!in_place && memcmp(array_at(&c->in[i]), before, (size_t)c->in[i].bytes) != 0)
        return "the input was written to";
    for (uint64_t row = 0; target && row < p->result_count; row++) {
        const uint64_t source = p->source[row];

        if (source == UNTOUCHED) {
            if (!is_untouched(target, bytes, row, in_place ? before : NULL))
                return "a row outside of all segments was written to";
        } else if (!p->has_overlaps && !p->is_bag &&
                   memcmp(array_at(target) + row * bytes, before + source * bytes, bytes) !=
                       0) {
            return i ? "wrong values" : "wrong elements";
        }
    }
    return NULL;
}

const char *primitive_judge(struct primitive *p, unsigned char *const before[MOST_COLUMNS])
{
    struct case_of_rows *const c = &p->c;
    const char *wrong = NULL;

    if (p->operation == MW_SPLIT)
        wrong = judge_split(p);
    else if (p->is_bag ? !is_same_bag(p)
                       : !p->is_judged && !p->has_overlaps && !read_order(p))
        wrong = "a row is lost or doubled";
    for (uint64_t row = 0; !wrong && c->has_positions && row < p->result_count; row++) {
        if (p->source[row] == UNTOUCHED)
            wrong = is_untouched(&c->positions, mw_type_size(c->position_type), row, NULL)
                        ? NULL
                        : "a position outside of all segments was written to";
        else if (!p->has_overlaps && position_at(c, row) != p->position[row])
            wrong = "wrong positions";
    }
    for (uint32_t i = 0; !wrong && i < c->columns; i++)
        wrong = judge_column(p, i, before[i]);
    return wrong;
}
