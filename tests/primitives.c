/*
 * primitives.c - random jobs that merge, split, select or sort segments, on one device.
 *
 *   primitives DEVICE SEED COUNT [MOST [sort|merge|split|select]]
 *
 * runs COUNT jobs of at most MOST rows, of one operation or of all: all that anything.c
 * has, and lists of any lengths, ranks, segments in any order, with holes, empty and not
 * valid ones. Case i of a seed is case 0 of seed + i. Each result must be what sorting
 * numbers of rows gives, byte by byte; rows that a job leaves out, arrays that are only
 * read, and guards around all must be untouched; the workspace is exactly what mw_prepare
 * said for this job or a larger one.
 */
#include "primitives.h"
#include "trial.h"

#include "tap.h"

#include <stdlib.h>

enum { MORE_LISTS = 5 }; /* that a workspace may cover: fewer */

/* A job for the library, with what it points at. */
struct asked {
    mw_column out_columns[MOST_COLUMNS];
    mw_column *columns; /* of the input, or of each list */
    mw_table *in;
    mw_table out;
    mw_job job;
    struct array workspace;
    uint64_t bytes; /* of it */
};

static void *place_of(const struct case_of_rows *c, const struct array *array)
{
    return c->enqueued ? (char *)array->there + GUARD + array->shift
                       : (void *)array_at(array);
}

/* Every array of a job, by number; NULL after the last. */
static struct array *array_number(struct primitive *p, struct asked *a, uint32_t i)
{
    struct case_of_rows *const c = &p->c;
    struct array *const others[] = {&c->positions, &p->begins, &p->ends,
                                    &p->ranks,     &p->cuts,   &a->workspace};

    return i < c->columns                          ? &c->in[i]
           : i < 2 * c->columns                    ? &c->out[i - c->columns]
           : i - 2 * c->columns < COUNT_OF(others) ? others[i - 2 * c->columns]
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
static mw_status exchange(mw_context *context, struct primitive *p, struct asked *a,
                          int back)
{
    mw_status status = MW_OK;
    struct array *array;

    for (uint32_t i = 0; (array = array_number(p, a, i)) && status == MW_OK; i++)
        status = !array->room ? MW_OK
                 : back ? mw_download(context, array->room, array->there, array_room(array))
                        : send(context, array);
    return status;
}

/* ---- Jobs ---------------------------------------------------------------------------- */

/* Table `number` of the input: rows [first, first + count); NULL data for a shape. */
static void set_table(struct primitive *p, struct asked *a, uint32_t number, uint64_t first,
                      uint64_t count, int is_shape)
{
    struct case_of_rows *const c = &p->c;
    mw_column *const columns = a->columns + (size_t)number * MOST_COLUMNS;

    for (uint32_t i = 0; i < c->columns; i++) {
        char *const at = (char *)place_of(c, &c->in[i]) + first * c->bytes[i];

        columns[i] = (mw_column){is_shape ? NULL : at, c->bytes[i]};
    }
    a->in[number] = (mw_table){columns[0].data, count, columns + 1, c->columns - 1};
}

/* With `more` rows, lists, segments and ranks, for a workspace that covers fewer. */
static void ask(struct primitive *p, struct asked *a, int is_shape, uint64_t more)
{
    struct case_of_rows *const c = &p->c;
    mw_job *const job = &a->job;
    int is_argsort = c->has_positions;

    for (uint32_t i = 0; i < c->columns; i++) {
        struct array *const target = target_of(c, i);

        is_argsort &= !target;
        a->out_columns[i] = (mw_column){target ? place_of(c, target) : NULL, c->bytes[i]};
    }
    *job = (mw_job)MW_JOB_INIT;
    job->operation = p->operation;
    job->order = &c->order;
    job->in = a->in;
    if (p->list_first) {
        job->in_count = p->list_count + (uint32_t)(more % MORE_LISTS);
        for (uint32_t i = 0; i < p->list_count; i++)
            set_table(p, a, i, p->list_first[i], p->list_rows[i] + more, is_shape);
        for (uint32_t i = p->list_count; i < job->in_count; i++)
            set_table(p, a, i, 0, more, is_shape);
    } else {
        set_table(p, a, 0, 0, c->count + more, is_shape);
    }
    a->out = (mw_table){a->out_columns[0].data, p->result_count, a->out_columns + 1,
                        c->columns - 1};
    job->first = p->first;
    job->last = p->last;
    if (p->operation == MW_SELECT && p->last < UINT32_MAX) { /* as many ranks elsewhere */
        job->first += more % 2 ? c->count : 0;
        job->last += more + (more % 2 ? c->count : 0);
    }
    if (p->has_segments) {
        job->segment_begins = place_of(c, &p->begins);
        job->segment_type = p->segment_type;
        job->segment_count = p->segment_count + more;
        job->segment_ends = job->segment_count ? place_of(c, &p->ends) : NULL;
    }
    if (p->operation == MW_SPLIT) {
        job->ranks = place_of(c, &p->ranks);
        job->rank_count = p->rank_count + more;
        job->cuts = place_of(c, &p->cuts);
        return;
    }
    if (more) /* any number of rows that is large enough for a selection */
        a->out.count = p->operation == MW_SORT    ? c->count + more
                       : p->operation == MW_MERGE ? p->total + more * job->in_count
                                                  : UINT64_MAX;
    if (is_argsort && c->seed >> 17 & 1)
        a->out.count = 0;
    job->out = c->with_out ? &a->out : NULL;
    job->position_type = c->position_type;
    job->positions = c->has_positions ? place_of(c, &c->positions) : NULL;
}

/* Prepare this job or a larger one, and allocate the workspace; NULL if all went well. */
static const char *prepare(mw_context *context, struct primitive *p, struct asked *a)
{
    int in_place = 0; /* then mw_prepare must see which arrays are the same */

    for (uint32_t i = 0; i < p->c.columns; i++)
        in_place |= p->c.place[i] == IN_PLACE;
    ask(p, a, !in_place && roll(&p->c, 2), roll(&p->c, 2) ? roll(&p->c, 64) : 0);
    if (mw_prepare(context, &a->job, &a->bytes) != MW_OK)
        return "mw_prepare failed";
    if (!array_make(&a->workspace, a->bytes, 256 - GUARD) ||
        send(context, &a->workspace) != MW_OK)
        return "no memory";
    return NULL;
}

/* By the everyday call, if there is one, half the time. */
static mw_status run_here(mw_context *context, struct primitive *p, struct asked *a)
{
    const struct case_of_rows *const c = &p->c;
    const int is_plain = c->is_bare && c->fields[0].flags == 0 && c->columns == 1;
    const mw_type type = c->fields[0].type;
    const mw_direction way = c->fields[0].direction;
    const void **lists;
    uint64_t *counts;
    mw_status status;

    if (p->operation == MW_SELECT && p->result_count == 0) { /* that needs no array */
        a->out = (mw_table){.count = 0};
        a->job.positions = NULL;
    }
    if (!is_plain || p->has_segments || c->seed >> 16 & 1)
        return mw_run(context, &a->job);
    if (p->operation == MW_SELECT && p->first == 0)
        return mw_top(context, type, way, a->in[0].elements, c->count, p->last,
                      c->with_out ? a->out.elements : NULL, a->job.positions,
                      c->position_type);
    if (p->operation != MW_MERGE || c->has_positions)
        return mw_run(context, &a->job);
    lists = calloc(p->list_count + 1u, sizeof *lists);
    counts = calloc(p->list_count + 1u, sizeof *counts);
    for (uint32_t i = 0; lists && counts && i < p->list_count; i++) {
        lists[i] = a->in[i].elements;
        counts[i] = a->in[i].count;
    }
    status = mw_merge(context, type, way, lists, counts, p->list_count, a->out.elements);
    free(lists);
    free(counts);
    return status;
}

static mw_status run(mw_context *context, struct primitive *p, struct asked *a)
{
    mw_status status;

    ask(p, a, 0, 0);
    if (!p->c.enqueued)
        return run_here(context, p, a);
    status = mw_enqueue(context, &a->job, place_of(&p->c, &a->workspace), a->bytes, NULL);
    return status == MW_OK ? mw_wait(context) : status;
}

/* Run a job and judge it; NULL, or what is wrong. */
static const char *try_job(mw_context *context, struct primitive *p, struct asked *a,
                           unsigned char *const before[MOST_COLUMNS])
{
    const char *wrong = NULL;
    struct array *array;

    if (p->c.enqueued && exchange(context, p, a, 0) != MW_OK)
        return "no way there";
    if (p->c.enqueued)
        wrong = prepare(context, p, a);
    if (wrong)
        return wrong;
    if (run(context, p, a) != MW_OK)
        return "the job failed";
    if (p->c.enqueued && exchange(context, p, a, 1) != MW_OK)
        return "no way back";
    for (uint32_t i = 0; (array = array_number(p, a, i)); i++)
        if (array->room && !array_guarded(array))
            return "a guard was written to";
    return primitive_judge(p, before);
}

static const char *try_case(mw_context *context, struct primitive *p)
{
    const size_t tables = p->list_count + (size_t)MORE_LISTS;
    struct asked a = {.columns = calloc(tables * MOST_COLUMNS, sizeof *a.columns),
                      .in = calloc(tables, sizeof *a.in)};
    unsigned char *before[MOST_COLUMNS] = {NULL};
    const char *wrong = a.columns && a.in ? NULL : "no memory";
    struct array *array;

    for (uint32_t i = 0; i < p->c.columns; i++) {
        before[i] = malloc((size_t)p->c.in[i].bytes + 1);
        if (before[i])
            memcpy(before[i], array_at(&p->c.in[i]), (size_t)p->c.in[i].bytes);
        else
            wrong = "no memory";
    }
    if (!wrong)
        wrong = try_job(context, p, &a, before);
    for (uint32_t i = 0; (array = array_number(p, &a, i)); i++)
        mw_free(context, array->there);
    for (uint32_t i = 0; i < p->c.columns; i++)
        free(before[i]);
    free(a.workspace.room);
    free(a.columns);
    free(a.in);
    return wrong;
}

/* The operation of that name; -1: all. */
static int operation_of(const char *name)
{
    for (int i = 0; i < MW_CHECK; i++)
        if (strcmp(name, primitive_names[i]) == 0)
            return i;
    return -1;
}

int main(int count, char **words)
{
    const char *const device = count > 1 ? words[1] : "cpu:2";
    const uint64_t seed = count > 2 ? strtoull(words[2], NULL, 0) : 1;
    const uint64_t cases = count > 3 ? strtoull(words[3], NULL, 0) : 1000;
    const uint64_t most = count > 4 ? strtoull(words[4], NULL, 0) : 20000;
    const int operation = count > 5 ? operation_of(words[5]) : -1;
    struct tap tap = {0, 0};
    mw_context *const context = trial_open(&tap, device);
    const char *wrong = NULL;

    for (uint64_t i = 0; context && i < cases && !wrong && !trial_is_over(i); i++) {
        struct primitive p;

        wrong = primitive_make(&p, seed + i, most, operation) ? try_case(context, &p)
                                                              : "no memory";
        if (wrong) {
            tap_note("%s: %s (%s)", device, wrong, mw_error(context));
            tap_note("primitives %s %llu 1 %llu%s%s", device,
                     (unsigned long long)(seed + i), (unsigned long long)most,
                     operation < 0 ? "" : " ",
                     operation < 0 ? "" : primitive_names[operation]);
            primitive_print(&p);
        }
        primitive_free(&p);
    }
    if (context)
        tap_case(&tap, !wrong, "%s: %llu random jobs", device, (unsigned long long)cases);
    mw_close(context);
    return tap_end(&tap);
}
