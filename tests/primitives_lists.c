/*
 * primitives_lists.c - lists of random jobs, and their merge by sorting numbers of rows.
 */
#include "primitives.h"

#include "tap.h"

#include <stdlib.h>

/* ---- The oracle ------------------------------------------------------------------------
 */

static int precedes(const struct case_of_rows *c, uint64_t a, uint64_t b, int by_bits)
{
    if (case_less(c, a, b))
        return 1;
    return by_bits && !case_less(c, b, a) && case_less_bits(c, a, b);
}

/* A merge sort from the bottom up. */
int oracle_sort(const struct case_of_rows *c, uint64_t *rows, uint64_t count, int by_bits)
{
    uint64_t *const room = malloc((size_t)(count + 1) * sizeof *room);

    for (uint64_t run = 1; room && run < count; run *= 2) {
        for (uint64_t first = 0; first < count; first += 2 * run) {
            const uint64_t middle = first + run < count ? first + run : count;
            const uint64_t last = middle + run < count ? middle + run : count;
            uint64_t left = first;
            uint64_t right = middle;

            for (uint64_t to = first; to < last; to++) {
                const int from_right =
                    left == middle ||
                    (right < last && precedes(c, rows[right], rows[left], by_bits));

                room[to] = from_right ? rows[right++] : rows[left++];
            }
        }
        memcpy(rows, room, (size_t)count * sizeof *rows);
    }
    free(room);
    return room != NULL;
}

/* ---- Pieces of the input ---------------------------------------------------------------
 */

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

int make_pieces(struct primitive *p, uint64_t count, uint64_t *first, uint64_t *rows)
{
    struct case_of_rows *const c = &p->c;
    const int has_gaps = (int)roll(c, 2);
    const int is_skew = (int)roll(c, 2);
    const uint64_t points = has_gaps ? 2 * count : count + 1;
    uint64_t *const point = malloc((size_t)(points + 1) * sizeof *point);

    for (uint64_t i = 0; point && i < points; i++) {
        const uint64_t at = roll(c, c->count + 1);

        point[i] = is_skew && c->count ? at * roll(c, c->count + 1) / c->count : at;
    }
    if (point && !has_gaps && count) {
        point[0] = 0;
        point[count] = c->count;
    }
    if (point)
        qsort(point, (size_t)points, sizeof *point, compare_numbers);
    for (uint64_t i = 0; point && i < count; i++) {
        const uint64_t from = has_gaps ? 2 * i : i;
        const uint64_t other = roll(c, i + 1); /* swap into a random place */

        first[i] = first[other];
        rows[i] = rows[other];
        first[other] = point[from];
        rows[other] = point[from + 1] - point[from];
    }
    free(point);
    return point != NULL;
}

/* ---- Lists -----------------------------------------------------------------------------
 */

/* Sort each list for itself. */
static int sort_lists(struct primitive *p)
{
    struct case_of_rows *const c = &p->c;
    uint64_t *const order = malloc((size_t)(c->count + 1) * sizeof *order);
    int right = order != NULL;

    for (uint64_t i = 0; right && i < c->count; i++)
        order[i] = i;
    for (uint32_t i = 0; right && i < p->list_count; i++)
        right = oracle_sort(c, order + p->list_first[i], p->list_rows[i], 0);
    if (right)
        case_arrange(c, order);
    case_number(c);
    free(order);
    return right;
}

int make_lists(struct primitive *p)
{
    static const uint32_t most[] = {1, 2, 3, 5, 20, 20, 130, 300, 3000};
    struct case_of_rows *const c = &p->c;
    int right;

    p->list_count = (uint32_t)roll(c, most[roll(c, COUNT_OF(most))] + 1);
    p->list_first = calloc(p->list_count + 1u, sizeof *p->list_first);
    p->list_rows = calloc(p->list_count + 1u, sizeof *p->list_rows);
    right = p->list_first && p->list_rows &&
            make_pieces(p, p->list_count, p->list_first, p->list_rows);
    for (uint32_t i = 0; right && i < p->list_count; i++)
        p->total += p->list_rows[i];
    p->is_judged = c->is_order && roll(c, 10);
    if (right && p->is_judged)
        right = sort_lists(p);
    return right;
}

/* Merge all lists: rows of all, in the order of the lists, are sorted. */
int judge_lists(struct primitive *p)
{
    uint64_t *const rows = calloc((size_t)p->total + 1, sizeof *rows);
    uint64_t *const position_of = calloc((size_t)p->c.count + 1, sizeof *position_of);
    uint64_t *const list_of = calloc((size_t)p->c.count + 1, sizeof *list_of);
    int right = rows && position_of && list_of;
    uint64_t to = 0;

    for (uint32_t i = 0; right && i < p->list_count; i++)
        for (uint64_t row = 0; row < p->list_rows[i]; row++, to++) {
            rows[to] = p->list_first[i] + row;
            position_of[rows[to]] = to;
            list_of[rows[to]] = i;
        }
    right = right && oracle_sort(&p->c, rows, p->total, 0);
    for (uint64_t i = 0; right && i < p->total; i++) {
        p->merged[i] = list_of[rows[i]];
        if (p->operation == MW_MERGE) {
            p->source[i] = rows[i];
            p->position[i] = position_of[rows[i]];
        }
    }
    free(rows);
    free(position_of);
    free(list_of);
    return right;
}

int make_ranks(struct primitive *p)
{
    struct case_of_rows *const c = &p->c;
    uint64_t *ranks;

    p->rank_count = roll(c, 1 + (roll(c, 4) ? 20 : 5000 / (p->list_count + 1)));
    if (!array_make(&p->ranks, 8 * p->rank_count, 8 * (uint32_t)roll(c, 4)) ||
        !array_make(&p->cuts, 8 * p->rank_count * p->list_count, 8 * (uint32_t)roll(c, 4)))
        return 0;
    ranks = (uint64_t *)(void *)array_at(&p->ranks);
    for (uint64_t i = 0; i < p->rank_count; i++) {
        const uint64_t kind = roll(c, 12);

        ranks[i] = kind == 0   ? 0
                   : kind == 1 ? p->total
                   : kind == 2 ? p->total + roll(c, 100)
                   : kind == 3 ? UINT64_MAX - roll(c, 3)
                               : roll(c, p->total + 1);
    }
    return 1;
}
