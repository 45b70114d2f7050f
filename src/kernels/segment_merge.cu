/*
 * segment_merge.cu - merge the parts of segments that lie in several runs
 * (launch_segments.h).
 *
 * A run is some windows, and `ways` neighbouring runs are a group. A segment that crosses
 * a boundary of runs is merged in each group that it touches: its lists are its parts in
 * the runs. A single part is copied, since the next round reads what this one writes. A
 * group is divided into pieces, and a block merges what its piece has of each segment.
 *
 * Cuts are found in a launch before the merge, by one warp each. The row where a piece
 * begins is in one segment at most, so each piece has one cut.
 */

enum { segment_merge_blocks = 1024 / TILE_ROWS };

/* The rows of a piece. */
struct segment_piece {
    unsigned begin; /* of the group */
    unsigned end;
    unsigned first; /* of the piece */
    unsigned last;
};

DEVICE struct segment_piece piece_of(const struct tile_round *round, unsigned number)
{
    const unsigned count = (unsigned)round->count;
    const unsigned group = number / round->pieces;
    const wide whole = round->ways * round->run;
    const wide first = group * whole + (number - group * round->pieces) * round->piece;
    struct segment_piece piece;

    piece.begin = (unsigned)(group * whole);
    piece.end = count - piece.begin > whole ? piece.begin + (unsigned)whole : count;
    piece.first = first < piece.end ? (unsigned)first : piece.end;
    piece.last = piece.end - piece.first > round->piece
                     ? piece.first + (unsigned)round->piece
                     : piece.end;
    return piece;
}

/* The segment that crosses the beginning of a run, if there is one. */
DEVICE struct segment_span crossing_segment(const struct segment_merge_args *args,
                                            unsigned run)
{
    const struct tile_round *const round = &args->merge.round;
    const unsigned windows = (unsigned)round->run / args->windows.rows; /* of a run */
    const wide row = run * round->run;
    struct segment_span span = {0, 0};

    if (row < round->count)
        span = open_segment(&args->windows, run * windows, (unsigned)round->count);
    if (span.end <= row || !is_long(&span, &args->windows))
        span.begin = span.end = 0;
    return span;
}

/* The lists of a segment in a group, and the cut at the row `row` of the result. */
DEVICE struct cut_task segment_task(const struct tile_round *round,
                                    const struct segment_piece *piece,
                                    const struct segment_span *span, unsigned row)
{
    const unsigned begin = span->begin > piece->begin ? span->begin : piece->begin;
    const unsigned end = span->end < piece->end ? span->end : piece->end;
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

/*
 * A pivot for a cut inside of a segment: first one that is right if lists are similar,
 * then one nearby.
 */
DEVICE struct cut_pivot segment_pivot(const struct tile_round *round, const tile_input *in,
                                      const struct cut_task *task)
{
    const unsigned target = (unsigned)task->target;
    struct cut_span w;

    w.list = list_of_rows(in, task->length ? task->list_first : 0);
    w.lo = 0;
    w.hi = task->length;

    const unsigned place = alike_place(&w, QUOTIENT((float)target, (float)task->whole));
    const key k = task->length ? key_at(&w, place) : (key) ~(key)0;
    struct cut_pivot p = alike_pivot(&w, target, place, k, round->ways);

    if (LANE != p.owner)
        p.before = count_before(&w, &p, place, k);

    const unsigned rank = SUM(p.before);

    if (near_enough(rank, target))
        return p;
    narrow(&w, &p, rank < target);
    p = look_close(&w, target, round->ways);
    return p.owner >= 0 ? p : settle(w, target, TILE_SLACK(TILE));
}

/* Find the cut where a piece begins, if a segment is merged there. */
DEVICE void find_segment_cut(const struct segment_merge_args *args, unsigned number)
{
    const struct tile_round *const round = &args->merge.round;
    const struct segment_piece piece = piece_of(round, number);
    const unsigned run = piece.first / (unsigned)round->run;
    struct segment_span span = crossing_segment(args, run);

    if (piece.first >= piece.end)
        return;
    if (span.end <= piece.first)
        span = crossing_segment(args, run + 1);

    const struct cut_task task = segment_task(round, &piece, &span, piece.first);

    if (piece.first > piece.begin && span.begin < piece.first && span.end > piece.first) {
        const struct cut_pivot p = segment_pivot(round, INPUT_OF(&args->merge), &task);

        if (LANE < cut_cells(round))
            STORE_AS(CUT, cells_of(round, number) + LANE, cell_of(p.before, p.value));
    }
}

/* My list's cell of the cut at a row, which is where piece `number` begins. */
DEVICE wide segment_cell(const struct tile_merge_args *args,
                         const struct segment_piece *piece, const struct segment_span *span,
                         unsigned row, unsigned number)
{
    const struct cut_task task = segment_task(&args->round, piece, span, row);
    const struct cut_pivot none = {0, -1, 0, 0};

    if (task.target > 0 && task.target < task.whole)
        return LANE < cut_cells(&args->round)
                   ? LOAD_AS(CUT, cells_of(&args->round, number) + LANE)
                   : 0;
    return cell_of(task.target ? task.length : 0, find_bound(INPUT_OF(args), &task, &none));
}

/* Store the rows of a merged tile; the segment is complete, or is to be merged again. */
DEVICE void store_merged(const struct segment_merge_args *args,
                         const struct tile_staging *stage, int staged, unsigned ties,
                         const struct tile_target *to, const struct tile_base *b,
                         const struct segment_span *span, int is_whole,
                         struct tile_merge_shared *sm)
{
    const struct tile_carry *const carry = &args->merge.carry;
    const struct carry_rows mine = my_rows(to);
    const struct carry_order order = {
        SHARED_ADDRESS(sm->cells), stage->area,     sm->splits,
        sm->stage.wrong,           sm->stage.votes, to->count};
    const int rows = mine.left > 0 ? (mine.left + WARP - 1) / WARP : 0;
    const unsigned all =
        rows >= ITEMS ? (unsigned)(((wide)1 << ITEMS) - 1) : (1u << rows) - 1;
    const struct segment_rows where = {is_whole ? all : 0, is_whole ? 0 : all};
    const struct segment_homes homes = {0, span->begin};

    const int side = side_of_warp(carry, &where, &args->merge.leave);

    if (b->rest_bits)
        (void)mend_order(&order, &mine, ties);
    store_segment_codes(carry, to->array, &args->temp, &order, &mine, &where,
                        &args->merge.leave, side);
    store_segment_pieces(carry, &args->temp, stage, staged, &order, &mine, &where, &homes,
                         side);
}

/* Merge what a piece has of a segment. */
DEVICE void merge_segment(const struct segment_merge_args *args, unsigned number,
                          const struct segment_piece *piece,
                          const struct segment_span *span, struct tile_merge_shared *sm)
{
    const struct tile_merge_args *const merge = &args->merge;
    const struct tile_round *const round = &merge->round;
    const struct cut_task task = segment_task(round, piece, span, 0);
    const unsigned begin = span->begin > piece->begin ? span->begin : piece->begin;
    const int is_whole = span->begin >= piece->begin && span->end <= piece->end;
    const int cells = SHARED_ADDRESS(sm->cells);
    struct tile_cuts cuts;
    struct tile_target to;
    item r[ITEMS];

    cuts.first = segment_cell(merge, piece, span, piece->first, number);
    cuts.second = segment_cell(merge, piece, span, piece->last, number + 1);

    const struct tile_base b = find_base(&cuts);
    const struct tile_list list =
        lay_lists(begin, (unsigned)task.list_first, round->ways, &cuts, cells, &sm->tree);

    const struct tile_staging stage = begin_staging(&sm->stage, &list, INPUT_OF(merge));
    const int staged = load_lists(&stage, &merge->carry, &b);

    fill_pairs(&list, round->ways, b.fill);
    BARRIER();
    merge_rounds(&sm->tree, cells, sm->splits, round->ways, 0, b.fill, r);
    BARRIER(); /* the rows of all warps are there */

    const wide tile = LOAD(&sm->tree.tile);

    to.array = (key_cell *)round->out;
    to.samples = 0;
    to.first = (unsigned)(tile >> 32);
    to.count = (int)tile;
    store_merged(args, &stage, staged, find_ties(r), &to, &b, span, is_whole, sm);
    BARRIER(); /* the next segment may be loaded */
}

/* Merge what a piece has of all segments; there are rarely more than two. */
DEVICE void merge_piece(const struct segment_merge_args *args, unsigned number,
                        struct tile_merge_shared *sm)
{
    const struct tile_round *const round = &args->merge.round;
    const struct segment_piece piece = piece_of(round, number);
    const unsigned step = (unsigned)round->run;
    const unsigned last = (piece.last - (piece.last == piece.end)) / step + 1;
    unsigned merged = ~0u;

    if (piece.first >= piece.last)
        return;
    NO_UNROLL
    for (unsigned run = piece.first / step; run <= last; run++) {
        const struct segment_span span = crossing_segment(args, run);

        if (span.begin != merged && span.begin < piece.last && span.end > piece.first &&
            (wide)run * step <= piece.end) {
            merged = span.begin;
            merge_segment(args, number, &piece, &span, sm);
        }
    }
}

/* Each warp finds a cut, or each block merges a piece; then the next one. */
KERNEL(segment_merge, struct segment_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const unsigned pieces = args.merge.round.groups * args.merge.round.pieces;

    if (LOAD((const wide_cell *)args.windows.crossed) <
        (unsigned)args.merge.round.run / args.windows.rows)
        return; /* no segment lies in several runs */
    if (args.cuts) {
        const unsigned number = (unsigned)BLOCK * (TILE_ROWS / WARP) + THREAD / WARP;

        if (number < pieces)
            find_segment_cut(&args, number);
        return;
    }
    NO_UNROLL
    for (unsigned number = (unsigned)BLOCK; number < pieces; number += BLOCKS)
        merge_piece(&args, number, sm);
}
