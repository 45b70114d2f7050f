/*
 * crew.h - threads that read and write files while the caller's thread sorts.
 *
 * A task is a piece of I/O with its own memory; the crew only queues it. Tasks that
 * are waited for together share a `struct tally`, a count of unfinished tasks. Threads of
 * the crew allocate nothing: each has a block of memory, which the caller lends to it.
 */
#ifndef MW_FILE_CREW_H
#define MW_FILE_CREW_H

#include "fault.h"

#include <stdint.h>

/* Tasks that have not ended yet; guarded by the crew's lock. */
struct tally {
    uint32_t left;
};

struct task {
    void (*run)(struct task *task, void *block);
    struct tally *tally;
    struct task *next; /* of the queue */
};

struct crew;

enum { CREW_STACK = 128 << 10 };

/* Start `threads` threads. `fault` is where tasks note failures. */
mw_status crew_open(struct crew **crew, uint32_t threads, struct fault *fault);

/* Drop tasks that have not begun, wait for the others and end. NULL is allowed. */
void crew_close(struct crew *crew);

uint32_t crew_threads(const struct crew *crew);

/* Lend memory: `bytes` for each thread, passed to its tasks. No task may be running. */
void crew_lend(struct crew *crew, void *memory, uint64_t bytes);

/* Queue a task. After a failure tasks still end, but are no longer run. */
void crew_add(struct crew *crew, struct task *task);

/*
 * Wait until at most `left` tasks of a tally have not ended; returns 0 after
 * `milliseconds` if that has not happened.
 */
int crew_wait(struct crew *crew, const struct tally *tally, uint32_t left,
              int milliseconds);

/* Is the crew ending, or has something failed? A task that waits long should ask. */
int crew_is_ending(struct crew *crew);

/* Make crew_is_ending true. */
void crew_end(struct crew *crew);

#endif
