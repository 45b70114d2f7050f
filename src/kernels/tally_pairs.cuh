/*
 * tally_pairs.cuh - count keys of two bytes.
 *
 * A block has one counter of 16 bits for each value, two in a word. Two things must be
 * prevented.
 *
 * A counter overflows into its neighbour. The lane whose addition makes a counter pass
 * TALLY_CARRY subtracts that again and notes a carry. All have done so at a barrier, so
 * counters are below TALLY_CARRY then. Between two barriers a block counts fewer than
 * 65536 - TALLY_CARRY keys. So no counter reaches 65536.
 *
 * Many lanes add to the same counter, which a GPU would do one after the other. So lanes
 * look first how many of them have the key of one of them. If that is many, one lane adds
 * for all of these, and the others look again.
 */
#if KEY_BITS == 16

struct tally_shared {
    unsigned_cell counters[CODES / 2];
    place_cell carries[TALLY_MOST_CARRIES]; /* bits of keys, then codes */
    unsigned_cell digits[TALLY_DIGITS];     /* keys of carries, by digit */
    unsigned_cell carry_count;
    unsigned_cell unused[3];
};

AGREE(sizeof(struct tally_shared) == TALLY_SHARED(16));

enum {
    COUNT_BATCH = 3, /* vectors of a thread between two barriers */
    COUNT_MANY = 6,  /* lanes with the same key that are worth a look */
    COUNT_LOOKS = 4
};

AGREE(tally_count_threads * COUNT_BATCH * VECTOR_KEYS < 65536 - TALLY_CARRY);

DEVICE void count_begin(struct tally_shared *sm)
{
    for (int i = THREAD; i < (int)sizeof *sm / TALLY_VECTOR; i += THREADS) {
        const vector none = {0, 0};

        STORE((vector_cell *)sm + i, none);
    }
    BARRIER();
}

DEVICE int half_of(unsigned bits)
{
    return bits % 2 * 16;
}

DEVICE unsigned add_keys(struct tally_shared *sm, unsigned bits, unsigned n)
{
    return ADD(COUNTER, &sm->counters[bits / 2], n << half_of(bits));
}

/* The word was `old` before my addition of n keys: did their counter pass TALLY_CARRY? */
DEVICE void carry(struct tally_shared *sm, unsigned bits, unsigned n, unsigned old)
{
    const unsigned was = old >> half_of(bits) & 0xffff;

    if ((was + n) & ~was & TALLY_CARRY) {
        ADD(COUNTER, &sm->counters[bits / 2], 0u - ((unsigned)TALLY_CARRY << half_of(bits)));
        STORE(&sm->carries[ADD(PLAIN, &sm->carry_count, 1u)], (unsigned short)bits);
    }
}

DEVICE void count_keys(struct tally_shared *sm, unsigned bits, unsigned n)
{
    carry(sm, bits, n, add_keys(sm, bits, n));
}

DEVICE void count_key(struct tally_shared *sm, unsigned bits)
{
    count_keys(sm, bits, 1);
}

/* The lane at whose key i of a vector all lanes look. Headers of records do not hide. */
DEVICE int leader_of(int i)
{
    return (11 * i + 7) % WARP;
}

/* Lanes that have the key of lane `leader`. */
DEVICE unsigned same_as(unsigned bits, int leader)
{
    return BALLOT(bits == SHUFFLE(bits, leader));
}

/* One addition of each lane for each key. All are under way before the first is seen. */
DEVICE void count_apart(struct tally_shared *sm, vector v)
{
    unsigned old[VECTOR_KEYS];

    UNROLL
    for (int i = 0; i < VECTOR_KEYS; i++)
        old[i] = add_keys(sm, bits_of(v, i), 1);
    UNROLL
    for (int i = 0; i < VECTOR_KEYS; i++)
        carry(sm, bits_of(v, i), 1, old[i]);
}

/* Lanes with the same key count together. */
DEVICE void count_together(struct tally_shared *sm, vector v)
{
    NO_UNROLL
    for (int i = 0; i < VECTOR_KEYS; i++) {
        const unsigned bits = (unsigned)v.low & 0xffff;
        unsigned left = ~0u;
        int leader = leader_of(i);

        v.low = v.low >> 16 | v.high << 48;
        v.high >>= 16;
        NO_UNROLL
        for (int look = 0; look < COUNT_LOOKS && left; look++) {
            const unsigned same = same_as(bits, leader) & left;

            if (BITS(same) < COUNT_MANY)
                break;
            if (LANE == leader)
                count_keys(sm, bits, (unsigned)BITS(same));
            left &= ~same;
            leader = HIGHEST_BIT(left | 1);
        }
        if (left >> LANE & 1)
            count_keys(sm, bits, 1);
    }
}

/* Count a vector of each lane that is `mine`. */
DEVICE void count_vector(struct tally_shared *sm, vector v, int mine)
{
    int most = 0;

    if (BALLOT(!mine)) { /* in the last batch only */
        if (mine)
            count_apart(sm, v);
        return;
    }
    UNROLL
    for (int i = 0; i < VECTOR_KEYS; i++) {
        const int same = BITS(same_as(bits_of(v, i), leader_of(i)));

        most = same > most ? same : most;
    }
    if (most < COUNT_MANY)
        count_apart(sm, v);
    else
        count_together(sm, v);
}

/* Count the vectors [first, last) that are mine; load a batch ahead. */
DEVICE void count_vectors(struct tally_shared *sm, const vector_cell *all, wide first,
                          wide last)
{
    const wide step = (wide)BLOCKS * THREADS;
    const wide block = first + (wide)BLOCK * THREADS;
    vector batch[COUNT_BATCH] = {{0, 0}};

    UNROLL
    for (int j = 0; j < COUNT_BATCH; j++) {
        if (block + j * step + THREAD < last)
            batch[j] = LOAD_AS(BULK, all + block + j * step + THREAD);
    }
    NO_UNROLL
    for (wide begin = block; begin < last; begin += COUNT_BATCH * step) {
        UNROLL
        for (int j = 0; j < COUNT_BATCH; j++) {
            const wide i = begin + j * step + THREAD;
            const vector now = batch[j];

            if (i + COUNT_BATCH * step < last)
                batch[j] = LOAD_AS(BULK, all + i + COUNT_BATCH * step);
            count_vector(sm, now, i < last);
        }
        BARRIER();
    }
}

DEVICE unsigned counted(const struct tally_shared *sm, unsigned code,
                        const struct key_code *to_bits)
{
    const unsigned bits = leave((key)code, to_bits);

    return LOAD((const place_cell *)sm->counters + bits);
}

/*
 * Write my row. A warp has whole digits and a lane two neighbouring codes of each part of
 * a digit.
 */
DEVICE void put_row(const struct tally_count_args *args, struct tally_shared *sm)
{
    const struct tally_rows *const rows = &args->rows;
    const unsigned carries = LOAD(&sm->carry_count);
    place_cell *const to = (place_cell *)rows->carries + (wide)BLOCK * TALLY_MOST_CARRIES;
    unsigned_cell *const counts = (unsigned_cell *)rows->counts + (wide)BLOCK * (CODES / 2);

    for (unsigned i = (unsigned)THREAD; i < carries; i += (unsigned)THREADS) {
        const unsigned code = enter((key)LOAD(&sm->carries[i]), &args->leave);

        STORE(to + i, (unsigned short)code);
        ADD(PLAIN, &sm->digits[code / TALLY_DIGITS], (unsigned)TALLY_CARRY);
    }
    if (THREAD == 0)
        STORE((unsigned_cell *)rows->carry_count + BLOCK, carries);
    BARRIER();
    for (int digit = THREAD / WARP; digit < TALLY_DIGITS; digit += THREADS / WARP) {
        unsigned sum = 0;

        UNROLL
        for (int i = LANE; i < TALLY_DIGITS / 2; i += WARP) {
            const unsigned pair = (unsigned)(digit * (TALLY_DIGITS / 2) + i);
            const unsigned low = counted(sm, 2 * pair, &args->leave);
            const unsigned high = counted(sm, 2 * pair + 1, &args->leave);

            STORE(counts + pair, high << 16 | low);
            sum += low + high;
        }
        sum = SUM(sum);
        if (LANE == 0)
            STORE((unsigned_cell *)rows->totals + (wide)BLOCK * TALLY_DIGITS + digit,
                  sum + LOAD(&sm->digits[digit]));
    }
}

#endif
