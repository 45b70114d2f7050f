/*
 * primitives_segments.cu - segmented sorts: keys and stable pairs beside
 * cub::DeviceSegmentedSort, one segment beside our own plain sort, and rows with positions.
 */
#include "primitives.cuh"

#include <cub/device/device_segmented_sort.cuh>

namespace
{

/* What travels: nothing, numbers of rows as u32, or positions as i64. */
enum form { KEYS, PAIRS, POSITIONS };

template <typename K> class segments_contest : public contest
{
  public:
    segments_contest(stage *on, const std::vector<uint64_t> &lengths, uint64_t count,
                     form what);
    void clear(side who) override;
    std::string check(side who) override;
    void run_rival() override;

  private:
    void make_segments(const std::vector<uint64_t> &lengths);
    void make_job();
    cudaError_t cub_sort(void *storage, size_t *bytes);
    result result_of(const K *keys, const void *values, bool stable) const;

    const uint64_t count_;
    const form form_;
    uint64_t segments_ = 0;
    K *source_, *keys_;
    uint32_t *numbers_ = nullptr; /* values of the input */
    void *values_ = nullptr;      /* of the result, or positions */
    uint32_t *offsets_ = nullptr, *owners_ = nullptr;
    uint32_t value_bytes_;
    mw_table in_;
    mw_column in_column_, out_column_;
    mw_job plain_ = MW_JOB_INIT;
    void *storage_ = nullptr;
    size_t storage_bytes_ = 0;
    uint64_t sum_ = 0;
    static constexpr mw_type TYPE = sizeof(K) == 4 ? MW_I32 : MW_I64;
};

template <typename K>
segments_contest<K>::segments_contest(stage *on, const std::vector<uint64_t> &lengths,
                                      uint64_t count, form what)
    : contest(on), count_(count), form_(what), value_bytes_(what == POSITIONS ? 8 : 4)
{
    source_ = array<K>(count);
    keys_ = array<K>(count);
    if (what == PAIRS) {
        numbers_ = array<uint32_t>(count);
        fill_numbers(on, numbers_, 4, count);
    }
    if (what != KEYS)
        values_ = array<char>(count * value_bytes_);
    fill_keys(on, TYPE, RANDOM, source_, count);
    make_segments(lengths);
    make_job();
    prepare(job_);
    rival_runs = what != POSITIONS;
    if (rival_runs && segments_ == 1) {
        prepare(plain_);
        against = "plain sort";
    } else if (rival_runs) {
        against = "DeviceSegmentedSort";
        need(cub_sort(nullptr, &storage_bytes_), "cub::DeviceSegmentedSort");
        storage_ = array<char>(storage_bytes_);
    }
    sum_ = sum_of(on, result_of(source_, nullptr, false));
}

template <typename K>
void segments_contest<K>::make_segments(const std::vector<uint64_t> &lengths)
{
    std::vector<uint32_t> offsets(1), owners(count_);

    for (const uint64_t length : lengths) {
        const uint32_t first = offsets.back();

        std::fill_n(owners.begin() + first, length, (uint32_t)offsets.size() - 1);
        offsets.push_back(first + (uint32_t)length);
    }
    segments_ = lengths.size();
    offsets_ = array<uint32_t>(offsets.size());
    owners_ = array<uint32_t>(count_);
    upload(&on_, offsets_, offsets);
    upload(&on_, owners_, owners);
}

template <typename K> void segments_contest<K>::make_job()
{
    const uint32_t columns = form_ == PAIRS;

    in_column_ = {numbers_, 4};
    out_column_ = {values_, 4};
    in_ = {source_, count_, columns ? &in_column_ : nullptr, columns};
    out_ = {keys_, count_, columns ? &out_column_ : nullptr, columns};
    job_.order = mw_order_of(TYPE, MW_ASCENDING);
    job_.in = &in_;
    job_.out = &out_;
    if (form_ == POSITIONS) {
        job_.positions = values_;
        job_.position_type = MW_I64;
    }
    plain_ = job_;
    job_.segment_begins = offsets_;
    job_.segment_ends = offsets_ + 1;
    job_.segment_type = MW_U32;
    job_.segment_count = segments_;
}

template <typename K>
cudaError_t segments_contest<K>::cub_sort(void *storage, size_t *bytes)
{
    const int64_t count = (int64_t)count_, segments = (int64_t)segments_;

    if (form_ == PAIRS)
        return cub::DeviceSegmentedSort::StableSortPairs(
            storage, *bytes, source_, keys_, numbers_, static_cast<uint32_t *>(values_),
            count, segments, offsets_, offsets_ + 1, on_.stream);
    return cub::DeviceSegmentedSort::SortKeys(storage, *bytes, source_, keys_, count,
                                              segments, offsets_, offsets_ + 1, on_.stream);
}

template <typename K> void segments_contest<K>::run_rival()
{
    if (segments_ == 1)
        enqueue(plain_);
    else
        need(cub_sort(storage_, &storage_bytes_), "cub::DeviceSegmentedSort");
}

template <typename K> void segments_contest<K>::clear(side)
{
    need(cudaMemsetAsync(keys_, 0xff, count_ * sizeof(K), on_.stream), "clearing");
    if (values_)
        need(cudaMemsetAsync(values_, 0xff, count_ * value_bytes_, on_.stream), "clearing");
}

template <typename K>
result segments_contest<K>::result_of(const K *keys, const void *values, bool stable) const
{
    return {TYPE,
            count_,
            source_,
            keys,
            static_cast<const uint32_t *>(values),
            value_bytes_ / 4,
            owners_,
            form_ == POSITIONS ? offsets_ : nullptr,
            stable};
}

template <typename K> std::string segments_contest<K>::check(side)
{
    return check_rows(&on_, result_of(keys_, values_, true), sum_);
}

/* ---- Kinds --------------------------------------------------------------------------- */

enum { LONG = 1000000, LONG_ONES = 8 };

/* The length of the next segment: `at` rows have one already. */
uint64_t next_length(const std::string &lengths, uint64_t at, uint64_t count,
                     uint64_t index, uint64_t *long_ones)
{
    if (lengths == "one")
        return count;
    if (lengths == "to2000")
        return mix(index) % 2001;
    if (lengths != "mixed")
        return std::stoull(lengths);
    if (*long_ones < LONG_ONES && at >= *long_ones * (count / LONG_ONES)) {
        ++*long_ones;
        return LONG;
    }
    return mix(index) % 65;
}

std::vector<uint64_t> segment_lengths(const std::string &kind, uint64_t count)
{
    std::vector<uint64_t> lengths;
    uint64_t at = 0, long_ones = 0;

    while (at < count) {
        const uint64_t length = next_length(kind, at, count, lengths.size(), &long_ones);

        lengths.push_back(std::min(length, count - at));
        at += lengths.back();
    }
    return lengths;
}

std::unique_ptr<contest> make_any(stage *on, bool wide, const std::string &lengths,
                                  uint64_t count, form what)
{
    const std::vector<uint64_t> all = segment_lengths(lengths, count);

    if (wide)
        return std::make_unique<segments_contest<int64_t>>(on, all, count, what);
    return std::make_unique<segments_contest<int32_t>>(on, all, count, what);
}

/* i32-8, or pairs-i64-mixed. */
std::unique_ptr<contest> make_segments_contest(stage *on, const std::string &kind,
                                               uint64_t count)
{
    const bool pairs = kind.rfind("pairs-", 0) == 0;
    const std::string rest = kind.substr(pairs ? 6 : 0);

    return make_any(on, rest.rfind("i64", 0) == 0, rest.substr(4), count,
                    pairs ? PAIRS : KEYS);
}

} // namespace

std::unique_ptr<contest> make_row_sort(stage *on, uint64_t rows, uint64_t columns)
{
    return make_any(on, false, std::to_string(columns), rows * columns, POSITIONS);
}

operation segments_operation()
{
    operation all = {"segments", {}, {UINT64_C(1) << 24}, make_segments_contest};

    for (const char *what : {"", "pairs-"})
        for (const char *type : {"i32-", "i64-"})
            for (const char *lengths : {"8", "to2000", "65536", "mixed", "one"})
                all.kinds.push_back(std::string(what) + type + lengths);
    return all;
}
