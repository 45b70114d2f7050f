/*
 * tally_pairs.cuh - count keys of two bytes.
 *
 * A block has one counter of 16 bits for each value, two in a word. That has two dangers.
 *
 * A counter could overflow into its neighbour. So a lane whose addition makes a counter
 * reach or pass a multiple of TALLY_CARRY subtracts TALLY_CARRY and notes a carry. An
 * addition passes at most one multiple. So once all have subtracted, which a barrier
 * ensures, a counter is below TALLY_CARRY. Between two barriers a block counts at most
 * 65536 - TALLY_CARRY keys. So no counter reaches 65536. If few carries are noted in the
 * end, a counter has room for all of them: they are added back, and tally_sum sees none.
 *
 * Many lanes could add to the same counter, which a GPU serialises. So if half the lanes
 * have several equal keys in their vectors, each adds all of its equal keys at once. And
 * lanes take the keys of their vectors in different orders. Otherwise lanes of a warp would
 * add to the same counters if keys repeat every 16 bytes, as fields of records do.
 */
#if KEY_BITS == 16

struct tally_shared {
    unsigned_cell counters[CODES / 2];
    place_cell carries[TALLY_MOST_CARRIES]; /* bits of keys, then codes */
    unsigned_cell digits[TALLY_DIGITS];     /* keys of carries, then all, by digit */
    unsigned_cell carry_count;
    unsigned_cell unused[3];
};

AGREE(sizeof(struct tally_shared) == TALLY_SHARED(16));

enum {
    COUNT_BATCH = 3,       /* vectors of a thread that are loaded at once, ... */
    COUNT_BATCHES = 2,     /* ... batches between two barriers */
    COUNT_SAME = 4,        /* equal keys of a lane that are worth counting together, ... */
    COUNT_MANY = WARP / 2, /* ... if this many lanes have them */
    COUNT_BACK = 3,        /* carries that go back to their counters in the end */
    HALVES = 0x10001       /* times a key: two of it */
};

AGREE(TALLY_DIGITS == WARP * VECTOR_KEYS);
AGREE((COUNT_BACK + 1) * TALLY_CARRY <= 65536);
AGREE(tally_count_threads *COUNT_BATCHES *COUNT_BATCH *VECTOR_KEYS <= 65536 - TALLY_CARRY);

DEVICE int half_of(unsigned bits)
{
    return bits % 2 * 16;
}

DEVICE unsigned add_keys(struct tally_shared *sm, unsigned bits, unsigned n)
{
    return ADD(COUNTER, &sm->counters[bits / 2], n << half_of(bits));
}

/* The word was `old` before my addition of n keys: did their counter pass a multiple? */
DEVICE void carry(struct tally_shared *sm, unsigned bits, unsigned n, unsigned old)
{
    const unsigned was = old >> half_of(bits);

    if ((was ^ (was + n)) & (0u - TALLY_CARRY) & 0xffff) {
        ADD(COUNTER, &sm->counters[bits / 2],
            0u - ((unsigned)TALLY_CARRY << half_of(bits)));
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

/* Key `lane` of my vector, modulo 8, comes first; the others follow it, going round. */
DEVICE vector turn(vector v, int lane)
{
    const int shift = lane % 4 * 16;
    const wide low = shift ? v.low >> shift | v.high << (64 - shift) : v.low;
    const wide high = shift ? v.high >> shift | v.low << (64 - shift) : v.high;
    const vector turned = {lane & 4 ? high : low, lane & 4 ? low : high};

    return turned;
}

/* The top bits of the halves of `word` that are equal to those of `twice`. */
DEVICE unsigned equal_halves(unsigned word, unsigned twice)
{
    const unsigned lower = 0x7fff7fffu;
    const unsigned other = word ^ twice;

    return ~(((other & lower) + lower) | other) & ~lower;
}

/* Bits of the keys that are equal to `bits`: the top four bits of both halves. */
DEVICE unsigned equal_keys(vector v, unsigned bits)
{
    const unsigned twice = bits * HALVES;

    return equal_halves(word_of(v, 0), twice) >> 3 |
           equal_halves(word_of(v, 1), twice) >> 2 |
           equal_halves(word_of(v, 2), twice) >> 1 | equal_halves(word_of(v, 3), twice);
}

/* One addition for each different key of a vector. */
DEVICE void count_together(struct tally_shared *sm, vector v)
{
    unsigned left = 0xfu * HALVES << 12;

    NO_UNROLL
    while (left) {
        const int first = LOWEST_BIT(left); /* 12 to 15 and 28 to 31 */
        const unsigned bits =
            (unsigned)((first & 2 ? v.high : v.low) >> (first % 2 * 32 + first / 16 * 16)) &
            0xffff;
        const unsigned same = equal_keys(v, bits);

        count_keys(sm, bits, (unsigned)BITS(same));
        left &= ~same;
    }
}

/* Vectors with equal keys, `same` of them; one addition for a warp that has only one. */
DEVICE void count_alike(struct tally_shared *sm, vector v, unsigned same, int mine)
{
    const unsigned bits = (unsigned)v.low & 0xffff;
    const unsigned other = SHUFFLE(bits, 0);
    const unsigned alike = BALLOT(mine && BITS(same) == VECTOR_KEYS && bits == other);

    if (alike != ~0u && mine)
        count_together(sm, v);
    else if (alike == ~0u && LANE == 0)
        count_keys(sm, bits, WARP * VECTOR_KEYS);
}

/* Count a vector of each lane that is `mine`. */
DEVICE void count_vector(struct tally_shared *sm, vector v, int mine)
{
    const vector turned = turn(v, LANE);
    const unsigned same = equal_keys(turned, (unsigned)turned.low & 0xffff);
    const unsigned many = BALLOT(mine && BITS(same) >= COUNT_SAME);

    if (BITS(many) >= COUNT_MANY)
        count_alike(sm, turned, same, mine);
    else if (mine)
        count_apart(sm, turned);
}

DEVICE void meet_after(int batches)
{
    if (batches % COUNT_BATCHES == 0)
        BARRIER();
}

DEVICE unsigned counted(const struct tally_shared *sm, unsigned bits)
{
    return LOAD((const place_cell *)sm->counters + bits);
}

/* Eight counters that lie apart. Lanes begin at different ones: no bank conflicts. */
DEVICE vector floats_counted(const struct tally_shared *sm, unsigned first,
                             const struct key_code *to_bits)
{
    const unsigned begin = (unsigned)LANE / 8 * 2;
    vector v = {0, 0};

    UNROLL
    for (unsigned i = 0; i < VECTOR_KEYS; i++) {
        const unsigned code = first + (begin + i) % VECTOR_KEYS;
        const wide count = counted(sm, leave((key)code, to_bits));

        if (i < VECTOR_KEYS / 2)
            v.low |= count << (i * 16);
        else
            v.high |= count << (i % (VECTOR_KEYS / 2) * 16);
    }
    return turn(v, VECTOR_KEYS - (int)begin);
}

/* The counters of eight codes. Those of integers are neighbours, perhaps reversed. */
DEVICE vector codes_counted(const struct tally_shared *sm, unsigned first,
                            const struct key_code *to_bits)
{
    if (to_bits->is_float)
        return floats_counted(sm, first, to_bits);
    return LOAD((const vector_cell *)sm->counters +
                leave((key)first, to_bits) / VECTOR_KEYS);
}

/* Two words in reverse order of their halves. */
DEVICE wide reversed(unsigned one, unsigned next)
{
    return (wide)(one << 16 | one >> 16) << 32 | (next << 16 | next >> 16);
}

/* Counters of integers in the order of their codes. */
DEVICE vector in_order(vector v, const struct key_code *to_bits)
{
    const vector turned = {reversed(word_of(v, 2), word_of(v, 3)),
                           reversed(word_of(v, 0), word_of(v, 1))};

    return !to_bits->is_float && to_bits->flip & 1 ? turned : v;
}

/* Write how many keys my row has of each digit, and of lesser ones. */
DEVICE void put_totals(const struct tally_rows *rows, const struct tally_shared *sm)
{
    wide_cell *const totals = (wide_cell *)rows->totals + (wide)BLOCK * TALLY_DIGITS;
    unsigned others = 0; /* of digits before those of my warp */
    unsigned mine, upto;

    if (THREAD >= TALLY_DIGITS)
        return;
    mine = upto = LOAD(&sm->digits[THREAD]);
    for (int i = LANE; i < THREAD / WARP * WARP; i += WARP)
        others += LOAD(&sm->digits[i]);
    UNROLL
    for (int step = 1; step < WARP; step *= 2) {
        const unsigned other = SHUFFLE(upto, (LANE + WARP - step) % WARP);

        upto += LANE >= step ? other : 0;
    }
    STORE(totals + THREAD, (wide)(SUM(others) + upto - mine) << 32 | mine);
}

/*
 * Write my row. A warp has whole digits and a lane eight neighbouring codes of each. Counts
 * of digits without keys are not written.
 */
DEVICE void put_row(const struct tally_count_args *args, struct tally_shared *sm)
{
    const struct tally_rows *const rows = &args->rows;
    const unsigned carries = LOAD(&sm->carry_count);
    place_cell *const to = (place_cell *)rows->carries + (wide)BLOCK * TALLY_MOST_CARRIES;
    vector_cell *const counts =
        (vector_cell *)rows->counts + (wide)BLOCK * (CODES / VECTOR_KEYS);

    for (unsigned i = (unsigned)THREAD; i < carries; i += (unsigned)THREADS) {
        const unsigned bits = LOAD(&sm->carries[i]);
        const unsigned code = enter((key)bits, &args->leave);

        if (carries <= COUNT_BACK) {
            add_keys(sm, bits, TALLY_CARRY);
            continue;
        }
        STORE(to + i, (unsigned short)code);
        ADD(PLAIN, &sm->digits[code / TALLY_DIGITS], (unsigned)TALLY_CARRY);
    }
    if (THREAD == 0)
        STORE((unsigned_cell *)rows->carry_count + BLOCK,
              carries <= COUNT_BACK ? 0 : carries);
    BARRIER();
    for (int digit = THREAD / WARP; digit < TALLY_DIGITS; digit += THREADS / WARP) {
        const int eight = digit * WARP + LANE;
        const unsigned carried = LOAD(&sm->digits[digit]);
        const vector v = codes_counted(sm, (unsigned)eight * VECTOR_KEYS, &args->leave);
        unsigned sum = 0;

        UNROLL
        for (int i = 0; i < VECTOR_WORDS; i++)
            sum += (word_of(v, i) & 0xffff) + (word_of(v, i) >> 16);
        sum = SUM(sum) + carried;
        if (sum)
            STORE(counts + eight, in_order(v, &args->leave));
        WARP_BARRIER(); /* all have loaded what was carried */
        if (LANE == 0)
            STORE(&sm->digits[digit], sum);
    }
    BARRIER();
    put_totals(rows, sm);
}

#endif
