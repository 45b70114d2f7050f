/*
 * rows.c - which way rows are sorted, and where their arrays are: see rows.h.
 */
#include "rows.h"

#include <string.h>

int rows_is_number(const struct request_order *order)
{
    const struct request_field *const field = &order->field[0];

    return order->field_count == 1 && !field->is_string &&
           (field->bytes == 4 || field->bytes == 8);
}

int rows_is_key(const struct request_order *order)
{
    const struct field_code *const code = &order->field[0].code;

    return rows_is_number(order) && code->rotate == 0 && code->low == 0 &&
           code->high == code->mask && code->zero == 0;
}

static int is_in_order(const struct request_order *order, uint32_t column)
{
    for (uint32_t i = 0; i < order->field_count; i++) {
        if (order->field[i].column == column)
            return 1;
    }
    return 0;
}

/* Does a column go through the passes if its rows are short? */
static int travels(const struct request *request, uint32_t column)
{
    return !request->only_positions || is_in_order(&request->order, column);
}

/* Does it need a temporary array as its side A, too? It orders, but is not wanted. */
static int needs_a(const struct request *request, uint32_t column)
{
    return is_in_order(&request->order, column) && !request_column(request, column).out;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Arrays of rows that travel: B, and perhaps A. */
static void measure_short(struct rows_shape *shape, const struct request *request)
{
    for (uint32_t i = 0; i < request->column_count; i++) {
        const uint32_t copies = 1 + (uint32_t)needs_a(request, i);

        if (travels(request, i)) {
            shape->temp_bytes += (uint64_t)copies * request_column(request, i).bytes;
            shape->temp_arrays += copies;
        }
    }
    if (request->position_bytes) {
        shape->temp_bytes += 4;
        shape->temp_arrays++;
    }
}

/*
 * Positions after the sort; and positions and codes during it, whose memory is then that
 * of a column gathered in place.
 */
static void measure_wide(struct rows_shape *shape, const struct request *request)
{
    const uint32_t spare = request->position_bytes == 4 ? 0 : 4;
    uint64_t gathered = 0;

    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(request, i);

        if (c.out && (c.out == c.in || !c.in)) /* NULL: mw_prepare may not know yet */
            gathered = greater(gathered, c.bytes);
    }
    shape->temp_bytes = spare + greater(4 + 2 * rows_keys(shape, 0).size, gathered);
    shape->temp_arrays = 5; /* a flag is among them */
}

mw_status rows_shape(struct rows_shape *shape, const struct request *request,
                     struct error *error)
{
    const struct request_order *const order = &request->order;
    const struct request *told = request;
    struct request seen;
    uint64_t carried = 0;

    *shape = (struct rows_shape){.way = ROWS_WHOLE};
    if (order->field_count == 0)
        return fail(error, MW_UNSUPPORTED, "order: by an expression");
    if (request->count > UINT32_MAX)
        return fail(error, MW_UNSUPPORTED,
                    "job: %llu rows; a device sorts fewer than 2^32 rows with values",
                    (unsigned long long)request->count);
    for (uint32_t i = 0; i < order->field_count; i++)
        shape->code_bytes += order->field[i].bytes;
    shape->words = (uint32_t)((shape->code_bytes + ROWS_WORD - 1) / ROWS_WORD);
    for (uint32_t i = 0; i < request->column_count && carried < REQUEST_MOST_BYTES; i++) {
        if (travels(request, i))
            carried += request_column(request, i).bytes;
    }
    if (rows_is_key(order)) {
        shape->way = ROWS_KEYED;
        carried -= order->field[0].bytes;
    }
    if (carried > ROWS_MOST_CARRIED)
        shape->way = ROWS_WIDE;
    if (!request->with_data) { /* which pointers are NULL or equal always counts */
        seen = *request;
        seen.with_data = 1;
        told = &seen;
    }
    if (shape->way == ROWS_WIDE)
        measure_wide(shape, told);
    else
        measure_short(shape, told);
    return MW_OK;
}

void rows_by_number(struct rows_shape *shape)
{
    shape->way = ROWS_WIDE;
    shape->temp_bytes = 4 + 2 * rows_keys(shape, 0).size;
    shape->temp_arrays = 5;
}

struct plan_keys rows_keys(const struct rows_shape *shape, uint32_t word)
{
    const uint64_t left = shape->code_bytes - (uint64_t)word * ROWS_WORD;

    return (struct plan_keys){.size = left > 4 ? 8 : 4, .places = 1};
}

static uint64_t aligned(uint64_t bytes)
{
    return (bytes + PLAN_ALIGNMENT - 1) / PLAN_ALIGNMENT * PLAN_ALIGNMENT;
}

uint64_t rows_temp_bytes(const struct rows_shape *shape, uint64_t count)
{
    return aligned(shape->temp_bytes * count) +
           (uint64_t)shape->temp_arrays * PLAN_ALIGNMENT;
}

/* Take an array of `bytes` for each row from the temporary memory at `*temp`. */
static char *take(char **temp, uint64_t bytes, uint64_t count)
{
    char *const taken = *temp;

    *temp += aligned(bytes * count);
    return taken;
}

/* One column that travels; `turn` and `last` as of rows_make. */
static void add_column(struct rows *rows, const struct request *request, uint32_t number,
                       uint32_t turn, int last, char **temp)
{
    const struct request_column c = request_column(request, number);
    struct rows_column *const column = &rows->column[rows->column_count++];

    column->bytes = c.bytes;
    column->at[ROWS_B] = take(temp, c.bytes, rows->count);
    column->at[ROWS_A] = c.out;
    if (needs_a(request, number))
        column->at[ROWS_A] = take(temp, c.bytes, rows->count);
    column->at[ROWS_IN] = turn ? column->at[ROWS_A] : (char *)c.in;
    column->at[ROWS_OUT] = last ? c.out : column->at[ROWS_A];
}

/* The largest word, up to 8 bytes, that all values of a column are aligned to. */
static uint32_t alignment_of(const struct rows_column *column)
{
    uintptr_t bits = column->bytes | 8;

    for (int side = 0; side < ROWS_SIDES; side++)
        bits |= (uintptr_t)column->at[side];
    return (uint32_t)(bits & (~bits + 1));
}

/* Cut the bytes [begin, end) of a column's values into segments. */
static void add_segments(struct rows *rows, uint32_t column, uint32_t begin, uint32_t end)
{
    const uint32_t most = alignment_of(&rows->column[column]);

    while (begin < end) {
        uint32_t bytes = most;

        while (begin % bytes || begin + bytes > end)
            bytes /= 2;
        rows->segment[rows->segment_count++] =
            (struct rows_segment){.column = column, .offset = begin, .bytes = bytes};
        begin += bytes;
    }
}

/* Where segments have arrays of their own, the larger ones come first: all are aligned. */
static void order_segments(struct rows *rows, uint32_t column)
{
    uint32_t before = 0;

    for (uint32_t bytes = 8; bytes > 0; bytes /= 2) {
        if (rows->way == ROWS_KEYED && rows->key.column == column &&
            rows->key.bytes == bytes) {
            rows->key.before = before;
            before += bytes;
        }
        for (uint32_t i = 0; i < rows->segment_count; i++) {
            if (rows->segment[i].column == column && rows->segment[i].bytes == bytes) {
                rows->segment[i].before = before;
                before += bytes;
            }
        }
    }
}

/* The columns of a request whose rows are short; returns the one of the first field. */
static uint32_t add_columns(struct rows *rows, const struct request *request, uint32_t turn,
                            int last, uint32_t *numbers, char **temp)
{
    uint32_t key_column = 0;

    for (uint32_t i = 0; i < request->column_count; i++) {
        if (!travels(request, i))
            continue;
        if (request->order.field[0].column == i)
            key_column = rows->column_count;
        numbers[rows->column_count] = i;
        add_column(rows, request, i, turn, last, temp);
    }
    return key_column;
}

/* Is A the input's memory, of any column? Then the first pass may write where it reads. */
static int is_in_place(const struct rows *rows)
{
    for (uint32_t i = 0; i < rows->column_count; i++) {
        if (rows->column[i].at[ROWS_A] == rows->column[i].at[ROWS_IN])
            return 1;
    }
    return 0;
}

/* Can the number that is the order be loaded and stored as such? */
static int key_fits(const struct rows_column *column, const struct request_field *field)
{
    return alignment_of(column) >= field->bytes && field->offset % field->bytes == 0;
}

static struct code code_of(const struct request_field *field)
{
    return (struct code){.flip = field->code.flip, .is_float = field->code.lowest != 0};
}

/* The part of word `word` that field `field` has, if it has one; its code begins at `at`.
 */
static void add_part(struct rows *rows, const struct request_field *field, uint64_t at,
                     uint64_t word)
{
    const uint64_t first = word * ROWS_WORD, end = first + ROWS_WORD;
    const uint64_t begin = at > first ? at : first;
    const uint64_t until = at + field->bytes < end ? at + field->bytes : end;
    struct code_part *const part = &rows->part[rows->part_count];

    if (begin >= until)
        return;
    *part = (struct code_part){.bytes = (int)field->bytes,
                               .is_string = field->is_string,
                               .bits = (int)(8 * (until - begin)),
                               .code = field->code};
    rows->part_offset[rows->part_count] = field->offset;
    rows->part_column[rows->part_count] = field->column;
    if (field->is_string) {
        const uint64_t mask = ~UINT64_C(0) >> (64 - part->bits);

        rows->part_offset[rows->part_count] += (uint32_t)(begin - at);
        part->bytes = (int)(until - begin);
        part->code = (struct field_code){
            .flip = field->code.flip & mask, .mask = mask, .high = mask};
    } else {
        part->drop = (int)(8 * (at + field->bytes - until));
    }
    rows->part_count++;
}

static void add_parts(struct rows *rows, const struct request *request, uint32_t word)
{
    uint64_t at = 0;

    rows->has_parts = 1;
    for (uint32_t i = 0; i < request->order.field_count; i++) {
        add_part(rows, &request->order.field[i], at, word);
        at += request->order.field[i].bytes;
    }
}

/* Rows that travel, with their key or as a whole. */
static void make_short(struct rows *rows, const struct request *request, uint32_t word,
                       uint32_t turn, int last, uint32_t rounds, char **temp)
{
    const struct request_field *const field = &request->order.field[0];
    uint32_t numbers[ROWS_MOST_COLUMNS];
    const uint32_t key = add_columns(rows, request, turn, last, numbers, temp);
    const struct rows_column *const column = &rows->column[key];

    if (rows->way == ROWS_KEYED && !key_fits(column, field))
        rows->way = ROWS_WHOLE;
    if (rows->way == ROWS_KEYED) {
        rows->code = code_of(field);
        rows->key = (struct rows_segment){
            .column = key, .offset = field->offset, .bytes = field->bytes};
        rows->apart[ROWS_B] = 1;
        rows->apart[ROWS_A] = rounds % 2 || !is_in_place(rows);
    } else {
        add_parts(rows, request, word);
        for (uint32_t i = 0; i < rows->part_count; i++) { /* numbers of those that travel */
            uint32_t c = 0;

            while (numbers[c] != rows->part_column[i])
                c++;
            rows->part_column[i] = c;
            rows->part[i].pitch = rows->column[c].bytes;
        }
    }
    for (uint32_t i = 0; i < rows->column_count; i++) {
        if (rows->way == ROWS_KEYED && i == key) {
            add_segments(rows, i, 0, field->offset);
            add_segments(rows, i, field->offset + field->bytes, rows->column[i].bytes);
        } else {
            add_segments(rows, i, 0, rows->column[i].bytes);
        }
        order_segments(rows, i);
    }
}

static void make_positions(struct rows *rows, const struct request *request, uint32_t turn,
                           int last, char **temp)
{
    const int is_wide = rows->way == ROWS_WIDE;
    struct rows_column *const positions = &rows->positions;

    if (!is_wide && !request->position_bytes)
        return;
    positions->at[ROWS_A] = is_wide && request->position_bytes != 4
                                ? take(temp, 4, rows->count)
                                : request->positions;
    rows->spare = *temp;
    positions->at[ROWS_B] = take(temp, 4, rows->count);
    positions->at[ROWS_IN] = turn ? positions->at[ROWS_A] : NULL;
    positions->at[ROWS_OUT] = positions->at[ROWS_A];
    positions->bytes = last && !is_wide ? request->position_bytes : 4;
    if (is_wide && last && request->position_bytes == 8)
        rows->more_positions = request->positions;
}

/* Codes that travel with the numbers of their rows. */
static void make_wide(struct rows *rows, const struct rows_shape *shape,
                      const struct request *request, uint32_t word, uint32_t turn,
                      char **temp)
{
    const struct request_field *const field = &request->order.field[0];
    struct rows_column column = {.bytes = 0};

    if (rows_is_key(&request->order) && !turn) {
        const struct request_column c = request_column(request, field->column);

        column.bytes = c.bytes;
        column.at[ROWS_IN] = (char *)c.in;
    }
    if (column.bytes && key_fits(&column, field)) {
        rows->code = code_of(field);
        rows->column[0] = column;
        rows->key = (struct rows_segment){.offset = field->offset, .bytes = field->bytes};
    } else {
        add_parts(rows, request, word);
        for (uint32_t i = 0; i < rows->part_count; i++) {
            const struct request_column c = request_column(request, rows->part_column[i]);

            rows->part[i].at = (const char *)c.in + rows->part_offset[i];
            rows->part[i].pitch = c.bytes;
        }
    }
    if (turn)
        rows->order = (const unsigned *)rows->positions.at[ROWS_A];
    rows->codes.at[ROWS_A] = take(temp, rows->keys.size, rows->count);
    rows->codes.at[ROWS_B] = take(temp, rows->keys.size, rows->count);
    if (shape->words > 1 && word == 0 && turn == 0) /* is it decided by the first word? */
        rows->codes.at[ROWS_OUT] = rows->codes.at[ROWS_A];
}

void rows_make(struct rows *rows, const struct rows_shape *shape,
               const struct request *request, uint32_t word, uint32_t turn, int last,
               uint32_t rounds, char *temp)
{
    memset(rows, 0, offsetof(struct rows, column)); /* of the arrays, only some are used */
    rows->way = shape->way;
    rows->count = request->count;
    rows->keys = rows_keys(shape, word);
    if (shape->way == ROWS_WIDE)
        rows->flag = take(&temp, 1, sizeof(unsigned));
    make_positions(rows, request, turn, last, &temp);
    if (shape->way == ROWS_WIDE)
        make_wide(rows, shape, request, word, turn, &temp);
    else
        make_short(rows, request, word, turn, last, rounds, &temp);
}
