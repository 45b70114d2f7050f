/*
 * fault.c - error messages for what a kernel did wrong.
 */
#include "machine.h"

#include <stdarg.h>
#include <stdio.h>

static const char *deed(const struct simt_site *site)
{
    switch ((enum simt_word)site->word) {
    case SIMT_LOAD:
        return "reads";
    case SIMT_STORE:
        return "writes";
    case SIMT_ADD:
        return "adds to";
    case SIMT_SHUFFLE:
        return "shuffles";
    case SIMT_BALLOT:
        return "ballots";
    case SIMT_WARP_BARRIER:
        return "waits at a warp barrier";
    case SIMT_BARRIER:
        return "waits at a barrier";
    case SIMT_EXIT:
        break;
    }
    return "has ended";
}

void machine_fault(const struct lane *lane, const struct simt_site *site,
                   const char *format, ...)
{
    struct machine *const m = lane->machine;
    char where[128] = "";
    char what[320];
    va_list list;

    if (site->word != SIMT_EXIT)
        snprintf(where, sizeof where, " at %s:%d", base_name(site->file), site->line);
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    machine_stop(m,
                 fail(m->error, MW_KERNEL_FAULT, "%s%s, block %d, thread %d: %s",
                      m->kernel->name, where, lane->place.block, lane->place.thread, what));
}

enum { NEAR = 1 << 20 }; /* an address further from any allocation belongs to none */

/* A part of a sentence. */
struct phrase {
    char text[160];
};

/* What the access does, and where: an offset in shared memory or in an allocation. */
static struct phrase access_at(const struct machine *m, const struct simt_site *site,
                               uintptr_t at)
{
    const struct allocation *const a = memory_nearest(&m->memory, at);
    const uintptr_t in_arena = at - (uintptr_t)m->shared_arena;
    struct phrase p;
    const int used = snprintf(p.text, sizeof p.text, "%s %d byte%s at ", deed(site),
                              site->bytes, site->bytes == 1 ? "" : "s");
    char *const rest = p.text + used;
    const size_t room = sizeof p.text - (size_t)used;

    if (in_arena < MOST_SHARED + 2 * SHARED_MARGIN)
        snprintf(rest, room, "shared offset %lld of %u bytes",
                 (long long)(at - (uintptr_t)m->shared), m->shared_bytes);
    else if (a && at - (a->first - NEAR) < a->bytes + 2 * NEAR)
        snprintf(rest, room, "global offset %lld of an allocation of %llu bytes",
                 (long long)(at - a->first), (unsigned long long)a->bytes);
    else
        snprintf(rest, room, "address 0x%llx, far from any memory of the device",
                 (unsigned long long)at);
    return p;
}

void fault_bounds(const struct lane *lane, const struct simt_site *site, uintptr_t at)
{
    machine_fault(lane, site, "out of bounds: %s", access_at(lane->machine, site, at).text);
}

void fault_alignment(const struct lane *lane, const struct simt_site *site, uintptr_t at)
{
    machine_fault(lane, site, "misaligned: %s", access_at(lane->machine, site, at).text);
}

void fault_unwritten(const struct lane *lane, const struct simt_site *site, uintptr_t at)
{
    machine_fault(lane, site, "uninitialised: %s, which the block has not written",
                  access_at(lane->machine, site, at).text);
}

void fault_shared(const struct lane *lane, const struct simt_site *site, uintptr_t at)
{
    machine_fault(lane, site, "not global: %s by POST or PEEK",
                  access_at(lane->machine, site, at).text);
}

/* The other side of a race. Of several threads only the first is known. */
static struct phrase party_of(const struct machine *m, shadow_mark other, int wrote)
{
    const struct simt_site *const site = m->ledger.entries[shadow_line(other)].site;
    const int elsewhere =
        shadow_tick(other) < m->global_times.block || other & SHADOW_OTHER_BLOCK;
    const char *const block = elsewhere ? "another block" : "this block";
    const char *const deed = wrote ? "wrote" : other & SHADOW_ADDED ? "added to" : "read";
    struct phrase p;
    int used;

    if (other & (SHADOW_OTHER_LANES | SHADOW_OTHER_WARPS | SHADOW_OTHER_BLOCK))
        used = snprintf(p.text, sizeof p.text, "threads of %s %s", block, deed);
    else
        used = snprintf(p.text, sizeof p.text, "thread %u of %s %s", shadow_thread(other),
                        block, deed);
    if (shadow_line(other))
        snprintf(p.text + used, sizeof p.text - (size_t)used, " at %s:%d",
                 base_name(site->file), site->line);
    return p;
}

void fault_race(const struct lane *lane, const struct simt_site *site, uintptr_t at,
                shadow_mark other, int wrote)
{
    const struct machine *const m = lane->machine;

    machine_fault(lane, site, "race: %s, which %s with no barrier between",
                  access_at(m, site, at).text, party_of(m, other, wrote).text);
}

void fault_lanes_apart(const struct lane *lane, const struct simt_site *site)
{
    const struct simt_site *const others = lane->machine->lanes_at;

    if (others->word == SIMT_EXIT)
        machine_fault(lane, site, "divergence: %s, but another lane of the warp has ended",
                      deed(site));
    machine_fault(lane, site, "divergence: %s, but another lane of the warp %s at %s:%d",
                  deed(site), deed(others), base_name(others->file), others->line);
}

void fault_warps_apart(const struct lane *lane, const struct simt_site *site)
{
    const struct simt_site *const others = lane->machine->warps_at;

    if (others->word == SIMT_EXIT)
        machine_fault(lane, site, "divergence: %s, but another warp of the block has ended",
                      deed(site));
    machine_fault(lane, site, "divergence: %s, but another warp of the block %s at %s:%d",
                  deed(site), deed(others), base_name(others->file), others->line);
}
