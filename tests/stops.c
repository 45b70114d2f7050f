/*
 * stops.c - jobs of every kind, which together launch every kernel.
 */
#include "stops.h"

#include <stdio.h>
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
enum { NO = MW_TYPE_COUNT, RANKS = 37 };

const struct stop stops[] = {
  /* clang-format off */
    {MW_SORT, MW_U32, 0, NO, 0, 0, 30011, 0, 0, 0, MW_ENGINE_HEAP},
    {MW_SORT, MW_U64, 0, NO, 0, 0, 9001, 0, 0, 0, MW_ENGINE_PAIR},
    {MW_SORT, MW_U32, 0, NO, 0, 0, 1, 8192, 0, 0, MW_ENGINE_TILE},
    {MW_SORT, MW_U32, 0, NO, 0, 0, 99001, 0, 0, 0, MW_ENGINE_DEAL},
    {MW_SORT, MW_I64, 0, NO, 0, 0, 1, 20480, 0, 0, MW_ENGINE_DEAL},
    {MW_SORT, MW_U8, 0, NO, 0, 0, 30011, 0, 0, 0, MW_ENGINE_TALLY},
    {MW_SORT, MW_U16, 0, NO, 0, 0, 30011, 0, 0, 0, MW_ENGINE_TALLY},
    {MW_SORT, MW_U32, 0, NO, 0, 0, 9001, 0, 0, 0, MW_ENGINE_TILE},
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
    {MW_SORT, LESS, 0, NO, 0, 0, 1600003, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_CHECK, MW_U32, 0, NO, 0, 0, 9001, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_CHECK, TEN, 0, NO, 0, 0, 901, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_CHECK, LESS, 0, NO, 0, 0, 901, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_MERGE, MW_U32, 0, NO, 0, 3, 20011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_MERGE, MW_U32, 0, NO, 0, 2, 20011, 0, 0, 0, MW_ENGINE_AUTO},
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
    {MW_SORT, MW_I32, 4, MW_U32, 0, 1, 60011, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, TEN, 2, MW_U32, 0, 70, 5003, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, SECOND, 40, MW_U32, 0, 70, 5003, 0, 0, 0, MW_ENGINE_AUTO},
    {MW_SORT, LESS, 0, MW_U64, 0, 70, 5003, 0, 0, 0, MW_ENGINE_AUTO},
  /* clang-format on */
};

const size_t stop_count = sizeof stops / sizeof *stops;

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

static int is_in_place(const struct stop *s)
{
    return s->engine != MW_ENGINE_AUTO && s->value == 0;
}

static int has_lists(const struct stop *s)
{
    return s->operation == MW_MERGE || s->operation == MW_SPLIT;
}

mw_tuning stop_tuning(const struct stop *s)
{
    mw_tuning tuning = MW_TUNING_INIT;

    tuning.engine = s->engine;
    tuning.threads = s->engine == MW_ENGINE_TILE ? 64 : 0;
    tuning.items = s->engine == MW_ENGINE_TILE ? 32 : 0;
    return tuning;
}

/* Bytes with many ties, 16 to 23 of an element 0; parts of any lengths, some empty. */
static void fill(const struct stop_data *d)
{
    const uint32_t element = d->order->element_bytes;
    const uint64_t parts = d->bytes[STOP_BOUNDS] / 8 - 1;
    uint64_t *const bounds = (uint64_t *)(void *)d->at[STOP_BOUNDS];
    uint64_t *const ranks = (uint64_t *)(void *)d->at[STOP_RANKS];

    for (uint64_t i = 0; i < d->bytes[STOP_ELEMENTS]; i++)
        d->at[STOP_ELEMENTS][i] = (char)(i % element / 8 == 2 ? 0
                                         : i % element < 2    ? kit_mix(i) % 256
                                                              : kit_mix(i) % 3);
    for (uint64_t i = 0; i < d->bytes[STOP_VALUES]; i++)
        d->at[STOP_VALUES][i] = (char)kit_mix(~i);
    for (uint64_t i = 1; i <= parts; i++)
        bounds[i] = i == parts   ? d->count
                    : i % 7 == 3 ? bounds[i - 1]
                                 : i * d->count / parts;
    for (uint64_t i = 0; i < RANKS; i++)
        ranks[i] = kit_mix(i) % (d->count + 2);
}

/* Sort each list on the CPU. */
static mw_status sort_lists(mw_context *cpu, const struct stop_data *d)
{
    const uint64_t *const bounds = (const uint64_t *)(void *)d->at[STOP_BOUNDS];
    const mw_column column = {d->at[STOP_VALUES], d->stop->value};
    const mw_table all = {d->at[STOP_ELEMENTS], d->count, d->stop->value ? &column : NULL,
                          d->stop->value != 0};
    mw_job job = MW_JOB_INIT;

    job.order = d->order;
    job.in = &all;
    job.segment_begins = bounds;
    job.segment_ends = bounds + 1;
    job.segment_count = d->stop->parts;
    return mw_run(cpu, &job);
}

int stop_open(struct stop_data *d, const struct stop *s, uint32_t processors,
              mw_context *cpu)
{
    const uint64_t parts = s->parts ? s->parts : 1;

    *d = (struct stop_data){.stop = s, .order = order_of(s)};
    d->count = s->count + s->for_each_sm * (processors < 16 ? 16 : processors);
    d->results = s->operation == MW_SELECT ? parts * (s->last - s->first) : d->count;
    d->bytes[STOP_ELEMENTS] = d->count * d->order->element_bytes;
    d->bytes[STOP_VALUES] = d->count * s->value;
    d->bytes[STOP_BOUNDS] = (parts + 1) * 8;
    d->bytes[STOP_RANKS] = RANKS * 8;
    d->bytes[STOP_OUT] = d->results * d->order->element_bytes;
    d->bytes[STOP_OUT_VALUES] = d->results * s->value;
    d->bytes[STOP_POSITIONS] = s->positions == NO ? 0 : d->results * 8;
    d->bytes[STOP_CUTS] = RANKS * parts * 8;
    for (int i = 0; i < STOP_ARRAYS; i++) {
        d->at[i] = calloc(d->bytes[i] + 1, 1);
        if (!d->at[i])
            return 0;
    }
    fill(d);
    if (is_in_place(s))
        memcpy(d->at[STOP_OUT], d->at[STOP_ELEMENTS], d->bytes[STOP_OUT]);
    return !has_lists(s) || sort_lists(cpu, d) == MW_OK;
}

void stop_free(char *at[STOP_ARRAYS])
{
    for (int i = 0; i < STOP_ARRAYS; i++)
        free(at[i]);
}

void stop_close(struct stop_data *d)
{
    stop_free(d->at);
}

void stop_make_job(const struct stop_data *d, char *const at[STOP_ARRAYS],
                   struct stop_job *j)
{
    const struct stop *const s = d->stop;
    const uint64_t *const bounds = (const uint64_t *)(void *)d->at[STOP_BOUNDS];
    const uint32_t tables = has_lists(s) ? s->parts : 1;

    for (uint32_t i = 0; i < tables; i++) {
        const uint64_t first = bounds[i];
        const uint64_t last = has_lists(s) ? bounds[i + 1] : d->count;

        j->columns[i] = (mw_column){at[STOP_VALUES] + first * s->value, s->value};
        j->in[i] =
            (mw_table){at[STOP_ELEMENTS] + first * d->order->element_bytes, last - first,
                       s->value ? &j->columns[i] : NULL, s->value != 0};
    }
    j->out_column = (mw_column){at[STOP_OUT_VALUES], s->value};
    j->out = (mw_table){s->only ? NULL : at[STOP_OUT], d->results,
                        s->value ? &j->out_column : NULL, s->value != 0};
    j->job = (mw_job)MW_JOB_INIT;
    j->job.operation = s->operation;
    j->job.order = d->order;
    j->job.in = is_in_place(s) ? &j->out : j->in;
    j->job.in_count = tables;
    if (s->operation != MW_SPLIT && s->operation != MW_CHECK && !is_in_place(s))
        j->job.out = &j->out;
    if (s->positions != NO) {
        j->job.positions = at[STOP_POSITIONS];
        j->job.position_type = (mw_type)s->positions;
    }
    if (s->parts && !has_lists(s)) {
        j->job.segment_begins = at[STOP_BOUNDS];
        j->job.segment_ends = at[STOP_BOUNDS] + 8;
        j->job.segment_count = s->parts;
    }
    j->job.first = s->first;
    j->job.last = s->last;
    j->job.ranks = (const uint64_t *)(void *)at[STOP_RANKS];
    j->job.rank_count = s->operation == MW_SPLIT ? RANKS : 0;
    j->job.cuts = (uint64_t *)(void *)at[STOP_CUTS];
}

int stop_copy(const struct stop_data *d, char *at[STOP_ARRAYS])
{
    int right = 1;

    for (int i = 0; i < STOP_ARRAYS; i++) {
        at[i] = malloc(d->bytes[i] + 1);
        right &= at[i] != NULL;
        if (at[i])
            memcpy(at[i], d->at[i], d->bytes[i]);
    }
    return right;
}

int stop_same(const struct stop_data *d, char *const at[STOP_ARRAYS])
{
    int same = 1;

    for (int i = STOP_OUT; i < STOP_ARRAYS; i++)
        same &= memcmp(d->at[i], at[i], d->bytes[i]) == 0;
    return same;
}

const char *stop_text(const struct stop_data *d, char text[STOP_TEXT])
{
    static const char *const operations[] = {"sort", "merge", "split", "select", "check"};

    snprintf(text, STOP_TEXT, "%s of %llu rows of %u bytes", operations[d->stop->operation],
             (unsigned long long)d->count, (unsigned)d->order->element_bytes);
    return text;
}
