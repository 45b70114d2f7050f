/*
 * primitives_select.cu - selection of the k greatest with positions, of one array beside
 * cub::DeviceTopK where the headers have it, and of each row of a matrix.
 *
 * The expected answer comes from CUB's radix sort, which is stable: of numbers that have
 * the row in the upper half and the key, reversed, in the lower.
 */
#include "primitives.cuh"

#include <cub/device/device_radix_sort.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#define HAS_TOP_K 1
#else
#define HAS_TOP_K 0
#endif

#include <cstring>

namespace
{

/* A number that is the smaller, the greater the key is. */
__host__ __device__ uint64_t code_of(uint32_t key)
{
    return ~key;
}

__host__ __device__ uint64_t code_of(uint64_t key)
{
    return ~key;
}

__host__ __device__ uint64_t code_of(float key)
{
    uint32_t bits;

    memcpy(&bits, &key, 4);
    return code_of(bits >> 31 ? ~bits : bits | 0x80000000);
}

template <typename K>
__global__ void encode(const K *keys, uint64_t *codes, uint32_t *rows, uint64_t count,
                       uint64_t columns)
{
    for (uint64_t i = first_index(); i < count; i += grid_stride()) {
        codes[i] = code_of(keys[i]);
        if (sizeof(K) == 4)
            codes[i] |= i / columns << 32;
        rows[i] = static_cast<uint32_t>(i);
    }
}

/* Row s of the result has `width` keys; `sorted` has all numbers of rows in order. */
template <typename K, typename P>
__global__ void judge_top(const K *source, const uint32_t *sorted, const K *keys,
                          const P *positions, uint64_t columns, uint64_t width,
                          uint64_t count, unsigned long long *wrong)
{
    for (uint64_t i = first_index(); i < count; i += grid_stride()) {
        const uint64_t first = i / width * columns;
        const uint32_t expected = sorted[first + i % width];

        if (code_of(keys[i]) != code_of(source[expected]) ||
            (uint64_t)positions[i] != expected - first)
            atomicAdd(wrong, 1);
    }
}

/* P: the type of positions. */
template <typename K, typename P> class select_contest : public contest
{
  public:
    select_contest(stage *on, mw_type type, key_shape shape, uint64_t rows,
                   uint64_t columns, uint64_t k);
    void clear(side who) override;
    std::string check(side who) override;
    void run_rival() override;

  private:
    void make_job(mw_type type);
    void make_expected();
    cudaError_t cub_top(void *storage, size_t *bytes);
    std::string check_rival() const;

    const uint64_t rows_, columns_, count_, width_;
    K *source_, *keys_;
    P *positions_;
    uint32_t *sorted_;
    uint32_t *offsets_ = nullptr;
    unsigned long long *wrong_;
    mw_table in_;
    void *storage_ = nullptr;
    size_t storage_bytes_ = 0;
};

template <typename K, typename P>
select_contest<K, P>::select_contest(stage *on, mw_type type, key_shape shape,
                                     uint64_t rows, uint64_t columns, uint64_t k)
    : contest(on), rows_(rows), columns_(columns), count_(rows * columns),
      width_(std::min(k, columns))
{
    source_ = array<K>(count_);
    keys_ = array<K>(rows_ * width_);
    positions_ = array<P>(rows_ * width_);
    sorted_ = array<uint32_t>(count_);
    wrong_ = array<unsigned long long>(1);
    fill_keys(on, type, shape, source_, count_);
    make_expected();
    make_job(type);
    prepare(job_);
    if (HAS_TOP_K && rows == 1) {
        need(cub_top(nullptr, &storage_bytes_), "cub::DeviceTopK");
        storage_ = array<char>(storage_bytes_);
        rival_runs = true;
        against = "DeviceTopK";
    }
}

template <typename K, typename P> void select_contest<K, P>::make_expected()
{
    const uint64_t room = count_ * 8;
    memory codes, others, rows, storage;
    size_t bytes = 0;

    codes.allocate(room);
    others.allocate(room);
    rows.allocate(count_ * 4);

    uint64_t *const from = static_cast<uint64_t *>(codes.at());
    uint64_t *const to = static_cast<uint64_t *>(others.at());
    uint32_t *const numbers = static_cast<uint32_t *>(rows.at());

    encode<<<blocks_for(count_), THREADS, 0, on_.stream>>>(source_, from, numbers, count_,
                                                           columns_);
    for (int pass = 0; pass < 2; pass++) { /* the first asks for the storage */
        need(cub::DeviceRadixSort::SortPairs(storage.at(), bytes, from, to, numbers,
                                             sorted_, count_, 0, 64, on_.stream),
             "cub::DeviceRadixSort");
        if (pass == 0)
            storage.allocate(bytes);
    }
    need(cudaStreamSynchronize(on_.stream), "the expected result");
}

template <typename K, typename P> void select_contest<K, P>::make_job(mw_type type)
{
    in_ = {source_, count_, nullptr, 0};
    out_ = {keys_, rows_ * width_, nullptr, 0};
    job_.operation = MW_SELECT;
    job_.order = mw_order_of(type, MW_DESCENDING);
    job_.in = &in_;
    job_.out = &out_;
    job_.positions = positions_;
    job_.position_type = sizeof(P) == 4 ? MW_U32 : MW_I64;
    job_.last = width_;
    if (rows_ > 1) {
        std::vector<uint32_t> offsets(rows_ + 1);

        for (uint64_t row = 0; row <= rows_; row++)
            offsets[row] = static_cast<uint32_t>(row * columns_);
        offsets_ = array<uint32_t>(rows_ + 1);
        upload(&on_, offsets_, offsets);
        job_.segment_begins = offsets_;
        job_.segment_ends = offsets_ + 1;
        job_.segment_type = MW_U32;
        job_.segment_count = rows_;
    }
}

template <typename K, typename P>
cudaError_t select_contest<K, P>::cub_top(void *storage, size_t *bytes)
{
#if HAS_TOP_K
    const auto environment = cuda::std::execution::env{
        cuda::stream_ref{on_.stream},
        cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                 cuda::execution::output_ordering::unsorted)};

    return cub::DeviceTopK::MaxPairs(
        storage, *bytes, source_, keys_, cuda::counting_iterator<uint32_t>(0), positions_,
        static_cast<uint32_t>(count_), static_cast<uint32_t>(width_), environment);
#else
    (void)storage, (void)bytes;
    return cudaErrorNotSupported;
#endif
}

template <typename K, typename P> void select_contest<K, P>::run_rival()
{
    need(cub_top(storage_, &storage_bytes_), "cub::DeviceTopK");
}

template <typename K, typename P> void select_contest<K, P>::clear(side)
{
    const uint64_t selected = rows_ * width_;

    need(cudaMemsetAsync(keys_, 0x5a, selected * sizeof(K), on_.stream), "clearing");
    need(cudaMemsetAsync(positions_, 0xff, selected * sizeof(P), on_.stream), "clearing");
}

template <typename T> std::vector<T> downloaded(const T *from, uint64_t count)
{
    std::vector<T> to(count);

    need(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "a check");
    return to;
}

/* In any order, and any of equal keys: each position once, with its key; the right keys. */
template <typename K, typename P> std::string select_contest<K, P>::check_rival() const
{
    const std::vector<K> keys = downloaded(keys_, width_);
    const std::vector<uint32_t> expected = downloaded(sorted_, width_);
    std::vector<P> positions = downloaded(positions_, width_);
    std::vector<uint64_t> got, wanted;

    for (uint64_t i = 0; i < width_; i++) {
        if ((uint64_t)positions[i] >= count_)
            return "a position from nowhere";
        if (code_of(downloaded(source_ + positions[i], 1)[0]) != code_of(keys[i]))
            return "a position with another key";
        got.push_back(code_of(keys[i]));
        wanted.push_back(code_of(downloaded(source_ + expected[i], 1)[0]));
    }
    std::sort(got.begin(), got.end());
    std::sort(positions.begin(), positions.end());
    if (std::adjacent_find(positions.begin(), positions.end()) != positions.end())
        return "a position twice";
    return got == wanted ? "" : "other keys";
}

template <typename K, typename P> std::string select_contest<K, P>::check(side who)
{
    const uint64_t selected = rows_ * width_;
    unsigned long long wrong = 0;

    if (who == RIVAL)
        return check_rival();
    need(cudaMemsetAsync(wrong_, 0, sizeof wrong, on_.stream), "a check");
    judge_top<<<blocks_for(selected), THREADS, 0, on_.stream>>>(
        source_, sorted_, keys_, positions_, columns_, width_, selected, wrong_);
    need(cudaMemcpyAsync(&wrong, wrong_, sizeof wrong, cudaMemcpyDeviceToHost, on_.stream),
         "a check");
    need(cudaStreamSynchronize(on_.stream), "a check");
    return wrong ? std::to_string(wrong) + " rows are not as expected" : "";
}

/* ---- Kinds --------------------------------------------------------------------------- */

/* cub::DeviceTopK of CCCL 3.6 on an H200, random keys with indices, any k; 0: unknown. */
double anchor_of(bool wide, uint64_t count)
{
    if (wide)
        return count == 1 << 27 ? 0.56 : 0;
    return count == 1 << 17   ? 0.034
           : count == 1 << 20 ? 0.036
           : count == 1 << 24 ? 0.071
           : count == 1 << 27 ? 0.308
                              : 0;
}

/* f32-random-64 */
std::unique_ptr<contest> make_select(stage *on, const std::string &kind, uint64_t count)
{
    const uint64_t k = std::stoull(kind.substr(kind.rfind('-') + 1));
    std::unique_ptr<contest> made;
    int shape = 0;

    while (kind.find(shape_names[shape]) == std::string::npos)
        shape++;

    const key_shape by = static_cast<key_shape>(shape);

    if (kind[0] == 'f')
        made =
            std::make_unique<select_contest<float, uint32_t>>(on, MW_F32, by, 1, count, k);
    else if (kind[1] == '3')
        made = std::make_unique<select_contest<uint32_t, uint32_t>>(on, MW_U32, by, 1,
                                                                    count, k);
    else
        made = std::make_unique<select_contest<uint64_t, uint32_t>>(on, MW_U64, by, 1,
                                                                    count, k);
    if (!made->rival_runs && by == RANDOM) {
        made->anchor = anchor_of(kind[1] == '6', count);
        made->against = made->anchor > 0 ? "anchor" : "-";
    }
    return made;
}

} // namespace

std::unique_ptr<contest> make_row_top(stage *on, uint64_t rows, uint64_t columns)
{
    return std::make_unique<select_contest<float, int64_t>>(on, MW_F32, RANDOM, rows,
                                                            columns, 64);
}

operation select_operation()
{
    operation all = {
        "select", {       },
         { 1 << 17, 1 << 20, 1 << 24, 1 << 27},
         make_select
    };

    for (const char *type : {"u32-", "f32-", "u64-"})
        for (const char *shape : shape_names)
            for (const char *k : {"-16", "-64", "-4096"})
                all.kinds.push_back(std::string(type) + shape + k);
    return all;
}
