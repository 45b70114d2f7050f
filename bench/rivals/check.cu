/*
 * check.cu - are keys in order, and which keys are they? On the GPU, since the
 * results of a benchmark are too many to carry home.
 */
#include "inside.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace
{

enum { THREADS = 256, MOST_BLOCKS = 2048 };

/* The same mixture as the kit's, so that figures can be compared. */
__device__ unsigned long long mix(unsigned long long bits)
{
    bits ^= bits >> 32;
    bits *= 0x9e3779b97f4a7c15ull;
    bits ^= bits >> 29;
    bits *= 0x243f6a8885a308d3ull;
    return bits ^ bits >> 32;
}

/* Does `b` belong before `a`? */
template <typename T> __device__ bool descends(T a, T b, rival_order order)
{
    return order == ORDER_TOTAL ? total_less<T>()(b, a) : !(a <= b);
}

__device__ void add_up(unsigned long long value, unsigned long long *total)
{
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(~0u, value, distance);
    if (threadIdx.x % 32 == 0 && value)
        atomicAdd(total, value);
}

template <typename T>
__global__ void judge(const T *keys, uint64_t count, rival_order order,
                      unsigned long long *result)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    unsigned long long descents = 0;
    unsigned long long sum = 0;

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count;
         i += stride) {
        const T key = keys[i];

        sum += mix(total_less<T>::bits(key) + 0x6a09e667f3bcc908ull);
        descents += i + 1 < count && descends(key, keys[i + 1], order);
    }
    add_up(descents, &result[0]);
    add_up(sum, &result[1]);
}

template <typename T>
cudaError_t run(const rival_case *what, const void *keys, unsigned long long *result,
                cudaStream_t stream)
{
    const uint64_t wanted = (what->count + THREADS - 1) / THREADS;
    const unsigned blocks = (unsigned)(wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS);

    judge<T><<<blocks ? blocks : 1, THREADS, 0, stream>>>(static_cast<const T *>(keys),
                                                          what->count, what->order, result);
    return cudaGetLastError();
}

} // namespace

cudaError_t rival_judge(const rival_case *what, const void *keys,
                        unsigned long long *result, cudaStream_t stream)
{
    switch (what->type) {
    case MW_I8:
        return run<int8_t>(what, keys, result, stream);
    case MW_U8:
        return run<uint8_t>(what, keys, result, stream);
    case MW_I16:
        return run<int16_t>(what, keys, result, stream);
    case MW_U16:
        return run<uint16_t>(what, keys, result, stream);
    case MW_I32:
        return run<int32_t>(what, keys, result, stream);
    case MW_U32:
        return run<uint32_t>(what, keys, result, stream);
    case MW_I64:
        return run<int64_t>(what, keys, result, stream);
    case MW_U64:
        return run<uint64_t>(what, keys, result, stream);
    case MW_F32:
        return run<float>(what, keys, result, stream);
    case MW_F64:
        return run<double>(what, keys, result, stream);
    case MW_F16:
        return run<__half>(what, keys, result, stream);
    case MW_BF16:
        return run<__nv_bfloat16>(what, keys, result, stream);
    }
    return cudaErrorInvalidValue;
}
