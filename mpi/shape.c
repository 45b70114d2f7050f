/*
 * shape.c - check a job, find which arrays are sent and what is compared, and check that
 * all ranks bring the same job.
 */
#include "across.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 100000 }; /* as many lists are merged at most */

static mw_status check_job(struct across *a)
{
    const mw_job *const job = a->job;

    if (!job || job->size != sizeof *job || job->table_size != sizeof(mw_table) ||
        job->column_size != sizeof(mw_column))
        return refuse(a, MW_BAD_ARGUMENT, "the job does not start from MW_JOB_INIT");
    if (job->operation != MW_SORT)
        return refuse(a, MW_UNSUPPORTED, "operation number %d, expected MW_SORT",
                      (int)job->operation);
    if (job->segment_begins || job->segment_ends)
        return refuse(a, MW_UNSUPPORTED, "a job with segments, expected none");
    if (!job->order || job->order->size != sizeof(mw_order) ||
        job->order->field_size != sizeof(mw_field) ||
        (job->order->field_count && !job->order->fields))
        return refuse(a, MW_BAD_ARGUMENT, "the order does not start from MW_ORDER_INIT");
    if (job->order->field_count > MOST_FIELDS)
        return refuse(a, MW_BAD_ARGUMENT, "%u fields, expected 1 to %d",
                      job->order->field_count, MOST_FIELDS);
    if (!job->in || (job->in->column_count && !job->in->columns))
        return refuse(a, MW_BAD_ARGUMENT, "job: in, or its columns, is NULL");
    if (job->out && job->out->column_count &&
        (job->out->column_count != job->in->column_count || !job->out->columns))
        return refuse(a, MW_BAD_ARGUMENT, "job: out has %u columns, expected %u or none",
                      job->out->column_count, job->in->column_count);
    if (a->ranks > MOST_RANKS)
        return refuse(a, MW_UNSUPPORTED, "%u ranks, expected at most %d", a->ranks,
                      MOST_RANKS);
    return MW_OK;
}

/* Does the order compare anything of column `number`? 0 is the elements. */
static int is_compared(const mw_order *order, uint32_t number)
{
    int compared = number == 0 && !order->field_count;

    for (uint32_t i = 0; i < order->field_count; i++)
        compared |= order->fields[i].column == number;
    return compared;
}

/* Without columns and positions a built-in type is sorted by bits where flags make ties. */
static int has_ties(const mw_order *order)
{
    return order->field_count == 1 &&
           order->fields[0].flags & (MW_ZEROS_EQUAL | MW_NANS_EQUAL) &&
           order->element_bytes == mw_type_size(order->fields[0].type);
}

static uint32_t field_bytes(const mw_field *field)
{
    return field->type == MW_BYTES ? field->bytes : (uint32_t)mw_type_size(field->type);
}

/* The range of bytes of an array that fields compare, from the fields of its column. */
static void find_range(const struct across *a, uint32_t number, struct array *array)
{
    uint32_t first = UINT32_MAX, last = 0;

    for (uint32_t i = 0; i < a->order.field_count; i++) {
        const mw_field *const f = &a->fields[i];

        if (f->column != number)
            continue;
        first = f->offset < first ? f->offset : first;
        last = f->offset + field_bytes(f) > last ? f->offset + field_bytes(f) : last;
    }
    if (number == 0 && last == 0) { /* a sample has elements, whatever is compared */
        first = 0;
        last = a->order.field_count ? 1 : array->bytes;
    }
    array->sample_first = last ? first : 0;
    array->sample_bytes = last ? last - first : 0;
}

/* Orders of the arrays that travel, and of samples. `number` has new column numbers. */
static void make_orders(struct across *a, const uint32_t *number)
{
    const mw_order *const theirs = a->job->order;
    uint32_t sample_number = 0;

    a->order = *theirs;
    a->order.fields = theirs->field_count ? a->fields : NULL;
    for (uint32_t i = 0; i < theirs->field_count; i++) {
        a->fields[i] = theirs->fields[i];
        a->fields[i].column = number[a->fields[i].column];
    }
    a->sample_order = a->order;
    a->sample_order.fields = theirs->field_count ? a->sample_fields : NULL;
    memcpy(a->sample_fields, a->fields, sizeof a->fields);
    for (uint32_t i = 0; i < a->array_count; i++) {
        struct array *const array = &a->arrays[i];

        find_range(a, i, array);
        a->sample_bytes += array->sample_bytes;
        for (uint32_t f = 0; f < theirs->field_count; f++) {
            if (a->fields[f].column != i)
                continue;
            a->sample_fields[f].column = sample_number;
            a->sample_fields[f].offset -= array->sample_first;
        }
        sample_number += array->sample_bytes > 0;
    }
    a->sample_arrays = sample_number;
    a->sample_order.element_bytes = a->arrays[0].sample_bytes;
}

/* All columns travel, or where `out` has none, those that are compared. */
static mw_status choose_arrays(struct across *a, uint32_t *number)
{
    const mw_job *const job = a->job;
    const mw_table *const in = job->in, *const out = job->out ? job->out : in;

    a->arrays[a->array_count++] = (struct array){
        .in = in->elements, .out = out->elements, .bytes = job->order->element_bytes};
    for (uint32_t i = 0; i < in->column_count; i++) {
        const mw_column *const from = &in->columns[i];
        const mw_column *const to = out->column_count ? &out->columns[i] : NULL;
        const int keeps_ties = i == 0 && has_ties(job->order); /* by not being bare keys */

        if (to && to->bytes != from->bytes)
            return refuse(a, MW_BAD_ARGUMENT,
                          "job: values of column %u have %u bytes in `in` and %u in `out`",
                          i, from->bytes, to->bytes);
        if (!to && !is_compared(job->order, i + 1) && !keeps_ties)
            continue;
        number[i + 1] = a->array_count;
        a->arrays[a->array_count++] = (struct array){
            .in = from->data, .out = to ? to->data : NULL, .bytes = from->bytes};
    }
    return MW_OK;
}

/* FNV-1a */
static uint64_t mix(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number)
{
    return mix(hash, &number, sizeof number);
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return text ? mix(hash, text, strlen(text) + 1) : mix_number(hash, 0);
}

/* What must be equal on all ranks. */
static uint64_t hash_shape(const struct across *a)
{
    const mw_order *const order = a->job->order;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    hash = mix_number(hash, (uint64_t)order->element_bytes << 32 | order->field_count);
    for (uint32_t i = 0; i < order->field_count; i++) {
        const mw_field *const f = &order->fields[i];

        hash = mix_number(hash, (uint64_t)f->column << 32 | f->offset);
        hash = mix_number(hash, (uint64_t)f->type << 32 | f->bytes);
        hash = mix_number(hash, (uint64_t)f->direction << 32 | f->flags);
    }
    hash = mix_text(mix_text(hash, order->less), order->declarations);
    hash = mix_number(hash, (uint64_t)a->job->in->column_count << 32 | a->array_count);
    for (uint32_t i = 0; i < a->array_count; i++)
        hash = mix_number(hash, a->arrays[i].bytes);
    return hash;
}

mw_status shape_make(struct across *a)
{
    uint32_t *number = NULL;
    uint64_t workspace;
    mw_status status;

    TRY(check_job(a));

    mw_job job = *a->job;
    const uint32_t columns = job.in->column_count;

    job.out = NULL;
    TRY(mw_prepare(a->context, &job, &workspace)); /* which checks all but addresses */
    if (job.positions && (uintptr_t)job.positions % mw_type_size(job.position_type))
        TRY(refuse(
            a, MW_BAD_ARGUMENT, "job: positions of type %s must be aligned to %u bytes",
            mw_type_name(job.position_type), (unsigned)mw_type_size(job.position_type)));
    a->in_count = job.in->count;
    a->out_count = a->job->out ? a->job->out->count : job.in->count;
    a->arrays = calloc((size_t)columns + 2, sizeof *a->arrays);
    a->columns = calloc(2 * ((size_t)columns + 2), sizeof *a->columns);
    number = calloc((size_t)columns + 1, sizeof *number);
    if (!a->arrays || !a->columns || !number)
        TRY(refuse(a, MW_NO_MEMORY, "no memory for %u columns", columns));
    TRY(choose_arrays(a, number));
    make_orders(a, number);
done:
    free(number);
    return status;
}

uint64_t shape_positions(const struct across *a)
{
    return a->job->positions ? 1 + (uint64_t)a->job->position_type : 0;
}

void shape_complete(struct across *a, uint64_t agreed)
{
    const uint32_t ties = MW_ZEROS_EQUAL | MW_NANS_EQUAL;
    const uint64_t own = a->job->positions || a->out_count ? shape_positions(a) : agreed;

    if (!own && !a->job->in->column_count && has_ties(a->job->order)) {
        a->fields[0].flags &= ~ties;
        a->sample_fields[0].flags &= ~ties;
    }
    if (own)
        a->arrays[a->array_count++] =
            (struct array){.out = a->job->positions,
                           .bytes = (uint32_t)mw_type_size((mw_type)(own - 1)),
                           .counts = 1};
    *a->hello = (struct hello){.shape = mix_number(hash_shape(a), own),
                               .in_count = a->in_count,
                               .out_count = a->out_count};
}

mw_status shape_compare(struct across *a, uint64_t positions)
{
    const mw_type type = (mw_type)(positions - 1);
    const uint64_t most = !positions || mw_type_size(type) == 8 ? UINT64_C(1) << 62
                          : type == MW_I32                      ? UINT64_C(1) << 31
                                                                : UINT64_C(1) << 32;
    uint64_t in = 0, out = 0;

    for (uint32_t i = 0; i < a->ranks; i++) {
        const struct hello *const h = &a->hellos[i];

        if (h->shape != a->hellos[0].shape)
            return refuse(a, MW_BAD_ARGUMENT, "ranks 0 and %u bring different jobs", i);
        a->firsts[i] = in;
        a->targets[i] = out;
        if (h->in_count > most - in)
            return refuse(a, MW_BAD_ARGUMENT,
                          positions ? "positions of type %s cannot number all rows"
                                    : "more than 2^62 rows%s",
                          positions ? mw_type_name(type) : "");
        in += h->in_count;
        out = h->out_count < UINT64_MAX - out ? out + h->out_count : UINT64_MAX;
    }
    a->targets[a->ranks] = out;
    if (in != out)
        return refuse(a, MW_BAD_ARGUMENT,
                      "all ranks together bring %llu rows and want %llu",
                      (unsigned long long)in, (unsigned long long)out);
    return MW_OK;
}
