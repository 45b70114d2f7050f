/*
 * backend_segments.c - sorts of segments on a device: the verbs, and the general way.
 *
 * The general way serves every order. Marks of where segments begin and end give each row
 * the first row of its segment, its home; a row in no segment is its own home. Homes do
 * not descend along the array. So rows sorted by home, and then by the order, stay in
 * their segments, and rows in no segment stay where they are. Only positions are sorted;
 * columns are gathered, without rows that are in no segment.
 *
 * If the order is a short code, positions are sorted in the fast way. If rows are short as
 * well, the fast way sorts the rows themselves, and no homes are needed. One segment is
 * sorted with all rows (backend_segments_whole.c), or, if its rows are short keys alone,
 * copied, sorted as bare keys are, and copied back.
 */
#include "backend_segments.h"

/* Where the temporary arrays are in the workspace. */
struct segments_space {
    uint64_t begins, ends; /* bits of rows */
    uint64_t covered;      /* also; from here on not if rows travel */
    uint64_t first, last;  /* of windows */
    uint64_t home;
    uint64_t order;    /* the sorted positions */
    uint64_t argument; /* an expression: positions sorted by it alone, ... */
    uint64_t homes;    /* ... and the homes of these rows */
    uint64_t rest;     /* the sort's own workspace; then a gathered column */
};

static struct segments_space lay_out(const struct request *request, int travels)
{
    const uint64_t count = request->count;
    const uint64_t bits = divide_up(count, SEGMENT_WORD) * sizeof(wide);
    const uint64_t windows = (divide_up(count, SEGMENT_WINDOW) + 1) * sizeof(wide);
    const uint64_t more = request->order.field_count ? 0 : 4 * count;
    struct segments_space space = {0};
    uint64_t at = 0;

    space.begins = segments_take(&at, bits);
    space.ends = segments_take(&at, bits);
    if (!travels) {
        space.covered = segments_take(&at, bits);
        space.first = segments_take(&at, windows);
        space.last = segments_take(&at, windows);
        space.home = segments_take(&at, 4 * count);
        space.order = segments_take(&at, 4 * count);
        space.argument = segments_take(&at, more);
        space.homes = segments_take(&at, more);
    }
    space.rest = at;
    return space;
}

/* Do the rows themselves go through the passes of the fast way? */
static int do_travel(struct backend *backend, const struct request *request)
{
    struct rows_shape shape;
    struct error error;

    return segments_are_fast(backend, request) &&
           rows_shape(&shape, request, &error) == MW_OK && shape.way != ROWS_WIDE;
}

/* Bytes of the longest column that is gathered in place. */
static uint64_t spare_bytes(const struct request *request)
{
    struct request seen = *request; /* which pointers are NULL or equal always counts */
    uint64_t most = 0;

    seen.with_data = 1;
    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(&seen, i);

        if (c.out && (c.out == c.in || !c.in) && c.bytes > most)
            most = c.bytes;
    }
    return most * request->count;
}

/* Workspace of the sort inside, and its kernels. */
static mw_status prepare_sort(struct backend *backend, const struct request *request,
                              uint64_t *bytes)
{
    struct segments_inner inner;
    uint64_t more;
    mw_status status;

    if (segments_are_fast(backend, request)) {
        inner.request = segments_by_order(request, NULL);
        TRY(segments_fast_prepare(backend, &inner.request, bytes));
    } else if (request->order.field_count) {
        segments_by_fields(&inner, request, NULL, NULL);
        TRY(rows_prepare(backend, &inner.request, bytes));
    } else {
        segments_by_less(&inner, request, NULL);
        TRY(comparison_prepare(backend, &inner.request, bytes));
        segments_by_home(&inner, request, NULL, NULL, &inner);
        TRY(rows_prepare(backend, &inner.request, &more));
        *bytes = more > *bytes ? more : *bytes;
    }
done:
    return status;
}

mw_status segments_prepare(struct backend *backend, const struct request *request,
                           uint64_t *workspace_bytes)
{
    const int travels = do_travel(backend, request);
    const struct segments_space space = lay_out(request, travels);
    const uint64_t spare = travels ? 0 : spare_bytes(request);
    struct program *program;
    uint64_t bytes;
    mw_status status;

    TRY(passes_load_rows(backend_device(backend), &program));
    if (travels)
        TRY(segments_fast_prepare(backend, request, &bytes));
    else
        TRY(prepare_sort(backend, request, &bytes));
    *workspace_bytes = space.rest + (bytes > spare ? bytes : spare);
    if (segments_may_be_one(backend, request)) {
        TRY(segments_one_prepare(backend, request, &bytes));
        *workspace_bytes = bytes > *workspace_bytes ? bytes : *workspace_bytes;
    }
done:
    return status;
}

mw_status segments_launch(struct segments_run *run, struct program *program,
                          enum kernel_id kernel, uint64_t blocks, uint32_t threads,
                          uint32_t shared_bytes, const void *args, size_t bytes)
{
    return passes_enqueue(&run->queue, program ? program : run->program, kernel, blocks,
                          threads, shared_bytes, args, bytes);
}

struct segment_numbers segments_numbers(const struct request *request)
{
    return (struct segment_numbers){.begins = request->segment_begins,
                                    .ends = request->segment_ends,
                                    .count = request->segment_count,
                                    .bytes = (int)request->segment_bytes,
                                    .is_signed = request->segment_signed};
}

mw_status segments_mark(struct segments_run *run, const struct request *request)
{
    struct segment_mark_args args = {.marks = run->marks};
    const uint64_t words = divide_up(request->count, SEGMENT_WORD);
    mw_status status;

    TRY(segments_launch(run, NULL, KERNEL_SEGMENT_MARK,
                        divide_up(words, segment_mark_threads), segment_mark_threads, 0,
                        &args, sizeof args));
    args.numbers = segments_numbers(request);
    TRY(segments_launch(
        run, NULL, KERNEL_SEGMENT_MARK,
        divide_up(request->segment_count, SEGMENT_MARKED * segment_mark_threads),
        segment_mark_threads, 0, &args, sizeof args));
done:
    return status;
}

mw_status segments_scan(struct segments_run *run, struct segment_scan_args *args, int carry)
{
    mw_status status;

    args->step = SEGMENT_LOOK;
    TRY(segments_launch(run, NULL, KERNEL_SEGMENT_SCAN,
                        divide_up(args->windows, SEGMENT_FILL_THREADS / WARP),
                        SEGMENT_FILL_THREADS, SEGMENT_SCAN_SHARED, args, sizeof *args));
    args->step = SEGMENT_CARRY;
    if (carry)
        TRY(segments_launch(run, NULL, KERNEL_SEGMENT_SCAN, 1, segment_scan_threads,
                            SEGMENT_SCAN_SHARED, args, sizeof *args));
done:
    return status;
}

/* Find the homes of all rows. */
static mw_status find_homes(struct segments_run *run, const struct segments_space *space,
                            char *memory)
{
    struct segment_scan_args args = {.marks = run->marks,
                                     .first = (wide *)(memory + space->first),
                                     .last = (wide *)(memory + space->last),
                                     .windows = divide_up(run->marks.count, SEGMENT_WINDOW),
                                     .home = (unsigned *)(memory + space->home),
                                     .covered = (wide *)(memory + space->covered),
                                     .window = SEGMENT_WINDOW};
    mw_status status;

    TRY(segments_scan(run, &args, 1));
    args.step = SEGMENT_FILL;
    TRY(segments_launch(run, NULL, KERNEL_SEGMENT_SCAN, args.windows, SEGMENT_FILL_THREADS,
                        SEGMENT_SCAN_SHARED, &args, sizeof args));
done:
    return status;
}

/* Sort positions by home and the order. */
static mw_status sort_positions(struct segments_run *run, const struct request *request,
                                const struct segments_space *space, char *memory,
                                uint64_t bytes)
{
    char *const rest = memory + space->rest;
    const uint64_t left = bytes - space->rest;
    struct segments_inner inner;
    mw_status status;

    if (segments_are_fast(run->backend, request)) {
        inner.request = segments_by_order(request, memory + space->order);
        return segments_fast_enqueue(run, &inner.request, 1, rest, left);
    }
    if (request->order.field_count) {
        segments_by_fields(&inner, request, memory + space->home, memory + space->order);
    } else {
        segments_by_less(&inner, request, memory + space->argument);
        TRY(comparison_enqueue(run->backend, &inner.request, rest, left, run->queue.stream,
                               run->queue.log));
        TRY(passes_gather(backend_device(run->backend), run->program, memory + space->home,
                          memory + space->homes, memory + space->argument, request->count,
                          4, run->queue.stream, run->queue.log));
        segments_by_home(&inner, request, memory + space->homes, memory + space->argument,
                         memory + space->order);
    }
    TRY(rows_enqueue_more(run->backend, &inner.request, rest, left, run->queue.stream,
                          run->queue.log));
done:
    return status;
}

/* Gather the columns, and tell positions. */
static mw_status move_rows(struct segments_run *run, const struct request *request,
                           const struct segments_space *space, char *memory)
{
    struct device *const device = backend_device(run->backend);
    const char *const order = memory + space->order;
    const char *const covered = memory + space->covered;
    char *const spare = memory + space->rest;
    const struct segment_positions_args args = {
        .in = (const unsigned *)order,
        .home = (const unsigned *)(memory + space->home),
        .covered = (const wide *)covered,
        .out = request->positions,
        .count = request->count,
        .bytes = (int)request->position_bytes};
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < request->column_count; i++) {
        const struct request_column c = request_column(request, i);
        void *const out = c.out == c.in ? spare : c.out;

        if (!c.out)
            continue;
        TRY(passes_gather_some(device, run->program, c.in, out, order, covered,
                               request->count, c.bytes, run->queue.stream, run->queue.log));
        if (out == spare)
            TRY(passes_gather_some(device, run->program, spare, c.out, NULL, covered,
                                   request->count, c.bytes, run->queue.stream,
                                   run->queue.log));
    }
    if (request->position_bytes)
        TRY(segments_launch(run, NULL, KERNEL_SEGMENT_POSITIONS,
                            divide_up(request->count, segment_positions_threads),
                            segment_positions_threads, 0, &args, sizeof args));
done:
    return status;
}

mw_status segments_enqueue(struct backend *backend, const struct request *request,
                           void *workspace, uint64_t bytes, void *stream)
{
    const int travels = do_travel(backend, request);
    const struct segments_space space = lay_out(request, travels);
    const uint64_t spare = travels ? 0 : spare_bytes(request);
    char *const memory = workspace;
    struct segments_run run = {
        .backend = backend,
        .marks = {.begins = (wide *)(memory + space.begins),
                  .ends = (wide *)(memory + space.ends),
                  .count = request->count},
        .queue = device_queue(backend, stream)
    };
    mw_status status = MW_OK;

    if (request->count == 0 || request->segment_count == 0) {
        backend->counts = (mw_counts)MW_COUNTS_INIT;
        return MW_OK;
    }
    TRY(passes_load_rows(backend_device(backend), &run.program));
    if (request->segment_count == 1 && segments_may_be_one(backend, request))
        return segments_one_enqueue(&run, request, memory, bytes);
    TRY(backend_check_workspace(backend, bytes, space.rest + spare));
    if (travels) {
        TRY(segments_fast_enqueue(&run, request, 0, memory + space.rest,
                                  bytes - space.rest));
    } else {
        TRY(segments_mark(&run, request));
        TRY(find_homes(&run, &space, memory));
        TRY(sort_positions(&run, request, &space, memory, bytes));
        TRY(move_rows(&run, request, &space, memory));
    }
done:
    return status;
}
