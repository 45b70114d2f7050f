/*
 * aboard.c - all rows in the memory of a GPU.
 *
 * The crew reads chunks while the caller's thread uploads those that are there. One job
 * sorts all of them, in place, and the merge's sink gets the result from the device.
 */
#include "aboard.h"

#include "allocate.h"
#include "rounds.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 3,
    CHUNK_MOST = 64 << 20, /* bytes; the last one's upload overlaps with nothing */
    WORKSPACE_ALIGN = 256
};

/* Chunks on their way to the device, all but one of them being read. */
struct load {
    struct errand *errand;
    uint64_t block;       /* bytes of a buffer, ... */
    uint64_t chunk_bytes; /* ... and of a chunk */
    uint32_t begun;       /* chunks */
    struct fill fill[SLOTS];
    unsigned char *buffer[SLOTS];
    uint64_t workspace; /* where it begins in the device's memory, ... */
    uint64_t workspace_bytes;
};

/* ---- Memory ----------------------------------------------------------------------- */

/*
 * Is there a device that may have room, and is this better than a few runs in memory? Texts
 * are compiled for one count: not for all.
 */
static int is_better(const struct errand *errand)
{
    const uint64_t total = errand->inputs.total;

    return !errand->context_is_cpu && errand->order->field_count &&
           errand->inputs.is_known && total < errand->aboard_most &&
           (total >= 2 * CHUNK_MOST || total > errand->budget / 2);
}

/* Buffers for chunks; later the output's, as large, are in their place. */
static mw_status lay_out(struct load *load)
{
    struct errand *const errand = load->errand;
    const uint64_t fixed = rounds_memory(errand, 0);
    const uint64_t part = (errand->budget - fixed) / SLOTS;
    const uint64_t block = disk_round_down(part < CHUNK_MOST ? part : CHUNK_MOST);
    mw_status status;

    load->block = block;
    load->chunk_bytes = block - DISK_ALIGN; /* rows may be cut */
    TRY(errand_reserve(errand, fixed + SLOTS * block, 0));
    for (int i = 0; i < SLOTS; i++)
        load->buffer[i] = errand_take(errand, block);
done:
    return status;
}

static mw_job job_of(const struct errand *errand, const mw_table *table)
{
    mw_job job = MW_JOB_INIT;

    job.order = errand->order;
    job.in = table;
    return job;
}

/* Room for all rows and what their sort needs. What a device cannot do is no failure. */
static mw_status take_memory(struct load *load)
{
    struct errand *const errand = load->errand;
    const mw_table table = {.elements = load, /* an address: they are wanted */
                            .count = errand->inputs.total / errand->row_bytes};
    const mw_job job = job_of(errand, &table);
    void *memory = NULL;
    mw_status status = mw_prepare(errand->context, &job, &load->workspace_bytes);

    load->workspace = (errand->inputs.total / WORKSPACE_ALIGN + 1) * WORKSPACE_ALIGN;
    if (status == MW_OK && load->workspace_bytes <= errand->aboard_most &&
        load->workspace <= errand->aboard_most - load->workspace_bytes)
        status =
            mw_alloc(errand->context, load->workspace + load->workspace_bytes, &memory);
    errand->aboard =
        (struct aboard){.memory = memory, .rows = table.count, .block = load->block};
    return status == MW_NO_MEMORY || status == MW_UNSUPPORTED
               ? MW_OK
               : errand_note(errand, errand->context, status);
}

/* ---- Reading ---------------------------------------------------------------------- */

static void begin_fill(struct load *load)
{
    struct errand *const errand = load->errand;
    const uint32_t slot = load->begun++ % SLOTS;

    inputs_fill(&errand->inputs, errand->crew, &load->fill[slot],
                load->buffer[slot] + inputs_phase(&errand->inputs), load->chunk_bytes,
                crew_threads(errand->crew) / 2);
}

static void begin_fills(struct load *load, uint32_t end)
{
    while (load->begun < end && inputs_have_more(&load->errand->inputs))
        begin_fill(load);
}

/* As if nothing had been read. */
static mw_status step_back(struct load *load)
{
    mw_status status = MW_OK;

    for (int i = 0; i < SLOTS; i++)
        TRY(errand_wait(load->errand, &load->fill[i].tally, 0));
    load->errand->inputs.taken = 0;
done:
    return status;
}

static mw_status upload_all(struct load *load)
{
    struct errand *const errand = load->errand;
    uint64_t placed = 0;
    mw_status status = MW_OK;

    for (uint32_t number = 0; placed < errand->inputs.total; number++) {
        const struct fill *const fill = &load->fill[number % SLOTS];
        double before;

        begin_fills(load, number + SLOTS);
        TRY(errand_wait(errand, &fill->tally, 0));
        before = now_seconds();
        TRY(errand_note(errand, errand->context,
                        mw_upload(errand->context, errand->aboard.memory + placed, fill->to,
                                  fill->got)));
        errand->report->sort_seconds += now_seconds() - before;
        placed += fill->got;
        TRY(errand_tell(errand, fill->got));
    }
done:
    return status;
}

/* ---- Sorting, writing ------------------------------------------------------------- */

static mw_status sort_rows(struct load *load)
{
    struct errand *const errand = load->errand;
    struct aboard *const aboard = &errand->aboard;
    const mw_table table = {.elements = aboard->memory, .count = aboard->rows};
    const mw_job job = job_of(errand, &table);
    const uint64_t bytes = load->workspace_bytes;
    const double before = now_seconds();
    mw_status status;

    TRY(errand_note(errand, errand->context,
                    mw_enqueue(errand->context, &job,
                               bytes ? aboard->memory + load->workspace : NULL, bytes,
                               NULL)));
    TRY(errand_note(errand, errand->context, mw_wait(errand->context)));
    errand->report->sort_seconds += now_seconds() - before;
done:
    return status;
}

static mw_status sort_all(struct load *load, int *is_aboard)
{
    struct errand *const errand = load->errand;
    mw_status status;

    TRY(lay_out(load));
    begin_fills(load, SLOTS); /* while the device gets ready */
    TRY(take_memory(load));
    if (!errand->aboard.memory) {
        status = step_back(load);
        goto done;
    }
    *is_aboard = 1;
    allocate_begin(errand, errand->inputs.total);
    TRY(upload_all(load));
    TRY(sort_rows(load));
    TRY(allocate_end(errand));
done:
    return status;
}

mw_status aboard_sort(struct errand *errand, int *is_aboard)
{
    struct load *load;
    mw_status status;

    *is_aboard = 0;
    if (!is_better(errand))
        return MW_OK;
    load = calloc(1, sizeof *load);
    if (!load)
        return fault_note(&errand->fault, MW_NO_MEMORY, "no memory for a plan");
    load->errand = errand;
    status = sort_all(load, is_aboard);
    if (status != MW_OK)
        errand_stop(errand);
    errand->memory_used = 0;
    free(load);
    return status;
}

mw_status aboard_take(struct errand *errand, unsigned char *to, uint64_t most,
                      uint64_t *rows)
{
    struct aboard *const aboard = &errand->aboard;
    const uint64_t left = aboard->rows - aboard->taken;
    const double before = now_seconds();
    mw_status status = MW_OK;

    *rows = left < most ? left : most;
    if (*rows == 0)
        goto done;
    TRY(errand_note(errand, errand->context,
                    mw_download(errand->context, to,
                                aboard->memory + aboard->taken * errand->row_bytes,
                                *rows * errand->row_bytes)));
    aboard->taken += *rows;
    errand->report->merge_seconds += now_seconds() - before;
done:
    return status;
}

void aboard_close(struct errand *errand)
{
    if (errand->aboard.memory)
        mw_free(errand->context, errand->aboard.memory);
    errand->aboard.memory = NULL;
}
