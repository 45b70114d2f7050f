/*
 * cpu_rivals.cpp - the CPU device beside the standard library's stable sorts.
 *
 *   multiway_cpu_rivals [--count 2^24] [--types u32,u64,f64] [--shapes LIST]
 *                       [--trials 5] [--threads 2] [--tsv FILE]
 *
 * One process, one input a row, refilled outside the clock for every trial;
 * two warm-ups, then the trials, of which the table shows the median and the
 * file everything. A plain copy comes first, as the measure of what memory
 * allows. std::stable_sort runs on one thread, __gnu_parallel::stable_sort on
 * as many as ours. Every result is held against the order and the fingerprint
 * of the input. The rivals compare by `<` and are judged by it (it knows one
 * zero only), except on "specials": there `<` has no place for the NaNs, and
 * they compare by the kit's order.
 */
extern "C" {
#include "kit.h"
}

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <numeric>
#include <parallel/algorithm>
#include <string>
#include <vector>

namespace
{

struct options {
    uint64_t count = UINT64_C(1) << 24;
    std::string types = "u32,u64,f64";
    std::string shapes = "random,permutation,sorted,reversed,equal,few:16,swaps:16,"
                         "swaps:65536,sawtooth:2,sawtooth:4,sawtooth:8,sawtooth:16,"
                         "sawtooth:32,sawtooth:64,sawtooth:128,sawtooth:256,sawtooth:512,"
                         "sawtooth:1024,sawtooth:2048,sawtooth:4096,sawtooth:8192,"
                         "sawtooth:16384,sawtooth:32768,sawtooth:65536,sawtooth:1000,"
                         "organ,blocks,interleaved,extremes,specials";
    unsigned trials = 5;
    unsigned threads = 2;
    const char *tsv = nullptr;
};

/* The times of one sorter on one input, in seconds. */
struct times {
    std::string type;
    std::string shape;
    std::string sorter;
    std::vector<double> seconds; /* ascending */

    double median() const
    {
        return seconds[seconds.size() / 2];
    }
    double mean() const
    {
        return std::accumulate(seconds.begin(), seconds.end(), 0.0) /
               static_cast<double>(seconds.size());
    }
};

[[noreturn]] void give_up(const std::string &why)
{
    std::fprintf(stderr, "multiway_cpu_rivals: %s\n", why.c_str());
    std::exit(1);
}

/* Up to the next comma: an item of a list, unless it is one of shapes. */
size_t item_span(const char *list)
{
    return std::strcspn(list, ",");
}

std::vector<std::string> split(const std::string &list, size_t (*span)(const char *))
{
    std::vector<std::string> parts;

    for (size_t at = 0; at <= list.size();) {
        const size_t length = span(list.c_str() + at);

        parts.push_back(list.substr(at, length));
        at += length + 1;
    }
    return parts;
}

/* An input, the memory it is sorted in, and how to judge the result. */
template <typename T> struct arena {
    mw_type type;
    std::string shape;
    std::vector<T> input;
    std::vector<T> keys;
    kit_fingerprint before{0, 0};

    /* The same elements, and in order: the kit's, or just that of `<`. */
    void judge(bool by_kit) const
    {
        kit_fingerprint after{0, 0};

        kit_fingerprint_add(&after, type, keys.data(), keys.size());
        if (!kit_fingerprint_equal(before, after))
            give_up("a sort lost an element");
        if (by_kit ? kit_first_disorder(type, MW_ASCENDING, keys.data(), keys.size()) !=
                         keys.size()
                   : !std::is_sorted(keys.begin(), keys.end()))
            give_up("a sort left disorder");
    }

    times time(const std::string &sorter, unsigned trials, bool by_kit,
               const std::function<void(T *, uint64_t)> &sort)
    {
        const unsigned warm_ups = 2;
        times t{mw_type_name(type), shape, sorter, {}};

        for (unsigned trial = 0; trial < warm_ups + trials; trial++) {
            std::copy(input.begin(), input.end(), keys.begin());
            const double start = kit_seconds();
            sort(keys.data(), keys.size());
            if (trial >= warm_ups)
                t.seconds.push_back(kit_seconds() - start);
            if (sorter != "copy")
                judge(by_kit);
        }
        std::sort(t.seconds.begin(), t.seconds.end());
        return t;
    }
};

/* The order that the rivals need where `<` is none. */
template <typename T> struct kit_less {
    mw_type type;

    bool operator()(const T &a, const T &b) const
    {
        return kit_compare(type, MW_ASCENDING, &a, &b) < 0;
    }
};

template <typename T>
std::vector<times> race(const options &o, mw_context *context, mw_type type,
                        const std::string &shape)
{
    arena<T> a{type, shape, std::vector<T>(o.count), std::vector<T>(o.count)};
    const bool by_kit =
        (type == MW_F32 || type == MW_F64) && (shape == "specials" || shape == "extremes");
    const auto tag = __gnu_parallel::default_parallel_tag(o.threads);
    const kit_less<T> less{type};
    std::vector<times> all;

    if (kit_fill(type, shape.c_str(), 1, a.input.data(), o.count) != MW_OK)
        give_up("no such shape: " + shape);
    kit_fingerprint_add(&a.before, type, a.input.data(), o.count);
    all.push_back(a.time("copy", o.trials, true, [&](T *keys, uint64_t count) {
        std::copy(a.input.data(), a.input.data() + count, keys);
    }));
    all.push_back(a.time("multiway", o.trials, true, [&](T *keys, uint64_t count) {
        if (mw_sort(context, type, MW_ASCENDING, keys, count) != MW_OK)
            give_up(mw_error(context));
    }));
    all.push_back(
        a.time("std::stable_sort", o.trials, by_kit, [&](T *keys, uint64_t count) {
            by_kit ? std::stable_sort(keys, keys + count, less)
                   : std::stable_sort(keys, keys + count);
        }));
    all.push_back(a.time(
        "__gnu_parallel::stable_sort", o.trials, by_kit, [&](T *keys, uint64_t count) {
            by_kit ? __gnu_parallel::stable_sort(keys, keys + count, less, tag)
                   : __gnu_parallel::stable_sort(keys, keys + count, std::less<T>(), tag);
        }));
    return all;
}

std::vector<times> race(const options &o, mw_context *context, mw_type type,
                        const std::string &shape)
{
    switch (type) {
    case MW_I8:
        return race<int8_t>(o, context, type, shape);
    case MW_U8:
        return race<uint8_t>(o, context, type, shape);
    case MW_I16:
        return race<int16_t>(o, context, type, shape);
    case MW_U16:
        return race<uint16_t>(o, context, type, shape);
    case MW_I32:
        return race<int32_t>(o, context, type, shape);
    case MW_U32:
        return race<uint32_t>(o, context, type, shape);
    case MW_I64:
        return race<int64_t>(o, context, type, shape);
    case MW_U64:
        return race<uint64_t>(o, context, type, shape);
    case MW_F32:
        return race<float>(o, context, type, shape);
    default:
        return race<double>(o, context, type, shape);
    }
}

/* The value of the first line of /proc/cpuinfo that is named so. */
std::string processor()
{
    std::string model = "unknown";
    char text[256];

    if (std::FILE *const file = std::fopen("/proc/cpuinfo", "r")) {
        while (std::fgets(text, sizeof text, file))
            if (std::string(text).rfind("model name", 0) == 0) {
                model = std::string(text).substr(std::string(text).find(':') + 2);
                model.pop_back();
                break;
            }
        std::fclose(file);
    }
    return model;
}

void write_tsv(const options &o, const std::vector<times> &all)
{
    std::FILE *const file = std::fopen(o.tsv, "w");
    const std::time_t now = std::time(nullptr);
    char date[32];

    if (!file)
        give_up(std::string("cannot write ") + o.tsv);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::fprintf(file, "# processor\t%s\n# date\t%s\n# compiler\t%s\n", processor().c_str(),
                 date, __VERSION__);
    std::fprintf(file, "# threads\t%u, one for copy and std::stable_sort\n", o.threads);
    std::fprintf(file, "# trials\t%u after two warm-ups; seconds\n", o.trials);
    std::fprintf(file, "type\tcount\tshape\tsorter\tmean\tmedian\tleast\tgreatest\n");
    for (const times &t : all)
        std::fprintf(file, "%s\t%llu\t%s\t%s\t%.6f\t%.6f\t%.6f\t%.6f\n", t.type.c_str(),
                     static_cast<unsigned long long>(o.count), t.shape.c_str(),
                     t.sorter.c_str(), t.mean(), t.median(), t.seconds.front(),
                     t.seconds.back());
    if (std::fclose(file))
        give_up(std::string("cannot write ") + o.tsv);
}

/* One line of the table. */
void print_line(const options &o, const std::vector<times> &race)
{
    std::printf("%-5s %-21s", race[0].type.c_str(), race[0].shape.c_str());
    for (const times &t : race)
        std::printf(" %11.1f", static_cast<double>(o.count) / t.median() / 1e6);
    std::printf(" %8.2f %8.2f\n", race[2].median() / race[1].median(),
                race[3].median() / race[1].median());
    std::fflush(stdout);
}

options parse(int count, char **error)
{
    options o;

    for (int i = 1; i < count; i += 2) {
        const std::string name = error[i];
        uint64_t number = 0;

        if (i + 1 == count)
            give_up(name + " needs a value");
        if (name == "--types")
            o.types = error[i + 1];
        else if (name == "--shapes")
            o.shapes = error[i + 1];
        else if (name == "--tsv")
            o.tsv = error[i + 1];
        else if (kit_parse_count(error[i + 1], &number) || number == 0)
            give_up(name + " needs a number");
        else if (name == "--count")
            o.count = number;
        else if (name == "--trials")
            o.trials = static_cast<unsigned>(number);
        else if (name == "--threads")
            o.threads = static_cast<unsigned>(number);
        else
            give_up("no such option: " + name);
    }
    return o;
}

} /* namespace */

int main(int count, char **error)
{
    const options o = parse(count, error);
    const std::string device = "cpu:" + std::to_string(o.threads);
    std::vector<times> all;
    mw_context *context = nullptr;

    if (mw_open(&context, device.c_str(), nullptr) != MW_OK)
        give_up(context ? mw_error(context) : "no memory");
    std::printf("%llu keys, %u threads; millions of keys a second, and ours to theirs\n",
                static_cast<unsigned long long>(o.count), o.threads);
    std::printf("%-5s %-21s %11s %11s %11s %11s %8s %8s\n", "type", "shape", "copy",
                "multiway", "stable_sort", "parallel", "/stable", "/par.");
    for (const std::string &name : split(o.types, item_span)) {
        mw_type type;

        if (mw_type_parse(name.c_str(), &type) != MW_OK)
            give_up("no such type: " + name);
        for (const std::string &shape : split(o.shapes, kit_shape_span)) {
            const std::vector<times> one = race(o, context, type, shape);

            print_line(o, one);
            all.insert(all.end(), one.begin(), one.end());
        }
    }
    mw_close(context);
    if (o.tsv)
        write_tsv(o, all);
    return 0;
}
