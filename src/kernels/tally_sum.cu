/*
 * tally_sum.cu - add up the rows that tally_count wrote: how many keys precede each code.
 *
 * The digit of a code is its upper byte; a 1-byte code is its digit. For 1-byte keys one
 * block adds up the totals of all digits. For 2-byte keys block d adds up the codes of
 * digit d. Each row says how many of its keys have lesser digits, so no block waits for
 * another. A thread loads four neighbours of a row at once; groups of threads share the
 * rows. A block has TALLY_DIGITS threads or a multiple of that.
 */
enum {
    SUM_WARPS = TALLY_DIGITS / WARP,
    SUM_EACH = 4,                        /* neighbours of a thread */
    SUM_GROUP = TALLY_DIGITS / SUM_EACH, /* threads of a row */
    SUM_GROUPS = tally_sum_threads / SUM_GROUP,
    SUM_BATCH = 8,                       /* rows that a thread loads at once */
    tally_sum_blocks = 2
};

struct tally_sum_shared {
    wide_cell parts[SUM_GROUPS * TALLY_SUM_PITCH]; /* by group, digit */
    wide_cell warps[SUM_WARPS];
    wide_cell digit[SUM_GROUPS]; /* keys of my digit in the rows of each group, ... */
    wide_cell first[SUM_GROUPS]; /* ... and before it */
    unsigned_cell carries[TALLY_DIGITS];
};

AGREE(sizeof(struct tally_sum_shared) == TALLY_SUM_SHARED);

/* The spare cells let lanes access every fourth digit, or neighbours, without conflict. */
DEVICE wide_cell *part_of(struct tally_sum_shared *sm, int group, int digit)
{
    return &sm->parts[group * TALLY_SUM_PITCH + digit + digit / 16];
}

/* Add up what all groups have: thread t < TALLY_DIGITS gets the sum of column t. */
DEVICE wide sum_of_groups(struct tally_sum_shared *sm, const wide *mine)
{
    wide sum = 0;

    UNROLL
    for (int i = 0; i < SUM_EACH; i++)
        STORE(part_of(sm, THREAD / SUM_GROUP, THREAD % SUM_GROUP * SUM_EACH + i), mine[i]);
    BARRIER();
    for (int i = 0; THREAD < TALLY_DIGITS && i < THREADS / SUM_GROUP; i++)
        sum += LOAD(part_of(sm, i, THREAD));
    return sum;
}

/*
 * Inclusive prefix sums of `mine` over the first TALLY_DIGITS threads, and their total in
 * `all`. A barrier must separate two calls.
 */
DEVICE wide sum_up_to(struct tally_sum_shared *sm, wide mine, wide *all)
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
    *all = 0;
    UNROLL
    for (int i = 0; i < SUM_WARPS; i++) {
        const wide part = LOAD(&sm->warps[i]);

        *all += part;
        sum += i < warp ? part : 0;
    }
    return sum;
}

#if KEY_BITS == 8

/* Add up the digits: of each, and of all up to it. */
DEVICE void sum_codes(const struct tally_rows *rows, struct tally_sum_shared *sm, wide *sum,
                      wide *upto)
{
    const vector_cell *const totals = (const vector_cell *)rows->totals;
    const int at = THREAD % SUM_GROUP;
    const unsigned step = (unsigned)(THREADS / SUM_GROUP);
    const unsigned all = (unsigned)rows->rows;
    wide digits[SUM_EACH] = {0};
    wide counted;

    NO_UNROLL
    for (unsigned row = (unsigned)(THREAD / SUM_GROUP); row < all;
         row += SUM_BATCH * step) {
        vector there[SUM_BATCH];

        UNROLL
        for (int i = 0; i < SUM_BATCH; i++) {
            const vector none = {0, 0};
            const wide r = row + i * step;

            there[i] = none;
            if (r < all)
                there[i] = LOAD_AS(CUT, totals + r * SUM_GROUP + at);
        }
        UNROLL
        for (int i = 0; i < SUM_BATCH * SUM_EACH; i++)
            digits[i % SUM_EACH] += word_of(there[i / SUM_EACH], i % SUM_EACH);
    }
    *sum = sum_of_groups(sm, digits);
    *upto = sum_up_to(sm, *sum, &counted);
}

#else

/*
 * Add up my four columns of my rows in `codes`, their keys of the digit in `digit`, and
 * their keys of lesser digits in `first`. Rows without keys of the digit have no counts.
 */
DEVICE void add_rows(const struct tally_rows *rows, wide *codes, wide *digit, wide *first)
{
    const wide_cell *const totals = (const wide_cell *)rows->totals + BLOCK;
    const wide_cell *const counts = (const wide_cell *)rows->counts + BLOCK * SUM_GROUP;
    const int at = THREAD % SUM_GROUP;
    const unsigned step = (unsigned)(THREADS / SUM_GROUP);
    const unsigned all = (unsigned)rows->rows;
    unsigned mine[SUM_EACH] = {0};

    NO_UNROLL
    for (unsigned row = (unsigned)(THREAD / SUM_GROUP); row < all;
         row += SUM_BATCH * step) {
        wide there[SUM_BATCH];

        UNROLL
        for (int i = 0; i < SUM_BATCH; i++) {
            const wide r = row + i * step;

            there[i] = r < all ? LOAD_AS(CUT, totals + r * TALLY_DIGITS) : 0;
        }
        UNROLL
        for (int i = 0; i < SUM_BATCH; i++) {
            const wide r = row + i * step;
            const unsigned keys = (unsigned)there[i];
            const wide four = keys ? LOAD_AS(CUT, counts + r * (CODES / SUM_EACH) + at) : 0;

            *digit += keys;
            *first += there[i] >> 32;
            UNROLL
            for (int j = 0; j < SUM_EACH; j++)
                mine[j] += (unsigned)(four >> (j * 16)) & 0xffff;
        }
    }
    UNROLL
    for (int j = 0; j < SUM_EACH; j++)
        codes[j] = mine[j];
}

/* The keys that carries stand for, of my code. */
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
 * The codes of my digit: how many keys have each, and how many have it or a lesser code.
 * There are carries only if their counts are fewer than the digit's keys.
 */
DEVICE void sum_codes(const struct tally_rows *rows, struct tally_sum_shared *sm, wide *sum,
                      wide *upto)
{
    const int group = THREAD / SUM_GROUP;
    wide codes[SUM_EACH] = {0};
    wide digit = 0;
    wide first = 0;
    wide counted;

    add_rows(rows, codes, &digit, &first);
    if (THREAD % SUM_GROUP == 0) {
        STORE(&sm->digit[group], digit);
        STORE(&sm->first[group], first);
    }
    *sum = sum_of_groups(sm, codes);
    *upto = sum_up_to(sm, *sum, &counted);
    digit = first = 0;
    for (int i = 0; i < THREADS / SUM_GROUP; i++) {
        digit += LOAD(&sm->digit[i]);
        first += LOAD(&sm->first[i]);
    }
    if (counted != digit) {
        *sum += my_carries(sm, rows);
        *upto = sum_up_to(sm, *sum, &counted);
    }
    *upto += first;
}

#endif

KERNEL(tally_sum, struct tally_sum_args)
{
    SHARED(struct tally_sum_shared, sm);
    const int code = BLOCK * TALLY_DIGITS + THREAD;
    wide_cell *const starts = (wide_cell *)args.starts;
    wide sum, upto;

    sum_codes(&args.rows, sm, &sum, &upto);
    if (THREAD < TALLY_DIGITS)
        STORE_AS(CUT, starts + code, upto - sum);
    if (THREAD < TALLY_DIGITS && code % TALLY_NEAR == 0)
        STORE_AS(CUT, starts + TALLY_NEAR_AT(KEY_BITS) + code / TALLY_NEAR, upto - sum);
    if (THREAD < TALLY_DIGITS && code % TALLY_FAR == 0)
        STORE_AS(CUT, starts + TALLY_FAR_AT(KEY_BITS) + code / TALLY_FAR, upto - sum);
    if (THREAD < TALLY_DIGITS && code == CODES - 1)
        STORE_AS(CUT, starts + CODES, upto);
}
