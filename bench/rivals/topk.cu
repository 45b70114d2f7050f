/*
 * topk.cu - the k greatest keys with positions by cub::DeviceTopK, where the headers have
 * it: neither sorted nor deterministic.
 */
#include "inside.cuh"

#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>

namespace
{

template <typename K>
cudaError_t top(const rival_case *what, const kit_arrays *arrays, void *storage,
                size_t *bytes, cudaStream_t stream)
{
    const auto environment = cuda::std::execution::env{
        cuda::stream_ref{stream},
        cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                 cuda::execution::output_ordering::unsorted)};

    return cub::DeviceTopK::MaxPairs(
        storage, *bytes, static_cast<const K *>(arrays->keys),
        static_cast<K *>(arrays->out), cuda::counting_iterator<uint32_t>(0),
        static_cast<uint32_t *>(arrays->out_values), static_cast<uint32_t>(what->count),
        static_cast<uint32_t>(what->work->results), environment);
}

int any(const rival_case *what, const kit_arrays *arrays, void *storage, size_t *bytes,
        cudaStream_t stream)
{
    return rival_check(
        what->type == MW_U32   ? top<uint32_t>(what, arrays, storage, bytes, stream)
        : what->type == MW_F32 ? top<float>(what, arrays, storage, bytes, stream)
                               : top<uint64_t>(what, arrays, storage, bytes, stream),
        "cub::DeviceTopK");
}

/* One array only; NaNs have no place in its order. */
int takes(const rival_case *what)
{
    return !what->work->task.columns && what->order == ORDER_LESS &&
           (what->type == MW_U32 || what->type == MW_U64 || what->type == MW_F32);
}

} // namespace

const rival rival_topk = {
    "cub-topk",
    "cub::DeviceTopK::MaxPairs, unsorted, not deterministic, storage allocated before",
    takes,
    call_workspace<any>,
    nullptr,
    KIT_SELECT,
    call_run<any>,
};
#else

namespace
{

int takes_none(const rival_case *)
{
    return 0;
}

} // namespace

const rival rival_topk = {"cub-topk", "cub::DeviceTopK is not in these headers (MW_CCCL)",
                          takes_none, nullptr,
                          nullptr,    KIT_SELECT,
                          nullptr};
#endif
