/*
 * cuts.c - cut the sorted rows of all ranks exactly. The owner of a cut asks all ranks for
 * samples of ever smaller windows.
 */
#include "across.h"

#include <string.h>

/* What the order compares of row `row`. */
static mw_status copy_sample(struct across *a, uint64_t row, unsigned char *to)
{
    mw_status status = MW_OK;

    for (uint32_t i = 0; i < a->array_count; i++) {
        const struct array *const array = &a->arrays[i];
        const unsigned char *const from =
            (const unsigned char *)array->sorted + row * array->bytes + array->sample_first;

        if (a->is_device && array->sample_bytes)
            TRY(mw_download(a->context, to, from, array->sample_bytes));
        else if (array->sample_bytes)
            memcpy(to, from, array->sample_bytes);
        to += array->sample_bytes;
    }
done:
    return status;
}

/*
 * Answer what all ranks ask, and receive answers. A rank that failed still sends, so that
 * nobody waits; the others learn about it when all agree next.
 */
static mw_status trade_samples(struct across *a, mw_status *own)
{
    struct search *const s = &a->search;
    const uint32_t bytes = a->sample_bytes;
    uint64_t places[MOST_PLACES];
    uint32_t count = 0;
    unsigned char *to = a->samples_sent;

    for (uint32_t i = 0; i < a->ranks; i++) {
        const uint32_t asked = ask_places(&a->asked[i], places);

        a->send.bytes[i] = (uint64_t)asked * bytes;
        for (uint32_t k = 0; k < asked; k++, to += bytes) {
            if (*own == MW_OK)
                *own = copy_sample(a, places[k], to);
        }
        s->begins[i] = count;
        count += ask_places(&s->asks[i], s->places + count);
        a->receive.bytes[i] = (uint64_t)(count - s->begins[i]) * bytes;
    }
    s->begins[a->ranks] = count;
    return send_parts(a, a->samples_sent, a->samples);
}

/* The samples as one array for each part of a row; `number` of them in all. */
static void unpack(struct across *a, uint32_t number, unsigned char **parts)
{
    unsigned char *to = a->unpacked;
    uint32_t offset = 0, part = 0;

    for (uint32_t i = 0; i < a->array_count; i++) {
        const uint32_t bytes = a->arrays[i].sample_bytes;

        if (!bytes)
            continue;
        parts[part++] = to;
        for (uint32_t k = 0; k < number; k++)
            memcpy(to + (uint64_t)k * bytes,
                   a->samples + (uint64_t)k * a->sample_bytes + offset, bytes);
        to += ((uint64_t)number * bytes / ALIGNMENT + 1) * ALIGNMENT;
        offset += bytes;
    }
}

/* Merge the samples of all ranks: `merged` gets their numbers in order. */
static mw_status merge_samples(struct across *a)
{
    const uint32_t *const begins = a->search.begins;
    unsigned char *parts[MOST_FIELDS + 1] = {a->samples};
    uint32_t bytes[MOST_FIELDS + 1], lists = 0, part = 0;
    const uint32_t columns = a->sample_arrays - 1;
    mw_job job = MW_JOB_INIT;

    if (a->sample_arrays > 1)
        unpack(a, begins[a->ranks], parts);
    for (uint32_t i = 0; i < a->array_count; i++) {
        if (a->arrays[i].sample_bytes)
            bytes[part++] = a->arrays[i].sample_bytes;
    }
    for (uint32_t i = 0; i < a->ranks; i++) {
        const uint32_t first = begins[i];
        mw_column *const list = a->list_columns + (uint64_t)lists * columns;

        if (first == begins[i + 1])
            continue;
        for (uint32_t c = 0; c < columns; c++)
            list[c] =
                (mw_column){parts[c + 1] + (uint64_t)first * bytes[c + 1], bytes[c + 1]};
        a->tables[lists++] = (mw_table){.elements = parts[0] + (uint64_t)first * bytes[0],
                                        .count = begins[i + 1] - first,
                                        .columns = list,
                                        .column_count = columns};
    }
    job.operation = MW_MERGE;
    job.order = &a->sample_order;
    job.in = a->tables;
    job.in_count = lists;
    job.positions = a->search.merged;
    job.position_type = MW_U32;
    return lists ? mw_run(a->context, &job) : MW_OK;
}

/*
 * Cuts that several owners found by a comparison that is no order may cross. Then all
 * ranks take their rows as if these were in order already, which loses none.
 */
static mw_status settle(struct across *a, uint64_t lost)
{
    const uint64_t first = a->firsts[a->comm->rank];
    mw_status status;

    for (uint32_t i = 0; i < a->ranks; i++)
        a->numbers[i] = a->search.asks[i].first;
    TRY(send_equal(a, a->numbers, a->cuts, sizeof *a->cuts));
    a->cuts[a->ranks] = a->in_count;
    for (uint32_t i = 0; i < a->ranks; i++)
        lost |= a->cuts[i] > a->cuts[i + 1];
    TRY(agree(a, MW_OK, &lost));
    for (uint32_t i = 0; lost && i < a->ranks; i++) {
        const uint64_t target = a->targets[i] > first ? a->targets[i] - first : 0;

        a->cuts[i] = target < a->in_count ? target : a->in_count;
    }
done:
    return status;
}

mw_status cuts_find(struct across *a, mw_status own)
{
    struct search *const s = &a->search;
    uint64_t lost = 0;
    mw_status status;

    s->lists = a->ranks;
    s->target = a->targets[a->comm->rank];
    for (uint32_t i = 0; i < a->ranks; i++)
        s->asks[i] = (struct ask){.last = s->target ? a->hellos[i].in_count : 0};
    search_begin(s, a->targets[a->ranks]);
    for (;;) {
        uint64_t open = search_guess(s);

        TRY(agree(a, own, &open));
        if (!open)
            break;
        TRY(send_equal(a, s->asks, a->asked, sizeof *s->asks));
        TRY(trade_samples(a, &own));
        if (own == MW_OK)
            own = merge_samples(a);
        if (own == MW_OK)
            lost |= search_narrow(s) != 0;
        for (uint32_t i = 0; lost && i < a->ranks; i++)
            s->asks[i].last = s->asks[i].first;
    }
    TRY(settle(a, lost));
done:
    return status;
}
