/*
 * unit_cuda_programs.c - a part of unit_cuda_fake: where kernels come from (images, NVRTC,
 * the disk cache), a GPU without images or without NVRTC, and NVRTC's options.
 */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "cuda/nvrtc.h"
#include "fake_cuda/life.h"

#include <stdlib.h>
#include <string.h>

/*
 * Programs: one for each engine, width and geometry, from an image; or its kernels, one
 * by one, by NVRTC, or the second time from the disk cache. And the percent of an SM's 228
 * KiB that its kernels want as shared memory: tiles need that of the blocks that run at
 * once, sorting or merging, each with 1 KiB of the system's.
 */
static const struct program_row {
    const char *name;
    struct program_name program;
    enum kernel_id kernel;
    int percent;
    int compiled; /* or else the program has an image */
} program_rows[] = {
    {"heap",             {MW_ENGINE_HEAP, 32, {0, 0, 0, 0}},    KERNEL_HEAP_MERGE, 100, 0},
    {"pair",             {MW_ENGINE_PAIR, 32, {0, 0, 0, 0}},    KERNEL_PAIR_MERGE, 100, 0},
    {"tile",             {MW_ENGINE_TILE, 32, {256, 32, 4, 4}}, KERNEL_TILE_MERGE, 66,  0},
    {"no image",         {MW_ENGINE_HEAP, 64, {0, 0, 0, 0}},    KERNEL_HEAP_CUT,   0,   1},
    {"image rejected",   {MW_ENGINE_HEAP, 8, {0, 0, 0, 0}},     KERNEL_HEAP_MERGE, 100, 1},
    {"sorts need more",  {MW_ENGINE_TILE, 32, {256, 32, 5, 4}}, KERNEL_TILE_SORT,  77,  1},
    {"the same, join",   {MW_ENGINE_TILE, 32, {256, 32, 5, 4}}, KERNEL_TILE_JOIN,  77,  1},
    {"merges need more", {MW_ENGINE_TILE, 32, {256, 32, 5, 5}}, KERNEL_TILE_SORT,  83,  1},
    {"blocks by rule",   {MW_ENGINE_TILE, 64, {256, 16, 0, 0}}, KERNEL_TILE_MERGE, 68,  1},
    {"all there is",     {MW_ENGINE_TILE, 64, {256, 16, 4, 9}}, KERNEL_TILE_MERGE, 100, 1},
    {"cuts need none",   {MW_ENGINE_TILE, 64, {256, 16, 4, 4}}, KERNEL_TILE_CUT,   0,   1},
};

static int on_disk; /* test_programs finds the compiled kernels in the disk cache */

static mw_status test_programs(struct tap *tap)
{
    struct program *programs[COUNT_OF(program_rows)] = {NULL};
    mw_status status;

    for (size_t i = 0; i < COUNT_OF(program_rows); i++) {
        const struct program_row *const row = &program_rows[i];
        const int args = 0, before = compiles();
        struct launch launch = {NULL, row->kernel, 5, 64, 1000, &args, 4, NULL, 0};
        int right = 1;

        for (int again = 0; again < 2; again++)
            TRY(verbs->load(device, &row->program, 1u << row->kernel, &launch.program));
        right &= compiles() == before + (row->compiled && !on_disk);
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

/* Only the kernels asked for and not yet there are compiled, each once. */
static mw_status test_sets(struct tap *tap)
{
    static const struct {
        uint32_t kernels;
        int compiles;
    } rows[] = {
        {1u << KERNEL_TILE_SORT | 1u << KERNEL_TILE_JOIN,  2},
        {1u << KERNEL_TILE_JOIN | 1u << KERNEL_TILE_MERGE, 1},
        {15u << KERNEL_TILE_SORT,                          1},
    };
    static const struct program_name name = {
        MW_ENGINE_TILE, 8, {128, 32, 0, 0}
    };
    struct program *first = NULL, *program = NULL;
    mw_status status;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const int before = compiles();

        TRY(verbs->load(device, &name, rows[i].kernels, &program));
        first = first ? first : program;
        tap_case(tap, program == first && compiles() == before + rows[i].compiles,
                 "%d kernels are compiled", compiles() - before);
    }
done:
    return status;
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

/* A longer option than there is room for is an error, not a wrong program. */
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

    nvrtc_open(&nvrtc, &error);
    tap_ok(tap,
           nvrtc_key(&nvrtc, &request, &key, &size, &error) == MW_OK &&
               size == strlen(key) && strstr(key, "TILE_PLACES=1\n") &&
               strstr(key, "--ptxas-options=-v\n") &&
               strstr(key, "ENTRY(tile_merge, struct tile_merge_args)\n"),
           "all options at once", "");
    free(key);
    memset(args + 7, 'x', 100);
    request.args = args;
    test_error(tap, nvrtc_key(&nvrtc, &request, &key, &size, &error), MW_COMPILE_FAILED,
               "a long option");
    free(key);
    nvrtc_close(&nvrtc);
}

void test_kernels(struct tap *tap)
{
    char folder[] = "unit_cuda-XXXXXX";
    char command[64];
    mw_options options = MW_OPTIONS_INIT;

    options.cache_path = mkdtemp(folder);
    for (on_disk = 0; on_disk < 2; on_disk++)
        with_device(tap, "programs", &options, test_programs);
    snprintf(command, sizeof command, "rm -r %s", folder);
    tap_ok(tap, system(command) == 0, "the cache's folder can be removed", "");
    with_device(tap, "sets of kernels", NULL, test_sets);
    test_fallback(tap);
    test_options(tap);
}
