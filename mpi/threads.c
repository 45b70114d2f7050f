/*
 * threads.c - ranks as threads of one process: each copies what others send to it.
 */
#define _POSIX_C_SOURCE 200809L /* pthread */

#include "multiway_across.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 1 << 20 }; /* thousands of threads */

/* What a rank shows to the others while it is in a call. */
struct offer {
    const void *send;
    const uint64_t *bytes, *at;
};

/*
 * All ranks, in a call that goes like this: each makes its offer and waits until all have;
 * each copies; each waits until nobody copies any more.
 */
struct team {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t ranks;
    uint32_t arrived, copying;
    uint64_t calls; /* in which all have arrived */
    int aborted;
    struct offer *offers;
};

struct seat {
    struct team *team;
    uint32_t rank;
    pthread_t thread;
    mw_status (*rank_main)(mw_comm *comm, void *argument);
    void *argument;
    mw_status status;
};

/* Returns MW_DEVICE_FAILED, and no offer is looked at any more, if the team is aborted. */
static mw_status enter(struct seat *seat, struct offer offer)
{
    struct team *const team = seat->team;
    mw_status status = MW_OK;

    pthread_mutex_lock(&team->lock);

    const uint64_t call = team->calls;

    team->offers[seat->rank] = offer;
    if (!team->aborted && ++team->arrived == team->ranks) {
        team->arrived = 0;
        team->copying = team->ranks;
        team->calls++;
        pthread_cond_broadcast(&team->changed);
    }
    while (!team->aborted && team->calls == call)
        pthread_cond_wait(&team->changed, &team->lock);
    if (team->calls == call)
        status = MW_DEVICE_FAILED;
    pthread_mutex_unlock(&team->lock);
    return status;
}

/* Even if the team is aborted, others may still copy from this rank's memory: wait. */
static void leave(struct seat *seat)
{
    struct team *const team = seat->team;

    pthread_mutex_lock(&team->lock);
    if (--team->copying == 0)
        pthread_cond_broadcast(&team->changed);
    while (team->copying)
        pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static mw_status maximum(void *state, uint64_t *values, uint32_t count)
{
    struct seat *const seat = state;
    const struct team *const team = seat->team;
    uint64_t most[8] = {0};
    mw_status status;

    if (count > sizeof most / sizeof most[0])
        return MW_BAD_ARGUMENT;
    status = enter(seat, (struct offer){.send = values});
    if (status != MW_OK)
        return status;
    for (uint32_t i = 0; i < team->ranks; i++) {
        const uint64_t *const theirs = team->offers[i].send;

        for (uint32_t k = 0; k < count; k++)
            most[k] = theirs[k] > most[k] ? theirs[k] : most[k];
    }
    leave(seat);
    memcpy(values, most, count * sizeof *values);
    return MW_OK;
}

static mw_status allgather(void *state, const void *send, void *receive, uint64_t bytes)
{
    struct seat *const seat = state;
    const struct team *const team = seat->team;
    const mw_status status = enter(seat, (struct offer){.send = send});

    if (status != MW_OK)
        return status;
    for (uint32_t i = 0; i < team->ranks; i++)
        memcpy((char *)receive + i * bytes, team->offers[i].send, (size_t)bytes);
    leave(seat);
    return MW_OK;
}

static mw_status alltoallv(void *state, const void *send, const uint64_t *send_bytes,
                           const uint64_t *send_at, void *receive,
                           const uint64_t *receive_bytes, const uint64_t *receive_at)
{
    struct seat *const seat = state;
    const struct team *const team = seat->team;
    const uint32_t rank = seat->rank;
    mw_status status =
        enter(seat, (struct offer){.send = send, .bytes = send_bytes, .at = send_at});

    if (status != MW_OK)
        return status;
    for (uint32_t i = 0; i < team->ranks; i++) {
        const struct offer *const theirs = &team->offers[i];

        if (theirs->bytes[rank] != receive_bytes[i])
            status = MW_BAD_ARGUMENT;
        else if (receive_bytes[i])
            memcpy((char *)receive + receive_at[i],
                   (const char *)theirs->send + theirs->at[rank], (size_t)receive_bytes[i]);
    }
    leave(seat);
    return status;
}

static void abort_team(void *state, mw_status status)
{
    struct team *const team = ((struct seat *)state)->team;

    (void)status;
    pthread_mutex_lock(&team->lock);
    team->aborted = 1;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

static void *run_seat(void *argument)
{
    struct seat *const seat = argument;
    mw_comm comm = MW_COMM_INIT;

    comm.rank = seat->rank;
    comm.ranks = seat->team->ranks;
    comm.state = seat;
    comm.maximum = maximum;
    comm.allgather = allgather;
    comm.alltoallv = alltoallv;
    comm.abort = abort_team;
    comm.flags = MW_COMM_KEEPS_MEMORY;
    seat->status = seat->rank_main(&comm, seat->argument);
    mw_across_release(&comm);
    abort_team(seat, seat->status); /* others must not wait for this rank */
    return NULL;
}

/* Start all ranks and wait for them; those that run give up if one cannot be started. */
static mw_status run_team(struct team *team, struct seat *seats)
{
    pthread_attr_t attributes;
    uint32_t started = 0;
    mw_status status = MW_OK;

    if (pthread_attr_init(&attributes))
        return MW_NO_MEMORY;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (started < team->ranks && pthread_create(&seats[started].thread, &attributes,
                                                   run_seat, &seats[started]) == 0)
        started++;
    if (started < team->ranks)
        abort_team(&seats[0], MW_NO_MEMORY);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(seats[i].thread, NULL);
    pthread_attr_destroy(&attributes);
    for (uint32_t i = 0; i < started && status == MW_OK; i++)
        status = seats[i].status;
    return started < team->ranks ? MW_NO_MEMORY : status;
}

mw_status mw_across_threads(uint32_t ranks,
                            mw_status (*rank_main)(mw_comm *comm, void *argument),
                            void *argument)
{
    struct team team = {.ranks = ranks, .lock = PTHREAD_MUTEX_INITIALIZER};
    struct seat *seats;
    mw_status status = MW_NO_MEMORY;

    if (!ranks || !rank_main)
        return MW_BAD_ARGUMENT;
    pthread_cond_init(&team.changed, NULL);
    team.offers = calloc(ranks, sizeof *team.offers);
    seats = calloc(ranks, sizeof *seats);
    for (uint32_t i = 0; seats && i < ranks; i++)
        seats[i] = (struct seat){
            .team = &team, .rank = i, .rank_main = rank_main, .argument = argument};
    if (team.offers && seats)
        status = run_team(&team, seats);
    free(seats);
    free(team.offers);
    pthread_cond_destroy(&team.changed);
    return status;
}
