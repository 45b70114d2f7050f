/*
 * segment_merge.cu - merge the parts of segments that lie in several runs
 * (launch_segments.h), between the cuts that segment_cut has found.
 *
 * A single part is copied, since the next round reads what this one writes.
 */

enum { segment_merge_blocks = 1024 / TILE_ROWS };

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
