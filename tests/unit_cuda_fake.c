/*
 * unit_cuda_fake.c - the CUDA device against a fake driver and a fake NVRTC:
 * what it says, what it passes on and what it gives back.
 *
 * With fake_cuda/ first in LD_LIBRARY_PATH; without it, only the opening of
 * whatever the machine has is tried.
 */
#define _POSIX_C_SOURCE 200809L /* setenv, mkdtemp */

#include "fake_cuda/life.h"
#include "kernels/launch.h"
#include "passes.h"
#include "plan.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static void test_open(struct tap *tap)
{
    struct error error = {""};
    struct device *device = NULL;

    setenv("FAKE_CUDA_DEVICES", "0", 1);
    fake.restart();
    tap_ok(tap, cuda_open(&device, 0, NULL, &error) == MW_NO_DEVICE && !device, "no GPU",
           error.text);
    set("FAKE_CUDA_DEVICES", 0);
    fake.restart();
    tap_ok(tap, cuda_open(&device, -1, NULL, &error) == MW_NO_DEVICE && !device,
           "a negative GPU", error.text);
    tap_ok(tap, cuda_open(&device, 2, NULL, &error) == MW_NO_DEVICE && !device,
           "one past the last GPU", error.text);
    tap_ok(tap, fake.live() == 0, "nothing is held of them", "");
}

static void test_info(struct tap *tap)
{
    struct error error = {""};
    struct device *device = NULL;

    if (cuda_open(&device, 1, NULL, &error) != MW_OK) {
        tap_ok(tap, 0, "open", error.text);
        return;
    }

    const mw_info *const info = &device->info;
    char *const cuda = strstr(info->driver, "CUDA 12.8");

    tap_ok(tap, strcmp(info->device, "cuda:1") == 0, "its name to us", info->device);
    tap_ok(tap, strcmp(info->name, "Imaginary GPU 1") == 0, "its maker's name", info->name);
    tap_ok(tap, cuda != NULL, "the driver's version", info->driver);
    tap_ok(tap,
           info->architecture == 90 && info->processors == 132 &&
               info->shared_per_block == 232448 && info->shared_per_processor == 233472 &&
               info->memory_bytes == (uint64_t)8 << 30,
           "its figures", "");
    tap_ok(tap, info->ahead_of_time == 1, "an image serves it", "");
    tap_ok(tap, !error.text[0], "and there are no words where nothing failed", "");
    device->verbs->close(device);
}

static void test_words(struct tap *tap)
{
    struct error error = {""};
    struct device *device = NULL;
    struct program *program = NULL;
    struct program *again = NULL;
    void *memory = NULL;
    const int args = 0;

    if (cuda_open(&device, 0, NULL, &error) != MW_OK) {
        tap_ok(tap, 0, "open", error.text);
        return;
    }

    const struct device_verbs *const verbs = device->verbs;

    tap_ok(tap,
           verbs->alloc(device, (uint64_t)1 << 40, &memory) == MW_NO_MEMORY && !memory &&
               strstr(error.text, "1099511627776 bytes"),
           "too much memory", error.text);
    tap_ok(tap,
           verbs->upload(device, &error, &args, 4, NULL) == MW_DEVICE_FAILED &&
               strstr(error.text, "4 bytes"),
           "a copy to nowhere", error.text);
    tap_ok(tap,
           load_all(device, MW_ENGINE_HEAP, 32, NULL, &program) == MW_OK &&
               load_all(device, MW_ENGINE_HEAP, 32, NULL, &again) == MW_OK &&
               program == again,
           "a program is loaded once", "");

    struct launch launch = {program, KERNEL_HEAP_MERGE, 5, 64, 1000, &args, 4, NULL, 0};
    const struct fake_launch *const launched = fake.launched();

    tap_ok(tap,
           verbs->launch(device, &launch) == MW_OK && launched->blocks == 5 &&
               launched->threads == 64 && launched->shared_bytes == 1000 &&
               launched->args == &args && strcmp(launched->kernel, "heap_merge") == 0,
           "the launch that was asked for", "");
    launch.follows = 1;
    tap_ok(tap, verbs->launch(device, &launch) == MW_OK && launched->attributes == 1,
           "one that may begin early", "");
    device->info.architecture = 80;
    tap_ok(tap, verbs->launch(device, &launch) == MW_OK && launched->attributes == 0,
           "but not on a GPU whose kernels cannot wait", "");
    device->info.architecture = 90;
    launch.threads = 2048;
    tap_ok(tap,
           verbs->launch(device, &launch) == MW_DEVICE_FAILED &&
               strstr(error.text, "heap_merge: 5 blocks of 2048 threads"),
           "too many threads", error.text);
    tap_ok(tap, verbs->wait(device, &launch) == MW_DEVICE_FAILED, "no such stream",
           error.text);
    rewrite_program("error ");
    tap_ok(tap,
           load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, NULL, &again) ==
                   MW_COMPILE_FAILED &&
               strstr(error.text, "program.cu(1): error: not a kernel"),
           "a kernel that does not compile", error.text);
    rewrite_program("kernel");
    tap_ok(tap, load_all(device, MW_ENGINE_HEAP, ABSENT_BITS, NULL, &again) == MW_OK,
           "and one that does", "");
    verbs->close(device);
    tap_ok(tap, fake.live() == 0 && fake.nvrtc_live() == 0, "all of it is given back", "");
}

/* Each engine's program is one of its own, from its image or compiled, and on disk. */
static void test_engines(struct tap *tap)
{
    static const struct {
        mw_engine engine;
        int bits;
        int compiles; /* on the first device, which finds nothing on disk */
    } rows[] = {
        {MW_ENGINE_HEAP, ACCEPTED_BITS, 0},
        {MW_ENGINE_PAIR, ACCEPTED_BITS, 0},
        {MW_ENGINE_HEAP, ABSENT_BITS,   1},
        {MW_ENGINE_PAIR, ABSENT_BITS,   1},
    };
    char folder[] = "unit_cuda-XXXXXX";
    char command[64];
    mw_options options = MW_OPTIONS_INIT;
    struct error error = {""};
    const int args = 0;

    options.cache_path = mkdtemp(folder);
    for (int life = 0; life < 2; life++) {
        struct program *programs[COUNT_OF(rows)] = {NULL};
        struct device *device = NULL;
        int right = cuda_open(&device, 0, &options, &error) == MW_OK;

        for (size_t i = 0; i < COUNT_OF(rows) && right; i++) {
            const int before = fake.nvrtc_compiles();

            right &= load_all(device, rows[i].engine, rows[i].bits, NULL, &programs[i]) ==
                         MW_OK &&
                     fake.nvrtc_compiles() == before + (life == 0 && rows[i].compiles);
            for (size_t j = 0; j < i; j++)
                right &= programs[i] != programs[j];
        }
        tap_ok(tap, right, life ? "the same, from disk" : "a program for each engine",
               error.text);
        for (size_t i = 1; i < COUNT_OF(rows) && right; i += 2) {
            const struct launch launch = {
                programs[i], KERNEL_PAIR_MERGE, 5, 256, 1000, &args, 4, NULL, 0};

            tap_ok(tap,
                   device->verbs->launch(device, &launch) == MW_OK &&
                       strcmp(fake.launched()->kernel, "pair_merge") == 0,
                   "and its kernels", error.text);
        }
        if (device)
            device->verbs->close(device);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    tap_ok(tap, system(command) == 0 && fake.live() == 0, "all given back", "");
}

/* Each geometry is a program of its own: from its image, or else compiled. */
static void test_tiles(struct tap *tap)
{
    const struct tile_geometry rows[] = {
        {256, 32, 4, 4}, /* has an image */
        {256, 32, 4, 5},
        {128, 32, 4, 4},
        {256, 16, 4, 4},
    };
    struct program *programs[COUNT_OF(rows)] = {NULL};
    struct program *heap = NULL;
    struct error error = {""};
    struct device *device = NULL;
    const int args = 0;
    int right = cuda_open(&device, 0, NULL, &error) == MW_OK &&
                load_all(device, MW_ENGINE_HEAP, 32, NULL, &heap) == MW_OK;

    for (size_t i = 0; i < 2 * COUNT_OF(rows) && right; i++) {
        const size_t row = i % COUNT_OF(rows);
        const int compiles = fake.nvrtc_compiles();
        struct program *program = NULL;

        right &= load_all(device, MW_ENGINE_TILE, 32, &rows[row], &program) == MW_OK &&
                 fake.nvrtc_compiles() == compiles + (row > 0 && i == row) &&
                 program != heap && (!programs[row] || program == programs[row]);
        for (size_t j = 0; j < row; j++)
            right &= program != programs[j];
        programs[row] = program;
    }
    tap_ok(tap, right, "a program for each geometry", error.text);
    if (right) {
        const struct launch launch = {
            programs[2], KERNEL_TILE_MERGE, 5, 128, 1000, &args, 4, NULL, 0};

        tap_ok(tap,
               device->verbs->launch(device, &launch) == MW_OK &&
                   strcmp(fake.launched()->kernel, "tile_merge") == 0,
               "and its kernels", error.text);
    }
    if (device)
        device->verbs->close(device);
    tap_ok(tap, fake.live() == 0 && fake.nvrtc_live() == 0, "all given back", "");
}

/*
 * How a multiprocessor's memory of 228 KiB is shared out: tiles take what as many blocks
 * as are to run at once need, sorting or merging, 1 KiB more than their own each, and
 * leave the rest to the cache.
 */
static void test_carveouts(struct tap *tap)
{
    static const struct {
        const char *name;
        mw_engine engine;
        int bits;
        enum kernel_id kernel;
        struct tile_geometry tile;
        int percent;
    } rows[] = {
        {"4 bytes, sort",    MW_ENGINE_TILE, 32, KERNEL_TILE_SORT,  {256, 32, 5, 4}, 77 },
        {"4 bytes, merge",   MW_ENGINE_TILE, 32, KERNEL_TILE_MERGE, {256, 32, 5, 4}, 77 },
        {"4 bytes, join",    MW_ENGINE_TILE, 32, KERNEL_TILE_JOIN,  {256, 32, 5, 4}, 77 },
        {"merges need more", MW_ENGINE_TILE, 32, KERNEL_TILE_SORT,  {256, 32, 5, 5}, 83 },
        {"8 bytes, sort",    MW_ENGINE_TILE, 64, KERNEL_TILE_SORT,  {256, 16, 4, 4}, 68 },
        {"8 bytes, merge",   MW_ENGINE_TILE, 64, KERNEL_TILE_MERGE, {256, 16, 4, 4}, 68 },
        {"blocks by rule",   MW_ENGINE_TILE, 64, KERNEL_TILE_MERGE, {256, 16, 0, 0}, 68 },
        {"all there is",     MW_ENGINE_TILE, 64, KERNEL_TILE_MERGE, {256, 16, 4, 9}, 100},
        {"cuts need none",   MW_ENGINE_TILE, 64, KERNEL_TILE_CUT,   {256, 16, 4, 4}, 0  },
        {"heaps take all",   MW_ENGINE_HEAP, 32, KERNEL_HEAP_MERGE, {0, 0, 0, 0},    100},
    };
    const int args = 0;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct launch launch = {NULL, rows[i].kernel, 1, 64, 1000, &args, 4, NULL, 0};
        struct error error = {""};
        struct device *device = NULL;
        const int is_tile = rows[i].engine == MW_ENGINE_TILE;
        char detail[32] = "";
        int right = cuda_open(&device, 0, NULL, &error) == MW_OK &&
                    load_all(device, rows[i].engine, rows[i].bits,
                             is_tile ? &rows[i].tile : NULL, &launch.program) == MW_OK &&
                    device->verbs->launch(device, &launch) == MW_OK;

        if (right)
            snprintf(detail, sizeof detail, "%d percent", fake.launched()->carveout);
        right = right && fake.launched()->carveout == rows[i].percent;
        tap_ok(tap, right, rows[i].name, *detail ? detail : error.text);
        if (device)
            device->verbs->close(device);
    }
}

/* The caller's own context is current again after everything. */
static void test_context(struct tap *tap)
{
    int dummy = 0;
    const CUcontext own = (CUcontext)(void *)&dummy;
    CUcontext popped = NULL;

    fake.driver.CtxPushCurrent(own);

    const struct outcome outcome = life(ABSENT_BITS, COPY_STAGED_FROM + 1, NULL);

    tap_ok(tap, outcome.status == MW_OK && fake.depth() == 1, "work inside another context",
           outcome.error.text);
    fake.driver.CtxPopCurrent(&popped);
    tap_ok(tap, popped == own, "which is current again afterwards", "");
}

static void test_copies(struct tap *tap)
{
    static const uint64_t sizes[] = {1,
                                     COPY_STAGED_FROM - 1,
                                     COPY_STAGED_FROM,
                                     COPY_STAGED_FROM + 1,
                                     COPY_STAGED_FROM + COPY_CHUNK,
                                     MOST_BYTES - 1};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char detail[32];
        const struct outcome outcome = life(ACCEPTED_BITS, sizes[i], NULL);

        snprintf(detail, sizeof detail, "%llu bytes", (unsigned long long)sizes[i]);
        tap_ok(tap, outcome.status == MW_OK && outcome.same, "there and back again",
               detail);
        tap_ok(tap, outcome.milliseconds == 0.25, "and its launch was timed", detail);
    }
}

/* Does the last launch of a sort of 100,000 keys begin early? -1 if it was not enqueued. */
static int last_is_early(struct device *device, mw_engine engine, struct pass_log *log)
{
    const mw_tuning wish = {.engine = engine};
    const struct code code = {0};
    struct program *program = NULL;
    struct plan plan;
    mw_status status;

    TRY(plan_make(&plan, &wish, &device->info, 4, 100000, device->error));
    TRY(device->verbs->load(device, &plan.program, plan.kernels, &program));
    /* Nothing runs on the fake, so the addresses need only differ. */
    TRY(passes_sort(device, program, &plan, code, (void *)4096, 100000, (void *)8192, NULL,
                    log));
done:
    return status == MW_OK ? (int)fake.launched()->attributes : -1;
}

/* Which launches may begin before the one ahead of them has ended. */
static void test_early(struct tap *tap)
{
    struct error error = {""};
    struct device *device = NULL;
    struct pass_log log = {0};

    if (cuda_open(&device, 0, NULL, &error) != MW_OK)
        return;
    tap_ok(tap, last_is_early(device, MW_ENGINE_TILE, NULL) == 1, "engine tile's do", "");
    tap_ok(tap, last_is_early(device, MW_ENGINE_TILE, &log) == 0, "not if they are timed",
           "");
    tap_ok(tap, last_is_early(device, MW_ENGINE_HEAP, NULL) == 0, "engine heap's do not",
           error.text);
    tap_ok(tap, last_is_early(device, MW_ENGINE_PAIR, NULL) == 0, "nor engine pair's",
           error.text);
    pass_log_close(device, &log);
    device->verbs->close(device);
}

/* Events recorded again: the last time counts. */
static void test_events(struct tap *tap)
{
    struct error error = {""};
    struct device *device = NULL;
    const int args = 0;
    struct launch launch = {NULL, KERNEL_HEAP_MERGE, 1, 32, 0, &args, 4, NULL, 0};
    void *events[3] = {NULL};
    double first = 0, last = 0;
    mw_status status;

    if (cuda_open(&device, 0, NULL, &error) != MW_OK)
        return;

    const struct device_verbs *const verbs = device->verbs;

    TRY(load_all(device, MW_ENGINE_HEAP, 32, NULL, &launch.program));
    for (int i = 0; i < 3; i++)
        TRY(verbs->event_open(device, &events[i]));
    TRY(verbs->record(device, events[0], NULL));
    TRY(verbs->record(device, events[1], NULL));
    for (int i = 0; i < 100; i++)
        TRY(verbs->launch(device, &launch));
    TRY(verbs->elapsed(device, events[0], events[1], &first));
    TRY(verbs->record(device, events[1], NULL));
    TRY(verbs->elapsed(device, events[0], events[1], &last));
    tap_ok(tap, first == 0 && last == 25, "the time between two events", "");
    tap_ok(tap,
           verbs->elapsed(device, events[0], events[2], &last) == MW_DEVICE_FAILED &&
               strstr(error.text, "cannot measure the time between two events on cuda:0"),
           "an event that was not recorded", error.text);
    tap_ok(tap,
           verbs->record(device, events[0], &launch) == MW_DEVICE_FAILED &&
               strstr(error.text, "cannot record an event"),
           "an event on no such stream", error.text);
done:
    tap_ok(tap, status == MW_OK, "events and launches", error.text);
    for (int i = 0; i < 3; i++)
        verbs->event_close(device, events[i]);
    verbs->close(device);
    tap_ok(tap, fake.live() == 0, "and nothing is left", "");
}

static void test_disk_cache(struct tap *tap)
{
    char folder[] = "unit_cuda-XXXXXX";
    char command[64];
    mw_options options = MW_OPTIONS_INIT;

    options.cache_path = mkdtemp(folder);

    const int before = fake.nvrtc_compiles();
    const struct outcome first = life(ABSENT_BITS, 100, &options);
    const int middle = fake.nvrtc_compiles();
    const struct outcome second = life(ABSENT_BITS, 100, &options);
    const int after = fake.nvrtc_compiles();
    const struct outcome other = life(REJECTED_BITS, 100, &options);

    tap_ok(tap, first.status == MW_OK && middle == before + 1, "the first load compiles",
           "");
    tap_ok(tap, second.status == MW_OK && after == middle, "the second finds it on disk",
           "");
    tap_ok(tap, other.status == MW_OK && fake.nvrtc_compiles() == after + 1,
           "another width is another program", "");
    snprintf(command, sizeof command, "rm -r %s", folder);
    tap_ok(tap, system(command) == 0, "the folder can go", "");
}

/* Without the fakes: whatever the machine has, open says what it is. */
static int test_machine(struct tap *tap)
{
    struct error error = {""};
    struct device *device = NULL;
    const mw_status status = cuda_open(&device, 0, NULL, &error);

    tap_ok(tap, status == MW_OK ? device != NULL : !device && error.text[0],
           "open what the machine has", error.text);
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
    test_info(&tap);
    test_words(&tap);
    test_engines(&tap);
    test_tiles(&tap);
    test_carveouts(&tap);
    test_context(&tap);
    test_copies(&tap);
    test_early(&tap);
    test_events(&tap);
    test_disk_cache(&tap);
    life_end();
    return tap_end(&tap);
}
