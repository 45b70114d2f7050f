/*
 * rows_fit.c - what items can hold of rows' codes: see rows.h.
 */
#include "cpu/rows.h"

/* The number of bits of a number. */
static unsigned bits_of(uint64_t number)
{
    unsigned bits = 0;

    while (bits < 64 && number >> bits)
        bits++;
    return bits;
}

void row_sort_fit(struct row_sort *sort, unsigned item_bits, uint64_t most)
{
    const struct request_order *const order = sort->compare.order;
    const unsigned bits = bits_of(sort->count - 1); /* of positions */
    const unsigned span = bits_of(most - sort->least);
    const uint64_t code_bits = comparison_bits(&sort->compare);

    sort->position_mask = (UINT64_C(1) << bits) - 1;
    sort->lead = span ? 64 - span : 63;
    sort->is_complete = order->field_count > 0 && bits < item_bits && code_bits <= 64 &&
                        code_bits <= item_bits - bits + sort->lead;
    /* Codes may agree in all of an item though they differ in a field. */
    sort->covered_fields = sort->is_complete ? order->field_count
                           : sort->least == 0 && !sort->lead
                               ? comparison_covered(&sort->compare, item_bits - bits)
                               : 0;
}
