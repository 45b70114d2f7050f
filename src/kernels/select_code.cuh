/*
 * select_code.cuh - codes of one width for selecting: included once for each SELECT_CODE,
 * an unsigned number of SELECT_BITS bits.
 */

#define SELECT_JOIN(code, name) code##_##name
#define SELECT_JOIN_OF(code, name) SELECT_JOIN(code, name)
#define SELECT_NAME(name) SELECT_JOIN_OF(SELECT_CODE, name)

enum {
    SELECT_NAME(each) = SELECT_BYTES / (SELECT_BITS / 8), /* codes of a thread ... */
    SELECT_NAME(pack) = 16 / (SELECT_BITS / 8)            /* ... and of one load */
};

/* code.inl for this width. */
#undef KEY_BITS
#define KEY_BITS SELECT_BITS
#define key SELECT_CODE
#define code_lowest SELECT_NAME(code_lowest)
#define code_negatives SELECT_NAME(code_negatives)
#define code_enter SELECT_NAME(code_enter)
#define code_enter_field SELECT_NAME(code_enter_field)
#define code_leave SELECT_NAME(code_leave)
#define code_fold SELECT_NAME(code_fold)
#define code_enter_most SELECT_NAME(code_enter_most)
#define code_leave_most SELECT_NAME(code_leave_most)
#define code_to_mend SELECT_NAME(code_to_mend)
#define code_mend SELECT_NAME(code_mend)
#define CODE_FUNCTION DEVICE
#include "code.inl"
#undef CODE_FUNCTION
#undef KEY_BITS
#define KEY_BITS 0

DEVICE SELECT_CODE SELECT_NAME(enter)(SELECT_CODE bits, const struct key_code *code)
{
    return code->is_float ? code_enter(bits, 1, (SELECT_CODE)code->flip)
                          : bits ^ (SELECT_CODE)code->flip;
}

/* And back. */
DEVICE SELECT_CODE SELECT_NAME(leave)(SELECT_CODE code, const struct key_code *enter)
{
    return code_leave(code, enter->is_float, (SELECT_CODE)enter->flip);
}

/* Turn the `count` keys at `code` into codes. The rule is chosen once for all of them. */
DEVICE void SELECT_NAME(encode)(const struct select_view *view, SELECT_CODE *code,
                                const int count)
{
    if (view->has_rule) {
        UNROLL
        for (int i = 0; i < count; i++)
            code[i] = code_enter_field(code[i], view->rule);
    } else if (view->enter.is_float) {
        UNROLL
        for (int i = 0; i < count; i++)
            code[i] = code_enter(code[i], 1, (SELECT_CODE)view->enter.flip);
    } else {
        UNROLL
        for (int i = 0; i < count; i++)
            code[i] ^= (SELECT_CODE)view->enter.flip;
    }
}

#undef key
#undef code_lowest
#undef code_negatives
#undef code_enter
#undef code_enter_field
#undef code_leave
#undef code_fold
#undef code_enter_most
#undef code_leave_most
#undef code_to_mend
#undef code_mend

/* The key of one row, if codes are not made of parts; and the code, however it is made. */
DEVICE SELECT_CODE SELECT_NAME(bits_of)(const struct select_view *view, wide row)
{
    return LOAD_AS(BULK, (const SELECT_NAME(cell) *)(view->keys + row * (wide)view->pitch));
}

DEVICE SELECT_CODE SELECT_NAME(code_of)(const struct select_view *view, wide row)
{
    SELECT_CODE code;

    if (view->parts)
        return (SELECT_CODE)bits_of_parts(view->parts, row);
    code = SELECT_NAME(bits_of)(view, row);
    SELECT_NAME(encode)(view, &code, 1);
    return code;
}

/* Where I begin in a tile. */
DEVICE wide SELECT_NAME(begin)(unsigned tile)
{
    enum { PART = WARP * SELECT_NAME(each) };

    return (wide)tile * (wide)(THREADS * SELECT_NAME(each)) +
           (wide)(THREAD / WARP * PART + LANE * SELECT_NAME(pack));
}

/* How far my code `i` of a tile is from my first. */
DEVICE wide SELECT_NAME(offset)(int i)
{
    enum { PACK = SELECT_NAME(pack) };

    return (wide)(i / PACK * PACK * WARP + i % PACK);
}

/* Where the pack at place `begin` lies, which is the first of one. */
DEVICE const quad_cell *SELECT_NAME(pack_at)(const struct select_view *view, wide begin)
{
    const char *const base = view->keys - view->lead * sizeof(SELECT_CODE); /* aligned */

    return (const quad_cell *)base + begin / SELECT_NAME(pack);
}

/* Load my codes of `tiles` full tiles of a warp, `pack` neighbours at a time. */
DEVICE void SELECT_NAME(load_tiles)(SELECT_CODE *code, const struct select_view *view,
                                    const quad_cell *mine, const int tiles)
{
    enum { LOADS = SELECT_NAME(each) / SELECT_NAME(pack) };
    quad bits[2 * LOADS];

    UNROLL
    for (int i = 0; i < tiles * LOADS; i++)
        bits[i] = LOAD_AS(BULK, mine + i * WARP);
    UNROLL
    for (int i = 0; i < tiles * LOADS; i++) {
#if SELECT_BITS == 32
        code[4 * i] = (unsigned)bits[i].low;
        code[4 * i + 1] = (unsigned)(bits[i].low >> 32);
        code[4 * i + 2] = (unsigned)bits[i].high;
        code[4 * i + 3] = (unsigned)(bits[i].high >> 32);
#else
        code[2 * i] = bits[i].low;
        code[2 * i + 1] = bits[i].high;
#endif
    }
    SELECT_NAME(encode)(view, code, tiles * SELECT_NAME(each));
}

/* Load my codes of a full tile from an array. */
DEVICE void SELECT_NAME(load_full)(SELECT_CODE *code, const struct select_view *view,
                                   const quad_cell *mine)
{
    SELECT_NAME(load_tiles)(code, view, mine, 1);
}

/* The least of my codes of two full tiles of a warp. */
DEVICE SELECT_CODE SELECT_NAME(least_of_two)(const struct select_view *view, wide begin)
{
    SELECT_CODE code[2 * SELECT_NAME(each)];
    SELECT_CODE least = (SELECT_CODE) ~(SELECT_CODE)0;

    SELECT_NAME(load_tiles)(code, view, SELECT_NAME(pack_at)(view, begin), 2);
    UNROLL
    for (int i = 0; i < 2 * SELECT_NAME(each); i++)
        least = code[i] < least ? code[i] : least;
    return least;
}

/*
 * Load my codes of the tile of places [first, last), from place `begin` on; places are
 * counted from where the first tile begins. Codes without a row are all ones; returns bit i
 * for each code i that has one.
 */
DEVICE unsigned SELECT_NAME(load)(SELECT_CODE *code, const struct select_view *view,
                                  wide first, wide last, wide begin)
{
    unsigned has = 0;

    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++)
        code[i] = 0;

    if (view->is_dense && first >= view->lead && last <= (wide)view->lead + view->count) {
        SELECT_NAME(load_full)(code, view, SELECT_NAME(pack_at)(view, begin));
        return (1u << SELECT_NAME(each)) - 1;
    }
    UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++)
        has |= (unsigned)is_row(view, begin + SELECT_NAME(offset)(i)) << i;
    if (!view->parts) {
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++)
            code[i] = has >> i & 1 ? SELECT_NAME(bits_of)(
                                         view, begin + SELECT_NAME(offset)(i) - view->lead)
                                   : 0;
        SELECT_NAME(encode)(view, code, SELECT_NAME(each));
        UNROLL
        for (int i = 0; i < SELECT_NAME(each); i++)
            code[i] = has >> i & 1 ? code[i] : (SELECT_CODE) ~(SELECT_CODE)0;
        return has;
    }
    NO_UNROLL
    for (int i = 0; i < SELECT_NAME(each); i++) {
        SELECT_CODE mine = (SELECT_CODE) ~(SELECT_CODE)0;

        if (has >> i & 1)
            mine = (SELECT_CODE)bits_of_parts(view->parts,
                                              begin + SELECT_NAME(offset)(i) - view->lead);
        UNROLL
        for (int j = 0; j < SELECT_NAME(each); j++) /* keeps them in registers */
            code[j] = j == i ? mine : code[j];
    }
    return has;
}

/* Load `pack` neighbours again. */
DEVICE void SELECT_NAME(load_pack)(SELECT_CODE *code, const struct select_view *view,
                                   wide at)
{
    NO_UNROLL
    for (int i = 0; i < SELECT_NAME(pack); i++) {
        SELECT_CODE mine = 0;

        if (is_row(view, at + i))
            mine = SELECT_NAME(code_of)(view, at + i - view->lead);
        UNROLL
        for (int j = 0; j < SELECT_NAME(pack); j++)
            code[j] = j == i || i == 0 ? mine : code[j];
    }
}

#undef SELECT_CODE
#undef SELECT_BITS
#undef SELECT_NAME
#undef SELECT_JOIN_OF
#undef SELECT_JOIN
