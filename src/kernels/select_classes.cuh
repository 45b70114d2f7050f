/*
 * select_classes.cuh - for select_filter: the rows whose codes lie in a range, in order of
 * position. Blocks take one tile after the other, and find how many rows come before their
 * tile by looking back at the tiles before it, whose counts are posted in cells.
 */

/* Of each tile, from the top: 2 bits of state, and counts. */
enum { TILE_COUNTED = 1, TILE_SUMMED = 2, COUNT_BITS = 31 };
#define MOST_COUNT ((1u << COUNT_BITS) - 1)

/*
 * Rows are of three classes: `high` with the highest code of the range, `low` with the
 * lowest, and those between. All go to the result, but only some of those that are low or
 * high.
 */
struct select_classes {
    wide low, high;
    int is_two_sided; /* there may be low rows */
    int is_one_code;  /* all are low */
};

/* Which of them are taken, and where they go. */
struct select_limits {
    wide skip; /* low rows that are not taken, ... */
    wide most; /* ... and high rows that are; of one code, low rows up to there */
    wide capacity;
    unsigned *out;
    int is_one_code;
};

/* Rows of each class before a row. */
struct select_counts {
    unsigned between, high, low;
};

/*
 * A block takes `span` tiles together, a warp the same part of each. These parts are in
 * order of position. First [i + 1] is the count of part i; then all before part i + 1.
 */
struct filter_shared {
    unsigned_cell between[WARP + 1];
    unsigned_cell high[WARP + 1];
    unsigned_cell low[WARP + 1];
    unsigned_cell ticket;
};

AGREE(sizeof(struct filter_shared) == SELECT_FILTER_SHARED);

DEVICE struct select_classes classes_of(const struct select_args *args)
{
    const struct select_state *const state = args->state;
    struct select_classes made;

    made.is_two_sided = args->is_two_sided;
    made.low = args->is_two_sided ? LOAD(cell_of(&state->end[0].low)) : 0;
    made.high = LOAD(cell_of(&state->end[1].high));
    made.is_one_code = args->is_two_sided && made.low == made.high;
    return made;
}

DEVICE struct select_limits limits_of(const struct select_args *args,
                                      const struct select_classes *classes)
{
    const struct select_state *const state = args->state;
    struct select_limits made;

    made.is_one_code = classes->is_one_code;
    made.skip = LOAD(cell_of(&state->skip));
    made.most = LOAD(cell_of(&state->most));
    made.capacity = args->last - args->first;
    made.out = args->out;
    return made;
}

/* The class of a code: 1 between, 2 high, 4 low, 0 none. */
DEVICE unsigned class_of(const struct select_classes *classes, wide code)
{
    if (classes->is_one_code)
        return code == classes->low ? 4 : 0;
    if (code >= classes->high)
        return code == classes->high ? 2 : 0;
    return classes->is_two_sided && code == classes->low ? 4 : code >= classes->low;
}

/* How many rows before a row are taken. */
DEVICE wide taken_before(const struct select_limits *limits,
                         const struct select_counts *before)
{
    wide low = before->low;
    wide high = before->high;

    if (limits->is_one_code)
        low = low < limits->most ? low : limits->most;
    low = low > limits->skip ? low - limits->skip : 0;
    high = high < limits->most ? high : limits->most;
    return before->between + high + low;
}

/* Rows of each class before a part. */
DEVICE struct select_counts counts_before(const struct filter_shared *sm, unsigned part)
{
    struct select_counts counts;

    counts.between = LOAD(&sm->between[part]);
    counts.high = LOAD(&sm->high[part]);
    counts.low = LOAD(&sm->low[part]);
    return counts;
}

/* Keep the counts of a part, of which every lane has some. */
DEVICE void keep_counts(struct filter_shared *sm, unsigned part, unsigned between,
                        unsigned high, unsigned low, int two)
{
    const unsigned both = SUM(high << 16 | between);
    const unsigned lows = two ? SUM(low) : 0;

    if (LANE == 0) {
        STORE(&sm->between[part + 1], both & 0xffff);
        STORE(&sm->high[part + 1], both >> 16);
        STORE(&sm->low[part + 1], lows);
    }
}

DEVICE void post_counts(wide *cells, wide state, struct select_counts counts, int two)
{
    const wide between = counts.between < MOST_COUNT ? counts.between : MOST_COUNT;
    const wide high = counts.high < MOST_COUNT ? counts.high : MOST_COUNT;

    POST(CUT, cell_of(cells), state << 62 | high << COUNT_BITS | between);
    if (two)
        POST(CUT, cell_of(cells + 1), state << 62 | counts.low);
}

/* Rows of each class before the tiles that have `mine`. One warp. */
DEVICE struct select_counts look_back(wide *cells, wide tile, struct select_counts mine,
                                      int two)
{
    const wide end = (wide)TILE_SUMMED << 62; /* before the first tile there is nothing */
    struct select_counts sum = {0, 0, 0};
    unsigned summed = tile == 0;

    if (LANE == 0)
        post_counts(cells + 2 * tile, tile ? TILE_COUNTED : TILE_SUMMED, mine, two);
    for (wide last = tile; !summed; last -= WARP) {
        const int is_tile = (wide)LANE < last;
        wide *const at = cells + 2 * (last - 1 - (wide)LANE);
        wide counts, low;
        int is_mine;

        do {
            counts = is_tile ? PEEK(CUT, cell_of(at)) : end;
            low = is_tile && two ? PEEK(CUT, cell_of(at + 1)) : counts >> 62 << 62;
            is_mine = counts >> 62 == 0 || counts >> 62 != low >> 62;
            if (is_mine)
                PAUSE();
        } while (BALLOT(is_mine));
        summed = BALLOT(counts >> 62 == TILE_SUMMED);
        is_mine = !summed || LANE <= LOWEST_BIT(summed);
        sum.between += SUM(is_mine ? (unsigned)counts & MOST_COUNT : 0);
        sum.high += SUM(is_mine ? (unsigned)(counts >> COUNT_BITS) & MOST_COUNT : 0);
        sum.low += SUM(is_mine ? (unsigned)low : 0);
        sum.between = sum.between < MOST_COUNT ? sum.between : MOST_COUNT;
        sum.high = sum.high < MOST_COUNT ? sum.high : MOST_COUNT;
    }
    mine.between += sum.between;
    mine.high += sum.high;
    mine.low += sum.low;
    if (LANE == 0 && tile)
        post_counts(cells + 2 * tile, TILE_SUMMED, mine, two);
    return sum;
}

/* The first warp adds up the counts of `parts` parts, and of all before. */
DEVICE void sum_parts(const struct select_args *args, struct filter_shared *sm,
                      unsigned span, unsigned parts)
{
    const int is_part = (unsigned)LANE < parts;
    struct select_counts here, all, before;

    here.between = sum_up_to_lane(is_part ? LOAD(&sm->between[LANE + 1]) : 0);
    here.high = sum_up_to_lane(is_part ? LOAD(&sm->high[LANE + 1]) : 0);
    here.low = sum_up_to_lane(is_part ? LOAD(&sm->low[LANE + 1]) : 0);
    all.between = SHUFFLE(here.between, WARP - 1);
    all.high = SHUFFLE(here.high, WARP - 1);
    all.low = SHUFFLE(here.low, WARP - 1);
    before = look_back(args->tiles, span, all, args->is_two_sided);
    STORE(&sm->between[LANE + 1], before.between + here.between);
    STORE(&sm->high[LANE + 1], before.high + here.high);
    STORE(&sm->low[LANE + 1], before.low + here.low);
    if (LANE == 0) {
        STORE(&sm->between[0], before.between);
        STORE(&sm->high[0], before.high);
        STORE(&sm->low[0], before.low);
    }
}
