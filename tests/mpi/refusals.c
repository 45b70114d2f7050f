/*
 * refusals.c - jobs that differ between ranks, or are wrong on one: all ranks return the
 * same status, with words about it. And a rank that leaves: the others do not wait for it.
 */
#include "multiway_across.h"
#include "tap.h"

#include <string.h>

enum { RANKS = 3, COUNT = 10, ODD = 1 }; /* ODD: the rank whose job differs */

/* What a rank brings, to be changed on one of them. */
struct offer {
    mw_context *context;
    uint32_t keys[COUNT], out_keys[COUNT], values[COUNT], positions[COUNT + 1];
    mw_column columns[1];
    mw_field field;
    mw_order order;
    mw_table in, out;
    mw_job job;
    const mw_job *given;
    int leaves;
};

/* clang-format off */
static void nothing(struct offer *o)         { (void)o; }
static void no_job(struct offer *o)          { o->given = NULL; }
static void other_operation(struct offer *o) { o->job.operation = MW_CHECK; }
static void segments(struct offer *o)        { o->job.segment_begins = o->keys;
                                               o->job.segment_ends = o->keys; }
static void other_type(struct offer *o)      { o->field.type = MW_I32; }
static void other_direction(struct offer *o) { o->field.direction = MW_DESCENDING; }
static void other_offset(struct offer *o)    { o->field.offset = 1; }
static void no_field(struct offer *o)        { o->order.field_count = 0; }
static void foreign_column(struct offer *o)  { o->field.column = 9; }
static void no_columns(struct offer *o)      { o->in.column_count = 0; }
static void wide_column(struct offer *o)     { o->columns[0].bytes = 5000; }
static void short_column(struct offer *o)    { o->columns[0].bytes = 2; }
static void more_wanted(struct offer *o)     { o->out.count++; }
static void many_wanted(struct offer *o)     { o->out.count = UINT64_MAX; }
static void most_brought(struct offer *o)    { many_wanted(o); /* 2^32 in all */
                                               o->in.elements = NULL;
                                               o->in.count = UINT32_MAX - 2 * COUNT + 1; }
static void no_positions(struct offer *o)    { o->job.positions = NULL; }
static void long_positions(struct offer *o)  { o->job.position_type = MW_U64; }
static void odd_positions(struct offer *o)   { o->job.position_type = MW_F32; }
static void off_positions(struct offer *o)   { o->job.positions =
                                                   (char *)o->positions + 1; }
static void no_elements(struct offer *o)     { o->in.elements = NULL; }
static void no_handle(struct offer *o)       { o->context = NULL; }
static void leave(struct offer *o)           { o->leaves = 1; }
/* clang-format on */

static const struct refusal {
    const char *name;
    void (*change)(struct offer *);
    mw_status status;
    const char *words; /* in the message of the rank with the odd job */
} refusals[] = {
    {"nothing is wrong",           nothing,         MW_OK,            ""             },
    {"no job",                     no_job,          MW_BAD_ARGUMENT,  "MW_JOB_INIT"  },
    {"another operation",          other_operation, MW_UNSUPPORTED,   "MW_SORT"      },
    {"segments",                   segments,        MW_UNSUPPORTED,   "segments"     },
    {"another type",               other_type,      MW_BAD_ARGUMENT,  "ranks 0 and 1"},
    {"another direction",          other_direction, MW_BAD_ARGUMENT,  "ranks 0 and 1"},
    {"a field too far",            other_offset,    MW_BAD_ARGUMENT,  "ends at byte" },
    {"no field",                   no_field,        MW_BAD_ARGUMENT,  "fields"       },
    {"a column that is not there", foreign_column,  MW_BAD_ARGUMENT,  "column 9"     },
    {"columns only in out",        no_columns,      MW_BAD_ARGUMENT,  "columns"      },
    {"values too wide",            wide_column,     MW_BAD_ARGUMENT,  "5000 bytes"   },
    {"values of another width",    short_column,    MW_BAD_ARGUMENT,  "ranks 0 and 1"},
    {"one row too many",           more_wanted,     MW_BAD_ARGUMENT,  "want 31"      },
    {"far too many rows",          many_wanted,     MW_BAD_ARGUMENT,  "want"         },
    {"all that u32 can number",    most_brought,    MW_BAD_ARGUMENT,  "want"         },
    {"no positions",               no_positions,    MW_BAD_ARGUMENT,  "ranks 0 and 1"},
    {"positions of another type",  long_positions,  MW_BAD_ARGUMENT,  "ranks 0 and 1"},
    {"positions of no type",       odd_positions,   MW_BAD_ARGUMENT,  "position_type"},
    {"positions off their place",  off_positions,   MW_BAD_ARGUMENT,  "aligned to 4" },
    {"no elements",                no_elements,     MW_BAD_ARGUMENT,  "NULL"         },
    {"no handle",                  no_handle,       MW_BAD_ARGUMENT,  ""             },
    {"a rank that leaves",         leave,           MW_DEVICE_FAILED, "communicator" },
};

struct trial {
    const struct refusal *refusal;
    mw_context *contexts[RANKS];
    mw_status status[RANKS];
    char error[RANKS][256];
};

static mw_status rank_main(mw_comm *comm, void *argument)
{
    struct trial *const t = argument;
    struct offer o = {.context = t->contexts[comm->rank],
                      .field = {.type = MW_U32},
                      .order = MW_ORDER_INIT,
                      .job = MW_JOB_INIT,
                      .given = &o.job};

    for (uint32_t i = 0; i < COUNT; i++)
        o.keys[i] = (comm->rank * COUNT + i) * 2654435761u;
    o.columns[0] = (mw_column){o.values, 4};
    o.order.element_bytes = 4;
    o.order.fields = &o.field;
    o.order.field_count = 1;
    o.in = (mw_table){o.keys, COUNT, o.columns, 1};
    o.out = (mw_table){o.out_keys, COUNT, o.columns, 1};
    o.job.order = &o.order;
    o.job.in = &o.in;
    o.job.out = &o.out;
    o.job.positions = o.positions;
    o.job.position_type = MW_U32;
    if (comm->rank == ODD)
        t->refusal->change(&o);
    else if (t->refusal->change == most_brought)
        o.out.count = 0;
    t->status[comm->rank] =
        o.leaves ? MW_DEVICE_FAILED : mw_sort_across(o.context, comm, o.given);
    memcpy(t->error[comm->rank], comm->error, sizeof comm->error);
    return t->status[comm->rank];
}

int main(void)
{
    static struct trial t;
    struct tap tap = {0};

    for (uint32_t i = 0; i < RANKS; i++) {
        if (mw_open(&t.contexts[i], "cpu:1", NULL) != MW_OK)
            return 1;
    }
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        const struct refusal *const r = &refusals[i];
        const char *const words = t.error[r->change == leave ? 0 : ODD];
        int right;

        t.refusal = r;
        right =
            mw_across_threads(RANKS, rank_main, &t) == r->status && strstr(words, r->words);
        for (uint32_t k = 0; k < RANKS; k++) {
            right &= t.status[k] == r->status;
            right &= r->status == MW_OK || *t.error[k] || (r->change == leave && k == ODD);
        }
        if (!right)
            tap_note("%d %d %d: %s", t.status[0], t.status[1], t.status[2], words);
        tap_ok(&tap, right, r->name, "");
    }
    for (uint32_t i = 0; i < RANKS; i++)
        mw_close(t.contexts[i]);
    return tap_end(&tap);
}
