/*
 * fibre.c - switching stacks: a dozen instructions on x86-64, elsewhere the C
 * library's makecontext to begin and _setjmp, _longjmp to go on.
 */
#undef _FORTIFY_SOURCE /* its longjmp refuses to jump to another stack */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif

#include "fibre.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef FIBRE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef FIBRE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if FIBRE_ASSEMBLY

/*
 * Push what a function must preserve, exchange stacks, pop the other's. The
 * return addresses the processor predicts stay right, since fibres of one warp
 * all wait in the same place of the same function.
 */
void fibre_jump(void **leave, void *enter);

__asm__(".pushsection .text\n"
        ".globl fibre_jump\n"
        ".hidden fibre_jump\n"
        ".type fibre_jump, @function\n"
        "fibre_jump:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size fibre_jump, . - fibre_jump\n"
        ".popsection\n");

static void prepare(struct fibre *fibre, void *stack, size_t bytes, void (*run)(void))
{
    enum { SAVED = 6 }; /* registers fibre_jump pops before it returns to `run` */
    uint64_t *const top = (uint64_t *)((unsigned char *)stack + bytes / 16 * 16);
    uint64_t *const frame = top - 2 - SAVED;

    memset(frame, 0, (char *)top - (char *)frame);
    memcpy(frame + SAVED, &run, sizeof run);
    fibre->stack_pointer = frame;
}

static inline void jump(struct fibre *from, struct fibre *to)
{
    fibre_jump(&from->stack_pointer, to->stack_pointer);
}

#else

static void prepare(struct fibre *fibre, void *stack, size_t bytes, void (*run)(void))
{
    getcontext(&fibre->start);
    fibre->start.uc_stack.ss_sp = stack;
    fibre->start.uc_stack.ss_size = bytes;
    fibre->start.uc_link = NULL;
    makecontext(&fibre->start, run, 0);
    fibre->started = 0;
}

static inline void jump(struct fibre *from, struct fibre *to)
{
    from->started = 1;
    if (_setjmp(from->middle))
        return;
    if (to->started)
        _longjmp(to->middle, 1);
    setcontext(&to->start);
}

#endif

/* What the sanitizers are told: a new fibre, leaving one, being in one, the end of one. */
#if defined(FIBRE_ASAN)

static void tell_new(struct fibre *fibre, void *stack, size_t bytes)
{
    fibre->bottom = stack;
    fibre->bytes = bytes;
    fibre->fake_stack = NULL;
    fibre->entered = 0;
}

static void tell_leaving(struct fibre *from, struct fibre *to)
{
    to->previous = from;
    __sanitizer_start_switch_fiber(&from->fake_stack, to->bottom, to->bytes);
}

/* This is also the one moment to learn where the host's own stack lies. */
void fibre_begin(struct fibre *fibre)
{
    fibre->entered = 1;
    __sanitizer_finish_switch_fiber(fibre->fake_stack, &fibre->previous->bottom,
                                    &fibre->previous->bytes);
}

/* A fake stack is freed only when its fibre leaves it: pretend to be on it and to leave. */
__attribute__((no_sanitize("address"), noinline)) /* so that no frame of this is on it */
void fibre_drop(struct fibre *fibre, struct fibre *host)
{
    void *mine = NULL;

    if (!fibre->entered)
        return;
    __sanitizer_start_switch_fiber(&mine, fibre->bottom, fibre->bytes);
    __sanitizer_finish_switch_fiber(fibre->fake_stack, NULL, NULL);
    __sanitizer_start_switch_fiber(NULL, host->bottom, host->bytes);
    __sanitizer_finish_switch_fiber(mine, NULL, NULL);
    __asan_unpoison_memory_region(fibre->bottom, fibre->bytes);
    fibre->entered = 0;
}

#elif defined(FIBRE_TSAN)

static void tell_new(struct fibre *fibre, void *stack, size_t bytes)
{
    (void)stack;
    (void)bytes;
    fibre->known_as = __tsan_create_fiber(0);
}

static inline void tell_leaving(struct fibre *from, struct fibre *to)
{
    from->known_as = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to->known_as, 0);
}

void fibre_begin(struct fibre *fibre)
{
    (void)fibre;
}

void fibre_drop(struct fibre *fibre, struct fibre *host)
{
    (void)host;
    __tsan_destroy_fiber(fibre->known_as);
}

#else

static inline void tell_new(struct fibre *fibre, void *stack, size_t bytes)
{
    (void)fibre;
    (void)stack;
    (void)bytes;
}

static inline void tell_leaving(struct fibre *from, struct fibre *to)
{
    (void)from;
    (void)to;
}

void fibre_begin(struct fibre *fibre)
{
    (void)fibre;
}

void fibre_drop(struct fibre *fibre, struct fibre *host)
{
    (void)fibre;
    (void)host;
}

#endif

void fibre_prepare(struct fibre *fibre, void *stack, size_t bytes, void (*run)(void))
{
    prepare(fibre, stack, bytes, run);
    tell_new(fibre, stack, bytes);
}

void fibre_switch(struct fibre *from, struct fibre *to)
{
    tell_leaving(from, to);
    jump(from, to);
    fibre_begin(from);
}

int fibre_stacks_open(struct fibre_stacks *stacks, size_t count, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *memory;

    stacks->guard = page;
    stacks->stride = page + (bytes + page - 1) / page * page;
    stacks->count = count;
    stacks->ready = 0;
    memory = mmap(NULL, count * stacks->stride, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    stacks->memory = memory;
    return 0;
}

int fibre_stacks_ready(struct fibre_stacks *stacks, size_t count)
{
    for (; stacks->ready < count; stacks->ready++) {
        unsigned char *const first =
            stacks->memory + stacks->ready * stacks->stride + stacks->guard;

        if (mprotect(first, stacks->stride - stacks->guard, PROT_READ | PROT_WRITE))
            return -1;
    }
    return 0;
}

/*
 * Stacks are whole pages apart, so the same depth of every stack would map to the same
 * few sets of the host's L1 cache, whose sets repeat every 4 KiB. So each stack begins a
 * little lower than the one before.
 */
void *fibre_stack(const struct fibre_stacks *stacks, size_t i, size_t *bytes)
{
    const size_t lower = i * 128 % 4096;

    *bytes = stacks->stride - stacks->guard - lower;
    return stacks->memory + i * stacks->stride + stacks->guard;
}

void fibre_stacks_close(struct fibre_stacks *stacks)
{
    if (stacks->memory)
        munmap(stacks->memory, stacks->count * stacks->stride);
    stacks->memory = NULL;
}
