/*
 * 10_graph.c - capture a sort of pairs in a CUDA graph, and launch it with fresh keys.
 *
 * After mw_prepare, mw_enqueue only launches kernels, so a stream can capture it. Arrays
 * and workspace are part of the graph and stay where they are; what they hold may change
 * between launches.
 *
 * The driver is opened at run time, so that this file needs no CUDA headers. A program
 * that has them calls cudaStreamBeginCapture and so on instead.
 */
#include <multiway.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1 << 20, LAUNCHES = 3, NON_BLOCKING = 1, GLOBAL = 0 };

/* Functions of libcuda.so.1; each returns 0 for success. */
static struct {
    int (*init)(unsigned flags);
    int (*retain)(void **context, int device);
    int (*set_current)(void *context);
    int (*stream_create)(void **stream, unsigned flags);
    int (*begin_capture)(void *stream, int mode);
    int (*end_capture)(void *stream, void **graph);
    int (*instantiate)(void **exec, void *graph, unsigned long long flags);
    int (*launch)(void *exec, void *stream);
    int (*synchronize)(void *stream);
} cuda;

static uint32_t before[COUNT], keys[COUNT], values[COUNT];

/* Leave by the one way out as soon as a call fails. */
#define TRY(call)            \
    do {                     \
        status = (call);     \
        if (status != MW_OK) \
            goto done;       \
    } while (0)

/* The same for the driver. */
#define CUDA(call) TRY((call) == 0 ? MW_OK : MW_DEVICE_FAILED)

/* 0 if this machine has no GPU. */
static int find_cuda(void)
{
    static const struct {
        const char *name;
        void *function;
    } functions[] = {
        {"cuInit",                      &cuda.init         },
        {"cuDevicePrimaryCtxRetain",    &cuda.retain       },
        {"cuCtxSetCurrent",             &cuda.set_current  },
        {"cuStreamCreate",              &cuda.stream_create},
        {"cuStreamBeginCapture_v2",     &cuda.begin_capture},
        {"cuStreamEndCapture",          &cuda.end_capture  },
        {"cuGraphInstantiateWithFlags", &cuda.instantiate  },
        {"cuGraphLaunch",               &cuda.launch       },
        {"cuStreamSynchronize",         &cuda.synchronize  },
    };
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);

    for (size_t i = 0; library && i < sizeof functions / sizeof functions[0]; i++) {
        void *const found = dlsym(library, functions[i].name);

        if (!found)
            return 0;
        memcpy(functions[i].function, &found, sizeof found);
    }
    return library && cuda.init(0) == 0;
}

static void fill(uint32_t seed)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        before[i] = keys[i] = (i * 2654435769u ^ seed * 2246822519u) >> 14; /* with ties */
        values[i] = i;
    }
}

/* Keys in order, each with its own value, and values of equal keys in order, too. */
static int is_sorted(void)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        if (before[values[i]] != keys[i] ||
            (i > 0 && (keys[i - 1] > keys[i] ||
                       (keys[i - 1] == keys[i] && values[i - 1] > values[i]))))
            return 0;
    }
    return 1;
}

int main(void)
{
    mw_column column = {NULL, sizeof values[0]};
    mw_table table = {NULL, COUNT, &column, 1};
    mw_job job = MW_JOB_INIT;
    mw_context *context = NULL;
    void *primary, *stream, *graph, *exec;
    void *workspace = NULL;
    uint64_t workspace_bytes;
    mw_status status;

    if (!find_cuda()) {
        printf("no GPU: graphs need one\n");
        return 0;
    }
    job.order = mw_order_of(MW_U32, MW_ASCENDING);
    job.in = &table;
    TRY(mw_open(&context, "cuda", NULL));
    TRY(mw_prepare(context, &job, &workspace_bytes));
    TRY(mw_alloc(context, sizeof keys, &table.elements));
    TRY(mw_alloc(context, sizeof values, &column.data));
    TRY(mw_alloc(context, workspace_bytes, &workspace));
    CUDA(cuda.retain(&primary, 0)); /* the context that the library uses, too */
    CUDA(cuda.set_current(primary));
    CUDA(cuda.stream_create(&stream, NON_BLOCKING));

    CUDA(cuda.begin_capture(stream, GLOBAL));
    TRY(mw_enqueue(context, &job, workspace, workspace_bytes, stream));
    CUDA(cuda.end_capture(stream, &graph));
    CUDA(cuda.instantiate(&exec, graph, 0));
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        fill(i);
        TRY(mw_upload(context, table.elements, keys, sizeof keys));
        TRY(mw_upload(context, column.data, values, sizeof values));
        CUDA(cuda.launch(exec, stream));
        CUDA(cuda.synchronize(stream));
        TRY(mw_download(context, keys, table.elements, sizeof keys));
        TRY(mw_download(context, values, column.data, sizeof values));
        TRY(is_sorted() ? MW_OK : MW_DEVICE_FAILED);
        printf("launch %u: %d pairs in order\n", (unsigned)i, (int)COUNT);
    }
done: /* graph, stream and context end with the process */
    if (status != MW_OK)
        fprintf(stderr, "%s: %s\n", mw_status_text(status), mw_error(context));
    mw_free(context, workspace);
    mw_free(context, column.data);
    mw_free(context, table.elements);
    mw_close(context);
    return status != MW_OK;
}
