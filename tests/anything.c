/*
 * anything.c - random jobs on one device, against an oracle that sorts positions by qsort.
 *
 *   anything DEVICE SEED COUNT [MOST [CHUNK [MEMORY]]]
 *
 * runs COUNT jobs of at most MOST rows: all types, flags, fields, byte strings, columns,
 * positions, places, alignments, heavy ties, orders of one's own and comparisons that are
 * no orders. Case i of a seed is case 0 of seed + i. Each result must be the stable order,
 * byte by byte; arrays that are only read, and guards around all, must be untouched; the
 * workspace is exactly what mw_prepare said, and within the bounds of multiway.h. CHUNK
 * is the size in bytes of the chunks in which host memory is sorted, MEMORY the bytes of
 * device memory that a sort may take.
 */
#include "anything.h"
#include "backend_device.h"
#include "context.h"
#include "trial.h"

#include "tap.h"

#include <stdlib.h>

/* A job for the library, with what it points at. */
struct asked {
    mw_column columns[2][MOST_COLUMNS];
    mw_table in, out;
    mw_job job;
    struct array cuts, workspace;
    uint64_t bytes[MW_CHECK + 1]; /* of workspace, by operation */
};

static void *place_of(const struct case_of_rows *c, const struct array *array)
{
    return c->enqueued ? (char *)array->there + GUARD + array->shift
                       : (void *)array_at(array);
}

/* Where column `i` of the result goes; NULL: nowhere. */
static struct array *target_of(struct case_of_rows *c, uint32_t i)
{
    return c->place[i] == NOWHERE ? NULL : c->place[i] == IN_PLACE ? &c->in[i] : &c->out[i];
}

/* ---- Memory of the device ------------------------------------------------------------ */

/* Every array of a case, by number; NULL after the last. */
static struct array *array_number(struct case_of_rows *c, struct asked *a, uint32_t i)
{
    return i < c->columns            ? &c->in[i]
           : i < 2 * c->columns      ? &c->out[i - c->columns]
           : i == 2 * c->columns     ? &c->positions
           : i == 2 * c->columns + 1 ? &a->cuts
           : i == 2 * c->columns + 2 ? &a->workspace
                                     : NULL;
}

static mw_status send(mw_context *context, struct array *array)
{
    mw_status status = mw_alloc(context, array_room(array), &array->there);

    if (status == MW_OK)
        status = mw_upload(context, array->there, array->room, array_room(array));
    return status;
}

/* All arrays to the device, or back from it. */
static mw_status exchange(mw_context *context, struct case_of_rows *c, struct asked *a,
                          int back)
{
    mw_status status = MW_OK;
    struct array *array;

    for (uint32_t i = 0; (array = array_number(c, a, i)) && status == MW_OK; i++)
        status = !array->room ? MW_OK
                 : back ? mw_download(context, array->room, array->there, array_room(array))
                        : send(context, array);
    return status;
}

/* ---- Jobs ---------------------------------------------------------------------------- */

/* The job of a case; `is_shape`: without the input's addresses, as mw_prepare takes it. */
static void ask(struct case_of_rows *c, struct asked *a, mw_operation operation,
                int is_shape)
{
    for (uint32_t i = 0; i < c->columns; i++) {
        struct array *const target = target_of(c, i);
        mw_column *const in = &a->columns[0][i];
        mw_column *const out = &a->columns[1][i];

        *in = (mw_column){is_shape ? NULL : place_of(c, &c->in[i]), c->bytes[i]};
        *out = (mw_column){target ? place_of(c, target) : NULL, c->bytes[i]};
    }
    a->in = (mw_table){a->columns[0][0].data, c->count, a->columns[0] + 1, c->columns - 1};
    a->out = (mw_table){a->columns[1][0].data, c->count, a->columns[1] + 1, c->columns - 1};
    a->job = (mw_job)MW_JOB_INIT;
    a->job.operation = operation;
    a->job.order = &c->order;
    a->job.in = &a->in;
    if (operation == MW_CHECK) {
        a->job.cuts = (uint64_t *)place_of(c, &a->cuts);
        return;
    }
    a->job.out = c->with_out ? &a->out : NULL;
    a->job.position_type = c->position_type;
    a->job.positions = c->has_positions ? place_of(c, &c->positions) : NULL;
}

/* The bytes of the elements that are compared: each field counts, also where two overlap.
 */
static uint64_t compared_bytes(const struct case_of_rows *c)
{
    uint64_t bytes = 0;

    for (uint32_t f = 0; f < c->order.field_count; f++)
        if (c->fields[f].column == 0)
            bytes += c->fields[f].type == MW_BYTES ? c->fields[f].bytes
                                                   : mw_type_size(c->fields[f].type);
    return bytes > c->bytes[0] ? bytes : c->bytes[0];
}

/* The most workspace that multiway.h allows, and some kilobytes. */
static uint64_t allowed(const struct case_of_rows *c)
{
    const uint64_t position_bytes = mw_type_size(c->position_type);
    const int is_short = c->order.field_count == 0 && c->row_bytes < 4;
    const uint64_t row_bytes = is_short ? 4 : c->row_bytes;
    uint64_t compared = compared_bytes(c);
    uint64_t unwanted = 0; /* bytes of what is compared, but not wanted */
    int wanted = !c->with_out;

    for (uint32_t i = 0; i < c->columns; i++) {
        int is_field = 0;

        wanted |= c->place[i] != NOWHERE;
        for (uint32_t f = 0; i && f < c->order.field_count; f++)
            is_field |= c->fields[f].column == i;
        compared += is_field ? c->bytes[i] : 0;
        unwanted += c->place[i] == NOWHERE ? c->bytes[i] : 0;
    }
    return (wanted ? 5 * c->count * row_bytes / 4 + (4 + unwanted) * c->count
                   : 9 * c->count * compared / 4 + 5 * c->count * position_bytes / 4) +
           c->count / 4 + (256 << 10);
}

/*
 * Prepare both operations, sorting for a few rows more, and allocate the workspace; NULL
 * if all went well.
 */
static const char *prepare(mw_context *context, struct case_of_rows *c, struct asked *a)
{
    const uint64_t count = c->count;
    const int is_shape = (c->place[0] == ELSEWHERE || !c->with_out) && !(c->seed & 1);
    mw_plan plan = MW_PLAN_INIT;
    mw_status status;
    uint64_t most;

    if ((c->seed >> 20 & 7) == 0) { /* where kilobytes do not count */
        c->count = (1 << 28) + 12345;
        ask(c, a, MW_SORT, is_shape);
        status = mw_prepare(context, &a->job, &a->bytes[MW_SORT]);
        most = allowed(c);
        c->count = count;
        if (status != MW_OK || a->bytes[MW_SORT] > most)
            return "too large a workspace for 2^28 rows";
    }
    ask(c, a, MW_CHECK, 0);
    status = mw_prepare(context, &a->job, &a->bytes[MW_CHECK]);
    if (status != MW_OK)
        return "mw_prepare of MW_CHECK failed";
    if (mw_get_plan(context, &a->job, &plan) != MW_OK ||
        plan.workspace_bytes > a->bytes[MW_CHECK])
        return "the plan of MW_CHECK needs more than mw_prepare said";
    c->count += c->seed >> 8 & 1 ? c->seed >> 9 & 63 : 0;
    ask(c, a, MW_SORT, is_shape);
    status = mw_prepare(context, &a->job, &a->bytes[MW_SORT]);
    most = allowed(c);
    c->count = count;
    if (status != MW_OK)
        return "mw_prepare failed";
    if (a->bytes[MW_SORT] > most)
        return "too large a workspace";
    most = a->bytes[a->bytes[MW_CHECK] > a->bytes[MW_SORT] ? MW_CHECK : MW_SORT];
    return array_make(&a->workspace, most, 256 - GUARD) ? NULL : "no memory";
}

/* On host memory: by an everyday call where there is one, half the time, or by mw_run. */
static mw_status run_here(mw_context *context, struct case_of_rows *c, struct asked *a)
{
    const int is_plain = c->is_bare && c->fields[0].flags == 0;
    const mw_type type = c->fields[0].type;
    const mw_direction way = c->fields[0].direction;
    void *const elements = a->in.elements;

    if (a->job.operation == MW_CHECK || c->seed >> 16 & 1)
        return mw_run(context, &a->job);
    if (is_plain && c->columns == 1 && c->with_out && !a->out.elements)
        return mw_argsort(context, type, way, elements, a->job.positions, c->position_type,
                          c->count);
    if (c->with_out || c->has_positions)
        return mw_run(context, &a->job);
    if (is_plain && c->columns == 2)
        return mw_sort_pairs(context, type, way, elements, a->in.columns[0].data,
                             c->bytes[1], c->count);
    if (is_plain && c->columns == 1)
        return mw_sort(context, type, way, elements, c->count);
    return c->columns == 1 ? mw_sort_records(context, &c->order, elements, c->count)
                           : mw_run(context, &a->job);
}

/* With little memory: checks need all rows, and so do sorts with some columns in place. */
static int may_need_all(const struct case_of_rows *c, mw_operation operation)
{
    uint32_t in_place = 0;

    for (uint32_t i = 0; i < c->columns; i++)
        in_place += c->place[i] == IN_PLACE;
    return operation == MW_CHECK || (in_place && in_place < c->columns);
}

static mw_status run(mw_context *context, struct case_of_rows *c, struct asked *a,
                     mw_operation operation)
{
    const uint64_t memory = context->backend->memory_bytes;
    mw_status status;

    ask(c, a, operation, 0);
    if (!c->enqueued) {
        if (may_need_all(c, operation))
            context->backend->memory_bytes = 0;
        status = run_here(context, c, a);
        context->backend->memory_bytes = memory;
        return status;
    }
    status =
        mw_enqueue(context, &a->job, place_of(c, &a->workspace), a->bytes[operation], NULL);
    return status == MW_OK ? mw_wait(context) : status;
}

/* ---- Verdicts --------------------------------------------------------------------------
 */

static uint64_t first_disorder(const struct case_of_rows *c)
{
    for (uint64_t i = 1; i < c->count; i++)
        if (case_less(c, i, i - 1))
            return i;
    return c->count;
}

static uint64_t position_at(const struct case_of_rows *c, uint64_t row)
{
    const size_t size = mw_type_size(c->position_type);
    uint64_t position = 0;

    memcpy(&position, array_at(&c->positions) + row * size, size); /* little-endian */
    return position;
}

/* What a comparison that is no order made of the rows: is each there once? */
static int read_order(struct case_of_rows *c, uint64_t *order)
{
    const struct array *const numbers = target_of(c, c->columns - 1);
    unsigned char *const seen = calloc((size_t)c->count + 1, 1);
    int right = seen != NULL;

    for (uint64_t i = 0; right && i < c->count; i++) {
        uint32_t number = 0;

        if (c->has_positions)
            order[i] = position_at(c, i);
        else
            memcpy(&number, array_at(numbers) + 4 * i, 4), order[i] = number;
        right = order[i] < c->count && !seen[order[i]]++;
    }
    free(seen);
    return right;
}

/* The result of a case against its order; `before` holds the columns as they were. */
static const char *judge(struct case_of_rows *c, struct asked *a, const uint64_t *order,
                         unsigned char *const before[MOST_COLUMNS])
{
    struct array *array;

    for (uint32_t i = 0; (array = array_number(c, a, i)); i++)
        if (array->room && !array_guarded(array))
            return "a guard was written to";
    for (uint64_t row = 0; c->has_positions && row < c->count; row++)
        if (position_at(c, row) != order[row])
            return "wrong positions";
    for (uint32_t i = 0; i < c->columns; i++) {
        const struct array *const target = target_of(c, i);
        const size_t bytes = c->bytes[i];

        if (c->place[i] != IN_PLACE &&
            memcmp(array_at(&c->in[i]), before[i], (size_t)c->in[i].bytes) != 0)
            return "the input was written to";
        for (uint64_t row = 0; target && row < c->count; row++)
            if (memcmp(array_at(target) + row * bytes, before[i] + order[row] * bytes,
                       bytes) != 0)
                return i ? "wrong values" : "wrong elements";
    }
    return NULL;
}

/* Check the input, sort it, judge; NULL, or what is wrong. */
static const char *try_jobs(mw_context *context, struct case_of_rows *c, struct asked *a,
                            uint64_t *order, unsigned char *const before[MOST_COLUMNS])
{
    const uint64_t disorder = first_disorder(c);
    const char *wrong = NULL;
    uint64_t found;

    if (c->is_order)
        case_sort(c, order);
    if (!array_make(&a->cuts, 8, 0))
        return "no memory";
    if (c->enqueued && exchange(context, c, a, 0) != MW_OK)
        return "no way there";
    if (c->enqueued)
        wrong = prepare(context, c, a);
    if (!wrong && c->enqueued && send(context, &a->workspace) != MW_OK)
        wrong = "no memory";
    if (!wrong && run(context, c, a, MW_CHECK) != MW_OK)
        wrong = "MW_CHECK failed";
    if (!wrong && run(context, c, a, MW_SORT) != MW_OK)
        wrong = "MW_SORT failed";
    if (!wrong && c->enqueued && exchange(context, c, a, 1) != MW_OK)
        wrong = "no way back";
    if (wrong)
        return wrong;
    memcpy(&found, array_at(&a->cuts), sizeof found);
    if (found != disorder)
        return "MW_CHECK found another row";
    if (!c->is_order && !read_order(c, order))
        return "a row is lost or doubled";
    return judge(c, a, order, before);
}

static const char *try_case(mw_context *context, struct case_of_rows *c)
{
    struct asked a = {.cuts.room = NULL};
    unsigned char *before[MOST_COLUMNS] = {NULL};
    uint64_t *const order = malloc((size_t)(c->count + 1) * sizeof *order);
    const char *wrong = order ? NULL : "no memory";
    struct array *array;

    for (uint32_t i = 0; i < c->columns; i++) {
        before[i] = malloc((size_t)c->in[i].bytes + 1);
        if (before[i])
            memcpy(before[i], array_at(&c->in[i]), (size_t)c->in[i].bytes);
        else
            wrong = "no memory";
    }
    if (!wrong)
        wrong = try_jobs(context, c, &a, order, before);
    for (uint32_t i = 0; (array = array_number(c, &a, i)); i++)
        mw_free(context, array->there);
    for (uint32_t i = 0; i < c->columns; i++)
        free(before[i]);
    free(a.cuts.room);
    free(a.workspace.room);
    free(order);
    return wrong;
}

/*
 * A handle on a device; `chunk` is not 0: whose sorts of host memory are cut into chunks of
 * that many bytes, with `memory` bytes of device memory, 0: no limit.
 */
static mw_context *open_handle(struct tap *tap, const char *device, uint64_t chunk,
                               uint64_t memory)
{
    mw_options options = MW_OPTIONS_INIT;
    mw_context *context;

    if (!chunk)
        return trial_open(tap, device);
    options.memory_bytes = memory;
    if (mw_open(&context, device, &options) == MW_OK) {
        struct device_backend *const backend = (struct device_backend *)context->backend;

        backend->chunked_from = 1;
        backend->chunk_bytes = chunk;
        return context;
    }
    tap_ok(tap, 0, device, mw_error(context));
    mw_close(context);
    return NULL;
}

int main(int count, char **words)
{
    const char *const device = count > 1 ? words[1] : "cpu:2";
    const uint64_t seed = count > 2 ? strtoull(words[2], NULL, 0) : 1;
    const uint64_t cases = count > 3 ? strtoull(words[3], NULL, 0) : 1000;
    const uint64_t most = count > 4 ? strtoull(words[4], NULL, 0) : 20000;
    const uint64_t chunk = count > 5 ? strtoull(words[5], NULL, 0) : 0;
    const uint64_t memory = count > 6 ? strtoull(words[6], NULL, 0) : 0;
    struct tap tap = {0, 0};
    mw_context *const context = open_handle(&tap, device, chunk, memory);
    const char *wrong = NULL;

    for (uint64_t i = 0; context && i < cases && !wrong && !trial_is_over(i); i++) {
        struct case_of_rows c;

        wrong = case_make(&c, seed + i, most) ? try_case(context, &c) : "no memory";
        if (wrong) {
            tap_note("%s: %s (%s)", device, wrong, mw_error(context));
            tap_note("anything %s %llu 1 %llu %llu %llu", device,
                     (unsigned long long)(seed + i), (unsigned long long)most,
                     (unsigned long long)chunk, (unsigned long long)memory);
            case_print(&c);
        }
        case_free(&c);
    }
    if (context)
        tap_case(&tap, !wrong, "%s: %llu random jobs%s", device, (unsigned long long)cases,
                 !chunk   ? ""
                 : memory ? " in little memory"
                          : " in chunks");
    mw_close(context);
    return tap_end(&tap);
}
