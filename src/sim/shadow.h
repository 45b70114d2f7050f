/*
 * shadow.h - race detection: marks of the last accesses to a piece of memory.
 *
 * A clock ticks at every barrier of a warp or block and at the start of every block and
 * launch. An access carries the tick at which its warp's present epoch began. Two
 * accesses are ordered if a barrier of both threads lies between them:
 *
 *   threads of one warp     their ticks differ
 *   threads of one block    the earlier tick lies before the block's last BARRIER
 *   different blocks        only if they belong to different launches
 *
 * Open accesses, those of POST, PEEK and ADD to global memory, need no order among
 * themselves, but with all other accesses they do.
 *
 * The same holds for additions to shared memory. These are summarised in place of readers.
 *
 * Each piece has the mark of one writer and a summary of the readers. That is enough to
 * catch every race between two accesses, in whatever order the simulator ran them. Open
 * accesses have marks of their own, where writers are summarised like readers, since none
 * of them is ordered after the others. A plain access is checked against both kinds of
 * marks, an open one against the plain ones.
 */
#ifndef MW_SIM_SHADOW_H
#define MW_SIM_SHADOW_H

#include <stdint.h>

/*
 * A mark has, from the top: 37 bits of tick, 13 of line (a number of the ledger, 0 if
 * the number is too large), 10 of thread, 4 of flags. 0: no access yet.
 */
typedef uint64_t shadow_mark;

enum {
    SHADOW_OTHER_LANES = 1, /* summaries only: also other lanes in this epoch, ... */
    SHADOW_OTHER_WARPS = 2, /* ... other warps since the block's last barrier, ... */
    SHADOW_OTHER_BLOCK = 4, /* ... another block in this launch */
    SHADOW_ADDED = 8,       /* they are additions, not readers */
    SHADOW_FLAGS = 15,
    SHADOW_THREAD_SHIFT = 4,
    SHADOW_WARP_SHIFT = SHADOW_THREAD_SHIFT + 5,
    SHADOW_LINE_SHIFT = 14,
    SHADOW_TICK_SHIFT = 27,
    SHADOW_MOST_THREADS = 1 << (SHADOW_LINE_SHIFT - SHADOW_THREAD_SHIFT),
    SHADOW_MOST_LINES = 1 << (SHADOW_TICK_SHIFT - SHADOW_LINE_SHIFT)
};

#define SHADOW_MOST_TICKS (UINT64_C(1) << (64 - SHADOW_TICK_SHIFT))

struct shadow {
    shadow_mark wrote;
    shadow_mark read;
};

/* The ticks at which the launch, the block and the block's present epoch began. */
struct shadow_times {
    uint64_t launch;
    uint64_t block;
    uint64_t barrier;
};

static inline uint64_t shadow_tick(shadow_mark mark)
{
    return mark >> SHADOW_TICK_SHIFT;
}

static inline uint32_t shadow_line(shadow_mark mark)
{
    return mark >> SHADOW_LINE_SHIFT & (SHADOW_MOST_LINES - 1);
}

static inline uint32_t shadow_thread(shadow_mark mark)
{
    return mark >> SHADOW_THREAD_SHIFT & (SHADOW_MOST_THREADS - 1);
}

static inline shadow_mark shadow_mark_of(uint64_t tick, uint32_t line, uint32_t thread)
{
    return tick << SHADOW_TICK_SHIFT | (shadow_mark)line << SHADOW_LINE_SHIFT |
           thread << SHADOW_THREAD_SHIFT;
}

static inline int shadow_same_warp(shadow_mark a, shadow_mark b)
{
    return shadow_thread(a ^ b) >> (SHADOW_WARP_SHIFT - SHADOW_THREAD_SHIFT) == 0;
}

/* Is the earlier access `mark` unordered with the access `mine`? */
static inline int shadow_unordered(const struct shadow_times *times, shadow_mark mark,
                                   shadow_mark mine)
{
    const uint64_t tick = shadow_tick(mark);

    if (tick >= times->barrier) {
        if (mark & SHADOW_OTHER_WARPS || !shadow_same_warp(mark, mine))
            return 1;
        if (tick == shadow_tick(mine) &&
            (mark & SHADOW_OTHER_LANES || shadow_thread(mark ^ mine) != 0))
            return 1;
    }
    return tick >= times->launch && (tick < times->block || mark & SHADOW_OTHER_BLOCK);
}

/* The summary of the accesses in `before` and of `mine`. */
static inline shadow_mark shadow_join(const struct shadow_times *times, shadow_mark before,
                                      shadow_mark mine)
{
    const uint64_t tick = shadow_tick(before);

    if (tick < times->launch)
        return mine;
    if (tick < times->block)
        return mine | SHADOW_OTHER_BLOCK;
    if (tick < times->barrier)
        return mine | (before & SHADOW_OTHER_BLOCK);
    if (!shadow_same_warp(before, mine))
        return before | SHADOW_OTHER_WARPS;
    if (tick != shadow_tick(mine))
        return mine | (before & (SHADOW_OTHER_WARPS | SHADOW_OTHER_BLOCK));
    if (shadow_thread(before ^ mine) != 0)
        return before | SHADOW_OTHER_LANES;
    return before;
}

/* The access of `s` that races with a read or, if `writes`, a write; 0 if none does. */
static inline shadow_mark shadow_race(const struct shadow_times *times,
                                      const struct shadow *s, shadow_mark mine, int writes)
{
    if (shadow_unordered(times, s->wrote, mine))
        return s->wrote;
    if (!writes && !(s->read & SHADOW_ADDED))
        return 0;
    return shadow_unordered(times, s->read, mine) ? s->read : 0;
}

/* The same for an addition to shared memory. */
static inline shadow_mark shadow_race_added(const struct shadow_times *times,
                                            const struct shadow *s, shadow_mark mine)
{
    return s->read & SHADOW_ADDED
               ? shadow_race(times, &(struct shadow){s->wrote, 0}, mine, 0)
               : shadow_race(times, s, mine, 1);
}

/*
 * Enter an access that races with none of its kind. A plain write is ordered after all
 * earlier accesses and replaces their mark; an open write joins the summary.
 */
static inline void shadow_note(const struct shadow_times *times, struct shadow *s,
                               shadow_mark mine, int writes, int open)
{
    if (!writes)
        s->read = s->read & SHADOW_ADDED ? mine : shadow_join(times, s->read, mine);
    else
        s->wrote = open ? shadow_join(times, s->wrote, mine) : mine;
}

/* Enter an addition to shared memory that races with nothing. */
static inline void shadow_note_added(const struct shadow_times *times, struct shadow *s,
                                     shadow_mark mine)
{
    if (s->read & SHADOW_ADDED)
        mine = shadow_join(times, s->read, mine);
    s->read = mine | SHADOW_ADDED;
}

#endif
