/*
 * primitives_rows.cu - how the rows of multiway-primitives are made and checked.
 */
#include "primitives.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <cstdio>
#include <cstring>

const char *const shape_names[SHAPES] = {"random", "equal", "bit", "sorted", "few"};

namespace
{

/* The bits of the key at `position`. Bit 30 of a float is 0: it is no NaN. */
template <typename K> __device__ K key_at(key_shape shape, uint64_t position)
{
    const uint64_t random = mix(position);
    uint64_t bits = random >> (64 - 8 * sizeof(K));
    K key;

    if (shape == EQUAL)
        bits = 0x3bd1e995;
    else if (shape == BIT)
        bits = 0x3bd1e995 ^ (random & 1) << 13;
    else if (shape == SORTED)
        bits = position;
    else if (shape == FEW)
        bits = random % 16;
    if (std::is_same<K, float>::value)
        bits &= 0xbfffffff;
    memcpy(&key, &bits, sizeof key);
    return key;
}

template <typename K> __global__ void fill(K *keys, key_shape shape, uint64_t count)
{
    for (uint64_t i = first_index(); i < count; i += grid_stride())
        keys[i] = key_at<K>(shape, i);
}

template <typename V> __global__ void number(V *values, uint64_t count)
{
    for (uint64_t i = first_index(); i < count; i += grid_stride())
        values[i] = static_cast<V>(i);
}

struct faults {
    unsigned long long source_sum, sum;
    unsigned long long descents;  /* keys less than their predecessor in the segment */
    unsigned long long strangers; /* row numbers outside the segment */
    unsigned long long doubles;   /* row numbers that occur again */
    unsigned long long changed;   /* keys that their row did not have */
    unsigned long long unstable;  /* equal keys in another order than in the input */
};

template <typename K> __device__ uint64_t mixed(K key, uint32_t owner)
{
    return mix(mix(static_cast<uint64_t>(key)) + owner);
}

/* The row that row `i` of the result says it comes from. */
__device__ uint64_t row_at(const result &got, uint64_t i, uint32_t owner)
{
    const uint64_t high = got.value_words == 2 ? got.values[2 * i + 1] : 0;
    const uint64_t value = high << 32 | got.values[i * got.value_words];

    return got.begins ? value + got.begins[owner] : value;
}

template <typename K>
__device__ void judge_row(const result &got, uint32_t *bitmap, uint64_t i, faults *found)
{
    const K *const source = static_cast<const K *>(got.source);
    const K *const keys = static_cast<const K *>(got.keys);
    const uint32_t owner = got.owners ? got.owners[i] : 0;
    const bool head = i == 0 || (got.owners && got.owners[i - 1] != owner);

    found->source_sum += mixed(source[i], owner);
    found->sum += mixed(keys[i], owner);
    found->descents += !head && keys[i] < keys[i - 1];
    if (!got.values)
        return;

    const uint64_t row = row_at(got, i, owner);

    if (row >= got.count || (got.owners && got.owners[row] != owner)) {
        found->strangers++;
        return;
    }

    const uint32_t bit = 1u << row % 32;

    found->doubles += (atomicOr(&bitmap[row / 32], bit) & bit) != 0;
    found->changed += keys[i] != source[row];
    found->unstable +=
        got.stable && !head && keys[i] == keys[i - 1] && row_at(got, i - 1, owner) >= row;
}

template <typename K> __global__ void judge(result got, uint32_t *bitmap, faults *all)
{
    faults found = {};

    for (uint64_t i = first_index(); i < got.count; i += grid_stride())
        judge_row<K>(got, bitmap, i, &found);
    atomicAdd(&all->source_sum, found.source_sum);
    atomicAdd(&all->sum, found.sum);
    atomicAdd(&all->descents, found.descents);
    atomicAdd(&all->strangers, found.strangers);
    atomicAdd(&all->doubles, found.doubles);
    atomicAdd(&all->changed, found.changed);
    atomicAdd(&all->unstable, found.unstable);
}

faults judged(stage *on, const result &got)
{
    const unsigned blocks = blocks_for(got.count);
    const uint64_t bitmap_bytes = (got.count / 32 + 1) * 4;
    memory bitmap, all;
    faults found;

    bitmap.allocate(bitmap_bytes);
    all.allocate(sizeof found);

    uint32_t *const bits = static_cast<uint32_t *>(bitmap.at());
    faults *const sums = static_cast<faults *>(all.at());

    need(cudaMemsetAsync(bits, 0, bitmap_bytes, on->stream), "a check");
    need(cudaMemsetAsync(sums, 0, sizeof found, on->stream), "a check");
    if (got.type == MW_U32)
        judge<uint32_t><<<blocks, THREADS, 0, on->stream>>>(got, bits, sums);
    else if (got.type == MW_I32)
        judge<int32_t><<<blocks, THREADS, 0, on->stream>>>(got, bits, sums);
    else if (got.type == MW_U64)
        judge<uint64_t><<<blocks, THREADS, 0, on->stream>>>(got, bits, sums);
    else
        judge<int64_t><<<blocks, THREADS, 0, on->stream>>>(got, bits, sums);
    need(cudaMemcpyAsync(&found, sums, sizeof found, cudaMemcpyDeviceToHost, on->stream),
         "a check");
    need(cudaStreamSynchronize(on->stream), "a check");
    return found;
}

/* Sort a list in place through another array. */
template <typename K>
void sort_list(stage *on, K *keys, K *other, memory *storage, uint64_t count)
{
    size_t bytes = storage->bytes();

    need(cub::DeviceRadixSort::SortKeys(storage->at(), bytes, keys, other, count, 0,
                                        static_cast<int>(8 * sizeof(K)), on->stream),
         "cub::DeviceRadixSort");
    need(cudaMemcpyAsync(keys, other, count * sizeof(K), cudaMemcpyDeviceToDevice,
                         on->stream),
         "a list");
}

template <typename K>
void sort_lists(stage *on, K *keys, const std::vector<uint64_t> &lengths)
{
    const uint64_t longest = *std::max_element(lengths.begin(), lengths.end());
    size_t bytes = 0;
    memory other, storage;

    need(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, keys, longest, 0,
                                        static_cast<int>(8 * sizeof(K)), on->stream),
         "cub::DeviceRadixSort");
    storage.allocate(bytes);
    other.allocate(longest * sizeof(K));
    for (const uint64_t length : lengths) {
        if (length)
            sort_list(on, keys, static_cast<K *>(other.at()), &storage, length);
        keys += length;
    }
    need(cudaStreamSynchronize(on->stream), "sorting the lists");
}

} // namespace

void fill_keys(stage *on, mw_type type, key_shape shape, void *keys, uint64_t count)
{
    const unsigned blocks = blocks_for(count);

    if (type == MW_F32)
        fill<<<blocks, THREADS, 0, on->stream>>>(static_cast<float *>(keys), shape, count);
    else if (mw_type_size(type) == 4)
        fill<<<blocks, THREADS, 0, on->stream>>>(static_cast<uint32_t *>(keys), shape,
                                                 count);
    else
        fill<<<blocks, THREADS, 0, on->stream>>>(static_cast<uint64_t *>(keys), shape,
                                                 count);
    need(cudaGetLastError(), "making keys");
}

void fill_numbers(stage *on, void *numbers, uint32_t bytes, uint64_t count)
{
    const unsigned blocks = blocks_for(count);

    if (bytes == 4)
        number<<<blocks, THREADS, 0, on->stream>>>(static_cast<uint32_t *>(numbers), count);
    else
        number<<<blocks, THREADS, 0, on->stream>>>(static_cast<uint64_t *>(numbers), count);
    need(cudaGetLastError(), "making values");
}

uint64_t sum_of(stage *on, const result &input)
{
    return judged(on, input).source_sum;
}

std::string check_rows(stage *on, const result &got, uint64_t sum)
{
    const faults found = judged(on, got);
    char text[240];

    if (found.source_sum == sum && found.sum == sum &&
        !(found.descents | found.strangers | found.doubles | found.changed |
          found.unstable))
        return "";
    snprintf(text, sizeof text,
             "%s%s%llu descents, %llu rows from elsewhere, %llu doubled, %llu changed, "
             "%llu ties swapped",
             found.source_sum == sum ? "" : "the input changed, ",
             found.sum == sum ? "" : "other keys, ", found.descents, found.strangers,
             found.doubles, found.changed, found.unstable);
    return text;
}

std::vector<uint64_t> list_lengths(uint64_t count, uint32_t lists, bool zipf)
{
    std::vector<uint64_t> lengths(lists);
    double all = 0;
    uint64_t given = 0;

    for (uint32_t i = 0; i < lists; i++)
        all += zipf ? 1.0 / (i + 1) : 1;
    for (uint32_t i = 0; i < lists; i++) {
        lengths[i] = static_cast<uint64_t>(count / all / (zipf ? i + 1 : 1));
        given += lengths[i];
    }
    lengths[0] += count - given;
    return lengths;
}

void fill_lists(stage *on, mw_type type, key_shape shape, void *keys,
                const std::vector<uint64_t> &lengths)
{
    uint64_t count = 0;

    for (const uint64_t length : lengths)
        count += length;
    fill_keys(on, type, shape, keys, count);
    if (type == MW_U32)
        sort_lists(on, static_cast<uint32_t *>(keys), lengths);
    else
        sort_lists(on, static_cast<uint64_t *>(keys), lengths);
}
