/*
 * fault_verbs.c - the k-th verb of the device fails, for every k: allocation,
 * copy, load, launch or wait. The status is the verb's, there are words, the
 * keys still hold the same elements, nothing leaks, and the same handle then
 * sorts as if nothing had been.
 */
#include "backend_device.h"
#include "context.h"
#include "trial.h"

#include "tap.h"

/* The verbs put in front of the device's own, and what they have seen. */
static struct {
    const struct device_verbs *real;
    int fail_at; /* this call fails, counted from 1; 0: none */
    int calls;
    const char *failed; /* the verb that did */
    mw_status status;   /* what it said */
    int live;           /* allocations not yet freed */
} plant;

static int fails(struct device *device, const char *verb, mw_status status)
{
    if (++plant.calls != plant.fail_at)
        return 0;
    plant.failed = verb;
    plant.status = fail(device->error, status, "planted: %s fails", verb);
    return 1;
}

static mw_status plant_alloc(struct device *device, uint64_t bytes, void **memory)
{
    mw_status status;

    if (fails(device, "alloc", MW_NO_MEMORY))
        return plant.status;
    status = plant.real->alloc(device, bytes, memory);
    plant.live += status == MW_OK;
    return status;
}

static void plant_free(struct device *device, void *memory)
{
    plant.live -= memory != NULL;
    plant.real->free(device, memory);
}

static mw_status plant_upload(struct device *device, void *memory, const void *from,
                              uint64_t bytes, void *stream)
{
    return fails(device, "upload", MW_DEVICE_FAILED)
               ? plant.status
               : plant.real->upload(device, memory, from, bytes, stream);
}

static mw_status plant_download(struct device *device, void *to, const void *memory,
                                uint64_t bytes, void *stream)
{
    return fails(device, "download", MW_DEVICE_FAILED)
               ? plant.status
               : plant.real->download(device, to, memory, bytes, stream);
}

static mw_status plant_load(struct device *device, const struct program_name *name,
                            uint32_t kernels, struct program **program)
{
    return fails(device, "load", MW_COMPILE_FAILED)
               ? plant.status
               : plant.real->load(device, name, kernels, program);
}

static mw_status plant_launch(struct device *device, const struct launch *launch)
{
    return fails(device, "launch", MW_DEVICE_FAILED) ? plant.status
                                                     : plant.real->launch(device, launch);
}

static mw_status plant_wait(struct device *device, void *stream)
{
    return fails(device, "wait", MW_DEVICE_FAILED) ? plant.status
                                                   : plant.real->wait(device, stream);
}

static mw_status plant_event_open(struct device *device, void **event)
{
    return fails(device, "event_open", MW_NO_MEMORY)
               ? plant.status
               : plant.real->event_open(device, event);
}

static mw_status plant_record(struct device *device, void *event, void *stream)
{
    return fails(device, "record", MW_DEVICE_FAILED)
               ? plant.status
               : plant.real->record(device, event, stream);
}

static void plant_verbs(struct device *device, struct device_verbs *verbs)
{
    plant.real = device->verbs;
    plant.fail_at = 0;
    plant.live = 0;
    *verbs = *device->verbs;
    verbs->alloc = plant_alloc;
    verbs->free = plant_free;
    verbs->upload = plant_upload;
    verbs->download = plant_download;
    verbs->load = plant_load;
    verbs->launch = plant_launch;
    verbs->wait = plant_wait;
    verbs->event_open = plant_event_open;
    verbs->record = plant_record;
    device->verbs = verbs;
}

/* What is done while the k-th verb fails. */
static const struct scenario {
    const char *name;
    int device_memory;
    mw_engine engine;
    int warm;        /* after a smaller sort that went well */
    int timed;       /* with its launches timed */
    int least_verbs; /* it takes at least so many, or the test tests nothing */
} scenarios[] = {
    {"mw_sort by heap",                 0, MW_ENGINE_HEAP, 0, 0, 10},
    {"mw_sort by heap that must grow",  0, MW_ENGINE_HEAP, 1, 0, 10},
    {"mw_sort_device by heap and copy", 1, MW_ENGINE_HEAP, 0, 0, 12},
    {"mw_sort by tile",                 0, MW_ENGINE_TILE, 0, 0, 8 },
    {"mw_sort by tile that must grow",  0, MW_ENGINE_TILE, 1, 0, 8 },
    {"mw_sort_device by tile and copy", 1, MW_ENGINE_TILE, 0, 0, 10},
    {"mw_sort_device by heap, timed",   1, MW_ENGINE_HEAP, 0, 1, 18},
    {"mw_sort_device by tile, timed",   1, MW_ENGINE_TILE, 0, 1, 11},
    {"mw_sort by pair",                 0, MW_ENGINE_PAIR, 0, 0, 10},
    {"mw_sort_device by pair and copy", 1, MW_ENGINE_PAIR, 1, 0, 12},
    {"mw_sort_device by pair, timed",   1, MW_ENGINE_PAIR, 0, 1, 15},
};

/* Two rounds of merging: six kinds of verbs, nine or more calls. */
static struct trial trial_of(const struct scenario *scenario, mw_type type)
{
    struct trial t = {.type = type,
                      .shape = "random",
                      .seed = 3,
                      .count = 5000,
                      .tuning = MW_TUNING_INIT,
                      .device_memory = scenario->device_memory};

    t.tuning.engine = scenario->engine;
    if (scenario->engine == MW_ENGINE_HEAP) {
        t.tuning.ways = 4;
        t.tuning.base = 1024;
    } else { /* three tiles, or a few more */
        t.tuning.ways = 2;
        t.count = mw_type_size(type) == 8 ? 9000 : 17000;
    }
    return t;
}

/* The keys of a sort that failed: the same elements as before the call. */
static int same_elements(const struct trial *t, const struct outcome *outcome)
{
    struct kit_fingerprint before = {0, 0};
    struct kit_fingerprint after = {0, 0};
    static char keys[17000 * 8];

    kit_fill(t->type, t->shape, t->seed, keys, t->count);
    kit_fingerprint_add(&before, t->type, keys, t->count);
    kit_fingerprint_add(&after, t->type, outcome->keys, t->count);
    return kit_fingerprint_equal(before, after);
}

/* What is wrong after the k-th verb failed, or NULL. */
static const char *try_fault(mw_context *context, const struct trial *t, int k)
{
    struct outcome outcome;
    const char *wrong = NULL;
    int live;

    plant.calls = 0;
    plant.failed = NULL;
    plant.fail_at = k;
    trial_run(context, t, &outcome);
    plant.fail_at = 0;
    live = plant.live;
    if (!plant.failed && *outcome.why)
        wrong = outcome.why;
    else if (plant.failed && outcome.status != plant.status)
        wrong = "another status than the verb's";
    else if (plant.failed && !strstr(mw_error(context), "planted"))
        wrong = "the verb's words are lost";
    else if (!same_elements(t, &outcome))
        wrong = "other elements than before";
    else if (live > !t->device_memory) /* mw_sort keeps its scratch memory */
        wrong = "device memory was left behind";
    trial_close(&outcome);
    if (wrong)
        return wrong;
    if (!trial_run(context, t, &outcome))
        wrong = "the handle does not sort any more";
    trial_close(&outcome);
    return wrong;
}

/* Fail at verb k on a fresh handle. Returns whether that many were called. */
static int run_fault(struct tap *tap, const char *device, const struct scenario *scenario,
                     mw_type type, int k)
{
    const struct trial t = trial_of(scenario, type);
    const char *wrong = "open";
    struct device_verbs verbs;
    mw_context *context;
    int reached = 0;

    if (mw_open(&context, device, NULL) == MW_OK) {
        struct trial small = t;
        struct outcome outcome;

        small.count = 1000;
        plant_verbs(backend_device(context->backend), &verbs);
        mw_set_timing(context, scenario->timed);
        if (scenario->warm) {
            trial_run(context, &small, &outcome);
            trial_close(&outcome);
        }
        wrong = try_fault(context, &t, k);
        reached = plant.failed != NULL;
    }
    if (wrong)
        tap_note("%s: %s", wrong, mw_error(context));
    if (reached)
        tap_case(tap, !wrong, "%s %s: %s: verb %d, %s, fails", device, mw_type_name(type),
                 scenario->name, k, plant.failed);
    else
        tap_case(tap, !wrong && k > scenario->least_verbs,
                 "%s %s: %s: verb %d is never called", device, mw_type_name(type),
                 scenario->name, k);
    mw_close(context);
    if (plant.live != 0)
        tap_ok(tap, 0, device, "device memory outlives the handle");
    return reached;
}

int main(void)
{
    static const char *const devices[] = {"sim", "cuda"};
    static const mw_type types[] = {MW_U8, MW_I32, MW_F64};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        mw_context *context;
        const mw_status status = mw_open(&context, devices[i], NULL);

        mw_close(context);
        if (status == MW_NO_DEVICE && strcmp(devices[i], "cuda") == 0) {
            tap_skip(&tap, "cuda: failing verbs", "no CUDA device");
            continue;
        }
        for (size_t s = 0; s < COUNT_OF(scenarios); s++) {
            for (size_t t = 0; t < COUNT_OF(types); t++) {
                int k = 1;

                while (run_fault(&tap, devices[i], &scenarios[s], types[t], k))
                    k++;
            }
        }
    }
    return tap_end(&tap);
}
