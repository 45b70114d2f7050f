/*
 * backend_segments_fast.c - sorts of segments by codes of up to 8 bytes: windows are
 * sorted, then the parts of segments that lie in several windows are merged
 * (docs/segments.md).
 */
#include "backend_segments_fast.h"

#include <string.h>

enum {
    MOST_THREADS = 1024, /* of blocks that merge at once on an SM */
    MOST_SEEN = 8192     /* windows that a block of segment_sort may have to look at */
};

/*
 * Bytes of a row in temporary arrays: its code, and what is wanted of it. An element that
 * is a key is told from its code; other keys might not be aligned.
 */
static uint64_t temp_bytes(const struct fast_plan *fast, const struct request *request)
{
    const int is_coded = fast->shape.way == ROWS_KEYED && request->element_type;
    struct request seen = *request; /* which pointers are NULL always counts */
    uint64_t bytes = rows_keys(&fast->shape, 0).size + (request->position_bytes ? 4 : 0);

    seen.with_data = 1;
    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(&seen, i);

        bytes += c.out && !(is_coded && i == 0) ? c.bytes : 0;
    }
    return bytes;
}

/*
 * Windows of 7/8 of a tile, and short segments of 1/8, if most segments are short or much
 * longer than a tile. Otherwise windows of half a tile: then no segment that fits a tile
 * is merged. How long segments are is guessed: their mean length is known, if they cover
 * all rows.
 */
static void choose_window(struct fast_plan *fast, const struct request *request)
{
    const uint32_t tile = fast->plan.program.tile.rows * fast->plan.program.tile.items;
    const uint64_t mean =
        request->segment_count ? request->count / request->segment_count : request->count;

    if (mean > tile / 16 && mean <= tile) {
        fast->window = fast->most_short = tile / 2;
        fast->least_long = tile;
    } else {
        fast->window = tile / 8 * 7;
        fast->most_short = fast->least_long = tile / 8;
    }
    fast->windows = divide_up(request->count, fast->window);
    fast->is_busy = mean > tile;
    fast->is_carried = fast->is_busy || fast->windows > MOST_SEEN;
}

/* Keys of a piece at most: see plan_tile.c. */
static uint64_t most_keys(const struct tile_geometry *tile, uint32_t ways)
{
    const int keys = (int)(tile->rows * tile->items);

    return (uint64_t)(keys - 2 * TILE_SLACK(keys, (int)tile->items)) -
           ways / 2 * (tile->items - 1);
}

/*
 * Levels of merging are distributed evenly over as few rounds as can be, longest first:
 * the fewer segments cross the first groups, the fewer rows are moved again.
 */
static void make_rounds(struct fast_plan *fast, uint64_t count, uint32_t most_ways)
{
    const struct tile_geometry *const tile = &fast->plan.program.tile;
    uint32_t levels = 0, most_levels = 0;
    uint64_t run = fast->window;

    while (UINT64_C(1) << levels < fast->windows)
        levels++;
    while (most_ways >> most_levels > 1)
        most_levels++;
    fast->rounds = (levels + most_levels - 1) / most_levels;
    for (uint32_t i = 0; i < fast->rounds; i++) {
        const uint32_t ways = 1u << (levels / fast->rounds + (i < levels % fast->rounds));
        const uint64_t whole = run * ways;
        const uint64_t most = most_keys(tile, ways);
        const uint64_t group = whole < count ? whole : count;
        struct merge_round *const round = &fast->round[i];

        round->run = run;
        round->ways = ways;
        round->groups = divide_up(count, whole);
        round->pieces = divide_up(group, most);
        round->piece = divide_up(group, round->pieces);
        run = whole;
    }
}

/*
 * How rounds are launched, if `at_once` blocks merge at the same time. A block for each
 * piece balances the work, but takes longer if there is none; so does a launch for cuts.
 */
static void make_launches(struct fast_plan *fast, uint64_t at_once)
{
    fast->plan.launches = 4 + (fast->is_carried != 0); /* marks, windows */
    for (uint32_t i = 0; i < fast->rounds; i++) {
        struct merge_round *const round = &fast->round[i];
        const uint64_t pieces = round->groups * round->pieces;
        const int is_small = pieces <= at_once;

        round->blocks = is_small || (fast->is_busy && i == 0) ? pieces : at_once;
        round->has_cuts = !is_small && fast->is_busy;
        fast->plan.launches += round->has_cuts ? 2 : 1;
    }
}

/*
 * Room for the cells of any round's cuts. With c rows, groups of g rows and pieces of m
 * rows at most, a round has (c / g + 1) (g / m + 1) pieces or fewer, if g <= c, and
 * c / m + 1 otherwise. The bound rises with c.
 */
static uint64_t cut_cells(const struct fast_plan *fast, uint64_t count, uint64_t windows,
                          uint32_t most_ways)
{
    const uint64_t most = most_keys(&fast->plan.program.tile, most_ways);

    return (2 * (count / most) + windows + 2) * TILE_CUT_CELLS(most_ways, 64, 1);
}

static mw_status make_plan(struct fast_plan *fast, struct backend *backend,
                           const struct request *request)
{
    const struct tile_geometry *const tile = &fast->plan.program.tile;
    const uint32_t ways = backend->tuning.ways ? backend->tuning.ways : TILE_MOST_WAYS;
    uint64_t most_windows;
    uint64_t at = 0;
    mw_status status;

    TRY(rows_shape(&fast->shape, request, backend->error));
    TRY(plan_make(&fast->plan, &backend->tuning, &backend_device(backend)->info,
                  rows_keys(&fast->shape, 0), UINT32_MAX, backend->error));
    choose_window(fast, request);
    most_windows = divide_up(request->count, tile->rows * tile->items / 2) + 1;
    make_rounds(fast, request->count, ways);
    make_launches(fast, (uint64_t)backend_device(backend)->info.processors *
                            (MOST_THREADS / tile->rows));
    fast->first = segments_take(&at, most_windows * sizeof(wide));
    fast->last = segments_take(&at, most_windows * sizeof(wide));
    for (int i = 0; i < 2; i++)
        fast->open[i] = segments_take(&at, most_windows * sizeof(wide));
    fast->crossed = segments_take(&at, sizeof(wide));
    fast->cut_cells = cut_cells(fast, request->count, most_windows, ways);
    fast->cuts = segments_take(&at, fast->cut_cells * sizeof(wide));
    for (int i = 0; i < FAST_SIDES && most_windows > 2; i++)
        fast->samples[i] = segments_take(&at, divide_up(request->count, TILE_SAMPLE) *
                                                  rows_keys(&fast->shape, 0).size);
    for (int i = 0; i < FAST_SIDES && most_windows > 2; i++)
        fast->side[i] =
            segments_take(&at, temp_bytes(fast, request) * request->count +
                                   (1 + TILE_MOST_PIECES) * (uint64_t)PLAN_ALIGNMENT);
    fast->workspace_bytes = at;
done:
    return status;
}

const kernel_set segments_fast_kernels =
    KERNEL_SET(KERNEL_SEGMENT_SORT) | KERNEL_SET(KERNEL_SEGMENT_CUT) |
    KERNEL_SET(KERNEL_SEGMENT_MERGE) | KERNEL_SET(KERNEL_SEGMENT_FIRST) |
    KERNEL_SET(KERNEL_TILE_MERGE) | KERNEL_SET(KERNEL_SEGMENT_LAST);

int segments_are_fast(struct backend *backend, const struct request *request)
{
    const mw_engine engine = backend->tuning.engine;
    struct rows_shape shape;
    struct error error;

    return request->order.field_count &&
           (engine == MW_ENGINE_AUTO || engine == MW_ENGINE_TILE) &&
           rows_shape(&shape, request, &error) == MW_OK && shape.words == 1;
}

mw_status segments_fast_prepare(struct backend *backend, const struct request *request,
                                uint64_t *workspace_bytes)
{
    struct device *const device = backend_device(backend);
    struct program *program;
    struct fast_plan fast;
    mw_status status;

    TRY(make_plan(&fast, backend, request));
    TRY(device->verbs->load(device, &fast.plan.program, segments_fast_kernels, &program));
    *workspace_bytes = fast.workspace_bytes;
done:
    return status;
}

static void make_rows(struct fast_rows *rows, const struct fast_plan *fast,
                      const struct request *request, int is_inner, char *workspace)
{
    struct rows made;

    rows_make(&made, &fast->shape, request, 0, 0, 1, 0, NULL);
    rows_carry(&made, ROWS_IN, ROWS_OUT, &rows->carry, &rows->keys);
    rows->enter = (struct key_code){.flip = made.code.flip, .is_float = made.code.is_float};
    rows->leave = made.way == ROWS_KEYED ? rows->enter : (struct key_code){0, 0, 0};
    for (int i = 0; i < FAST_SIDES; i++) {
        struct segment_temp *const side = &rows->side[i];
        uint64_t at = fast->side[i];

        memset(side, 0, sizeof *side);
        side->position =
            request->position_bytes && !is_inner ? rows->carry.piece_count - 1 : -1;
        if (!fast->rounds)
            continue;
        side->codes = workspace + segments_take(&at, made.keys.size * request->count);
        for (int p = 0; p < rows->carry.piece_count; p++)
            side->piece[p] =
                workspace + segments_take(&at, rows->carry.piece[p].bytes * request->count);
    }
}

/* As programs with places have them (launch_segments.h). */
struct sort_args {
    struct tile_sort_args sort;
    struct tile_carry carry;
    struct segment_marks marks;
    struct segment_windows windows;
    struct segment_temp temp;
};

struct merge_args {
    struct tile_merge_args merge;
    struct tile_carry carry;
    struct segment_windows windows;
    struct segment_temp temp;
    wide run_before;
};

static mw_status sort_windows(struct segments_run *run, struct program *program,
                              const struct fast_plan *fast, const struct fast_rows *rows,
                              struct segment_windows windows)
{
    const struct tile_geometry *const tile = &fast->plan.program.tile;
    const struct sort_args args = {
        .sort = {.out = rows->keys,
                 .count = run->marks.count,
                 .enter = rows->enter,
                 .leave = rows->leave},
        .carry = rows->carry,
        .marks = run->marks,
        .windows = windows,
        .temp = rows->side[0]
    };

    const uint64_t alone = fast->least_long > fast->most_short ? fast->windows : 0;

    return segments_launch(run, program, KERNEL_SEGMENT_SORT, fast->windows + alone,
                           tile->rows, SEGMENT_SORT_SHARED(tile->rows, tile->items), &args,
                           sizeof args);
}

/* Merge from one side to the other, or to the caller's arrays. */
static mw_status merge_windows(struct segments_run *run, struct program *program,
                               const struct fast_plan *fast, const struct fast_rows *rows,
                               struct segment_windows windows, wide *cuts, uint32_t number)
{
    const struct merge_round *const round = &fast->round[number];
    const struct segment_temp *const from = &rows->side[number % FAST_SIDES];
    const size_t key_bytes = rows_keys(&fast->shape, 0).size;
    struct merge_args args = {
        .merge = {.round = {.out = rows->keys,
                            .count = run->marks.count,
                            .run = round->run,
                            .piece = round->piece,
                            .groups = (unsigned)round->groups,
                            .pieces = (unsigned)round->pieces,
                            .number = number + 1,
                            .ways = (int)round->ways},
                  .leave = rows->leave},
        .carry = rows->carry,
        .windows = windows,
        .temp = rows->side[(number + 1) % FAST_SIDES],
        .run_before = number ? fast->round[number - 1].run : 0
    };

    mw_status status;

    args.carry.source = (struct tile_source){.keys = from->codes, .pitch = key_bytes};
    for (int p = 0; p < args.carry.piece_count; p++) {
        args.carry.piece[p].in = from->piece[p];
        args.carry.piece[p].in_pitch = args.carry.piece[p].bytes;
    }
    if (round->has_cuts) {
        args.merge.round.cuts = cuts;
        TRY(segments_launch(
            run, program, KERNEL_SEGMENT_CUT,
            divide_up(round->groups * round->pieces, segment_cut_threads / WARP),
            segment_cut_threads, 0, &args, sizeof args));
    }
    TRY(segments_launch(run, program, KERNEL_SEGMENT_MERGE, round->blocks,
                        fast->plan.program.tile.rows, fast->plan.merge_shared, &args,
                        sizeof args));
done:
    return status;
}

mw_status segments_fast_enqueue(struct segments_run *run, const struct request *request,
                                int is_inner, char *workspace, uint64_t bytes)
{
    struct device *const device = backend_device(run->backend);
    struct segment_scan_args scan = {.marks = run->marks};
    struct segment_windows windows;
    struct program *program;
    struct fast_plan fast;
    struct fast_rows rows;
    mw_status status;

    TRY(make_plan(&fast, run->backend, request));
    TRY(backend_check_workspace(run->backend, bytes, fast.workspace_bytes));
    TRY(device->verbs->load(device, &fast.plan.program, segments_fast_kernels, &program));
    make_rows(&rows, &fast, request, is_inner, workspace);
    if (segments_are_whole(&fast, run->backend, request))
        return segments_whole_enqueue(run, request, &fast, &rows, workspace);
    if (!is_inner) /* otherwise they are marked */
        TRY(segments_mark(run, request));
    scan.first = (wide *)(workspace + fast.first);
    scan.last = (wide *)(workspace + fast.last);
    scan.crossed = (wide *)(workspace + fast.crossed);
    scan.windows = fast.windows;
    scan.window = fast.window;
    windows = (struct segment_windows){
        .first = scan.first,
        .last = scan.last,
        .open = {(wide *)(workspace + fast.open[0]), (wide *)(workspace + fast.open[1])},
        .crossed = scan.crossed,
        .count = (unsigned)fast.windows,
        .rows = fast.window,
        .most_short = fast.most_short,
        .least_long = fast.least_long,
        .at_once = fast.rounds ? fast.round[0].ways : 0
    };
    TRY(segments_scan(run, &scan, fast.is_carried));
    TRY(sort_windows(run, program, &fast, &rows, windows));
    windows.first = windows.open[0];
    windows.last = windows.open[1];
    for (uint32_t i = 0; i < fast.rounds; i++)
        TRY(merge_windows(run, program, &fast, &rows, windows,
                          (wide *)(workspace + fast.cuts), i));
    fast.plan.key_bytes = request->count * rows_keys(&fast.shape, 0).size;
    fast.plan.rounds = fast.rounds;
    device_note(run->backend, request, &fast.plan);
done:
    return status;
}
