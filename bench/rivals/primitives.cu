/*
 * primitives.cu - multiway-primitives: merges, splits, selections and segmented sorts on
 * the GPU, ours beside CUB's, in one process, interleaved trial by trial.
 *
 * Ours is mw_enqueue on device memory after mw_prepare, from one array to another.
 */
#include "primitives.cuh"

extern "C" {
#include "kit.h"
}

#include <cub/version.cuh>
#include <fnmatch.h>
#include <getopt.h>

#include <cstdio>
#include <cstdlib>

stage::stage()
{
    mw_options options = MW_OPTIONS_INIT;

    need(cudaSetDevice(0), "the device");
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    need(cudaEventCreate(&first), "an event");
    need(cudaEventCreate(&last), "an event");
    if (mw_open(&context, "cuda", &options) != MW_OK)
        throw std::runtime_error(std::string("mw_open: ") + mw_error(context));
}

stage::~stage()
{
    mw_close(context);
    cudaEventDestroy(last);
    cudaEventDestroy(first);
    cudaStreamDestroy(stream);
}

void contest::prepare(const mw_job &job)
{
    uint64_t bytes = 0;
    const mw_status status = mw_prepare(on_.context, &job, &bytes);
    const std::string message = std::string("mw_prepare: ") + mw_error(on_.context);

    if (status == MW_UNSUPPORTED)
        throw unsupported(message);
    if (status != MW_OK)
        throw std::runtime_error(message);
    workspace_bytes_ = std::max(workspace_bytes_, bytes);
}

void contest::enqueue(const mw_job &job)
{
    if (!workspace_.at())
        workspace_.allocate(workspace_bytes_);
    if (mw_enqueue(on_.context, &job, workspace_bytes_ ? workspace_.at() : nullptr,
                   workspace_bytes_, on_.stream) != MW_OK)
        throw std::runtime_error(std::string("mw_enqueue: ") + mw_error(on_.context));
}

void contest::run_ours()
{
    enqueue(job_);
}

bool contest::intact() const
{
    return workspace_.intact() &&
           std::all_of(arrays_.begin(), arrays_.end(),
                       [](const memory &one) { return one.intact(); });
}

namespace
{

enum { WARM_UPS = 2 };

/* ---- Rows of a matrix ------------------------------------------------------------- */

/* torch.sort(dim=1, stable=True) of 2^24 i32 keys on an H200, by the length of rows. */
double torch_sort_anchor(uint64_t columns)
{
    return columns == 16        ? 3.09
           : columns == 256     ? 1.63
           : columns == 4096    ? 0.565
           : columns == 65536   ? 1.30
           : columns == 1 << 20 ? 1.65
                                : 0;
}

/* sort-256, top-256: rows of 256. */
std::unique_ptr<contest> make_rows(stage *on, const std::string &kind, uint64_t count)
{
    const size_t dash = kind.find('-');
    const uint64_t columns = std::stoull(kind.substr(dash + 1));

    if (count % columns)
        throw std::runtime_error("the count is no multiple of the length of a row");
    if (kind[0] == 't')
        return make_row_top(on, count / columns, columns);

    std::unique_ptr<contest> made = make_row_sort(on, count / columns, columns);

    if (count == 1 << 24) {
        made->against = "anchor torch.sort";
        made->anchor = torch_sort_anchor(columns);
    }
    return made;
}

operation rows_operation()
{
    operation all = {"rows", {}, {1 << 24}, make_rows};

    for (const char *what : {"sort-", "top-"})
        for (const char *columns : {"16", "256", "4096", "65536", "1048576"})
            all.kinds.push_back(std::string(what) + columns);
    return all;
}

/* ---- The command line --------------------------------------------------------------- */

struct wish {
    std::vector<std::string> operations = {"*"}, kinds = {"*"}; /* patterns */
    std::vector<uint64_t> counts;                               /* none: as usual */
    int trials = 10;
    bool rivals = true;
};

std::vector<operation> all_operations()
{
    return {merge_operation(), split_operation(), select_operation(), segments_operation(),
            rows_operation()};
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

bool in(const std::vector<std::string> &patterns, const std::string &name)
{
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string &one) {
        return fnmatch(one.c_str(), name.c_str(), 0) == 0;
    });
}

void help()
{
    printf(
        "usage: multiway-primitives [--operation LIST] [--kind LIST] [--count LIST]\n"
        "                           [--trials N] [--without-rivals]\n\n"
        "Merge, split, select and sort segments on the GPU, ours beside CUB, and verify\n"
        "every result. Times are medians in ms; a ratio is the time of the rival / ours.\n"
        "A rival named \"anchor\" or \"bound\" is a constant. Lists have commas; kinds "
        "may\n"
        "be patterns. The exit status is 1 if a result was wrong, 2 if a call failed.\n\n");
    for (const operation &one : all_operations()) {
        printf("%s:", one.name);
        for (const std::string &kind : one.kinds)
            printf(" %s", kind.c_str());
        printf("\n");
    }
}

uint64_t read_count(const std::string &item)
{
    uint64_t count;

    if (kit_parse_count(item.c_str(), &count) || count < 1 << 17 || count > INT32_MAX) {
        fprintf(stderr, "multiway-primitives: --count: \"%s\" is not from 2^17 to 2^31-1\n",
                item.c_str());
        exit(2);
    }
    return count;
}

void read_options(int argc, char **argv, wish *wanted)
{
    static const option options[] = {
        {"operation",        required_argument, nullptr, 'p'},
        {"kind",           required_argument, nullptr, 'k'},
        {"count",                  required_argument, nullptr, 'n'},
        {"trials",required_argument, nullptr, 't'},
        {"without-rivals",               no_argument, nullptr, 'o'},
        {"help",            no_argument, nullptr, 'h'},
        {                 }
    };

    for (int letter; (letter = getopt_long(argc, argv, "", options, nullptr)) != -1;)
        switch (letter) {
        case 'p':
            wanted->operations = items_of(optarg);
            break;
        case 'k':
            wanted->kinds = items_of(optarg);
            break;
        case 'n':
            for (const std::string &item : items_of(optarg))
                wanted->counts.push_back(read_count(item));
            break;
        case 't':
            wanted->trials = std::max(1, atoi(optarg));
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
}

/* ---- Measuring ---------------------------------------------------------------------- */

struct outcome {
    double ms[SIDES] = {};
    std::string against = "-", verdict = "ok", message;
    int status = 0; /* 1: a result was wrong; 2: a call failed */
};

double timed(stage *on, contest *one, side who)
{
    float elapsed = 0;

    one->clear(who);
    need(cudaEventRecord(on->first, on->stream), "an event");
    if (who == OURS)
        one->run_ours();
    else
        one->run_rival();
    need(cudaEventRecord(on->last, on->stream), "an event");
    need(cudaEventSynchronize(on->last), who == OURS ? "our job" : "the rival");
    need(cudaEventElapsedTime(&elapsed, on->first, on->last), "a time");
    return elapsed;
}

double median(std::vector<double> *times)
{
    const size_t count = times->size();

    std::sort(times->begin(), times->end());
    return ((*times)[count / 2] + (*times)[(count - 1) / 2]) / 2;
}

/* Returns what is wrong, or "". */
std::string verdict_on(contest *one, side who)
{
    const std::string wrong = one->check(who);

    if (wrong.empty() && one->intact())
        return "";
    return (who == OURS ? "ours: " : "the rival: ") +
           (wrong.empty() ? "wrote past the end of an array or of its workspace" : wrong);
}

void hold(stage *on, contest *one, const wish &wanted, outcome *got)
{
    const int last = WARM_UPS + wanted.trials - 1;
    const int sides = one->rival_runs && wanted.rivals ? SIDES : RIVAL;
    std::vector<double> times[SIDES];

    got->against = one->against;
    got->ms[RIVAL] = one->anchor;
    for (int trial = 0; trial <= last && !got->status; trial++)
        for (int who = 0; who < sides; who++) {
            const double ms = timed(on, one, static_cast<side>(who));

            if (trial >= WARM_UPS)
                times[who].push_back(ms);
            if (trial != 0 && trial != last)
                continue;
            got->message += verdict_on(one, static_cast<side>(who));
            if (!got->message.empty() && !got->status) {
                got->verdict = who == OURS ? "WRONG" : "RIVAL WRONG";
                got->status = 1;
            }
        }
    for (int who = 0; who < sides && !got->status; who++)
        got->ms[who] = median(&times[who]);
}

outcome measured(stage *on, const operation &what, const std::string &kind, uint64_t count,
                 const wish &wanted)
{
    outcome got;

    try {
        const std::unique_ptr<contest> one = what.make(on, kind, count);

        need(cudaStreamSynchronize(on->stream), "making the input");
        hold(on, one.get(), wanted, &got);
    } catch (const unsupported &error) {
        got.verdict = "unsupported";
        got.message = error.what();
    } catch (const std::exception &error) {
        got.verdict = "FAILED";
        got.message += error.what();
        got.status = 2;
    }
    return got;
}

void print_case(const operation &what, const std::string &kind, uint64_t count,
                const outcome &got)
{
    const double columns[] = {got.ms[OURS], got.ms[RIVAL],
                              got.ms[OURS] > 0 ? got.ms[RIVAL] / got.ms[OURS] : 0};

    printf("%s\t%s\t%llu", what.name, kind.c_str(), (unsigned long long)count);
    for (int i = 0; i < 3; i++)
        if (columns[i] > 0)
            printf("\t%.*f", i < 2 ? 5 : 3, columns[i]);
        else
            printf("\t-");
    printf("\t%s\t%s\n", got.verdict.c_str(), got.against.c_str());
    fflush(stdout);
    if (!got.message.empty())
        fprintf(stderr, "%s %s %llu: %s\n", what.name, kind.c_str(),
                (unsigned long long)count, got.message.c_str());
}

void print_titles(const wish &wanted)
{
    cudaDeviceProp device;

    need(cudaGetDeviceProperties(&device, 0), "the device");
    printf("# %s, toolkit CUDA %d.%d, CCCL %d.%d.%d, multiway %d, %d trials\n", device.name,
           CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, CUB_MAJOR_VERSION,
           CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, mw_version(), wanted.trials);
    printf("operation\tcase\tcount\tours_ms\trival_ms\tratio\tverdict\trival\n");
}

int measure_all(stage *on, const wish &wanted)
{
    int status = 0, cases = 0;

    print_titles(wanted);
    for (const operation &what : all_operations())
        for (const std::string &kind : what.kinds) {
            if (!in(wanted.operations, what.name) || !in(wanted.kinds, kind))
                continue;
            for (const uint64_t count :
                 wanted.counts.empty() ? what.counts : wanted.counts) {
                const outcome got = measured(on, what, kind, count, wanted);

                print_case(what, kind, count, got);
                status = std::max(status, got.status);
                cases++;
                need(cudaDeviceSynchronize(), "the device after this case");
            }
        }
    if (!cases)
        throw std::runtime_error("no such operation or kind (see --help)");
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
        fprintf(stderr, "multiway-primitives: %s\n", error.what());
        return 2;
    }
}
