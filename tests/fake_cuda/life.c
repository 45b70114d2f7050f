#define _POSIX_C_SOURCE 200809L /* setenv */

#include "life.h"

#include "kernels/kernel_files.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files the library would have from the build: one way to load per width. */
static unsigned char program_text[] = "kernels   ";
const struct kernel_file kernel_sources[] = {
    {"program.cu", program_text,                   sizeof program_text - 1},
    {"simt.h",     (const unsigned char *)"words", 5                      },
    {NULL,         NULL,                           0                      },
};
const struct kernel_file kernel_images[] = {
    {"tile_32_256x32_4_4.fatbin", (const unsigned char *)"image",  5},
    {"heap_32.fatbin",            (const unsigned char *)"image",  5},
    {"pair_32.fatbin",            (const unsigned char *)"image",  5},
    {"heap_8.fatbin",             (const unsigned char *)"reject", 6},
    {NULL,                        NULL,                            0},
};

struct fakes fake;

/* Keys for every life, and room to bring them back to. */
static unsigned char *keys, *back;

static int find(const char *library, const char *symbol, void *function)
{
    void *const handle = dlopen(library, RTLD_NOW);
    void *const address = handle ? dlsym(handle, symbol) : NULL;

    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static int find_fakes(void)
{
    static const char cuda[] = "libcuda.so.1";
    static const char nvrtc[] = "libnvrtc.so.13";

    return find(cuda, "fake_restart", &fake.restart) &&
           find(cuda, "fake_calls", &fake.calls) && find(cuda, "fake_live", &fake.live) &&
           find(cuda, "fake_depth", &fake.depth) &&
           find(cuda, "fake_failed", &fake.failed) &&
           find(cuda, "fake_launched", &fake.launched) &&
           find(nvrtc, "fake_nvrtc_restart", &fake.nvrtc_restart) &&
           find(nvrtc, "fake_nvrtc_live", &fake.nvrtc_live) &&
           find(nvrtc, "fake_nvrtc_compiles", &fake.nvrtc_compiles) &&
           find(nvrtc, "fake_nvrtc_failed", &fake.nvrtc_failed);
}

int life_begin(void)
{
    struct error error;

    if (!find_fakes() || driver_open(&fake.driver, &error) != MW_OK)
        return 0;
    keys = malloc(MOST_BYTES);
    back = malloc(MOST_BYTES);
    for (uint64_t i = 0; i < MOST_BYTES; i++)
        keys[i] = (unsigned char)(i * 2654435761u >> 13);
    return 1;
}

void life_end(void)
{
    driver_close(&fake.driver);
    free(back);
    free(keys);
}

void set(const char *name, int value)
{
    char text[16];

    snprintf(text, sizeof text, "%d", value);
    if (value)
        setenv(name, text, 1);
    else
        unsetenv(name);
}

void rewrite_program(const char *text)
{
    memcpy(program_text, text, strlen(text));
}

mw_status load_all(struct device *device, mw_engine engine, int bits,
                   const struct tile_geometry *tile, struct program **program)
{
    struct program_name name = {.engine = engine, .bits = bits};

    if (tile)
        name.tile = *tile;
    return device->verbs->load(device, &name, kernels_of(engine), program);
}

/* Everything between the first and the last verb. */
static mw_status live(struct device *device, int bits, uint64_t bytes,
                      struct outcome *outcome)
{
    const struct device_verbs *const verbs = device->verbs;
    struct launch launch = {NULL, KERNEL_HEAP_CUT, 7, 128, 100000, keys, 8, NULL, 0};
    void *events[2] = {NULL, NULL};
    void *memory = NULL;
    void *more = NULL;
    void *stream = NULL;
    mw_status status;

    memset(back, 0, bytes);
    TRY(verbs->alloc(device, bytes, &memory));
    TRY(verbs->alloc(device, 0, &more));
    TRY(verbs->stream_open(device, &stream));
    launch.stream = stream;
    TRY(verbs->upload(device, memory, keys, bytes, stream));
    TRY(load_all(device, MW_ENGINE_HEAP, bits, NULL, &launch.program));
    for (int i = 0; i < 2; i++)
        TRY(verbs->event_open(device, &events[i]));
    TRY(verbs->record(device, events[0], stream));
    TRY(verbs->launch(device, &launch));
    TRY(verbs->record(device, events[1], stream));
    TRY(verbs->follow(device, NULL, events[1]));
    TRY(verbs->elapsed(device, events[0], events[1], &outcome->milliseconds));
    TRY(verbs->download(device, back, memory, bytes, stream));
    TRY(verbs->wait(device, stream));
    TRY(verbs->wait_all(device));
    outcome->same = memcmp(keys, back, bytes) == 0;
done:
    outcome->close_calls = fake.calls();
    for (int i = 0; i < 2; i++)
        verbs->event_close(device, events[i]);
    verbs->stream_close(device, stream);
    verbs->free(device, NULL);
    verbs->free(device, memory); /* the other one is left to close */
    return status;
}

struct outcome life(int bits, uint64_t bytes, const mw_options *options)
{
    struct outcome outcome = {MW_OK, {""}, 0, 0, 0};
    struct device *device = NULL;

    outcome.status = cuda_open(&device, 1, options, &outcome.error);
    outcome.close_calls = fake.calls();
    if (device) {
        outcome.status = live(device, bits, bytes, &outcome);
        device->verbs->close(device);
    }
    return outcome;
}
