/*
 * tally_sum.cu - add up the rows that tally_count wrote: how many keys precede each code.
 *
 * A block has TALLY_DIGITS threads or a multiple of that. The threads that are equal
 * modulo TALLY_DIGITS share the rows of one digit. Every block adds up the digits, so that
 * none waits for another. Of 2-byte keys block d then adds up the codes of digit d.
 */
enum {
    SUM_WARPS = TALLY_DIGITS / WARP,
    SUM_BATCH = 8, /* rows that a thread loads at once */
    tally_sum_blocks = 2
};

struct tally_sum_shared {
    wide_cell parts[tally_sum_threads];
    wide_cell warps[SUM_WARPS];
    wide_cell first; /* keys before my digit, ... */
    wide_cell total; /* ... and those of it */
    unsigned_cell carries[TALLY_DIGITS];
};

AGREE(sizeof(struct tally_sum_shared) == TALLY_SUM_SHARED);

/* Add up `mine` of the threads of a digit, for the first of them. */
DEVICE wide sum_of_threads(struct tally_sum_shared *sm, wide mine)
{
    wide sum = 0;

    STORE(&sm->parts[THREAD], mine);
    BARRIER();
    for (int i = THREAD; THREAD < TALLY_DIGITS && i < THREADS; i += TALLY_DIGITS)
        sum += LOAD(&sm->parts[i]);
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

DEVICE wide my_totals(const struct tally_rows *rows)
{
    const wide step = (wide)(THREADS / TALLY_DIGITS);
    const unsigned_cell *const totals =
        (const unsigned_cell *)rows->totals + THREAD % TALLY_DIGITS;
    wide sum = 0;

    NO_UNROLL
    for (wide row = (wide)(THREAD / TALLY_DIGITS); row < rows->rows;
         row += SUM_BATCH * step) {
        UNROLL
        for (int i = 0; i < SUM_BATCH; i++) {
            if (row + i * step < rows->rows)
                sum += LOAD_AS(CUT, totals + (row + i * step) * TALLY_DIGITS);
        }
    }
    return sum;
}

#if KEY_BITS == 16

DEVICE wide my_counts(const struct tally_rows *rows)
{
    const wide step = (wide)(THREADS / TALLY_DIGITS);
    const place_cell *const counts =
        (const place_cell *)rows->counts + BLOCK * TALLY_DIGITS + THREAD % TALLY_DIGITS;
    wide sum = 0;

    NO_UNROLL
    for (wide row = (wide)(THREAD / TALLY_DIGITS); row < rows->rows;
         row += SUM_BATCH * step) {
        UNROLL
        for (int i = 0; i < SUM_BATCH; i++) {
            if (row + i * step < rows->rows)
                sum += LOAD_AS(CUT, counts + (row + i * step) * CODES);
        }
    }
    return sum;
}

/* The keys of carries of my code. */
DEVICE wide my_carries(struct tally_sum_shared *sm, const struct tally_rows *rows)
{
    if (THREAD < TALLY_DIGITS)
        STORE(&sm->carries[THREAD], 0u);
    BARRIER();
    NO_UNROLL
    for (wide row = (wide)(THREAD / WARP); row < rows->rows; row += (wide)(THREADS / WARP)) {
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

/* Of the codes of my digit. Only if they are fewer than the digit's keys there are carries. */
DEVICE void sum_codes(const struct tally_sum_args *args, struct tally_sum_shared *sm,
                      wide *sum, wide *upto)
{
    wide first;

    if (THREAD == BLOCK) {
        STORE(&sm->first, *upto - *sum);
        STORE(&sm->total, *sum);
    }
    BARRIER();
    first = LOAD(&sm->first);
    *sum = sum_of_threads(sm, my_counts(&args->rows));
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
                      wide *sum, wide *upto)
{
    (void)args, (void)sm, (void)sum, (void)upto; /* a digit is a code */
}

#endif

KERNEL(tally_sum, struct tally_sum_args)
{
    SHARED(struct tally_sum_shared, sm);
    const int code = BLOCK * TALLY_DIGITS + THREAD;
    wide_cell *const starts = (wide_cell *)args.starts;
    wide sum = sum_of_threads(sm, my_totals(&args.rows));
    wide upto = sum_up_to(sm, sum);

    sum_codes(&args, sm, &sum, &upto);
    if (THREAD < TALLY_DIGITS)
        STORE_AS(CUT, starts + code, upto - sum);
    if (THREAD < TALLY_DIGITS && code == CODES - 1)
        STORE_AS(CUT, starts + CODES, upto);
}
