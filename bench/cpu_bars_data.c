/*
 * cpu_bars_data.c - inputs of multiway-cpu-bars, and whether results are right.
 */
#include "cpu_bars.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNED = 1 << 21 };

static void *room(uint64_t bytes)
{
    void *const made = aligned_alloc(ALIGNED, (bytes / ALIGNED + 1) * ALIGNED);

    if (!made)
        exit(2);
    memset(made, 0, bytes); /* touched before the clock runs */
    return made;
}

/* ---- Data -------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* Keys of the kit's shapes, or two of our own. */
static int fill_keys(mw_type type, const char *shape, uint64_t seed, void *keys,
                     uint64_t count)
{
    const int is_zipf = strcmp(shape, "zipf") == 0;

    if (strcmp(shape, "tail") == 0) { /* sorted, but for the last tenth */
        const uint64_t sorted = count - count / 10;

        return kit_fill(type, "sorted", seed, keys, sorted) == MW_OK &&
               kit_fill(type, "random", seed,
                        (unsigned char *)keys + sorted * mw_type_size(type),
                        count - sorted) == MW_OK;
    }
    if (!is_zipf)
        return kit_fill(type, shape, seed, keys, count) == MW_OK;
    for (uint64_t i = 0; i < count; i++) { /* rank r with a probability of about 1 / r */
        const double chance = (double)(mixed(seed * count + i + 1) >> 11) * 0x1p-53;
        const uint64_t value = mixed((uint64_t)exp(chance * log(1 << 20)));

        if (mw_type_size(type) == 4)
            ((uint32_t *)keys)[i] = (uint32_t)(value >> 34);
        else
            ((uint64_t *)keys)[i] = value >> 2;
    }
    return 1;
}

/* Records: the key first, in pairs of rivals last, and the position in the rest. */
static void spread_keys(const struct bench *b, const unsigned char *keys)
{
    const size_t size = mw_type_size(b->task->type);
    const size_t bytes = b->task->bytes;

    for (uint64_t i = 0; i < b->count; i++) {
        unsigned char *const to = b->input + i * bytes;

        if (b->task->kind == PAIRS) {
            memcpy(to, &i, size);
            memcpy(to + size, keys + i * size, size);
            memcpy(b->columns[0] + i * size, keys + i * size, size);
            memcpy(b->columns[1] + i * size, &i, size);
        } else {
            memcpy(to, keys + i * size, size);
            memcpy(to + bytes - 4, &i, 4);
        }
    }
}

int bench_prepare(struct bench *b)
{
    const struct task *const t = b->task;
    const size_t size = mw_type_size(t->type);
    const uint64_t all = b->inputs * b->count;
    unsigned char *const keys = t->bytes == size ? NULL : room(b->count * size);
    int is_right = 1;

    b->input = room(all * t->bytes);
    b->data = room(all * t->bytes);
    b->out = room(all * 8);
    b->columns[0] = room(2 * b->count * size);
    b->columns[1] = room(2 * b->count * size);
    for (uint64_t i = 0; i < b->inputs && !keys; i++)
        is_right &=
            fill_keys(t->type, b->shape, 1 + i, b->input + i * b->count * size, b->count);
    if (keys) {
        is_right = fill_keys(t->type, b->shape, 1, keys, b->count);
        spread_keys(b, keys);
        free(keys);
    }
    for (uint64_t i = 0; t->kind == MERGE && is_right && i < LISTS; i++) {
        mw_context *context;

        is_right =
            mw_open(&context, "cpu:1", NULL) == MW_OK &&
            mw_sort(context, t->type, MW_ASCENDING,
                    b->input + i * (b->count / LISTS) * size, b->count / LISTS) == MW_OK;
        mw_close(context);
    }
    return is_right;
}

/* ---- Results --------------------------------------------------------------------------
 */

/* Row `i` of a result: its key, and its position in the input if it has one. */
static const unsigned char *result_at(const struct bench *b, int is_ours, uint64_t i,
                                      uint64_t *position)
{
    const struct task *const t = b->task;
    const size_t size = mw_type_size(t->type);

    *position = 0;
    switch (t->kind) {
    case ARGSORT:
        memcpy(position, b->out + i * 8, 8);
        return b->input + *position * size;
    case PAIRS:
        memcpy(position,
               is_ours ? b->columns[1] + (b->count + i) * size : b->data + i * t->bytes,
               size);
        return is_ours ? b->columns[0] + (b->count + i) * size
                       : b->data + i * t->bytes + size;
    case RECORDS:
        memcpy(position, b->data + (i + 1) * t->bytes - 4, 4);
        return b->data + i * t->bytes;
    case MERGE:
        return b->out + i * size;
    case TOP:
        return (is_ours ? b->out : b->data) + i * size;
    default:
        return b->data + i * size;
    }
}

/* As `<` compares, by which rivals sort floats: it knows no order of zeros. */
static int compare_numbers(mw_type type, const void *a, const void *b)
{
    double x, y;

    if (type != MW_F32 && type != MW_F64)
        return kit_compare(type, MW_ASCENDING, a, b);
    if (type == MW_F32) {
        x = *(const float *)a;
        y = *(const float *)b;
    } else {
        x = *(const double *)a;
        y = *(const double *)b;
    }
    return (x > y) - (x < y);
}

/* Minima of vectors may turn a zero's sign: of rivals, all zeros are one number. */
static void add_print(struct kit_fingerprint *print, mw_type type,
                      const unsigned char *keys, uint64_t count, int is_ours)
{
    static const double zero = 0;
    const size_t size = mw_type_size(type);

    if (is_ours || (type != MW_F32 && type != MW_F64)) {
        kit_fingerprint_add(print, type, keys, count);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *const at = keys + i * size;
        const int is_zero = type == MW_F32 ? *(const float *)(const void *)at == 0
                                           : *(const double *)(const void *)at == 0;

        kit_fingerprint_add(print, type, is_zero ? (const void *)&zero : at, 1);
    }
}

/* In order, every position once; ours in their order where keys are equal. */
int bench_is_right(const struct bench *b, int is_ours)
{
    const struct task *const t = b->task;
    const int has_positions = t->kind == ARGSORT || t->kind == PAIRS || t->kind == RECORDS;
    const uint64_t rows = t->kind == TOP ? SELECTED : b->count;
    uint64_t sum = 0;
    uint64_t before;
    int right = 1;

    for (uint64_t i = 0; i < rows; i++) {
        uint64_t position;
        const unsigned char *const row = result_at(b, is_ours, i, &position);
        const unsigned char *const last = i ? result_at(b, is_ours, i - 1, &before) : row;
        int order;

        if (t->bytes == 100)
            order = memcmp(last, row, 10);
        else if (is_ours)
            order = kit_compare(t->type, MW_ASCENDING, last, row);
        else
            order = compare_numbers(t->type, last, row);
        right &= order <= 0;
        right &= !(i && has_positions && is_ours && order == 0 && position <= before);
        sum += mixed(position + 1) - mixed(i + 1);
    }
    if (has_positions)
        return right && sum == 0;

    struct kit_fingerprint was = {0, 0}, is = {0, 0};

    add_print(&was, t->type, b->input, b->count, is_ours);
    add_print(&is, t->type, t->kind == MERGE ? b->out : b->data, b->count, is_ours);
    return right && (t->kind == TOP || kit_fingerprint_equal(was, is));
}
