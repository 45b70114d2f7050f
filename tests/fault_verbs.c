/*
 * fault_verbs.c - the k-th verb of the device fails, for every k. The status and the
 * message are the verb's, the keys are the same elements, nothing leaks, and the same
 * handle then sorts.
 */
#include "backend_device.h"
#include "context.h"
#include "trial.h"

#include "tap.h"

/* The verbs that replace the device's own, and call them. */
static struct {
    const struct device_verbs *real;
    int fail_at; /* this call fails, counted from 1; 0: none */
    int calls;
    const char *failed; /* the verb that failed, or NULL */
    mw_status status;   /* its status */
    int live;           /* memory not freed, events not closed */
} plant;

static int fails(struct device *device, const char *verb, mw_status status)
{
    if (++plant.calls != plant.fail_at)
        return 0;
    plant.failed = verb;
    plant.status = fail(device->error, status, "planted: %s fails", verb);
    return 1;
}

/* clang-format off */

/* THE list of verbs that can fail: name, status, does it open something?, parameters. */
#define DEVICE struct device *device
#define COPY DEVICE, void *to, const void *from, uint64_t bytes, void *stream
#define LOAD DEVICE, const struct program_name *name, uint32_t set, struct program **program
#define PLANTS(P)                                                                        \
    P(alloc, MW_NO_MEMORY, 1, (DEVICE, uint64_t bytes, void **at), (device, bytes, at))  \
    P(upload, MW_DEVICE_FAILED, 0, (COPY), (device, to, from, bytes, stream))            \
    P(download, MW_DEVICE_FAILED, 0, (COPY), (device, to, from, bytes, stream))          \
    P(load, MW_COMPILE_FAILED, 0, (LOAD), (device, name, set, program))                  \
    P(launch, MW_DEVICE_FAILED, 0, (DEVICE, const struct launch *what), (device, what))  \
    P(wait, MW_DEVICE_FAILED, 0, (DEVICE, void *stream), (device, stream))               \
    P(wait_all, MW_DEVICE_FAILED, 0, (DEVICE), (device))                                 \
    P(event_open, MW_NO_MEMORY, 1, (DEVICE, void **event), (device, event))              \
    P(record, MW_DEVICE_FAILED, 0, (DEVICE, void *event, void *stream),                  \
      (device, event, stream))

#define PLANT(verb, failure, opens, parameters, arguments)                               \
    static mw_status plant_##verb parameters                                             \
    {                                                                                    \
        const mw_status status =                                                         \
            fails(device, #verb, failure) ? plant.status : plant.real->verb arguments;   \
        plant.live += opens && status == MW_OK;                                          \
        return status;                                                                   \
    }
PLANTS(PLANT)

/* clang-format on */

static void plant_free(struct device *device, void *memory)
{
    plant.live -= memory != NULL;
    plant.real->free(device, memory);
}

static void plant_event_close(struct device *device, void *event)
{
    plant.live -= event != NULL;
    plant.real->event_close(device, event);
}

static void plant_verbs(struct device *device, struct device_verbs *verbs)
{
    plant.real = device->verbs;
    plant.fail_at = plant.live = 0;
    *verbs = *device->verbs;
#define SET(verb, failure, opens, parameters, arguments) verbs->verb = plant_##verb;
    PLANTS(SET)
    verbs->free = plant_free;
    verbs->event_close = plant_event_close;
    device->verbs = verbs;
}

/* A sort during which the k-th verb fails. */
static const struct scenario {
    const char *name;
    mw_type type;
    mw_engine engine;
    int device_memory; /* by mw_enqueue */
    int warm;          /* after a smaller sort, so that memory must grow */
    int timed;         /* with its launches timed */
    int least_verbs;   /* it takes at least this number of verbs */
} scenarios[] = {
    {"mw_sort by heap",                MW_U8,  MW_ENGINE_HEAP, 0, 0, 0, 10},
    {"mw_sort by tile that must grow", MW_I32, MW_ENGINE_TILE, 0, 1, 0, 8 },
    {"mw_sort by pair",                MW_F64, MW_ENGINE_PAIR, 0, 0, 0, 10},
    {"mw_enqueue by tile and copy",    MW_F64, MW_ENGINE_TILE, 1, 0, 0, 10},
    {"mw_enqueue by heap, timed",      MW_U8,  MW_ENGINE_HEAP, 1, 0, 1, 18},
    {"mw_enqueue by tile, timed",      MW_I32, MW_ENGINE_TILE, 1, 0, 1, 11},
    {"mw_enqueue by pair, timed",      MW_I32, MW_ENGINE_PAIR, 1, 1, 1, 15},
};

/* Two rounds of merging. */
static struct trial trial_of(const struct scenario *scenario)
{
    const int heap = scenario->engine == MW_ENGINE_HEAP;
    struct trial t = {.type = scenario->type,
                      .shape = "random",
                      .seed = 3,
                      .count = heap                                ? 5000
                               : mw_type_size(scenario->type) == 8 ? 9000
                                                                   : 17000,
                      .tuning = MW_TUNING_INIT,
                      .device_memory = scenario->device_memory};

    t.tuning.engine = scenario->engine;
    t.tuning.ways = heap ? 4 : 2;
    t.tuning.base = heap ? 1024 : 0;
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

/* A sort without a fault: its failure, or NULL. */
static const char *sort(mw_context *context, const struct trial *t)
{
    struct outcome outcome;
    const int sorted = trial_run(context, t, &outcome);

    trial_close(&outcome);
    return sorted ? NULL : "a sort without a fault fails";
}

/* What is wrong after the k-th verb failed, and with the next sort, or NULL. */
static const char *try_fault(mw_context *context, const struct trial *t, int k)
{
    struct outcome outcome;
    const char *wrong = NULL;

    plant.calls = 0;
    plant.failed = NULL;
    plant.fail_at = k;
    trial_run(context, t, &outcome);
    plant.fail_at = 0;
    if (!plant.failed && *outcome.why)
        wrong = "it fails by itself";
    else if (plant.failed && outcome.status != plant.status)
        wrong = "another status than the verb's";
    else if (plant.failed && !strstr(mw_error(context), "planted"))
        wrong = "the message is not the verb's";
    else if (!same_elements(t, &outcome))
        wrong = "other elements than before";
    trial_close(&outcome);
    return wrong ? wrong : sort(context, t);
}

/* Verb k fails on a new handle. Returns 0 if fewer verbs are called. */
static int run_fault(struct tap *tap, const char *device, const struct scenario *scenario,
                     int k)
{
    const struct trial t = trial_of(scenario);
    struct trial small = t;
    const char *wrong = NULL;
    struct device_verbs verbs;
    mw_context *context;

    small.count = 1000;
    mw_open(&context, device, NULL);
    plant_verbs(backend_device(context->backend), &verbs);
    mw_set_timing(context, scenario->timed ? MW_TIMING_LAUNCHES : MW_TIMING_OFF);
    if (scenario->warm)
        wrong = sort(context, &small);
    if (!wrong)
        wrong = try_fault(context, &t, k);
    if (wrong)
        tap_note("%s: %s", wrong, mw_error(context));
    mw_close(context);
    if (plant.live != 0) {
        wrong = "a leak";
        tap_note("memory or events outlive the handle");
    }
    tap_case(tap, !wrong && (plant.failed || k > scenario->least_verbs),
             "%s: %s: verb %d, %s", device, scenario->name, k,
             plant.failed ? plant.failed : "is never called");
    return plant.failed != NULL;
}

int main(void)
{
    static const char *const devices[] = {"sim", "cuda"};
    struct tap tap = {0, 0};

    for (size_t i = 0; i < COUNT_OF(devices); i++) {
        mw_context *context;
        const mw_status status = mw_open(&context, devices[i], NULL);

        mw_close(context);
        if (status == MW_NO_DEVICE) {
            tap_skip(&tap, devices[i], "no such device");
            continue;
        }
        for (size_t s = 0; s < COUNT_OF(scenarios); s++) {
            for (int k = 1; run_fault(&tap, devices[i], &scenarios[s], k);)
                k++;
        }
    }
    return tap_end(&tap);
}
