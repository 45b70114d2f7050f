/*
 * segment_cut.cu - the cuts of segments that lie in several runs (launch_segments.h).
 *
 * A run is some windows, and `ways` neighbouring runs are a group. The lists of a segment
 * that crosses a boundary of runs are its parts in the runs. If these are `ways` at most,
 * all of them are merged, wherever groups begin. Otherwise those in each group are. A group
 * is divided into pieces, and a block of segment_merge merges what its piece has of each
 * segment. The row where a piece begins is in one segment at most, so each piece has one
 * cut. One warp finds it. All warps of a launch should fit the GPU at once: each of them
 * waits for one load after the other.
 */

enum { segment_cut_blocks = 10 };

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

/* Was the segment merged as a whole in the round before, if there was one? */
DEVICE int is_merged(const struct segment_merge_args *args, const struct segment_span *span)
{
    const unsigned before = (unsigned)args->run_before;

    return before && runs_of(span, before) <= (unsigned)args->merge.round.run / before;
}

/* The segment that crosses the beginning of a run, if one does that has to be merged. */
DEVICE struct segment_span crossing_segment(const struct segment_merge_args *args,
                                            unsigned run)
{
    const struct tile_round *const round = &args->merge.round;
    const unsigned windows = (unsigned)round->run / args->windows.rows; /* of a run */
    const wide row = run * round->run;
    struct segment_span span = {0, 0};

    if (row < round->count)
        span = open_segment(&args->windows, run * windows, (unsigned)round->count);
    if (span.end <= row || !is_long(&span, &args->windows) || is_merged(args, &span))
        span.begin = span.end = 0;
    return span;
}

/* The rows of a segment that are merged: all of them, or those in a group. */
struct segment_share {
    unsigned begin;
    unsigned end;
    int is_whole;
    int ways; /* a power of two, not less than the lists */
};

DEVICE struct segment_share merged_rows(const struct tile_round *round,
                                        const struct segment_piece *piece,
                                        const struct segment_span *span)
{
    const unsigned run = (unsigned)round->run;
    struct segment_span rows = *span;
    struct segment_share share;

    share.is_whole = runs_of(span, run) <= (unsigned)round->ways;
    if (!share.is_whole) {
        rows.begin = span->begin > piece->begin ? span->begin : piece->begin;
        rows.end = span->end < piece->end ? span->end : piece->end;
    }

    const unsigned runs = runs_of(&rows, run);

    share.begin = rows.begin;
    share.end = rows.end;
    share.ways = runs > 2 ? 2 << HIGHEST_BIT(runs - 1) : 2;
    return share;
}

/* The lists of a share, and the cut at the row `row` of the result. */
DEVICE struct cut_task share_task(const struct tile_round *round,
                                  const struct segment_share *share, unsigned row)
{
    const unsigned run = (unsigned)round->run;
    const wide from = (wide)(share->begin / run + LANE) * run;
    const wide until = from + run < share->end ? from + run : share->end;
    struct cut_task t;

    t.list_first = from > share->begin ? from : share->begin;
    t.length = t.list_first < until ? (unsigned)(until - t.list_first) : 0;
    t.whole = share->end - share->begin;
    t.target = row <= share->begin ? 0 : row < share->end ? row - share->begin : t.whole;
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
    return p.owner >= 0 ? p : settle(w, target, CUT_SLACK);
}

/* Does any segment lie in several runs? */
DEVICE int is_crossed_round(const struct segment_merge_args *args)
{
    return LOAD((const wide_cell *)args->windows.crossed) >=
           (unsigned)args->merge.round.run / args->windows.rows;
}

/*
 * Find the cut where a piece begins, if a segment is merged there. A piece that begins at
 * the end of its group has no rows; then the one before it ends with that cut.
 */
DEVICE void find_segment_cut(const struct segment_merge_args *args, unsigned number)
{
    const struct tile_round *const round = &args->merge.round;
    const struct segment_piece piece = piece_of(round, number);
    const unsigned run = piece.first / (unsigned)round->run;
    struct segment_span span = crossing_segment(args, run);

    if (span.end <= piece.first)
        span = crossing_segment(args, run + 1);
    if (span.begin >= piece.first || span.end <= piece.first)
        return;

    const struct segment_share share = merged_rows(round, &piece, &span);

    if (share.begin < piece.first && share.end > piece.first) {
        const struct cut_task task = share_task(round, &share, piece.first);
        const struct cut_pivot p = segment_pivot(round, INPUT_OF(&args->merge), &task);

        if (LANE < cut_cells(round))
            STORE_AS(CUT, cells_of(round, number) + LANE, cell_of(p.before, p.value));
    }
}

/* Each warp finds a cut. */
KERNEL(segment_cut, struct segment_merge_args)
{
    const unsigned pieces = args.merge.round.groups * args.merge.round.pieces;
    const unsigned number = (unsigned)BLOCK * (THREADS / WARP) + THREAD / WARP;

    if (number < pieces && is_crossed_round(&args))
        find_segment_cut(&args, number);
}
