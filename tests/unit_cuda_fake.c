/*
 * unit_cuda_fake.c - the CUDA device on a fake driver and a fake NVRTC: its errors, what
 * it asks of the driver, and that it frees everything. Linked with unit_cuda_programs.c.
 *
 * Needs fake_cuda/ first in LD_LIBRARY_PATH. Without it the test only opens the driver of
 * the machine, if there is one.
 */
#include "fake_cuda/life.h"
#include "passes.h"
#include "plan.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void test_no_device(struct tap *tap)
{
    fakes.cuda->devices = 0;
    test_error(tap, cuda_open(&device, 0, NULL, &error), MW_NO_DEVICE, "no GPU");
    fakes.cuda->devices = 2;
    test_error(tap, cuda_open(&device, -1, NULL, &error), MW_NO_DEVICE, "index -1");
    test_error(tap, cuda_open(&device, 2, NULL, &error), MW_NO_DEVICE, "index 2 of 2");
    tap_ok(tap, !device && leaks() == 0, "no device, and nothing is left", "");
}

static mw_status test_info(struct tap *tap)
{
    const mw_info *const info = &device->info;
    int (*const called)(const char *name) = fakes.cuda->calls.called;

    tap_ok(tap,
           !*error.text && strcmp(info->device, "cuda:0") == 0 &&
               strcmp(info->name, "Imaginary GPU 0") == 0 &&
               strstr(info->driver, "CUDA 12.8") && info->architecture == 90 &&
               info->processors == 132 && info->shared_per_block == 232448 &&
               info->shared_per_processor == 233472 &&
               info->memory_bytes == (uint64_t)8 << 30 && info->ahead_of_time == 1 &&
               !*info->fallback,
           "what the driver says of a GPU", info->driver);
    tap_ok(tap, called("cuModuleLoadData") == called("cuModuleUnload"),
           "opening leaves no module loaded", "");
    return MW_OK;
}

/* Launches are what was asked for; a program that does not compile does no harm. */
static mw_status test_launches(struct tap *tap)
{
    const int args = 0;
    struct launch launch = {NULL, KERNEL_HEAP_MERGE, 5, 64, 1000, &args, 4, NULL, 0};
    const struct fake_launch *const launched = &fakes.cuda->launched;
    struct program *other = NULL;
    mw_status status;

    TRY(load_all(device, MW_ENGINE_HEAP, ACCEPTED_BITS, &launch.program));
    TRY(verbs->launch(device, &launch));
    tap_ok(tap,
           launched->blocks == 5 && launched->threads == 64 &&
               launched->shared_bytes == 1000 && launched->args == &args &&
               strcmp(launched->kernel, "heap_merge") == 0,
           "the launch that was asked for", "");
    launch.follows = 1;
    TRY(verbs->launch(device, &launch));
    tap_ok(tap, launched->attributes == 1, "a programmatic launch", "");
    device->info.architecture = 80;
    TRY(verbs->launch(device, &launch));
    tap_ok(tap, launched->attributes == 0, "only from sm_90 on", "");
    device->info.architecture = 90;
    launch.threads = 2048;
    test_error(tap, verbs->launch(device, &launch), MW_DEVICE_FAILED, "too many threads");
    rewrite_program("error ");
    test_error(tap, load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, &other),
               MW_COMPILE_FAILED, "a program that does not compile");
    rewrite_program("kernel");
    TRY(load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, &other));
done:
    return status;
}

/* Lives with copies of many sizes, while the caller has a context of his own. */
static void test_lives(struct tap *tap)
{
    static const uint64_t sizes[] = {1, COPY_STAGED_FROM - 1, COPY_STAGED_FROM,
                                     COPY_STAGED_FROM + COPY_CHUNK, MOST_BYTES - 1};
    int dummy = 0;
    const CUcontext own = (CUcontext)(void *)&dummy;
    CUcontext popped = NULL;

    fakes.driver.CtxPushCurrent(own);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const struct outcome outcome = life(i % 2 ? ABSENT_BITS : ACCEPTED_BITS, sizes[i]);

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
static mw_status test_locked_copies(struct tap *tap)
{
    static char pageable[COPY_STAGED_FROM];
    const uint64_t bytes = sizeof pageable;
    const int created = fakes.cuda->calls.called("cuStreamCreate");
    void *streams[2] = {NULL, NULL};
    void *event = NULL, *memory = NULL, *host = NULL;
    CUcontext context = NULL;
    mw_status status;

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
    tap_ok(tap, *(char *)memory == 'b', "the upload has not waited", "");
    TRY(verbs->follow(device, streams[1], event));
    TRY(verbs->download(device, (char *)host + bytes, memory, bytes, streams[1]));
    TRY(verbs->wait(device, streams[1]));
    tap_ok(tap, memcmp(host, (char *)host + bytes, bytes) == 0,
           "the download has followed the event", "");
    tap_ok(tap, fakes.cuda->calls.called("cuStreamCreate") == created + 2,
           "page-locked memory needs no staging", "");
    memset(host, 'c', bytes);
    TRY(verbs->upload(device, memory, host, bytes, streams[0]));
    TRY(verbs->download(device, pageable, memory, bytes, streams[0]));
    TRY(verbs->wait(device, streams[0]));
    tap_ok(tap, memcmp(host, pageable, bytes) == 0, "a staged copy waits for its stream",
           "");
done:
    verbs->event_close(device, event);
    for (int i = 0; i < 2; i++)
        verbs->stream_close(device, streams[i]);
    fakes.driver.MemFreeHost(host);
    fakes.driver.CtxPopCurrent(&context);
    fakes.driver.DevicePrimaryCtxRelease(0);
    return status;
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

static mw_status test_early(struct tap *tap)
{
    struct pass_log log = {0};

    tap_ok(tap,
           last_is_early(MW_ENGINE_TILE, NULL) == 1 &&
               last_is_early(MW_ENGINE_TILE, &log) == 0 &&
               last_is_early(MW_ENGINE_HEAP, NULL) == 0 &&
               last_is_early(MW_ENGINE_PAIR, NULL) == 0,
           "engine tile launches programmatically, but not if timed", error.text);
    pass_log_close(device, &log);
    return MW_OK;
}

static mw_status test_events(struct tap *tap)
{
    const int args = 0;
    struct launch launch = {NULL, KERNEL_HEAP_MERGE, 1, 32, 0, &args, 4, NULL, 0};
    void *events[3] = {NULL};
    double first = -1, last = -1;
    mw_status status;

    TRY(load_all(device, MW_ENGINE_HEAP, ACCEPTED_BITS, &launch.program));
    for (int i = 0; i < 3; i++)
        TRY(verbs->event_open(device, &events[i]));
    for (int i = 0; i < 2; i++)
        TRY(verbs->record(device, events[i], NULL));
    TRY(verbs->launch(device, &launch));
    TRY(verbs->elapsed(device, events[0], events[1], &first));
    TRY(verbs->record(device, events[1], NULL));
    TRY(verbs->elapsed(device, events[0], events[1], &last));
    tap_ok(tap, first == 0 && last == 0.25, "an event recorded again has moved", "");
    test_error(tap, verbs->elapsed(device, events[0], events[2], &last), MW_DEVICE_FAILED,
               "the time since an event never recorded");
done:
    for (int i = 0; i < 3; i++)
        verbs->event_close(device, events[i]);
    return status;
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
    test_no_device(&tap);
    with_device(&tap, "information", NULL, test_info);
    with_device(&tap, "launches", NULL, test_launches);
    with_device(&tap, "copies of page-locked memory", NULL, test_locked_copies);
    with_device(&tap, "passes", NULL, test_early);
    with_device(&tap, "events", NULL, test_events);
    test_kernels(&tap);
    test_lives(&tap);
    life_end();
    return tap_end(&tap);
}
