/*
 * task.c - jobs for benchmarks and counts: lists, ranks and segments by a short text.
 */
#include "task.h"

#include <stdlib.h>

enum {
    MOST_LISTS = 100000, /* that a job may have */
    LONG_ONES = 8,       /* mixed: long segments, ... */
    LONG_ROWS = 1000000, /* ... their rows, unless that is much of all, ... */
    SHORT_ROWS = 64,     /* ... and most rows of the others */
    SHORT_LIST = 1000
};

static const struct {
    const char *name, *usual;
} operations[KIT_OPERATIONS] = {
    [KIT_SORT] = {"sort",     ""                         },
    [KIT_MERGE] = {"merge",    "2,4,8,16,64,256"          },
    [KIT_SPLIT] = {"split",    "64"                       },
    [KIT_SELECT] = {"select",   "16,64,4096"               },
    [KIT_SEGMENTS] = {"segments", "8,to:2000,65536,mixed,one"},
};

enum kit_operation kit_operation_of(const char *name)
{
    int i = 0;

    while (i < KIT_OPERATIONS && strcmp(operations[i].name, name) != 0)
        i++;
    return (enum kit_operation)i;
}

const char *kit_operation_name(enum kit_operation operation)
{
    return operations[operation].name;
}

const char *kit_task_usual(enum kit_operation operation)
{
    return operations[operation].usual;
}

/* ---- Text ---------------------------------------------------------------------------- */

/* Is `word` at `*text`? Then go past it. */
static int skip(const char **text, const char *word)
{
    const size_t length = strlen(word);

    if (strncmp(*text, word, length) != 0)
        return 0;
    *text += length;
    return 1;
}

/* A number from 1 on at `*text`, which goes past it; 0: none. */
static uint64_t read_number(const char **text)
{
    uint64_t number = 0;

    for (; **text >= '0' && **text <= '9' && number < UINT64_C(1) << 40; ++*text)
        number = 10 * number + (uint64_t)(**text - '0');
    return number;
}

static const char *read_lengths(struct kit_task *task, const char **text)
{
    if (task->operation == KIT_SEGMENTS && skip(text, "mixed")) {
        task->lengths = KIT_MIXED;
        return NULL;
    }
    if (task->operation == KIT_SEGMENTS && skip(text, "one")) {
        task->lengths = KIT_ONE;
        return NULL;
    }
    if (task->operation == KIT_MERGE && skip(text, "zipf:"))
        task->lengths = KIT_ZIPF;
    if (task->operation == KIT_SPLIT && skip(text, "long:"))
        task->lengths = KIT_LONG;
    if (task->operation == KIT_SEGMENTS && skip(text, "to:"))
        task->lengths = KIT_UP_TO;
    task->number = read_number(text);
    return task->number ? NULL : "a number from 1 on is missing";
}

/* What travels: a value, or a position. */
static const char *read_payload(struct kit_task *task, const char **text)
{
    if (task->operation == KIT_SELECT) {
        task->positions = 1;
        task->value_bytes = task->columns ? 8 : 4;
    } else if (task->operation == KIT_SEGMENTS && skip(text, "+positions")) {
        task->positions = 1;
        task->value_bytes = 8;
    } else if (task->operation != KIT_SPLIT && skip(text, "+")) {
        task->value_bytes = (uint32_t)read_number(text);
        if (task->value_bytes != 4 && task->value_bytes != 8)
            return "values have 4 or 8 bytes";
    }
    return NULL;
}

const char *kit_task_parse(enum kit_operation operation, const char *text,
                           struct kit_task *task)
{
    const char *wrong;
    const char *at = text;

    *task = (struct kit_task){.operation = operation};
    if (strlen(text) >= sizeof task->text)
        return "the text is too long";
    strcpy(task->text, text);
    if (operation == KIT_SORT)
        return *text ? "a sort has no such text" : NULL;
    wrong = read_lengths(task, &at);
    if (!wrong && operation == KIT_SELECT && skip(&at, "/")) {
        task->columns = read_number(&at);
        wrong = task->columns ? NULL : "the number of columns is missing";
    }
    if (!wrong)
        wrong = read_payload(task, &at);
    if (!wrong && *at)
        wrong = "unknown text after the number";
    if (!wrong && operation <= KIT_SPLIT && task->number > MOST_LISTS)
        wrong = "at most 100000 lists";
    return wrong;
}

/* ---- Lengths ------------------------------------------------------------------------- */

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Lengths of lists, of which the first gets what is left over. */
static void cut_lists(struct kit_work *work)
{
    const uint64_t count = work->count;
    const uint64_t lists = work->parts;
    const uint64_t few = least_of(SHORT_LIST, count / lists / 2);
    double all = 0;
    uint64_t given = 0;

    for (uint64_t i = 1; i <= lists; i++)
        all += 1 / (double)i;
    for (uint64_t i = 1; i < lists; i++) {
        const uint64_t length = work->task.lengths == KIT_ZIPF
                                    ? (uint64_t)((double)count / all / (double)(i + 1))
                                : work->task.lengths == KIT_LONG ? few
                                                                 : count / lists;

        work->bounds[i + 1] = length;
        given += length;
    }
    work->bounds[1] = count - given;
    for (uint64_t i = 1; i <= lists; i++)
        work->bounds[i] += work->bounds[i - 1];
}

/* The length of segment `index`, which begins at row `at`. */
static uint64_t segment_length(const struct kit_work *work, uint64_t index, uint64_t at,
                               uint64_t *long_ones)
{
    const uint64_t count = work->count;

    switch (work->task.lengths) {
    case KIT_ONE:
        return count;
    case KIT_UP_TO:
        return kit_mix(index) % (work->task.number + 1);
    case KIT_MIXED:
        if (*long_ones < LONG_ONES && at >= *long_ones * (count / LONG_ONES)) {
            ++*long_ones;
            return least_of(LONG_ROWS, count / (2 * LONG_ONES) + 1);
        }
        return kit_mix(index) % (SHORT_ROWS + 1);
    default:
        return work->task.columns ? work->task.columns : work->task.number;
    }
}

/* The bounds of segments, or how many there are if `bounds` is NULL. */
static uint64_t cut_segments(const struct kit_work *work, uint64_t *bounds)
{
    uint64_t at = 0;
    uint64_t long_ones = 0;
    uint64_t index = 0;

    for (; at < work->count; index++) {
        at += least_of(segment_length(work, index, at, &long_ones), work->count - at);
        if (bounds)
            bounds[index + 1] = at;
    }
    return index;
}

/* ---- Work ---------------------------------------------------------------------------- */

static int has_lists(const struct kit_work *work)
{
    return work->task.operation == KIT_MERGE || work->task.operation == KIT_SPLIT;
}

static int has_segments(const struct kit_work *work)
{
    return work->task.operation == KIT_SEGMENTS || work->task.columns;
}

/* The sizes of arrays, when the parts are known. */
static void set_sizes(struct kit_work *work)
{
    const struct kit_task *const task = &work->task;

    work->rank_count = task->operation != KIT_SPLIT ? 0
                       : work->count < 1 << 20      ? 100
                                                    : 10000;
    work->results = task->operation == KIT_SPLIT ? work->rank_count * work->parts
                    : task->operation != KIT_SELECT
                        ? work->count
                        : work->parts * least_of(task->number, task->columns ? task->columns
                                                                             : work->count);
    work->out_bytes =
        work->results * (task->operation == KIT_SPLIT ? 8 : mw_type_size(work->type));
    work->out_value_bytes = work->results * task->value_bytes;
}

const char *kit_work_open(struct kit_work *work, const struct kit_task *task, mw_type type,
                          uint64_t count)
{
    uint64_t tables;

    *work = (struct kit_work){.task = *task, .type = type, .count = count, .parts = 1};
    work->direction = task->operation == KIT_SELECT ? MW_DESCENDING : MW_ASCENDING;
    if (count > UINT32_MAX)
        return "more rows than 2^32";
    if (task->columns && count % task->columns)
        return "the count is no multiple of the columns";
    tables = has_lists(work) ? task->number : 1;
    work->parts = has_segments(work) ? cut_segments(work, NULL) : tables;
    set_sizes(work);
    work->bounds = calloc(work->parts + 1, sizeof *work->bounds);
    work->ranks = calloc(work->rank_count + 1, sizeof *work->ranks);
    work->in = calloc(tables, sizeof *work->in);
    work->columns = calloc(tables, sizeof *work->columns);
    if (!work->bounds || !work->ranks || !work->in || !work->columns)
        return "no memory for lists or segments";
    if (has_lists(work))
        cut_lists(work);
    else if (has_segments(work))
        cut_segments(work, work->bounds);
    else
        work->bounds[1] = count;
    for (uint64_t i = 0; i < work->rank_count;
         i++) /* the first is 0, the last beyond all */
        work->ranks[i] = i == 0                      ? 0
                         : i + 1 == work->rank_count ? count + 1
                                                     : kit_mix(i) % (count + 1);
    return NULL;
}

void kit_work_close(struct kit_work *work)
{
    free(work->columns);
    free(work->in);
    free(work->ranks);
    free(work->bounds);
    *work = (struct kit_work){.count = 0};
}

/* Table `i` of the input begins at row `first`. */
static void set_table(struct kit_work *work, uint64_t i, const struct kit_arrays *arrays,
                      uint64_t first, uint64_t count)
{
    const uint32_t bytes = work->task.value_bytes;

    work->in[i] =
        (mw_table){(char *)arrays->keys + first * mw_type_size(work->type), count, NULL, 0};
    if (!arrays->values)
        return;
    work->columns[i] = (mw_column){(char *)arrays->values + first * bytes, bytes};
    work->in[i].columns = &work->columns[i];
    work->in[i].column_count = 1;
}

mw_job kit_work_job(struct kit_work *work, const struct kit_arrays *arrays)
{
    static const mw_operation by[KIT_OPERATIONS] = {MW_SORT, MW_MERGE, MW_SPLIT, MW_SELECT,
                                                    MW_SORT};
    const struct kit_task *const task = &work->task;
    const int splits = task->operation == KIT_SPLIT;
    mw_job job = MW_JOB_INIT;

    job.operation = by[task->operation];
    job.order = mw_order_of(work->type, work->direction);
    job.in = work->in;
    if (has_lists(work)) {
        job.in_count = (uint32_t)work->parts;
        for (uint64_t i = 0; i < work->parts; i++)
            set_table(work, i, arrays, work->bounds[i],
                      work->bounds[i + 1] - work->bounds[i]);
    } else {
        set_table(work, 0, arrays, 0, work->count);
    }
    if (!splits) {
        work->out_column = (mw_column){arrays->out_values, task->value_bytes};
        work->out =
            (mw_table){arrays->out, work->results,
                       arrays->values ? &work->out_column : NULL, arrays->values != NULL};
        job.out = &work->out;
    }
    if (task->positions) {
        job.positions = arrays->out_values;
        job.position_type = task->value_bytes == 4 ? MW_U32 : MW_I64;
    }
    if (has_segments(work)) {
        job.segment_begins = arrays->segments;
        job.segment_ends = (const uint32_t *)arrays->segments + 1;
        job.segment_type = MW_U32;
        job.segment_count = work->parts;
    }
    job.last = task->operation == KIT_SELECT ? work->results / work->parts : 0;
    job.ranks = arrays->ranks;
    job.rank_count = work->rank_count;
    job.cuts = splits ? arrays->out : NULL;
    return job;
}

mw_job kit_work_lists(struct kit_work *work, void *keys)
{
    mw_job job = MW_JOB_INIT;

    work->out = (mw_table){keys, work->count, NULL, 0};
    job.order = mw_order_of(work->type, work->direction);
    job.in = &work->out;
    job.segment_begins = work->bounds;
    job.segment_ends = work->bounds + 1;
    job.segment_count = work->parts;
    return job;
}

void kit_work_numbers(const struct kit_work *work, void *values)
{
    for (uint64_t i = 0; i < work->count; i++) {
        if (work->task.value_bytes == 4)
            ((uint32_t *)values)[i] = (uint32_t)i;
        else
            ((uint64_t *)values)[i] = i;
    }
}

void kit_work_segments(const struct kit_work *work, uint32_t *segments)
{
    for (uint64_t i = 0; i <= work->parts; i++)
        segments[i] = (uint32_t)work->bounds[i];
}
