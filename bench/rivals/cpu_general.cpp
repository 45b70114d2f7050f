/*
 * cpu_general.cpp - sorts for any type: the standard library, its parallel mode, Boost,
 * TBB and ips4o, those whose headers are there.
 */
#include "cpu_rivals.h"

#include <algorithm>
#include <cstring>
#include <parallel/algorithm>
#include <utility>
#include <vector>
#if __has_include(<boost/sort/sort.hpp>)
#include <boost/sort/sort.hpp>
#define HAS_BOOST 1
#endif
#if __has_include(<tbb/parallel_sort.h>)
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#define HAS_TBB 1
#endif
#if __has_include(<ips4o.hpp>)
#include <ips4o.hpp>
#define HAS_IPS4O 1
#endif

namespace
{

struct record16 {
    uint64_t key, value;

    bool operator<(const record16 &other) const
    {
        return key < other.key;
    }
};

struct record100 {
    unsigned char bytes[100];

    bool operator<(const record100 &other) const
    {
        return std::memcmp(bytes, other.bytes, 10) < 0;
    }
};

template <typename T> T *first(cpu_work *work)
{
    return static_cast<T *>(work->keys);
}

template <typename T> T *last(cpu_work *work)
{
    return first<T>(work) + work->count;
}

template <typename T> void std_sort(cpu_work *work)
{
    std::sort(first<T>(work), last<T>(work));
}

template <typename T> void std_stable(cpu_work *work)
{
    std::stable_sort(first<T>(work), last<T>(work));
}

template <typename T> void gnu_stable(cpu_work *work)
{
    __gnu_parallel::stable_sort(first<T>(work), last<T>(work),
                                __gnu_parallel::default_parallel_tag(work->threads));
}

template <typename T> void gnu_merge(cpu_work *work)
{
    std::vector<std::pair<T *, T *>> lists;
    const size_t each = work->count / work->lists;

    for (size_t i = 0; i < work->lists; i++)
        lists.emplace_back(first<T>(work) + i * each, first<T>(work) + (i + 1) * each);
    __gnu_parallel::multiway_merge(lists.begin(), lists.end(), static_cast<T *>(work->out),
                                   static_cast<std::ptrdiff_t>(work->count), std::less<T>(),
                                   __gnu_parallel::default_parallel_tag(work->threads));
}

template <typename T> void std_partial(cpu_work *work)
{
    std::partial_sort(first<T>(work), first<T>(work) + work->selected, last<T>(work));
}

#ifdef HAS_BOOST
template <typename T> void boost_stable(cpu_work *work)
{
    boost::sort::sample_sort(first<T>(work), last<T>(work), std::less<T>(), work->threads);
}

template <typename T> void boost_block(cpu_work *work)
{
    boost::sort::block_indirect_sort(first<T>(work), last<T>(work), std::less<T>(),
                                     work->threads);
}
#endif

#ifdef HAS_TBB
template <typename T> void tbb_sort(cpu_work *work)
{
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, work->threads);

    tbb::parallel_sort(first<T>(work), last<T>(work));
}
#endif

#ifdef HAS_IPS4O
template <typename T> void ips4o_sort(cpu_work *work)
{
    if (work->threads == 1)
        ips4o::sort(first<T>(work), last<T>(work), std::less<T>());
    else
        ips4o::parallel::sort(first<T>(work), last<T>(work), std::less<T>(),
                              static_cast<int>(work->threads));
}
#endif

/* clang-format off */
const cpu_rival list[] = {
#define EVERYWHERE(name, function)                            \
    {name, "keys-u32", function<uint32_t>},                   \
        {name, "keys-u64", function<uint64_t>},               \
        {name, "records-16", function<record16>},             \
        {name, "records-100", function<record100>},
    EVERYWHERE("std::sort", std_sort)
    EVERYWHERE("std::stable_sort", std_stable)
    EVERYWHERE("gnu-parallel stable", gnu_stable)
#ifdef HAS_BOOST
    EVERYWHERE("boost sample (stable)", boost_stable)
    EVERYWHERE("boost block_indirect", boost_block)
#endif
#ifdef HAS_TBB
    EVERYWHERE("tbb", tbb_sort)
#endif
#ifdef HAS_IPS4O
    EVERYWHERE("ips4o", ips4o_sort)
#endif
    {"gnu-parallel multiway_merge", "merge-u64", gnu_merge<uint64_t>},
    {"std::partial_sort", "top-u32", std_partial<uint32_t>},
};
/* clang-format on */

} // namespace

extern "C" __attribute__((visibility("default"))) const cpu_rival *cpu_rivals(size_t *count)
{
    *count = sizeof list / sizeof *list;
    return list;
}
