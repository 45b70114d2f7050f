/*
 * sim.c - the simulator as a device: the verbs of device.h.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "sim.h"

#include "kernels/launch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * A program is an array of kernels in the order of kernels.def, made by program.cu:
 * simt_heap_32, simt_pair_32, simt_tile_32_256x32 and so on. There are engine heap's and
 * engine pair's for four key widths, engine tally's for two, engine tile's for the
 * geometries of tune.def, and simt_rows_0. simt_lists_32_256x32 and the like merge lists.
 * simt_less_128_128x27 and the like call the host's comparison.
 * A geometry of several rows is declared and listed several times.
 */
struct program {
    unsigned engine;
    int bits;
    unsigned rows; /* of a tile; 0 for the other engines */
    unsigned items;
    unsigned places;
    unsigned large;
    const struct simt_kernel *const *kernels;
};

/* clang-format off */
#define BITS_1 8
#define BITS_2 16
#define BITS_4 32
#define BITS_8 64
#define TUNE_TILE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks)   \
    TILE_OF(BITS_##size, rows, items)
#define TUNE_PLACES(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) \
    PLACES_OF(BITS_##size, rows, items)
#define TUNE_LARGE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks)  \
    LARGE_OF(BITS_##size, rows, items)
#define LARGE_OF(bits, rows, items) LARGE(bits, rows, items)
#define TILE_OF(bits, rows, items) TILE(bits, rows, items)
#define PLACES_OF(bits, rows, items) PLACES(bits, rows, items)
#define TUNE_LISTS(arch, kib, size, rows, items, merge_blocks)                           \
    LISTS_OF(BITS_##size, rows, items)
#define TUNE_LISTS_PLACES(arch, kib, size, rows, items, merge_blocks)                    \
    LISTS_PLACES_OF(BITS_##size, rows, items)
#define LISTS_OF(bits, rows, items) LISTS(bits, rows, items)
#define LISTS_PLACES_OF(bits, rows, items) LISTS_PLACES(bits, rows, items)
#define TUNE_LESS(kib, bits, most, threads, items)                                       \
    extern const struct simt_kernel *const                                               \
        simt_less_##bits##_##threads##x##items[KERNEL_COUNT];
#define WIDTHS WIDTH(8) WIDTH(16) WIDTH(32) WIDTH(64)

#define WIDTH(bits)                                                                      \
    extern const struct simt_kernel *const simt_heap_##bits[KERNEL_COUNT];               \
    extern const struct simt_kernel *const simt_pair_##bits[KERNEL_COUNT];
#define TILE(bits, rows, items)                                                          \
    extern const struct simt_kernel *const                                               \
        simt_tile_##bits##_##rows##x##items[KERNEL_COUNT];
#define LISTS(bits, rows, items)                                                         \
    extern const struct simt_kernel *const                                               \
        simt_lists_##bits##_##rows##x##items[KERNEL_COUNT];
#define LISTS_PLACES(bits, rows, items)                                                  \
    extern const struct simt_kernel *const                                               \
        simt_lists_##bits##_##rows##x##items##_places[KERNEL_COUNT];
#define LARGE(bits, rows, items)                                                         \
    extern const struct simt_kernel *const                                               \
        simt_tile_##bits##_##rows##x##items##_large[KERNEL_COUNT];
#define PLACES(bits, rows, items)                                                        \
    extern const struct simt_kernel *const                                               \
        simt_tile_##bits##_##rows##x##items##_places[KERNEL_COUNT];
WIDTHS
#include "tune.def"
extern const struct simt_kernel *const simt_rows_0[KERNEL_COUNT];
extern const struct simt_kernel *const simt_tally_8[KERNEL_COUNT];
extern const struct simt_kernel *const simt_tally_16[KERNEL_COUNT];
#undef WIDTH
#undef TILE
#undef PLACES
#undef LARGE
#undef LISTS
#undef LISTS_PLACES

#define TUNE_LISTS_PLACES(arch, kib, size, rows, items, merge_blocks)                    \
    LISTS_PLACES_OF(BITS_##size, rows, items)
#define TUNE_LISTS(arch, kib, size, rows, items, merge_blocks)                           \
    LISTS_OF(BITS_##size, rows, items)
#define TUNE_PLACES(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks) \
    PLACES_OF(BITS_##size, rows, items)
#define TUNE_LARGE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks)  \
    LARGE_OF(BITS_##size, rows, items)
#define TUNE_TILE(arch, kib, size, most, ways, rows, items, sort_blocks, merge_blocks)   \
    TILE_OF(BITS_##size, rows, items)
#define TUNE_LESS(kib, bits, most, threads, items)                                       \
    {PROGRAM_LESS, bits, threads, items, 0, 0, simt_less_##bits##_##threads##x##items},
#define WIDTH(bits)                                                                      \
    {MW_ENGINE_HEAP, bits, 0, 0, 0, 0, simt_heap_##bits},                                \
    {MW_ENGINE_PAIR, bits, 0, 0, 0, 0, simt_pair_##bits},
#define TILE(bits, rows, items)                                                          \
    {MW_ENGINE_TILE, bits, rows, items, 0, 0, simt_tile_##bits##_##rows##x##items},
#define LARGE(bits, rows, items)                                                         \
    {MW_ENGINE_TILE, bits, rows, items, 0, 1, simt_tile_##bits##_##rows##x##items##_large},
#define LISTS(bits, rows, items)                                                         \
    {PROGRAM_LISTS, bits, rows, items, 0, 0, simt_lists_##bits##_##rows##x##items},
#define LISTS_PLACES(bits, rows, items)                                                  \
    {PROGRAM_LISTS, bits, rows, items, 1, 0, simt_lists_##bits##_##rows##x##items##_places},
#define PLACES(bits, rows, items)                                                        \
    {MW_ENGINE_TILE, bits, rows, items, 1, 0, simt_tile_##bits##_##rows##x##items##_places},
static const struct program programs[] = {
{PROGRAM_ROWS, 0, 0, 0, 0, 0, simt_rows_0},
{PROGRAM_TALLY, 8, 0, 0, 0, 0, simt_tally_8},
{PROGRAM_TALLY, 16, 0, 0, 0, 0, simt_tally_16},
WIDTHS
#include "tune.def"
};
/* clang-format on */

struct sim {
    struct device device; /* first: the verbs get a pointer to it */
    struct machine machine;
};

static struct sim *sim_of(struct device *device)
{
    return (struct sim *)device;
}

struct machine *sim_machine(struct device *device)
{
    return &sim_of(device)->machine;
}

static void sim_close(struct device *device)
{
    machine_close(sim_machine(device));
    free(sim_of(device));
}

static mw_status sim_alloc(struct device *device, uint64_t bytes, void **memory)
{
    *memory = memory_take(&sim_machine(device)->memory, bytes);
    if (!*memory)
        return fail(device->error, MW_NO_MEMORY, "cannot allocate %llu bytes on sim",
                    (unsigned long long)bytes);
    return MW_OK;
}

static void sim_free(struct device *device, void *memory)
{
    memory_give(&sim_machine(device)->memory, memory);
}

/* MW_OK if [first, first + bytes) is the simulator's memory, or empty. */
static mw_status check_range(struct device *device, const void *first, uint64_t bytes)
{
    struct memory *const memory = &sim_machine(device)->memory;

    if (bytes == 0 || memory_find(memory, (uintptr_t)first, bytes))
        return MW_OK;
    return fail(device->error, MW_BAD_ARGUMENT,
                "a copy of %llu bytes at %p is outside the simulator's memory",
                (unsigned long long)bytes, first);
}

/* Every verb is done when it returns, so all streams are one: NULL. */
static mw_status sim_stream_open(struct device *device, void **stream)
{
    (void)device;
    *stream = NULL;
    return MW_OK;
}

static void sim_stream_close(struct device *device, void *stream)
{
    (void)device;
    (void)stream;
}

static mw_status sim_upload(struct device *device, void *memory, const void *from,
                            uint64_t bytes, void *stream)
{
    const mw_status status = check_range(device, memory, bytes);

    (void)stream;
    if (status == MW_OK && bytes > 0)
        memcpy(memory, from, bytes);
    return status;
}

static mw_status sim_download(struct device *device, void *to, const void *memory,
                              uint64_t bytes, void *stream)
{
    const mw_status status = check_range(device, memory, bytes);

    (void)stream;
    if (status == MW_OK && bytes > 0)
        memcpy(to, memory, bytes);
    return status;
}

/* The whole copy is made at once. */
static void sim_begin(struct device *device, struct transfer *transfer)
{
    char *at = transfer->memory;

    transfer->code = MW_OK;
    for (uint32_t i = 0; i < transfer->span_count && transfer->code == MW_OK; i++) {
        const struct host_span *const span = &transfer->spans[i];

        transfer->code = transfer->upload
                             ? sim_upload(device, at, span->at, span->bytes, NULL)
                             : sim_download(device, span->at, at, span->bytes, NULL);
        at += span->bytes;
    }
}

static mw_status sim_finish(struct device *device, struct transfer *transfer)
{
    (void)device;
    return (mw_status)transfer->code;
}

static mw_status sim_check_less(struct device *device, const char *less,
                                int (*less_on_host)(const void *a, const void *b))
{
    (void)less;
    return less_on_host ? MW_OK
                        : fail(device->error, MW_UNSUPPORTED,
                               "the order has no less_on_host, which the simulator calls; "
                               "its text serves GPUs only");
}

/* The simulator has all kernels of its programs, whatever set is asked for. */
static mw_status sim_load(struct device *device, const struct program_name *name,
                          kernel_set kernels, struct program **program)
{
    const struct tile_geometry *const tile = &name->tile;
    mw_status status = MW_OK;

    (void)kernels;
    if (name->engine == PROGRAM_LESS)
        status = sim_check_less(device, name->less, name->less_on_host);
    if (status != MW_OK)
        return status;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const struct program *const p = &programs[i];

        if (p->engine == name->engine && p->bits == name->bits && p->rows == tile->rows &&
            p->items == tile->items && p->places == tile->places &&
            p->large == tile->large) {
            *program = (struct program *)p; /* sim_launch only reads it */
            return MW_OK;
        }
    }
    if (name->engine != MW_ENGINE_TILE && name->engine != PROGRAM_LISTS &&
        name->engine != PROGRAM_LESS)
        return fail(device->error, MW_UNSUPPORTED, "no kernels for keys of %d bits",
                    name->bits);
    return fail(device->error, MW_UNSUPPORTED,
                "the simulator has no tiles of %u threads with %u items for keys of %d "
                "bits, only those of the tuning table",
                tile->rows, tile->items, name->bits);
}

mw_status sim_launch_function(struct device *device, const struct machine_launch *launch)
{
    return machine_run(sim_machine(device), launch);
}

static mw_status sim_launch(struct device *device, const struct launch *launch)
{
    const struct machine_launch inner = {
        .kernel = launch->program->kernels[launch->kernel],
        .blocks = launch->blocks,
        .threads = launch->threads,
        .shared_bytes = launch->shared_bytes,
        .args = launch->args,
        .args_bytes = launch->args_bytes,
    };

    assert(inner.kernel);
    return sim_launch_function(device, &inner);
}

static mw_status sim_wait(struct device *device, void *stream)
{
    (void)device;
    (void)stream;
    return MW_OK;
}

static mw_status sim_wait_all(struct device *device)
{
    return sim_wait(device, NULL);
}

/* An event is the host's clock when it was recorded, in milliseconds. */
static mw_status sim_event_open(struct device *device, void **event)
{
    *event = calloc(1, sizeof(double));
    if (!*event)
        return fail(device->error, MW_NO_MEMORY, "no host memory for an event");
    return MW_OK;
}

static void sim_event_close(struct device *device, void *event)
{
    (void)device;
    free(event);
}

static mw_status sim_record(struct device *device, void *event, void *stream)
{
    struct timespec now;

    (void)device;
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *(double *)event = 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
    return MW_OK;
}

static mw_status sim_follow(struct device *device, void *stream, void *event)
{
    (void)event;
    return sim_wait(device, stream);
}

static mw_status sim_elapsed(struct device *device, void *first, void *second,
                             double *milliseconds)
{
    (void)device;
    *milliseconds = *(const double *)second - *(const double *)first;
    return MW_OK;
}

static void sim_ledger_reset(struct device *device)
{
    ledger_reset(&sim_machine(device)->ledger);
}

static mw_traffic sim_ledger_last(struct device *device)
{
    return sim_machine(device)->ledger.last;
}

static mw_status sim_ledger(struct device *device, const mw_ledger_line **lines,
                            size_t *count)
{
    return ledger_lines(&sim_machine(device)->ledger, device->error, lines, count);
}

static const struct device_verbs verbs = {
    .close = sim_close,
    .alloc = sim_alloc,
    .free = sim_free,
    .stream_open = sim_stream_open,
    .stream_close = sim_stream_close,
    .upload = sim_upload,
    .download = sim_download,
    .begin = sim_begin,
    .finish = sim_finish,
    .check_less = sim_check_less,
    .load = sim_load,
    .launch = sim_launch,
    .wait = sim_wait,
    .wait_all = sim_wait_all,
    .event_open = sim_event_open,
    .event_close = sim_event_close,
    .record = sim_record,
    .follow = sim_follow,
    .elapsed = sim_elapsed,
    .ledger_reset = sim_ledger_reset,
    .ledger_last = sim_ledger_last,
    .ledger = sim_ledger,
};

mw_status sim_open(struct device **device, struct error *error)
{
    struct sim *const sim = calloc(1, sizeof *sim);
    mw_status status;

    *device = NULL;
    if (!sim)
        return fail(error, MW_NO_MEMORY, "no host memory for the simulator");
    sim->device.verbs = &verbs;
    sim->device.error = error;
    sim->device.info.size = sizeof sim->device.info;
    strcpy(sim->device.info.device, "sim");
    strcpy(sim->device.info.name, "Multiway simulator (SIMT, 32 banks)");
    sim->device.info.processors = 4; /* few: grids that fill all SMs stay small */
    sim->device.info.architecture = 90;
    sim->device.info.shared_per_block = MOST_SHARED;
    sim->device.info.shared_per_processor = MOST_SHARED + 1024;
    sim->device.info.ahead_of_time = 1;

    status = machine_open(&sim->machine, error);
    if (status == MW_OK)
        *device = &sim->device;
    else
        sim_close(&sim->device);
    return status;
}
