/*
 * tour_jobs.c - a short tour of every kernel on one device by jobs of every kind, each of
 * which must return the bytes that the CPU returns. At the end every kernel of the library
 * must have been launched.
 *
 *   tour_jobs cuda      or under compute-sanitizer: see CONTRIBUTING.md
 *
 * tour.c has the types and engines of bare keys.
 */
#include "tap.h"
#include "trial.h"

#include <stdlib.h>

MW_RECORD(point, {
    uint32_t x, y;
    uint64_t z;
});
MW_ORDER(by_text, point, a->y < b->y || (a->y == b->y && a->x > b->x));

static const mw_field second[] = {
    {0, 8, MW_U64, 0, MW_ASCENDING, 0}
};
static const mw_field ten_bytes[] = {
    {0, 3, MW_BYTES, 10, MW_ASCENDING, 0}
};
static const mw_field three[] = {
    {0, 4, MW_F32, 0, MW_DESCENDING, MW_NANS_LAST},
    {0, 0, MW_U32, 0, MW_ASCENDING,  0           },
    {0, 8, MW_I64, 0, MW_DESCENDING, 0           }
};
static const mw_field same_first[] = {
    {0, 16, MW_U64, 0, MW_ASCENDING,  0},
    {0, 0,  MW_U32, 0, MW_DESCENDING, 0}
};
#define BY(bytes, fields)                                                                  \
    {                                                                                      \
        sizeof(mw_order), bytes, sizeof(mw_field), fields, sizeof fields / sizeof *fields, \
            NULL, NULL, NULL                                                               \
    }
static const mw_order by_second = BY(16, second);
static const mw_order by_ten = BY(100, ten_bytes);
static const mw_order by_three = BY(32, three);
static const mw_order by_same = BY(32, same_first);
#undef BY

/* The order of a type, or one of those above. */
enum { SECOND = MW_TYPE_COUNT, TEN, THREE, SAME, LESS };
enum { NO = MW_TYPE_COUNT, RANKS = 37, MOST_PARTS = 3000 };

/* One job. Its rows are `count`, and `for_each_sm` for each SM, but of 16 at least. */
static const struct stop {
    mw_operation operation;
    int order;
    uint32_t value; /* bytes of a column, or 0 */
    int positions;  /* their type, or NO */
    int only;       /* positions are wanted, and nothing else */
    uint32_t parts; /* lists, or segments; 0: none */
    uint64_t count, for_each_sm;
    uint64_t first, last;
    mw_engine engine; /* HEAP and PAIR: in place; TILE: small tiles */
} stops[] = {
  /* clang-format off */
    {MW_SORT, MW_U32, 0, NO, 0, 0, 30011, 0, 0, 0, MW_ENGINE_HEAP},
    {MW_SORT, MW_U64, 0, NO, 0, 0, 9001, 0, 0, 0, MW_ENGINE_PAIR},
    {MW_SORT, MW_U32, 0, NO, 0, 0, 1, 8192, 0, 0, MW_ENGINE_TILE},
    {MW_SORT, MW_U32, 4, NO, 0, 0, 1, 16384, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, MW_U32, 4, NO, 0, 0, 9001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, MW_U8, 1, MW_U32, 0, 0, 30011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, MW_I64, 8, NO, 0, 0, 9001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, MW_I64, 0, MW_U64, 1, 0, 9001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, SECOND, 0, NO, 0, 0, 9001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, TEN, 3, MW_I32, 0, 0, 9001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, THREE, 0, NO, 0, 0, 5003, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, LESS, 5, MW_U64, 0, 0, 9001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, LESS, 0, NO, 0, 0, 20011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_CHECK, MW_U32, 0, NO, 0, 0, 9001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_CHECK, TEN, 0, NO, 0, 0, 901, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_CHECK, LESS, 0, NO, 0, 0, 901, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_MERGE, MW_U32, 0, NO, 0, 3, 20011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_MERGE, MW_U16, 0, NO, 0, 100, 1, 4000, 0, 0, MW_ENGINE_AUTO},
    {MW_MERGE, MW_F64, 8, MW_U32, 0, 40, 20011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_MERGE, TEN, 2, NO, 0, 9, 3001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_MERGE, LESS, 0, MW_U64, 0, 9, 3001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SPLIT, MW_U32, 0, NO, 0, 70, 20011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SPLIT, THREE, 0, NO, 0, 5, 3001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SPLIT, LESS, 0, NO, 0, 5, 3001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SELECT, MW_U32, 0, MW_U32, 0, 0, 1, 17000, 100, 164, MW_ENGINE_AUTO},
    {MW_SELECT, MW_F64, 0, MW_I64, 0, 0, 30011, 0, 0, 4000, MW_ENGINE_AUTO},
    {MW_SELECT, MW_I32, 4, MW_U64, 0, 0, 40011, 0, 9, 6000, MW_ENGINE_AUTO},
    {MW_SELECT, SECOND, 0, NO, 0, 0, 30011, 0, 7, 8, MW_ENGINE_AUTO},
    {MW_SELECT, TEN, 0, MW_U64, 0, 0, 9001, 0, 0, 50, MW_ENGINE_AUTO},
    {MW_SELECT, TEN, 3, MW_U64, 0, 0, 20011, 0, 70, 150, MW_ENGINE_AUTO},
    {MW_SELECT, THREE, 0, MW_I32, 0, 0, 40011, 0, 39000, 40011, MW_ENGINE_AUTO},
    {MW_SELECT, TEN, 0, NO, 0, 0, 60011, 0, 100, 9000, MW_ENGINE_AUTO},
    {MW_SELECT, SAME, 0, MW_U32, 0, 0, 20011, 0, 0, 100, MW_ENGINE_AUTO},
    {MW_SELECT, SAME, 0, MW_U32, 0, 0, 20011, 0, 19900, 20011, MW_ENGINE_AUTO},
    {MW_SELECT, LESS, 0, MW_U64, 0, 0, 5001, 0, 0, 50, MW_ENGINE_AUTO},
    {MW_SELECT, MW_F32, 0, MW_I64, 0, 900, 20011, 0, 0, 10, MW_ENGINE_AUTO},
    {MW_SELECT, MW_U32, 0, MW_U32, 0, 3, 90011, 0, 0, 300, MW_ENGINE_AUTO},
    {MW_SELECT, MW_U32, 4, MW_U32, 0, 2, 90011, 0, 0, 60, MW_ENGINE_AUTO},
    {MW_SELECT, MW_U64, 0, MW_U32, 0, 2, 9001, 0, 100, 3000, MW_ENGINE_AUTO},
    {MW_SORT, MW_I32, 0, NO, 0, 3000, 20011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, MW_I64, 4, NO, 0, 20, 20011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, MW_I32, 0, MW_I64, 0, 2, 60011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, MW_U32, 0, NO, 0, 1, 20011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, TEN, 2, MW_U32, 0, 70, 5003, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, SECOND, 40, MW_U32, 0, 70, 5003, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, LESS, 0, MW_U64, 0, 70, 5003, 0, 0, 0, MW_ENGINE_AUTO},
  /* clang-format on */
};

static const char *const operations[] = {"sort", "merge", "split", "select", "check"};

static const mw_order *order_of(const struct stop *s)
{
    return s->order == SAME     ? &by_same
           : s->order == SECOND ? &by_second
           : s->order == TEN    ? &by_ten
           : s->order == THREE  ? &by_three
           : s->order == LESS
               ? &by_text
               : mw_order_of((mw_type)s->order, s->value ? MW_DESCENDING : MW_ASCENDING);
}

/* The arrays of one job; results of the two devices lie one after the other. */
struct arrays {
    uint64_t count, results; /* rows in and out */
    uint32_t bytes;          /* of an element */
    char *elements, *values;
    char *out[2], *out_values[2], *positions[2];
    uint64_t bounds[MOST_PARTS + 1]; /* of lists and segments */
    uint64_t ranks[RANKS];
    uint64_t *cuts[2];
};

static void arrays_free(struct arrays *a)
{
    for (int i = 0; i < 2; i++) {
        free(a->out[i]);
        free(a->out_values[i]);
        free(a->positions[i]);
        free(a->cuts[i]);
    }
    free(a->values);
    free(a->elements);
}

/* Bytes with many ties, 16 to 23 of an element 0; parts of any lengths, some empty. */
static int arrays_make(struct arrays *a, const struct stop *s, uint64_t count)
{
    const uint32_t parts = s->parts ? s->parts : 1;

    a->count = count;
    a->bytes = order_of(s)->element_bytes;
    a->results = s->operation == MW_SELECT ? parts * (s->last - s->first) : count;
    a->elements = malloc(count * a->bytes + 1);
    a->values = malloc(count * s->value + 1);
    for (int i = 0; i < 2; i++) {
        a->out[i] = calloc(a->results * a->bytes + 1, 1);
        a->out_values[i] = calloc(a->results * s->value + 1, 1);
        a->positions[i] = calloc(a->results * 8 + 1, 1);
        a->cuts[i] = calloc((uint64_t)RANKS * parts + 1, 8);
        if (!a->out[i] || !a->out_values[i] || !a->positions[i] || !a->cuts[i])
            return 0;
    }
    if (!a->elements || !a->values)
        return 0;
    for (uint64_t i = 0; i < count * a->bytes; i++)
        a->elements[i] = (char)(i % a->bytes / 8 == 2 ? 0
                                : i % a->bytes < 2    ? kit_mix(i) % 256
                                                      : kit_mix(i) % 3);
    for (uint64_t i = 0; i < count * s->value; i++)
        a->values[i] = (char)kit_mix(~i);
    for (uint32_t i = 1; i <= parts; i++)
        a->bounds[i] = i == parts   ? count
                       : i % 7 == 3 ? a->bounds[i - 1]
                                    : i * count / parts;
    for (int i = 0; i < RANKS; i++)
        a->ranks[i] = kit_mix((uint64_t)i) % (count + 2);
    return 1;
}

/* Sort each list on the CPU. */
static mw_status sort_lists(mw_context *cpu, const struct stop *s, struct arrays *a)
{
    const mw_column column = {a->values, s->value};
    const mw_table all = {a->elements, a->count, s->value ? &column : NULL, s->value != 0};
    mw_job job = MW_JOB_INIT;

    job.order = order_of(s);
    job.in = &all;
    job.segment_begins = a->bounds;
    job.segment_ends = a->bounds + 1;
    job.segment_count = s->parts;
    return mw_run(cpu, &job);
}

/* The job, with results in the arrays of device `number`. */
static mw_status run(mw_context *context, const struct stop *s, struct arrays *a,
                     int number)
{
    const int is_list = s->operation == MW_MERGE || s->operation == MW_SPLIT;
    const uint32_t tables = is_list ? s->parts : 1;
    const int in_place = s->engine != MW_ENGINE_AUTO && s->value == 0;
    const mw_column out_column = {a->out_values[number], s->value};
    const mw_table out = {s->only ? NULL : a->out[number], a->results,
                          s->value ? &out_column : NULL, s->value != 0};
    mw_column columns[MOST_PARTS];
    mw_table in[MOST_PARTS];
    mw_job job = MW_JOB_INIT;

    for (uint32_t i = 0; i < tables; i++) {
        const uint64_t first = a->bounds[i];
        const uint64_t last = is_list ? a->bounds[i + 1] : a->count;

        columns[i] = (mw_column){a->values + first * s->value, s->value};
        in[i] = (mw_table){a->elements + first * a->bytes, last - first,
                           s->value ? &columns[i] : NULL, s->value != 0};
    }
    job.operation = s->operation;
    job.order = order_of(s);
    job.in = in;
    job.in_count = tables;
    if (s->operation != MW_SPLIT && s->operation != MW_CHECK)
        job.out = &out;
    if (in_place) {
        memcpy(out.elements, a->elements, a->count * a->bytes);
        job.in = &out;
        job.out = NULL;
    }
    if (s->positions != NO) {
        job.positions = a->positions[number];
        job.position_type = (mw_type)s->positions;
    }
    if (s->parts && !is_list) {
        job.segment_begins = a->bounds;
        job.segment_ends = a->bounds + 1;
        job.segment_count = s->parts;
    }
    job.first = s->first;
    job.last = s->last;
    job.ranks = a->ranks;
    job.rank_count = s->operation == MW_SPLIT ? RANKS : 0;
    job.cuts = a->cuts[number];
    return mw_run(context, &job);
}

static int same(const struct stop *s, const struct arrays *a)
{
    const uint64_t cuts = (uint64_t)RANKS * (s->parts ? s->parts : 1) * 8;

    return !memcmp(a->out[0], a->out[1], a->results * a->bytes) &&
           !memcmp(a->out_values[0], a->out_values[1], a->results * s->value) &&
           !memcmp(a->positions[0], a->positions[1], a->results * 8) &&
           !memcmp(a->cuts[0], a->cuts[1], cuts);
}

static const char *const kernels[] = {
#define KERNEL_ROW(id, name, args, program, memory) #name,
#include "kernels/kernels.def"
#undef KERNEL_ROW
};

/* Note which kernels were launched. */
static mw_status see(mw_context *context, int seen[COUNT_OF(kernels)])
{
    const mw_launch *launches = NULL;
    size_t count = 0;
    const mw_status status = mw_get_launches(context, &launches, &count);

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < COUNT_OF(kernels); k++)
            seen[k] |= strcmp(launches[i].kernel, kernels[k]) == 0;
    return status;
}

static const char *visit(mw_context *context, mw_context *cpu, const struct stop *s,
                         struct arrays *a, int seen[COUNT_OF(kernels)])
{
    mw_info info = MW_INFO_INIT;
    mw_tuning tuning = MW_TUNING_INIT;
    uint64_t processors;

    tuning.engine = s->engine;
    tuning.threads = s->engine == MW_ENGINE_TILE ? 64 : 0;
    tuning.items = s->engine == MW_ENGINE_TILE ? 32 : 0;
    if (mw_get_info(context, &info) != MW_OK)
        return mw_error(context);
    processors = info.processors < 16 ? 16 : info.processors;
    if (!arrays_make(a, s, s->count + s->for_each_sm * processors))
        return "no memory";
    if ((s->operation == MW_MERGE || s->operation == MW_SPLIT) &&
        sort_lists(cpu, s, a) != MW_OK)
        return "the lists";
    if (run(cpu, s, a, 0) != MW_OK)
        return mw_error(cpu);
    if (mw_set_tuning(context, &tuning) != MW_OK || run(context, s, a, 1) != MW_OK ||
        see(context, seen) != MW_OK)
        return mw_error(context);
    return same(s, a) ? NULL : "other bytes than the CPU's";
}

int main(int argc, char **argv)
{
    const char *const device = argc > 1 ? argv[1] : "sim";
    struct tap tap = {0};
    mw_context *const context = trial_open(&tap, device);
    mw_context *const cpu = context ? trial_open(&tap, "cpu:2") : NULL;
    int seen[COUNT_OF(kernels)] = {0};

    if (cpu)
        mw_set_timing(context, MW_TIMING_PHASES);
    for (size_t i = 0; cpu && i < COUNT_OF(stops); i++) {
        struct arrays a = {.elements = NULL};
        const char *const wrong = visit(context, cpu, &stops[i], &a, seen);

        if (wrong)
            tap_note("%s", wrong);
        tap_case(&tap, !wrong, "%s: job %d, %s of %llu rows of %u bytes", device, (int)i,
                 operations[stops[i].operation], (unsigned long long)a.count,
                 (unsigned)a.bytes);
        arrays_free(&a);
    }
    for (size_t k = 0; cpu && k < COUNT_OF(kernels); k++)
        tap_case(&tap, seen[k], "%s: %s was launched", device, kernels[k]);
    mw_close(cpu);
    mw_close(context);
    return tap_end(&tap);
}
