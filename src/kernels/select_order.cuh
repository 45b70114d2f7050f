/*
 * select_order.cuh - rows that were collected in shared memory are sorted by code and
 * number, and written.
 */

/* Codes of 4 bytes are packed with the number: the code comes first. */
struct select_list {
    wide_cell *codes;
    unsigned_cell *rows;
    unsigned room;
    int is_packed;
};

DEVICE void put_in_list(const struct select_list *list, unsigned at, wide code,
                        unsigned row)
{
    STORE(&list->codes[at], list->is_packed ? code << 32 | row : code);
    if (!list->is_packed)
        STORE(&list->rows[at], row);
}

DEVICE wide listed_code(const struct select_list *list, unsigned at)
{
    return list->is_packed ? LOAD(&list->codes[at]) >> 32 : LOAD(&list->codes[at]);
}

DEVICE unsigned listed_row(const struct select_list *list, unsigned at)
{
    return list->is_packed ? (unsigned)LOAD(&list->codes[at]) : LOAD(&list->rows[at]);
}

/* Put two rows in order. */
DEVICE void exchange(const struct select_list *list, unsigned a, unsigned b)
{
    const wide x = LOAD(&list->codes[a]), y = LOAD(&list->codes[b]);

    if (list->is_packed) {
        if (y < x) {
            STORE(&list->codes[a], y);
            STORE(&list->codes[b], x);
        }
    } else if (y <= x) {
        const unsigned i = LOAD(&list->rows[a]), j = LOAD(&list->rows[b]);

        if (y < x || j < i) {
            STORE(&list->codes[a], y);
            STORE(&list->codes[b], x);
            STORE(&list->rows[a], j);
            STORE(&list->rows[b], i);
        }
    }
}

/*
 * A bitonic sort in which all comparisons go the same way, so that places after the last
 * row need not exist. By a warp or a block of `threads` threads.
 */
DEVICE void sort_list(const struct select_list *list, unsigned count, unsigned thread,
                      unsigned threads)
{
    for (unsigned size = 2; size < 2 * count; size *= 2) {
        for (unsigned step = size / 2; step > 0; step /= 2) {
            for (unsigned i = thread;; i += threads) {
                const unsigned a = 2 * i - (i & (step - 1));
                const unsigned b = step == size / 2 ? a ^ (size - 1) : a + step;

                if (a >= count)
                    break;
                if (b < count)
                    exchange(list, a, b);
            }
            if (threads > WARP)
                BARRIER();
            else
                WARP_BARRIER();
        }
    }
}

/*
 * The same for up to SELECT_FEW rows in a block, with two barriers: a few neighbouring
 * lanes count the rows before one, which then goes to that place.
 */
DEVICE void rank_list(const struct select_list *list, unsigned count)
{
    const unsigned lanes = (unsigned)(THREADS / SELECT_FEW);
    const unsigned at = (unsigned)THREAD / lanes;
    const int is_row = at < count;
    const wide code = is_row ? LOAD(&list->codes[at]) : 0;
    const unsigned row = is_row && !list->is_packed ? LOAD(&list->rows[at]) : 0;
    unsigned rank = 0;

    NO_UNROLL
    for (unsigned from = (unsigned)THREAD % lanes; is_row && from < count;
         from += 4 * lanes) {
        UNROLL
        for (unsigned j = 0; j < 4; j++) {
            const unsigned i = from + j * lanes < count ? from + j * lanes : at;
            const wide other = LOAD(&list->codes[i]);

            rank += other < code ||
                    (other == code && !list->is_packed && LOAD(&list->rows[i]) < row);
        }
    }
    NO_UNROLL
    for (unsigned step = 1; step < lanes; step *= 2)
        rank += SHUFFLE_XOR(rank, step);
    BARRIER();
    if (is_row && (unsigned)THREAD % lanes == 0) {
        STORE(&list->codes[rank], code);
        if (!list->is_packed)
            STORE(&list->rows[rank], row);
    }
    BARRIER();
}

AGREE((int)SELECT_TEAM_THREADS >= (int)SELECT_FEW &&
      (int)SELECT_THREADS / (int)SELECT_FEW <= (int)WARP);

/*
 * More rows in a block are distributed to SELECT_BINS buckets of equal width, and ranked in
 * their bucket. Each thread has up to `each` rows, BUCKET_EACH at most.
 */
enum { BUCKET_EACH = 8, BUCKET_MOST = 24 };

struct bucket_rows {
    wide code[BUCKET_EACH];
    unsigned row[BUCKET_EACH], bin[BUCKET_EACH], place[BUCKET_EACH];
};

DEVICE int is_my_row(int i, unsigned count)
{
    return (unsigned)(i * THREADS + THREAD) < count;
}

/* Get my rows. Rows of one code go to buckets by their numbers. */
DEVICE void get_rows(struct bucket_rows *mine, const struct select_list *list,
                     unsigned count, const int each, unsigned_cell *bins)
{
    wide low = ~(wide)0, high = 0;
    int shift, by_row;

    UNROLL
    for (int i = 0; i < each; i++) {
        const int at = is_my_row(i, count) ? i * THREADS + THREAD : 0;

        mine->code[i] = LOAD(&list->codes[at]);
        mine->row[i] = list->is_packed ? 0 : LOAD(&list->rows[at]);
        low = mine->code[i] < low ? mine->code[i] : low;
        high = mine->code[i] > high ? mine->code[i] : high;
    }
    widen_by_block(&low, &high, 8, (wide_cell *)bins);
    by_row = low == high;
    if (by_row) {
        low = ~(wide)0;
        high = 0;
        UNROLL
        for (int i = 0; i < each; i++) {
            low = mine->row[i] < low ? mine->row[i] : low;
            high = mine->row[i] > high ? mine->row[i] : high;
        }
        widen_by_block(&low, &high, 4, (wide_cell *)bins);
    }
    shift = shift_of(high - low, SELECT_DIGIT);
    UNROLL
    for (int i = 0; i < each; i++)
        mine->bin[i] =
            (unsigned)(((by_row ? (wide)mine->row[i] : mine->code[i]) - low) >> shift);
}

/* Replace the counts of bins by where each begins. Returns the greatest count. */
DEVICE unsigned sum_bins(unsigned_cell *bins, unsigned_cell *sums)
{
    const int each = SELECT_BINS / THREADS;
    unsigned_cell *const mine = bins + THREAD * each;
    const int warp = LANE % (THREADS / WARP);
    unsigned sum = 0, most = 0, before;

    for (int i = 0; i < each; i++) {
        const unsigned count = LOAD(&mine[i]);

        sum += count;
        most = count > most ? count : most;
    }
    before = sum_up_to_lane(sum);
    most = GREATEST(most);
    if (LANE == WARP - 1)
        STORE(&sums[THREAD / WARP], before);
    BARRIER();
    before += SUM(LANE < THREAD / WARP ? LOAD(&sums[LANE]) : 0) - sum;
    for (int i = 0; i < each; i++) {
        const unsigned count = LOAD(&mine[i]);

        STORE(&mine[i], before);
        before += count;
    }
    BARRIER();
    if (LANE == 0)
        STORE(&sums[THREAD / WARP], most);
    BARRIER();
    return GREATEST(LOAD(&sums[warp]));
}

DEVICE void put_rows(const struct select_list *list, const struct bucket_rows *mine,
                     unsigned count, const int each)
{
    UNROLL
    for (int i = 0; i < each; i++) {
        if (is_my_row(i, count)) {
            STORE(&list->codes[mine->place[i]], mine->code[i]);
            if (!list->is_packed)
                STORE(&list->rows[mine->place[i]], mine->row[i]);
        }
    }
    BARRIER();
}

/* Where row `i` of mine goes in its bucket. */
DEVICE unsigned place_in_bucket(const struct select_list *list,
                                const struct bucket_rows *mine, int i, unsigned count,
                                const unsigned_cell *bins)
{
    const unsigned next = mine->bin[i] + 1;
    const unsigned end = next < SELECT_BINS ? LOAD(&bins[next]) : count;
    unsigned place = LOAD(&bins[mine->bin[i]]);

    NO_UNROLL
    for (unsigned at = place; at < end; at++) {
        const wide other = LOAD(&list->codes[at]);

        place += other < mine->code[i] || (other == mine->code[i] && !list->is_packed &&
                                           LOAD(&list->rows[at]) < mine->row[i]);
    }
    return place;
}

/* 0, and the list as it was, if a bucket has too many rows. */
DEVICE int sort_by_buckets(const struct select_list *list, unsigned count, const int each,
                           unsigned_cell *bins, unsigned_cell *sums)
{
    struct bucket_rows mine;

    get_rows(&mine, list, count, each, bins);
    for (int i = THREAD; i < SELECT_BINS; i += THREADS)
        STORE(&bins[i], 0);
    BARRIER();
    UNROLL
    for (int i = 0; i < each; i++)
        mine.place[i] = is_my_row(i, count) ? ADD(PLAIN, &bins[mine.bin[i]], 1u) : 0;
    BARRIER();
    if (sum_bins(bins, sums) > BUCKET_MOST)
        return 0;
    UNROLL
    for (int i = 0; i < each; i++)
        mine.place[i] += LOAD(&bins[mine.bin[i]]);
    put_rows(list, &mine, count, each);
    UNROLL
    for (int i = 0; i < each; i++)
        mine.place[i] =
            is_my_row(i, count) ? place_in_bucket(list, &mine, i, count, bins) : 0;
    BARRIER();
    put_rows(list, &mine, count, each);
    return 1;
}

/* Sort the rows of a list in a block. */
DEVICE void order_list(const struct select_list *list, unsigned count, const int each,
                       unsigned_cell *bins, unsigned_cell *sums)
{
    if (count <= SELECT_FEW)
        rank_list(list, count);
    else if (!sort_by_buckets(list, count, each, bins, sums))
        sort_list(list, count, (unsigned)THREAD, (unsigned)THREADS);
}

/* Write the key of row `row` as row `at` of the result. */
DEVICE void write_key(const struct select_result *result, const struct key_code *enter,
                      wide at, unsigned row, wide code)
{
    const unsigned_cell *const words = (const unsigned_cell *)result->from;
    const wide_cell *const wides = (const wide_cell *)result->from;

    if (result->code_bytes == 4)
        STORE_AS(BULK, (unsigned_cell *)result->keys + at,
                 words ? LOAD(words + row) : unsigned_leave((unsigned)code, enter));
    else
        STORE_AS(BULK, (wide_cell *)result->keys + at,
                 wides ? LOAD(wides + row) : wide_leave(code, enter));
}

/* Write row `at` of the result; positions are counted from `begin`. */
DEVICE void write_result(const struct select_result *result, const struct key_code *enter,
                         wide at, unsigned row, wide begin, wide code)
{
    if (result->numbers)
        STORE_AS(BULK, (unsigned_cell *)result->numbers + at, row);
    if (result->position_bytes == 4)
        STORE_AS(BULK, (unsigned_cell *)result->positions + at, row - (unsigned)begin);
    if (result->position_bytes == 8)
        STORE_AS(BULK, (wide_cell *)result->positions + at, row - begin);
    if (result->keys)
        write_key(result, enter, at, row, code);
}
