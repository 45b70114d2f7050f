/*
 * unit_cuda_fake.c - the CUDA device on a fake driver and a fake NVRTC: its errors, what
 * it asks of the driver, where its kernels come from, and that it frees everything.
 *
 * Needs fake_cuda/ first in LD_LIBRARY_PATH. Without it the test only opens the driver of
 * the machine, if there is one.
 */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "cuda/nvrtc.h"
#include "fake_cuda/life.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static struct error error; /* of the device below */
static struct device *device;
static const struct device_verbs *verbs;

/* Run a test on GPU 0: its calls succeed, and closing the device frees everything. */
static void with_device(struct tap *tap, const char *name, const mw_options *options,
                        mw_status (*test)(struct tap *tap))
{
    mw_status status = cuda_open(&device, 0, options, &error);

    if (status == MW_OK) {
        verbs = device->verbs;
        status = test(tap);
        verbs->close(device);
    }
    tap_case(tap, status == MW_OK && leaks() == 0, "%s: everything is freed %s", name,
             status ? error.text : "");
}

/* The result of a call that must fail with `status` and a message. */
static void test_error(struct tap *tap, mw_status got, mw_status status, const char *name)
{
    tap_ok(tap, got == status && *error.text && !strchr(error.text, '\n'), name,
           error.text);
    error.text[0] = '\0';
}

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
               strcmp(info->driver, "570.86.15 (CUDA 12.8)") == 0 &&
               info->architecture == 90 && info->processors == 132 &&
               info->shared_per_block == 232448 && info->shared_per_processor == 233472 &&
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
    launch.threads = 2048;
    test_error(tap, verbs->launch(device, &launch), MW_DEVICE_FAILED, "too many threads");
    rewrite_program("error ");
    test_error(tap, load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, &other),
               MW_COMPILE_FAILED, "a program that does not compile");
    rewrite_program("kernel");
    fakes.cuda->ptx_version = 80;
    TRY(load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, &other));
    fakes.cuda->ptx_version = 90;
    launch.threads = 64;
    launch.program = other;
    TRY(verbs->launch(device, &launch));
    tap_ok(tap, launched->attributes == 0, "not of a kernel from PTX for older GPUs", "");
done:
    return status;
}

#define HEAP MW_ENGINE_HEAP
#define PAIR MW_ENGINE_PAIR
#define TILE MW_ENGINE_TILE
#define TALLY MW_ENGINE_TALLY
#define LISTS PROGRAM_LISTS

#define NAME(engine, bits, ...)               \
    {                                         \
        engine, bits, .tile = { __VA_ARGS__ } \
    }
#define ORDER(text)                                                          \
    {                                                                        \
        PROGRAM_LESS, 128, .tile = {256, 13, 2, 2}, .less = text,            \
                           .declarations = "mw_element", .element_bytes = 16 \
    }

/* Kernels. */
#define SORT KERNEL_SET(KERNEL_TILE_SORT)
#define ALL (15 * SORT)
#define LESS KERNEL_SET(KERNEL_LESS_SORT)

/*
 * Programs: one for each engine, width and geometry, from an image; or the kernels asked
 * for, those not yet there, by NVRTC, or the second time from the disk cache. And the
 * percent of an SM's 228 KiB that a kernel wants as shared memory: tiles need that of the
 * blocks that run at once, sorting or merging, each with 1 KiB of the system's.
 */
static const struct program_row {
    const char *name;
    struct program_name program;
    enum kernel_id kernel; /* to be launched */
    kernel_set others;     /* kernels asked for with it */
    int percent;
    int compiled; /* kernels; 0: the program has an image */
} program_rows[] = {
  /* clang-format off */
    {"heap",             NAME(HEAP, 32, 0),             KERNEL_HEAP_MERGE, 0,    100, 0},
    {"pair",             NAME(PAIR, 32, 0),             KERNEL_PAIR_MERGE, 0,    100, 0},
    {"tally",            NAME(TALLY, 8, 0),             KERNEL_TALLY_SUM,  0,    -1,  1},
    {"tile",             NAME(TILE, 32, 256, 32, 4, 4), KERNEL_TILE_MERGE, 0,    66,  0},
    {"no image",         NAME(HEAP, 64, 0),             KERNEL_HEAP_CUT,   0,    0,   1},
    {"image rejected",   NAME(HEAP, 8, 0),              KERNEL_HEAP_MERGE, 0,    100, 1},
    {"sorts need more",  NAME(TILE, 32, 256, 32, 5, 4), KERNEL_TILE_SORT,  0,    77,  1},
    {"one more kernel",  NAME(TILE, 32, 256, 32, 5, 4), KERNEL_TILE_JOIN,  SORT, 77,  1},
    {"all kernels",      NAME(TILE, 32, 256, 32, 5, 4), KERNEL_TILE_MERGE, ALL,  77,  2},
    {"merges need more", NAME(TILE, 32, 256, 32, 5, 5), KERNEL_TILE_SORT,  0,    83,  1},
    {"blocks by rule",   NAME(TILE, 64, 256, 16, 0, 0), KERNEL_TILE_MERGE, 0,    68,  1},
    {"all there is",     NAME(TILE, 64, 256, 16, 4, 9), KERNEL_TILE_MERGE, 0,    100, 1},
    {"cuts need none",   NAME(TILE, 64, 256, 16, 4, 4), KERNEL_TILE_CUT,   0,    0,   1},
    {"lists of places",  NAME(LISTS, 32, 256, 32, 0, 4, 1), KERNEL_LISTS_MERGE, 0, 100, 0},
    {"an order",         ORDER("a < b"),                KERNEL_LESS_MERGE, LESS, 95,  2},
    {"another order",    ORDER("a > b"),                KERNEL_LESS_MERGE, 0,    95,  1},
  /* clang-format on */
};

static int on_disk; /* test_programs finds the compiled kernels in the disk cache */

static mw_status test_programs(struct tap *tap)
{
    struct program *programs[COUNT_OF(program_rows)] = {NULL};
    mw_status status;

    for (size_t i = 0; i < COUNT_OF(program_rows); i++) {
        const struct program_row *const row = &program_rows[i];
        const kernel_set kernels = KERNEL_SET(row->kernel) | row->others;
        const int args = 0, before = compiles();
        struct launch launch = {NULL, row->kernel, 5, 64, 1000, &args, 4, NULL, 0};
        int right = 1;

        for (int again = 0; again < 2; again++)
            TRY(verbs->load(device, &row->program, kernels, &launch.program));
        right &= compiles() == before + (on_disk ? 0 : row->compiled);
        programs[i] = launch.program;
        for (size_t j = 0; j < i; j++)
            right &=
                (programs[i] == programs[j]) ==
                (memcmp(&row->program, &program_rows[j].program, sizeof row->program) == 0);
        TRY(verbs->launch(device, &launch));
        tap_case(tap, right && fakes.cuda->launched.carveout == row->percent,
                 "program %s%s: carve-out %d %%", row->name, on_disk ? " from disk" : "",
                 fakes.cuda->launched.carveout);
    }
done:
    return status;
}

/* Orders by a text: remembered by content; one that does not compile; one without. */
static mw_status test_orders(struct tap *tap)
{
    char text[] = "a < b";
    struct program_name name = ORDER(text);
    struct program *first = NULL, *second = NULL;
    const kernel_set kernels = KERNEL_SET(KERNEL_LESS_SORT);
    mw_status status;

    TRY(verbs->load(device, &name, kernels, &first));
    name.less = "a < b";
    TRY(verbs->load(device, &name, kernels, &second));
    tap_ok(tap, first == second, "the same text elsewhere is the same program", "");
    text[2] = '>'; /* the device has a copy */
    name.less = text;
    TRY(verbs->load(device, &name, kernels, &second));
    tap_ok(tap, first != second, "another text is another program", "");
    name.less = "an error";
    test_error(tap, verbs->load(device, &name, kernels, &second), MW_BAD_ORDER,
               "a text that does not compile");
    name.less = NULL;
    test_error(tap, verbs->load(device, &name, kernels, &second), MW_UNSUPPORTED,
               "an order without a text");
done:
    return status;
}

static void test_disk_cache(struct tap *tap)
{
    char folder[] = "unit_cuda-XXXXXX";
    char command[64];
    mw_options options = MW_OPTIONS_INIT;

    options.cache_path = mkdtemp(folder);
    for (on_disk = 0; on_disk < 2; on_disk++) {
        with_device(tap, "programs", &options, test_programs);
        options.cache_bytes = 1 << 20;
    }
    with_device(tap, "orders", NULL, test_orders);
    snprintf(command, sizeof command, "rm -r %s", folder);
    tap_ok(tap, system(command) == 0, "the cache's folder can be removed", "");
}

/* Open the device while the driver rejects the image that is tried. */
static int open_without_images(void)
{
    struct fake_calls *const calls = &fakes.cuda->calls;
    int opened = 0;

    for (int k = 1; !opened && k < 100; k++) {
        fail_call(calls, k, CUDA_ERROR_NO_BINARY_FOR_GPU);
        if (cuda_open(&device, 0, NULL, &error) == MW_OK) {
            opened = strcmp(calls->failed, "cuModuleLoadData") == 0;
            if (!opened)
                device->verbs->close(device);
        }
    }
    fail_call(calls, 0, 0);
    return opened;
}

/* A GPU without images opens; without NVRTC, too, it says why it has no kernels. */
static void test_fallback(struct tap *tap)
{
    struct program *program = NULL;

    for (int lacks_nvrtc = 0; lacks_nvrtc < 2; lacks_nvrtc++) {
        fail_call(fakes.nvrtc, lacks_nvrtc, 0);
        if (!open_without_images()) {
            tap_ok(tap, 0, "open without images", error.text);
            return;
        }
        tap_ok(tap,
               device->info.ahead_of_time == 0 && !*device->info.fallback == !lacks_nvrtc,
               lacks_nvrtc ? "nor NVRTC" : "no images", device->info.fallback);
        fail_call(fakes.nvrtc, lacks_nvrtc, 0);
        tap_ok(tap,
               load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, &program) ==
                   (lacks_nvrtc ? MW_COMPILE_FAILED : MW_OK),
               "a program that has to be compiled", error.text);
        fail_call(fakes.nvrtc, 0, 0);
        device->verbs->close(device);
    }
    tap_ok(tap, leaks() == 0, "no images: everything is freed", "");
}

/* More than there is room for is an error, not a wrong program; so is no program. */
static void test_options(struct tap *tap)
{
    char args[200] = "struct ";
    struct kernel_file files[70] = {
        {NULL, NULL, 0}
    };
    struct nvrtc_request request = {
        .program = {MW_ENGINE_TILE, 64, {512, 32, 16, 16, 1}},
        .digest = "",
        .kernel = "tile_merge",
        .args = "struct tile_merge_args",
        .architecture = 120,
        .verbose = 1
    };
    struct nvrtc nvrtc;
    struct nvrtc_code code;
    char *key = NULL;
    size_t size = 0;

    nvrtc_open(&nvrtc, &error);
    tap_ok(tap,
           nvrtc_key(&nvrtc, &request, &key, &size, &error) == MW_OK &&
               size == strlen(key) && strstr(key, "TILE_PLACES=1\n") &&
               strstr(key, "--ptxas-options=-v\n") &&
               strstr(key, "ENTRY(tile_merge, struct tile_merge_args)\n"),
           "all options at once", "");
    free(key);
    request.sources = files;
    test_error(tap, nvrtc_compile(&nvrtc, &request, &code, &error), MW_COMPILE_FAILED,
               "no program.cu");
    for (int i = 0; i < 66; i++)
        files[i].name = "simt.h";
    test_error(tap, nvrtc_compile(&nvrtc, &request, &code, &error), MW_COMPILE_FAILED,
               "66 sources");
    memset(args + 7, 'x', 100);
    request.args = args;
    test_error(tap, nvrtc_key(&nvrtc, &request, &key, &size, &error), MW_COMPILE_FAILED,
               "a key of a long option");
    test_error(tap, nvrtc_compile(&nvrtc, &request, &code, &error), MW_COMPILE_FAILED,
               "a long option");
    nvrtc_close(&nvrtc);
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
    with_device(&tap, "events", NULL, test_events);
    test_disk_cache(&tap);
    test_fallback(&tap);
    test_options(&tap);
    life_end();
    return tap_end(&tap);
}
