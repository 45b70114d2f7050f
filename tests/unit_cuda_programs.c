/*
 * unit_cuda_programs.c - where kernels come from: sets of them, a GPU without images or
 * without NVRTC, and NVRTC's options. Needs fake_cuda/ first in LD_LIBRARY_PATH.
 */
#include "cuda/nvrtc.h"
#include "fake_cuda/life.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static struct error error; /* of the device below */
static struct device *device;

static int open_device(struct tap *tap)
{
    const int opened = cuda_open(&device, 0, NULL, &error) == MW_OK;

    tap_ok(tap, opened, "open", error.text);
    return opened;
}

static void close_device(struct tap *tap, const char *name)
{
    device->verbs->close(device);
    tap_ok(tap, leaks() == 0, "everything is freed", name);
}

/* Only the kernels asked for and not yet there are compiled, each once. */
static void test_sets(struct tap *tap)
{
    static const struct {
        uint32_t kernels;
        int compiles;
    } rows[] = {
        {1u << KERNEL_TILE_SORT | 1u << KERNEL_TILE_JOIN,  2},
        {1u << KERNEL_TILE_JOIN | 1u << KERNEL_TILE_MERGE, 1},
        {1u << KERNEL_TILE_SORT,                           0},
        {15u << KERNEL_TILE_SORT,                          1},
    };
    const struct program_name name = {
        MW_ENGINE_TILE, 8, {128, 32, 0, 0}
    };
    struct program *first = NULL;

    if (!open_device(tap))
        return;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const int before = compiles();
        struct program *program = NULL;
        const mw_status status =
            device->verbs->load(device, &name, rows[i].kernels, &program);

        first = first ? first : program;
        tap_case(tap,
                 status == MW_OK && program == first &&
                     compiles() == before + rows[i].compiles,
                 "%d kernels are compiled", compiles() - before);
    }
    close_device(tap, "sets of kernels");
}

/* No module is left loaded by opening: whether images serve the GPU is known without. */
static void test_unused(struct tap *tap)
{
    const int loads = fakes.cuda->calls.called("cuModuleLoadData");
    const int unloads = fakes.cuda->calls.called("cuModuleUnload");

    if (!open_device(tap))
        return;
    tap_ok(tap,
           device->info.ahead_of_time == 1 && !*device->info.fallback &&
               fakes.cuda->calls.called("cuModuleLoadData") - loads ==
                   fakes.cuda->calls.called("cuModuleUnload") - unloads,
           "opening leaves no module loaded", "");
    close_device(tap, "nothing loaded");
}

/* Open the device while the driver rejects the image that is tried. */
static int open_without_images(struct tap *tap)
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
    tap_ok(tap, opened, "open without images", error.text);
    return opened;
}

/* A GPU without images opens; without NVRTC, too, it says why it has no kernels. */
static void test_fallback(struct tap *tap)
{
    struct program *program = NULL;

    if (!open_without_images(tap))
        return;
    tap_ok(tap, device->info.ahead_of_time == 0 && !*device->info.fallback,
           "without images, NVRTC serves", device->info.fallback);
    device->verbs->close(device);
    fail_call(fakes.nvrtc, 1, 0);
    if (!open_without_images(tap))
        return;
    tap_ok(tap,
           device->info.ahead_of_time == 0 &&
               strstr(device->info.fallback, "no embedded kernels for cuda:0 (sm_90)") &&
               strstr(device->info.fallback, "NVRTC"),
           "without both, there is a reason", device->info.fallback);
    fail_call(fakes.nvrtc, 1, 0);
    tap_ok(tap,
           load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, NULL, &program) ==
                   MW_COMPILE_FAILED &&
               strstr(error.text, "NVRTC"),
           "and no program can be loaded", error.text);
    fail_call(fakes.nvrtc, 0, 0);
    close_device(tap, "no kernels");
}

/* More or longer options than there is room for are an error, not a wrong program. */
static void test_options(struct tap *tap)
{
    char args[200] = "struct ";
    struct nvrtc_request request = {
        .program = {MW_ENGINE_TILE, 64, {512, 32, 16, 16}},
        .digest = "",
        .kernel = "tile_merge",
        .args = "struct tile_merge_args",
        .architecture = 120,
        .places = 1,
        .verbose = 1
    };
    struct nvrtc nvrtc;
    char *key = NULL;
    size_t size = 0;

    if (nvrtc_open(&nvrtc, &error) != MW_OK)
        return;
    tap_ok(tap,
           nvrtc_key(&nvrtc, &request, &key, &size, &error) == MW_OK &&
               size == strlen(key) && strstr(key, "TILE_PLACES=1\n") &&
               strstr(key, "--ptxas-options=-v\n") &&
               strstr(key, "ENTRY(tile_merge, struct tile_merge_args)\n"),
           "all options at once", "");
    free(key);
    memset(args + 7, 'x', 100);
    request.args = args;
    tap_ok(tap,
           nvrtc_key(&nvrtc, &request, &key, &size, &error) == MW_COMPILE_FAILED &&
               strstr(error.text, "or one of more than 95 characters"),
           "a long option", error.text);
    free(key);
    nvrtc_close(&nvrtc);
}

int main(void)
{
    struct tap tap = {0, 0};

    if (!life_begin()) {
        tap_ok(&tap, 0, "the fake driver opens", "");
        return tap_end(&tap);
    }
    test_sets(&tap);
    test_unused(&tap);
    test_fallback(&tap);
    test_options(&tap);
    life_end();
    return tap_end(&tap);
}
