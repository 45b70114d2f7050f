/*
 * machine.h - the simulated SM: it runs one block at a time, one warp at a time, one
 * lane at a time.
 *
 * A lane runs until its next warp-wide word, a meeting, and hands over to the next lane.
 * The lane that arrives last continues at once and the others follow in the same order,
 * so every lane is entered once between two meetings, and no scheduler is needed. Warps
 * take turns in the same way at block-wide words; the end of the kernel is one of those.
 */
#ifndef MW_SIM_MACHINE_H
#define MW_SIM_MACHINE_H

#include "base/base.h"
#include "fibre.h"
#include "ledger.h"
#include "log.h"
#include "memory.h"
#include "shadow.h"
#include "simt_calls.h"

#include <stddef.h>

enum {
    MOST_THREADS = 1024,
    MOST_WARPS = MOST_THREADS / LANES,
    MOST_SHARED = 227 * 1024,
    SHARED_MARGIN = 16 * 1024, /* on both sides, to tell overruns from wild pointers */
    SHARED_MARKS = MOST_SHARED + 16, /* one per byte, and one large piece more */
    SHIFT_NONE = 31                  /* no access to shared memory in this launch yet */
};

_Static_assert(MOST_THREADS <= (int)SHADOW_MOST_THREADS, "a mark names any thread");
_Static_assert(LANES == 1 << (SHADOW_WARP_SHIFT - SHADOW_THREAD_SHIFT),
               "marks and machine agree on the size of a warp");

struct lane {
    struct simt_place place; /* first: simt_here points to it */
    struct machine *machine;
    struct log_cursor cursor;
    struct lane *next; /* in the warp; the last is followed by the first */
    struct fibre fibre;
};

_Static_assert(offsetof(struct lane, place) == 0, "simt_here is the running lane");

struct warp {
    struct lane *resume; /* the lane that continues at this warp's next turn */
    uint32_t lanes;
    uint64_t epoch; /* the tick of the warp's last barrier */
};

/*
 * Limits beyond which a kernel is reported as endless, and the shared memory that a block
 * may have. A test may lower them.
 */
struct machine_limits {
    uint32_t accesses; /* of a lane between two meetings */
    uint64_t meetings; /* of lanes, with no store in between */
    uint32_t shared_bytes;
};

struct machine {
    struct error *error;
    struct machine_limits limits;
    struct memory memory;
    struct ledger ledger;
    struct log log;

    /* The launch. */
    const struct simt_kernel *kernel;
    const void *args;
    uint64_t blocks;
    uint32_t warp_count;
    uint32_t shared_bytes;
    mw_status status;

    /* The warp whose turn it is, and where its lanes are meeting. */
    struct warp *warp;
    uint32_t lanes_met;
    const struct simt_site *lanes_at;
    uint64_t idle_meetings;

    /* What lanes bring to a meeting; the next meeting uses the other one. */
    uint32_t turn;
    unsigned ballot[2];
    uint64_t values[2][LANES];

    /* Where the block's warps are meeting. */
    uint32_t warps_met;
    const struct simt_site *warps_at;
    uint64_t block;

    /* Time, and the marks of shared memory. */
    uint64_t clock;
    struct shadow_times global_times;
    struct shadow_times shared_times;
    unsigned char *shared_arena;
    unsigned char *shared;
    struct shadow *shared_marks;
    uint32_t shared_shift; /* as in struct allocation */

    struct fibre host;
    struct fibre_stacks stacks;
    struct lane *lanes; /* MOST_THREADS of them */
    struct warp warps[MOST_WARPS];
};

struct machine_launch {
    const struct simt_kernel *kernel;
    uint64_t blocks;
    uint32_t threads;
    uint32_t shared_bytes;
    const void *args;
    size_t args_bytes;
};

/* `machine` is all zeros. On failure machine_close is still to be called. */
mw_status machine_open(struct machine *machine, struct error *error);
void machine_close(struct machine *machine);

/* Run a kernel to its end, or to its first fault. */
mw_status machine_run(struct machine *machine, const struct machine_launch *launch);

/* Count the requests of the log, and empty it. */
void machine_fold(struct machine *machine);

/*
 * From a fibre: abandon the launch, which returns `status`. The error message has been
 * set. None of the launch's fibres runs again.
 */
_Noreturn void machine_stop(struct machine *machine, mw_status status);

/*
 * From a fibre: abandon the launch as MW_KERNEL_FAULT. The error message names kernel,
 * file, line, block and thread, followed by the given text, printf-style.
 */
__attribute__((format(printf, 3, 4))) _Noreturn void
machine_fault(const struct lane *lane, const struct simt_site *site, const char *format,
              ...);

/* The same for an invalid access, or one that races with `other`. */
_Noreturn void fault_bounds(const struct lane *lane, const struct simt_site *site,
                            uintptr_t at);
_Noreturn void fault_alignment(const struct lane *lane, const struct simt_site *site,
                               uintptr_t at);
_Noreturn void fault_unwritten(const struct lane *lane, const struct simt_site *site,
                               uintptr_t at);
_Noreturn void fault_shared(const struct lane *lane, const struct simt_site *site,
                            uintptr_t at);
_Noreturn void fault_race(const struct lane *lane, const struct simt_site *site,
                          uintptr_t at, shadow_mark other, int wrote);

/* The same where lanes, or warps, meet at different places. */
_Noreturn void fault_lanes_apart(const struct lane *lane, const struct simt_site *site);
_Noreturn void fault_warps_apart(const struct lane *lane, const struct simt_site *site);

#endif
