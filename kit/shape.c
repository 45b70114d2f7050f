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

/* The binary16 of a whole number of at most 2^11. */
static uint64_t half_of(uint64_t value)
{
    uint64_t exponent = 25;

    if (value == 0)
        return 0;
    for (; value < 1024; exponent--)
        value *= 2;
    return value == 2048 ? 26 << 10 : exponent << 10 | (value & 1023);
}

/* The key of a rank, as bits. */
static uint64_t key_of(const struct kit_input *input, uint64_t rank)
{
    const uint64_t value = rank / input->repeat;
    uint64_t bits = input->lowest + value;

    if (input->type == MW_F32 || input->type == MW_BF16) {
        const float number = (float)value;
        uint32_t narrow;

        memcpy(&narrow, &number, sizeof narrow);
        bits = input->type == MW_F32 ? narrow : narrow >> 16;
    } else if (input->type == MW_F16) {
        bits = half_of(value);
    } else if (input->type == MW_F64) {
        const double number = (double)value;

        memcpy(&bits, &number, sizeof bits);
    }
    return bits;
}

static uint64_t permuted(const struct kit_input *input, uint64_t i)
{
    return shuffle_at(&input->shuffle, i);
}

static uint64_t ascending(const struct kit_input *input, uint64_t i)
{
    (void)input;
    return i;
}

static uint64_t descending(const struct kit_input *input, uint64_t i)
{
    return input->count - 1 - i;
}

static uint64_t few(const struct kit_input *input, uint64_t i)
{
    return random_at(input->seed, i) % input->shape.parameter;
}

static uint64_t sawtooth(const struct kit_input *input, uint64_t i)
{
    return i % input->shape.parameter;
}

static uint64_t organ(const struct kit_input *input, uint64_t i)
{
    const uint64_t from_end = input->count - 1 - i;

    return i < from_end ? i : from_end;
}

static uint64_t blocks(const struct kit_input *input, uint64_t i)
{
    const uint64_t size = input->shape.parameter;
    const uint64_t block = i / size;

    if (block >= input->count / size) /* the short block stays at the end */
        return i;
    return shuffle_at(&input->shuffle, block) * size + i % size;
}

static mw_status blocks_open(struct kit_input *input)
{
    const uint64_t whole = input->count / input->shape.parameter;

    if (whole > 0)
        shuffle_open(&input->shuffle, whole, input->seed);
    return MW_OK;
}

static uint64_t interleaved(const struct kit_input *input, uint64_t i)
{
    const uint64_t sequences = input->shape.parameter;
    const uint64_t longer = input->count % sequences; /* sequences with one key more */
    const uint64_t own = i % sequences;
    const uint64_t before = own < longer ? own : longer;

    return own * (input->count / sequences) + before + i / sequences;
}

/* A shape puts ranks in some order, or makes each key of random bits. */
static const struct row {
    struct kit_shape_text text;
    uint64_t (*rank_at)(const struct kit_input *input, uint64_t i);
    uint64_t (*key_of)(mw_type type, uint64_t random);
    enum { COUNT, PARAMETER, HALF, ONE } ranks; /* how many; ONE: one random number */
    uint64_t least;                             /* parameter */
    uint64_t normal;                            /* parameter if none is given */
    mw_status (*open)(struct kit_input *input); /* may be NULL */
} rows[] = {
  /* clang-format off */
    {{"random", "any number of the type; floats finite, of every magnitude"},
     .key_of = special_number},
    {{"permutation", "0 to count - 1 in random order"}, .rank_at = permuted},
    {{"sorted", "0 to count - 1, ascending"}, .rank_at = ascending},
    {{"reversed", "the same, descending"}, .rank_at = descending},
    {{"equal", "one value, chosen by the seed, everywhere"},
     .key_of = special_number, .ranks = ONE},
    {{"few[:n]", "n different values at random (16)"},
     .rank_at = few, .ranks = PARAMETER, .least = 1, .normal = 16},
    {{"swaps:s", "sorted, then s swaps of two random keys"},
     .rank_at = swaps_at, .open = swaps_open},
    {{"sawtooth:p", "position modulo p"},
     .rank_at = sawtooth, .ranks = PARAMETER, .least = 1},
    {{"organ", "organ pipes: up to the middle, down to the end"},
     .rank_at = organ, .ranks = HALF},
    {{"blocks[:b]", "sorted, cut into blocks of b keys, the blocks shuffled (1024)"},
     .rank_at = blocks, .least = 1, .normal = 1024, .open = blocks_open},
    {{"interleaved[:k]", "sorted, cut into k sequences, dealt out in turn (16)"},
     .rank_at = interleaved, .least = 1, .normal = 16},
    {{"conflict:E,T[,worst]", "hard on a pairwise mergesort of T threads, E keys each"},
     .rank_at = conflict_at, .least = 1, .open = conflict_open},
    {{"extremes", "the least and the greatest value, 0, 1 and -1, mixed"},
     .key_of = special_extreme},
    {{"specials", "floats: NaNs, infinities, zeros, denormals; integers: extremes"},
     .key_of = special_float},
  /* clang-format on */
};

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
        if (row->open == conflict_open)
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
    else if (input->type == MW_F16)
        held = 11;
    else if (input->type == MW_BF16)
        held = 8;
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
    if (count > 0)
        shuffle_open(&input->shuffle, count, seed);
    return row->open ? row->open(input) : MW_OK;
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
    const struct row *const row = &rows[input->shape.row];
    const size_t size = mw_type_size(input->type);
    char *key = keys;

    for (uint64_t i = first; i < first + count; i++, key += size) {
        const uint64_t bits =
            row->rank_at ? key_of(input, row->rank_at(input, i))
                         : row->key_of(input->type,
                                       random_at(input->seed, row->ranks == ONE ? 0 : i));

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
