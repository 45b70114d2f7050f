/*
 * backend_select_segments.c - SELECT in segments on a device: rows of each segment by
 * rank. Where few are wanted by short codes, select_segments finds them; otherwise all
 * segments are sorted, and the wanted rows are taken.
 */
#include "backend_select.h"

#include <assert.h>

/* Where everything lies in the workspace, and what is listed at most. */
struct segments_plan {
    uint64_t numbers_offset; /* of the result's rows */
    uint64_t sorted_offset;  /* by sorting: positions, and the sort's own workspace */
    uint64_t sort_offset;
    uint64_t lists_offset; /* by selection, each list */
    uint64_t parts_offset, longs_offset, staged_codes_offset, staged_offset, wholes_offset;
    uint64_t leaders_offset;
    uint64_t codes_offset; /* if they are made of parts */
    uint64_t most_parts, most_longs;
    uint64_t part; /* rows of one */
    uint64_t bytes;
};

static uint64_t take(uint64_t *at, uint64_t bytes)
{
    const uint64_t taken = *at;

    *at += round_up(bytes, PLAN_ALIGNMENT);
    return taken;
}

/* Do warps select, or blocks? */
static int by_warps(const struct request *request)
{
    return request->last <= SELECT_WARP_MOST;
}

/*
 * A long segment has more than two parts. So the number of long segments is at most half
 * the number of parts in all rows, and with them there are at most half as many parts more.
 * There is room for warps and for blocks, since a prepared job may have fewer ranks.
 */
static struct segments_plan plan_selection(const struct request *request,
                                           const mw_info *info)
{
    const uint64_t processors = info->processors;
    const uint64_t part =
        divide_up(request->count,
                  processors * (by_warps(request) ? SELECT_WARP_PARTS : SELECT_TEAM_PARTS));
    struct segments_plan plan = {.part = part > 2 * SELECT_TEAM_MOST ? part
                                                                     : 2 * SELECT_TEAM_MOST,
                                 .most_parts = SELECT_WARP_PARTS * processors * 3 / 2 + 2,
                                 .most_longs = SELECT_WARP_PARTS * processors / 2 + 2};
    const uint64_t staged =
        plan.most_parts * SELECT_WARP_MOST >
                (SELECT_TEAM_PARTS * processors * 3 / 2 + 2) * SELECT_TEAM_MOST
            ? plan.most_parts * SELECT_WARP_MOST
            : (SELECT_TEAM_PARTS * processors * 3 / 2 + 2) * SELECT_TEAM_MOST;

    plan.numbers_offset = take(&plan.bytes, 4 * request->result_count);
    plan.lists_offset = take(&plan.bytes, sizeof(struct select_lists));
    plan.parts_offset = take(&plan.bytes, sizeof(struct select_part) * plan.most_parts);
    plan.longs_offset = take(&plan.bytes, sizeof(struct select_long) * plan.most_longs);
    plan.staged_codes_offset = take(&plan.bytes, 8 * staged);
    plan.staged_offset = take(&plan.bytes, 4 * staged);
    plan.wholes_offset = take(&plan.bytes, 4 * request->segment_count);
    plan.leaders_offset =
        take(&plan.bytes, 8 * SELECT_LEADERS *
                              (request->segment_count < processors * SELECT_FILTERS_EACH
                                   ? request->segment_count
                                   : processors * SELECT_FILTERS_EACH));
    plan.codes_offset =
        take(&plan.bytes, select_has_keys(request) ? 0 : 8 * request->count);
    if (!by_warps(request))
        plan.most_parts = SELECT_TEAM_PARTS * processors * 3 / 2 + 2;
    return plan;
}

/* The sort's own workspace comes last. */
static struct segments_plan plan_sorting(const struct request *request)
{
    struct segments_plan plan = {.part = 0};

    plan.numbers_offset = take(&plan.bytes, 4 * request->result_count);
    plan.sorted_offset = take(&plan.bytes, 4 * request->count);
    plan.sort_offset = plan.bytes;
    return plan;
}

/* Shared memory of a block whose warps select. */
enum { WARPS_SHARED = SELECT_TEAM_WARPS * SELECT_WARP_SHARED };

_Static_assert((int)SELECT_TEAM_SHARED <= (int)WARPS_SHARED, "where warps can, blocks can");

/* Else all rows are sorted: also where a block has only 48 KiB of shared memory. */
static int selects(struct backend *backend, const struct request *request,
                   struct rows_shape *shape)
{
    return request->last - request->first <= SELECT_TEAM_MOST &&
           backend_device(backend)->info.shared_per_block >= WARPS_SHARED &&
           request->count <= UINT32_MAX && request->segment_count < UINT32_MAX &&
           select_by_codes(backend, request, shape);
}

/* What every step gets. The elements are made of their codes where that is possible. */
static struct select_segments_args make_args(const struct select_run *run,
                                             const struct segments_plan *plan, int step)
{
    const struct request *const request = run->request;

    return (struct select_segments_args){
        .begins = request->segment_begins,
        .ends = request->segment_ends,
        .segments = request->segment_count,
        .count = request->count,
        .first = request->first,
        .last = request->last,
        .result = {.positions = request->positions,
                   .numbers = (unsigned *)(run->workspace + plan->numbers_offset),
                   .position_bytes = (int)request->position_bytes},
        .step = step,
        .segment_bytes = (int)request->segment_bytes,
        .is_signed = request->segment_signed
    };
}

static mw_status launch_step(struct select_run *run, struct select_segments_args *args,
                             enum select_step step, uint64_t blocks)
{
    const int is_longer =
        step == SELECT_WHOLE_STEP || (step == SELECT_JOIN_STEP && !args->by_warps);
    const int step_of_parts = step == SELECT_LEADERS_STEP || step == SELECT_PARTS_STEP ||
                              step == SELECT_JOIN_STEP;
    uint32_t shared = 0;

    if (is_longer)
        shared = SELECT_TEAM_SHARED;
    else if (step == SELECT_WARPS_STEP || step == SELECT_PARTS_STEP ||
             step == SELECT_JOIN_STEP)
        shared = WARPS_SHARED;
    args->step = (int)step;
    return select_launch(run,
                         is_longer       ? KERNEL_SELECT_LONGER
                         : step_of_parts ? KERNEL_SELECT_PARTS
                                         : KERNEL_SELECT_SEGMENTS,
                         blocks, SELECT_TEAM_THREADS, shared, args, sizeof *args);
}

/* Sort all segments' positions, and take those that are wanted. */
static mw_status take_from_sorted(struct select_run *run)
{
    enum { MOST_BLOCKS = 1 << 20 };
    const struct request *const request = run->request;
    const struct segments_plan plan = plan_sorting(request);
    unsigned *const sorted = (unsigned *)(run->workspace + plan.sorted_offset);
    const struct request all = select_all(request, sorted);
    const uint64_t blocks = divide_up(run->count, SELECT_TEAM_THREADS);
    struct select_segments_args args = make_args(run, &plan, SELECT_TAKE_STEP);
    mw_status status;

    args.sorted = sorted;
    TRY(backend_check_workspace(run->backend, run->bytes, plan.sort_offset));
    TRY(segments_enqueue(run->backend, &all, run->workspace + plan.sort_offset,
                         run->bytes - plan.sort_offset, run->queue.stream));
    TRY(launch_step(run, &args, SELECT_TAKE_STEP,
                    blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS));
    TRY(select_write(run, 0, args.result.numbers));
done:
    return status;
}

/* Segments that a warp looks at together: fewer where there are few. */
static uint32_t group_of(uint64_t segments, uint64_t warps)
{
    const uint64_t each = segments / (4 * warps);

    return each < 1 ? 1 : each > WARP ? WARP : (uint32_t)each;
}

/*
 * Warps that look for leaders of each segment: a power of two that fills the device. 0 if
 * no segment can be long, or if a segment would have less than a block of them.
 */
static uint32_t samplers_of(const struct request *request, uint64_t part, uint64_t warps)
{
    uint32_t samplers = SELECT_LEADERS;

    if (!by_warps(request) || request->count <= 2 * part)
        return 0;
    while (samplers * request->segment_count > warps)
        samplers /= 2;
    return samplers < SELECT_TEAM_WARPS ? 0 : samplers;
}

static mw_status select_in_segments(struct select_run *run, const struct rows_shape *shape)
{
    const struct request *const request = run->request;
    const mw_info *const info = &backend_device(run->backend)->info;
    const struct segments_plan plan = plan_selection(request, info);
    const uint64_t blocks = (uint64_t)info->processors * SELECT_FILTERS_EACH;
    struct select_segments_args args = make_args(run, &plan, SELECT_WARPS_STEP);
    uint64_t groups;
    mw_status status;

    TRY(backend_check_workspace(run->backend, run->bytes, plan.bytes));
    select_source(request, shape, &args.source, &args.enter);
    select_load_whole(&args.source, (uint32_t)rows_keys(shape, 0).size);
    args.result =
        select_result(request, (uint32_t)rows_keys(shape, 0).size, args.result.numbers);
    if (args.source.part_count) {
        assert(!select_has_keys(request)); /* else the plan has no room for codes */
        args.codes = run->workspace + plan.codes_offset;
        TRY(launch_step(run, &args, SELECT_CODES_STEP, blocks));
        args.source =
            (struct tile_source){.keys = args.codes, .pitch = (wide)args.result.code_bytes};
        args.enter = (struct key_code){.flip = 0};
    }
    args.lists = (struct select_lists *)(run->workspace + plan.lists_offset);
    args.wholes = (unsigned *)(run->workspace + plan.wholes_offset);
    args.parts = (struct select_part *)(run->workspace + plan.parts_offset);
    args.longs = (struct select_long *)(run->workspace + plan.longs_offset);
    args.staged_codes = run->workspace + plan.staged_codes_offset;
    args.staged = (unsigned *)(run->workspace + plan.staged_offset);
    args.most_parts = plan.most_parts;
    args.most_longs = plan.most_longs;
    args.part = (unsigned)plan.part;
    args.group = group_of(request->segment_count, blocks * SELECT_TEAM_WARPS);
    groups = divide_up(divide_up(request->segment_count, args.group), SELECT_TEAM_WARPS);
    args.by_warps = by_warps(request);
    args.leaders = (wide *)(run->workspace + plan.leaders_offset);
    args.samplers = samplers_of(request, plan.part, blocks * SELECT_TEAM_WARPS);
    if (args.samplers)
        TRY(launch_step(run, &args, SELECT_LEADERS_STEP,
                        request->segment_count * args.samplers / SELECT_TEAM_WARPS));
    else
        TRY(launch_step(run, &args, SELECT_CLEAR_STEP, 1));
    TRY(launch_step(run, &args, SELECT_WARPS_STEP, groups < blocks ? groups : blocks));
    if (args.by_warps && request->count > 2 * plan.part)
        TRY(launch_step(run, &args, SELECT_PARTS_STEP, blocks));
    if (!args.by_warps)
        TRY(launch_step(run, &args, SELECT_WHOLE_STEP, blocks));
    if (request->count > 2 * plan.part)
        TRY(launch_step(run, &args, SELECT_JOIN_STEP, blocks));
    TRY(select_write(run, (uint32_t)select_has_keys(request), args.result.numbers));
done:
    return status;
}

mw_status select_segments_prepare(struct backend *backend, const struct request *request,
                                  uint64_t *workspace_bytes)
{
    const struct segments_plan plan =
        plan_selection(request, &backend_device(backend)->info);
    const struct request all = select_all(request, NULL);
    struct rows_shape shape;
    uint64_t bytes;
    mw_status status = MW_OK;

    *workspace_bytes = plan.bytes;
    if (selects(backend, request, &shape))
        return MW_OK;
    TRY(segments_prepare(backend, &all, &bytes));
    bytes += plan_sorting(request).bytes;
    *workspace_bytes = bytes > plan.bytes ? bytes : plan.bytes;
done:
    return status;
}

mw_status select_segments_enqueue(struct select_run *run)
{
    struct rows_shape shape;

    return selects(run->backend, run->request, &shape) ? select_in_segments(run, &shape)
                                                       : take_from_sorted(run);
}
