/*
 * across.c - mw_sort_across: the steps, and how all ranks agree on one status.
 */
#include "across.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

mw_status refuse(struct across *a, mw_status status, const char *format, ...)
{
    va_list list;
    const int length =
        snprintf(a->comm->error, sizeof a->comm->error, "rank %u: ", a->comm->rank);

    va_start(list, format);
    vsnprintf(a->comm->error + length, sizeof a->comm->error - (size_t)length, format,
              list);
    va_end(list);
    return status;
}

/* A communicator call returned `status`: if it failed, abort. */
static mw_status call_done(struct across *a, mw_status status)
{
    if (status == MW_OK)
        return MW_OK;
    refuse(a, status, "the communicator failed: %s", mw_status_text(status));
    a->comm->abort(a->comm->state, MW_DEVICE_FAILED);
    return MW_DEVICE_FAILED;
}

/* Offsets of parts that follow each other. */
static void place(struct parts parts, uint32_t ranks)
{
    uint64_t at = 0;

    for (uint32_t i = 0; i < ranks; i++) {
        parts.at[i] = at;
        at += parts.bytes[i];
    }
}

mw_status send_parts(struct across *a, const void *from, void *to)
{
    place(a->send, a->ranks);
    place(a->receive, a->ranks);
    return call_done(a, a->comm->alltoallv(a->comm->state, from, a->send.bytes, a->send.at,
                                           to, a->receive.bytes, a->receive.at));
}

mw_status send_equal(struct across *a, const void *from, void *to, uint64_t bytes)
{
    for (uint32_t i = 0; i < a->ranks; i++)
        a->send.bytes[i] = a->receive.bytes[i] = bytes;
    return send_parts(a, from, to);
}

mw_status agree(struct across *a, mw_status own, uint64_t *value)
{
    uint64_t values[2] = {
        own == MW_OK ? 0 : (uint64_t)(a->ranks - a->comm->rank) << 8 | own, *value};
    mw_status status;

    if (own != MW_OK && !*a->comm->error)
        refuse(a, own, "%s",
               *mw_error(a->context) ? mw_error(a->context) : mw_status_text(own));
    TRY(call_done(a, a->comm->maximum(a->comm->state, values, 2)));
    *value = values[1];
    if (values[0]) {
        const uint32_t rank = a->ranks - (uint32_t)(values[0] >> 8);

        status = (mw_status)(values[0] & 255);
        if (rank != a->comm->rank)
            snprintf(a->comm->error, sizeof a->comm->error, "rank %u: %s", rank,
                     mw_status_text(status));
    }
done:
    return status;
}

static mw_status prepare(struct across *a, int is_device_memory)
{
    mw_info info = MW_INFO_INIT;
    mw_status status;

    TRY(mw_get_info(a->context, &info));
    a->is_device = is_device_memory && strncmp(info.device, "cpu", 3) != 0;
    TRY(shape_make(a));
    TRY(desk_make(a));
done:
    return status;
}

static mw_status sort_across(struct across *a, int is_device_memory)
{
    const mw_status prepared = prepare(a, is_device_memory);
    uint64_t positions = prepared == MW_OK ? shape_positions(a) : 0;
    mw_status status;

    TRY(agree(a, prepared, &positions));
    shape_complete(a, positions);
    TRY(call_done(
        a, a->comm->allgather(a->comm->state, a->hello, a->hellos, sizeof *a->hello)));
    TRY(shape_compare(a, positions));
    if (a->ranks == 1) { /* the sorted rows are where they belong */
        status = sort_locally(a);
        TRY(agree(a, status, &positions));
        goto done;
    }
    TRY(cuts_find(a, sort_locally(a)));
    TRY(exchange(a));
done:
    return status;
}

static mw_status sort_with(mw_context *context, mw_comm *comm, const mw_job *job,
                           int is_device_memory)
{
    struct across across = {
        .context = context, .comm = comm, .job = job, .ranks = comm ? comm->ranks : 0};

    if (!comm || comm->size != sizeof *comm || comm->rank >= comm->ranks)
        return MW_BAD_ARGUMENT;
    comm->error[0] = '\0';

    const mw_status status = sort_across(&across, is_device_memory);

    across_free(&across);
    return status;
}

mw_status mw_sort_across(mw_context *context, mw_comm *comm, const mw_job *job)
{
    return sort_with(context, comm, job, 0);
}

mw_status mw_sort_across_device(mw_context *context, mw_comm *comm, const mw_job *job)
{
    return sort_with(context, comm, job, 1);
}
