/*
 * machine.c - running launches and blocks; meetings of lanes and of warps.
 */
#include "machine.h"

#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 128 * 1024, LARGE_LOG = 1 << 16 };

_Thread_local struct simt_place *simt_here;

static const struct simt_site kernel_end = {.file = "", .word = SIMT_EXIT};

static void enter_lane(struct lane *from, struct lane *to)
{
    simt_here = &to->place;
    fibre_switch(&from->fibre, &to->fibre);
}

void machine_stop(struct machine *m, mw_status status)
{
    struct lane *const lane = (struct lane *)simt_here;

    m->status = status;
    fibre_switch(&lane->fibre, &m->host);
    __builtin_unreachable();
}

/* A barrier of the whole block: every warp begins an epoch. */
static void tick_block(struct machine *m)
{
    m->clock++;
    m->global_times.barrier = m->clock;
    m->shared_times.barrier = m->clock;
    for (uint32_t i = 0; i < m->warp_count; i++)
        m->warps[i].epoch = m->clock;
}

static void begin_block(struct machine *m, uint64_t block)
{
    m->block = block;
    m->idle_meetings = 0;
    tick_block(m);
    m->global_times.block = m->clock;
    m->shared_times.block = m->clock;
    m->shared_times.launch = m->clock; /* no other block shares this memory */
}

/* The lanes of the warp have met. Wait until all warps of the block have arrived. */
static void meet_block(struct lane *lane, const struct simt_site *site)
{
    struct machine *const m = lane->machine;
    struct warp *const last = m->warps + m->warp_count - 1;

    if (m->warps_met == 0)
        m->warps_at = site;
    else if (m->warps_at != site)
        fault_warps_apart(lane, site);
    if (++m->warps_met < m->warp_count) {
        m->warp->resume = lane;
        m->warp = m->warp == last ? m->warps : m->warp + 1;
        enter_lane(lane, m->warp->resume);
        return;
    }
    m->warps_met = 0;
    if (site->word == SIMT_BARRIER)
        tick_block(m);
    else if (m->block + 1 < m->blocks)
        begin_block(m, m->block + 1);
    else
        machine_stop(m, MW_OK);
}

/* All lanes have arrived: count their requests, and act on the word they met at. */
static void lanes_have_met(struct lane *lane, const struct simt_site *site)
{
    struct machine *const m = lane->machine;
    uint32_t number;

    m->lanes_met = 0;
    m->turn ^= 1;
    m->ballot[m->turn] = 0;
    m->idle_meetings++;
    machine_fold(m);
    if (m->idle_meetings > m->limits.meetings)
        machine_fault(lane, site, "no end: %llu meetings of lanes without a single write",
                      (unsigned long long)m->limits.meetings);
    if (site->word == SIMT_WARP_BARRIER) {
        m->warp->epoch = ++m->clock;
        return;
    }
    if (site->word == SIMT_EXIT) {
        meet_block(lane, site);
        return;
    }
    number = ledger_number(&m->ledger, m->kernel, site);
    if (!number)
        machine_stop(m, fail(m->error, MW_NO_MEMORY, "no memory for the ledger"));
    if (site->word == SIMT_BARRIER) {
        m->ledger.entries[number].now.barriers++;
        meet_block(lane, site);
    } else {
        m->ledger.entries[number].now.shuffles++;
    }
}

/* Wait until all lanes of the warp are here. */
static void meet(struct lane *lane, const struct simt_site *site)
{
    struct machine *const m = lane->machine;

    if (m->lanes_met == 0)
        m->lanes_at = site;
    else if (__builtin_expect(m->lanes_at != site, 0))
        fault_lanes_apart(lane, site);
    log_arrive(&lane->cursor);
    if (++m->lanes_met < m->warp->lanes)
        enter_lane(lane, lane->next);
    else
        lanes_have_met(lane, site);
}

void simt_meet(const struct simt_site *site)
{
    meet((struct lane *)simt_here, site);
}

uint64_t simt_shuffle(const struct simt_site *site, uint64_t bits, int from)
{
    struct lane *const lane = (struct lane *)simt_here;
    struct machine *const m = lane->machine;
    uint64_t *const values = m->values[m->turn];
    const uint32_t source = (uint32_t)from % LANES;

    if (__builtin_expect(source >= m->warp->lanes, 0))
        machine_fault(lane, site, "divergence: shuffles with lane %u, which is not there",
                      source);
    values[lane->cursor.lane] = bits;
    meet(lane, site);
    return values[source];
}

/* Meet the warp; returns the values that its lanes brought. */
static const uint64_t *bring(const struct simt_site *site, uint64_t mine)
{
    struct lane *const lane = (struct lane *)simt_here;
    uint64_t *const values = lane->machine->values[lane->machine->turn];

    values[lane->cursor.lane] = mine;
    meet(lane, site);
    return values;
}

unsigned simt_sum(const struct simt_site *site, unsigned mine)
{
    const uint64_t *const values = bring(site, mine);
    unsigned sum = 0;

    for (uint32_t i = 0; i < ((struct lane *)simt_here)->machine->warp->lanes; i++)
        sum += (unsigned)values[i];
    return sum;
}

unsigned simt_greatest(const struct simt_site *site, unsigned mine)
{
    const uint64_t *const values = bring(site, mine);
    unsigned greatest = 0;

    for (uint32_t i = 0; i < ((struct lane *)simt_here)->machine->warp->lanes; i++)
        greatest = values[i] > greatest ? (unsigned)values[i] : greatest;
    return greatest;
}

unsigned simt_ballot(const struct simt_site *site, int yes)
{
    struct lane *const lane = (struct lane *)simt_here;
    unsigned *const ballot = &lane->machine->ballot[lane->machine->turn];

    if (yes)
        *ballot |= lane->cursor.bit;
    meet(lane, site);
    return *ballot;
}

/* A fibre runs the same thread of every block. */
static void run_lane(void)
{
    struct lane *const lane = (struct lane *)simt_here;
    struct machine *const m = lane->machine;

    fibre_begin(&lane->fibre);
    for (;;) {
        lane->place.block = (int)m->block;
        m->kernel->run(m->args);
        meet(lane, &kernel_end);
    }
}

static mw_status check_launch(const struct machine *m, const struct machine_launch *launch)
{
    const struct simt_kernel *const k = launch->kernel;

    if (launch->blocks < 1 || launch->blocks > INT32_MAX)
        return fail(m->error, MW_KERNEL_FAULT, "%s: launched with %llu blocks", k->name,
                    (unsigned long long)launch->blocks);
    if (launch->threads < 1 || launch->threads > MOST_THREADS ||
        launch->threads > k->threads)
        return fail(m->error, MW_KERNEL_FAULT,
                    "%s: launched with %u threads a block, may have 1 to %u", k->name,
                    launch->threads, k->threads < MOST_THREADS ? k->threads : MOST_THREADS);
    if (launch->shared_bytes > m->limits.shared_bytes)
        return fail(m->error, MW_KERNEL_FAULT,
                    "%s: launched with %u bytes of shared memory, may have %u", k->name,
                    launch->shared_bytes, m->limits.shared_bytes);
    if (launch->args_bytes != k->args_bytes)
        return fail(m->error, MW_KERNEL_FAULT,
                    "%s: launched with %zu bytes of arguments, takes %zu", k->name,
                    launch->args_bytes, k->args_bytes);
    return MW_OK;
}

static void prepare_lanes(struct machine *m, const struct machine_launch *launch)
{
    const uint32_t threads = launch->threads;

    m->warp_count = (threads + LANES - 1) / LANES;
    for (uint32_t i = 0; i < threads; i++) {
        const uint32_t first = i / LANES * LANES;
        const uint32_t last = first + LANES < threads ? first + LANES : threads;
        struct lane *const lane = &m->lanes[i];
        size_t bytes;
        void *const stack = fibre_stack(&m->stacks, i, &bytes);

        lane->place.thread = (int)i;
        lane->place.lane = (int)(i % LANES);
        lane->place.threads = (int)threads;
        lane->place.blocks = (int)launch->blocks;
        lane->place.shared = m->shared;
        lane->machine = m;
        lane->cursor.lane = i % LANES;
        lane->cursor.bit = 1u << i % LANES;
        log_arrive(&lane->cursor);
        lane->next = i + 1 < last ? lane + 1 : &m->lanes[first];
        fibre_prepare(&lane->fibre, stack, bytes, run_lane);
        m->warps[i / LANES].resume = &m->lanes[first];
        m->warps[i / LANES].lanes = last - first;
    }
    m->warp = m->warps;
}

/* Reset everything: a fault may have ended the last launch anywhere. */
static void prepare_launch(struct machine *m, const struct machine_launch *launch)
{
    m->kernel = launch->kernel;
    m->args = launch->args;
    m->blocks = launch->blocks;
    m->shared_bytes = launch->shared_bytes;
    m->status = MW_OK;
    m->lanes_met = 0;
    m->warps_met = 0;
    m->turn = 0;
    m->ballot[0] = m->ballot[1] = 0;
    log_clear(&m->log);
    prepare_lanes(m, launch);

    if (m->clock > SHADOW_MOST_TICKS / 2) {
        memory_forget(&m->memory);
        memset(m->shared_marks, 0, SHARED_MARKS * sizeof *m->shared_marks);
        m->clock = 0;
    }
    m->global_times.launch = ++m->clock;
    m->shared_shift = SHIFT_NONE;
    begin_block(m, 0);
}

mw_status machine_run(struct machine *m, const struct machine_launch *launch)
{
    struct simt_place *const before = simt_here;
    mw_status status = MW_OK;

    TRY(check_launch(m, launch));
    if (ledger_launch(&m->ledger, launch->kernel) != 0 ||
        fibre_stacks_ready(&m->stacks, launch->threads) != 0)
        return fail(m->error, MW_NO_MEMORY, "no memory for %u threads", launch->threads);
    prepare_launch(m, launch);
    simt_here = &m->lanes[0].place;
    fibre_switch(&m->host, &m->lanes[0].fibre);
    simt_here = before;
    ledger_end(&m->ledger);
    status = m->status;
    for (uint32_t i = 0; i < launch->threads; i++)
        fibre_drop(&m->lanes[i].fibre, &m->host);
    if (m->log.capacity > LARGE_LOG) {
        log_close(&m->log);
        memset(&m->log, 0, sizeof m->log);
    }
done:
    return status;
}

mw_status machine_open(struct machine *m, struct error *error)
{
    static const struct machine_limits limits = {1 << 20, 1 << 22, MOST_SHARED};

    m->error = error;
    m->limits = limits;
    m->lanes = calloc(MOST_THREADS, sizeof *m->lanes);
    m->shared_arena = aligned_alloc(256, MOST_SHARED + 2 * SHARED_MARGIN);
    m->shared_marks = calloc(SHARED_MARKS, sizeof *m->shared_marks);
    if (!m->lanes || !m->shared_arena || !m->shared_marks ||
        fibre_stacks_open(&m->stacks, MOST_THREADS, STACK_BYTES) != 0)
        return fail(error, MW_NO_MEMORY, "no memory for the simulator");
    m->shared = m->shared_arena + SHARED_MARGIN;
    return MW_OK;
}

void machine_close(struct machine *m)
{
    fibre_stacks_close(&m->stacks);
    free(m->shared_marks);
    free(m->shared_arena);
    free(m->lanes);
    log_close(&m->log);
    ledger_reset(&m->ledger);
    memory_close(&m->memory);
}
