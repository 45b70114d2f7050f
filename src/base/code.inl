/*
 * code.inl - keys as unsigned numbers of the same width and the same order.
 *
 * Included after field.inl where `key` is an unsigned integer type of KEY_BITS bits
 * and CODE_FUNCTION says how to declare a function: by every kernel prelude, and
 * once per width by the CPU's inner loops. Written in the common part of C11
 * and CUDA C, so that all devices share one definition of the order.
 *
 * Integers need one exclusive-or: with the sign bit if they are signed, with
 * all ones if they descend, with both if both. Floats are first ranked:
 *
 *   bit patterns                 meaning            rank
 *   sign set, up to -infinity    negative numbers   0 ... , -infinity first
 *   sign clear                   numbers, NaNs      directly after them
 *   sign set, above -infinity    NaNs               themselves, at the very end
 *
 * which is a bijection, so it can be undone and loses no NaN's payload. There are two
 * kinds of floats of 16 bits: `is_float` of theirs is the bits of -infinity.
 */

/* The bits of -infinity: sign and exponent set, fraction clear. */
CODE_FUNCTION key code_lowest(int is_float)
{
#if KEY_BITS == 64
    return (void)is_float, (key)0xfff0000000000000ull;
#elif KEY_BITS == 32
    return (void)is_float, (key)0xff800000u;
#else
    return (key)is_float;
#endif
}

/* How many ranks the negative numbers take, both -0 and -infinity included. */
CODE_FUNCTION key code_negatives(int is_float)
{
#if KEY_BITS == 64
    return (void)is_float, (key)0x7ff0000000000001ull;
#elif KEY_BITS == 32
    return (void)is_float, (key)0x7f800001u;
#else
    return (key)((is_float & 0x7fff) + 1);
#endif
}

/* From the caller's bits to the unsigned number that sorts like them. */
CODE_FUNCTION key code_enter(key bits, int is_float, key flip)
{
    const int negative = (int)(bits >> (KEY_BITS - 1));
    const key rank =
        (key)(negative ? code_lowest(is_float) - bits : bits + code_negatives(is_float));

    return (key)((is_float && bits <= code_lowest(is_float) ? rank : bits) ^ flip);
}

/* And back. */
CODE_FUNCTION key code_leave(key code, int is_float, key flip)
{
    const key rank = (key)(code ^ flip);
    const int negative = rank < code_negatives(is_float);
    const key bits =
        (key)(negative ? code_lowest(is_float) - rank : rank - code_negatives(is_float));

    return is_float && rank <= code_lowest(is_float) ? bits : rank;
}

/*
 * The code of a field that is all of a key, with the flags of the field: what
 * field_code_of of field.inl makes of the same bits. Equal keys get one code, so it cannot
 * be undone.
 */
CODE_FUNCTION key code_enter_field(key bits, const struct field_code *f)
{
    const int is_float = KEY_BITS == 16 ? (int)f->lowest : f->lowest != 0;
    const key code = (key)(code_enter(bits, is_float, (key)f->flip) - (key)f->rotate);
    const key joined = (key)(code + (f->zero != 0 && code == (key)f->zero));
    const key least = joined < (key)f->low ? (key)f->low : joined;

    return least > (key)f->high ? (key)f->high : least;
}

/*
 * The same for floats of 32 and 64 bits in fewer steps, but for the NaNs with the sign set.
 * All other bits, folded so that negative numbers ascend, are one addition away from their
 * ranks. These NaNs come after all others, as they should, but in reverse order: NaN
 * -infinity + j gets the code of a rank of -j, where its own is -infinity + j. One
 * subtraction mends that, or undoes it. So where codes are sorted, a look at both ends
 * tells whether any must be mended: see tile_code.cuh.
 *
 *   code_enter(bits, 1, flip) == code_mend(code_enter_most(bits, flip), flip)
 *   code_leave(code, 1, flip) == code_leave_most(code_mend(code, flip), flip)
 *
 * where flip is 0 or all ones.
 */

/* Turn the fractions and exponents of negative numbers; its own reverse. */
CODE_FUNCTION key code_fold(key bits)
{
    const unsigned negative = bits >> (KEY_BITS - 1) ? ~0u : 0u;

#if KEY_BITS == 64 /* made for machines of 32 bits: the same word serves both halves */
    return bits ^ ((key)(negative & 0x7fffffffu) << 32 | negative);
#else
    return (key)(bits ^ (negative & (key) ~(key)0 >> 1));
#endif
}

CODE_FUNCTION key code_enter_most(key bits, key flip)
{
    return (key)((code_fold(bits) + code_negatives(1)) ^ flip);
}

CODE_FUNCTION key code_leave_most(key code, key flip)
{
    return code_fold((key)((code ^ flip) - code_negatives(1)));
}

/* Does it stand for a NaN with the sign set? The same before mending and after. */
CODE_FUNCTION int code_to_mend(key code, key flip)
{
    return (key)(code ^ flip) > code_lowest(1);
}

/* Its own reverse, too. */
CODE_FUNCTION key code_mend(key code, key flip)
{
    const key mended = (key)((code_lowest(1) - (code ^ flip)) ^ flip);

    return code_to_mend(code, flip) ? mended : code;
}
