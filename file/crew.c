/*
 * crew.c - threads that take tasks from a queue.
 */
#define _POSIX_C_SOURCE 200809L

#include "crew.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct member {
    struct crew *crew;
    uint32_t number;
    pthread_t thread;
};

struct crew {
    pthread_mutex_t lock;
    pthread_cond_t wake;  /* a task, or the end */
    pthread_cond_t ended; /* a task has ended */
    struct task *first;
    struct task **last;
    struct fault *fault;
    atomic_int is_ending;
    unsigned char *memory;
    uint64_t block_bytes;
    uint32_t threads;
    struct member member[];
};

int crew_is_ending(struct crew *crew)
{
    return atomic_load(&crew->is_ending) || fault_status(crew->fault) != MW_OK;
}

void crew_end(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    atomic_store(&crew->is_ending, 1);
    pthread_cond_broadcast(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
}

static void *serve(void *arg)
{
    const struct member *const self = arg;
    struct crew *const crew = self->crew;

    pthread_mutex_lock(&crew->lock);
    for (;;) {
        struct task *const task = crew->first;

        if (!task && atomic_load(&crew->is_ending))
            break;
        if (!task) {
            pthread_cond_wait(&crew->wake, &crew->lock);
            continue;
        }
        crew->first = task->next;
        if (!crew->first)
            crew->last = &crew->first;

        void *const block = crew->memory + self->number * crew->block_bytes;

        pthread_mutex_unlock(&crew->lock);
        if (!crew_is_ending(crew))
            task->run(task, block);
        pthread_mutex_lock(&crew->lock);
        task->tally->left--;
        pthread_cond_broadcast(&crew->ended);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static void dismiss(struct crew *crew, uint32_t started)
{
    crew_end(crew);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(crew->member[i].thread, NULL);
    pthread_cond_destroy(&crew->ended);
    pthread_cond_destroy(&crew->wake);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

void crew_close(struct crew *crew)
{
    if (crew)
        dismiss(crew, crew->threads);
}

/* Small stacks, and no signals: these are the caller's. */
static int start(struct member *member)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int code = pthread_attr_init(&attributes);

    if (code)
        return code;
    pthread_attr_setstacksize(&attributes, CREW_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = pthread_create(&member->thread, &attributes, serve, member);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return code;
}

mw_status crew_open(struct crew **crew, uint32_t threads, struct fault *fault)
{
    struct crew *const made = calloc(1, sizeof *made + threads * sizeof made->member[0]);
    pthread_condattr_t clock;

    *crew = NULL;
    if (!made)
        return fault_note(fault, MW_NO_MEMORY, "no memory for %u threads", threads);
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->wake, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&made->ended, &clock);
    pthread_condattr_destroy(&clock);
    made->last = &made->first;
    made->fault = fault;
    made->threads = threads;
    for (uint32_t i = 0; i < threads; i++) {
        int code;

        made->member[i] = (struct member){.crew = made, .number = i};
        code = start(&made->member[i]);
        if (code) {
            dismiss(made, i);
            return fault_note(fault, MW_NO_MEMORY, "thread %u of %u did not start: %s",
                              i + 1, threads, strerror(code));
        }
    }
    *crew = made;
    return MW_OK;
}

uint32_t crew_threads(const struct crew *crew)
{
    return crew->threads;
}

void crew_lend(struct crew *crew, void *memory, uint64_t bytes)
{
    pthread_mutex_lock(&crew->lock);
    crew->memory = memory;
    crew->block_bytes = bytes;
    pthread_mutex_unlock(&crew->lock);
}

void crew_add(struct crew *crew, struct task *task)
{
    pthread_mutex_lock(&crew->lock);
    task->next = NULL;
    *crew->last = task;
    crew->last = &task->next;
    task->tally->left++;
    pthread_cond_signal(&crew->wake);
    pthread_mutex_unlock(&crew->lock);
}

int crew_wait(struct crew *crew, const struct tally *tally, uint32_t left, int milliseconds)
{
    struct timespec until;
    int is_done;
    int code = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&crew->lock);
    while (tally->left > left && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&crew->ended, &crew->lock, &until);
    is_done = tally->left <= left;
    pthread_mutex_unlock(&crew->lock);
    return is_done;
}
