/*
 * select_warp.cuh - a warp finds the first rows of a segment in one pass over its codes. It
 * keeps a list of rows that may be among them, and a code that later rows must come before.
 * When the list is long, it is cut down to little more than the wanted rows, and the code
 * becomes a lower one.
 */

enum {
    WARP_LOADS = 8,                                  /* rows that a lane loads together */
    WARP_LONG = SELECT_WARP_ROOM - WARP_LOADS * WARP /* a longer list is cut down */
};

struct warp_shared {
    wide_cell codes[SELECT_WARP_ROOM];
    unsigned_cell rows[SELECT_WARP_ROOM];
    unsigned_cell bins[SELECT_WARP_BINS];
    unsigned_cell found[4]; /* as in struct select_shared */
};

AGREE(sizeof(struct warp_shared) == SELECT_WARP_SHARED);
AGREE(SELECT_WARP_BINS % WARP == 0);
AGREE((int)SELECT_WARP_ROOM > (int)(WARP_LOADS * WARP + SELECT_WARP_MOST));

/* The list, and the code that later rows must come before; `is_open`: any row may. */
struct warp_top {
    struct select_list list;
    unsigned count;
    wide before;
    int is_open;
};

/* As find_bin. */
DEVICE void find_in_warp(struct warp_shared *sm, unsigned rank)
{
    enum { EACH = SELECT_WARP_BINS / WARP };
    unsigned count[EACH];
    unsigned sum = 0, before;

    UNROLL
    for (int i = 0; i < EACH; i++) {
        count[i] = LOAD(&sm->bins[LANE * EACH + i]);
        sum += count[i];
    }
    before = sum_to_here(sum) - sum;
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
DEVICE struct select_range narrow_list(struct warp_shared *sm, const struct warp_top *top,
                                       unsigned rank, unsigned slack)
{
    const struct select_list *const list = &top->list;
    struct select_range range = {~(wide)0, 0, 0, rank, 0, 0};

    for (unsigned i = (unsigned)LANE; i < top->count; i += WARP) {
        const wide code = LOAD(&list->codes[i]);

        range.low = code < range.low ? code : range.low;
        range.high = code > range.high ? code : range.high;
    }
    widen_by_warp(&range.low, &range.high, 8);
    range.found = is_near(rank, top->count, 1, slack);
    narrow_by_row(&range, 1ull << 32);
    while (!range.found) {
        const wide span = range.high - range.low;
        const int shift = shift_of(span, SELECT_WARP_DIGIT);

        WARP_BARRIER();
        UNROLL
        for (int i = 0; i < SELECT_WARP_BINS; i += WARP)
            STORE(&sm->bins[i + LANE], 0);
        WARP_BARRIER();
        for (unsigned i = (unsigned)LANE; i < top->count; i += WARP) {
            const wide place = place_in(&range, LOAD(&list->codes[i]), number_at(list, i));

            if (place <= span)
                ADD(PLAIN, &sm->bins[place >> shift], 1u);
        }
        WARP_BARRIER();
        find_in_warp(sm, range.rank);
        narrow(&range, sm->found, SELECT_WARP_DIGIT, 1, slack);
        narrow_by_row(&range, 1ull << 32);
    }
    return range;
}

/* Keep the first `last` rows of the list, and perhaps `slack` more. */
DEVICE void cut_list(struct warp_shared *sm, struct warp_top *top, unsigned last,
                     unsigned slack)
{
    const struct select_list *const list = &top->list;
    const struct select_range end = narrow_list(sm, top, last - 1, slack);
    const struct select_range begin = {0, 0, 0, 0, 0, 0};
    struct select_bound low, high;
    unsigned kept = 0;

    bounds_of(&begin, &end, &low, &high);
    for (unsigned from = 0; from < top->count; from += WARP) {
        const unsigned i = from + (unsigned)LANE;
        const int is_row = i < top->count;
        const wide code = is_row ? LOAD(&list->codes[i]) : 0;
        const unsigned row = is_row ? number_at(list, i) : 0;
        const int takes = is_row && is_between(&low, &high, code, row);
        const unsigned all = BALLOT(takes);

        WARP_BARRIER(); /* before these are overwritten */
        if (takes) {
            const unsigned at = kept + (unsigned)BITS(all & ((1u << LANE) - 1));

            STORE(&list->codes[at], code);
            if (!list->is_packed)
                STORE(&list->rows[at], row);
        }
        kept += (unsigned)BITS(all);
    }
    WARP_BARRIER();
    top->count = kept;
    top->before = list->is_packed ? high.code >> 32 : high.code;
    top->is_open = 0;
}

/* A longer list is cut down before more rows are listed. */
DEVICE unsigned long_list(const struct warp_top *top)
{
    return top->list.room - WARP_LOADS * WARP;
}

/* List a row for each lane that `has` one, if it may be among the first. */
DEVICE void list_row(struct warp_top *top, int has, wide code, unsigned row)
{
    const int is_before =
        top->list.is_packed ? (unsigned)code < (unsigned)top->before : code < top->before;
    const int takes = has && (top->is_open || is_before);
    const unsigned all = BALLOT(takes);

    if (takes)
        put_in_list(&top->list, top->count + (unsigned)BITS(all & ((1u << LANE) - 1)), code,
                    row);
    top->count += (unsigned)BITS(all);
}

/* Load codes from place `from` of a view on, `left` of them. */
DEVICE void load_codes(const struct select_view *view, unsigned from, unsigned left,
                       wide *code, const int code_bytes)
{
    if (code_bytes == 4) {
        unsigned narrow[WARP_LOADS];

        UNROLL
        for (int i = 0; i < WARP_LOADS; i++) {
            const unsigned place = (unsigned)(i * WARP + LANE);

            narrow[i] = place < left ? unsigned_bits_of(view, (wide)from + place) : 0;
        }
        unsigned_encode(view, narrow, WARP_LOADS);
        UNROLL
        for (int i = 0; i < WARP_LOADS; i++)
            code[i] = narrow[i];
    } else {
        UNROLL
        for (int i = 0; i < WARP_LOADS; i++) {
            const unsigned place = (unsigned)(i * WARP + LANE);

            code[i] = place < left ? wide_bits_of(view, (wide)from + place) : 0;
        }
        wide_encode(view, code, WARP_LOADS);
    }
}

/* List rows from place `from` of a view on. */
DEVICE void list_rows(struct warp_top *top, const struct select_view *view, unsigned from)
{
    const unsigned left = view->count - from;
    wide code[WARP_LOADS];

    load_codes(view, from, left, code, top->list.is_packed ? 4 : 8);
    UNROLL
    for (int i = 0; i < WARP_LOADS; i++) {
        const int has = (unsigned)(i * WARP + LANE) < left;
        const unsigned place = from + (unsigned)(i * WARP + LANE);

        list_row(top, has, code[i],
                 !view->numbers ? view->base + place
                 : has          ? LOAD((const unsigned_cell *)view->numbers + place)
                                : 0);
    }
    WARP_BARRIER();
}

/*
 * The first `last` rows of [first, end) of a view, and perhaps a few more, in a list. Of
 * rows with equal codes the later must have the greater number. So a later row must have a
 * code below that of the last row that counts.
 */
DEVICE struct warp_top select_in_warp(struct warp_shared *sm,
                                      const struct select_view *view, const int code_bytes,
                                      unsigned last)
{
    const unsigned room = code_bytes == 4 ? SELECT_WARP_ROOM * 12 / 8 : SELECT_WARP_ROOM;
    const struct select_list list = {sm->codes, sm->rows, room, code_bytes == 4};
    struct warp_top top = {list, 0, 0, 1};

    WARP_BARRIER(); /* the list may be overwritten */
    NO_UNROLL
    for (unsigned from = 0; from < view->count; from += WARP_LOADS * WARP) {
        list_rows(&top, view, from);
        if (top.count > long_list(&top))
            cut_list(sm, &top, last, (long_list(&top) - last) / 4);
    }
    return top;
}

/* Cut a list down to the first `last` rows, if it has as many, and a few more; sort it. */
DEVICE void finish_list(struct warp_shared *sm, struct warp_top *top, unsigned last)
{
    if (top->count > last)
        cut_list(sm, top, last, last / 4);
    sort_list(&top->list, top->count, (unsigned)LANE, WARP);
}

/* Both; a constant width is shorter code. */
DEVICE struct warp_top select_sorted(struct warp_shared *sm, const struct select_view *view,
                                     int code_bytes, unsigned last)
{
    struct warp_top top;

    if (code_bytes == 4) {
        top = select_in_warp(sm, view, 4, last);
        finish_list(sm, &top, last);
    } else {
        top = select_in_warp(sm, view, 8, last);
        finish_list(sm, &top, last);
    }
    return top;
}
