/*
 * rivals.cu - the plugin: its list of rivals, a stopwatch of CUDA events, copies
 * and checks, as rivals.h asks for them.
 */
#include "clocks.cuh"

#include <cub/version.cuh>

#include <cstdio>
#include <cstdlib>

#define TYPES(F) F(i8) F(u8) F(i16) F(u16) F(i32) F(u32) F(i64) F(u64) F(f32) F(f64)

#define DECLARE(name) extern const typed_rivals rivals_##name;
TYPES(DECLARE)
#undef DECLARE

namespace
{

/* In the order of mw_type. */
const typed_rivals *const by_type[MW_TYPE_COUNT] = {
#define ROW(name) &rivals_##name,
    TYPES(ROW)
#undef ROW
};

/* What is open; the plugin serves one device at a time. */
struct {
    int device;
    cudaStream_t stream;
    cudaEvent_t first;
    cudaEvent_t last;
    unsigned long long *result; /* device memory for a verdict */
    char error[400];
} state;

template <typed_sort typed_rivals::*Sort, typed_sort typed_rivals::*TotalSort>
const typed_sort &choose(const rival_case *what)
{
    const int is_float = what->type == MW_F32 || what->type == MW_F64;

    return by_type[what->type]->*(is_float && what->order == ORDER_TOTAL ? TotalSort
                                                                         : Sort);
}

/* Counts and positions have 32 bits, and some arithmetic on them a sign. */
template <typed_sort typed_rivals::*Sort, typed_sort typed_rivals::*TotalSort>
int takes(const rival_case *what)
{
    const int has_order = what->order == ORDER_LESS || Sort != TotalSort ||
                          (what->type != MW_F32 && what->type != MW_F64);

    return by_type[what->type] && has_order && what->count <= INT32_MAX &&
           choose<Sort, TotalSort>(what).sort;
}

template <typed_sort typed_rivals::*Sort, typed_sort typed_rivals::*TotalSort>
int workspace(const rival_case *what, uint64_t *bytes)
{
    return choose<Sort, TotalSort>(what).workspace(what->count, bytes);
}

template <typed_sort typed_rivals::*Sort, typed_sort typed_rivals::*TotalSort>
int sort(const rival_case *what, void *keys, void *space, uint64_t bytes, void *stream,
         void **sorted)
{
    return choose<Sort, TotalSort>(what).sort(keys, what->count, space, bytes,
                                              static_cast<cudaStream_t>(stream), sorted);
}

#define CALLS(Sort, TotalSort)                                    \
    takes<&typed_rivals::Sort, &typed_rivals::TotalSort>,         \
        workspace<&typed_rivals::Sort, &typed_rivals::TotalSort>, \
        sort<&typed_rivals::Sort, &typed_rivals::TotalSort>

/* clang-format off */
const rival list[] = {
    {"cub-merge",
     "cub::DeviceMergeSort::SortKeys, cuda::std::less, storage allocated before",
     CALLS(merge, merge_total)},
    {"cub-radix",
     "cub::DeviceRadixSort::SortKeys on a DoubleBuffer, storage allocated before",
     CALLS(radix, radix)},
    {"thrust",
     "thrust::sort with a comparison of its own, storage handed out of a workspace",
     CALLS(thrust, thrust)},
#ifdef RIVALS_MODERNGPU
    rival_moderngpu,
#endif
    rival_merge,
    rival_topk,
    rival_segments,
    rival_old, /* last: left out unless its library is named */
};
/* clang-format on */

int open_all(void)
{
    return rival_check(cudaSetDevice(state.device), "the device") ||
           rival_check(cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking),
                       "a stream") ||
           rival_check(cudaEventCreate(&state.first), "an event") ||
           rival_check(cudaEventCreate(&state.last), "an event") ||
           rival_check(cudaMalloc(&state.result, sizeof(rival_verdict)), "memory");
}

void close_all(void)
{
    cudaFree(state.result);
    if (state.last)
        cudaEventDestroy(state.last);
    if (state.first)
        cudaEventDestroy(state.first);
    if (state.stream)
        cudaStreamDestroy(state.stream);
    state.result = nullptr;
    state.last = state.first = nullptr;
    state.stream = nullptr;
}

int open(const char *device, void **stream)
{
    if (strncmp(device, "cuda:", 5) != 0)
        return rival_fail(device, "these rivals sort on NVIDIA GPUs only");
    state.device = atoi(device + 5);
    if (open_all()) {
        close_all();
        return -1;
    }
    *stream = state.stream;
    return 0;
}

int describe(char *text, size_t bytes)
{
    return clocks_describe(state.device, text, bytes);
}

int start(void *stream)
{
    return rival_check(cudaEventRecord(state.first, static_cast<cudaStream_t>(stream)),
                       "an event");
}

int stop(void *stream, double *milliseconds)
{
    float elapsed = 0;

    if (rival_check(cudaEventRecord(state.last, static_cast<cudaStream_t>(stream)),
                    "an event") ||
        rival_check(cudaEventSynchronize(state.last), "waiting for an event") ||
        rival_check(cudaEventElapsedTime(&elapsed, state.first, state.last), "a time"))
        return -1;
    *milliseconds = elapsed;
    return 0;
}

int copy(void *to, const void *from, uint64_t bytes, void *stream)
{
    return rival_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                       static_cast<cudaStream_t>(stream)),
                       "a copy");
}

int check(const rival_case *what, const void *keys, void *stream, rival_verdict *verdict)
{
    const cudaStream_t line = static_cast<cudaStream_t>(stream);
    unsigned long long result[2] = {0, 0};

    if (rival_check(cudaMemsetAsync(state.result, 0, sizeof result, line), "a check") ||
        rival_check(rival_judge(what, keys, state.result, line), "a check") ||
        rival_check(cudaMemcpyAsync(result, state.result, sizeof result,
                                    cudaMemcpyDeviceToHost, line),
                    "a check") ||
        rival_check(cudaStreamSynchronize(line), "a check"))
        return -1;
    verdict->descents = result[0];
    verdict->fingerprint = result[1];
    return 0;
}

const char *error(void)
{
    return state.error;
}

char built[64];

rivals table = {
    RIVALS_VERSION,
    built,
    "CUDA events around the call, on its stream",
    list,
    sizeof list / sizeof *list - 1,
    open,
    close_all,
    describe,
    start,
    stop,
    copy,
    check,
    error,
};

} // namespace

int rival_fail(const char *what, const char *error)
{
    snprintf(state.error, sizeof state.error, "%s: %s", what, error);
    return -1;
}

extern "C" __attribute__((visibility("default"))) const rivals *multiway_rivals(void)
{
    snprintf(built, sizeof built, "CUDA %d.%d, CCCL %d.%d.%d", CUDART_VERSION / 1000,
             CUDART_VERSION % 1000 / 10, CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
             CUB_SUBMINOR_VERSION);
    table.count = sizeof list / sizeof *list - (getenv("MULTIWAY_OLD") ? 0 : 1);
    return &table;
}
