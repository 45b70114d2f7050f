/*
 * type.cu - the rivals for keys of one type: compiled once for each, with RIVAL_KEY
 * its C++ type and RIVAL_NAME its short name.
 */
#include "inside.cuh"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <new>
#include <type_traits>

namespace
{

using key = RIVAL_KEY;

/* Temporary storage begins on such a boundary. */
uint64_t round_up(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Positions of 32 bits, which is what CUB is fastest with. */
template <typename Less>
cudaError_t run_merge(void *temporary, size_t *bytes, void *keys, uint64_t count,
                      cudaStream_t stream)
{
    return cub::DeviceMergeSort::SortKeys(temporary, *bytes, static_cast<key *>(keys),
                                          static_cast<uint32_t>(count), Less(), stream);
}

template <typename Less> int merge_workspace(uint64_t count, uint64_t *bytes)
{
    size_t temporary = 0;
    const cudaError_t code = run_merge<Less>(nullptr, &temporary, nullptr, count, 0);

    *bytes = temporary;
    return rival_check(code, "cub::DeviceMergeSort, asked for its storage");
}

template <typename Less>
int merge_sort(void *keys, uint64_t count, void *workspace, uint64_t bytes,
               cudaStream_t stream, void **sorted)
{
    size_t temporary = bytes;

    *sorted = keys;
    return rival_check(run_merge<Less>(workspace, &temporary, keys, count, stream),
                       "cub::DeviceMergeSort");
}

/* The second buffer comes first in the workspace. */
cudaError_t run_radix(void *temporary, size_t *bytes, cub::DoubleBuffer<key> *keys,
                      uint64_t count, cudaStream_t stream)
{
    return cub::DeviceRadixSort::SortKeys(temporary, *bytes, *keys,
                                          static_cast<uint32_t>(count), 0,
                                          static_cast<int>(8 * sizeof(key)), stream);
}

int radix_workspace(uint64_t count, uint64_t *bytes)
{
    cub::DoubleBuffer<key> keys(nullptr, nullptr);
    size_t temporary = 0;
    const cudaError_t code = run_radix(nullptr, &temporary, &keys, count, 0);

    *bytes = round_up(count * sizeof(key)) + temporary;
    return rival_check(code, "cub::DeviceRadixSort, asked for its storage");
}

int radix_sort(void *keys, uint64_t count, void *workspace, uint64_t bytes,
               cudaStream_t stream, void **sorted)
{
    const uint64_t second = round_up(count * sizeof(key));
    cub::DoubleBuffer<key> both(static_cast<key *>(keys), static_cast<key *>(workspace));
    size_t temporary = bytes - second;
    const cudaError_t code = run_radix(static_cast<char *>(workspace) + second, &temporary,
                                       &both, count, stream);

    *sorted = both.Current();
    return rival_check(code, "cub::DeviceRadixSort");
}

/* A comparison that Thrust does not know, lest it turns to its radix sort. */
struct own_less {
    __host__ __device__ bool operator()(key a, key b) const
    {
        return a < b;
    }
};

/* Lets Thrust allocate from the workspace. */
struct workspace_allocator {
    using value_type = char;

    char *allocate(std::ptrdiff_t bytes)
    {
        void *const memory = pool->take(static_cast<uint64_t>(bytes));

        if (!memory)
            throw std::bad_alloc();
        return static_cast<char *>(memory);
    }

    void deallocate(char *memory, size_t)
    {
        pool->give(memory);
    }

    bump *pool;
};

/* Thrust does not tell what it will ask for: a second array, partitions, some change. */
int thrust_workspace(uint64_t count, uint64_t *bytes)
{
    const uint64_t keys = count * sizeof(key);

    *bytes = round_up(keys + keys / 32) + (UINT64_C(1) << 20);
    return 0;
}

int thrust_sort(void *keys, uint64_t count, void *workspace, uint64_t bytes,
                cudaStream_t stream, void **sorted)
{
    key *const first = static_cast<key *>(keys);
    bump pool(workspace, bytes);
    workspace_allocator allocator = {&pool};

    *sorted = keys;
    try {
        thrust::sort(thrust::cuda::par_nosync(allocator).on(stream), first, first + count,
                     own_less());
    } catch (const std::exception &error) {
        return rival_fail("thrust::sort", error.what());
    }
    return 0;
}

template <typename T> constexpr typed_sort merge_by_total_order()
{
    if constexpr (std::is_floating_point<T>::value)
        return {merge_workspace<total_less<T>>, merge_sort<total_less<T>>};
    else
        return {nullptr, nullptr};
}

} // namespace

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

extern const typed_rivals JOIN(rivals_, RIVAL_NAME);
const typed_rivals JOIN(rivals_, RIVAL_NAME) = {
    {merge_workspace<::cuda::std::less<key>>, merge_sort<::cuda::std::less<key>>},
    merge_by_total_order<key>(),
    {radix_workspace,                         radix_sort                        },
    {thrust_workspace,                        thrust_sort                       },
};
