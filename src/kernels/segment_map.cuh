/*
 * segment_map.cuh - the map of a tile of segments, made from marks (launch_segments.h).
 */

/* The marks of rows from `row` on, as a word. */
DEVICE wide marks_from(const wide *marks, wide row, wide count)
{
    const wide_cell *const words = (const wide_cell *)marks + row / SEGMENT_WORD;
    const int shift = (int)(row % SEGMENT_WORD);
    wide word = LOAD_AS(BULK, words) >> shift;

    if (shift && row - shift + SEGMENT_WORD < count)
        word |= LOAD_AS(BULK, words + 1) << (SEGMENT_WORD - shift);
    return word;
}

/* The rows of a word that are in a segment; `inside`: so is the row before. */
DEVICE wide covered_rows(wide begins, wide ends, int inside)
{
    wide known = begins | ends;
    wide rows = begins;

    UNROLL
    for (int step = 1; step < SEGMENT_WORD; step *= 2) {
        rows |= rows << step & ~known;
        known |= known << step;
    }
    return inside ? rows | ~known : rows;
}

/* Neighbouring words of a tile's marks that a lane has. */
enum { MAP_WORDS = SEGMENT_TILE_WORDS(TILE) > WARP ? SEGMENT_TILE_WORDS(TILE) / WARP : 1 };

struct map_words {
    wide begins[MAP_WORDS];
    wide ends[MAP_WORDS];
    wide mask[MAP_WORDS]; /* rows of the tile */
};

/* Load my words of a tile of `count` rows from `first` on. */
DEVICE void load_words(const struct segment_marks *marks, wide first, int count,
                       struct map_words *mine)
{
    UNROLL
    for (int w = 0; w < MAP_WORDS; w++) {
        const int word = MAP_WORDS * LANE + w;
        const int left = count - word * SEGMENT_WORD;
        const wide row = first + word * (wide)SEGMENT_WORD;

        mine->mask[w] = left <= 0              ? 0
                        : left >= SEGMENT_WORD ? ~(wide)0
                                               : ((wide)1 << left) - 1;
        mine->begins[w] = left > 0 ? marks_from(marks->begins, row, marks->count) : 0;
        mine->ends[w] = left > 0 ? marks_from(marks->ends, row, marks->count) : 0;
    }
    UNROLL
    for (int w = 0; w < MAP_WORDS; w++) {
        mine->begins[w] &= mine->mask[w];
        mine->ends[w] &= mine->mask[w];
    }
}

/* Which rows of my words are in segments; `inside`: so is the row before the tile. */
DEVICE void find_covered(const struct map_words *mine, int inside, wide *covered)
{
    const unsigned below = (1u << LANE) - 1;
    int some = 0, opens = 0, closes = 0;

    UNROLL
    for (int w = 0; w < MAP_WORDS; w++) {
        const wide all = mine->begins[w] | mine->ends[w];

        opens = all ? (int)(mine->begins[w] >> highest_mark(all) & 1) : opens;
        some |= all != 0;
        closes |= mine->ends[w] != 0;
    }

    const unsigned marked = BALLOT(some) & below, opened = BALLOT(opens);
    const int any_closes = BALLOT(closes) != 0;
    int in = marked ? (int)(opened >> HIGHEST_BIT(marked) & 1) : inside;

    UNROLL
    for (int w = 0; w < MAP_WORDS; w++) {
        const wide begins = mine->begins[w], all = begins | mine->ends[w];

        if (any_closes)
            covered[w] = covered_rows(begins, mine->ends[w], in) & mine->mask[w];
        else /* from the first begin on */
            covered[w] = (in ? ~(wide)0 : begins | (0 - begins)) & mine->mask[w];
        in = all ? (int)(begins >> highest_mark(all) & 1) : in;
    }
}

/* What kinds of regions a tile has, seen by all lanes. */
DEVICE void find_kinds(const wide *bounds, const wide *covered,
                       const struct map_words *mine, struct segment_map *map)
{
    const int after = (int)SHUFFLE((unsigned)bounds[0], (LANE + 1) % WARP) & 1;
    const int beyond = SHUFFLE((int)(mine->mask[0] & 1), (LANE + 1) % WARP);
    int large = 0, crossed = 0, holes = 0;

    UNROLL
    for (int w = 0; w < MAP_WORDS; w++) {
        const int is_last = w == MAP_WORDS - 1;
        const wide none = ~bounds[w] & mine->mask[w];
        const int exists = is_last ? beyond && LANE < WARP - 1
                                   : (int)(mine->mask[is_last ? 0 : w + 1] & 1);
        const int bound = is_last ? after : (int)(bounds[is_last ? 0 : w + 1] & 1);

        large |= is_no_tiny(none, exists && !bound);
        crossed |= (none & each_place(ITEMS)) != 0;
        holes |= covered[w] != mine->mask[w];
    }

    const int is_tiny = !BALLOT(large);
    const int is_crossed = BALLOT(crossed) != 0;
    const int is_covered = !BALLOT(holes);

    if (LANE == 0) {
        STORE(&map->is_tiny, is_tiny);
        STORE(&map->is_crossed, is_crossed);
        STORE(&map->is_covered, is_covered);
    }
}

/* Make the map of a tile of `count` rows from `first` on, in one warp. */
DEVICE void map_tile(const struct segment_marks *marks, wide first, int count, int inside,
                     struct segment_map *map)
{
    const unsigned below = (1u << LANE) - 1;
    struct map_words mine;
    wide covered[MAP_WORDS], bounds[MAP_WORDS];
    int here = 0, latest = 0;

    load_words(marks, first, count, &mine);
    find_covered(&mine, inside, covered);
    UNROLL
    for (int w = 0; w < MAP_WORDS; w++) {
        const int word = MAP_WORDS * LANE + w;

        bounds[w] =
            (mine.begins[w] | mine.ends[w] | ~covered[w] | (word == 0)) & mine.mask[w];
        here += count_marks(bounds[w]);
        latest = bounds[w] ? word * SEGMENT_WORD + highest_mark(bounds[w]) : latest;
    }

    const int sum = (int)sum_up_to_lane((unsigned)here);
    const unsigned bounded = BALLOT(here != 0) & below;
    const int earlier = SHUFFLE(latest, bounded ? HIGHEST_BIT(bounded) : 0);
    int before = sum - here, last = bounded ? earlier : 0;

    UNROLL
    for (int w = 0; w < MAP_WORDS; w++) {
        const int word = MAP_WORDS * LANE + w;

        if (word < SEGMENT_TILE_WORDS(TILE)) {
            STORE(&map->bounds[word], bounds[w]);
            STORE(&map->covered[word], covered[w]);
            STORE(&map->before[word], before);
            STORE(&map->last[word], last);
        }
        before += count_marks(bounds[w]);
        last = bounds[w] ? word * SEGMENT_WORD + highest_mark(bounds[w]) : last;
    }
    if (LANE == WARP - 1)
        STORE(&map->regions, sum);
    find_kinds(bounds, covered, &mine, map);
}
