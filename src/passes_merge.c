/*
 * passes_merge.c - the rounds of a merge of lists: their tables and their launches.
 */
#include "merge.h"

/* Arrays of a round: keys, pieces of rows, parts of codes. */
enum { MERGE_MOST_ARRAYS = 1 + TILE_MOST_PIECES + TILE_MOST_PARTS };

/* An array whose addresses are in the table: some bytes of a column, or positions. */
struct merge_array {
    uint32_t column;
    uint32_t offset;
    int is_positions;
};

/* Arguments of lists_merge; programs without places have no carry. */
struct merge_args {
    struct tile_merge_args merge;
    struct tile_lists lists;
};

struct merge_rows_args {
    struct tile_merge_args merge;
    struct tile_carry carry;
    struct tile_lists lists;
};

/* Where round `number` writes column `column`: the last one to the output. */
static char *target_of(const struct merge_run *m, uint32_t number, uint32_t column)
{
    if (m->shape.keys.places)
        return m->rows.column[column].at[rows_side(number + 1, m->plan.rounds)];
    return (m->plan.rounds - number) % 2 ? (char *)m->run.request->out.elements
                                         : m->run.workspace + m->plan.spare_offset;
}

/* The arrays of a round, in the order of the table; pieces are as rows_carry adds them. */
static uint32_t arrays_of(const struct merge_run *m, uint32_t number,
                          struct merge_array *array)
{
    const struct rows *const rows = &m->rows;
    const enum rows_side to = rows_side(number + 1, m->plan.rounds);
    uint32_t count = 1;

    array[0] = (struct merge_array){.column = 0};
    if (!m->shape.keys.places)
        return count;
    if (rows->way == ROWS_KEYED)
        array[0] = (struct merge_array){rows->key.column, rows->key.offset, 0};
    for (uint32_t i = 0; i < rows->segment_count; i++) {
        const struct rows_segment *const segment = &rows->segment[i];

        if (rows->column[segment->column].at[to])
            array[count++] = (struct merge_array){segment->column, segment->offset, 0};
    }
    if (rows->positions.at[to])
        array[count++] = (struct merge_array){.is_positions = 1};
    for (uint32_t i = 0; i < rows->part_count; i++)
        array[count++] =
            (struct merge_array){rows->part_column[i], rows->part_offset[i], 0};
    return count;
}

/* The address of an array of list `i` of a round. */
static wide address_of(const struct merge_run *m, uint32_t number,
                       const struct merge_array *array, uint32_t i)
{
    const struct lists_round *const r = &m->plan.round[number];
    const uint64_t first = m->firsts[i];

    if (array->is_positions)
        return i < r->runs
                   ? (uintptr_t)m->rows.positions.at[rows_side(number, m->plan.rounds)] +
                         4 * first
                   : LISTS_NUMBERS | first;
    if (i < r->runs)
        return (uintptr_t)target_of(m, number - 1, array->column) +
               first * request_column(&m->sort.request, array->column).bytes +
               array->offset;
    return (uintptr_t)request_list_column(m->run.request,
                                          m->lists[r->taken + i - r->runs].number,
                                          m->sort.number[array->column]) +
           array->offset;
}

/* Write the table of one round; then `firsts` are those of the next. */
static mw_status put_round(struct merge_run *m, struct lists_writer *writer,
                           uint32_t number)
{
    const struct lists_round *const r = &m->plan.round[number];
    struct merge_table *const table = &m->table[number];
    struct merge_array array[MERGE_MOST_ARRAYS];
    const uint32_t arrays = arrays_of(m, number, array);
    mw_status status = MW_OK;

    *table = (struct merge_table){.firsts = writer->args.to + writer->args.count};
    table->at = table->firsts + r->lists + 1;
    table->groups = table->at + (size_t)arrays * r->lists;
    for (uint32_t i = 0; i <= r->lists; i++)
        TRY(lists_put(writer, m->firsts[i]));
    for (uint32_t i = 0; i < arrays; i++)
        for (uint32_t j = 0; j < r->lists; j++)
            TRY(lists_put(writer, address_of(m, number, &array[i], j)));
    for (uint32_t i = 0; i < r->groups; i++) {
        const uint32_t first = lists_group_first(r, i), end = lists_group_first(r, i + 1);

        TRY(lists_put(writer, first | (wide)(end - first) << 32));
        TRY(lists_put(writer, table->tiles));
        table->tiles += divide_up(m->firsts[end] - m->firsts[first], r->piece);
    }
    lists_round_tiles(r, m->firsts);
done:
    return status;
}

/* The flag of lists that are not sorted; cuts follow it. */
static wide *flag_of(const struct merge_run *m)
{
    return (wide *)(m->run.workspace + m->plan.cuts_offset);
}

mw_status merge_put_tables(struct merge_run *m)
{
    struct lists_writer writer;
    uint64_t most = 0; /* cells of a round */
    mw_status status = MW_OK;

    lists_write(&writer, &m->run, (wide *)(m->run.workspace + m->plan.table_offset));
    for (uint32_t i = 0; i < m->plan.rounds; i++) {
        const struct lists_round *const r = &m->plan.round[i];
        uint64_t cells;

        TRY(put_round(m, &writer, i));
        cells = (m->table[i].tiles + r->groups) *
                TILE_CUT_CELLS(r->ways, 8 * (int)m->shape.keys.size, m->shape.keys.places);
        most = cells > most ? cells : most;
    }
    writer.args.zeros = flag_of(m);
    writer.args.zero_count = 1 + most;
    TRY(lists_flush(&writer));
done:
    return status;
}

/*
 * If the lists of a round are not sorted, copy them as they are. For bare keys one copy of
 * the caller's lists, after the last round, is enough for all rounds: it replaces whatever
 * later rounds made of the wrong result.
 */
static mw_status copy_round(struct merge_run *m, uint32_t number,
                            const struct merge_rows_args *merge)
{
    const uint32_t size = (uint32_t)m->shape.keys.size;
    const int places = m->shape.keys.places;
    const uint32_t from = places ? number : 0;
    const struct lists_round *const r = &m->plan.round[from];
    struct copy_lists_args args = {
        .firsts = m->table[from].firsts,
        .at = m->table[from].at,
        .out = places || number + 1 == m->plan.rounds ? merge->merge.round.out : NULL,
        .condition = flag_of(m),
        .number = places ? number + 1 : 0,
        .count = m->run.request->count,
        .list_count = r->lists,
        .bytes = size,
        .in_pitch = places ? (unsigned)merge->carry.source.pitch : size,
        .out_pitch = places ? (unsigned)merge->carry.out_pitch : size,
        .out_bytes = size};
    mw_status status = MW_OK;

    if (args.out)
        TRY(lists_copy(&m->run, &args));
    for (int i = 0; places && i < merge->carry.piece_count; i++) {
        const struct tile_piece *const piece = &merge->carry.piece[i];

        args.at = m->table[from].at + (size_t)(i + 1) * r->lists;
        args.out = piece->out;
        args.bytes = piece->bytes;
        args.in_pitch = piece->in_pitch;
        args.out_pitch = piece->out_pitch;
        args.out_bytes = piece->out_bytes;
        TRY(lists_copy(&m->run, &args));
    }
done:
    return status;
}

/* How keys become codes; of floats of 16 bits there are two kinds (code.inl). */
static struct key_code code_of(const struct merge_run *m)
{
    const struct request_field *const field = &m->run.request->order.field[0];
    const uint64_t lowest = field->code.lowest;

    if (m->shape.keys.places && m->rows.way != ROWS_KEYED)
        return (struct key_code){0, 0, 0};
    return (struct key_code){.flip = field->code.flip,
                             .is_float = field->bytes == 2 ? (int)lowest : lowest != 0};
}

mw_status merge_round(struct merge_run *m, uint32_t number)
{
    const struct lists_round *const r = &m->plan.round[number];
    const struct merge_table *const table = &m->table[number];
    const struct key_code code = code_of(m);
    const struct tile_geometry *const tile = &m->plan.program.tile;
    const uint32_t each = LISTS_CUTS(r->ways, r->groups, m->shape.keys.places);
    const uint64_t cuts = (uint64_t)tile->rows / WARP * each; /* of a block */
    const uint64_t cutters = divide_up(table->tiles + r->groups, cuts);
    const uint64_t ahead = divide_up(
        (uint64_t)PLAN_AHEAD_EACH * backend_device(m->run.backend)->info.processors, cuts);
    const uint64_t blocks = table->tiles + cutters;
    struct merge_rows_args args;
    mw_status status;

    args.merge = (struct tile_merge_args){
        .round = {.out = target_of(m, number, 0),
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
        .leave = code
    };
    args.lists = (struct tile_lists){.firsts = table->firsts,
                                     .at = table->at,
                                     .groups = table->groups,
                                     .flag = flag_of(m),
                                     .list_count = r->lists,
                                     .merged = r->merged,
                                     .enter = code};
    if (m->shape.keys.places)
        rows_carry(&m->rows, ROWS_IN, rows_side(number + 1, m->plan.rounds), &args.carry,
                   &args.merge.round.out);

    const struct merge_args bare = {args.merge, args.lists};

    if (m->run.queue.log)
        m->run.queue.log->round = number + 1;
    TRY(lists_launch(&m->run, m->program, each > 1 ? KERNEL_LISTS_PAIR : KERNEL_LISTS_MERGE,
                     blocks, tile->rows, m->plan.shared,
                     m->shape.keys.places ? (const void *)&args : &bare,
                     m->shape.keys.places ? sizeof args : sizeof bare));
    TRY(copy_round(m, number, &args));
done:
    return status;
}
