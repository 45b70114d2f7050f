/*
 * backend_merge.c - MERGE on a device, straight from the caller's lists: of bare keys, and
 * of short rows by a code of up to 8 bytes.
 *
 * Bare keys that compare equal have the same bits, so lists may be merged in any order:
 * the shortest come first, and long ones are not moved until the last rounds.
 */
#include "merge.h"

#include <stdlib.h>

/* Keys that codes can be turned back into, and nothing else. */
static int is_bare(const struct request *request)
{
    const struct field_code *const code = &request->order.field[0].code;

    return request->element_type && request->order.field_count == 1 &&
           request->column_count == 1 && !request->position_bytes && code->rotate == 0 &&
           code->low == 0 && code->high == code->mask && code->zero == 0;
}

/* Find out how to merge; `served` is 0 if only a sort can. To be freed in any case. */
static mw_status make_shape(struct merge_run *m, struct backend *backend,
                            const struct request *request, int *served)
{
    const uint64_t count = request->count;
    mw_status status;

    *served = 0;
    TRY(lists_sort_make(&m->sort, backend, request, (char *)PLAN_ALIGNMENT));
    if (request->order.field_count == 0 || count > UINT32_MAX)
        return MW_OK;
    if (is_bare(request)) {
        const size_t size = request->element_type->size;

        m->shape = (struct lists_shape){plan_bare(size), 1, count * size};
    } else {
        const uint64_t row_bytes = m->sort.request.row_bytes;
        const uint32_t pieces =
            row_bytes < TILE_MOST_PIECES - 1 ? (uint32_t)row_bytes + 1 : TILE_MOST_PIECES;

        TRY(rows_shape(&m->rows_shape, &m->sort.request, backend->error));
        if (m->rows_shape.way == ROWS_WIDE || m->rows_shape.words != 1)
            return MW_OK;
        m->shape = (struct lists_shape){rows_keys(&m->rows_shape, 0),
                                        1 + pieces + request->order.field_count,
                                        rows_temp_bytes(&m->rows_shape, count)};
    }
    TRY(lists_plan_room(&m->plan, &backend->tuning, &backend_device(backend)->info,
                        &m->shape, request->list_count, count, backend->error));
    TRY(backend_device(backend)->verbs->load(backend_device(backend), &m->plan.program,
                                             program_kernels(&m->plan.program),
                                             &m->program));
    *served = 1;
done:
    return status;
}

mw_status merge_prepare(struct backend *backend, const struct request *request,
                        uint64_t *workspace_bytes, int *served)
{
    struct merge_run m = {.lists = NULL};
    struct program *mover;
    mw_status status;

    TRY(make_shape(&m, backend, request, served));
    TRY(passes_load_rows(backend_device(backend), &mover));
    *workspace_bytes = m.plan.workspace_bytes;
done:
    lists_sort_free(&m.sort);
    return status;
}

static int compare_lists(const void *a, const void *b)
{
    const struct merge_list *const x = a, *const y = b;

    return (x->count > y->count) - (x->count < y->count);
}

/* Find the lists that are not empty: in their order, or of bare keys the shortest first. */
static mw_status read_lists(struct merge_run *m)
{
    const struct request *const request = m->run.request;
    uint64_t first = 0;

    m->lists = malloc(request->list_count * sizeof *m->lists);
    m->firsts = malloc((request->list_count + (size_t)1) * sizeof *m->firsts);
    if (!m->lists || !m->firsts)
        return fail(m->run.backend->error, MW_NO_MEMORY, "no memory for %u lists",
                    request->list_count);
    for (uint32_t i = 0; i < request->list_count; i++) {
        const uint64_t count = request_list(request, i).count;

        if (count)
            m->lists[m->list_count++] = (struct merge_list){count, i};
    }
    if (!m->shape.keys.places)
        qsort(m->lists, m->list_count, sizeof *m->lists, compare_lists);
    for (uint32_t i = 0; i < m->list_count; i++) {
        m->firsts[i] = first;
        first += m->lists[i].count;
    }
    m->firsts[m->list_count] = first;
    return MW_OK;
}

/* Where the arrays of rows are. What counts of the input's is how they are aligned. */
static void make_rows(struct merge_run *m)
{
    struct request *const request = &m->sort.request;

    for (uint32_t c = 0; c < request->column_count; c++) {
        uintptr_t bits = PLAN_ALIGNMENT;

        for (uint32_t i = 0; i < m->list_count; i++)
            bits |= (uintptr_t)request_list_column(m->run.request, m->lists[i].number,
                                                   m->sort.number[c]);
        if (c == 0)
            request->in.elements = (void *)bits;
        else
            m->sort.columns[c - 1].data = (void *)bits;
    }
    rows_make(&m->rows, &m->rows_shape, request, 0, 0, 1, m->plan.rounds,
              m->run.workspace + m->plan.spare_offset);
    for (int side = 0; side < ROWS_SIDES; side++)
        m->rows.apart[side] = 0;
}

mw_status merge_plan(struct backend *backend, const struct request *request,
                     struct plan *plan)
{
    struct merge_run m = {
        .run = {.backend = backend, .request = request}
    };
    int served;
    mw_status status;

    TRY(make_shape(&m, backend, request, &served));
    if (!served)
        goto done;
    TRY(read_lists(&m));
    lists_plan_rounds(&m.plan, m.shape.keys, m.firsts, m.list_count);
    plan->rounds = m.plan.rounds;
    for (uint32_t i = 0; i < m.plan.rounds; i++) {
        const struct lists_round *const from = &m.plan.round[i];
        struct plan_round *const to = &plan->round[i];
        const uint64_t rows = m.firsts[from->merged];

        to->run = rows / from->merged;
        to->groups = from->groups;
        to->piece = from->piece;
        to->ways = from->ways;
        to->blocks = lists_round_tiles(from, m.firsts);
        to->pieces = divide_up(to->blocks, from->groups);
    }
done:
    free(m.firsts);
    free(m.lists);
    lists_sort_free(&m.sort);
    return status;
}

mw_status merge_enqueue(struct backend *backend, const struct request *request,
                        void *workspace, uint64_t bytes, void *stream, int *served)
{
    struct merge_run m = {.lists = NULL};
    mw_status status;

    TRY(make_shape(&m, backend, request, served));
    if (!*served)
        goto done;
    TRY(backend_check_workspace(backend, bytes, m.plan.workspace_bytes));
    TRY(lists_begin(&m.run, backend, request, workspace, stream));
    TRY(read_lists(&m));
    lists_plan_rounds(&m.plan, m.shape.keys, m.firsts, m.list_count);
    if (m.plan.rounds && m.shape.keys.places)
        make_rows(&m);
    if (m.plan.rounds)
        TRY(merge_put_tables(&m));
    for (uint32_t i = 0; i < m.plan.rounds; i++)
        TRY(merge_round(&m, i));
    lists_note(&m.run, m.plan.rounds, &m.plan.program);
done:
    free(m.firsts);
    free(m.lists);
    lists_sort_free(&m.sort);
    return status;
}
