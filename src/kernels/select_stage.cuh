/*
 * select_stage.cuh - rows between two bounds are staged, in any order. A warp holds rows
 * back in shared memory until it has one for each lane, and reserves places for all of
 * them with one atomic addition.
 */

/* What a warp holds back. */
struct stage_held {
    wide_cell codes[SELECT_HELD];
    unsigned_cell rows[SELECT_HELD];
};

/* Shared memory of select_stage. */
struct stage_shared {
    struct stage_held held[SELECT_FILTER_WARPS];
    unsigned_cell counts[SELECT_FILTER_WARPS];
    unsigned_cell before[SELECT_FILTER_WARPS];
    wide_cell place;
};

AGREE(sizeof(struct stage_shared) == SELECT_STAGE_SHARED);

/* Where rows are staged, in arrays for the next launch. */
struct select_sink {
    void *codes;
    unsigned *rows;
    wide capacity;
    wide *count;
    int code_bytes;
};

/* Is a row at or after `low` and at or before `high`? */
DEVICE int is_between(const struct select_bound *low, const struct select_bound *high,
                      wide code, wide row)
{
    return (code > low->code || (code == low->code && row >= low->row)) &&
           (code < high->code || (code == high->code && row <= high->row));
}

/* Stage held row `i` at a place. */
DEVICE void stage_row(const struct select_sink *sink, const struct stage_held *held, int i,
                      wide place)
{
    if (place >= sink->capacity)
        return;
    if (sink->code_bytes == 4)
        STORE_AS(BULK, (unsigned_cell *)sink->codes + place,
                 (unsigned)LOAD(&held->codes[i]));
    else
        STORE_AS(BULK, (wide_cell *)sink->codes + place, LOAD(&held->codes[i]));
    STORE_AS(BULK, (unsigned_cell *)sink->rows + place, LOAD(&held->rows[i]));
}

/* Hold the rows of those lanes that have one; `count` are held. Returns their new count. */
DEVICE unsigned hold(const struct select_sink *sink, struct stage_held *held,
                     unsigned count, int has_row, wide code, unsigned row)
{
    const unsigned all = BALLOT(has_row);
    const unsigned at = count + (unsigned)BITS(all & ((1u << LANE) - 1));
    wide place = 0;

    if (has_row) {
        STORE(&held->codes[at], code);
        STORE(&held->rows[at], row);
    }
    count += (unsigned)BITS(all);
    WARP_BARRIER();
    if (count < WARP)
        return count;
    if (LANE == 0)
        place = ADD(CUT, cell_of(sink->count), (wide)WARP);
    stage_row(sink, held, LANE, SHUFFLE(place, 0) + (wide)LANE);
    count -= WARP;
    WARP_BARRIER();
    if ((unsigned)LANE < count) {
        STORE(&held->codes[LANE], LOAD(&held->codes[WARP + LANE]));
        STORE(&held->rows[LANE], LOAD(&held->rows[WARP + LANE]));
    }
    WARP_BARRIER();
    return count;
}

/* Stage what is still held: all warps of a block together. */
DEVICE void stage_rest(const struct select_sink *sink, const struct stage_held *held,
                       unsigned count, unsigned_cell *counts, wide_cell *place)
{
    const int warps = THREADS / WARP;
    unsigned before;

    if (LANE == 0)
        STORE(&counts[THREAD / WARP], count);
    BARRIER();
    before = LANE < warps ? LOAD(&counts[LANE]) : 0;
    if (THREAD < WARP) {
        const unsigned all = SUM(before);

        if (LANE == 0)
            STORE(place, all ? ADD(CUT, cell_of(sink->count), (wide)all) : 0);
    }
    before = SUM(LANE < THREAD / WARP ? before : 0);
    BARRIER();
    if ((unsigned)LANE < count)
        stage_row(sink, held, LANE, LOAD(place) + before + (wide)LANE);
}
