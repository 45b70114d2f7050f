/*
 * segment_merge.cu - merge the parts of segments that lie in several runs
 * (launch_segments.h).
 *
 * A run is some windows, and `ways` neighbouring runs are a group. A segment that crosses
 * a boundary of runs is merged in each group that it touches: its lists are its parts in
 * the runs. A single part is copied, since the next round reads what this one writes. Each
 * block merges those rows of the result that are in its piece of the group, for
 * one segment after the other; there are rarely more than two. Cuts are found as by
 * tile_join, but without samples.
 */

enum { segment_merge_blocks = 1024 / TILE_ROWS };

/* The rows of a block. */
struct segment_piece {
    wide begin; /* of the group */
    wide end;
    wide first; /* of the block */
    wide last;
};

DEVICE struct segment_piece my_piece(const struct tile_round *round)
{
    const wide group = (unsigned)BLOCK / round->pieces;
    const wide whole = round->ways * round->run;
    struct segment_piece piece;

    piece.begin = group * whole;
    piece.end = piece.begin + whole < round->count ? piece.begin + whole : round->count;
    piece.first = piece.begin + (unsigned)BLOCK % round->pieces * round->piece;
    piece.last =
        piece.first + round->piece < piece.end ? piece.first + round->piece : piece.end;
    return piece;
}

/* The lists of a segment in a group, and the cut at the row `row` of the result. */
DEVICE struct cut_task segment_task(const struct tile_round *round,
                                    const struct segment_piece *piece,
                                    const struct segment_span *span, wide row)
{
    const wide begin = span->begin > piece->begin ? span->begin : piece->begin;
    const wide end = span->end < piece->end ? span->end : piece->end;
    const wide from = piece->begin + LANE * round->run;
    const wide until = from + round->run < end ? from + round->run : end;
    struct cut_task t;

    t.list_first = from > begin ? from : begin;
    t.length =
        LANE < round->ways && t.list_first < until ? (unsigned)(until - t.list_first) : 0;
    t.whole = end - begin;
    t.target = row <= begin ? 0 : row < end ? row - begin : t.whole;
    return t;
}

/* Find the cut of a task. */
DEVICE struct cut find_segment_cut(const tile_input *in, const struct cut_task *task)
{
    const struct cut_pivot none = {0, -1, 0, 0};
    struct cut c;

    c.task = *task;
    c.pivot = none;
    c.before = task->target ? task->length : 0;
    if (task->target > 0 && task->target < task->whole) {
        struct cut_span w;

        w.list = list_of_rows(in, task->length ? task->list_first : 0);
        w.lo = 0;
        w.hi = task->length;
        c.pivot = settle(w, (unsigned)task->target, TILE_SLACK(TILE));
        c.before = c.pivot.before;
    }
    return c;
}

/* Find the cuts before and after my block's rows of a segment, by one warp each. */
DEVICE struct tile_cuts find_segment_cuts(const struct tile_merge_args *args,
                                          const struct segment_piece *piece,
                                          const struct segment_span *span,
                                          struct tile_merge_shared *sm)
{
    const struct tile_round *const round = &args->round;
    const int side = THREAD / WARP;
    unsigned_cell *const before = (unsigned_cell *)sm->splits;

    if (side < 2) {
        const struct cut_task task =
            segment_task(round, piece, span, side ? piece->last : piece->first);
        const struct cut c = find_segment_cut(INPUT_OF(args), &task);
        const cut_bound bound = find_bound(INPUT_OF(args), &c.task, &c.pivot);

        if (LANE < round->ways)
            STORE_AS(CUT, &before[side * round->ways + LANE], c.before);
        if (LANE == 0)
            put_bound(&sm->tree, side, bound);
    }
    BARRIER();

    const int mine = LANE < round->ways;
    const unsigned first = mine ? LOAD_AS(CUT, &before[LANE]) : 0;
    const unsigned second = mine ? LOAD_AS(CUT, &before[round->ways + LANE]) : 0;

    return cuts_of(&sm->tree, first, second);
}

/* Merge my block's rows of a segment. */
DEVICE void merge_segment(const struct segment_merge_args *args,
                          const struct segment_piece *piece,
                          const struct segment_span *span, struct tile_merge_shared *sm)
{
    const struct tile_merge_args *const merge = &args->merge;
    const struct tile_round *const round = &merge->round;
    const struct tile_cuts cuts = find_segment_cuts(merge, piece, span, sm);
    const struct cut_task task = segment_task(round, piece, span, 0);
    const wide begin = span->begin > piece->begin ? span->begin : piece->begin;
    const int is_whole = span->begin >= piece->begin && span->end <= piece->end;
    const int cells = SHARED_ADDRESS(sm->cells);
    const struct tile_base b = find_base(&cuts);
    const struct tile_list list = lay_lists((unsigned)begin, (unsigned)task.list_first,
                                            round->ways, &cuts, cells, &sm->tree);
    const struct key_code entered = {0, 0, 0}; /* segment_sort made codes */
    struct tile_target to;

    load_lists(&list, INPUT_OF(merge), CARRY_OF(merge), &b);
    fill_pairs(&list, round->ways, b.fill);
    BARRIER();
    merge_rounds(&sm->tree, cells, sm->splits, round->ways, 0);
    BARRIER(); /* the rows of all warps are there */

    const wide tile = LOAD(&sm->tree.tile);

    to.array = (key_cell *)round->out;
    to.samples = 0;
    to.first = (unsigned)(tile >> 32);
    to.count = (int)tile;

    const struct carry_rows mine = my_rows(&to);
    const struct carry_order order = {sm->order, sm->splits + TILE_ROWS / 2, sm->splits,
                                      cells, to.count};
    const unsigned ties = put_order(&order, &mine, 1);
    const int rows = mine.left > 0 ? (mine.left + WARP - 1) / WARP : 0;
    const unsigned all =
        rows >= ITEMS ? (unsigned)(((wide)1 << ITEMS) - 1) : (1u << rows) - 1;
    const struct segment_rows where = {is_whole ? all : 0, is_whole ? 0 : all};
    const struct segment_homes homes = {0, span->begin};

    stage_codes(&merge->carry.source, &entered, &list, cells);
    if (b.rest_bits)
        (void)mend_order(&merge->carry.source, &entered, &list, &order, &mine, ties,
                         b.base);
    store_segments(&merge->carry, to.array, &args->temp, &list, &order, &mine, &where,
                   &homes, &merge->leave);
    BARRIER(); /* the next segment may be loaded */
}

/* Each block merges what its piece has of each segment that crosses a boundary. */
KERNEL(segment_merge, struct segment_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const struct tile_round *const round = &args.merge.round;
    const struct segment_piece piece = my_piece(round);
    const wide windows = round->run / SEGMENT_ROOM(TILE); /* of a run */
    wide merged = ~(wide)0;

    if (piece.first >= piece.last)
        return;
    NO_UNROLL
    for (wide run = piece.first / round->run; run * round->run < piece.last + round->run;
         run++) {
        const wide row = run * round->run;

        if (row > piece.end || row >= round->count)
            continue;

        const struct segment_span span =
            open_segment(&args.windows, run * windows, round->count);

        if (span.end > row && is_long(&span) && span.begin != merged &&
            span.begin < piece.last && span.end > piece.first) {
            merged = span.begin;
            merge_segment(&args, &piece, &span, sm);
        }
    }
}
