/*
 * life.c - finds the fakes, has kernels for them and lives one life.
 */
#include "life.h"

#include "kernels/kernel_files.h"

#include <dlfcn.h>
#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* In place of the files that the build embeds: each width is loaded in another way. */
static unsigned char program_text[] = "kernels   ";
const struct kernel_file kernel_sources[] = {
    {"program.cu", program_text,                   sizeof program_text - 1},
    {"simt.h",     (const unsigned char *)"macro", 5                      },
    {NULL,         NULL,                           0                      },
};
const char kernel_sources_digest[] = "a digest";
const struct kernel_file kernel_images[] = {
    {"tile_32_256x32_4_4.fatbin",         (const unsigned char *)"images",               6},
    {"heap_32.fatbin",                    (const unsigned char *)"image",                5},
    {"pair_32.fatbin",                    (const unsigned char *)"image",                5},
    {"heap_8.fatbin",                     (const unsigned char *)"reject",               6},
    {"lists_32_256x32_0_4_places.fatbin", (const unsigned char *)"image of lists_merge",
     20                                                                                   },
    {NULL,                                NULL,                                          0},
};

struct fakes fakes;

static unsigned char *keys, *back; /* of every life: uploaded and downloaded */

static void *find(const char *library, const char *symbol)
{
    void *const handle = dlopen(library, RTLD_NOW);

    return handle ? dlsym(handle, symbol) : NULL;
}

int life_begin(void)
{
    void *const found[] = {find("libcuda.so.1", "fake_cuda"),
                           find("libnvrtc.so.13", "fake_nvrtc")};
    fake_cuda_fn *cuda;
    fake_nvrtc_fn *nvrtc;
    struct error error;

    /* Keep large blocks when they are freed: fresh pages would take most of the time. */
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    if (!found[0] || !found[1] || driver_open(&fakes.driver, &error) != MW_OK)
        return 0;
    memcpy(&cuda, &found[0], sizeof cuda);
    memcpy(&nvrtc, &found[1], sizeof nvrtc);
    fakes.cuda = cuda();
    fakes.nvrtc = nvrtc();
    keys = malloc(MOST_BYTES);
    back = malloc(MOST_BYTES);
    for (uint64_t i = 0; i < MOST_BYTES; i++)
        keys[i] = (unsigned char)(i * 2654435761u >> 13);
    return 1;
}

void life_end(void)
{
    driver_close(&fakes.driver);
    free(back);
    free(keys);
}

void fail_call(struct fake_calls *calls, int number, int code)
{
    calls->count = 0;
    calls->failed[0] = '\0';
    calls->fail_at = number;
    calls->error = code;
}

int compiles(void)
{
    return fakes.nvrtc->called("nvrtcCompileProgram");
}

int leaks(void)
{
    return fakes.cuda->calls.live() + fakes.nvrtc->live();
}

void rewrite_program(const char *text)
{
    memcpy(program_text, text, strlen(text));
}

mw_status load_all(struct device *device, mw_engine engine, int bits,
                   struct program **program)
{
    const struct program_name name = {.engine = engine, .bits = bits};

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
    TRY(verbs->upload(device, NULL, NULL, 0, stream));
    TRY(verbs->upload(device, memory, keys, bytes, stream));
    TRY(load_all(device, MW_ENGINE_HEAP, bits, &launch.program));
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
    outcome->close_calls = fakes.cuda->calls.count;
    for (int i = 0; i < 2; i++)
        verbs->event_close(device, events[i]);
    verbs->stream_close(device, stream);
    verbs->free(device, NULL);
    verbs->free(device, memory); /* close frees the other one */
    return status;
}

struct outcome life(int bits, uint64_t bytes)
{
    struct outcome outcome = {MW_OK, {""}, 0, 0, 0};
    struct device *device = NULL;

    outcome.status = cuda_open(&device, 1, NULL, &outcome.error);
    outcome.close_calls = fakes.cuda->calls.count;
    if (device) {
        outcome.status = live(device, bits, bytes, &outcome);
        device->verbs->close(device);
    }
    return outcome;
}
