/*
 * capture.c - after one mw_prepare for a large count, mw_enqueue of that count and of
 * smaller ones only launches kernels. And mw_run waits once, for a stream of its own.
 *
 * The same holds for jobs of every other kind.
 *
 * On the fake driver (fake_cuda/ first in LD_LIBRARY_PATH) calls are counted. On a GPU
 * the sorts are captured in a graph, which is replayed with fresh keys; of other jobs the
 * result of a graph must be what the CPU returns.
 */
#include "cuda/driver.h"
#include "fake_cuda/fake_cuda.h"
#include "kit.h"
#include "multiway_insight.h"
#include "stops.h"
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

/* Kernels that are compiled may be kept, as trial_open keeps them. */
static mw_status open_cuda(mw_context **context)
{
    mw_options options = MW_OPTIONS_INIT;

    options.cache_path = getenv("MULTIWAY_TEST_CACHE");
    return mw_open(context, "cuda", &options);
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

/* A job whose arrays are on the device. */
struct enqueued {
    mw_context *context;
    struct stop_job job;
    char *at[STOP_ARRAYS];
    void *workspace;
    uint64_t workspace_bytes;
    CUstream stream;
};

static mw_status enqueue(const struct enqueued *e)
{
    return mw_enqueue(e->context, &e->job.job, e->workspace, e->workspace_bytes, e->stream);
}

/* Does the job launch, and do nothing else? */
static int job_launches(const struct enqueued *e)
{
    const int launches = fake->calls.called("cuLaunchKernelEx");
    const int others = other_calls();

    return enqueue(e) == MW_OK && other_calls() == others &&
           fake->calls.called("cuLaunchKernelEx") > launches;
}

/* Capture the job in a graph and launch that. */
static int job_captured(const struct enqueued *e)
{
    CUgraphExec exec = NULL;
    CUgraph graph = NULL;
    int right = graphs.begin(e->stream, CAPTURE_GLOBAL) == CUDA_SUCCESS;

    right &= enqueue(e) == MW_OK;
    return graphs.end(e->stream, &graph) == CUDA_SUCCESS && right &&
           graphs.instantiate(&exec, graph, 0) == CUDA_SUCCESS &&
           graphs.launch(exec, e->stream) == CUDA_SUCCESS &&
           driver.StreamSynchronize(e->stream) == CUDA_SUCCESS;
}

/* On a GPU the results must be those of the data, which the CPU has computed. */
static mw_status try_job(struct enqueued *e, const struct stop_data *data,
                         char *back[STOP_ARRAYS], int *right)
{
    const mw_tuning tuning = stop_tuning(data->stop);
    mw_status status;

    TRY(mw_set_tuning(e->context, &tuning));
    for (int i = 0; i < STOP_ARRAYS; i++) {
        TRY(mw_alloc(e->context, data->bytes[i] + 1, (void **)&e->at[i]));
        TRY(mw_upload(e->context, e->at[i], back[i], data->bytes[i]));
    }
    stop_make_job(data, e->at, &e->job);
    TRY(mw_prepare(e->context, &e->job.job, &e->workspace_bytes));
    TRY(mw_alloc(e->context, e->workspace_bytes + 1, &e->workspace));
    *right = fake ? job_launches(e) : job_captured(e);
    for (int i = STOP_OUT; i < STOP_ARRAYS && !fake; i++)
        TRY(mw_download(e->context, back[i], e->at[i], data->bytes[i]));
    *right &= fake || stop_same(data, back);
done:
    mw_free(e->context, e->workspace);
    for (int i = 0; i < STOP_ARRAYS; i++)
        mw_free(e->context, e->at[i]);
    return status;
}

static void test_jobs(struct tap *tap, mw_context *context, mw_context *cpu)
{
    mw_info info = MW_INFO_INIT;

    mw_get_info(context, &info);
    for (size_t i = 0; i < stop_count; i++) {
        static struct enqueued e;
        static struct stop_job here;
        struct stop_data data;
        char *back[STOP_ARRAYS] = {NULL};
        char text[STOP_TEXT];
        int right = 0;
        const int open =
            stop_open(&data, &stops[i], info.processors, cpu) && stop_copy(&data, back);

        e = (struct enqueued){.context = context};
        driver.StreamCreate(&e.stream, CU_STREAM_NON_BLOCKING);
        if (open)
            stop_make_job(&data, data.at, &here);
        right = open && mw_run(cpu, &here.job) == MW_OK &&
                try_job(&e, &data, back, &right) == MW_OK && right;
        driver.StreamDestroy(e.stream);
        tap_case(tap, right, "job %d, %s: only launches (%s)", (int)i,
                 stop_text(&data, text), mw_error(context));
        stop_free(back);
        stop_close(&data);
    }
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
    TRY(open_cuda(&s.context));
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

    TRY(open_cuda(&context));
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
    mw_context *jobs = NULL, *cpu = NULL;

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
    if (open_cuda(&jobs) == MW_OK && mw_open(&cpu, "cpu:2", NULL) == MW_OK)
        test_jobs(&tap, jobs, cpu);
    mw_close(cpu);
    mw_close(jobs);
    driver.CtxPopCurrent(&context);
    driver.DevicePrimaryCtxRelease(0);
    driver_close(&driver);
    return tap_end(&tap);
}
