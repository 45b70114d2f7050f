/*
 * capture.c - after one mw_prepare for a large count, mw_enqueue of that count and of
 * smaller ones only launches kernels. And mw_run waits once, for a stream of its own.
 *
 * On the fake driver (fake_cuda/ first in LD_LIBRARY_PATH) calls are counted. On a GPU
 * the sorts are captured in a graph, which is replayed with fresh keys.
 */
#include "cuda/driver.h"
#include "fake_cuda/fake_cuda.h"
#include "kit.h"
#include "multiway_insight.h"
#include "tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;

enum { CAPTURE_GLOBAL = 0, REPLAYS = 3 };

/* Functions of the driver that the library does not use. */
static struct {
    CUresult (*begin)(CUstream stream, int mode);
    CUresult (*end)(CUstream stream, CUgraph *graph);
    CUresult (*instantiate)(CUgraphExec *exec, CUgraph graph, unsigned long long flags);
    CUresult (*launch)(CUgraphExec exec, CUstream stream);
} graphs;

static struct driver driver;
static struct fake_cuda *fake; /* NULL on a GPU */

/* One small tile, two, few tiles of half the size, whole tiles: a geometry for each. */
static const uint64_t counts[] = {1, 2048, 4096, 5000, 98304, 98305, 1 << 20};

enum { COUNTS = COUNT_OF(counts), ROOM = 1 << 20, KEYS = COUNTS * ROOM };

static void find(void *library, const char *name, void *function)
{
    void *const found = dlsym(library, name);

    memcpy(function, &found, sizeof found);
}

/* 0 if this machine has neither a GPU nor the fake driver. */
static int find_driver(void)
{
    struct error error;
    fake_cuda_fn *found = NULL;

    if (driver_open(&driver, &error) != MW_OK)
        return 0;
    find(driver.library, "fake_cuda", &found);
    fake = found ? found() : NULL;
    find(driver.library, "cuStreamBeginCapture_v2", &graphs.begin);
    find(driver.library, "cuStreamEndCapture", &graphs.end);
    find(driver.library, "cuGraphInstantiateWithFlags", &graphs.instantiate);
    find(driver.library, "cuGraphLaunch", &graphs.launch);
    return fake || graphs.instantiate;
}

/* What is sorted: an array for each count, in room for ROOM keys. */
struct sorts {
    mw_context *context;
    mw_type type;
    void *keys, *workspace; /* on the device */
    char *host;
    uint64_t workspace_bytes;
    CUstream stream;
};

static uint64_t place_of(const struct sorts *s, size_t i)
{
    return i * ROOM * mw_type_size(s->type);
}

static mw_job job_of(mw_type type, const mw_table *table)
{
    mw_job job = MW_JOB_INIT;

    job.order = mw_order_of(type, MW_ASCENDING);
    job.in = table;
    return job;
}

static mw_status enqueue_all(const struct sorts *s)
{
    mw_status status = MW_OK;

    for (size_t i = 0; i < COUNTS && status == MW_OK; i++) {
        const mw_table table = {(char *)s->keys + place_of(s, i), counts[i], NULL, 0};
        const mw_job job = job_of(s->type, &table);

        status = mw_enqueue(s->context, &job, s->workspace, s->workspace_bytes, s->stream);
    }
    return status;
}

/* Calls of the fake driver that neither launch nor enter or leave the context. */
static int other_calls(void)
{
    return fake->calls.count - fake->calls.called("cuLaunchKernelEx") -
           2 * fake->calls.called("cuCtxPushCurrent_v2");
}

/* Do sorts launch, and do nothing else? */
static int only_launches(const struct sorts *s)
{
    const int launches = fake->calls.called("cuLaunchKernelEx");
    const int others = other_calls();

    return enqueue_all(s) == MW_OK && other_calls() == others &&
           fake->calls.called("cuLaunchKernelEx") >= launches + COUNTS;
}

/* Fresh keys, one launch of the graph: are all arrays sorted? */
static int replay(const struct sorts *s, CUgraphExec exec, uint64_t seed)
{
    const uint64_t bytes = KEYS * mw_type_size(s->type);
    struct kit_fingerprint before[COUNTS] = {
        {0, 0}
    };
    int right = kit_fill(s->type, "random", seed, s->host, KEYS) == MW_OK;

    for (size_t i = 0; i < COUNTS; i++)
        kit_fingerprint_add(&before[i], s->type, s->host + place_of(s, i), counts[i]);
    right &= mw_upload(s->context, s->keys, s->host, bytes) == MW_OK &&
             graphs.launch(exec, s->stream) == CUDA_SUCCESS &&
             driver.StreamSynchronize(s->stream) == CUDA_SUCCESS &&
             mw_download(s->context, s->host, s->keys, bytes) == MW_OK;
    for (size_t i = 0; i < COUNTS; i++) {
        const char *const sorted = s->host + place_of(s, i);
        struct kit_fingerprint after = {0, 0};

        kit_fingerprint_add(&after, s->type, sorted, counts[i]);
        right &= kit_fingerprint_equal(before[i], after) &&
                 kit_first_disorder(s->type, MW_ASCENDING, sorted, counts[i]) == counts[i];
    }
    return right;
}

/* Capture once, replay often. Graphs live until the process ends. */
static int capture(const struct sorts *s)
{
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    int right = graphs.begin(s->stream, CAPTURE_GLOBAL) == CUDA_SUCCESS;

    right &= enqueue_all(s) == MW_OK;
    right = graphs.end(s->stream, &graph) == CUDA_SUCCESS && right &&
            graphs.instantiate(&exec, graph, 0) == CUDA_SUCCESS;
    for (uint64_t i = 0; i < REPLAYS && right; i++)
        right = replay(s, exec, i + 1);
    return right;
}

static void test_sorts(struct tap *tap, const char *engine, mw_engine number, mw_type type)
{
    struct sorts s = {.type = type, .host = malloc(KEYS * mw_type_size(type))};
    mw_tuning tuning = MW_TUNING_INIT;
    const mw_table table = {NULL, counts[COUNTS - 1], NULL, 0};
    const mw_job job = job_of(type, &table);
    int right = 0;
    mw_status status;

    tuning.engine = number;
    TRY(mw_open(&s.context, "cuda", NULL));
    TRY(mw_set_tuning(s.context, &tuning));
    TRY(mw_prepare(s.context, &job, &s.workspace_bytes));
    TRY(mw_alloc(s.context, KEYS * mw_type_size(type), &s.keys));
    TRY(mw_alloc(s.context, s.workspace_bytes, &s.workspace));
    driver.StreamCreate(&s.stream, CU_STREAM_NON_BLOCKING);
    right = fake ? only_launches(&s) : capture(&s);
    driver.StreamDestroy(s.stream);
done:
    tap_case(tap, right, "engine %s, %s, one preparation, %d counts: %s", engine,
             mw_type_name(type), (int)COUNTS, mw_error(s.context));
    mw_close(s.context);
    free(s.host);
}

/*
 * Each mw_run launches on the same stream, not the default one, and waits for it once.
 * Only engines tile and tally launch programmatically, and only if launches are not timed.
 */
static void test_run(struct tap *tap)
{
    static const struct {
        mw_engine engine;
        mw_timing timing;
        unsigned attributes; /* of the last launch */
    } rows[] = {
        {MW_ENGINE_TILE, MW_TIMING_OFF,      1},
        {MW_ENGINE_TILE, MW_TIMING_LAUNCHES, 0},
        {MW_ENGINE_HEAP, MW_TIMING_OFF,      0},
        {MW_ENGINE_PAIR, MW_TIMING_OFF,      0},
    };
    static float keys[100000];
    const mw_table table = {keys, COUNT_OF(keys), NULL, 0};
    const mw_job job = job_of(MW_F32, &table);
    mw_tuning tuning = MW_TUNING_INIT;
    mw_counts figures = MW_COUNTS_INIT;
    void *stream = NULL;
    mw_context *context;
    mw_status status;

    TRY(mw_open(&context, "cuda", NULL));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const int waits = fake->calls.called("cuStreamSynchronize");

        tuning.engine = rows[i].engine;
        TRY(mw_set_tuning(context, &tuning));
        TRY(mw_set_timing(context, rows[i].timing));
        TRY(mw_run(context, &job));
        stream = stream ? stream : fake->launched.stream;
        tap_case(tap, stream && fake->launched.stream == stream,
                 "mw_run %zu: its own stream", i);
        tap_case(tap, fake->calls.called("cuStreamSynchronize") == waits + 1,
                 "mw_run %zu: one wait", i);
        tap_case(tap, fake->launched.attributes == rows[i].attributes,
                 "mw_run %zu: a programmatic launch where it may be", i);
    }
    fake->calls.fail_at = fake->calls.count + 2;
    tap_ok(tap,
           mw_run(context, &job) == MW_DEVICE_FAILED &&
               mw_get_counts(context, &figures) == MW_OK && figures.count == 0,
           "a run that fails leaves no figures", fake->calls.failed);
    fake->calls.fail_at = 0;
done:
    tap_case(tap, status == MW_OK && fake->calls.called("cuCtxSynchronize") == 0,
             "mw_run waits for no other stream: %s", mw_error(context));
    mw_close(context);
}

int main(void)
{
    static const mw_type types[] = {MW_F32, MW_U64};
    struct tap tap = {0, 0};
    CUcontext context = NULL;

    if (!find_driver() || driver.DevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS) {
        tap_skip(&tap, "capture", "no GPU");
        return tap_end(&tap);
    }
    driver.CtxPushCurrent(context);
    if (fake)
        test_run(&tap);
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        test_sorts(&tap, "auto", MW_ENGINE_AUTO, types[i]);
        test_sorts(&tap, "heap", MW_ENGINE_HEAP, types[i]);
        test_sorts(&tap, "pair", MW_ENGINE_PAIR, types[i]);
    }
    test_sorts(&tap, "tally", MW_ENGINE_TALLY, MW_BF16);
    driver.CtxPopCurrent(&context);
    driver.DevicePrimaryCtxRelease(0);
    driver_close(&driver);
    return tap_end(&tap);
}
