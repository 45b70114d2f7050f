/*
 * select_team.cuh - a team, which is a warp or a block, selects rows of a segment: it
 * narrows the range of codes as select_count does, collects the rows in shared memory and
 * sorts them.
 */

enum { SELECT_FEW = 128 }; /* rows that are ordered by counting */

AGREE((int)SELECT_FEW <= (int)SELECT_THREADS);

struct select_team {
    unsigned_cell *bins;
    wide_cell *codes; /* of the selected rows */
    unsigned_cell *rows;
    unsigned_cell *note; /* what find_in_team found; [3]: rows collected */
    unsigned_cell *sums; /* a block's: of each warp */
    wide_cell *ends;     /* also, two of each */
    int digit;
    int is_block;
};

/* Rows to select from: neighbours, or those whose numbers are listed. */
struct select_items {
    struct select_view view;
    const unsigned *numbers;
    wide begin;
    unsigned count;
    int code_bytes;
};

DEVICE void meet(const struct select_team *team)
{
    if (team->is_block)
        BARRIER();
    else
        WARP_BARRIER();
}

DEVICE unsigned team_thread(const struct select_team *team)
{
    return (unsigned)(team->is_block ? THREAD : LANE);
}

DEVICE unsigned team_threads(const struct select_team *team)
{
    return (unsigned)(team->is_block ? SELECT_THREADS : WARP);
}

DEVICE unsigned item_row(const struct select_items *items, unsigned i)
{
    return items->numbers ? LOAD((const unsigned_cell *)items->numbers + i)
                          : (unsigned)items->begin + i;
}

DEVICE wide item_code(const struct select_items *items, unsigned row)
{
    return items->code_bytes == 4
               ? unsigned_enter(unsigned_bits_of(&items->view, row), &items->view.enter)
               : wide_enter(wide_bits_of(&items->view, row), &items->view.enter);
}

/* My `i`-th item of those from `from` on: neighbours have neighbouring items. */
DEVICE unsigned item_at(const struct select_team *team, unsigned from, int i)
{
    return from + (unsigned)i * team_threads(team) + team_thread(team);
}

/* The codes of my items from `from` on, SELECT_BATCH of them. */
DEVICE void load_batch(const struct select_team *team, const struct select_items *items,
                       unsigned from, wide *code)
{
    if (items->code_bytes == 4) {
        UNROLL
        for (int i = 0; i < SELECT_BATCH; i++) {
            const unsigned at = item_at(team, from, i);

            code[i] =
                at < items->count ? unsigned_bits_of(&items->view, item_row(items, at)) : 0;
        }
        UNROLL
        for (int i = 0; i < SELECT_BATCH; i++)
            code[i] = unsigned_enter((unsigned)code[i], &items->view.enter);
    } else {
        UNROLL
        for (int i = 0; i < SELECT_BATCH; i++) {
            const unsigned at = item_at(team, from, i);

            code[i] =
                at < items->count ? wide_bits_of(&items->view, item_row(items, at)) : 0;
        }
        UNROLL
        for (int i = 0; i < SELECT_BATCH; i++)
            code[i] = wide_enter(code[i], &items->view.enter);
    }
}

/* The least and the greatest code. */
DEVICE void team_ends(const struct select_team *team, const struct select_items *items,
                      wide *low, wide *high)
{
    wide code[SELECT_BATCH];

    *low = ~(wide)0;
    *high = 0;
    NO_UNROLL
    for (unsigned from = 0; from < items->count;
         from += SELECT_BATCH * team_threads(team)) {
        load_batch(team, items, from, code);
        UNROLL
        for (int i = 0; i < SELECT_BATCH; i++) {
            if (item_at(team, from, i) < items->count) {
                *low = code[i] < *low ? code[i] : *low;
                *high = code[i] > *high ? code[i] : *high;
            }
        }
    }
    for (int step = WARP / 2; step > 0; step /= 2) {
        const wide lower = SHUFFLE_XOR(*low, step);
        const wide upper = SHUFFLE_XOR(*high, step);

        *low = lower < *low ? lower : *low;
        *high = upper > *high ? upper : *high;
    }
    if (!team->is_block)
        return;
    if (LANE == 0) {
        STORE(&team->ends[2 * (THREAD / WARP)], *low);
        STORE(&team->ends[2 * (THREAD / WARP) + 1], *high);
    }
    BARRIER();
    NO_UNROLL
    for (int i = 0; i < SELECT_WARPS; i++) {
        const wide lower = LOAD(&team->ends[2 * i]);
        const wide upper = LOAD(&team->ends[2 * i + 1]);

        *low = lower < *low ? lower : *low;
        *high = upper > *high ? upper : *high;
    }
}

/* As find_bin. */
DEVICE void find_in_team(const struct select_team *team, unsigned rank)
{
    const int each = (1 << team->digit) / (int)team_threads(team);
    const unsigned_cell *const mine = team->bins + team_thread(team) * (unsigned)each;
    unsigned sum = 0, before;

    for (int i = 0; i < each; i++)
        sum += LOAD(&mine[i]);
    before = sum_to_here(sum);
    if (team->is_block) {
        if (LANE == WARP - 1)
            STORE(&team->sums[THREAD / WARP], before);
        BARRIER();
        NO_UNROLL
        for (int i = 0; i < THREAD / WARP; i++)
            before += LOAD(&team->sums[i]);
    }
    before -= sum;
    for (int i = 0; i < each; i++) {
        const unsigned count = LOAD(&mine[i]);

        if (rank - before < count) {
            STORE(&team->note[0], team_thread(team) * (unsigned)each + (unsigned)i);
            STORE(&team->note[1], before);
            STORE(&team->note[2], count);
        }
        before += count;
    }
    meet(team);
}

/* The range of codes that ends (`side` 1) or begins (0) with the row of a rank. */
DEVICE struct select_range team_narrow(const struct select_team *team,
                                       const struct select_items *items, wide low,
                                       wide high, unsigned rank, int side)
{
    wide code[SELECT_BATCH];
    struct select_range range;

    range.low = low;
    range.high = high;
    range.rank = rank;
    range.found = low == high;
    while (!range.found) {
        const wide span = range.high - range.low;
        const int shift = shift_of(span, team->digit);

        meet(team);
        for (unsigned i = team_thread(team); i < 1u << team->digit; i += team_threads(team))
            STORE(&team->bins[i], 0);
        meet(team);
        NO_UNROLL
        for (unsigned from = 0; from < items->count;
             from += SELECT_BATCH * team_threads(team)) {
            load_batch(team, items, from, code);
            UNROLL
            for (int i = 0; i < SELECT_BATCH; i++) {
                const wide distance = code[i] - range.low;

                add_to_bin(team->bins, (unsigned)(distance >> shift),
                           item_at(team, from, i) < items->count && distance <= span);
            }
        }
        meet(team);
        find_in_team(team, range.rank);
        narrow(&range, team->note, team->digit, side);
    }
    return range;
}

/* Collect a row for each lane that `takes` one. */
DEVICE void collect(const struct select_team *team, int takes, wide code, unsigned row)
{
    const unsigned most = team->is_block ? SELECT_MOST : SELECT_WARP_MOST;
    const unsigned all = BALLOT(takes);
    unsigned at = 0;

    if (all) {
        if (LANE == 0)
            at = ADD(PLAIN, &team->note[3], (unsigned)BITS(all));
        at = SHUFFLE(at, 0) + (unsigned)BITS(all & ((1u << LANE) - 1));
        if (takes && at < most) {
            STORE(&team->codes[at], code);
            STORE(&team->rows[at], row);
        }
    }
}

/* Of the rows with one code collect those from `first` to `last`, in order of position. */
DEVICE void collect_equal(const struct select_team *team, const struct select_items *items,
                          wide code, unsigned first, unsigned last)
{
    unsigned seen = 0;

    for (unsigned from = 0; from < items->count && seen < last;
         from += team_threads(team)) {
        const unsigned i = from + team_thread(team);
        unsigned row = 0, place, all;
        int takes = i < items->count;

        if (takes) {
            row = item_row(items, i);
            takes = item_code(items, row) == code;
        }
        all = BALLOT(takes);
        place = seen + (unsigned)BITS(all & ((1u << LANE) - 1));
        seen += (unsigned)BITS(all);
        if (team->is_block) {
            seen -= (unsigned)BITS(all);
            BARRIER();
            if (LANE == 0)
                STORE(&team->sums[THREAD / WARP], (unsigned)BITS(all));
            BARRIER();
            NO_UNROLL
            for (int w = 0; w < SELECT_WARPS; w++) {
                const unsigned theirs = LOAD(&team->sums[w]);

                place += w < THREAD / WARP ? theirs : 0;
                seen += theirs;
            }
        }
        collect(team, takes && place >= first && place < last, code, row);
    }
}

/* Collect the rows of ranks [first, last), last being at most their count. */
DEVICE void collect_ranks(const struct select_team *team, const struct select_items *items,
                          unsigned first, unsigned last)
{
    struct select_range begin, end;
    wide code[SELECT_BATCH];
    unsigned skip = 0, most = ~0u;

    begin.low = 0;
    end.high = ~(wide)0;
    if (first > 0 || last < items->count) {
        wide low, high;

        team_ends(team, items, &low, &high);
        if (first > 0) {
            begin = team_narrow(team, items, low, high, first, 0);
            skip = begin.rank;
        }
        if (last < items->count) {
            end = team_narrow(team, items, low, high, last - 1, 1);
            most = end.rank == ~0u ? ~0u : end.rank + 1;
        }
    }
    meet(team);
    if (team_thread(team) == 0)
        STORE(&team->note[3], 0);
    meet(team);
    NO_UNROLL
    for (unsigned from = 0; from < items->count;
         from += SELECT_BATCH * team_threads(team)) {
        load_batch(team, items, from, code);
        UNROLL
        for (int i = 0; i < SELECT_BATCH; i++) {
            const unsigned at = item_at(team, from, i);
            const int takes = at < items->count && code[i] >= begin.low &&
                              code[i] <= end.high && !(skip > 0 && code[i] == begin.low) &&
                              !(most != ~0u && code[i] == end.high);

            collect(team, takes, code[i], takes ? item_row(items, at) : 0);
        }
    }
    if (skip > 0 && most != ~0u && begin.low == end.high) {
        collect_equal(team, items, begin.low, skip, most);
    } else {
        if (skip > 0)
            collect_equal(team, items, begin.low, skip, ~0u);
        if (most != ~0u)
            collect_equal(team, items, end.high, 0, most);
    }
    meet(team);
}

/* Put two collected rows in order. */
DEVICE void exchange(const struct select_team *team, unsigned a, unsigned b)
{
    const wide x = LOAD(&team->codes[a]), y = LOAD(&team->codes[b]);
    const unsigned i = LOAD(&team->rows[a]), j = LOAD(&team->rows[b]);

    if (y < x || (y == x && j < i)) {
        STORE(&team->codes[a], y);
        STORE(&team->codes[b], x);
        STORE(&team->rows[a], j);
        STORE(&team->rows[b], i);
    }
}

/*
 * Sort the collected rows by code and number: a bitonic sort in which all comparisons go
 * the same way, so that places after the last row need not exist.
 */
DEVICE void sort_team(const struct select_team *team, unsigned count)
{
    for (unsigned size = 2; size < 2 * count; size *= 2) {
        for (unsigned step = size / 2; step > 0; step /= 2) {
            for (unsigned i = team_thread(team);; i += team_threads(team)) {
                const unsigned a = 2 * i - (i & (step - 1));
                const unsigned b = step == size / 2 ? a ^ (size - 1) : a + step;

                if (a >= count)
                    break;
                if (b < count)
                    exchange(team, a, b);
            }
            meet(team);
        }
    }
}

/*
 * The same for few rows in a block, without barriers: each thread counts the rows before
 * its own, which then goes to that place.
 */
DEVICE void rank_team(const struct select_team *team, unsigned count)
{
    const int is_mine = (unsigned)THREAD < count;
    const wide code = is_mine ? LOAD(&team->codes[THREAD]) : 0;
    const unsigned row = is_mine ? LOAD(&team->rows[THREAD]) : 0;
    unsigned rank = 0;

    NO_UNROLL
    for (unsigned i = 0; is_mine && i < count; i++) {
        const wide other = LOAD(&team->codes[i]);

        rank += other < code || (other == code && LOAD(&team->rows[i]) < row);
    }
    BARRIER();
    if (is_mine) {
        STORE(&team->codes[rank], code);
        STORE(&team->rows[rank], row);
    }
    BARRIER();
}

/* Put the collected rows in order. */
DEVICE void order_team(const struct select_team *team, unsigned count)
{
    if (team->is_block && count <= SELECT_FEW)
        rank_team(team, count);
    else
        sort_team(team, count);
}
