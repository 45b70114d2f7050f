/*
 * backend_select_words.c - SELECT on a device by codes of several words, which are longer
 * than 8 bytes.
 *
 * Rows that are equal in the first word of their codes have neighbouring ranks, whether
 * rows are ordered by that word or by all. So some more rows than wanted, the window, are
 * selected by the first word and sorted by all words. The window holds the result, unless
 * rows equal to the first or the last wanted one in their first word are missing from it.
 * Then all rows are sorted, by launches that otherwise do nothing.
 */
#include "backend_select.h"

/* Rows of the window: never fewer if more ranks are wanted, or of more rows. */
static uint64_t window_of(uint64_t count, uint64_t wanted)
{
    const uint64_t more = wanted + wanted / 2;
    const uint64_t window = more > SELECT_MOST ? more : SELECT_MOST;

    return window < count ? window : count;
}

int select_by_words(struct backend *backend, const struct request *request, uint64_t wanted,
                    struct rows_shape *shape)
{
    const uint64_t window = window_of(request->count, wanted);

    if (request->order.field_count == 0 || request_has_segments(request) ||
        !select_is_worth(request->count, window) ||
        rows_shape(shape, request, backend->error) != MW_OK || shape->words < 2)
        return 0;
    rows_by_number(shape);
    return 1;
}

/* Where everything is: the flag, the window, the result; then what does not live long. */
struct window_room {
    uint64_t window, out, rest;
};

static struct window_room room_of(uint64_t window, uint64_t wanted)
{
    struct window_room room = {.window = PLAN_ALIGNMENT};

    room.out = room.window + round_up(4 * window, PLAN_ALIGNMENT);
    room.rest = room.out + round_up(4 * wanted, PLAN_ALIGNMENT);
    return room;
}

/* The same ranks, and those around them. */
static struct request window_request(const struct request *request, uint64_t window)
{
    const uint64_t more = window - (request->last - request->first);
    const uint64_t below = request->first < more / 2 ? request->first : more / 2;
    struct request inner = *request;

    inner.first = request->first - below;
    if (inner.first + window > request->count)
        inner.first = request->count - window;
    inner.last = inner.first + window;
    inner.result_count = window;
    inner.positions = NULL;
    inner.position_bytes = 0;
    inner.only_positions = 1;
    return inner;
}

/* The window's numbers as the positions of a sort. */
static struct request window_sort(const struct request *request, unsigned *numbers,
                                  uint64_t window)
{
    struct request sort = select_all(request, numbers);

    sort.count = sort.result_count = window;
    return sort;
}

mw_status select_words_prepare(struct backend *backend, const struct request *request,
                               uint64_t sorting, uint64_t *bytes)
{
    const uint64_t wanted = request->last - request->first;
    const uint64_t window = window_of(request->count, wanted);
    const struct request sort = window_sort(request, NULL, window);
    struct select_plan plan;
    uint64_t window_bytes;
    mw_status status;

    select_plan(&plan, &backend_device(backend)->info, ROWS_WORD, request->count, 0,
                window);
    TRY(rows_numbers_prepare(backend, &sort, &window_bytes));
    *bytes = plan.sort_offset > window_bytes ? plan.sort_offset : window_bytes;
    *bytes = room_of(window, wanted).rest + (sorting > *bytes ? sorting : *bytes);
done:
    return status;
}

static mw_status launch_ties(struct select_run *run, const struct select_ties_args *args)
{
    const uint64_t blocks =
        args->all ? (args->count + select_ties_threads - 1) / select_ties_threads : 1;

    return select_launch(run, KERNEL_SELECT_TIES, blocks, select_ties_threads, 0, args,
                         sizeof *args);
}

/* Find the window, and sort its numbers by all words. */
static mw_status find_window(const struct select_run *run, const struct rows_shape *shape,
                             const struct request *inner, unsigned *window, char *rest,
                             uint64_t bytes)
{
    const uint64_t count = inner->result_count;
    const struct request sort = window_sort(run->request, window, count);
    struct select_run part = *run;
    struct select_plan plan;
    mw_status status;

    part.request = inner;
    part.count = count;
    part.workspace = rest;
    part.bytes = bytes;
    select_plan(&plan, &backend_device(run->backend)->info, ROWS_WORD, inner->count,
                inner->first, inner->last);
    TRY(backend_check_workspace(run->backend, bytes, plan.sort_offset));
    TRY(select_find(&part, shape, &plan, window));
    TRY(rows_argsort_enqueue(run->backend, &sort, (struct rows_how){1, NULL}, rest, bytes,
                             run->queue.stream, run->queue.log));
done:
    return status;
}

mw_status select_words_enqueue(struct select_run *run, const struct rows_shape *shape)
{
    const struct request *const request = run->request;
    const uint64_t window = window_of(request->count, run->count);
    const struct window_room room = room_of(window, run->count);
    const struct request inner = window_request(request, window);
    const uint64_t numbers = round_up(4 * request->count, PLAN_ALIGNMENT);
    char *const rest = run->workspace + room.rest;
    const struct request all = select_all(request, (unsigned *)rest);
    struct select_ties_args args = {.window = (unsigned *)(run->workspace + room.window),
                                    .flag = (unsigned *)run->workspace,
                                    .out = (unsigned *)(run->workspace + room.out),
                                    .count = run->count,
                                    .first = request->first,
                                    .skip = request->first - inner.first,
                                    .window_count = window,
                                    .cut_below = inner.first > 0,
                                    .cut_above = inner.last < request->count};
    struct key_code unused;
    mw_status status;

    TRY(backend_check_workspace(run->backend, run->bytes, room.rest + numbers));
    TRY(find_window(run, shape, &inner, (unsigned *)args.window, rest,
                    run->bytes - room.rest));
    run->queue.begun = 1;
    select_source(request, shape, &args.source, &unused);
    TRY(launch_ties(run, &args));
    TRY(rows_argsort_enqueue(run->backend, &all, (struct rows_how){0, args.flag},
                             rest + numbers, run->bytes - room.rest - numbers,
                             run->queue.stream, run->queue.log));
    args.all = (unsigned *)rest;
    TRY(launch_ties(run, &args));
    TRY(select_write(run, 0, args.out));
    TRY(select_write_positions(run, args.out));
done:
    return status;
}
