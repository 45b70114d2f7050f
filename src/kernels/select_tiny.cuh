/*
 * select_tiny.cuh - a warp selects from several neighbouring segments at once, which have
 * at most WARP rows together.
 */

/* How many codes of lanes [begin, begin + count) come before mine; `count` <= `most`. */
DEVICE unsigned rank_in_lanes(const struct select_segments_args *args, wide code,
                              unsigned begin, unsigned count, unsigned most)
{
    const unsigned narrow = (unsigned)code;
    unsigned rank = 0;

    NO_UNROLL
    for (unsigned i = 0; i < most; i++) {
        const unsigned lane = begin + i;
        const int has = i < count, is_earlier = (int)lane < LANE;

        if (args->result.code_bytes == 4) {
            const unsigned other = SHUFFLE(narrow, (int)(lane % WARP));

            rank += has && (other < narrow || (other == narrow && is_earlier));
        } else {
            const wide other = SHUFFLE(code, (int)(lane % WARP));

            rank += has && (other < code || (other == code && is_earlier));
        }
    }
    return rank;
}

/* Segments of a group, one for each lane. */
struct select_group {
    wide from; /* the first */
    wide begin;
    unsigned count;
    unsigned before; /* rows of lower lanes, at most WARP + 1 of each */
};

/*
 * Segments `first` to `last` - 1 of a group have at most a row for each lane together:
 * every lane counts the rows of its segment that come before its own.
 */
DEVICE void select_tiny(const struct select_segments_args *args,
                        const struct select_group *group, int first, int last)
{
    const struct select_view all = view_part(args, 0, (unsigned)args->count);
    const unsigned before = group->before - SHUFFLE(group->before, first);
    const unsigned count = LANE >= first && LANE < last ? group->count : 0;
    const unsigned begins = LANE < first ? 0 : LANE < last ? before : WARP;
    const int mine = lane_of_place(begins, (unsigned)LANE);
    const int is_mine = (unsigned)LANE < SUM(count);
    const wide begin = SHUFFLE(group->begin, mine);
    const unsigned ahead = SHUFFLE(before, mine), rows = SHUFFLE(count, mine);
    const wide row = begin + ((unsigned)LANE - ahead);
    const wide code = !is_mine                       ? 0
                      : args->result.code_bytes == 4 ? unsigned_code_of(&all, row)
                                                     : wide_code_of(&all, row);
    const unsigned rank =
        rank_in_lanes(args, code, ahead, is_mine ? rows : 0, GREATEST(count));

    if (is_mine && rank >= args->first && rank < args->last)
        write_row(args, group->from + mine, rank - args->first, begin, (unsigned)row, code);
    for (int i = first; args->result.numbers && i < last; i++)
        write_none(args, group->from + i, wanted_of(args, SHUFFLE(count, i)) + (wide)LANE,
                   WARP);
}

/*
 * Select from the tiny segments of the group that begins with segment `from`. Returns a bit
 * for each of the others.
 */
DEVICE unsigned select_tiny_of(const struct select_segments_args *args, wide from)
{
    const int is_one = (unsigned)LANE < args->group && from + LANE < args->segments;
    const int segments = BITS(BALLOT(is_one));
    struct select_group group = {from, 0, 0, 0};
    unsigned rows, end, others;

    group.count = is_one ? segment_of(args, from + LANE, &group.begin) : 0;
    rows = group.count <= WARP ? group.count : WARP + 1;
    end = sum_up_to_lane(rows);
    group.before = end - rows;
    others = BALLOT(rows > WARP);
    NO_UNROLL
    for (int i = 0; i < segments;) {
        const unsigned before = SHUFFLE(group.before, i);
        const int tiny = BITS(BALLOT(is_one && LANE >= i && end - before <= WARP));

        if (tiny)
            select_tiny(args, &group, i, i + tiny);
        i += tiny ? tiny : 1;
    }
    return others;
}
