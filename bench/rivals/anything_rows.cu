/*
 * anything_rows.cu - rows of one sort: how they are made and checked, and how CUB sorts
 * them. Compiled once for each, with ELEMENT and VALUE its types and ROWS the name of its
 * calls; records have no VALUE.
 */
#include "anything.cuh"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace
{

enum { THREADS = 256, MOST_BLOCKS = 4096 };

unsigned blocks_for(uint64_t work)
{
    const uint64_t most = MOST_BLOCKS;

    return static_cast<unsigned>(std::min((work + THREADS - 1) / THREADS, most));
}

__device__ uint64_t first_index()
{
    return (uint64_t)blockIdx.x * THREADS + threadIdx.x;
}

__device__ uint64_t grid_stride()
{
    return (uint64_t)gridDim.x * THREADS;
}

/* ---- Making rows ------------------------------------------------------------- */

template <typename E> __global__ void fill_elements(E *elements, numbers all)
{
    for (uint64_t i = first_index(); i < all.count; i += grid_stride())
        elements[i] = make<E>(all, i);
}

template <typename V> __global__ void number_values(V *values, uint64_t count)
{
    for (uint64_t i = first_index(); i < count; i += grid_stride())
        values[i] = value_of<V>(i);
}

template <typename E>
cudaError_t fill(void *elements, const numbers *all, cudaStream_t stream)
{
    fill_elements<<<blocks_for(all->count), THREADS, 0, stream>>>(
        static_cast<E *>(elements), *all);
    return cudaGetLastError();
}

template <typename V>
cudaError_t fill_values(void *values, uint64_t count, cudaStream_t stream)
{
    number_values<<<blocks_for(count), THREADS, 0, stream>>>(static_cast<V *>(values),
                                                             count);
    return cudaGetLastError();
}

/* ---- Checking a result --------------------------------------------------------- */

template <typename E> __device__ bool same(const E &a, const E &b)
{
    uint32_t a_words[sizeof(E) / 4];
    uint32_t b_words[sizeof(E) / 4];
    bool equal = true;

    memcpy(a_words, &a, sizeof(E));
    memcpy(b_words, &b, sizeof(E));
    for (size_t i = 0; i < sizeof(E) / 4; i++)
        equal &= a_words[i] == b_words[i];
    return equal;
}

/* The position in the input that row `i` of the result says it comes from. */
template <typename E, typename V>
__device__ uint64_t row_at(const E *elements, const V *values, uint64_t i)
{
    if constexpr (std::is_same<V, none>::value)
        return row_in(elements[i]);
    else
        return static_cast<uint32_t>(values[i]);
}

template <bool argsort, typename E, typename V>
__device__ void judge_row(const E *elements, const V *values, const numbers &all,
                          uint32_t *bitmap, uint64_t i, faults *found)
{
    const uint64_t row = row_at(elements, values, i);

    if constexpr (argsort)
        found->touched += !same(elements[i], make<E>(all, i));
    if (row >= all.count) {
        found->strangers++;
        return;
    }

    const uint32_t bit = 1u << row % 32;
    const E expected = make<E>(all, row);

    found->doubles += (atomicOr(&bitmap[row / 32], bit) & bit) != 0;
    if constexpr (!argsort) {
        found->changed += !same(elements[i], expected);
        if constexpr (!std::is_same<V, none>::value)
            found->changed += values[i] != value_of<V>(row);
    }
    if (i == 0)
        return;

    const uint64_t before = row_at(elements, values, i - 1);
    const row_less less;

    if (before >= all.count)
        return;

    const E previous = make<E>(all, before);

    found->descents += less(expected, previous);
    found->unstable +=
        !less(expected, previous) && !less(previous, expected) && before >= row;
}

template <bool argsort, typename E, typename V>
__global__ void judge(const E *elements, const V *values, numbers all, uint32_t *bitmap,
                      faults *result)
{
    faults found = {};

    for (uint64_t i = first_index(); i < all.count; i += grid_stride())
        judge_row<argsort>(elements, values, all, bitmap, i, &found);
    if (found.strangers)
        atomicAdd(&result->strangers, found.strangers);
    if (found.doubles)
        atomicAdd(&result->doubles, found.doubles);
    if (found.changed)
        atomicAdd(&result->changed, found.changed);
    if (found.descents)
        atomicAdd(&result->descents, found.descents);
    if (found.unstable)
        atomicAdd(&result->unstable, found.unstable);
    if (found.touched)
        atomicAdd(&result->touched, found.touched);
}

template <bool argsort, typename E, typename V>
cudaError_t check(const arrays *rows, const numbers *all, uint32_t *bitmap, faults *result,
                  cudaStream_t stream)
{
    judge<argsort><<<blocks_for(all->count), THREADS, 0, stream>>>(
        static_cast<const E *>(rows->elements), static_cast<const V *>(rows->values), *all,
        bitmap, result);
    return cudaGetLastError();
}

/* ---- CUB ------------------------------------------------------------------------- */

template <typename E, typename V>
cudaError_t merge(void *storage, size_t *bytes, const arrays *rows, uint32_t count,
                  cudaStream_t stream)
{
    E *const elements = static_cast<E *>(rows->elements);

    if constexpr (std::is_same<V, none>::value)
        return cub::DeviceMergeSort::StableSortKeys(storage, *bytes, elements, count,
                                                    row_less(), stream);
    else
        return cub::DeviceMergeSort::StableSortPairs(storage, *bytes, elements,
                                                     static_cast<V *>(rows->values), count,
                                                     row_less(), stream);
}

/* Hands out storage piece by piece, or only counts it where there is none. */
struct pieces {
    char *storage;
    size_t used;

    template <typename T> T *take(uint64_t count)
    {
        char *const piece = storage ? storage + used : nullptr;

        used += (count * sizeof(T) + 255) / 256 * 256;
        return reinterpret_cast<T *>(piece);
    }
};

/* Sort pairs; the second buffers are taken already, the rest is CUB's storage. */
template <typename K, typename V>
cudaError_t radix_pairs(pieces *left, size_t *bytes, cub::DoubleBuffer<K> *keys,
                        cub::DoubleBuffer<V> *values, uint32_t count, cudaStream_t stream)
{
    size_t own = left->storage ? *bytes - left->used : 0;
    const cudaError_t code = cub::DeviceRadixSort::SortPairs(
        left->storage ? left->storage + left->used : nullptr, own, *keys, *values, count, 0,
        static_cast<int>(8 * sizeof(K)), stream);

    if (!left->storage)
        *bytes = left->used + own;
    return code;
}

template <typename E>
__global__ void extract(const E *records, uint64_t *keys, uint32_t *rows, uint32_t count)
{
    for (uint64_t i = first_index(); i < count; i += grid_stride()) {
        keys[i] = prefix_of(records[i]);
        rows[i] = static_cast<uint32_t>(i);
    }
}

enum { COPIES = 4 }; /* words that a thread of `gather` has in flight */

/* Words are as wide as a record allows; consecutive lanes copy consecutive words. */
template <typename W, unsigned PER_RECORD>
__global__ void gather(const W *from, const uint32_t *rows, W *to, uint32_t count)
{
    const uint64_t begin = (uint64_t)blockIdx.x * (THREADS * COPIES);
    const uint64_t first_record = begin / PER_RECORD;
    const unsigned first_word = (unsigned)(begin % PER_RECORD) + threadIdx.x;
    W copied[COPIES];

#pragma unroll
    for (unsigned i = 0; i < COPIES; i++) {
        const unsigned word = first_word + i * THREADS;
        const uint64_t record = first_record + word / PER_RECORD;

        if (record < count)
            copied[i] = from[(uint64_t)rows[record] * PER_RECORD + word % PER_RECORD];
    }
#pragma unroll
    for (unsigned i = 0; i < COPIES; i++) {
        const unsigned word = first_word + i * THREADS;

        if (first_record + word / PER_RECORD < count)
            to[first_record * PER_RECORD + word] = copied[i];
    }
}

/* Keys and rows out of the records, a radix sort of these, then the records by row. */
template <typename E, typename W>
cudaError_t radix_records(void *storage, size_t *bytes, const arrays *rows, uint32_t count,
                          cudaStream_t stream, arrays *sorted)
{
    constexpr unsigned per_record = sizeof(E) / sizeof(W);
    const uint64_t words = (uint64_t)count * per_record;
    pieces left = {static_cast<char *>(storage), 0};
    uint64_t *const keys = left.take<uint64_t>(count);
    cub::DoubleBuffer<uint64_t> both_keys(keys, left.take<uint64_t>(count));
    uint32_t *const indices = left.take<uint32_t>(count);
    cub::DoubleBuffer<uint32_t> both_indices(indices, left.take<uint32_t>(count));
    E *const result = left.take<E>(count);

    if (storage)
        extract<<<blocks_for(count), THREADS, 0, stream>>>(
            static_cast<const E *>(rows->elements), keys, indices, count);

    const cudaError_t code =
        radix_pairs(&left, bytes, &both_keys, &both_indices, count, stream);

    if (!storage || code != cudaSuccess)
        return code;
    gather<W, per_record><<<(unsigned)((words + COPIES * THREADS - 1) / (COPIES * THREADS)),
                            THREADS, 0, stream>>>(static_cast<const W *>(rows->elements),
                                                  both_indices.Current(),
                                                  reinterpret_cast<W *>(result), count);
    *sorted = {result, nullptr};
    return cudaGetLastError();
}

template <typename E, typename V>
cudaError_t radix(void *storage, size_t *bytes, const arrays *rows, uint32_t count,
                  cudaStream_t stream, arrays *sorted)
{
    pieces left = {static_cast<char *>(storage), 0};
    cub::DoubleBuffer<E> keys(static_cast<E *>(rows->elements), left.take<E>(count));
    cub::DoubleBuffer<V> values(static_cast<V *>(rows->values), left.take<V>(count));
    const cudaError_t code = radix_pairs(&left, bytes, &keys, &values, count, stream);

    *sorted = {keys.Current(), values.Current()};
    return code;
}

/* ---- The list of calls ------------------------------------------------------------- */

template <typename E, typename V> constexpr row_calls calls()
{
    return {sizeof(E),   sizeof(V),          fill<E>,          fill_values<V>, merge<E, V>,
            radix<E, V>, check<false, E, V>, check<true, E, V>};
}

template <typename E> constexpr row_calls record_calls()
{
    using word = std::conditional_t<sizeof(E) % 16 == 0, uint4, uint32_t>;
    row_calls made = {
        sizeof(E), 0, fill<E>, nullptr, merge<E, none>, nullptr, check<false, E, none>,
        nullptr};

    if constexpr (!std::is_same<E, record16>::value)
        made.radix = radix_records<E, word>;
    return made;
}

} // namespace

extern const row_calls ROWS;
#ifdef VALUE
const row_calls ROWS = calls<ELEMENT, VALUE>();
#else
const row_calls ROWS = record_calls<ELEMENT>();
#endif
