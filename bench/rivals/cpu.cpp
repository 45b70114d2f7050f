/*
 * cpu.cpp - a plugin with other sorts for the CPU, for
 * `multiway bench --device cpu --rivals-from build/bench/multiway-cpu-rivals.so`.
 *
 * The standard library's are always there, TBB's and Boost's where their headers are,
 * vqsort, x86-simd-sort and ips4o where CMake was told a folder. Parallel ones run on the
 * threads of the device. All allocate their own memory while the clock runs. They compare
 * by `<`, and where that is no order (NaNs) by the kit's total order, if they can.
 */
extern "C" {
#include "kit.h"
}
#include "../rivals.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <parallel/algorithm>
#include <string>
#include <type_traits>
#if __has_include(<boost/sort/sort.hpp>)
#include <boost/sort/sort.hpp>
#define HAS_BOOST 1
#endif
#ifdef HAS_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#endif
#if __has_include(<ips4o.hpp>)
#include <ips4o.hpp>
#define HAS_IPS4O 1
#endif
#if __has_include(<hwy/contrib/sort/vqsort-inl.h>)
#define HWY_COMPILE_ONLY_STATIC
#define VQSORT_ONLY_STATIC 1
#include <hwy/contrib/sort/vqsort-inl.h>
#define HAS_VQSORT 1
#endif
#if __has_include(<x86simdsort-static-incl.h>)
#include <x86simdsort-static-incl.h>
#define HAS_XSS 1
#endif

namespace
{

unsigned threads = 1;
double started;

struct kit_less {
    mw_type type;

    template <typename T> bool operator()(const T &a, const T &b) const
    {
        return kit_compare(type, MW_ASCENDING, &a, &b) < 0;
    }
};

/* Call `work` with the keys as what they are and the comparison of their order. */
template <typename T, typename Work>
void with_order(const rival_case *what, const void *keys, Work work)
{
    T *const first = static_cast<T *>(const_cast<void *>(keys));

    if (what->order == ORDER_TOTAL)
        work(first, first + what->count, kit_less{what->type});
    else
        work(first, first + what->count, std::less<T>());
}

template <typename Work> void with_keys(const rival_case *what, const void *keys, Work work)
{
    static void (*const of_type[])(const rival_case *, const void *, Work) = {
        with_order<int8_t, Work>,   with_order<uint8_t, Work>,  with_order<int16_t, Work>,
        with_order<uint16_t, Work>, with_order<int32_t, Work>,  with_order<uint32_t, Work>,
        with_order<int64_t, Work>,  with_order<uint64_t, Work>, with_order<float, Work>,
        with_order<double, Work>,   with_order<uint16_t, Work>, with_order<uint16_t, Work>};

    static_assert(sizeof of_type / sizeof *of_type == MW_TYPE_COUNT, "in mw_type's order");
    of_type[what->type](what, keys, work);
}

/* 2-byte floats are no type of this language. */
int takes(const rival_case *what)
{
    return what->order == ORDER_TOTAL || (what->type != MW_F16 && what->type != MW_BF16);
}

int workspace(const rival_case *, uint64_t *bytes)
{
    *bytes = 0;
    return 0;
}

template <typename Sort>
int sort(const rival_case *what, void *keys, void *, uint64_t, void *, void **sorted)
{
    with_keys(what, keys, Sort());
    *sorted = keys;
    return 0;
}

/* A sort of keys in general, and one of numbers of 4 and 8 bytes by `<`. */
#define SORT(name, call)                                                     \
    struct name {                                                            \
        template <typename T, typename Less>                                 \
        void operator()(T *first, T *last, [[maybe_unused]] Less less) const \
        {                                                                    \
            call;                                                            \
        }                                                                    \
    };
#define SORT_NUMBERS(name, call) \
    SORT(name, if constexpr (sizeof(T) >= 4 && std::is_same_v<Less, std::less<T>>) call)

[[maybe_unused]] int takes_numbers(const rival_case *what)
{
    return what->order == ORDER_LESS && mw_type_size(what->type) >= 4;
}

SORT(std_sort, std::sort(first, last, less))
SORT(std_stable, std::stable_sort(first, last, less))
SORT(gnu_parallel,
     __gnu_parallel::stable_sort(first, last, less,
                                 __gnu_parallel::default_parallel_tag(threads)))
#ifdef HAS_BOOST
SORT_NUMBERS(boost_stable, boost::sort::sample_sort(first, last, less, threads))
SORT_NUMBERS(boost_block, boost::sort::block_indirect_sort(first, last, less, threads))
#endif
#ifdef HAS_TBB
SORT_NUMBERS(tbb_sort, {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    tbb::parallel_sort(first, last, less);
})
#endif
#ifdef HAS_IPS4O
SORT_NUMBERS(ips4o_sort,
             ips4o::parallel::sort(first, last, less, static_cast<int>(threads)))
#endif
#ifdef HAS_VQSORT
/* It may change the sign of a zero, which is no sort. */
int takes_integers(const rival_case *what)
{
    return takes_numbers(what) && what->type != MW_F32 && what->type != MW_F64;
}

SORT_NUMBERS(vqsort,
             hwy::HWY_NAMESPACE::VQSortStatic(first, static_cast<size_t>(last - first),
                                              hwy::SortAscending()))
#endif
#ifdef HAS_XSS
SORT_NUMBERS(xss, x86simdsortStatic::qsort(first, static_cast<size_t>(last - first), false,
                                           false))
#endif

/* clang-format off */
const rival list[] = {
    {"std-sort", "std::sort on one thread, not stable", takes, workspace,
     sort<std_sort>, KIT_SORT, nullptr},
    {"std-stable", "std::stable_sort on one thread", takes, workspace,
     sort<std_stable>, KIT_SORT, nullptr},
    {"gnu-parallel", "__gnu_parallel::stable_sort on the device's threads", takes,
     workspace, sort<gnu_parallel>, KIT_SORT, nullptr},
#ifdef HAS_BOOST
    {"boost-sample", "boost::sort::sample_sort (stable) on the device's threads",
     takes_numbers, workspace, sort<boost_stable>, KIT_SORT, nullptr},
    {"boost-block", "boost::sort::block_indirect_sort on the device's threads",
     takes_numbers, workspace, sort<boost_block>, KIT_SORT, nullptr},
#endif
#ifdef HAS_TBB
    {"tbb", "tbb::parallel_sort on the device's threads", takes_numbers, workspace,
     sort<tbb_sort>, KIT_SORT, nullptr},
#endif
#ifdef HAS_IPS4O
    {"ips4o", "ips4o::parallel::sort on the device's threads", takes_numbers, workspace,
     sort<ips4o_sort>, KIT_SORT, nullptr},
#endif
#ifdef HAS_VQSORT
    {"vqsort", "Highway's VQSortStatic on one thread", takes_integers, workspace,
     sort<vqsort>, KIT_SORT, nullptr},
#endif
#ifdef HAS_XSS
    {"x86-simd-sort", "x86simdsortStatic::qsort on one thread", takes_numbers, workspace,
     sort<xss>, KIT_SORT, nullptr},
#endif
};
/* clang-format on */

int open_device(const char *device, void **stream)
{
    *stream = nullptr;
    if (std::strncmp(device, "cpu:", 4) != 0)
        return -1;
    threads = static_cast<unsigned>(std::atoi(device + 4));
    return 0;
}

int describe(char *text, size_t bytes)
{
    std::ifstream file("/proc/cpuinfo");
    std::string model = "unknown";

    for (std::string line; std::getline(file, line);) {
        if (line.rfind("model name", 0) == 0)
            model = line.substr(line.find(':') + 2);
    }
    std::snprintf(text, bytes, "not measured (%s)", model.c_str());
    return 0;
}

int check(const rival_case *what, const void *keys, void *, rival_verdict *verdict)
{
    kit_fingerprint print = {0, 0};

    kit_fingerprint_add(&print, what->type, keys, what->count);
    *verdict = {0, print.sum};
    with_keys(what, keys, [=](auto first, auto last, auto less) {
        for (auto key = first; key + 1 < last; key++)
            verdict->descents += less(key[1], key[0]);
    });
    return 0;
}

/* clang-format off */
const rivals table = {
    RIVALS_VERSION, "GCC " __VERSION__, "wall clock around the call",
    list, sizeof list / sizeof *list, open_device, /* close: */ [] {}, describe,
    /* start: */ [](void *) { started = kit_seconds(); return 0; },
    /* stop: */ [](void *, double *ms) {
        *ms = 1000 * (kit_seconds() - started);
        return 0;
    },
    /* copy: */ [](void *to, const void *from, uint64_t bytes, void *) {
        std::memcpy(to, from, bytes);
        return 0;
    },
    check, /* error: */ [] { return "the device is not a CPU"; }};
/* clang-format on */

} /* namespace */

extern "C" __attribute__((visibility("default"))) const rivals *multiway_rivals()
{
    return &table;
}
