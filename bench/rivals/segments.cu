/*
 * segments.cu - segments sorted by cub::DeviceSegmentedSort: keys, or stable pairs.
 */
#include "inside.cuh"

#include <cub/device/device_segmented_sort.cuh>

namespace
{

template <typename K>
cudaError_t sort(const rival_case *what, const kit_arrays *arrays, void *storage,
                 size_t *bytes, cudaStream_t stream)
{
    const kit_work *const work = what->work;
    const int64_t count = (int64_t)work->count, segments = (int64_t)work->parts;
    const uint32_t *const bounds = static_cast<const uint32_t *>(arrays->segments);
    const K *const keys = static_cast<const K *>(arrays->keys);
    K *const out = static_cast<K *>(arrays->out);

    if (work->task.value_bytes)
        return cub::DeviceSegmentedSort::StableSortPairs(
            storage, *bytes, keys, out, static_cast<const uint32_t *>(arrays->values),
            static_cast<uint32_t *>(arrays->out_values), count, segments, bounds,
            bounds + 1, stream);
    return cub::DeviceSegmentedSort::SortKeys(storage, *bytes, keys, out, count, segments,
                                              bounds, bounds + 1, stream);
}

int any(const rival_case *what, const kit_arrays *arrays, void *storage, size_t *bytes,
        cudaStream_t stream)
{
    return rival_check(what->type == MW_I32
                           ? sort<int32_t>(what, arrays, storage, bytes, stream)
                           : sort<int64_t>(what, arrays, storage, bytes, stream),
                       "cub::DeviceSegmentedSort");
}

int takes(const rival_case *what)
{
    const kit_task *const task = &what->work->task;

    return (what->type == MW_I32 || what->type == MW_I64) && !task->positions &&
           (task->value_bytes == 0 || task->value_bytes == 4);
}

} // namespace

const rival rival_segments = {
    "cub-segmented",
    "cub::DeviceSegmentedSort, SortKeys or StableSortPairs, storage allocated before",
    takes,
    call_workspace<any>,
    nullptr,
    KIT_SEGMENTS,
    call_run<any>,
};
