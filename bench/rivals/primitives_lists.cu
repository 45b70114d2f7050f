/*
 * primitives_lists.cu - lists: merges beside a tree of cub::DeviceMerge that pairs
 * neighbours in the order of the lists, and splits.
 */
#include "primitives.cuh"

#include <cub/device/device_merge.cuh>

namespace
{

/* ---- Merge --------------------------------------------------------------------------- */

template <typename K> class merge_contest : public contest
{
  public:
    merge_contest(stage *on, uint64_t count, const std::vector<uint64_t> &lengths,
                  key_shape shape, bool pairs);
    void clear(side who) override;
    std::string check(side who) override;
    void run_rival() override;

  private:
    struct rows {
        K *keys;
        uint64_t *values; /* NULL: bare keys */
    };

    rows make_rows(bool pairs);
    size_t tree(void *storage, size_t bytes);
    void merge_two(void *storage, size_t *bytes, const rows &from, const rows &to,
                   uint64_t a_count, uint64_t b_count);

    static rows at(const rows &all, uint64_t offset)
    {
        return {all.keys + offset, all.values ? all.values + offset : nullptr};
    }

    const uint64_t count_;
    const std::vector<uint64_t> lengths_;
    std::vector<mw_table> in_;
    std::vector<mw_column> columns_;
    mw_column out_column_;
    rows source_, ours_, other_[2];
    rows merged_ = {}; /* where the rival's result is */
    void *storage_ = nullptr;
    size_t storage_bytes_ = 0;
    uint64_t sum_ = 0;
    static constexpr mw_type TYPE = sizeof(K) == 4 ? MW_U32 : MW_U64;
};

template <typename K>
typename merge_contest<K>::rows merge_contest<K>::make_rows(bool pairs)
{
    return {array<K>(count_), pairs ? array<uint64_t>(count_) : nullptr};
}

template <typename K>
merge_contest<K>::merge_contest(stage *on, uint64_t count,
                                const std::vector<uint64_t> &lengths, key_shape shape,
                                bool pairs)
    : contest(on), count_(count), lengths_(lengths)
{
    uint64_t offset = 0;

    source_ = make_rows(pairs);
    ours_ = make_rows(pairs);
    other_[0] = make_rows(pairs);
    other_[1] = make_rows(pairs);
    fill_lists(on, TYPE, shape, source_.keys, lengths);
    if (pairs)
        fill_numbers(on, source_.values, 8, count);
    columns_.resize(lengths.size());
    for (size_t i = 0; i < lengths.size(); i++) {
        columns_[i] = {source_.values + (pairs ? offset : 0), 8};
        in_.push_back({source_.keys + offset, lengths[i], pairs ? &columns_[i] : nullptr,
                       pairs ? 1u : 0});
        offset += lengths[i];
    }
    out_column_ = {ours_.values, 8};
    out_ = {ours_.keys, count, pairs ? &out_column_ : nullptr, pairs ? 1u : 0};
    job_.operation = MW_MERGE;
    job_.order = mw_order_of(TYPE, MW_ASCENDING);
    job_.in = in_.data();
    job_.in_count = static_cast<uint32_t>(in_.size());
    job_.out = &out_;
    prepare(job_);
    storage_bytes_ = tree(nullptr, 0);
    storage_ = array<char>(storage_bytes_);
    against = "DeviceMerge tree";
    rival_runs = true;
    sum_ = sum_of(on, {TYPE, count, source_.keys, source_.keys});
}

template <typename K>
void merge_contest<K>::merge_two(void *storage, size_t *bytes, const rows &from,
                                 const rows &to, uint64_t a_count, uint64_t b_count)
{
    const rows b = at(from, a_count);
    const auto less = ::cuda::std::less<>();

    if (from.values)
        need(cub::DeviceMerge::MergePairs(
                 storage, *bytes, from.keys, from.values, (int64_t)a_count, b.keys,
                 b.values, (int64_t)b_count, to.keys, to.values, less, on_.stream),
             "cub::DeviceMerge");
    else
        need(cub::DeviceMerge::MergeKeys(storage, *bytes, from.keys, (int64_t)a_count,
                                         b.keys, (int64_t)b_count, to.keys, less,
                                         on_.stream),
             "cub::DeviceMerge");
}

/* Round by round; the number of lists is a power of two. Without storage: its bytes. */
template <typename K> size_t merge_contest<K>::tree(void *storage, size_t bytes)
{
    std::vector<uint64_t> lengths = lengths_;
    rows from = source_;
    size_t most = 1;

    for (int round = 0; lengths.size() > 1; round++) {
        const rows to = other_[round % 2];
        std::vector<uint64_t> longer;
        uint64_t offset = 0;

        for (size_t i = 0; i < lengths.size(); i += 2) {
            size_t needed = bytes;

            merge_two(storage, &needed, at(from, offset), at(to, offset), lengths[i],
                      lengths[i + 1]);
            most = std::max(most, needed);
            longer.push_back(lengths[i] + lengths[i + 1]);
            offset += longer.back();
        }
        lengths.swap(longer);
        from = to;
    }
    merged_ = from;
    return most;
}

template <typename K> void merge_contest<K>::run_rival()
{
    tree(storage_, storage_bytes_);
}

template <typename K> void merge_contest<K>::clear(side who)
{
    const rows one = who == OURS ? ours_ : merged_;

    need(cudaMemsetAsync(one.keys, 0xff, count_ * sizeof(K), on_.stream), "clearing");
    if (one.values)
        need(cudaMemsetAsync(one.values, 0xff, count_ * 8, on_.stream), "clearing");
}

/* cub::DeviceMerge does not say that it is stable, so only ours has to be. */
template <typename K> std::string merge_contest<K>::check(side who)
{
    const rows got = who == OURS ? ours_ : merged_;
    const result all = {TYPE,
                        count_,
                        source_.keys,
                        got.keys,
                        reinterpret_cast<const uint32_t *>(got.values),
                        2,
                        nullptr,
                        nullptr,
                        who == OURS};

    return check_rows(&on_, all, sum_);
}

std::unique_ptr<contest> make_merge(stage *on, const std::string &kind, uint64_t count)
{
    const bool pairs = kind.rfind("pairs-", 0) == 0;
    const bool zipf = kind.rfind("zipf-", 0) == 0;
    const uint32_t lists = std::stoi(kind.substr(pairs ? 6 : zipf ? 5 : 0));
    const key_shape shape = kind.find("-few") != std::string::npos ? FEW : RANDOM;
    const std::vector<uint64_t> lengths = list_lengths(count, lists, zipf);

    if (pairs)
        return std::make_unique<merge_contest<uint64_t>>(on, count, lengths, shape, true);
    return std::make_unique<merge_contest<uint32_t>>(on, count, lengths, shape, false);
}

/* ---- Split --------------------------------------------------------------------------- */

enum { LISTS = 64, RANKS = 10000, SHORT = 1000 };

struct lists_table {
    uint64_t first[LISTS + 1]; /* of each list, and the count */
};

/* Key j of list i: disjoint, the first list the greatest; or interleaved. */
__global__ void fill_list(uint32_t *keys, lists_table lists, bool disjoint)
{
    const unsigned i = blockIdx.y;
    const uint64_t length = lists.first[i + 1] - lists.first[i];

    for (uint64_t j = first_index(); j < length; j += grid_stride())
        keys[lists.first[i] + j] = static_cast<uint32_t>(
            disjoint ? lists.first[LISTS] - lists.first[i + 1] + j : j * LISTS + i);
}

/*
 * A row of cuts is right iff its sum is the rank, and no key before a cut comes after a
 * key after a cut, by (key, list).
 */
__global__ void judge_cuts(const uint32_t *keys, lists_table lists, const uint64_t *ranks,
                           const uint64_t *cuts, unsigned long long *wrong)
{
    const uint64_t r = first_index();
    uint64_t sum = 0, before = 0, after = UINT64_MAX;
    bool valid = true;

    if (r >= RANKS)
        return;
    for (unsigned i = 0; i < LISTS; i++) {
        const uint64_t cut = cuts[r * LISTS + i];
        const uint64_t length = lists.first[i + 1] - lists.first[i];

        valid &= cut <= length;
        if (!valid)
            break;
        sum += cut;
        if (cut)
            before = max(before, (uint64_t)keys[lists.first[i] + cut - 1] << 32 | i);
        if (cut < length)
            after = min(after, (uint64_t)keys[lists.first[i] + cut] << 32 | i);
    }
    if (!valid || sum != min(ranks[r], lists.first[LISTS]) || before > after)
        atomicAdd(wrong, 1);
}

class split_contest : public contest
{
  public:
    split_contest(stage *on, const std::string &kind, uint64_t count);
    void clear(side who) override;
    std::string check(side who) override;

  private:
    uint32_t *keys_;
    uint64_t *ranks_, *cuts_;
    unsigned long long *wrong_;
    lists_table lists_ = {};
    std::vector<mw_table> in_;
};

split_contest::split_contest(stage *on, const std::string &kind, uint64_t count)
    : contest(on)
{
    std::vector<uint64_t> lengths = list_lengths(count, LISTS, false), ranks(RANKS);

    if (kind == "one-long")
        for (int i = 0; i < LISTS; i++)
            lengths[i] = i == LISTS / 2 ? count - (LISTS - 1) * SHORT : SHORT;
    keys_ = array<uint32_t>(count);
    ranks_ = array<uint64_t>(RANKS);
    cuts_ = array<uint64_t>(RANKS * LISTS);
    wrong_ = array<unsigned long long>(1);
    for (int i = 0; i < LISTS; i++) {
        in_.push_back({keys_ + lists_.first[i], lengths[i], nullptr, 0});
        lists_.first[i + 1] = lists_.first[i] + lengths[i];
    }
    if (kind == "disjoint" || kind == "interleaved")
        fill_list<<<dim3(64, LISTS), THREADS, 0, on->stream>>>(keys_, lists_,
                                                               kind == "disjoint");
    else
        fill_lists(on, MW_U32, kind == "equal" ? EQUAL : RANDOM, keys_, lengths);
    for (int r = 0; r < RANKS; r++) /* the first is 0, the last beyond the sum */
        ranks[r] = r == 0 ? 0 : r == RANKS - 1 ? count + 1 : mix(r) % (count + 1);
    need(cudaMemcpyAsync(ranks_, ranks.data(), RANKS * 8, cudaMemcpyHostToDevice,
                         on->stream),
         "the ranks");
    need(cudaStreamSynchronize(on->stream), "the lists");
    job_.operation = MW_SPLIT;
    job_.order = mw_order_of(MW_U32, MW_ASCENDING);
    job_.in = in_.data();
    job_.in_count = LISTS;
    job_.ranks = ranks_;
    job_.rank_count = RANKS;
    job_.cuts = cuts_;
    prepare(job_);
    against = "bound";
    anchor = kind == "random" ? 0.5 : 2;
}

void split_contest::clear(side)
{
    need(cudaMemsetAsync(cuts_, 0xff, RANKS * LISTS * 8, on_.stream), "clearing");
}

std::string split_contest::check(side)
{
    unsigned long long wrong = 0;

    need(cudaMemsetAsync(wrong_, 0, sizeof wrong, on_.stream), "a check");
    judge_cuts<<<(RANKS + THREADS - 1) / THREADS, THREADS, 0, on_.stream>>>(
        keys_, lists_, ranks_, cuts_, wrong_);
    need(cudaMemcpyAsync(&wrong, wrong_, sizeof wrong, cudaMemcpyDeviceToHost, on_.stream),
         "a check");
    need(cudaStreamSynchronize(on_.stream), "a check");
    return wrong ? std::to_string(wrong) + " ranks have wrong cuts" : "";
}

std::unique_ptr<contest> make_split(stage *on, const std::string &kind, uint64_t count)
{
    return std::make_unique<split_contest>(on, kind, count);
}

} // namespace

operation merge_operation()
{
    return {
        "merge",
        {"2",  "4", "8", "16", "64", "256", "zipf-64", "pairs-16", "pairs-16-few"},
        {UINT64_C(1) << 27},
        make_merge
    };
}

operation split_operation()
{
    return {
        "split",
        {"random",    "equal", "disjoint", "interleaved", "one-long"},
        {UINT64_C(1) << 27},
        make_split
    };
}
