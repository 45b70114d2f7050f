/*
 * fibre.h - threads of execution that take turns on one host thread.
 *
 * fibre_prepare sets one up on a stack of its own; fibre_switch leaves one and
 * enters another, in a few nanoseconds and without a system call. A fibre
 * never returns from `run`: it is left for the last time.
 */
#ifndef MW_FIBRE_H
#define MW_FIBRE_H

#include <stddef.h>

#if defined(__x86_64__) && defined(__ELF__) && !defined(__ILP32__) && \
    !defined(MW_PORTABLE_FIBRES)
#define FIBRE_ASSEMBLY 1
#else
#define FIBRE_ASSEMBLY 0
#include <setjmp.h>
#include <ucontext.h>
#endif

/* Sanitizers track every stack and must be told about ours. */
#if defined(__SANITIZE_ADDRESS__)
#define FIBRE_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define FIBRE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBRE_ASAN 1
#elif __has_feature(thread_sanitizer)
#define FIBRE_TSAN 1
#endif
#endif

struct fibre {
#if FIBRE_ASSEMBLY
    void *stack_pointer; /* while it is not running */
#else
    ucontext_t start; /* where it begins ... */
    jmp_buf middle;   /* ... and where it was left */
    int started;
#endif
#ifdef FIBRE_ASAN
    const void *bottom; /* of its stack */
    size_t bytes;
    void *fake_stack;
    struct fibre *previous; /* the fibre that entered it last */
    int entered;
#endif
#ifdef FIBRE_TSAN
    void *known_as;
#endif
};

/*
 * Make `fibre` begin with `run` when it is first entered, on the `bytes` bytes
 * at `stack`. A fibre that was never prepared stands for the host's own stack:
 * leave it first, enter it last. It must begin as all zeros.
 */
void fibre_prepare(struct fibre *fibre, void *stack, size_t bytes, void (*run)(void));

/* Leave `from`, the one that is running, and enter `to`. */
void fibre_switch(struct fibre *from, struct fibre *to);

/* `run` calls this first. */
void fibre_begin(struct fibre *fibre);

/* Forget a fibre for good, wherever it was left. Call it from the host's stack. */
void fibre_drop(struct fibre *fibre, struct fibre *host);

/*
 * `count` stacks of at least `bytes` bytes each, with a guard page below each, so that
 * an overflow ends the process instead of damaging the next stack. Memory is committed
 * only as it is touched.
 */
struct fibre_stacks {
    unsigned char *memory; /* NULL: none yet */
    size_t stride;
    size_t guard;
    size_t count;
    size_t ready; /* the number of stacks that may be used */
};

/* Reserve. Returns 0, or -1 if there is no room. */
int fibre_stacks_open(struct fibre_stacks *stacks, size_t count, size_t bytes);

/* Make the first `count` usable. Returns 0, or -1 if there is no memory. */
int fibre_stacks_ready(struct fibre_stacks *stacks, size_t count);

/* Stack `i`, and its bytes. */
void *fibre_stack(const struct fibre_stacks *stacks, size_t i, size_t *bytes);

void fibre_stacks_close(struct fibre_stacks *stacks);

#endif
