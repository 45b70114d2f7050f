/*
 * merge.cu - lists merged by a tree of cub::DeviceMerge: neighbours in the order of the
 * lists, round by round, on one stream.
 */
#include "inside.cuh"

#include <cub/device/device_merge.cuh>

#include <algorithm>
#include <vector>

namespace
{

template <typename K, typename V> struct rows {
    K *keys;
    V *values; /* NULL: bare keys */

    rows at(uint64_t offset) const
    {
        return {keys + offset, values ? values + offset : nullptr};
    }
};

template <typename K, typename V>
cudaError_t merge_two(void *storage, size_t *bytes, const rows<K, V> &from,
                      const rows<K, V> &to, uint64_t a_count, uint64_t b_count,
                      cudaStream_t stream)
{
    const rows<K, V> b = from.at(a_count);
    const auto less = ::cuda::std::less<>();

    if (from.values)
        return cub::DeviceMerge::MergePairs(
            storage, *bytes, from.keys, from.values, (int64_t)a_count, b.keys, b.values,
            (int64_t)b_count, to.keys, to.values, less, stream);
    return cub::DeviceMerge::MergeKeys(storage, *bytes, from.keys, (int64_t)a_count, b.keys,
                                       (int64_t)b_count, to.keys, less, stream);
}

/* The arrays of a tree: the last round writes to `out`. Without storage: its bytes. */
template <typename K, typename V> struct tree {
    rows<K, V> in, out, other;
    cudaStream_t stream;

    cudaError_t run(const kit_work *work, void *storage, size_t *bytes) const
    {
        std::vector<uint64_t> bounds(work->bounds, work->bounds + work->parts + 1);
        rows<K, V> from = in;
        size_t most = 1;
        int rounds = 0;

        while (uint64_t(1) << rounds < work->parts)
            rounds++;
        for (; rounds > 0; rounds--) {
            const rows<K, V> to = rounds % 2 ? out : other;
            std::vector<uint64_t> longer(1, 0);

            for (size_t i = 0; i + 1 < bounds.size(); i += 2) {
                const uint64_t first = bounds[i], middle = bounds[i + 1];
                const uint64_t last = i + 2 < bounds.size() ? bounds[i + 2] : middle;
                size_t needed = *bytes;
                const cudaError_t code =
                    merge_two(storage, &needed, from.at(first), to.at(first),
                              middle - first, last - middle, stream);

                if (code != cudaSuccess)
                    return code;
                most = std::max(most, needed);
                longer.push_back(last);
            }
            bounds.swap(longer);
            from = to;
        }
        *bytes = most;
        return cudaSuccess;
    }
};

uint64_t round_up(uint64_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* The second array, keys and then values, comes first in the workspace. */
template <typename K, typename V>
int run_typed(const rival_case *what, const kit_arrays *arrays, void *space, uint64_t bytes,
              void *stream, uint64_t *wanted)
{
    const kit_work *const work = what->work;
    const uint64_t keys = round_up(work->count * sizeof(K));
    const uint64_t values = round_up(work->count * work->task.value_bytes);
    char *const second = static_cast<char *>(space);
    const bool has_values = arrays->values != nullptr;
    const tree<K, V> all = {
        {static_cast<K *>(arrays->keys), static_cast<V *>(arrays->values)    },
        {static_cast<K *>(arrays->out),  static_cast<V *>(arrays->out_values)},
        {reinterpret_cast<K *>(second),
         has_values ? reinterpret_cast<V *>(second + keys) : nullptr         },
        static_cast<cudaStream_t>(stream)
    };
    size_t rest = bytes - std::min(bytes, keys + values);
    const int failed =
        rival_check(all.run(work, wanted ? nullptr : second + keys + values, &rest),
                    "cub::DeviceMerge");

    if (wanted)
        *wanted = keys + values + rest;
    return failed;
}

int run_any(const rival_case *what, const kit_arrays *arrays, void *space, uint64_t bytes,
            void *stream, uint64_t *wanted)
{
    if (what->type == MW_U32)
        return run_typed<uint32_t, uint32_t>(what, arrays, space, bytes, stream, wanted);
    return run_typed<uint64_t, uint64_t>(what, arrays, space, bytes, stream, wanted);
}

int takes(const rival_case *what)
{
    const uint32_t bytes = what->work->task.value_bytes;

    return what->work->parts > 1 && ((what->type == MW_U32 && (bytes == 0 || bytes == 4)) ||
                                     (what->type == MW_U64 && (bytes == 0 || bytes == 8)));
}

/* Whether there are values is all that the arrays tell when storage is asked for. */
int workspace(const rival_case *what, uint64_t *bytes)
{
    const uint32_t values = what->work->task.value_bytes;
    kit_arrays arrays = {};

    arrays.values = arrays.out_values = values ? bytes : nullptr;
    return run_any(what, &arrays, nullptr, 0, nullptr, bytes);
}

int run(const rival_case *what, const kit_arrays *arrays, void *space, uint64_t bytes,
        void *stream)
{
    return run_any(what, arrays, space, bytes, stream, nullptr);
}

} // namespace

const rival rival_merge = {
    "cub-merge-tree",
    "cub::DeviceMerge of neighbours, round by round, storage allocated before",
    takes,
    workspace,
    nullptr,
    KIT_MERGE,
    run,
};
