/*
 * backend_segments.c - sorts of segments on a device.
 *
 * The general way serves every order. Marks of where segments begin and end give each row
 * the first row of its segment, its home; a row in no segment is its own home. Homes do
 * not descend along the array. So rows sorted by home, and then by the order, stay in
 * their segments, and rows in no segment stay where they are. Only positions are sorted;
 * columns are gathered, without rows that are in no segment.
 */
#include "backend_device.h"

/* Where the temporary arrays are in the workspace. */
struct segments_space {
    uint64_t begins, ends, covered; /* bits of rows */
    uint64_t first, last;           /* of windows */
    uint64_t home;
    uint64_t order;    /* the sorted positions */
    uint64_t argument; /* an expression: positions sorted by it alone, ... */
    uint64_t homes;    /* ... and the homes of these rows */
    uint64_t rest;     /* the sort's own workspace; then a gathered column */
};

static uint64_t take(uint64_t *at, uint64_t bytes)
{
    const uint64_t taken = *at;

    *at += round_up(bytes, PLAN_ALIGNMENT);
    return taken;
}

static struct segments_space lay_out(const struct request *request)
{
    const uint64_t count = request->count;
    const uint64_t bits = divide_up(count, SEGMENT_WORD) * sizeof(wide);
    const uint64_t windows = divide_up(count, SEGMENT_WINDOW) * sizeof(wide);
    const uint64_t more = request->order.field_count ? 0 : 4 * count;
    struct segments_space space;
    uint64_t at = 0;

    space.begins = take(&at, bits);
    space.ends = take(&at, bits);
    space.covered = take(&at, bits);
    space.first = take(&at, windows);
    space.last = take(&at, windows);
    space.home = take(&at, 4 * count);
    space.order = take(&at, 4 * count);
    space.argument = take(&at, more);
    space.homes = take(&at, more);
    space.rest = at;
    return space;
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

/* The sorts inside: requests for positions, and the columns by which they sort. */
struct inner {
    struct request request;
    mw_column columns[REQUEST_MOST_FIELDS];
    mw_column out_columns[1];
};

static void begin_inner(struct inner *inner, const struct request *request)
{
    inner->request = (struct request){.count = request->count,
                                      .operation = MW_SORT,
                                      .result_count = request->count,
                                      .list_count = 1,
                                      .column_count = 1,
                                      .with_data = request->with_data,
                                      .in = {.columns = inner->columns},
                                      .column_size = sizeof(mw_column)};
}

/* Order by homes, which are the elements. */
static void order_by_home(struct inner *inner, const void *homes)
{
    struct request *const ours = &inner->request;

    ours->in.elements = (void *)homes;
    ours->order.element_bytes = 4;
    ours->order.field_count = 1;
    ours->order.field[0] = (struct request_field){
        .bytes = 4, .code = {.mask = UINT32_MAX, .high = UINT32_MAX}
    };
    ours->row_bytes = 4;
}

/* The number of column `number` of the request among those inside. */
static uint32_t inner_column(struct inner *inner, const struct request *request,
                             const uint32_t *numbers, uint32_t number)
{
    const struct request_column c = request_column(request, number);
    struct request *const ours = &inner->request;
    uint32_t i = 1;

    while (i < ours->column_count && numbers[i] != number)
        i++;
    if (i == ours->column_count) {
        inner->columns[i - 1] = (mw_column){(void *)c.in, c.bytes};
        ours->column_count++;
        ours->row_bytes += c.bytes;
    }
    return i;
}

/* Sort all positions by home and by the fields of the request's order. */
static void make_by_fields(struct inner *inner, const struct request *request,
                           const void *homes, void *order)
{
    uint32_t numbers[1 + REQUEST_MOST_FIELDS];
    struct request *const ours = &inner->request;

    begin_inner(inner, request);
    order_by_home(inner, homes);
    for (uint32_t i = 0; i < request->order.field_count; i++) {
        struct request_field *const field = &ours->order.field[1 + i];
        const uint32_t theirs = request->order.field[i].column;

        *field = request->order.field[i];
        field->column = inner_column(inner, request, numbers, theirs);
        numbers[field->column] = theirs;
    }
    ours->order.field_count += request->order.field_count;
    ours->only_positions = 1;
    ours->positions = order;
    ours->position_bytes = 4;
}

/* Sort all positions by the expression alone. */
static void make_by_less(struct inner *inner, const struct request *request, void *order)
{
    struct request *const ours = &inner->request;

    begin_inner(inner, request);
    ours->in.elements = request->in.elements;
    ours->order = request->order;
    ours->row_bytes = request->order.element_bytes;
    ours->only_positions = 1;
    ours->positions = order;
    ours->position_bytes = 4;
}

/* Sort positions by the homes of their rows. */
static void make_by_home(struct inner *inner, const struct request *request, void *homes,
                         void *positions, void *order)
{
    struct request *const ours = &inner->request;

    begin_inner(inner, request);
    order_by_home(inner, homes);
    inner->columns[0] = (mw_column){positions, 4};
    inner->out_columns[0] = (mw_column){order, 4};
    ours->out.columns = inner->out_columns;
    ours->column_count = 2;
    ours->row_bytes = 8;
}

static mw_status load(struct backend *backend, struct program **program)
{
    struct device *const device = backend_device(backend);
    const struct program_name name = {.engine = PROGRAM_ROWS};

    return device->verbs->load(device, &name, kernels_of(PROGRAM_ROWS), program);
}

mw_status segments_prepare(struct backend *backend, const struct request *request,
                           uint64_t *workspace_bytes)
{
    const struct segments_space space = lay_out(request);
    uint64_t rest = spare_bytes(request), bytes = 0;
    struct program *program;
    struct inner inner;
    mw_status status;

    TRY(load(backend, &program));
    if (request->order.field_count) {
        make_by_fields(&inner, request, NULL, NULL);
        TRY(rows_prepare(backend, &inner.request, &bytes));
    } else {
        make_by_less(&inner, request, NULL);
        TRY(comparison_prepare(backend, &inner.request, &bytes));
        rest = bytes > rest ? bytes : rest;
        make_by_home(&inner, request, NULL, NULL, &inner);
        TRY(rows_prepare(backend, &inner.request, &bytes));
    }
    rest = bytes > rest ? bytes : rest;
    *workspace_bytes = space.rest + rest;
done:
    return status;
}

/* Everything that the steps of one request have in common. */
struct segments_run {
    struct backend *backend;
    const struct request *request;
    struct segments_space space;
    struct program *program; /* PROGRAM_ROWS */
    char *workspace;
    void *stream;
    struct pass_log *log;
};

static mw_status launch(const struct segments_run *run, enum kernel_id kernel,
                        uint64_t blocks, uint32_t threads, const void *args, size_t bytes)
{
    const struct launch what = {.program = run->program,
                                .kernel = kernel,
                                .blocks = blocks,
                                .threads = threads,
                                .shared_bytes = SEGMENT_SCAN_SHARED,
                                .args = args,
                                .args_bytes = bytes,
                                .stream = run->stream};

    return passes_launch(backend_device(run->backend), &what, run->log);
}

static struct segment_marks marks_of(const struct segments_run *run)
{
    return (struct segment_marks){.begins = (wide *)(run->workspace + run->space.begins),
                                  .ends = (wide *)(run->workspace + run->space.ends),
                                  .count = run->request->count};
}

/* Mark where segments begin and end. */
static mw_status mark(const struct segments_run *run)
{
    const struct request *const request = run->request;
    struct segment_mark_args args = {.marks = marks_of(run),
                                     .segments = request->segment_count,
                                     .bytes = (int)request->segment_bytes,
                                     .is_signed = request->segment_signed};
    const uint64_t words = divide_up(request->count, SEGMENT_WORD);
    mw_status status;

    TRY(launch(run, KERNEL_SEGMENT_MARK, divide_up(words, segment_mark_threads),
               segment_mark_threads, &args, sizeof args));
    args.begins = request->segment_begins;
    args.ends = request->segment_ends;
    TRY(launch(run, KERNEL_SEGMENT_MARK,
               divide_up(request->segment_count, segment_mark_threads),
               segment_mark_threads, &args, sizeof args));
done:
    return status;
}

/* Find the homes of all rows. */
static mw_status find_homes(const struct segments_run *run)
{
    const uint64_t windows = divide_up(run->request->count, SEGMENT_WINDOW);
    struct segment_scan_args args = {.marks = marks_of(run),
                                     .first = (wide *)(run->workspace + run->space.first),
                                     .last = (wide *)(run->workspace + run->space.last),
                                     .windows = windows,
                                     .home = (unsigned *)(run->workspace + run->space.home),
                                     .covered =
                                         (wide *)(run->workspace + run->space.covered),
                                     .window = SEGMENT_WINDOW,
                                     .step = SEGMENT_LOOK};
    mw_status status;

    TRY(launch(run, KERNEL_SEGMENT_SCAN, divide_up(windows, SEGMENT_FILL_THREADS / WARP),
               SEGMENT_FILL_THREADS, &args, sizeof args));
    args.step = SEGMENT_CARRY;
    TRY(launch(run, KERNEL_SEGMENT_SCAN, 1, segment_scan_threads, &args, sizeof args));
    args.step = SEGMENT_FILL;
    TRY(launch(run, KERNEL_SEGMENT_SCAN, windows, SEGMENT_FILL_THREADS, &args,
               sizeof args));
done:
    return status;
}

/* Sort positions by home and the order. */
static mw_status sort_positions(const struct segments_run *run, uint64_t bytes)
{
    const struct segments_space *const space = &run->space;
    char *const memory = run->workspace;
    char *const rest = memory + space->rest;
    const uint64_t left = bytes - space->rest;
    struct inner inner;
    mw_status status;

    if (run->request->order.field_count) {
        make_by_fields(&inner, run->request, memory + space->home, memory + space->order);
    } else {
        make_by_less(&inner, run->request, memory + space->argument);
        TRY(comparison_enqueue(run->backend, &inner.request, rest, left, run->stream,
                               run->log));
        TRY(passes_gather(backend_device(run->backend), run->program, memory + space->home,
                          memory + space->homes, memory + space->argument,
                          run->request->count, 4, run->stream, run->log));
        make_by_home(&inner, run->request, memory + space->homes, memory + space->argument,
                     memory + space->order);
    }
    TRY(rows_enqueue_more(run->backend, &inner.request, rest, left, run->stream, run->log));
done:
    return status;
}

/* Gather the columns, and tell positions. */
static mw_status move_rows(const struct segments_run *run)
{
    const struct request *const request = run->request;
    struct device *const device = backend_device(run->backend);
    const char *const order = run->workspace + run->space.order;
    const char *const covered = run->workspace + run->space.covered;
    char *const spare = run->workspace + run->space.rest;
    const struct segment_positions_args args = {
        .in = (const unsigned *)order,
        .home = (const unsigned *)(run->workspace + run->space.home),
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
                               request->count, c.bytes, run->stream, run->log));
        if (out == spare)
            TRY(passes_gather_some(device, run->program, spare, c.out, NULL, covered,
                                   request->count, c.bytes, run->stream, run->log));
    }
    if (request->position_bytes)
        TRY(launch(run, KERNEL_SEGMENT_POSITIONS,
                   divide_up(request->count, segment_positions_threads),
                   segment_positions_threads, &args, sizeof args));
done:
    return status;
}

mw_status segments_enqueue(struct backend *backend, const struct request *request,
                           void *workspace, uint64_t bytes, void *stream)
{
    struct segments_run run = {.backend = backend,
                               .request = request,
                               .space = lay_out(request),
                               .workspace = workspace,
                               .stream = stream,
                               .log = device_begin(backend)};
    mw_status status = MW_OK;

    if (request->count == 0 || request->segment_count == 0) {
        backend->counts = (mw_counts)MW_COUNTS_INIT;
        return MW_OK;
    }
    TRY(backend_check_workspace(backend, bytes, run.space.rest + spare_bytes(request)));
    TRY(load(backend, &run.program));
    TRY(mark(&run));
    TRY(find_homes(&run));
    TRY(sort_positions(&run, bytes));
    TRY(move_rows(&run));
done:
    return status;
}
