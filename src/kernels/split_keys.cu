/*
 * split_keys.cu - where to cut lists so that a given number of rows lies before the cuts,
 * by a code of up to 8 bytes.
 *
 * The search is for a value, the code of the last row before the cut: the least value
 * that at least `rank` rows do not exceed. Values between two known ones are guessed by
 * interpolation as long as that makes good progress. Otherwise guesses alternate: a code
 * at the expected place of the longest window, the middle of the values, interpolation.
 * So no data takes more than 3 rounds for each bit of a code.
 *
 * When at most 32 rows are left in all windows, their codes are loaded, one a lane, and
 * ranked. If the value is known before that, the rows in the windows are equal.
 */

/* A list, and where it has the first part of its codes. */
struct split_list {
    unsigned number;
    wide at;
};

DEVICE struct split_list split_list_of(const struct split_keys_args *args, unsigned number)
{
    struct split_list list;

    list.number = number;
    list.at = LOAD((const wide_cell *)args->lists.at + number);
    return list;
}

/* The code of a row of a list. */
DEVICE wide split_code(const struct split_keys_args *args, struct split_list list, wide row)
{
    const wide_cell *const others =
        (const wide_cell *)args->lists.at + list.number; /* of the other parts */
    wide code = 0;

    NO_UNROLL
    for (int i = 0; i < args->part_count; i++) {
        const struct code_part *const part = &args->part[i];
        const wide at = i ? LOAD(others + (wide)i * args->lists.list_count) : list.at;
        const wide field = field_code_of(
            load_bits((const void *)(at + row * part->pitch), part->bytes, part->is_string),
            &part->code);

        code = (part->bits < 64 ? code << part->bits : 0) | field;
    }
    return code;
}

/* How many rows of a list in [lo, hi] have codes up to `value`, galloping from `guess`. */
DEVICE wide split_up_to(const struct split_keys_args *args, struct split_list list, wide lo,
                        wide hi, wide guess, wide step, wide value)
{
    int up;

    if (lo >= hi)
        return lo;
    up = split_code(args, list, guess) <= value;
    if (up)
        lo = guess + 1;
    else
        hi = guess;
    NO_UNROLL
    for (int going = 1; going && lo < hi; step *= 4) { /* in growing steps */
        const wide last = hi - 1 - lo;
        const wide far = step < last ? step : last;
        const wide probe = up ? lo + far : hi - 1 - far;
        const int within = split_code(args, list, probe) <= value;

        if (within)
            lo = probe + 1;
        else
            hi = probe;
        going = within == up;
    }
    NO_UNROLL
    while (lo < hi) {
        const wide middle = lo + (hi - lo) / 2;

        if (split_code(args, list, middle) <= value)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* What is known about the value that is sought. */
struct split_values {
    wide low;  /* it is not less, ... */
    wide high; /* ... nor greater */
    wide seen; /* rows that were left before the last two rounds */
    int round;
    int was_below; /* the last guess was too low: 1, too high: -1; 0: there is none */
};

DEVICE wide split_greatest(wide v)
{
    UNROLL
    for (int step = WARP / 2; step > 0; step /= 2) {
        const wide other = SHUFFLE_XOR(v, step);

        v = other > v ? other : v;
    }
    return v;
}

/* Codes of all rows are from `low` to `high`. */
DEVICE struct split_values split_range(const struct split_keys_args *args,
                                       const struct split_task *t)
{
    struct split_values v;
    wide low = args->most;
    wide high = 0;

    NO_UNROLL
    for (unsigned i = LANE; i < t->lists->list_count; i += WARP) {
        const wide length = LOAD(t->hi + i);

        if (length) {
            const struct split_list list = split_list_of(args, i);
            const wide first = split_code(args, list, 0);
            const wide last = split_code(args, list, length - 1);

            low = first < low ? first : low;
            high = last > high ? last : high;
        }
    }
    v.low = ~split_greatest(~low);
    v.high = split_greatest(high);
    v.seen = ~(wide)0;
    v.round = 0;
    v.was_below = 0;
    return v;
}

/* 2 to the power of half the logarithm of n, about its root. */
DEVICE wide split_root(wide n)
{
    const unsigned high = (unsigned)(n >> 32);
    const unsigned low = (unsigned)n;

    return (wide)1 << (high ? 32 + HIGHEST_BIT(high) : HIGHEST_BIT(low | 1)) / 2;
}

/* The part of `whole` that `share` is. */
DEVICE wide split_part(wide whole, float share)
{
    const wide part = share < 1 ? (wide)(share * (float)whole) : whole;

    return part < whole ? part : whole;
}

/* The code at the expected place of the longest window. */
DEVICE wide split_typical(const struct split_keys_args *args, const struct split_task *t,
                          float share)
{
    wide longest = 0;
    unsigned mine = 0;

    NO_UNROLL
    for (unsigned i = LANE; i < t->lists->list_count; i += WARP) {
        const wide length = LOAD(t->hi + i) - LOAD(t->lo + i);

        mine = length > longest ? i : mine;
        longest = length > longest ? length : longest;
    }

    const wide most = split_greatest(longest);
    const int lane = LOWEST_BIT(BALLOT(longest == most));
    const unsigned list = SHUFFLE(mine, lane);
    const wide lo = SHUFFLE(LANE == lane ? LOAD(t->lo + list) : 0, lane);

    return split_code(args, split_list_of(args, list), lo + split_part(most - 1, share));
}

/* A value from `low` on, and less than `high`. */
DEVICE wide split_guess(const struct split_keys_args *args, const struct split_task *t,
                        const struct split_values *v)
{
    const wide open = t->above - t->below;
    const wide need = t->rank - t->below;
    const wide rest = t->above - t->rank;
    const wide margin = split_root(need < rest ? need : rest);
    const int good = v->round < 2 || open < v->seen / 8;
    wide aim = need;
    wide value;

    /* A guess on the other side of the rank makes both ends of the windows good. */
    if (v->was_below > 0)
        aim = need + 2 * margin < open ? need + 2 * margin : open;
    if (v->was_below < 0)
        aim = need > 2 * margin ? need - 2 * margin : 0;

    const float share = QUOTIENT((float)aim, (float)open);

    if (!good && v->round % 3 == 0)
        value = split_typical(args, t, share);
    else if (!good && v->round % 3 == 1)
        value = v->low + (v->high - v->low) / 2;
    else
        value = v->low + split_part(v->high - v->low, share);
    value = value < v->high ? value : v->high - 1;
    return value > v->low ? value : v->low;
}

/* Count the rows of all lists up to a value, and narrow the windows. */
DEVICE void split_try(const struct split_keys_args *args, struct split_task *t,
                      struct split_values *v, wide value)
{
    const float share = QUOTIENT((float)(t->rank - t->below), (float)(t->above - t->below));
    wide total = 0;

    NO_UNROLL
    for (unsigned i = LANE; i < t->lists->list_count; i += WARP) {
        const wide lo = LOAD(t->lo + i);
        const wide hi = LOAD(t->hi + i);
        wide before = lo;

        if (lo < hi) {
            const wide guess = lo + split_part(hi - 1 - lo, share);
            const wide nearer = guess - lo < hi - guess ? guess - lo : hi - guess;

            before = split_up_to(args, split_list_of(args, i), lo, hi, guess,
                                 split_root(nearer), value);
        }
        STORE(t->before + i, before);
        total += before;
    }
    total = split_sum(total);
    v->was_below = total < t->rank ? 1 : -1;
    if (total < t->rank)
        v->low = value + 1;
    else
        v->high = value;
    split_narrow(t, total, ~0u);
}

/* The row at place LANE of the concatenated windows, which have at most 32 rows. */
DEVICE struct split_place split_mine(const struct split_task *t)
{
    const unsigned count = t->lists->list_count;
    struct split_place mine = {0, 0};
    int passed = 0;

    NO_UNROLL
    for (unsigned base = 0; base < count; base += WARP) {
        const unsigned i = base + LANE;
        const wide lo = i < count ? LOAD(t->lo + i) : 0;
        const int length = i < count ? (int)(LOAD(t->hi + i) - lo) : 0;
        const int end = passed + (int)split_sum_up_to((wide)length);
        const int begin = end - length;
        int lane = 0; /* the last whose window begins at or before my place */

        UNROLL
        for (int step = WARP / 2; step > 0; step /= 2)
            lane += SHUFFLE(begin, lane + step) <= LANE ? step : 0;

        const wide row = SHUFFLE(lo - (wide)begin, lane) + (wide)LANE;
        const int last = SHUFFLE(end, WARP - 1);

        if (LANE >= passed && LANE < last) {
            mine.list = base + (unsigned)lane;
            mine.row = row;
        }
        passed = last;
    }
    return mine;
}

/* At most 32 rows are left: rank them, and narrow the windows to the cut. */
DEVICE void split_few(const struct split_keys_args *args, struct split_task *t)
{
    const unsigned count = t->lists->list_count;
    const int open = (int)(t->above - t->below);
    const int need = (int)(t->rank - t->below);
    const struct split_place mine = split_mine(t);
    const struct split_list list = split_list_of(args, mine.list);
    const wide code = LANE < open ? split_code(args, list, mine.row) : 0;
    int rank = 0;
    int passed = 0;

    NO_UNROLL
    for (int i = 0; i < open; i++) {
        const wide other = SHUFFLE(code, i);

        rank += other < code || (other == code && i < LANE);
    }

    const unsigned taken = BALLOT(LANE < open && rank < need);

    NO_UNROLL
    for (unsigned base = 0; base < count; base += WARP) {
        const unsigned i = base + LANE;
        const wide lo = i < count ? LOAD(t->lo + i) : 0;
        const int length = i < count ? (int)(LOAD(t->hi + i) - lo) : 0;
        const int end = passed + (int)split_sum_up_to((wide)length);
        const unsigned window = length ? (~0u >> (WARP - length)) << (end - length) : 0;

        if (i < count)
            STORE(t->lo + i, lo + (wide)BITS(taken & window));
        passed = SHUFFLE(end, WARP - 1);
    }
    t->below = t->rank;
}

/* Find the cut of rank number `number` and write it. */
DEVICE void split_by_code(const struct split_keys_args *args, struct split_task *t,
                          wide number)
{
    split_begin(t, number);
    if (!split_is_done(t)) {
        struct split_values v = split_range(args, t);

        NO_UNROLL
        while (!split_is_done(t) && v.low < v.high && t->above - t->below > WARP) {
            const wide open = t->above - t->below;

            split_try(args, t, &v, split_guess(args, t, &v));
            v.seen = open;
            v.round++;
        }
        if (!split_is_done(t) && v.low < v.high)
            split_few(args, t);
    }
    split_store(t, number);
}

enum { split_keys_blocks = 8 };

/* Each warp cuts by one rank after another. */
KERNEL(split_keys, struct split_keys_args)
{
    const wide warp = ((wide)BLOCK * THREADS + THREAD) / WARP;
    struct split_task t = split_task_of(&args.lists, warp);

    if (warp >= args.lists.warps)
        return;
    NO_UNROLL
    for (wide number = warp; number < args.lists.rank_count; number += args.lists.warps)
        split_by_code(&args, &t, number);
}
