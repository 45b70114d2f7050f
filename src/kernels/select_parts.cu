/*
 * select_parts.cu - rows by rank of long segments, by warps: see launch_select.h.
 */
#include "select_leaders.cuh"

enum { select_parts_blocks = 4 };

DEVICE void parts_by_warps(const struct select_segments_args *args,
                           struct warp_shared *shared)
{
    struct warp_shared *const sm = shared + THREAD / WARP;
    const wide parts = least_of(LOAD(cell_of(&args->lists->parts)), args->most_parts);

    for (wide place = (wide)BLOCK * SELECT_TEAM_WARPS + THREAD / WARP; place < parts;
         place += (wide)BLOCKS * SELECT_TEAM_WARPS) {
        wide begin = 0;
        const unsigned count = part_of(args, place, &begin);
        const unsigned last = count < args->last ? count : (unsigned)args->last;

        if (count > 0) {
            const struct select_view view = view_part(args, begin, count);
            const wide bound = bound_of(args, sm, place);
            const struct warp_top top = args->result.code_bytes == 4
                                            ? select_in_warp(sm, &view, 4, last, 1, bound)
                                            : select_in_warp(sm, &view, 8, last, 1, bound);

            stage_part(args, &top.list, top.count, place, last, (unsigned)LANE, WARP);
        }
    }
}

/* List the rows of another warp's list. */
DEVICE void list_others(struct warp_shared *sm, struct warp_top *top,
                        const struct warp_shared *other, unsigned last)
{
    const unsigned count = LOAD(&other->found[3]);
    struct select_list list = top->list;

    if (top->count + count > list.room)
        cut_list(sm, top, last, 0);
    list.codes = (wide_cell *)other->codes;
    list.rows = (unsigned_cell *)other->rows;
    NO_UNROLL
    for (unsigned from = 0; from < count; from += WARP) {
        const unsigned i = from + (unsigned)LANE;
        const int has = i < count;

        list_row(top, has, has ? listed_code(&list, i) : 0, has ? listed_row(&list, i) : 0);
    }
    WARP_BARRIER();
}

/*
 * A warp's share of a view. Shares are multiples of a pack, so that a dense view, which
 * is loaded 16 bytes at a time, has aligned shares.
 */
DEVICE struct select_view share_of(const struct select_view *view)
{
    const unsigned even = (view->count + SELECT_TEAM_WARPS - 1) / SELECT_TEAM_WARPS;
    const unsigned each = (even + unsigned_pack - 1) / unsigned_pack * unsigned_pack;
    const unsigned first = each * (unsigned)(THREAD / WARP);
    struct select_view share = *view;

    share.keys += (wide)first * view->pitch;
    share.numbers += first;
    share.count = first < view->count ? view->count - first : 0;
    share.count = share.count < each ? share.count : each;
    return share;
}

/* Each warp takes a share of what was staged; the first selects from what they find. */
DEVICE void join_in_block(const struct select_segments_args *args,
                          struct warp_shared *shared, wide place, const int code_bytes)
{
    struct warp_shared *const sm = shared + THREAD / WARP;
    struct select_view view, share;
    struct warp_top top;
    unsigned segment;
    wide begin, bound;
    const unsigned count = view_staged(args, place, &segment, &begin, &view);
    const unsigned last = count < args->last ? count : (unsigned)args->last;

    if (count == 0)
        return;
    share = share_of(&view);
    bound =
        LOAD(cell_of(&args->parts[LOAD((unsigned_cell *)&args->longs[place].part)].bound));
    top = select_in_warp(sm, &share, code_bytes, last, 1, bound);
    if (LANE == 0)
        STORE(&sm->found[3], top.count);
    BARRIER();
    if (THREAD < WARP) {
        for (int i = 1; i < SELECT_TEAM_WARPS; i++)
            list_others(sm, &top, &shared[i], last);
        if (top.count > last)
            cut_list(sm, &top, last, 0);
        sort_top(&top);
        write_list(args, &top.list, segment, begin, wanted_of(args, count),
                   (unsigned)args->first, top.count, (unsigned)LANE, WARP);
    }
    BARRIER();
}

DEVICE void join_by_warps(const struct select_segments_args *args,
                          struct warp_shared *shared)
{
    const wide longs = least_of(LOAD(cell_of(&args->lists->longs)), args->most_longs);

    for (wide place = (wide)BLOCK; place < longs; place += (wide)BLOCKS) {
        if (args->result.code_bytes == 4)
            join_in_block(args, shared, place, 4);
        else
            join_in_block(args, shared, place, 8);
    }
}

KERNEL(select_parts, struct select_segments_args)
{
    SHARED(struct warp_shared, sm);

    if (args.step == SELECT_LEADERS_STEP) {
        clear_lists(&args);
        find_leaders(&args);
    } else if (args.step == SELECT_PARTS_STEP)
        parts_by_warps(&args, sm);
    else
        join_by_warps(&args, sm);
}
