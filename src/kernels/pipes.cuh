/*
 * pipes.cuh - operations in fewer instructions, or in instructions of another pipe than
 * the integer pipe, which limits the tile kernels. Each also has a plain version, which
 * the simulator runs.
 */

#ifdef __CUDACC__

/*
 * Two 8-byte items that are both below the bits of infinity compare alike as doubles:
 * one instruction of the FP64 pipe instead of two of the integer pipe, on GPUs with a
 * full-rate FP64 pipe. These items are called near. Keys of a tile become near when
 * their common base is subtracted (tile_merge.cu); a narrower key with its place always
 * is.
 */
#define NEAR_ITEMS      \
    (ITEM_BYTES == 8 && \
     (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000))
#define NEAR_KEYS (KEY_BITS == 64 && NEAR_ITEMS)

DEVICE int less_near(item a, item b, int near)
{
#if NEAR_ITEMS
    if (near)
        return __longlong_as_double((long long)a) < __longlong_as_double((long long)b);
#endif
    (void)near;
    return precedes(a, b);
}

/* A 1 that the compiler does not know, so that it does emit the multiplication. */
#define OPAQUE_ONE blockDim.y

/* a * b + c, on the FMA pipe. */
DEVICE unsigned multiply_add(unsigned a, unsigned b, unsigned c)
{
    unsigned d;

    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

#if ITEM_BYTES == 8

/* Sort two items by one comparison; from C the compiler makes two. */
#define EXCHANGE_BY(compare, a, b)                                                   \
    do {                                                                             \
        item lesser, greater;                                                        \
                                                                                     \
        asm("{\n\t.reg .pred p;\n\t.reg .b64 x, y;\n\tmov.b64 x, %2;\n\tmov.b64 y, " \
            "%3;\n\t" compare                                                        \
            " p, y, x;\n\tselp.b64 %0, y, x, p;\n\tselp.b64 %1, x, y, p;\n\t}"       \
            : "=&l"(lesser), "=l"(greater)                                           \
            : "l"(*(a)), "l"(*(b)));                                                 \
        *(a) = lesser;                                                               \
        *(b) = greater;                                                              \
    } while (0)

/* Put the lesser of two first. */
DEVICE void exchange(item *a, item *b)
{
    EXCHANGE_BY("setp.lt.u64", a, b);
}

/*
 * exchange(), the `turn`-th of a network. Half of the work goes to the FMA pipe: the
 * high words are swapped by predicated multiplications by 1. Near items do not need
 * that, since their comparison is off the integer pipe.
 */
DEVICE void exchange_in_turn(item *a, item *b, int turn, int near)
{
    (void)turn;
#if NEAR_ITEMS
    if (near) {
        EXCHANGE_BY("setp.lt.f64", a, b);
        return;
    }
#endif
    (void)near;
    asm("{\n\t"
        ".reg .pred p;\n\t"
        ".reg .b32 al, ah, bl, bh, ll, gl, t;\n\t"
        "setp.lt.u64 p, %1, %0;\n\t"
        "mov.b64 {al, ah}, %0;\n\t"
        "mov.b64 {bl, bh}, %1;\n\t"
        "selp.b32 ll, bl, al, p;\n\t"
        "selp.b32 gl, al, bl, p;\n\t"
        "mad.lo.u32 t, ah, %2, 0;\n\t"
        "@p mad.lo.u32 ah, bh, %2, 0;\n\t"
        "@p mad.lo.u32 bh, t, %2, 0;\n\t"
        "mov.b64 %0, {ll, ah};\n\t"
        "mov.b64 %1, {gl, bh};\n\t"
        "}"
        : "+l"(*a), "+l"(*b)
        : "r"(OPAQUE_ONE));
}

#else

/* Put the lesser of two first. */
DEVICE void exchange(item *a, item *b)
{
    const item lesser = *b < *a ? *b : *a;

    *b = *b < *a ? *a : *b;
    *a = lesser;
}

/*
 * exchange(), the `turn`-th of a network. Half of them compute the greater item as the
 * sum minus the lesser, on the FMA pipe. That balances the two pipes.
 */
DEVICE void exchange_in_turn(item *a, item *b, int turn, int near)
{
    (void)near;
    if (turn % 4 < 2) {
        const item lesser = *b < *a ? *b : *a;
        const item sum = multiply_add(*a, OPAQUE_ONE, *b);

        *a = lesser;
        *b = multiply_add(lesser, 0u - OPAQUE_ONE, sum);
    } else {
        exchange(a, b);
    }
}

#endif

#else /* the plain versions */

#define NEAR_KEYS (KEY_BITS == 64 && ITEM_BYTES == 8)

/* Near items are compared as doubles, as by a GPU: tests fail if they are not near. */
DEVICE int less_near(item a, item b, int near)
{
#if ITEM_BYTES == 8
    const union {
        item bits;
        double number;
    } x = {a}, y = {b};

    if (near)
        return x.number < y.number;
#endif
    (void)near;
    return precedes(a, b);
}

/* Put the lesser of two first. */
DEVICE void exchange_in_turn(item *a, item *b, int turn, int near)
{
    const int swap = less_near(*b, *a, near);
    const item first = swap ? *b : *a;
    const item second = swap ? *a : *b;

    (void)turn;
    *a = first;
    *b = second;
}

DEVICE void exchange(item *a, item *b)
{
    exchange_in_turn(a, b, 0, 0);
}

#endif

#if defined(__CUDACC__) && defined(TILE_ROWS) && \
    TILE_ROWS * TILE_ROW_BYTES(TILE_ITEMS, ITEM_BYTES) + 128 < 65536

/*
 * For column j: base, minus `down` if j >= begin, minus `up` if j < end. Two columns
 * share a word of four bytes; the top bit of a byte says whether to subtract. prmt
 * replicates it, which makes the byte 0 or -1. dp2a multiplies two bytes by `down` and
 * `up`, which are below 2^16, and adds base. That takes two instructions per column;
 * comparing and selecting takes four. Columns are below 32.
 */
struct turns {
    unsigned bounds; /* bytes: 128 - begin, 95 + end, and the same again */
    unsigned drops;  /* down; up in the upper half */
    int base;
};

DEVICE struct turns turns_make(int base, int begin, int down, int end, int up)
{
    struct turns t;

    t.bounds = (unsigned)(128 - begin + ((95 + end) << 8)) * 0x10001u;
    t.drops = (unsigned)down | (unsigned)up << 16;
    t.base = base;
    return t;
}

DEVICE int turns_at(const struct turns *t, int j)
{
    const int even = j & ~1;
    const unsigned columns =
        (unsigned)(even + ((32 - even) << 8)) * 0x10001u + 0x00010000u - 0x01000000u;
    unsigned taken;
    int at;

    asm("prmt.b32 %0, %1, 0, 0xba98;" : "=r"(taken) : "r"(t->bounds + columns));
    if (j % 2)
        asm("dp2a.hi.u32.s32 %0, %1, %2, %3;"
            : "=r"(at)
            : "r"(t->drops), "r"(taken), "r"(t->base));
    else
        asm("dp2a.lo.u32.s32 %0, %1, %2, %3;"
            : "=r"(at)
            : "r"(t->drops), "r"(taken), "r"(t->base));
    return at;
}

#else /* the plain version, also for tiles whose offsets exceed 16 bits */

struct turns {
    int base, begin, down, end, up;
};

DEVICE struct turns turns_make(int base, int begin, int down, int end, int up)
{
    const struct turns t = {base, begin, down, end, up};

    return t;
}

DEVICE int turns_at(const struct turns *t, int j)
{
    return t->base - (j >= t->begin ? t->down : 0) - (j < t->end ? t->up : 0);
}

#endif

/*
 * k + base and k - base, where the lower word of base is 0. The compiler does not know
 * that and would add the lower words too, for a possible carry.
 */
#if defined(__CUDACC__) && KEY_BITS == 64

DEVICE bare add_base(bare k, bare base)
{
    bare sum;

    asm("{\n\t.reg .b32 lower, upper;\n\tmov.b64 {lower, upper}, %1;\n\t"
        "add.u32 upper, upper, %2;\n\tmov.b64 %0, {lower, upper};\n\t}"
        : "=l"(sum)
        : "l"(k), "r"((unsigned)(base >> 32)));
    return sum;
}

#else

DEVICE bare add_base(bare k, bare base)
{
    return k + base;
}

#endif

DEVICE bare take_base(bare k, bare base)
{
    return add_base(k, 0 - base);
}
