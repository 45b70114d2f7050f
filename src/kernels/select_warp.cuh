/*
 * select_warp.cuh - a warp finds the first rows of a segment in one pass over its codes. It
 * keeps a list of rows that may be among them, and a code that later rows must come before.
 * When the list is long, it is cut down to little more than the wanted rows, and the code
 * becomes a lower one.
 */

enum { WARP_SORTED = 2 }; /* rows that a lane sorts */

struct warp_shared {
    wide_cell codes[SELECT_WARP_ROOM];
    unsigned_cell rows[SELECT_WARP_ROOM];
    unsigned_cell bins[SELECT_WARP_BINS];
    unsigned_cell found[4]; /* as in struct select_shared */
};

AGREE(sizeof(struct warp_shared) == SELECT_WARP_SHARED);
AGREE(SELECT_WARP_BINS % WARP == 0);
AGREE((int)SELECT_WARP_ROOM > (int)(WARP * wide_each + SELECT_WARP_MOST));

/* The list, and the code that later rows must come before; `is_open`: any row may. */
struct warp_top {
    struct select_list list;
    unsigned count;
    wide before;
    int is_open;
};

/* The list of a warp. */
DEVICE struct select_list list_in(struct warp_shared *sm, const int is_packed)
{
    const unsigned room = is_packed ? SELECT_WARP_ROOM * 12 / 8 : SELECT_WARP_ROOM;
    const struct select_list list = {sm->codes, sm->rows, room, is_packed};

    return list;
}

/* Where the counter of a bin is: neighbouring bins belong to one lane, in other banks. */
enum { WARP_BINS_EACH = SELECT_WARP_BINS / WARP };

DEVICE unsigned_cell *bin_at(struct warp_shared *sm, unsigned bin)
{
    return &sm->bins[bin % WARP_BINS_EACH * WARP + bin / WARP_BINS_EACH];
}

/* find_bin() by one warp. */
DEVICE void find_in_warp(struct warp_shared *sm, unsigned rank)
{
    enum { EACH = WARP_BINS_EACH };
    unsigned count[EACH];
    unsigned sum = 0, before;

    UNROLL
    for (int i = 0; i < EACH; i++) {
        count[i] = LOAD(bin_at(sm, (unsigned)(LANE * EACH + i)));
        sum += count[i];
    }
    before = sum_up_to_lane(sum) - sum;
    UNROLL
    for (int i = 0; i < EACH; i++) {
        if (rank - before < count[i]) {
            STORE(&sm->found[0], (unsigned)(LANE * EACH + i));
            STORE(&sm->found[1], before);
            STORE(&sm->found[2], count[i]);
        }
        before += count[i];
    }
    WARP_BARRIER();
}

/* Row `i` of the list, by which it is narrowed. Packed, it needs no number. */
DEVICE unsigned number_at(const struct select_list *list, unsigned i)
{
    return list->is_packed ? 0 : LOAD(&list->rows[i]);
}

/* A range that begins with the first row of the list, and ends near that of a rank. */
DEVICE struct select_range narrow_list(struct warp_shared *sm,
                                       const struct select_list *list, unsigned count,
                                       unsigned rank, unsigned slack)
{
    struct select_range range = {~(wide)0, 0, 0, rank, 0, 0};

    for (unsigned i = (unsigned)LANE; i < count; i += WARP) {
        const wide code = LOAD(&list->codes[i]);

        range.low = code < range.low ? code : range.low;
        range.high = code > range.high ? code : range.high;
    }
    widen_by_warp(&range.low, &range.high, 8);
    range.found = is_near(rank, count, 1, slack);
    if (!list->is_packed) /* else no two rows are equal */
        narrow_by_row(&range, 1ull << 32);
    while (!range.found) {
        const wide span = range.high - range.low;
        const int shift = shift_of(span, SELECT_WARP_DIGIT);

        WARP_BARRIER();
        UNROLL
        for (int i = 0; i < SELECT_WARP_BINS; i += WARP)
            STORE(&sm->bins[i + LANE], 0);
        WARP_BARRIER();
        for (unsigned i = (unsigned)LANE; i < count; i += WARP) {
            const wide place = place_in(&range, LOAD(&list->codes[i]), number_at(list, i));

            if (place <= span)
                ADD(PLAIN, bin_at(sm, (unsigned)(place >> shift)), 1u);
        }
        WARP_BARRIER();
        find_in_warp(sm, range.rank);
        narrow(&range, sm->found, SELECT_WARP_DIGIT, 1, slack);
        if (!list->is_packed)
            narrow_by_row(&range, 1ull << 32);
    }
    return range;
}

/* What is left of a list. */
struct warp_cut {
    wide last; /* the code of the last row, or a higher one */
    unsigned count;
};

/*
 * Keep the first `last` rows of a list of `count`, and up to `slack` more, in the order
 * they have.
 */
DEVICE struct warp_cut cut_rows(struct warp_shared *sm, int is_packed, unsigned count,
                                unsigned last, unsigned slack)
{
    const struct select_list list = list_in(sm, is_packed);
    const struct select_range end = narrow_list(sm, &list, count, last - 1, slack);
    const struct select_range begin = {0, 0, 0, 0, 0, 0};
    struct select_bound low, high;
    struct warp_cut cut = {0, 0};

    bounds_of(&begin, &end, &low, &high);
    for (unsigned from = 0; from < count; from += WARP) {
        const unsigned i = from + (unsigned)LANE;
        const int is_row = i < count;
        const wide code = is_row ? LOAD(&list.codes[i]) : 0;
        const unsigned row = is_row ? number_at(&list, i) : 0;
        const int takes = is_row && is_between(&low, &high, code, row);
        const unsigned all = BALLOT(takes);

        WARP_BARRIER(); /* before these are overwritten */
        if (takes) {
            const unsigned at = cut.count + (unsigned)BITS(all & ((1u << LANE) - 1));

            STORE(&list.codes[at], code);
            if (!list.is_packed)
                STORE(&list.rows[at], row);
        }
        cut.count += (unsigned)BITS(all);
    }
    WARP_BARRIER();
    cut.last = list.is_packed ? high.code >> 32 : high.code;
    return cut;
}

DEVICE void cut_list(struct warp_shared *sm, struct warp_top *top, unsigned last,
                     unsigned slack)
{
    const struct warp_cut cut = cut_rows(sm, top->list.is_packed, top->count, last, slack);

    top->count = cut.count;
    top->before = cut.last;
    top->is_open = 0;
}

/* Rows that a warp loads together. */
DEVICE unsigned chunk_of(const int code_bytes)
{
    return WARP * (code_bytes == 4 ? unsigned_each : wide_each);
}

/* A longer list is cut down before more rows are listed. */
DEVICE unsigned long_list(const struct warp_top *top)
{
    return top->list.room - chunk_of(top->list.is_packed ? 4 : 8);
}

/* May a row with this code be among the first? */
DEVICE int may_count(const struct warp_top *top, wide code)
{
    const int is_before =
        top->list.is_packed ? (unsigned)code < (unsigned)top->before : code < top->before;

    return top->is_open || is_before;
}

/* List a row for each lane that `has` one, if it may be among the first. */
DEVICE void list_row(struct warp_top *top, int has, wide code, unsigned row)
{
    const int takes = has && may_count(top, code);
    const unsigned all = BALLOT(takes);

    if (takes)
        put_in_list(&top->list, top->count + (unsigned)BITS(all & ((1u << LANE) - 1)), code,
                    row);
    top->count += (unsigned)BITS(all);
}

/*
 * List rows of a pack, which are neighbours from `place` of the view on, in order of
 * position: `mine` has a bit for each. The counts of all lanes are added up bit by bit.
 */
DEVICE void list_pack(struct warp_top *top, const struct select_view *view, wide place,
                      const wide *code, unsigned mine, const int pack)
{
    const unsigned count = (unsigned)BITS(mine), lower = (1u << LANE) - 1;
    unsigned at = top->count;

    UNROLL
    for (int bit = 0; 1 << bit <= pack; bit++) {
        const unsigned some = BALLOT(count >> bit & 1);

        at += (unsigned)BITS(some & lower) << bit;
        top->count += (unsigned)BITS(some) << bit;
    }
    UNROLL
    for (int j = 0; j < pack; j++) {
        if (mine >> j & 1)
            put_in_list(&top->list, at++, code[j], row_at(view, place + j));
    }
}

/* Load my codes of a chunk: bit i of the result for each code i that has a row. */
DEVICE unsigned load_chunk(const struct select_view *view, wide from, wide *code,
                           const int code_bytes)
{
    const wide end = from + chunk_of(code_bytes);

    if (code_bytes == 4) {
        unsigned narrow[unsigned_each];
        const unsigned has =
            unsigned_load(narrow, view, from, end, from + LANE * unsigned_pack);

        UNROLL
        for (int i = 0; i < unsigned_each; i++)
            code[i] = narrow[i];
        return has;
    }
    return wide_load(code, view, from, end, from + LANE * wide_pack);
}

DEVICE wide least_code(const wide *code, const int code_bytes)
{
    wide least = code[0];

    UNROLL
    for (int i = 1; i < (code_bytes == 4 ? unsigned_each : wide_each); i++) {
        const int is_less =
            code_bytes == 4 ? (unsigned)code[i] < (unsigned)least : code[i] < least;

        least = is_less ? code[i] : least;
    }
    return least;
}

/*
 * Skip chunks that have none of the first rows, two at a time, from `chunk` on. They must
 * be full ones, and the last of all `chunks` is none of them.
 */
DEVICE unsigned skip_chunks(const struct warp_top *top, const struct select_view *view,
                            unsigned chunk, unsigned chunks, const int code_bytes)
{
    if (top->is_open || !view->is_dense)
        return chunk;
    NO_UNROLL
    for (; chunk + 2 < chunks; chunk += 2) {
        const wide from = (wide)chunk * chunk_of(code_bytes);
        const wide least = code_bytes == 4
                               ? unsigned_least_of_two(view, from + LANE * unsigned_pack)
                               : wide_least_of_two(view, from + LANE * wide_pack);

        if (BALLOT(may_count(top, least)))
            break;
    }
    return chunk;
}

/* List the rows of the chunk at place `from` of a view. */
DEVICE void list_rows(struct warp_top *top, const struct select_view *view, wide from,
                      const int code_bytes, const int is_bounded)
{
    const int each = code_bytes == 4 ? unsigned_each : wide_each;
    const int pack = code_bytes == 4 ? unsigned_pack : wide_pack;
    wide code[unsigned_each];
    const unsigned has = load_chunk(view, from, code, code_bytes);

    if (is_bounded && !BALLOT(may_count(top, least_code(code, code_bytes))))
        return;
    UNROLL
    for (int i = 0; i < each; i += pack) {
        unsigned mine = 0;

        UNROLL
        for (int j = 0; j < pack; j++)
            mine |= (unsigned)(has >> (i + j) & may_count(top, code[i + j])) << j;
        list_pack(top, view, from + (wide)(i * WARP + LANE * pack), &code[i], mine, pack);
    }
    WARP_BARRIER();
}

/*
 * The first `last` rows of a view, and perhaps more, in a list, by position. Of rows with
 * equal codes the later must have the greater number. So a later row is listed only if its
 * code is less than the code of the last row of the first `last`.
 *
 * Few rows may be listed if `is_bounded`: none whose code exceeds `bound`. All ones: no
 * code does.
 */
DEVICE struct warp_top select_in_warp(struct warp_shared *sm,
                                      const struct select_view *view, const int code_bytes,
                                      unsigned last, const int is_bounded, wide bound)
{
    const unsigned chunks =
        (unsigned)(((wide)view->lead + view->count + chunk_of(code_bytes) - 1) /
                   chunk_of(code_bytes));
    struct warp_top top = {list_in(sm, code_bytes == 4), 0, 0, 1};

    unsigned before = ~0u;

    if (is_bounded) {
        top.before = bound + 1;
        top.is_open = top.before == 0;
    }
    WARP_BARRIER(); /* the list may be overwritten */
    NO_UNROLL
    for (unsigned chunk = 0; chunk < chunks; chunk++) {
        unsigned slack;

        if (is_bounded && top.count == before) /* as the chunk before: it had none */
            chunk = skip_chunks(&top, view, chunk, chunks, code_bytes);
        slack = chunk + 1 < chunks ? long_list(&top) - last : 0;
        before = top.count;
        list_rows(&top, view, (wide)chunk * chunk_of(code_bytes), code_bytes, is_bounded);
        if (top.count > last + slack)
            cut_list(sm, &top, last, slack / 4);
    }
    return top;
}

/* Compare my packed rows with those whose places differ in the bits of `mask`. */
DEVICE void exchange_lanes(wide *row, const int mask)
{
    const int across = mask / WARP; /* the bits of i: see sort_lanes() */
    wide other[WARP_SORTED];

    UNROLL
    for (int i = 0; i < WARP_SORTED; i++)
        other[i] =
            mask % WARP ? SHUFFLE_XOR(row[i ^ across], mask % WARP) : row[i ^ across];
    UNROLL
    for (int i = 0; i < WARP_SORTED; i++) {
        const int is_lower = across ? i < (i ^ across) : LANE < (LANE ^ mask);

        row[i] = (other[i] < row[i]) == is_lower ? other[i] : row[i];
    }
}

/*
 * Sort up to WARP_SORTED packed rows of each lane by a bitonic network in which all
 * comparisons go the same way. Row i of a lane is at place i * WARP + LANE.
 */
DEVICE void sort_lanes(wide_cell *rows, unsigned count)
{
    wide row[WARP_SORTED];

    UNROLL
    for (int i = 0; i < WARP_SORTED; i++) {
        const unsigned at = (unsigned)(i * WARP + LANE);

        row[i] = at < count ? LOAD(&rows[at]) : ~(wide)0;
    }
    UNROLL
    for (int size = 2; size <= WARP * WARP_SORTED; size *= 2) {
        exchange_lanes(row, size - 1);
        UNROLL
        for (int step = size / 4; step > 0; step /= 2)
            exchange_lanes(row, step);
    }
    UNROLL
    for (int i = 0; i < WARP_SORTED; i++) {
        const unsigned at = (unsigned)(i * WARP + LANE);

        if (at < count)
            STORE(&rows[at], row[i]);
    }
    WARP_BARRIER();
}

/* Sort a list. */
DEVICE void sort_top(const struct warp_top *top)
{
    if (top->list.is_packed && top->count <= WARP * WARP_SORTED)
        sort_lanes(top->list.codes, top->count);
    else
        sort_list(&top->list, top->count, (unsigned)LANE, WARP);
}
