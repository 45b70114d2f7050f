/*
 * segment_merge.cu - merge the parts of segments that lie in several runs
 * (launch_segments.h), between cuts that segment_cut has found, or the block itself.
 *
 * A single part is copied, since the next round reads what this one writes.
 */

enum { segment_merge_blocks = 1024 / TILE_ROWS };

/* A cut as a warp knows it: rows of my lane's list before it, and a bound on codes. */
struct segment_cut {
    unsigned before;
    cut_bound bound;
};

/*
 * The cut at a row, which is where piece `number` begins. If no launch before has found
 * it, this warp does.
 */
DEVICE struct segment_cut cut_at_row(const struct tile_merge_args *args,
                                     const struct segment_share *share, unsigned row,
                                     unsigned number)
{
    const struct tile_round *const round = &args->round;
    const struct cut_task task = share_task(round, share, row);
    const struct cut_pivot none = {0, -1, 0, 0};
    struct segment_cut cut;

    if (task.target == 0 || task.target == task.whole) {
        cut.before = task.target ? task.length : 0;
        cut.bound = find_bound(INPUT_OF(args), &task, &none);
    } else if (round->cuts) {
        const wide cell =
            LANE < cut_cells(round) ? LOAD_AS(CUT, cells_of(round, number) + LANE) : 0;

        cut.before = (unsigned)cell;
        cut.bound = bound_of(cell);
    } else {
        const struct cut_pivot p = segment_pivot(round, INPUT_OF(args), &task);

        cut.before = p.before;
        cut.bound = p.value;
    }
    return cut;
}

/* The cuts before and after a piece, one warp each; exchanged as in tile_join. */
DEVICE struct tile_cuts cuts_of_piece(const struct tile_merge_args *args,
                                      const struct segment_share *share,
                                      const struct segment_piece *piece, unsigned number,
                                      struct tile_merge_shared *sm)
{
    unsigned_cell *const before = (unsigned_cell *)sm->splits;
    const int side = THREAD / WARP;

    if (side < 2) {
        const struct segment_cut cut = cut_at_row(
            args, share, side ? piece->last : piece->first, number + (unsigned)side);

        STORE_AS(CUT, &before[THREAD], cut.before);
        if (LANE == 0)
            put_bound(&sm->tree, side, cut.bound);
    }
    BARRIER();
    return cuts_of(&sm->tree, LOAD_AS(CUT, &before[LANE]),
                   LOAD_AS(CUT, &before[WARP + LANE]));
}

/* A tile that was merged: its rows are sorted in the cells, and their values staged. */
struct merged_tile {
    struct tile_target to;
    struct tile_base base;
    struct tile_staging stage;
    int staged; /* pieces */
    unsigned ties;
};

/*
 * Merge the lists between two cuts, `ways` at most. My lane's list begins at row
 * `list_first`, and the first list at row `first`.
 */
DEVICE struct merged_tile merge_between(const struct tile_merge_args *merge,
                                        const struct tile_cuts *cuts, unsigned first,
                                        unsigned list_first, int ways,
                                        struct tile_merge_shared *sm)
{
    const int cells = SHARED_ADDRESS(sm->cells);
    struct merged_tile m;
    item r[ITEMS];

    m.base = find_base(cuts);

    const struct tile_list list =
        lay_lists(first, list_first, ways, cuts, cells, &sm->tree);

    m.stage = begin_staging(&sm->stage, &list, INPUT_OF(merge));
    m.staged = load_lists(&m.stage, &merge->carry, &m.base);
    fill_pairs(&list, ways, m.base.fill);
    BARRIER();
    merge_rounds(&sm->tree, cells, sm->splits, ways, 0, m.base.fill, r);
    m.ties = find_ties(r);
    BARRIER(); /* the rows of all warps are there */

    const wide tile = LOAD(&sm->tree.tile);

    m.to.array = (key_cell *)merge->round.out;
    m.to.samples = 0;
    m.to.first = (unsigned)(tile >> 32);
    m.to.count = (int)tile;
    return m;
}

/* Store my rows of a merged tile as `where` says. Positions count from row `home` on. */
DEVICE void store_merged(const struct tile_merge_args *merge,
                         const struct segment_temp *temp, const struct merged_tile *m,
                         const struct carry_rows *mine, const struct segment_rows *where,
                         unsigned home, struct tile_merge_shared *sm)
{
    const struct tile_carry *const carry = &merge->carry;
    const struct carry_order order = {
        SHARED_ADDRESS(sm->cells), m->stage.area,   sm->splits,
        sm->stage.wrong,           sm->stage.votes, m->to.count};
    const struct segment_homes homes = {0, home};
    const int side = side_of_warp(carry, where, &merge->leave);

    if (m->base.rest_bits)
        (void)mend_order(&order, mine, m->ties);
    store_segment_codes(carry, m->to.array, temp, &order, mine, where, &merge->leave, side);
    store_segment_pieces(carry, temp, &m->stage, m->staged, &order, mine, where, &homes,
                         side);
}

/* Merge what a piece has of a segment. */
DEVICE void merge_segment(const struct segment_merge_args *args, unsigned number,
                          const struct segment_piece *piece,
                          const struct segment_span *span, struct tile_merge_shared *sm)
{
    const struct tile_merge_args *const merge = &args->merge;
    const struct segment_share share = merged_rows(&merge->round, piece, span);
    const struct cut_task task = share_task(&merge->round, &share, 0);
    const struct tile_cuts cuts = cuts_of_piece(merge, &share, piece, number, sm);
    const struct merged_tile m =
        merge_between(merge, &cuts, share.begin, (unsigned)task.list_first, share.ways, sm);
    const struct carry_rows mine = my_rows(&m.to);
    const unsigned all = rows_there(&mine);
    const struct segment_rows where = {share.is_whole ? all : 0, share.is_whole ? 0 : all};

    store_merged(merge, &args->temp, &m, &mine, &where, span->begin, sm);
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

/* Each block merges a piece, then the next one. */
KERNEL(segment_merge, struct segment_merge_args)
{
    SHARED(struct tile_merge_shared, sm);
    const unsigned pieces = args.merge.round.groups * args.merge.round.pieces;

    if (!is_crossed_round(&args))
        return;
    NO_UNROLL
    for (unsigned number = (unsigned)BLOCK; number < pieces; number += BLOCKS)
        merge_piece(&args, number, sm);
}
