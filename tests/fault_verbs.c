/*
 * fault_verbs.c - the k-th verb of the device fails, for every k. The status and the
 * message are the verb's, the keys are the same elements, nothing leaks, and the same
 * handle then sorts.
 */
#include "backend_device.h"
#include "context.h"
#include "trial.h"

#include "tap.h"

/* Verbs that stand in front of the device's own. */
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
    int device_memory;
    mw_engine engine;
    int warm;        /* after a smaller sort */
    int timed;       /* with its launches timed */
    int least_verbs; /* it takes at least this number of verbs */
} scenarios[] = {
    {"mw_sort by heap",                0, MW_ENGINE_HEAP, 0, 0, 10},
    {"mw_sort by heap that must grow", 0, MW_ENGINE_HEAP, 1, 0, 10},
    {"mw_enqueue by heap and copy",    1, MW_ENGINE_HEAP, 0, 0, 12},
    {"mw_sort by tile",                0, MW_ENGINE_TILE, 0, 0, 8 },
    {"mw_sort by tile that must grow", 0, MW_ENGINE_TILE, 1, 0, 8 },
    {"mw_enqueue by tile and copy",    1, MW_ENGINE_TILE, 0, 0, 10},
    {"mw_enqueue by heap, timed",      1, MW_ENGINE_HEAP, 0, 1, 18},
    {"mw_enqueue by tile, timed",      1, MW_ENGINE_TILE, 0, 1, 11},
    {"mw_sort by pair",                0, MW_ENGINE_PAIR, 0, 0, 10},
    {"mw_enqueue by pair and copy",    1, MW_ENGINE_PAIR, 1, 0, 12},
    {"mw_enqueue by pair, timed",      1, MW_ENGINE_PAIR, 0, 1, 15},
};

/* Two rounds of merging. */
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

    plant.calls = 0;
    plant.failed = NULL;
    plant.fail_at = k;
    trial_run(context, t, &outcome);
    plant.fail_at = 0;
    if (!plant.failed && *outcome.why)
        wrong = outcome.why;
    else if (plant.failed && outcome.status != plant.status)
        wrong = "another status than the verb's";
    else if (plant.failed && !strstr(mw_error(context), "planted"))
        wrong = "the message is not the verb's";
    else if (!same_elements(t, &outcome))
        wrong = "other elements than before";
    trial_close(&outcome);
    if (wrong)
        return wrong;
    if (!trial_run(context, t, &outcome))
        wrong = "the handle cannot sort any more";
    trial_close(&outcome);
    return wrong;
}

/* Verb k fails on a new handle. Returns 0 if fewer verbs are called. */
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
        mw_set_timing(context, scenario->timed ? MW_TIMING_LAUNCHES : MW_TIMING_OFF);
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
        tap_ok(tap, 0, device, "memory or events outlive the handle");
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
        if (status == MW_NO_DEVICE) {
            tap_skip(&tap, devices[i], "no such device");
            continue;
        }
        for (size_t s = 0; s < COUNT_OF(scenarios); s++) {
            int k = 1;

            while (run_fault(&tap, devices[i], &scenarios[s], types[s % 3], k))
                k++;
        }
    }
    return tap_end(&tap);
}
