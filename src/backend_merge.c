/*
 * backend_merge.c - MERGE of bare keys on a device, straight from the caller's lists.
 *
 * Equal keys are equal bit by bit, so lists may be merged in any order: the shortest come
 * first, and long ones are not moved until the last rounds.
 */
#include "lists.h"

#include "plan_lists.h"

#include <stdlib.h>

/* Keys that codes can be turned back into, and nothing else. */
int merge_serves(const struct backend *backend, const struct request *request)
{
    const struct request_field *const field = &request->order.field[0];
    const mw_engine engine = backend->tuning.engine;

    return request->element_type && request->order.field_count == 1 &&
           request->column_count == 1 && !request->position_bytes &&
           field->code.rotate == 0 && field->code.low == 0 &&
           field->code.high == field->code.mask && field->code.zero == 0 &&
           request->count <= UINT32_MAX &&
           (engine == MW_ENGINE_AUTO || engine == MW_ENGINE_TILE);
}

static mw_status make_plan(struct backend *backend, const struct request *request,
                           struct lists_plan *plan, struct lists_shape *shape)
{
    *shape = (struct lists_shape){.keys = plan_bare(request->element_type->size),
                                  .arrays = 1,
                                  .row_bytes = request->element_type->size,
                                  .arrays_of_rows = 1};
    return lists_plan_room(plan, &backend->tuning, &backend_device(backend)->info, shape,
                           request->list_count, request->count, backend->error);
}

static mw_status load(struct backend *backend, const struct lists_plan *plan,
                      struct program **program)
{
    struct device *const device = backend_device(backend);

    return device->verbs->load(device, &plan->program, kernels_of(PROGRAM_LISTS), program);
}

mw_status merge_prepare(struct backend *backend, const struct request *request,
                        uint64_t *workspace_bytes)
{
    struct lists_shape shape;
    struct lists_plan plan;
    struct program *program;
    mw_status status;

    TRY(make_plan(backend, request, &plan, &shape));
    TRY(load(backend, &plan, &program));
    TRY(lists_load(backend, &program));
    *workspace_bytes = plan.workspace_bytes;
done:
    return status;
}

/* One list of the caller's that is not empty. */
struct merge_list {
    uint64_t count;
    const void *keys;
};

/* A merge: the request's run, the plan, and the lists. */
struct merge_run {
    struct lists_run run;
    struct lists_plan plan;
    struct lists_shape shape;
    struct program *program;
    struct merge_list *lists;
    uint32_t list_count;
    uint64_t *firsts; /* the first row of each list of a round, and the end */
    struct merge_table {
        wide *firsts, *at, *groups;
        uint64_t tiles;
    } table[LISTS_MOST_ROUNDS];
};

static int compare_lists(const void *a, const void *b)
{
    const struct merge_list *const x = a, *const y = b;

    return (x->count > y->count) - (x->count < y->count);
}

/* Find the lists that are not empty, the shortest first. */
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
        const mw_table list = request_list(request, i);

        if (list.count)
            m->lists[m->list_count++] = (struct merge_list){list.count, list.elements};
    }
    qsort(m->lists, m->list_count, sizeof *m->lists, compare_lists);
    for (uint32_t i = 0; i < m->list_count; i++) {
        m->firsts[i] = first;
        first += m->lists[i].count;
    }
    m->firsts[m->list_count] = first;
    return MW_OK;
}

/* Where round `number` writes: the last one to the output. */
static char *target_of(const struct merge_run *m, uint32_t number)
{
    return (m->plan.rounds - number) % 2 ? (char *)m->run.request->out.elements
                                         : m->run.workspace + m->plan.spare_offset;
}

/* The flag of lists that are not sorted; cuts follow it. */
static wide *flag_of(const struct merge_run *m)
{
    return (wide *)(m->run.workspace + m->plan.cuts_offset);
}

/* Write the table of one round; then `firsts` are those of the next. */
static mw_status put_round(struct merge_run *m, struct lists_writer *writer,
                           uint32_t number)
{
    const struct lists_round *const r = &m->plan.round[number];
    struct merge_table *const table = &m->table[number];
    const size_t size = m->shape.keys.size;
    uint64_t tiles = 0;
    mw_status status = MW_OK;

    *table = (struct merge_table){.firsts = writer->args.to + writer->args.count};
    table->at = table->firsts + r->lists + 1;
    table->groups = table->at + r->lists;
    for (uint32_t i = 0; i <= r->lists; i++)
        TRY(lists_put(writer, m->firsts[i]));
    for (uint32_t i = 0; i < r->lists; i++)
        TRY(lists_put(
            writer, i < r->runs ? (uintptr_t)target_of(m, number - 1) + m->firsts[i] * size
                                : (uintptr_t)m->lists[r->taken + i - r->runs].keys));
    for (uint32_t i = 0; i < r->groups; i++) {
        const uint32_t first = lists_group_first(r, i), end = lists_group_first(r, i + 1);

        TRY(lists_put(writer, first | (wide)(end - first) << 32));
        TRY(lists_put(writer, tiles));
        tiles += divide_up(m->firsts[end] - m->firsts[first], r->piece);
        m->firsts[i] = m->firsts[first]; /* i <= first: it has been read */
    }
    for (uint32_t i = r->merged; i <= r->lists; i++)
        m->firsts[r->groups + i - r->merged] = m->firsts[i];
    table->tiles = tiles;
done:
    return status;
}

/* Write the tables of all rounds, and clear flag and cuts. */
static mw_status put_tables(struct merge_run *m)
{
    struct lists_writer writer;
    mw_status status = MW_OK;

    lists_write(&writer, &m->run, (wide *)(m->run.workspace + m->plan.table_offset));
    writer.args.zeros = flag_of(m);
    writer.args.zero_count = 1 + m->plan.cut_cells;
    for (uint32_t i = 0; i < m->plan.rounds; i++)
        TRY(put_round(m, &writer, i));
    TRY(lists_flush(&writer));
done:
    return status;
}

/* Copy the lists of a round as they are: if there is only one, or if they are unsorted. */
static mw_status copy_round(struct merge_run *m, uint32_t number)
{
    const struct lists_round *const r = &m->plan.round[number];
    const struct copy_lists_args args = {.firsts = m->table[number].firsts,
                                         .at = m->table[number].at,
                                         .out = target_of(m, number),
                                         .condition = flag_of(m),
                                         .number = number + 1,
                                         .count = m->run.request->count,
                                         .list_count = r->lists,
                                         .bytes = (unsigned)m->shape.keys.size};

    return lists_copy(&m->run, &args);
}

/* How keys become codes; of floats of 16 bits there are two kinds (code.inl). */
static struct key_code code_of(const struct request_field *field)
{
    const uint64_t lowest = field->code.lowest;

    return (struct key_code){.flip = field->code.flip,
                             .is_float = field->bytes == 2 ? (int)lowest : lowest != 0};
}

static mw_status merge_round(struct merge_run *m, uint32_t number)
{
    const struct lists_round *const r = &m->plan.round[number];
    const struct merge_table *const table = &m->table[number];
    const struct key_code code = code_of(&m->run.request->order.field[0]);
    const struct tile_geometry *const tile = &m->plan.program.tile;
    const uint64_t warps = tile->rows / WARP;
    const uint64_t cutters = divide_up(table->tiles + r->groups, warps);
    const uint64_t ahead = divide_up(
        (uint64_t)PLAN_AHEAD_EACH * backend_device(m->run.backend)->info.processors, warps);
    const uint64_t blocks = table->tiles + cutters;
    const struct lists_merge_args args = {
        .merge = {.round = {.out = target_of(m, number),
                            .cuts = flag_of(m) + 1,
                            .piece = r->piece,
                            .groups = r->groups,
                            .pieces = (unsigned)table->tiles,
                            .number = number + 1,
                            .ways = (int)r->ways,
                            .floats = !code.is_float ? 0
                                      : code.flip    ? -1
                                                     : 1},
                  .cutters = (unsigned)cutters,
                  .ahead = (unsigned)(ahead < cutters ? ahead : cutters),
                  .rate = (unsigned)((cutters << 32) / blocks + 1),
                  .leave = code},
        .lists = { .firsts = table->firsts,
                  .at = table->at,
                  .groups = table->groups,
                  .flag = flag_of(m),
                  .list_count = r->lists,
                  .enter = code}
    };
    mw_status status;

    if (m->run.log)
        m->run.log->round = number + 1;
    TRY(lists_launch(&m->run, m->program, KERNEL_LISTS_MERGE, blocks, tile->rows,
                     m->plan.shared, &args, sizeof args));
    TRY(copy_round(m, number));
done:
    return status;
}

/* All keys are in one list: a copy. */
static mw_status copy_one(struct merge_run *m)
{
    wide *const table = (wide *)(m->run.workspace + m->plan.table_offset);
    const struct copy_lists_args args = {.firsts = table,
                                         .at = table + 2,
                                         .out = m->run.request->out.elements,
                                         .count = m->run.request->count,
                                         .list_count = 1,
                                         .bytes = (unsigned)m->shape.keys.size};
    struct lists_writer writer;
    mw_status status;

    lists_write(&writer, &m->run, table);
    TRY(lists_put(&writer, 0));
    TRY(lists_put(&writer, args.count));
    TRY(lists_put(&writer, (uintptr_t)m->lists[0].keys));
    TRY(lists_flush(&writer));
    TRY(lists_copy(&m->run, &args));
done:
    return status;
}

mw_status merge_enqueue(struct backend *backend, const struct request *request,
                        void *workspace, uint64_t bytes, void *stream)
{
    struct merge_run m = {.lists = NULL};
    mw_status status;

    TRY(make_plan(backend, request, &m.plan, &m.shape));
    TRY(backend_check_workspace(backend, bytes, m.plan.workspace_bytes));
    TRY(lists_begin(&m.run, backend, request, workspace, stream));
    TRY(load(backend, &m.plan, &m.program));
    TRY(read_lists(&m));
    lists_plan_rounds(&m.plan, m.shape.keys, m.firsts, m.list_count);
    if (m.plan.rounds)
        TRY(put_tables(&m));
    else if (m.list_count)
        TRY(copy_one(&m));
    for (uint32_t i = 0; i < m.plan.rounds; i++)
        TRY(merge_round(&m, i));
    lists_note(&m.run, m.plan.rounds, &m.plan.program);
done:
    free(m.firsts);
    free(m.lists);
    return status;
}
