/*
 * any_lists.c - MERGE and SPLIT of random lists on a device, against an oracle that sorts
 * positions by qsort.
 *
 *   any_lists DEVICE SEED COUNT [MOST]
 *
 * runs COUNT cases of at most MOST rows, with the orders and columns of anything_case.c.
 * Rows are cut into lists of any lengths, which are sorted and lie apart from each other.
 * Every eighth case leaves them as they are: then each row must be in the result once.
 */
#include "anything.h"
#include "trial.h"

#include "tap.h"

#include <stdlib.h>

enum { MOST_LISTS = 3000, MOST_RANKS = 40 };

struct lists_case {
    struct case_of_rows rows; /* lists one after the other, in the host's memory */
    uint32_t lists;
    int are_sorted;
    uint64_t first[MOST_LISTS + 1];
    uint64_t ranks[MOST_RANKS], rank_count;
    uint64_t *order;               /* of the result */
    struct array in[MOST_COLUMNS]; /* lists with gaps between them */
    uint64_t offset[MOST_COLUMNS][MOST_LISTS];
    struct array ranks_there, cuts, workspace;
    mw_column columns[MOST_LISTS + 1][MOST_COLUMNS];
    mw_table tables[MOST_LISTS], out;
    mw_job job;
};

/* Where lists begin: at random, some empty, or one long among short ones. */
static void cut_rows(struct lists_case *l)
{
    struct case_of_rows *const c = &l->rows;
    const uint64_t kind = roll(c, 4);
    uint64_t first = 0;

    l->lists = 1 + (uint32_t)roll(c, roll(c, 4) ? 40 : MOST_LISTS);
    for (uint32_t i = 0; i < l->lists; i++) {
        const uint64_t left = c->count - first;
        const uint64_t even = c->count / l->lists;

        l->first[i] = first;
        if (kind == 0)
            first += even < left ? even : left;
        else if (kind == 1)
            first += roll(c, left / (1 + roll(c, l->lists)) + 1);
        else if (kind == 2)
            first += roll(c, (2 * even < left ? 2 * even : left) + 1);
        else if (i == l->lists / 2)
            first += left / 2;
        else
            first += roll(c, 9) < left ? roll(c, 9) % (left + 1) : 0;
    }
    l->first[l->lists] = c->count;
}

/* Sort each list, and then find the order of all. */
static int sort_lists(struct lists_case *l)
{
    struct case_of_rows *const c = &l->rows;
    uint64_t *const list_of = malloc((size_t)(c->count + 1) * sizeof *list_of);
    uint64_t *const next = malloc((size_t)(l->lists + 1) * sizeof *next);
    int right = list_of && next;

    for (uint32_t i = 0; right && i < l->lists; i++) {
        next[i] = l->first[i];
        for (uint64_t row = l->first[i]; row < l->first[i + 1]; row++)
            list_of[row] = i;
    }
    if (right && l->are_sorted) {
        case_sort(c, l->order);
        for (uint32_t i = 0; i < c->columns; i++) {
            const size_t bytes = c->bytes[i];
            unsigned char *const copy = malloc((size_t)c->count * bytes + 1);

            right &= copy != NULL;
            for (uint32_t j = 0; right && j < l->lists; j++)
                next[j] = l->first[j];
            for (uint64_t row = 0; right && row < c->count; row++) {
                const uint64_t from = l->order[row];

                memcpy(copy + next[list_of[from]]++ * bytes, value_at(c, i, from), bytes);
            }
            if (right)
                memcpy(array_at(&c->in[i]), copy, (size_t)c->count * bytes);
            free(copy);
        }
    }
    for (uint64_t row = 0; c->has_numbers && row < c->count; row++)
        memcpy(value_at(c, c->columns - 1, row), &row, 4); /* little-endian */
    if (right && l->are_sorted)
        case_sort(c, l->order);
    free(list_of);
    free(next);
    return right;
}

/* Lay lists out with gaps of any alignment that the order allows. */
static int lay_out(struct lists_case *l)
{
    struct case_of_rows *const c = &l->rows;
    int right = 1;

    for (uint32_t i = 0; i < c->columns; i++) {
        const uint32_t step = i ? 1 : c->is_bare ? c->bytes[0] : c->own ? 8 : 1;
        uint64_t at = 0;

        for (uint32_t j = 0; j < l->lists; j++) {
            at = (at + step - 1) / step * step + step * roll(c, 9);
            l->offset[i][j] = at;
            at += (l->first[j + 1] - l->first[j]) * c->bytes[i];
        }
        right &= array_make(&l->in[i], at, 0);
        for (uint32_t j = 0; right && j < l->lists; j++)
            memcpy(array_at(&l->in[i]) + l->offset[i][j], value_at(c, i, l->first[j]),
                   (size_t)(l->first[j + 1] - l->first[j]) * c->bytes[i]);
    }
    return right;
}

static int make(struct lists_case *l, uint64_t seed, uint64_t most)
{
    struct case_of_rows *const c = &l->rows;

    if (!case_make(c, seed, most))
        return 0;
    for (uint32_t i = 0; i < c->columns; i++)
        c->place[i] = c->place[i] == IN_PLACE ? ELSEWHERE : c->place[i];
    c->with_out = 1;
    if (c->is_bare && c->columns == 1) {
        c->fields[0].flags = 0;
        c->has_positions &= roll(c, 4) == 0;
        c->place[0] = ELSEWHERE;
    }
    l->are_sorted = c->is_order && roll(c, 8) != 0;
    if (!l->are_sorted && !c->has_positions && !(c->is_bare && c->columns == 1)) {
        c->has_positions = 1;
        c->position_type = MW_U32;
        free(c->positions.room);
        if (!array_make(&c->positions, c->count * 4, 0))
            return 0;
    }
    cut_rows(l);
    l->rank_count = roll(c, MOST_RANKS);
    for (uint64_t i = 0; i < l->rank_count; i++)
        l->ranks[i] = roll(c, 9) ? roll(c, c->count + 3) : UINT64_MAX;
    l->order = malloc((size_t)(c->count + 1) * sizeof *l->order);
    return l->order && sort_lists(l) && lay_out(l) &&
           array_make(&l->ranks_there, sizeof l->ranks, 0) &&
           array_make(&l->cuts, l->rank_count * l->lists * sizeof(uint64_t), 0);
}

static mw_status send(mw_context *context, struct array *array)
{
    mw_status status = mw_alloc(context, array_room(array), &array->there);

    if (status == MW_OK)
        status = mw_upload(context, array->there, array->room, array_room(array));
    return status;
}

static void *there(const struct array *array)
{
    return (char *)array->there + GUARD + array->shift;
}

static void ask(struct lists_case *l, mw_operation operation)
{
    struct case_of_rows *const c = &l->rows;

    for (uint32_t j = 0; j < l->lists; j++) {
        for (uint32_t i = 0; i < c->columns; i++)
            l->columns[j][i] =
                (mw_column){(char *)there(&l->in[i]) + l->offset[i][j], c->bytes[i]};
        l->tables[j] = (mw_table){l->columns[j][0].data, l->first[j + 1] - l->first[j],
                                  l->columns[j] + 1, c->columns - 1};
    }
    for (uint32_t i = 0; i < c->columns; i++)
        l->columns[MOST_LISTS][i] =
            (mw_column){c->place[i] == ELSEWHERE ? there(&c->out[i]) : NULL, c->bytes[i]};
    l->out = (mw_table){l->columns[MOST_LISTS][0].data, c->count,
                        l->columns[MOST_LISTS] + 1, c->columns - 1};
    l->job = (mw_job)MW_JOB_INIT;
    l->job.operation = operation;
    l->job.order = &c->order;
    l->job.in = l->tables;
    l->job.in_count = l->lists;
    if (operation == MW_SPLIT) {
        l->job.ranks = there(&l->ranks_there);
        l->job.rank_count = l->rank_count;
        l->job.cuts = there(&l->cuts);
        return;
    }
    l->job.out = &l->out;
    l->job.position_type = c->position_type;
    l->job.positions = c->has_positions ? there(&c->positions) : NULL;
}

/* Prepare and enqueue, with exactly the workspace that mw_prepare asks for. */
static const char *run(mw_context *context, struct lists_case *l, mw_operation operation)
{
    const char *wrong = NULL;
    uint64_t bytes;

    ask(l, operation);
    if (mw_prepare(context, &l->job, &bytes) != MW_OK)
        return "mw_prepare failed";
    if (!array_make(&l->workspace, bytes, 256 - GUARD) ||
        send(context, &l->workspace) != MW_OK)
        wrong = "no memory";
    if (!wrong && mw_enqueue(context, &l->job, there(&l->workspace), bytes, NULL) != MW_OK)
        wrong = "mw_enqueue failed";
    if (!wrong && mw_wait(context) != MW_OK)
        wrong = "mw_wait failed";
    if (!wrong && mw_download(context, l->workspace.room, l->workspace.there,
                              array_room(&l->workspace)) != MW_OK)
        wrong = "no way back";
    if (!wrong && !array_guarded(&l->workspace))
        wrong = "written outside of the workspace";
    mw_free(context, l->workspace.there);
    free(l->workspace.room);
    return wrong;
}

static uint64_t position_at(const struct case_of_rows *c, uint64_t row)
{
    const size_t size = mw_type_size(c->position_type);
    uint64_t position = 0;

    memcpy(&position, array_at(&c->positions) + row * size, size); /* little-endian */
    return position;
}

/* What became of lists that were not sorted: is each row there once? */
static int read_order(struct lists_case *l)
{
    struct case_of_rows *const c = &l->rows;
    unsigned char *const seen = calloc((size_t)c->count + 1, 1);
    int right = seen != NULL;

    for (uint64_t i = 0; right && i < c->count; i++) {
        l->order[i] = position_at(c, i);
        right = l->order[i] < c->count && !seen[l->order[i]]++;
    }
    free(seen);
    return right;
}

static size_t compared_bytes; /* qsort passes nothing on */

static int compare_bytes(const void *a, const void *b)
{
    return memcmp(a, b, compared_bytes);
}

/* The same for bare keys: sort input and output by their bytes. */
static int same_keys(struct lists_case *l)
{
    struct case_of_rows *const c = &l->rows;

    compared_bytes = c->bytes[0];
    qsort(array_at(&c->in[0]), (size_t)c->count, compared_bytes, compare_bytes);
    qsort(array_at(&c->out[0]), (size_t)c->count, compared_bytes, compare_bytes);
    return memcmp(array_at(&c->in[0]), array_at(&c->out[0]),
                  (size_t)c->count * compared_bytes) == 0;
}

static const char *judge_merge(struct lists_case *l)
{
    struct case_of_rows *const c = &l->rows;

    if (!l->are_sorted && !c->has_positions)
        return !array_guarded(&c->out[0]) ? "a guard was written to"
               : same_keys(l)             ? NULL
                                          : "a key is lost or doubled";
    if (!l->are_sorted && !read_order(l))
        return "a row is lost or doubled";
    for (uint64_t row = 0; c->has_positions && row < c->count; row++)
        if (position_at(c, row) != l->order[row])
            return "wrong positions";
    if (c->has_positions && !array_guarded(&c->positions))
        return "a guard was written to";
    for (uint32_t i = 0; i < c->columns; i++) {
        const size_t bytes = c->bytes[i];

        if (c->place[i] != ELSEWHERE)
            continue;
        if (!array_guarded(&c->out[i]))
            return "a guard was written to";
        for (uint64_t row = 0; row < c->count; row++)
            if (memcmp(array_at(&c->out[i]) + row * bytes, value_at(c, i, l->order[row]),
                       bytes) != 0)
                return i ? "wrong values" : "wrong elements";
    }
    return NULL;
}

/* Cuts of sorted lists are those of the order; of others only the sum is known. */
static const char *judge_split(struct lists_case *l)
{
    const uint64_t count = l->rows.count;
    const uint64_t *cuts = (const uint64_t *)array_at(&l->cuts);

    if (!array_guarded(&l->cuts))
        return "a guard was written to";
    for (uint64_t i = 0; i < l->rank_count; i++, cuts += l->lists) {
        const uint64_t rank = l->ranks[i] < count ? l->ranks[i] : count;
        uint64_t sum = 0;

        for (uint32_t j = 0; j < l->lists; j++) {
            uint64_t right = 0;

            for (uint64_t row = 0; l->are_sorted && row < rank; row++)
                right += l->order[row] >= l->first[j] && l->order[row] < l->first[j + 1];
            if (cuts[j] > l->first[j + 1] - l->first[j] ||
                (l->are_sorted && cuts[j] != right))
                return "wrong cuts";
            sum += cuts[j];
        }
        if (sum != rank)
            return "cuts of another rank";
    }
    return NULL;
}

static const char *try_case(mw_context *context, struct lists_case *l)
{
    struct case_of_rows *const c = &l->rows;
    const char *wrong = NULL;
    mw_status status = MW_OK;

    memcpy(array_at(&l->ranks_there), l->ranks, sizeof l->ranks);
    for (uint32_t i = 0; i < c->columns && status == MW_OK; i++) {
        status = send(context, &l->in[i]);
        if (status == MW_OK)
            status = send(context, &c->out[i]);
    }
    if (status != MW_OK || send(context, &c->positions) != MW_OK ||
        send(context, &l->ranks_there) != MW_OK || send(context, &l->cuts) != MW_OK)
        return "no memory";
    wrong = run(context, l, MW_MERGE);
    for (uint32_t i = 0; i < c->columns && !wrong; i++)
        mw_download(context, c->out[i].room, c->out[i].there, array_room(&c->out[i]));
    mw_download(context, c->positions.room, c->positions.there, array_room(&c->positions));
    if (!wrong)
        wrong = judge_merge(l);
    if (!wrong && l->lists <= 300)
        wrong = run(context, l, MW_SPLIT);
    mw_download(context, l->cuts.room, l->cuts.there, array_room(&l->cuts));
    if (!wrong && l->lists <= 300)
        wrong = judge_split(l);
    return wrong;
}

static void give(mw_context *context, struct array *array)
{
    mw_free(context, array->there);
    free(array->room);
    array->there = array->room = NULL;
}

int main(int count, char **words)
{
    const char *const device = count > 1 ? words[1] : "sim";
    const uint64_t seed = count > 2 ? strtoull(words[2], NULL, 0) : 1;
    const uint64_t cases = count > 3 ? strtoull(words[3], NULL, 0) : 200;
    const uint64_t most = count > 4 ? strtoull(words[4], NULL, 0) : 20000;
    struct lists_case *const l = malloc(sizeof *l);
    struct tap tap = {0, 0};
    mw_context *const context = trial_open(&tap, device);
    const char *wrong = NULL;

    for (uint64_t i = 0; l && context && i < cases && !wrong; i++) {
        memset(l, 0, sizeof *l);
        wrong = make(l, seed + i, most) ? try_case(context, l) : "no memory";
        if (wrong) {
            tap_note("%s: %s (%s)", device, wrong, mw_error(context));
            tap_note("any_lists %s %llu 1 %llu", device, (unsigned long long)(seed + i),
                     (unsigned long long)most);
            tap_note("%u lists, %s", l->lists, l->are_sorted ? "sorted" : "not sorted");
            case_print(&l->rows);
        }
        for (uint32_t j = 0; j < l->rows.columns; j++) {
            mw_free(context, l->rows.out[j].there);
            give(context, &l->in[j]);
        }
        mw_free(context, l->rows.positions.there);
        give(context, &l->ranks_there);
        give(context, &l->cuts);
        free(l->order);
        case_free(&l->rows);
    }
    if (context)
        tap_case(&tap, !wrong, "%s: %llu random lists", device, (unsigned long long)cases);
    mw_close(context);
    free(l);
    return tap_end(&tap);
}
