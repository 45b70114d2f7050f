/*
 * unit_cuda_fake.c - the CUDA device on a fake driver and a fake NVRTC: its errors, what
 * it asks of the driver, and that it frees everything.
 *
 * Needs fake_cuda/ first in LD_LIBRARY_PATH. Without it the test only opens the driver of
 * the machine, if there is one.
 */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "fake_cuda/life.h"
#include "passes.h"
#include "plan.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static struct error error; /* of the device below */
static struct device *device;
static const struct device_verbs *verbs;

static int open_device(struct tap *tap, const mw_options *options)
{
    error.text[0] = '\0';
    if (cuda_open(&device, 0, options, &error) != MW_OK || !device) {
        tap_ok(tap, 0, "open", error.text);
        return 0;
    }
    verbs = device->verbs;
    return 1;
}

/* Does a call fail with `status` and a message that contains `text`? */
static void test_error(struct tap *tap, mw_status got, mw_status status, const char *text)
{
    tap_ok(tap, got == status && strstr(error.text, text), text, error.text);
}

static void close_device(struct tap *tap, const char *name)
{
    verbs->close(device);
    tap_ok(tap, leaks() == 0, "everything is freed", name);
}

static void test_open(struct tap *tap)
{
    fakes.cuda->devices = 0;
    test_error(tap, cuda_open(&device, 0, NULL, &error), MW_NO_DEVICE, "finds no GPU");
    fakes.cuda->devices = 2;
    test_error(tap, cuda_open(&device, -1, NULL, &error), MW_NO_DEVICE, "no GPU cuda:-1");
    test_error(tap, cuda_open(&device, 2, NULL, &error), MW_NO_DEVICE, "no GPU cuda:2");
    tap_ok(tap, !device && leaks() == 0, "no device, and nothing is left", "");
    if (!open_device(tap, NULL))
        return;

    const mw_info *const info = &device->info;

    tap_ok(tap, !error.text[0], "no message without a failure", error.text);
    tap_ok(tap,
           strcmp(info->device, "cuda:0") == 0 &&
               strcmp(info->name, "Imaginary GPU 0") == 0 &&
               strstr(info->driver, "CUDA 12.8") != NULL,
           info->name, info->driver);
    tap_ok(tap,
           info->architecture == 90 && info->processors == 132 &&
               info->shared_per_block == 232448 && info->shared_per_processor == 233472 &&
               info->memory_bytes == (uint64_t)8 << 30 && info->ahead_of_time == 1,
           "its figures", "");
    close_device(tap, "opened and closed");
}

static void test_errors(struct tap *tap)
{
    const int args = 0;
    struct launch launch = {NULL, KERNEL_HEAP_MERGE, 5, 64, 1000, &args, 4, NULL, 0};
    const struct fake_launch *const launched = &fakes.cuda->launched;
    struct program *again = NULL;
    void *memory = NULL;

    if (!open_device(tap, NULL))
        return;
    test_error(tap, verbs->alloc(device, (uint64_t)1 << 40, &memory), MW_NO_MEMORY,
               "1099511627776 bytes");
    tap_ok(tap, !memory, "no memory then", "");
    test_error(tap, verbs->upload(device, &error, &args, 4, NULL), MW_DEVICE_FAILED,
               "cannot copy 4 bytes to cuda:0");
    test_error(tap, verbs->download(device, &error, &args, 4, NULL), MW_DEVICE_FAILED,
               "cannot copy 4 bytes from cuda:0");
    test_error(tap, verbs->wait(device, &launch), MW_DEVICE_FAILED, "wait for a stream");
    tap_ok(tap, load_all(device, MW_ENGINE_HEAP, 32, NULL, &launch.program) == MW_OK,
           "load", error.text);
    tap_ok(tap,
           verbs->launch(device, &launch) == MW_OK && launched->blocks == 5 &&
               launched->threads == 64 && launched->shared_bytes == 1000 &&
               launched->args == &args && strcmp(launched->kernel, "heap_merge") == 0,
           "the launch that was asked for", "");
    launch.follows = 1;
    tap_ok(tap, verbs->launch(device, &launch) == MW_OK && launched->attributes == 1,
           "a programmatic launch", "");
    device->info.architecture = 80;
    tap_ok(tap, verbs->launch(device, &launch) == MW_OK && launched->attributes == 0,
           "only from sm_90 on", "");
    device->info.architecture = 90;
    launch.threads = 2048;
    test_error(tap, verbs->launch(device, &launch), MW_DEVICE_FAILED,
               "heap_merge: 5 blocks of 2048 threads");
    rewrite_program("error ");
    test_error(tap, load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, NULL, &again),
               MW_COMPILE_FAILED, "program.cu(1): error: not a kernel");
    rewrite_program("kernel");
    tap_ok(tap, load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, NULL, &again) == MW_OK,
           "and a kernel that compiles", error.text);
    close_device(tap, "after errors");
}

/*
 * Programs: one for each engine, width and geometry, from an image; or its kernels, one
 * by one, by NVRTC, or the second time from the disk cache. And the percent of an SM's 228
 * KiB that its kernels want as shared memory: tiles need that of the blocks that run at
 * once, sorting or merging, each with 1 KiB of the system's.
 */
static const struct program_row {
    const char *name;
    mw_engine engine;
    int bits;
    struct tile_geometry tile;
    enum kernel_id kernel;
    int percent;
    int compiled; /* or else the program has an image */
} program_rows[] = {
    {"heap",             MW_ENGINE_HEAP, 32, {0, 0, 0, 0},    KERNEL_HEAP_MERGE, 100, 0},
    {"pair",             MW_ENGINE_PAIR, 32, {0, 0, 0, 0},    KERNEL_PAIR_MERGE, 100, 0},
    {"tile",             MW_ENGINE_TILE, 32, {256, 32, 4, 4}, KERNEL_TILE_MERGE, 66,  0},
    {"heap, no image",   MW_ENGINE_HEAP, 64, {0, 0, 0, 0},    KERNEL_HEAP_CUT,   0,   1},
    {"heap, rejected",   MW_ENGINE_HEAP, 8,  {0, 0, 0, 0},    KERNEL_HEAP_MERGE, 100, 1},
    {"pair, no image",   MW_ENGINE_PAIR, 64, {0, 0, 0, 0},    KERNEL_PAIR_SORT,  100, 1},
    {"tile, sort",       MW_ENGINE_TILE, 32, {256, 32, 5, 4}, KERNEL_TILE_SORT,  77,  1},
    {"tile, merge",      MW_ENGINE_TILE, 32, {256, 32, 5, 4}, KERNEL_TILE_MERGE, 77,  1},
    {"tile, join",       MW_ENGINE_TILE, 32, {256, 32, 5, 4}, KERNEL_TILE_JOIN,  77,  1},
    {"merges need more", MW_ENGINE_TILE, 32, {256, 32, 5, 5}, KERNEL_TILE_SORT,  83,  1},
    {"8 bytes, sort",    MW_ENGINE_TILE, 64, {256, 16, 4, 4}, KERNEL_TILE_SORT,  68,  1},
    {"8 bytes, merge",   MW_ENGINE_TILE, 64, {256, 16, 4, 4}, KERNEL_TILE_MERGE, 68,  1},
    {"blocks by rule",   MW_ENGINE_TILE, 64, {256, 16, 0, 0}, KERNEL_TILE_MERGE, 68,  1},
    {"all there is",     MW_ENGINE_TILE, 64, {256, 16, 4, 9}, KERNEL_TILE_MERGE, 100, 1},
    {"cuts need none",   MW_ENGINE_TILE, 64, {256, 16, 4, 4}, KERNEL_TILE_CUT,   0,   1},
};

static int same_name(const struct program_row *a, const struct program_row *b)
{
    return a->engine == b->engine && a->bits == b->bits &&
           memcmp(&a->tile, &b->tile, sizeof a->tile) == 0;
}

/* Load and launch row `i`; `programs` has those of the rows before. */
static void test_program(struct tap *tap, size_t i, struct program **programs, int on_disk)
{
    static const char *const engine_names[] = {"", "heap", "tile", "pair"};
    const struct program_row *const row = &program_rows[i];
    const struct fake_launch *const launched = &fakes.cuda->launched;
    const int args = 0;
    struct launch launch = {NULL, row->kernel, 5, 64, 1000, &args, 4, NULL, 0};
    const int before = compiles();
    const struct program_name name = {row->engine, row->bits, row->tile};
    int right = verbs->load(device, &name, 1u << row->kernel, &launch.program) == MW_OK &&
                verbs->load(device, &name, 1u << row->kernel, &launch.program) == MW_OK;

    programs[i] = launch.program;
    right &= compiles() == before + (row->compiled && !on_disk);
    for (size_t j = 0; j < i; j++)
        right &= (programs[i] == programs[j]) == same_name(row, &program_rows[j]);
    right = right && verbs->launch(device, &launch) == MW_OK &&
            strncmp(launched->kernel, engine_names[row->engine], 4) == 0 &&
            launched->carveout == row->percent;
    tap_case(tap, right, "program %s%s: carve-out %d %%, %s", row->name,
             on_disk ? " from disk" : "", launched->carveout, error.text);
}

static void test_programs(struct tap *tap)
{
    char folder[] = "unit_cuda-XXXXXX";
    char command[64];
    mw_options options = MW_OPTIONS_INIT;

    options.cache_path = mkdtemp(folder);
    for (int on_disk = 0; on_disk < 2; on_disk++) {
        struct program *programs[COUNT_OF(program_rows)] = {NULL};

        if (!open_device(tap, &options))
            return;
        for (size_t i = 0; i < COUNT_OF(program_rows); i++)
            test_program(tap, i, programs, on_disk);
        close_device(tap, "programs");
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    tap_ok(tap, system(command) == 0, "the cache's folder can be removed", "");
}

/* Lives with copies of many sizes, while the caller has a context of his own. */
static void test_lives(struct tap *tap)
{
    static const uint64_t sizes[] = {1,
                                     COPY_STAGED_FROM - 1,
                                     COPY_STAGED_FROM,
                                     COPY_STAGED_FROM + 1,
                                     COPY_STAGED_FROM + COPY_CHUNK,
                                     MOST_BYTES - 1};
    int dummy = 0;
    const CUcontext own = (CUcontext)(void *)&dummy;
    CUcontext popped = NULL;

    fakes.driver.CtxPushCurrent(own);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const struct outcome outcome = life(i % 2 ? ABSENT_BITS : 32, sizes[i], NULL);

        tap_case(tap,
                 outcome.status == MW_OK && outcome.same && outcome.milliseconds == 0.25,
                 "%llu bytes there and back, and a timed launch: %s",
                 (unsigned long long)sizes[i], outcome.error.text);
    }
    tap_ok(tap, fakes.cuda->depth() == 1, "contexts are left", "");
    fakes.driver.CtxPopCurrent(&popped);
    tap_ok(tap, popped == own, "and the caller's is current again", "");
}

/* Copies of page-locked memory on two streams, the second after an event of the first. */
static void test_locked_copies(struct tap *tap, uint64_t bytes)
{
    void *streams[2] = {NULL, NULL};
    void *event = NULL, *memory = NULL, *host = NULL;
    void *const pageable = malloc(bytes);
    const int created = fakes.cuda->calls.called("cuStreamCreate");
    CUcontext context = NULL;
    mw_status status;

    if (!open_device(tap, NULL))
        return;
    fakes.driver.DevicePrimaryCtxRetain(&context, 0);
    fakes.driver.CtxPushCurrent(context);
    fakes.driver.MemAllocHost(&host, 2 * bytes);
    memset(host, 'a', bytes);
    for (int i = 0; i < 2; i++)
        TRY(verbs->stream_open(device, &streams[i]));
    TRY(verbs->event_open(device, &event));
    TRY(verbs->alloc(device, bytes, &memory));
    memset(memory, 'b', bytes);
    TRY(verbs->upload(device, memory, host, bytes, streams[0]));
    TRY(verbs->record(device, event, streams[0]));
    TRY(verbs->follow(device, streams[1], event));
    TRY(verbs->download(device, (char *)host + bytes, memory, bytes, streams[1]));
    tap_ok(tap, *(char *)memory == 'b', "the upload has not waited", "");
    TRY(verbs->wait(device, streams[1]));
    tap_ok(tap, memcmp(host, (char *)host + bytes, bytes) == 0,
           "the download has followed the event", "");
    tap_ok(tap, fakes.cuda->calls.called("cuStreamCreate") == created + 3,
           "page-locked memory needs no staging", "");
    memset(host, 'c', bytes);
    TRY(verbs->upload(device, memory, host, bytes, streams[0]));
    TRY(verbs->download(device, pageable, memory, bytes, streams[0]));
    TRY(verbs->wait(device, streams[0]));
    tap_ok(tap, memcmp(host, pageable, bytes) == 0, "a staged copy waits for its stream",
           "");
done:
    tap_ok(tap, status == MW_OK, "copies of page-locked memory", error.text);
    verbs->event_close(device, event);
    for (int i = 0; i < 2; i++)
        verbs->stream_close(device, streams[i]);
    fakes.driver.MemFreeHost(host);
    free(pageable);
    fakes.driver.CtxPopCurrent(&context);
    verbs->close(device);
    tap_ok(tap, leaks() == 1, "the device frees everything", "");
    fakes.driver.DevicePrimaryCtxRelease(0);
}

/* Is the last launch of a sort of 100,000 keys programmatic? -1 if it failed. */
static int last_is_early(mw_engine engine, struct pass_log *log)
{
    const mw_tuning wish = {.engine = engine};
    const struct code code = {0};
    struct program *program = NULL;
    struct plan plan;
    mw_status status;

    TRY(plan_make(&plan, &wish, &device->info, 4, 100000, device->error));
    TRY(verbs->load(device, &plan.program, plan.kernels, &program));
    /* Nothing runs on the fake, so the addresses need only differ. */
    TRY(passes_sort(device, program, &plan, code, (void *)4096, 100000, (void *)8192, NULL,
                    log));
done:
    return status == MW_OK ? (int)fakes.cuda->launched.attributes : -1;
}

static void test_early(struct tap *tap)
{
    struct pass_log log = {0};

    if (!open_device(tap, NULL))
        return;
    tap_ok(tap,
           last_is_early(MW_ENGINE_TILE, NULL) == 1 &&
               last_is_early(MW_ENGINE_TILE, &log) == 0 &&
               last_is_early(MW_ENGINE_HEAP, NULL) == 0 &&
               last_is_early(MW_ENGINE_PAIR, NULL) == 0,
           "engine tile launches programmatically, but not if timed", error.text);
    pass_log_close(device, &log);
    close_device(tap, "passes");
}

/* An event recorded again has moved. */
static void test_events(struct tap *tap)
{
    const int args = 0;
    struct launch launch = {NULL, KERNEL_HEAP_MERGE, 1, 32, 0, &args, 4, NULL, 0};
    void *events[3] = {NULL};
    double first = -1, last = -1;
    mw_status status;

    if (!open_device(tap, NULL))
        return;
    TRY(load_all(device, MW_ENGINE_HEAP, 32, NULL, &launch.program));
    for (int i = 0; i < 3; i++)
        TRY(verbs->event_open(device, &events[i]));
    for (int i = 0; i < 2; i++)
        TRY(verbs->record(device, events[i], NULL));
    TRY(verbs->launch(device, &launch));
    TRY(verbs->elapsed(device, events[0], events[1], &first));
    TRY(verbs->record(device, events[1], NULL));
    TRY(verbs->elapsed(device, events[0], events[1], &last));
    tap_ok(tap, first == 0 && last == 0.25, "the time between two events", "");
    test_error(tap, verbs->elapsed(device, events[0], events[2], &last), MW_DEVICE_FAILED,
               "cannot measure the time between two events on cuda:0");
    test_error(tap, verbs->record(device, events[0], &launch), MW_DEVICE_FAILED,
               "cannot record an event on cuda:0");
done:
    tap_ok(tap, status == MW_OK, "events", error.text);
    for (int i = 0; i < 3; i++)
        verbs->event_close(device, events[i]);
    close_device(tap, "events");
}

/* Without the fakes: the device opens, or says why not. */
static int test_machine(struct tap *tap)
{
    const mw_status status = cuda_open(&device, 0, NULL, &error);

    tap_ok(tap, status == MW_OK ? device != NULL : !device && error.text[0],
           "open the GPU of this machine", error.text);
    if (device)
        device->verbs->close(device);
    return tap_end(tap);
}

int main(void)
{
    struct tap tap = {0, 0};

    if (!life_begin())
        return test_machine(&tap);
    test_open(&tap);
    test_errors(&tap);
    test_programs(&tap);
    test_lives(&tap);
    test_locked_copies(&tap, 1000);
    test_locked_copies(&tap, COPY_STAGED_FROM);
    test_early(&tap);
    test_events(&tap);
    life_end();
    return tap_end(&tap);
}
