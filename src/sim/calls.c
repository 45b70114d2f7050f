/*
 * calls.c - what LOAD and STORE call: check an access, and log it.
 */
#include "machine.h"

/* A request that is new since the lanes last met: look up its line in the ledger. */
static void open_request(const struct lane *lane, struct warp_request *request)
{
    struct machine *const m = lane->machine;

    request->line = ledger_number(&m->ledger, m->kernel, request->site);
    if (!request->line)
        machine_stop(m, fail(m->error, MW_NO_MEMORY, "no memory for the ledger"));
    if (m->log.count > m->limits.accesses)
        machine_fault(lane, request->site,
                      "no end: %u accesses since the lanes of its warp last met",
                      m->limits.accesses);
}

static shadow_mark my_mark(const struct lane *lane, uint32_t line)
{
    return shadow_mark_of(lane->machine->warp->epoch, line < SHADOW_MOST_LINES ? line : 0,
                          (uint32_t)lane->place.thread);
}

/* Check an access against `count` marks. */
static void check_marks(const struct lane *lane, const struct simt_site *site, uintptr_t at,
                        const struct shadow_times *times, const struct shadow *marks,
                        uint32_t count, shadow_mark mine)
{
    for (uint32_t i = 0; i < count; i++) {
        const shadow_mark other =
            shadow_race(times, &marks[i], mine, site->word != SIMT_LOAD);

        if (__builtin_expect(other != 0, 0))
            fault_race(lane, site, at, other, other == marks[i].wrote);
    }
}

/* The same, and enter the access, which is not open. */
static void enter_marks(const struct lane *lane, const struct simt_site *site, uintptr_t at,
                        const struct shadow_times *times, struct shadow *marks,
                        uint32_t count, shadow_mark mine)
{
    check_marks(lane, site, at, times, marks, count, mine);
    for (uint32_t i = 0; i < count; i++)
        shadow_note(times, &marks[i], mine, site->word != SIMT_LOAD, 0);
}

/* The same for an addition to shared memory. */
static void enter_added(const struct lane *lane, const struct simt_site *site, uintptr_t at,
                        struct shadow *marks, uint32_t count, shadow_mark mine)
{
    const struct shadow_times *const times = &lane->machine->shared_times;

    for (uint32_t i = 0; i < count; i++) {
        const shadow_mark other = shadow_race_added(times, &marks[i], mine);

        if (__builtin_expect(other != 0, 0))
            fault_race(lane, site, at, other, other == marks[i].wrote);
        shadow_note_added(times, &marks[i], mine);
    }
}

/* Smaller accesses than before: make the block's marks as fine. */
static void refine_shared(struct machine *m, uint32_t shift)
{
    if (m->shared_shift != SHIFT_NONE)
        shadow_refine(m->shared_marks, (m->shared_bytes >> m->shared_shift) + 1,
                      m->shared_shift - shift);
    m->shared_shift = shift;
}

static void touch_shared(const struct lane *lane, const struct simt_site *site,
                         uint64_t offset, shadow_mark mine)
{
    struct machine *const m = lane->machine;
    const uint32_t shift = (uint32_t)__builtin_ctz(site->bytes);
    struct shadow *marks;
    uint32_t count;

    if (__builtin_expect(shift < m->shared_shift, 0))
        refine_shared(m, shift);
    marks = m->shared_marks + (offset >> m->shared_shift);
    count = site->bytes >> m->shared_shift;
    if (site->word != SIMT_STORE) {
        for (uint32_t i = 0; i < count; i++) {
            if (__builtin_expect(shadow_tick(marks[i].wrote) < m->shared_times.block, 0))
                fault_unwritten(lane, site, (uintptr_t)m->shared + offset);
        }
    }
    if (site->word == SIMT_ADD)
        enter_added(lane, site, (uintptr_t)m->shared + offset, marks, count, mine);
    else
        enter_marks(lane, site, (uintptr_t)m->shared + offset, &m->shared_times, marks,
                    count, mine);
}

static _Noreturn void stop_unwatched(struct machine *m, const struct allocation *a)
{
    machine_stop(m, fail(m->error, MW_NO_MEMORY, "no memory to watch %llu bytes for races",
                         (unsigned long long)a->bytes));
}

/* Open accesses can race with plain ones only, plain ones with both. */
static void touch_global(const struct lane *lane, const struct simt_site *site,
                         uintptr_t at, shadow_mark mine)
{
    struct machine *const m = lane->machine;
    const struct shadow_times *const times = &m->global_times;
    struct allocation *const a = memory_find(&m->memory, at, site->bytes);

    if (__builtin_expect(!a, 0))
        fault_bounds(lane, site, at);
    if (__builtin_expect(!a->shadow || site->bytes >> a->shift == 0, 0)) {
        if (memory_mark(a, site->bytes) != 0)
            stop_unwatched(m, a);
    }

    const uint64_t offset = at - a->first;
    struct shadow *const marks = a->shadow + (offset >> a->shift);
    const uint32_t count = site->bytes >> a->shift;

    if (site->open || site->word == SIMT_ADD) {
        check_marks(lane, site, at, times, marks, count, mine);
        if (memory_mark_open(a, offset) != 0)
            stop_unwatched(m, a);
        shadow_note(times, &a->open[offset / OPEN_BYTES], mine, site->word != SIMT_LOAD, 1);
        return;
    }
    if (a->open && offset < a->open_last && offset + site->bytes > a->open_first)
        check_marks(lane, site, at, times, &a->open[offset / OPEN_BYTES],
                    (site->bytes + OPEN_BYTES - 1) / OPEN_BYTES, mine);
    enter_marks(lane, site, at, times, marks, count, mine);
}

void *simt_touch(const struct simt_site *site, const void *cell)
{
    struct lane *const lane = (struct lane *)simt_here;
    struct machine *const m = lane->machine;
    const uintptr_t at = (uintptr_t)cell;
    const uint64_t offset = at - (uintptr_t)m->shared;
    struct warp_request *const request = log_visit(&m->log, &lane->cursor, site);
    shadow_mark mine;

    if (__builtin_expect(!request, 0))
        machine_stop(m, fail(m->error, MW_NO_MEMORY, "no memory to log accesses in"));
    if (!request->line)
        open_request(lane, request);
    if (__builtin_expect(at & (site->bytes - 1u), 0))
        fault_alignment(lane, site, at);
    mine = my_mark(lane, request->line);
    if (offset < m->shared_bytes) {
        if (__builtin_expect(site->bytes > m->shared_bytes - offset, 0))
            fault_bounds(lane, site, at);
        if (__builtin_expect(site->open, 0))
            fault_shared(lane, site, at);
        request->shared |= lane->cursor.bit;
        request->at[lane->cursor.lane] = offset;
        touch_shared(lane, site, offset, mine);
    } else {
        request->at[lane->cursor.lane] = at;
        touch_global(lane, site, at, mine);
    }
    return (void *)at;
}

/* Count the sectors of a request to global memory, and those new to the launch. */
static void fold_global(struct machine *m, const struct warp_request *r, uint32_t lanes,
                        mw_traffic *t)
{
    uint64_t sectors[LANES];
    const struct cost cost = sector_cost(r->at, lanes, r->site->bytes, sectors);

    t->global_requests++;
    t->global_sectors += cost.paid;
    t->global_ideal += cost.ideal;
    t->global_distinct += memory_meet(&m->memory, sectors, cost.paid,
                                      r->site->word != SIMT_LOAD, m->global_times.launch);
}

void machine_fold(struct machine *m)
{
    for (uint32_t i = 0; i < m->log.count; i++) {
        const struct warp_request *const r = &m->log.requests[i];
        const uint32_t global = r->lanes & ~r->shared;
        mw_traffic *const t = &m->ledger.entries[r->line].now;

        if (r->shared) {
            const struct cost cost =
                bank_cost(r->at, r->shared, r->site->bytes, r->site->word == SIMT_LOAD);
            const uint64_t ways = (cost.paid + cost.ideal - 1) / cost.ideal;

            t->shared_requests++;
            t->shared_wavefronts += cost.paid;
            t->shared_ideal += cost.ideal;
            t->shared_worst = ways > t->shared_worst ? ways : t->shared_worst;
        }
        if (global)
            fold_global(m, r, global, t);
        if (r->site->word != SIMT_LOAD)
            m->idle_meetings = 0;
    }
    log_clear(&m->log);
}
