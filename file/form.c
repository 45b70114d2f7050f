/*
 * form.c - read the inputs and make sorted runs of them.
 *
 * Three chunks are on their way at a time: one is read, one is sorted, one is moved. Wide
 * rows are sorted as positions, 4 bytes each, and gathered when they are moved.
 */
#include "form.h"

#include "aboard.h"
#include "allocate.h"
#include "move.h"
#include "rounds.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 3,
    CHUNK_LEAST = 8 << 20,  /* bytes worth a run of their own, in memory, ... */
    CHUNK_LARGE = 64 << 20, /* ... on a GPU and in a file */
    CHUNKS = 64,            /* of an input, if the memory allows it, ... */
    CHUNKS_IN_PLACE = 16,   /* ... and if no others are on their way */
    BLOCK_MOST = 1 << 20    /* of one write */
};

/* One chunk on its way. */
struct slot {
    struct fill fill;
    struct move move;
    unsigned char *buffer; /* room for a chunk, and DISK_ALIGN; or NULL: in its place */
    unsigned char *rows;
    uint32_t *positions;
};

/* How memory is used while runs are formed. */
struct form {
    struct errand *errand;
    int is_in_memory;
    uint64_t chunk_rows;
    uint64_t chunk_bytes;
    uint64_t room;        /* in memory: bytes of rows that have room */
    uint64_t scratch;     /* bytes */
    uint64_t block;       /* of a write */
    unsigned char *place; /* in memory: where rows stay */
    uint64_t placed;      /* bytes there */
    void *scratch_memory;
    struct slot slot[SLOTS];
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Sorting one chunk ------------------------------------------------------------ */

/* The job of a chunk: in place, or positions. `table` is the caller's. */
static mw_job chunk_job(const struct errand *errand, mw_table table[2], void *positions)
{
    mw_job job = MW_JOB_INIT;

    job.order = errand->order;
    job.in = &table[0];
    if (errand->is_wide) {
        table[1] = (mw_table){.count = table[0].count};
        job.out = &table[1];
        job.positions = positions;
        job.position_type = MW_U32;
    }
    return job;
}

/* Scratch memory for chunks of that number of rows. */
static mw_status chunk_scratch(struct errand *errand, uint64_t rows, uint64_t *bytes)
{
    mw_table table[2] = {{.count = rows}};
    const mw_job job = chunk_job(errand, table, table); /* an address: they are wanted */

    return errand_scratch(errand, errand->context, &job, bytes);
}

static mw_status sort_chunk(struct form *form, struct slot *slot)
{
    struct errand *const errand = form->errand;
    mw_table table[2] = {
        {.elements = slot->rows, .count = slot->fill.got / errand->row_bytes}
    };
    const mw_job job = chunk_job(errand, table, slot->positions);
    const double before = now_seconds();
    const mw_status status =
        errand_run(errand, errand->context, &job, form->scratch_memory, form->scratch);

    errand->report->sort_seconds += now_seconds() - before;
    return status;
}

/* ---- Plans ------------------------------------------------------------------------ */

/* Whole rows whose bytes are a multiple of DISK_ALIGN, where that is no great loss. */
static uint64_t round_rows(const struct errand *errand, uint64_t rows)
{
    uint64_t unit = DISK_ALIGN;

    while (unit > 1 && errand->row_bytes * (unit / 2) % DISK_ALIGN == 0)
        unit /= 2;
    return rows >= 4 * unit ? rows / unit * unit : rows ? rows : 1;
}

static uint64_t slot_bytes(const struct errand *errand, uint64_t rows)
{
    const uint64_t positions = errand->is_wide ? disk_round_up(4 * rows) : 0;

    return disk_round_up(rows * errand->row_bytes) + DISK_ALIGN + positions;
}

/* Everything that chunks of that size need, besides the place of runs in memory. */
static mw_status form_bytes(const struct form *form, uint64_t rows, uint64_t *bytes)
{
    struct errand *const errand = form->errand;
    const uint32_t slots = form->is_in_memory && !errand->is_wide ? 0 : SLOTS;
    uint64_t scratch = 0;
    mw_status status;

    TRY(chunk_scratch(errand, rows, &scratch));
    *bytes = slots * slot_bytes(errand, rows) + disk_round_up(scratch) +
             (form->is_in_memory ? 0 : crew_threads(errand->crew) * form->block);
done:
    return status;
}

/* The largest chunk, of at most `most` rows, whose memory is at most `bytes`. */
static mw_status largest_chunk(struct form *form, uint64_t most, uint64_t bytes)
{
    uint64_t low = 0, high = most + 1;
    mw_status status = MW_OK;

    while (high - low > 1 + low / 64) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t needed;

        TRY(form_bytes(form, middle, &needed));
        if (needed <= bytes)
            low = middle;
        else
            high = middle;
    }
    if (low == 0)
        return fault_note(&form->errand->fault, MW_NO_MEMORY,
                          "the memory allowed is too small for rows of %u bytes",
                          form->errand->row_bytes);
    form->chunk_rows = round_rows(form->errand, low);
done:
    return status;
}

/* Can everything stay in memory? Of pipes that turns out later. */
static mw_status plan_in_memory(struct form *form)
{
    struct errand *const errand = form->errand;
    const uint64_t least_bytes = errand->context_is_cpu ? CHUNK_LEAST : CHUNK_LARGE;
    const uint64_t all = errand->inputs.is_known ? errand->inputs.total : errand->budget;
    const uint64_t part = all / (errand->is_wide ? CHUNKS : CHUNKS_IN_PLACE);
    const uint64_t usual = part > least_bytes ? part : least_bytes;
    uint64_t forming, merging, chunks, other;
    mw_status status;

    form->is_in_memory = 1;
    form->chunk_rows = least(least(usual, all), errand->chunk_most) / errand->row_bytes + 1;
    if (usual < all)
        form->chunk_rows = round_rows(errand, form->chunk_rows + DISK_ALIGN);
    if (!errand->inputs.is_known) /* a part of the memory, whatever that is */
        TRY(largest_chunk(form, form->chunk_rows, errand->budget / 4));
    TRY(form_bytes(form, form->chunk_rows, &forming));
    chunks = all / (form->chunk_rows * errand->row_bytes) + 2;
    merging = rounds_memory(errand, chunks < WAYS_MOST ? (uint32_t)chunks : WAYS_MOST);
    other = (forming > merging ? forming : merging) + 2 * DISK_ALIGN;
    form->room = other < errand->budget ? errand->budget - other : 0;
    if (errand->inputs.is_known)
        form->is_in_memory = all <= form->room && chunks < WAYS_MOST;
    else
        form->is_in_memory = form->room >= form->chunk_rows * errand->row_bytes;
    if (form->is_in_memory && errand->inputs.is_known)
        form->room = all;
    if (form->is_in_memory)
        TRY(errand_reserve(errand, form->room + other, form->room + DISK_ALIGN));
done:
    return status;
}

/*
 * Chunks as large as the memory allows, but not larger than they need be: the first read
 * and the last write overlap with nothing.
 */
static mw_status plan_on_disk(struct form *form)
{
    struct errand *const errand = form->errand;
    const uint64_t part = errand->inputs.total / CHUNKS;
    const uint64_t usual = part > CHUNK_LARGE ? part : CHUNK_LARGE;
    const uint64_t wanted = errand->inputs.is_known ? usual : errand->budget;
    const uint64_t most =
        least(least(errand->budget, wanted), errand->chunk_most) / errand->row_bytes;
    mw_status status;

    form->is_in_memory = 0;
    form->block = disk_round_down(least(BLOCK_MOST, errand->budget / 64));
    if (form->block < DISK_ALIGN)
        form->block = DISK_ALIGN;
    TRY(largest_chunk(form, most, errand->budget - DISK_ALIGN));
    TRY(errand_reserve(errand, errand->budget, 0));
done:
    return status;
}

/* Hand out the memory of a plan. */
static mw_status lay_out(struct form *form)
{
    struct errand *const errand = form->errand;
    const uint64_t rows = form->chunk_rows;
    mw_status status;

    form->chunk_bytes = rows * errand->row_bytes;
    errand->memory_used = 0;
    if (form->is_in_memory)
        form->place = (unsigned char *)errand_take(errand, form->room + DISK_ALIGN) +
                      (errand->is_wide ? 0 : inputs_phase(&errand->inputs));
    else
        crew_lend(errand->crew,
                  errand_take(errand, crew_threads(errand->crew) * form->block),
                  form->block);
    TRY(chunk_scratch(errand, rows, &form->scratch));
    form->scratch_memory = errand_take(errand, form->scratch);
    for (int i = 0; i < SLOTS; i++) {
        struct slot *const slot = &form->slot[i];

        slot->buffer = NULL;
        if (!form->is_in_memory || errand->is_wide)
            slot->buffer = errand_take(errand, form->chunk_bytes + DISK_ALIGN);
        slot->positions = errand->is_wide ? errand_take(errand, 4 * rows) : NULL;
    }
done:
    return status;
}

/* ---- The pipeline ----------------------------------------------------------------- */

/* Half of the threads read, the other half write. */
static uint32_t task_count(const struct form *form)
{
    return crew_threads(form->errand->crew) / 2;
}

static int has_room(const struct form *form)
{
    return !form->is_in_memory || form->errand->inputs.is_known ||
           form->room - form->placed >= form->chunk_bytes;
}

/* Begin to read the next chunk. In memory, `ahead` bytes are still to be placed. */
static void begin_fill(struct form *form, struct slot *slot)
{
    struct errand *const errand = form->errand;

    if (slot->buffer)
        slot->rows = slot->buffer + inputs_phase(&errand->inputs);
    else
        slot->rows = form->place + form->placed;
    inputs_fill(&errand->inputs, errand->crew, &slot->fill, slot->rows, form->chunk_bytes,
                task_count(form));
}

/* A sorted chunk becomes a run; what is not in its place yet is moved there. */
static mw_status end_chunk(struct form *form, struct slot *slot)
{
    struct errand *const errand = form->errand;
    struct run run = {.rows = slot->fill.got / errand->row_bytes};
    mw_status status;

    if (form->is_in_memory)
        run.memory =
            slot->buffer ? form->place + form->placed - slot->fill.got : slot->rows;
    else
        TRY(errand_place(errand, &run));
    TRY(runs_add(errand, run));
    slot->move.errand = errand;
    slot->move.rows = slot->rows;
    slot->move.positions = slot->positions;
    slot->move.run = run;
    slot->move.block_bytes = form->is_in_memory ? BLOCK_MOST : form->block;
    if (slot->buffer)
        move_begin(&slot->move, task_count(form));
    status = errand_tell(errand, slot->fill.got);
done:
    return status;
}

/* Read, sort and move chunks until the input ends or, of pipes, the memory is full. */
static mw_status run_chunks(struct form *form)
{
    struct errand *const errand = form->errand;
    uint64_t number = 0;
    mw_status status = MW_OK;

    if (inputs_have_more(&errand->inputs))
        begin_fill(form, &form->slot[0]);
    else
        goto done;
    for (;; number++) {
        struct slot *const slot = &form->slot[number % SLOTS];
        struct slot *const next = &form->slot[(number + 1) % SLOTS];
        int goes_on;

        TRY(errand_wait(errand, &slot->fill.tally, 0));
        form->placed += slot->fill.got;
        goes_on = inputs_have_more(&errand->inputs) && has_room(form);
        if (goes_on) {
            TRY(errand_wait(errand, &next->move.tally, 0));
            begin_fill(form, next);
        }
        if (slot->fill.got) {
            TRY(sort_chunk(form, slot));
            TRY(end_chunk(form, slot));
        }
        if (!goes_on)
            break;
    }
    for (int i = 0; i < SLOTS; i++)
        TRY(errand_wait(errand, &form->slot[i].move.tally, 0));
done:
    return status;
}

/* Write runs in memory to temporary files: there is more input than memory. */
static mw_status spill(struct form *form)
{
    struct errand *const errand = form->errand;
    struct move *const move = &form->slot[0].move;
    mw_status status = MW_OK;

    errand->memory_used = disk_round_up(form->room + DISK_ALIGN);
    form->block =
        disk_round_down(least(BLOCK_MOST, (errand->memory_bytes - errand->memory_used) /
                                              crew_threads(errand->crew)));
    crew_lend(errand->crew, errand->memory + errand->memory_used, form->block);
    for (uint32_t i = 0; i < errand->runs.count; i++) {
        struct run *const run = &errand->runs.run[i];

        move->rows = run->memory;
        move->positions = NULL;
        run->memory = NULL;
        TRY(errand_place(errand, run));
        move->errand = errand;
        move->run = *run;
        move->block_bytes = form->block;
        move_begin(move, crew_threads(errand->crew));
        TRY(errand_wait(errand, &move->tally, 0));
    }
    form->placed = 0;
done:
    return status;
}

static mw_status form_all(struct form *form)
{
    struct errand *const errand = form->errand;
    mw_status status;

    TRY(plan_in_memory(form));
    if (!form->is_in_memory)
        TRY(plan_on_disk(form));
    TRY(lay_out(form));
    if (form->is_in_memory) /* on disk, temporary files have the room until then */
        allocate_begin(errand, form->room);
    TRY(run_chunks(form));
    TRY(allocate_end(errand));
    if (inputs_have_more(&errand->inputs)) {
        TRY(spill(form));
        TRY(plan_on_disk(form));
        TRY(lay_out(form));
        TRY(run_chunks(form));
    }
done:
    return status;
}

mw_status form_runs(struct errand *errand)
{
    struct form *const form = calloc(1, sizeof *form);
    int is_aboard = 0;
    mw_status status = MW_OK;

    if (!form)
        return fault_note(&errand->fault, MW_NO_MEMORY, "no memory for a plan");
    form->errand = errand;
    TRY(aboard_sort(errand, &is_aboard));
    if (!is_aboard)
        TRY(form_all(form));
    TRY(inputs_verify(&errand->inputs));
    errand->report->rows = errand->inputs.taken / errand->row_bytes;
    /* What merges need comes after the runs. */
    errand->memory_used = form->is_in_memory ? disk_round_up(form->room + DISK_ALIGN) : 0;
done:
    if (status != MW_OK)
        errand_stop(errand);
    free(form);
    return status;
}
