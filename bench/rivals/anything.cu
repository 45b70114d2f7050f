/*
 * anything.cu - multiway-anything: pairs, records and argsort on the GPU, ours beside
 * CUB's merge sort and radix sort, in one process, interleaved trial by trial.
 *
 * Ours is mw_enqueue on device memory after mw_prepare, in place; argsort leaves its keys
 * alone, and kinds o32 and o100 sort to another array. CUB's argsort is a sort of pairs
 * whose values are numbered before, which is not timed. CUB's radix sort of records is:
 * prefixes and row numbers extracted, a radix sort of these, and the records gathered into
 * another array, all of it timed.
 */
#include "anything_case.cuh"

extern "C" {
#include "kit.h"
}

#include <cub/version.cuh>
#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#define ROWS(F)      \
    F(uint32_uint32) \
    F(uint64_uint64) \
    F(uint32_uint64) \
    F(uint64_uint32) \
    F(int64_uint32)  \
    F(record_16) F(record_32) F(record_100)
#define DECLARE(name) extern const row_calls rows_##name;
ROWS(DECLARE)

namespace
{

constexpr mw_field key_of(mw_type type, uint32_t bytes = 0)
{
    return {0, 0, type, bytes, MW_ASCENDING, 0};
}

/* clang-format off */
const kind kinds[] = {
    {"p44", "pairs, u32 keys and 4-byte values", &rows_uint32_uint32, PAIRS,
     key_of(MW_U32)},
    {"p88", "pairs, u64 keys and 8-byte values", &rows_uint64_uint64, PAIRS,
     key_of(MW_U64)},
    {"p48", "pairs, u32 keys and 8-byte values", &rows_uint32_uint64, PAIRS,
     key_of(MW_U32)},
    {"p84", "pairs, u64 keys and 4-byte values", &rows_uint64_uint32, PAIRS,
     key_of(MW_U64)},
    {"r16", "16-byte records by their u64", &rows_record_16, RECORDS, key_of(MW_U64)},
    {"r32", "32-byte records by their u64", &rows_record_32, RECORDS, key_of(MW_U64)},
    {"r100", "100-byte records by 10 bytes", &rows_record_100, RECORDS,
     key_of(MW_BYTES, 10)},
    {"o32", "32-byte records to another array", &rows_record_32, APART, key_of(MW_U64)},
    {"o100", "100-byte records to another array", &rows_record_100, APART,
     key_of(MW_BYTES, 10)},
    {"x16", "16-byte records by an expression", &rows_record_16, RECORDS, key_of(MW_U64),
     "a->key < b->key", "typedef struct { unsigned long long key, value; } mw_element;"},
    {"a32", "argsort, u32 keys to u32 positions", &rows_uint32_uint32, ARGSORT,
     key_of(MW_U32)},
    {"a64", "argsort, i64 keys to u32 positions", &rows_int64_uint32, ARGSORT,
     key_of(MW_I64)},
};

const char *const shapes[SHAPE_COUNT] = {"random", "sorted", "reversed", "equal", "few",
    "sawtooth256", "zipf", "ties", "runs", "halfmax"};
/* clang-format on */

struct shape {
    shape_name name;
    bool low;

    std::string text() const
    {
        return std::string(shapes[name]) + (low ? "-low" : "");
    }
};

struct wish {
    std::vector<const kind *> kinds;
    std::vector<uint64_t> counts;
    std::vector<shape> shapes;
    int trials = 10;
    bool rivals = true;
    bool json = false;
};

/* ---- The command line ---------------------------------------------------------- */

[[noreturn]] void refuse(const char *option, const std::string &item)
{
    fprintf(stderr, "multiway-anything: %s: \"%s\" is not in the list (see --help)\n",
            option, item.c_str());
    exit(2);
}

std::vector<std::string> items_of(const char *list)
{
    std::vector<std::string> items(1);

    for (const char *at = list; *at; at++) {
        if (*at == ',')
            items.emplace_back();
        else
            items.back() += *at;
    }
    return items;
}

void read_kinds(const char *list, wish *wanted)
{
    wanted->kinds.clear();
    for (const std::string &item : items_of(list)) {
        const size_t before = wanted->kinds.size();

        for (const kind &one : kinds)
            if (item == "all" || item == one.name)
                wanted->kinds.push_back(&one);
        if (wanted->kinds.size() == before)
            refuse("--kind", item);
    }
}

uint64_t read_count(const std::string &item)
{
    uint64_t count;

    if (kit_parse_count(item.c_str(), &count) || count < 1 || count > INT32_MAX)
        refuse("--count", item);
    return count;
}

/* Counts, and ranges such as 2^10..2^28, whose members double. */
void read_counts(const char *list, wish *wanted)
{
    wanted->counts.clear();
    for (const std::string &item : items_of(list)) {
        const size_t dots = item.find("..");
        const bool range = dots != std::string::npos;
        const uint64_t last = read_count(range ? item.substr(dots + 2) : item);
        uint64_t count = range ? read_count(item.substr(0, dots)) : last;

        for (; count <= last; count *= 2)
            wanted->counts.push_back(count);
    }
}

void read_shapes(const char *list, wish *wanted)
{
    wanted->shapes.clear();
    for (const std::string &item : items_of(list)) {
        const size_t before = wanted->shapes.size();

        for (int low = 0; low < 2; low++)
            for (int name = 0; name < SHAPE_COUNT; name++) {
                const shape one = {static_cast<shape_name>(name), low != 0};

                if (item == "all" || item == one.text())
                    wanted->shapes.push_back(one);
            }
        if (wanted->shapes.size() == before)
            refuse("--shape", item);
    }
}

void help()
{
    printf("usage: multiway-anything [--kind LIST] [--count LIST] [--shape LIST]\n"
           "                         [--trials N] [--tsv | --json] [--without-rivals]\n\n"
           "Sort rows on the GPU, ours beside CUB, and verify every result. Times are\n"
           "medians in ms; a ratio is the time of CUB / ours; the workspace is ours, in\n"
           "bytes of the rows (argsort: of keys and positions). The exit status is 1 if\n"
           "a result was wrong. Lists have commas; `all` is everything.\n\n"
           "  --kind LIST       (all)\n");
    for (const kind &one : kinds)
        printf("      %-13s %s\n", one.name, one.about);
    printf("  --count LIST      rows: 2^20,1000003, or 2^10..2^28, which doubles (2^20)\n"
           "  --shape LIST      (random)\n     ");
    for (const char *name : shapes)
        printf(" %s", name);
    printf("\n      r100: the number is in the first 8 of the 10 bytes; with the ending\n"
           "      -low, such as ties-low, in the last 8, and there is no radix sort\n"
           "  --trials N        after 2 warm-ups (10)\n"
           "  --tsv, --json     a table (the default), or an object for each case\n"
           "  --without-rivals  ours alone\n");
}

void read_options(int argc, char **argv, wish *wanted)
{
    static const option options[] = {
        {"kind",             required_argument, nullptr, 'k'},
        {"count",           required_argument, nullptr, 'n'},
        {"shape",                  required_argument, nullptr, 's'},
        {"trials",required_argument, nullptr, 't'},
        {"json",               no_argument, nullptr, 'j'},
        {"tsv",            no_argument, nullptr, 'v'},
        {"without-rivals",           no_argument, nullptr, 'o'},
        {"help",                  no_argument, nullptr, 'h'},
        {              }
    };

    read_kinds("all", wanted);
    read_counts("2^20", wanted);
    read_shapes("random", wanted);
    for (int letter; (letter = getopt_long(argc, argv, "", options, nullptr)) != -1;)
        switch (letter) {
        case 'k':
            read_kinds(optarg, wanted);
            break;
        case 'n':
            read_counts(optarg, wanted);
            break;
        case 's':
            read_shapes(optarg, wanted);
            break;
        case 't':
            wanted->trials = atoi(optarg);
            break;
        case 'j':
            wanted->json = true;
            break;
        case 'v':
            wanted->json = false;
            break;
        case 'o':
            wanted->rivals = false;
            break;
        case 'h':
            help();
            exit(0);
        default:
            exit(2);
        }
    if (wanted->trials < 1 || optind != argc)
        refuse(optind != argc ? "arguments" : "--trials",
               optind != argc ? argv[optind] : "0");
}

/* ---- The table ------------------------------------------------------------------ */

void print_titles(const stage &on, const wish &wanted)
{
    cudaDeviceProp device;
    int driver = 0;

    if (wanted.json)
        return;
    need(cudaGetDeviceProperties(&device, 0), "the device");
    need(cudaDriverGetVersion(&driver), "the driver");
    printf("# %s, driver CUDA %d.%d, toolkit CUDA %d.%d, CCCL %d.%d.%d, multiway %d, "
           "%d trials\n",
           device.name, driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000,
           CUDART_VERSION % 1000 / 10, CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
           CUB_SUBMINOR_VERSION, on.version, wanted.trials);
    printf("kind\tcount\tshape\tours_ms\tcub_merge_ms\tcub_radix_ms\tratio_merge\t"
           "ratio_radix\tworkspace_ratio\tverdict\n");
}

/* A number that may be missing, which 0 stands for. */
std::string text_of(double number, int digits, const char *missing)
{
    char text[40];

    snprintf(text, sizeof text, "%.*f", digits, number);
    return number > 0 ? text : missing;
}

void print_case(const kind &what, uint64_t count, const shape &by, const outcome &got,
                bool json)
{
    const char *const missing = json ? "null" : "-";
    const double ours = got.ms[OURS];
    std::string columns[6];
    static const char *const names[6] = {"ours_ms",     "cub_merge_ms", "cub_radix_ms",
                                         "ratio_merge", "ratio_radix",  "workspace_ratio"};

    for (int who = 0; who < CONTESTANTS; who++)
        columns[who] = text_of(got.ms[who], 5, missing);
    columns[3] = text_of(ours > 0 ? got.ms[MERGE] / ours : 0, 3, missing);
    columns[4] = text_of(ours > 0 ? got.ms[RADIX] / ours : 0, 3, missing);
    columns[5] =
        got.prepared ? text_of(std::max(got.workspace, 1e-9), 3, missing) : missing;
    printf(json ? "{\"kind\": \"%s\", \"count\": %llu, \"shape\": \"%s\"" : "%s\t%llu\t%s",
           what.name, (unsigned long long)count, by.text().c_str());
    for (int i = 0; i < 6; i++)
        if (json)
            printf(", \"%s\": %s", names[i], columns[i].c_str());
        else
            printf("\t%s", columns[i].c_str());
    printf(json ? ", \"verdict\": \"%s\"}\n" : "\t%s\n", got.verdict.c_str());
    fflush(stdout);
    if (!got.message.empty())
        fprintf(stderr, "%s %llu %s: %s\n", what.name, (unsigned long long)count,
                by.text().c_str(), got.message.c_str());
}

numbers numbers_of(const shape &by, uint64_t count)
{
    numbers all = {by.name, by.low, count, 1, 1};

    while (all.run * all.run < count)
        all.run++;
    while (count >> all.levels)
        all.levels++;
    return all;
}

/* 0 if every result was right, 1 if one was wrong, 2 if one failed. */
int measure_all(stage *on, const wish &wanted)
{
    int status = 0;

    print_titles(*on, wanted);
    for (const kind *what : wanted.kinds)
        for (const uint64_t count : wanted.counts)
            for (const shape &by : wanted.shapes) {
                outcome got;

                if (by.low && what->key.type != MW_BYTES)
                    continue;
                measure(on, *what, numbers_of(by, count), wanted.trials, wanted.rivals,
                        &got);
                print_case(*what, count, by, got, wanted.json);
                status = std::max(status, got.status);
                need(cudaDeviceSynchronize(), "the device after this case");
            }
    return status;
}

} // namespace

int main(int argc, char **argv)
{
    wish wanted;

    read_options(argc, argv, &wanted);
    try {
        stage on;

        return measure_all(&on, wanted);
    } catch (const std::exception &error) {
        fprintf(stderr, "multiway-anything: %s\n", error.what());
        return 2;
    }
}
