/*
 * field.inl - one field of an order as an unsigned number: its code.
 *
 * Included where FIELD_FUNCTION says how to declare a function: by the kernels of jobs
 * that carry values, and by the CPU. Written in the common part of C11 and CUDA C, so
 * that all devices share one definition of the order. code.inl does the same for bare
 * keys, in fewer steps and reversibly.
 *
 * Bits become a rank as in code.inl; a descending field has its rank flipped. Then come
 * what the flags of a field ask for:
 *
 *   rotate      codes are moved down, modulo 2^bits: those below `rotate` come to the end
 *               (NaNs of a descending field, or the least integer)
 *   low, high   codes outside are moved to the nearest inside: NaNs become ties
 *   zero        that code, of the lesser zero, is moved up by one: zeros become ties
 */
#ifndef MW_FIELD_INL
#define MW_FIELD_INL

typedef unsigned long long field_bits;

struct field_code {
    field_bits flip;
    field_bits lowest; /* floats: the bits of -infinity; 0: not a float */
    field_bits mask;   /* all bits of the field */
    field_bits rotate;
    field_bits low, high;
    field_bits zero; /* 0: none; code 0 is no zero's */
};

FIELD_FUNCTION field_bits field_code_of(field_bits bits, const struct field_code *f)
{
    const field_bits sign = f->mask ^ f->mask >> 1;
    const field_bits negatives = (f->lowest & ~sign) + 1;
    field_bits code = bits;

    if (f->lowest && bits <= f->lowest)
        code = bits & sign ? f->lowest - bits : bits + negatives;
    code = ((code ^ f->flip) - f->rotate) & f->mask;
    if (f->zero && code == f->zero)
        code++;
    return code < f->low ? f->low : code > f->high ? f->high : code;
}

#endif
