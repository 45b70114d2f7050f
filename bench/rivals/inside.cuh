/*
 * inside.cuh - what the plugin's files share: errors, the orders, and the table
 * of sorts that each type's file fills in.
 */
#ifndef MW_BENCH_RIVALS_INSIDE_CUH
#define MW_BENCH_RIVALS_INSIDE_CUH

#include "../rivals.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/* Keep `what` and the error's own words for `error`; returns -1. */
int rival_fail(const char *what, const char *error);

/* 0, or rival_fail. */
inline int rival_check(cudaError_t code, const char *what)
{
    return code == cudaSuccess ? 0 : rival_fail(what, cudaGetErrorString(code));
}

/* Judge keys: `result` is two numbers in device memory, the fields of a verdict. */
cudaError_t rival_judge(const rival_case *what, const void *keys,
                        unsigned long long *result, cudaStream_t stream);

/* modernGPU's mergesort, if it was compiled in (moderngpu.cu). */
extern const rival rival_moderngpu;

/* Other operations than sort, by CUB (merge.cu, topk.cu, segments.cu). */
extern const rival rival_merge, rival_topk, rival_segments;

/* Another build of libmultiway (old.cu). */
extern const rival rival_old;

/* One way to sort keys of one type: how much workspace, and the sort itself. */
struct typed_sort {
    int (*workspace)(uint64_t count, uint64_t *bytes);
    int (*sort)(void *keys, uint64_t count, void *workspace, uint64_t bytes,
                cudaStream_t stream, void **sorted);
};

/* What one type's file offers; a sort that it has not is {NULL, NULL}. */
struct typed_rivals {
    typed_sort merge;
    typed_sort merge_total; /* floats only, by the total order */
    typed_sort radix;
    typed_sort thrust;
};

/* A call of CUB: without storage it says how many bytes it needs. */
using cub_call = int(const rival_case *what, const kit_arrays *arrays, void *storage,
                     size_t *bytes, cudaStream_t stream);

template <cub_call Call> int call_workspace(const rival_case *what, uint64_t *bytes)
{
    const kit_arrays none = {};
    size_t needed = 0;
    const int failed = Call(what, &none, nullptr, &needed, nullptr);

    *bytes = needed;
    return failed;
}

template <cub_call Call>
int call_run(const rival_case *what, const kit_arrays *arrays, void *space, uint64_t bytes,
             void *stream)
{
    size_t storage = bytes;

    return Call(what, arrays, space, &storage, static_cast<cudaStream_t>(stream));
}

/* Numbers by value, -0 before +0, then all NaNs by their bits. */
template <typename T> struct total_less {
    __host__ __device__ static uint64_t bits(T key)
    {
        uint64_t all = 0;

        memcpy(&all, &key, sizeof key);
        return all;
    }

    __host__ __device__ bool operator()(T a, T b) const
    {
        const bool a_nan = a != a;
        const bool b_nan = b != b;
        const uint64_t sign = UINT64_C(1) << (8 * sizeof(T) - 1);

        if (a_nan || b_nan)
            return a_nan && b_nan ? bits(a) < bits(b) : b_nan;
        if (!std::is_integral<T>::value && a == b)
            return (bits(a) & sign) && !(bits(b) & sign);
        return a < b;
    }
};

/* Hands out a workspace piece by piece; what was taken last can be given back. */
class bump
{
  public:
    bump(void *first, uint64_t bytes) : next_(static_cast<char *>(first)), left_(bytes)
    {
    }

    /* NULL if not enough is left. */
    void *take(uint64_t bytes)
    {
        const uint64_t room = (bytes + 255) / 256 * 256;
        char *const taken = next_;

        if (room > left_)
            return nullptr;
        next_ += room;
        left_ -= room;
        return taken;
    }

    void give(void *memory)
    {
        char *const at = static_cast<char *>(memory);

        left_ += static_cast<uint64_t>(next_ - at);
        next_ = at;
    }

  private:
    char *next_;
    uint64_t left_;
};

#endif
