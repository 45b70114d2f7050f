/*
 * check_rows.cu - the first row that comes before the row ahead of it, by an order of
 * fields. check_rows finds it for each block, check_last for all.
 */
#include "check_least.cuh"
#include "field_bits.cuh"

enum { check_rows_blocks = 4, check_last_blocks = 1 };

/* Compare `bytes` bytes, as memcmp does. */
DEVICE int compare_strings(const char *a, const char *b, int bytes)
{
    NO_UNROLL
    for (int i = 0; i < bytes; i++) {
        const int x = LOAD_AS(BULK, (const byte_cell *)(a + i));
        const int y = LOAD_AS(BULK, (const byte_cell *)(b + i));

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* Compare two values of a field: negative, 0 or positive. */
DEVICE int compare_fields(const struct code_part *field, const char *x, const char *y)
{
    if (field->is_string) {
        const int order = compare_strings(x, y, field->bytes);

        return field->code.flip ? -order : order;
    }

    const wide k = field_code_of(load_bits(x, field->bytes, 0), &field->code);
    const wide l = field_code_of(load_bits(y, field->bytes, 0), &field->code);

    return k < l ? -1 : k > l;
}

DEVICE int compare_rows(const struct check_rows_args *args, wide a, wide b)
{
    NO_UNROLL
    for (int i = 0; i < args->field_count; i++) {
        const struct code_part *const field = &args->field[i];
        const int order = compare_fields(field, (const char *)field->at + a * field->pitch,
                                         (const char *)field->at + b * field->pitch);

        if (order)
            return order;
    }
    return 0;
}

DEVICE wide row_number(const struct check_rows_args *args, wide i)
{
    return args->order ? LOAD((const unsigned_cell *)args->order + i) : i;
}

/* May row i + 1 come before row i? Their codes are in order. */
DEVICE int is_open(const struct check_rows_args *args, wide i)
{
    const wide_cell *const codes = (const wide_cell *)args->codes + i;

    return !args->codes || LOAD_AS(BULK, codes) == LOAD_AS(BULK, codes + 1);
}

/* Each block checks CHECK_ROWS neighbours. */
KERNEL(check_rows, struct check_rows_args)
{
    SHARED(struct check_shared, sm);
    const wide first = (wide)BLOCK * CHECK_ROWS + THREAD;
    wide least = args.count;

    NO_UNROLL
    for (int j = 0; j < CHECK_ROWS / CHECK_THREADS; j++) {
        const wide i = first + j * CHECK_THREADS;

        if (i + 1 < args.count && i + 1 < least && is_open(&args, i) &&
            compare_rows(&args, row_number(&args, i), row_number(&args, i + 1)) > 0)
            least = i + 1;
    }
    least = least_of_block(sm, least);
    if (THREAD == 0)
        STORE((wide_cell *)args.least + BLOCK, least);
}

/* One block. */
KERNEL(check_last, struct check_last_args)
{
    SHARED(struct check_shared, sm);
    wide least = args.count;

    for (wide i = THREAD; i < args.blocks; i += CHECK_THREADS) {
        const wide other = LOAD((const wide_cell *)args.least + i);

        least = other < least ? other : least;
    }
    least = least_of_block(sm, least);
    if (THREAD == 0 && args.result)
        STORE((wide_cell *)args.result, least);
    if (THREAD == 0 && args.wrong)
        STORE((unsigned_cell *)args.wrong, least < args.count);
}
