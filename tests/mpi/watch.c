/*
 * watch.c - a communicator that counts what its rank receives, and may fail.
 */
#include "watch.h"

/* Count a call; does it fail? */
static int fails(struct watch *w, uint64_t bytes)
{
    w->bytes += bytes;
    return ++w->calls == w->fail_at;
}

static mw_status maximum(void *state, uint64_t *values, uint32_t count)
{
    struct watch *const w = state;

    return fails(w, 8 * count) ? MW_UNSUPPORTED
                               : w->inner->maximum(w->inner->state, values, count);
}

static mw_status allgather(void *state, const void *send, void *receive, uint64_t bytes)
{
    struct watch *const w = state;

    return fails(w, bytes * w->inner->ranks)
               ? MW_UNSUPPORTED
               : w->inner->allgather(w->inner->state, send, receive, bytes);
}

static mw_status alltoallv(void *state, const void *send, const uint64_t *send_bytes,
                           const uint64_t *send_at, void *receive,
                           const uint64_t *receive_bytes, const uint64_t *receive_at)
{
    struct watch *const w = state;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < w->inner->ranks; i++)
        bytes += receive_bytes[i];
    return fails(w, bytes) ? MW_UNSUPPORTED
                           : w->inner->alltoallv(w->inner->state, send, send_bytes, send_at,
                                                 receive, receive_bytes, receive_at);
}

static void abort_all(void *state, mw_status status)
{
    struct watch *const w = state;

    w->inner->abort(w->inner->state, status);
}

mw_comm watch_comm(struct watch *watch, mw_comm *inner, uint64_t fail_at)
{
    mw_comm comm = *inner;

    *watch = (struct watch){.inner = inner, .fail_at = fail_at};
    comm.state = watch;
    comm.maximum = maximum;
    comm.allgather = allgather;
    comm.alltoallv = alltoallv;
    comm.abort = abort_all;
    return comm;
}
