/*
 * cpu.cpp - a plugin with the standard library's stable sorts, for
 * `multiway bench --device cpu --rivals-from build/bench/multiway-cpu-rivals.so`.
 *
 * std::stable_sort runs on one thread, __gnu_parallel::stable_sort on the threads of the
 * device. Both allocate their own memory while the clock runs. They compare by `<`, and
 * where that is no order (NaNs) by the kit's total order.
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

template <bool parallel>
int sort(const rival_case *what, void *keys, void *, uint64_t, void *, void **sorted)
{
    with_keys(what, keys, [](auto first, auto last, auto less) {
        if constexpr (parallel)
            __gnu_parallel::stable_sort(first, last, less,
                                        __gnu_parallel::default_parallel_tag(threads));
        else
            std::stable_sort(first, last, less);
    });
    *sorted = keys;
    return 0;
}

/* clang-format off */
const rival list[] = {
    {"std-stable", "std::stable_sort on one thread", takes, workspace, sort<false>,
     KIT_SORT, nullptr},
    {"gnu-parallel", "__gnu_parallel::stable_sort on the device's threads", takes, workspace,
     sort<true>, KIT_SORT, nullptr},
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
    /* stop: */ [](void *, double *ms) { *ms = 1000 * (kit_seconds() - started); return 0; },
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
