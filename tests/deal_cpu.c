/*
 * deal_cpu.c - arrays that the CPU deals out to buckets: rows of all sizes of images beside
 * an argsort, which does not deal, keys on many threads, and positions by short numbers.
 */
#include "kit.h"

#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 3,
    ROWS = 600011,
    LONG_ROWS = 262147, /* of 97 bytes and more */
    MANY_ROWS = 1000003,
    KEYS = (1 << 24) + 5
};

/* Elements begin with a number of `type`; columns of no bytes do not exist. */
static const struct layout {
    mw_type type;
    uint32_t element_bytes;
    uint32_t columns[COLUMNS];
    uint32_t flags;
    mw_direction direction;
    const char *shape;
    uint64_t count;
} layouts[] = {
    {MW_U32, 4,   {4},          0,              MW_ASCENDING,  "random",        ROWS     },
    {MW_U32, 4,   {4},          0,              MW_DESCENDING, "sawtooth:1000", ROWS     },
    {MW_I32, 4,   {4},          0,              MW_ASCENDING,  "few:7",         MANY_ROWS},
    {MW_I32, 4,   {4},          0,              MW_ASCENDING,  "few:2",         ROWS     },
    {MW_U64, 8,   {8},          0,              MW_ASCENDING,  "random",        ROWS     },
    {MW_I64, 8,   {8},          0,              MW_DESCENDING, "organ",         ROWS     },
    {MW_F64, 16,  {0},          0,              MW_ASCENDING,  "random",        ROWS     },
    {MW_F32, 4,   {4},          MW_ZEROS_EQUAL, MW_DESCENDING, "specials",      ROWS     },
    {MW_F32, 4,   {8},          0,              MW_ASCENDING,  "random",        ROWS     },
    {MW_I16, 2,   {2},          0,              MW_ASCENDING,  "random",        ROWS     },
    {MW_U64, 11,  {7, 1, 9},    0,              MW_DESCENDING, "random",        ROWS     },
    {MW_U64, 17,  {0},          0,              MW_ASCENDING,  "random",        ROWS     },
    {MW_U32, 24,  {0},          0,              MW_DESCENDING, "sawtooth:1000", ROWS     },
    {MW_F32, 4,   {29},         0,              MW_ASCENDING,  "specials",      ROWS     },
    {MW_I64, 64,  {0},          0,              MW_ASCENDING,  "few:7",         ROWS     },
    {MW_U64, 100, {0},          0,              MW_ASCENDING,  "random",        LONG_ROWS},
    {MW_U64, 100, {0},          0,              MW_ASCENDING,  "few:2",         LONG_ROWS},
    {MW_I32, 28,  {100},        0,              MW_DESCENDING, "organ",         LONG_ROWS},
    {MW_I32, 129, {0},          0,              MW_ASCENDING,  "random",        LONG_ROWS},
    {MW_F64, 90,  {65, 1, 100}, 0,              MW_DESCENDING, "random",        LONG_ROWS},
    {MW_F64, 90,  {65, 1, 101}, 0,              MW_DESCENDING, "random",        LONG_ROWS},
};

/* A row's bytes tell its number. */
static unsigned char byte_of(uint64_t row, uint32_t column, uint32_t i)
{
    return (unsigned char)((row >> 8 * (i % 4)) * 3 + column + i / 4);
}

static void fill(const struct layout *l, uint32_t column, uint32_t bytes,
                 unsigned char *values)
{
    const size_t size = mw_type_size(l->type);
    unsigned char *const keys = malloc(l->count * size);

    for (uint64_t row = 0; row < l->count; row++)
        for (uint32_t i = 0; i < bytes; i++)
            values[row * bytes + i] = byte_of(row, column, i);
    if (column == 0 && keys && kit_fill(l->type, l->shape, 1, keys, l->count) == MW_OK)
        for (uint64_t row = 0; row < l->count; row++)
            memcpy(values + row * bytes, keys + row * size, size);
    free(keys);
}

/* Are values sorted as the positions say? */
static int is_moved(const unsigned char *from, const unsigned char *to, uint32_t bytes,
                    const uint32_t *positions, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (memcmp(to + i * bytes, from + (size_t)positions[i] * bytes, bytes) != 0)
            return 0;
    return 1;
}

static int try_rows(mw_context *context, const struct layout *l)
{
    const mw_field field = {.type = l->type, .direction = l->direction, .flags = l->flags};
    mw_order order = MW_ORDER_INIT;
    mw_column columns[2][1 + COLUMNS];
    uint32_t *const positions = malloc(l->count * sizeof *positions);
    mw_column no_columns[COLUMNS] = {{0}};
    mw_table tables[2];
    mw_table nowhere;
    mw_job job = MW_JOB_INIT;
    uint32_t used = 1;
    int right = positions != NULL;

    order.element_bytes = l->element_bytes;
    order.fields = &field;
    order.field_count = 1;
    while (used <= COLUMNS && l->columns[used - 1])
        used++;
    for (uint32_t c = 0; c < used; c++) {
        const uint32_t bytes = c ? l->columns[c - 1] : l->element_bytes;

        for (int i = 0; i < 2; i++) {
            columns[i][c] = (mw_column){malloc(l->count * bytes), bytes};
            right &= columns[i][c].data != NULL;
        }
        if (right)
            fill(l, c, bytes, columns[0][c].data);
    }
    for (int i = 0; i < 2; i++)
        tables[i] = (mw_table){columns[i][0].data, l->count, columns[i] + 1, used - 1};
    for (uint32_t c = 1; c < used; c++)
        no_columns[c - 1].bytes = columns[0][c].bytes;
    nowhere = (mw_table){NULL, l->count, no_columns, used - 1};
    job.order = &order;
    job.in = &tables[0];
    job.out = &tables[1];
    right = right && mw_run(context, &job) == MW_OK;
    job.out = &nowhere;
    job.positions = positions;
    job.position_type = MW_U32;
    right = right && mw_run(context, &job) == MW_OK;
    for (uint32_t c = 0; c < used; c++) {
        right = right && is_moved(columns[0][c].data, columns[1][c].data,
                                  columns[0][c].bytes, positions, l->count);
        free(columns[0][c].data);
        free(columns[1][c].data);
    }
    free(positions);
    return right;
}

/* Every `crowded`-th key, if that is not 0, has the upper half of the first one. */
static const struct key_case {
    const char *name;
    const char *device;
    mw_type type;
    mw_direction direction;
    const char *shape;
    uint64_t crowded;
} key_cases[] = {
    {"i32",               "cpu:8",  MW_I32, MW_DESCENDING, "random",   0 },
    {"f64",               "cpu:8",  MW_F64, MW_ASCENDING,  "random",   0 },
    {"f32, 16 threads",   "cpu:16", MW_F32, MW_DESCENDING, "random",   0 },
    {"3000 values",       "cpu:16", MW_I64, MW_ASCENDING,  "few:3000", 0 },
    {"a long bucket",     "cpu:8",  MW_U32, MW_ASCENDING,  "random",   20},
    {"a long bucket",     "cpu:8",  MW_U64, MW_DESCENDING, "random",   20},
    {"too long a bucket", "cpu:8",  MW_U32, MW_ASCENDING,  "random",   8 },
};

static int try_keys(const struct key_case *c)
{
    const size_t size = mw_type_size(c->type);
    unsigned char *const keys = malloc(KEYS * size);
    struct kit_fingerprint was = {0}, is = {0};
    mw_context *context = NULL;
    int right = keys && kit_fill(c->type, c->shape, 3, keys, KEYS) == MW_OK &&
                mw_open(&context, c->device, NULL) == MW_OK;

    for (uint64_t i = c->crowded; c->crowded && right && i < KEYS; i += c->crowded)
        memcpy(keys + i * size + size / 2, keys + size / 2, size / 2);
    if (right) {
        kit_fingerprint_add(&was, c->type, keys, KEYS);
        right = mw_sort(context, c->type, c->direction, keys, KEYS) == MW_OK;
        kit_fingerprint_add(&is, c->type, keys, KEYS);
        right = right && kit_fingerprint_equal(was, is) &&
                kit_first_disorder(c->type, c->direction, keys, KEYS) == KEYS;
    }
    mw_close(context);
    free(keys);
    return right;
}

/* Positions by numbers of 2 bytes, more than fit the caches, from the second element on. */
static int try_positions(mw_context *context, uint64_t count, mw_type position_type)
{
    const size_t bytes = mw_type_size(position_type);
    uint16_t *const keys = malloc(count * sizeof *keys);
    unsigned char *const all = malloc((count + 1) * bytes);
    uint64_t before = 0;
    int right = keys && all && kit_fill(MW_U16, "random", 4, keys, count) == MW_OK &&
                mw_argsort(context, MW_U16, MW_ASCENDING, keys, all + bytes, position_type,
                           count) == MW_OK;

    /* All are there if no two are the same. */
    for (uint64_t i = 0; i < count && right; i++) {
        uint64_t at = 0;

        memcpy(&at, all + (i + 1) * bytes, bytes);
        right = at < count && (i == 0 || keys[before] < keys[at] ||
                               (keys[before] == keys[at] && before < at));
        before = at;
    }
    free(all);
    free(keys);
    return right;
}

int main(void)
{
    static const char *const devices[] = {"cpu:1", "cpu:8"};
    struct tap tap = {0, 0};

    for (int d = 0; d < 2; d++) {
        mw_context *context;

        if (mw_open(&context, devices[d], NULL) != MW_OK)
            return 1;
        for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
            tap_case(&tap, try_rows(context, &layouts[i]), "%s: rows %zu, %s", devices[d],
                     i, layouts[i].shape);
        tap_case(&tap, try_positions(context, (1 << 22) + 5, MW_I64), "i64 positions");
        tap_case(&tap, try_positions(context, KEYS, MW_U32), "u32 positions");
        mw_close(context);
    }
    for (size_t i = 0; i < sizeof key_cases / sizeof key_cases[0]; i++)
        tap_case(&tap, try_keys(&key_cases[i]), "keys %zu: %s", i, key_cases[i].name);
    return tap_end(&tap);
}
