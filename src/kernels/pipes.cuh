/*
 * pipes.cuh - two tricks that move work from the integer pipe, which limits the
 * tile kernels, to the floating-point pipe, which idles. Each has a plain
 * meaning, and that is what the simulator runs.
 */

/* Put the lesser of two first. */
DEVICE void exchange(item *a, item *b)
{
    const int swap = less(*b, *a);
    const item first = swap ? *b : *a;
    const item second = swap ? *a : *b;

    *a = first;
    *b = second;
}

#ifdef __CUDACC__

/* A one that the compiler takes for a variable, so that it does multiply by it. */
#define OPAQUE_ONE blockDim.y

/* a * b + c, on the pipe that also multiplies floats. */
DEVICE unsigned multiply_add(unsigned a, unsigned b, unsigned c)
{
    unsigned d;

    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    return d;
}

/*
 * exchange(), the `turn`-th of a network: in three of four (two, for 8-byte
 * keys) half of the work goes to the other pipe. That is where both are equally
 * busy; all of them there is as slow as none. Narrow keys: the greater is the
 * sum of both less the lesser. Wide ones: the high words change places by
 * multiplications with one, under a predicate.
 */
DEVICE void exchange_in_turn(item *a, item *b, int turn)
{
#if KEY_BITS == 64
    if (turn % 4 < 2) {
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
        return;
    }
#else
    if (turn % 4 < 3) {
        const item lesser = *b < *a ? *b : *a;
        const item sum = multiply_add(*a, OPAQUE_ONE, *b);

        *a = lesser;
        *b = multiply_add(lesser, 0u - OPAQUE_ONE, sum);
        return;
    }
#endif
    exchange(a, b);
}

/*
 * A function of j that changes twice: p0 below s1, p1 below s2, then p2.
 *
 * A small integer is also the bit pattern of a denormal float, and adding such
 * floats adds the integers, exactly. A step is a saturated sum, 0 or 1; the
 * value is p0 + step1 * (p1 - p0) + step2 * (p2 - p1): four instructions of the
 * floating-point pipe instead of four of the other. Denormals must not be
 * flushed: no -ftz, no -use_fast_math.
 */
struct stairs {
    float s1, s2;     /* 1 - s: added to j and saturated, it is the step */
    float p0, d1, d2; /* integers, as bits */
};

DEVICE struct stairs stairs_make(int s1, int s2, int p0, int p1, int p2)
{
    struct stairs s;

    s.s1 = 1.0f - (float)s1;
    s.s2 = 1.0f - (float)s2;
    s.p0 = __int_as_float(p0);
    s.d1 = __fsub_rn(__int_as_float(p1), __int_as_float(p0));
    s.d2 = __fsub_rn(__int_as_float(p2), __int_as_float(p1));
    return s;
}

DEVICE int stairs_at(const struct stairs *s, int j)
{
    const float step1 = __saturatef(s->s1 + (float)j);
    const float step2 = __saturatef(s->s2 + (float)j);

    return __float_as_int(__fmaf_rn(step2, s->d2, __fmaf_rn(step1, s->d1, s->p0)));
}

#else /* the plain meaning */

DEVICE void exchange_in_turn(item *a, item *b, int turn)
{
    (void)turn;
    exchange(a, b);
}

struct stairs {
    int s1, s2, p0, p1, p2;
};

DEVICE struct stairs stairs_make(int s1, int s2, int p0, int p1, int p2)
{
    const struct stairs s = {s1, s2, p0, p1, p2};

    return s;
}

DEVICE int stairs_at(const struct stairs *s, int j)
{
    return j < s->s1 ? s->p0 : j < s->s2 ? s->p1 : s->p2;
}

#endif
