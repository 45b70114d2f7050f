/*
 * tally_sum.cu - add up the rows that tally_count wrote: how many keys precede each code.
 *
 * A block has TALLY_DIGITS threads or a multiple of that. Every block adds up the digits,
 * so that none waits for another. Of 2-byte keys block d then adds up the codes of digit
 * d. A thread loads four neighbours of a row at once; groups of threads share the rows.
 */
enum {
    SUM_WARPS = TALLY_DIGITS / WARP,
    SUM_EACH = 4,                        /* neighbours of a thread */
    SUM_GROUP = TALLY_DIGITS / SUM_EACH, /* threads of a row */
    SUM_BATCH = 8,                       /* rows that a thread loads at once */
    tally_sum_blocks = 2
};

struct tally_sum_shared {
    wide_cell parts[tally_sum_threads / SUM_GROUP * TALLY_SUM_PITCH]; /* by group, digit */
    wide_cell warps[SUM_WARPS];
    wide_cell first; /* keys before my digit, ... */
    wide_cell total; /* ... and those of it */
    unsigned_cell carries[TALLY_DIGITS];
};

AGREE(sizeof(struct tally_sum_shared) == TALLY_SUM_SHARED);

/* The spare cells let lanes access every fourth digit, or neighbours, without conflict. */
DEVICE wide_cell *part_of(struct tally_sum_shared *sm, int group, int digit)
{
    return &sm->parts[group * TALLY_SUM_PITCH + digit + digit / 16];
}

/* Add up the neighbours of all groups: a sum for each of the first TALLY_DIGITS threads. */
DEVICE wide sum_of_groups(struct tally_sum_shared *sm, const wide *mine)
{
    wide sum = 0;

    UNROLL
    for (int i = 0; i < SUM_EACH; i++)
        STORE(part_of(sm, THREAD / SUM_GROUP, THREAD % SUM_GROUP * SUM_EACH + i), mine[i]);
    BARRIER();
    for (int i = 0; THREAD < TALLY_DIGITS && i < THREADS / SUM_GROUP; i++)
        sum += LOAD(part_of(sm, i, THREAD));
    BARRIER();
    return sum;
}

/* Add up `mine` of all threads up to me, for the first TALLY_DIGITS. */
DEVICE wide sum_up_to(struct tally_sum_shared *sm, wide mine)
{
    const int warp = THREAD / WARP;
    wide sum = mine;

    UNROLL
    for (int step = 1; step < WARP; step *= 2) {
        const wide other = SHUFFLE(sum, (LANE + WARP - step) % WARP);

        sum += LANE >= step ? other : 0;
    }
    if (LANE == WARP - 1 && warp < SUM_WARPS)
        STORE(&sm->warps[warp], sum);
    BARRIER();
    for (int i = 0; i < warp && warp < SUM_WARPS; i++)
        sum += LOAD(&sm->warps[i]);
    BARRIER();
    return sum;
}

/*
 * Add my neighbours of all rows of mine to `digits` and, of 2-byte keys, those of my
 * block's digit to `codes`: rows without keys of this digit have no counts.
 */
DEVICE void add_rows(const struct tally_rows *rows, wide *digits, unsigned *codes)
{
    const vector_cell *const totals = (const vector_cell *)rows->totals;
    const unsigned_cell *const mine = (const unsigned_cell *)rows->totals + BLOCK;
    const wide_cell *const counts = (const wide_cell *)rows->counts + BLOCK * SUM_GROUP;
    const int at = THREAD % SUM_GROUP;
    const unsigned step = (unsigned)(THREADS / SUM_GROUP);
    const unsigned all = (unsigned)rows->rows;

    NO_UNROLL
    for (unsigned row = (unsigned)(THREAD / SUM_GROUP); row < all;
         row += SUM_BATCH * step) {
        unsigned there[SUM_BATCH];
        vector of_digits[SUM_BATCH];

        UNROLL
        for (int i = 0; i < SUM_BATCH; i++) {
            const vector none = {0, 0};
            const wide r = row + i * step;

            there[i] =
                KEY_BITS == 16 && r < all ? LOAD_AS(CUT, mine + r * TALLY_DIGITS) : 0;
            of_digits[i] = none;
            if (r < all)
                of_digits[i] = LOAD_AS(CUT, totals + r * SUM_GROUP + at);
        }
        UNROLL
        for (int i = 0; i < SUM_BATCH * SUM_EACH; i++)
            digits[i % SUM_EACH] += word_of(of_digits[i / SUM_EACH], i % SUM_EACH);
        UNROLL
        for (int i = 0; i < SUM_BATCH; i++) {
            const wide r = row + i * step;
            const wide four =
                there[i] ? LOAD_AS(CUT, counts + r * (CODES / SUM_EACH) + at) : 0;

            UNROLL
            for (int j = 0; j < SUM_EACH; j++)
                codes[j] += (unsigned)(four >> (j * 16)) & 0xffff;
        }
    }
}

#if KEY_BITS == 16

/* The keys of carries of my code. */
DEVICE wide my_carries(struct tally_sum_shared *sm, const struct tally_rows *rows)
{
    if (THREAD < TALLY_DIGITS)
        STORE(&sm->carries[THREAD], 0u);
    BARRIER();
    NO_UNROLL
    for (wide row = (wide)(THREAD / WARP); row < rows->rows;
         row += (wide)(THREADS / WARP)) {
        const place_cell *const carries =
            (const place_cell *)rows->carries + row * TALLY_MOST_CARRIES;
        const unsigned last = LOAD_AS(CUT, (const unsigned_cell *)rows->carry_count + row);

        NO_UNROLL
        for (unsigned i = (unsigned)LANE; i < last; i += WARP) {
            const unsigned code = LOAD_AS(CUT, carries + i);

            if (code / TALLY_DIGITS == (unsigned)BLOCK)
                ADD(COUNTER, &sm->carries[code % TALLY_DIGITS], 1u);
        }
    }
    BARRIER();
    return THREAD < TALLY_DIGITS ? (wide)LOAD(&sm->carries[THREAD]) * TALLY_CARRY : 0;
}

/*
 * The same of the codes of my digit. There are carries only if their counts are fewer than
 * the digit's keys.
 */
DEVICE void sum_codes(const struct tally_sum_args *args, struct tally_sum_shared *sm,
                      const unsigned *codes, wide *sum, wide *upto)
{
    const wide mine[SUM_EACH] = {codes[0], codes[1], codes[2], codes[3]};
    wide first;

    if (THREAD == BLOCK) {
        STORE(&sm->first, *upto - *sum);
        STORE(&sm->total, *sum);
    }
    BARRIER();
    first = LOAD(&sm->first);
    *sum = sum_of_groups(sm, mine);
    *upto = sum_up_to(sm, *sum);
    if (THREAD == TALLY_DIGITS - 1)
        STORE(&sm->warps[0], *upto);
    BARRIER();
    if (LOAD(&sm->warps[0]) != LOAD(&sm->total)) {
        *sum += my_carries(sm, &args->rows);
        *upto = sum_up_to(sm, *sum);
    }
    *upto += first;
}

#else

DEVICE void sum_codes(const struct tally_sum_args *args, struct tally_sum_shared *sm,
                      const unsigned *codes, wide *sum, wide *upto)
{
    (void)args, (void)sm, (void)codes, (void)sum, (void)upto; /* a digit is a code */
}

#endif

KERNEL(tally_sum, struct tally_sum_args)
{
    SHARED(struct tally_sum_shared, sm);
    const int code = BLOCK * TALLY_DIGITS + THREAD;
    wide_cell *const starts = (wide_cell *)args.starts;
    wide digits[SUM_EACH] = {0};
    unsigned codes[SUM_EACH] = {0};
    wide sum, upto;

    add_rows(&args.rows, digits, codes);
    sum = sum_of_groups(sm, digits);
    upto = sum_up_to(sm, sum);
    sum_codes(&args, sm, codes, &sum, &upto);
    if (THREAD < TALLY_DIGITS)
        STORE_AS(CUT, starts + code, upto - sum);
    if (THREAD < TALLY_DIGITS && code == CODES - 1)
        STORE_AS(CUT, starts + CODES, upto);
}
