/*
 * shape.c - the list of shapes, and the key each puts at a position.
 *
 * Most shapes are an arrangement of ranks: rank r is the r-th smallest of the
 * values in use. Values are 0, 1, 2 ... where the type can count that far;
 * else the whole range of the type, with `repeat` neighbouring ranks sharing a
 * value. Floats count up to where the next whole number would be skipped.
 */
#include "inside.h"

#include <stdlib.h>

typedef uint64_t key_function(const struct kit_input *input, uint64_t i);

/* The key of a rank, as bits. */
static uint64_t key_of(const struct kit_input *input, uint64_t rank)
{
    const uint64_t value = rank / input->repeat;
    uint64_t bits = input->lowest + value;

    if (input->type == MW_F32) {
        const float number = (float)value;
        uint32_t narrow;

        memcpy(&narrow, &number, sizeof narrow);
        bits = narrow;
    } else if (input->type == MW_F64) {
        const double number = (double)value;

        memcpy(&bits, &number, sizeof bits);
    }
    return bits;
}

static uint64_t at_permutation(const struct kit_input *input, uint64_t i)
{
    return key_of(input, shuffle_at(&input->shuffle, i));
}

static uint64_t at_random(const struct kit_input *input, uint64_t i)
{
    return special_number(input->type, random_at(input->seed, i));
}

static uint64_t at_sorted(const struct kit_input *input, uint64_t i)
{
    return key_of(input, i);
}

static uint64_t at_reversed(const struct kit_input *input, uint64_t i)
{
    return key_of(input, input->count - 1 - i);
}

static uint64_t at_equal(const struct kit_input *input, uint64_t i)
{
    (void)i;
    return special_number(input->type, random_at(input->seed, 0));
}

static uint64_t at_few(const struct kit_input *input, uint64_t i)
{
    return key_of(input, random_at(input->seed, i) % input->shape.parameter);
}

static uint64_t at_swaps(const struct kit_input *input, uint64_t i)
{
    return key_of(input, swaps_at(input, i));
}

static uint64_t at_sawtooth(const struct kit_input *input, uint64_t i)
{
    return key_of(input, i % input->shape.parameter);
}

static uint64_t at_organ(const struct kit_input *input, uint64_t i)
{
    const uint64_t from_end = input->count - 1 - i;

    return key_of(input, i < from_end ? i : from_end);
}

static uint64_t at_blocks(const struct kit_input *input, uint64_t i)
{
    const uint64_t size = input->shape.parameter;
    const uint64_t block = i / size;

    if (block >= input->shuffle.count) /* the short block stays at the end */
        return key_of(input, i);
    return key_of(input, shuffle_at(&input->shuffle, block) * size + i % size);
}

static uint64_t at_interleaved(const struct kit_input *input, uint64_t i)
{
    const uint64_t sequences = input->shape.parameter;
    const uint64_t longer = input->count % sequences; /* sequences with one key more */
    const uint64_t own = i % sequences;
    const uint64_t before = own < longer ? own : longer;

    return key_of(input, own * (input->count / sequences) + before + i / sequences);
}

static uint64_t at_conflict(const struct kit_input *input, uint64_t i)
{
    return key_of(input, conflict_at(input, i));
}

static uint64_t at_extremes(const struct kit_input *input, uint64_t i)
{
    return special_extreme(input->type, random_at(input->seed, i));
}

static uint64_t at_specials(const struct kit_input *input, uint64_t i)
{
    return special_float(input->type, random_at(input->seed, i));
}

enum ranks { COUNT, PARAMETER, HALF };

/* clang-format off */
static const struct row {
    struct kit_shape_text text;
    key_function *key_at;
    enum ranks ranks; /* how many it arranges */
    uint64_t least;   /* parameter */
    uint64_t normal;  /* parameter if none is given */
} rows[] = {
    {{"random", "any number of the type; floats finite, of every magnitude"},
     at_random, COUNT, 0, 0},
    {{"permutation", "0 to count - 1 in random order"}, at_permutation, COUNT, 0, 0},
    {{"sorted", "0 to count - 1, ascending"}, at_sorted, COUNT, 0, 0},
    {{"reversed", "the same, descending"}, at_reversed, COUNT, 0, 0},
    {{"equal", "one value, chosen by the seed, everywhere"}, at_equal, COUNT, 0, 0},
    {{"few[:n]", "n different values at random (16)"}, at_few, PARAMETER, 1, 16},
    {{"swaps:s", "sorted, then s swaps of two random keys"}, at_swaps, COUNT, 0, 0},
    {{"sawtooth:p", "position modulo p"}, at_sawtooth, PARAMETER, 1, 0},
    {{"organ", "organ pipes: up to the middle, down to the end"}, at_organ, HALF, 0, 0},
    {{"blocks[:b]", "sorted, cut into blocks of b keys, the blocks shuffled (1024)"},
     at_blocks, COUNT, 1, 1024},
    {{"interleaved[:k]", "sorted, cut into k sequences, dealt out in turn (16)"},
     at_interleaved, COUNT, 1, 16},
    {{"conflict:E,T[,worst]", "hard on a pairwise mergesort of T threads, E keys each"},
     at_conflict, COUNT, 1, 0},
    {{"extremes", "the least and the greatest value, 0, 1 and -1, mixed"},
     at_extremes, COUNT, 0, 0},
    {{"specials", "floats: NaNs, infinities, zeros, denormals; integers: extremes"},
     at_specials, COUNT, 0, 0},
};
/* clang-format on */

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const struct kit_shape_text *kit_shape_text(int row)
{
    return row >= 0 && row < ROW_COUNT ? &rows[row].text : NULL;
}

const char *kit_shape_parse(const char *text, struct kit_shape *shape)
{
    const size_t length = strcspn(text, ":");

    for (int i = 0; i < ROW_COUNT; i++) {
        const struct row *const row = &rows[i];
        const size_t name_length = strcspn(row->text.usage, "[:");
        const char parameter = row->text.usage[name_length]; /* '[': may, ':': must */

        if (name_length != length || memcmp(row->text.usage, text, length) != 0)
            continue;
        *shape = (struct kit_shape){.row = i, .parameter = row->normal};
        if (row->key_at == at_conflict)
            return conflict_parse(text + length + (text[length] == ':'), shape);
        if (!text[length])
            return parameter == ':' ? "needs a number, as in sawtooth:100" : NULL;
        if (!parameter)
            return "takes no number";
        if (kit_parse_count(text + length + 1, &shape->parameter))
            return "needs a number after the colon";
        return shape->parameter < row->least ? "needs a number of at least 1" : NULL;
    }
    return "unknown shape";
}

/* No shape's name is like these. */
static int is_parameter(const char *text)
{
    return (*text >= '0' && *text <= '9') ||
           (strncmp(text, "worst", 5) == 0 && (text[5] == ',' || text[5] == '\0'));
}

size_t kit_shape_span(const char *list)
{
    size_t span = strcspn(list, ",");

    while (list[span] == ',' && is_parameter(list + span + 1))
        span += 1 + strcspn(list + span + 1, ",");
    return span;
}

/* Choose `repeat` and `lowest` so that `ranks` values ascend within the type. */
static void spread(struct kit_input *input, uint64_t ranks)
{
    const int bits = 8 * (int)mw_type_size(input->type);
    const int is_signed = input->type == MW_I8 || input->type == MW_I16 ||
                          input->type == MW_I32 || input->type == MW_I64;
    int held = bits; /* 2^held values, counting from `lowest` */

    input->repeat = 1;
    input->lowest = 0;
    if (input->type == MW_F32)
        held = 24;
    else if (input->type == MW_F64)
        held = 53;
    else if (is_signed && (ranks - 1) >> (bits - 1))
        input->lowest = UINT64_C(1) << (bits - 1);
    if (held < 64 && (ranks - 1) >> held)
        input->repeat = ((ranks - 1) >> held) + 1;
}

mw_status kit_input_open(struct kit_input *input, mw_type type, uint64_t count,
                         struct kit_shape shape, uint64_t seed)
{
    const struct row *row;
    uint64_t ranks = count;
    uint64_t shuffle = count;

    *input = (struct kit_input){.type = type, .count = count, .seed = seed};
    if (!mw_type_size(type) || !kit_shape_text(shape.row))
        return MW_BAD_ARGUMENT;
    row = &rows[shape.row];
    if (shape.parameter < row->least)
        return MW_BAD_ARGUMENT;
    input->shape = shape;
    if (row->ranks == PARAMETER)
        ranks = shape.parameter;
    else if (row->ranks == HALF)
        ranks = count / 2 + count % 2;
    spread(input, ranks ? ranks : 1);
    if (row->key_at == at_blocks)
        shuffle = count / shape.parameter;
    if (shuffle > 0)
        shuffle_open(&input->shuffle, shuffle, seed);
    if (row->key_at == at_conflict)
        return conflict_open(input);
    return row->key_at == at_swaps ? swaps_open(input) : MW_OK;
}

void kit_input_close(struct kit_input *input)
{
    free(input->table);
    input->table = NULL;
    free(input->touched);
    input->touched = NULL;
    input->touched_count = 0;
}

void kit_input_fill(const struct kit_input *input, uint64_t first, uint64_t count,
                    void *keys)
{
    key_function *const key_at = rows[input->shape.row].key_at;
    const size_t size = mw_type_size(input->type);
    char *key = keys;

    for (uint64_t i = first; i < first + count; i++, key += size) {
        const uint64_t bits = key_at(input, i);

        memcpy(key, &bits, size); /* files and machines are little-endian */
    }
}

mw_status kit_fill(mw_type type, const char *shape, uint64_t seed, void *keys,
                   uint64_t count)
{
    struct kit_shape parsed;
    struct kit_input input;
    mw_status status;

    if (kit_shape_parse(shape, &parsed))
        return MW_BAD_ARGUMENT;
    status = kit_input_open(&input, type, count, parsed, seed);
    if (status == MW_OK)
        kit_input_fill(&input, 0, count, keys);
    kit_input_close(&input);
    return status;
}
