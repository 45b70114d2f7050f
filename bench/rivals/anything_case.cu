/*
 * anything_case.cu - one case: memory, trials in turn, medians, and the check of results.
 */
#include "anything_case.cuh"

#include <algorithm>
#include <cstdio>

namespace
{

enum { WARM_UPS = 2 };

/* The job of a case, and all it points to. */
struct our_job {
    our_job(const kind &what, const arrays &rows, void *apart, uint64_t count)
    {
        const bool records = what.rows == RECORDS || what.rows == APART;

        column = {rows.values, what.calls->value_bytes};
        in = {rows.elements, count, nullptr, 0};
        out = {apart, count, nullptr, 0};
        job.in = &in;
        job.order = records ? &order : mw_order_of(what.key.type, MW_ASCENDING);
        order.element_bytes = what.calls->element_bytes;
        if (what.less) {
            order.less = what.less;
            order.declarations = what.declarations;
        } else {
            order.fields = &what.key;
            order.field_count = 1;
        }
        if (what.rows == PAIRS) {
            in.columns = &column;
            in.column_count = 1;
        } else if (what.rows == APART) {
            job.out = &out;
        } else if (what.rows == ARGSORT) {
            job.out = &out;
            job.positions = rows.values;
            job.position_type = MW_U32;
        }
    }

    our_job(const our_job &) = delete;

    mw_column column;
    mw_table in, out;
    mw_order order = MW_ORDER_INIT;
    mw_job job = MW_JOB_INIT;
};

/* One case while it runs. */
class bout
{
  public:
    bout(stage *on, const kind &what, const numbers &all, bool rivals, outcome *got);
    void trial(contestant who, bool check);
    void conclude();

  private:
    void prepare_ours();
    void prepare_rivals();
    void restore(contestant who);
    arrays run(contestant who);
    void check(contestant who, const arrays &sorted);
    void wrong(contestant who, const std::string &message);

    stage &on_;
    const kind &what_;
    const numbers all_;
    outcome &got_;
    uint32_t count_;
    memory source_, elements_, values_, apart_, bitmap_;
    memory storage_[CONTESTANTS];
    arrays rows_;
    bool runs_[CONTESTANTS] = {};
    std::vector<double> times_[CONTESTANTS];
};

bout::bout(stage *on, const kind &what, const numbers &all, bool rivals, outcome *got)
    : on_(*on), what_(what), all_(all), got_(*got), count_((uint32_t)all.count)
{
    source_.allocate(all.count * what.calls->element_bytes);
    elements_.allocate(source_.bytes());
    values_.allocate(all.count * what.calls->value_bytes);
    if (what.rows == APART)
        apart_.allocate(source_.bytes());
    bitmap_.allocate((all.count + 31) / 32 * 4);
    rows_ = {elements_.at(), what.calls->value_bytes ? values_.at() : nullptr};
    need(what.calls->fill(source_.at(), &all, on_.stream), "making the input");
    prepare_ours();
    if (rivals)
        prepare_rivals();
}

void bout::prepare_ours()
{
    const our_job ours(what_, rows_, apart_.at(), all_.count);
    uint64_t bytes = 0;
    const mw_status status = mw_prepare(on_.context, &ours.job, &bytes);

    if (status != MW_OK) {
        got_.verdict = status == MW_UNSUPPORTED ? "unsupported" : "FAILED";
        got_.message = std::string("mw_prepare: ") + mw_error(on_.context);
        got_.status = status == MW_UNSUPPORTED ? 0 : 2;
        return;
    }
    storage_[OURS].allocate(bytes);
    got_.prepared = true;
    got_.workspace = (double)bytes / (double)(source_.bytes() + values_.bytes());
    got_.verdict = "ok";
    runs_[OURS] = true;
}

void bout::prepare_rivals()
{
    size_t bytes = 0;
    arrays sorted;

    need(what_.calls->merge(nullptr, &bytes, &rows_, count_, on_.stream),
         "cub::DeviceMergeSort, asked for its storage");
    storage_[MERGE].allocate(bytes);
    runs_[MERGE] = true;
    if (!what_.calls->radix || all_.low)
        return;
    bytes = 0;
    need(what_.calls->radix(nullptr, &bytes, &rows_, count_, on_.stream, &sorted),
         "cub::DeviceRadixSort, asked for its storage");
    storage_[RADIX].allocate(bytes);
    runs_[RADIX] = true;
}

/* Fresh input. Positions of our argsort are overwritten, lest an old result pass. */
void bout::restore(contestant who)
{
    need(cudaMemcpyAsync(elements_.at(), source_.at(), source_.bytes(),
                         cudaMemcpyDeviceToDevice, on_.stream),
         "restoring the input");
    if (what_.rows == ARGSORT && who == OURS)
        need(cudaMemsetAsync(values_.at(), 0xff, values_.bytes(), on_.stream),
             "clearing positions");
    else if (what_.calls->fill_values)
        need(what_.calls->fill_values(values_.at(), all_.count, on_.stream),
             "restoring the values");
}

arrays bout::run(contestant who)
{
    size_t bytes = storage_[who].bytes();
    void *const storage = bytes ? storage_[who].at() : nullptr;
    arrays sorted = rows_;

    if (who == OURS) {
        const our_job ours(what_, rows_, apart_.at(), all_.count);

        if (mw_enqueue(on_.context, &ours.job, storage, bytes, on_.stream) != MW_OK)
            throw std::runtime_error(std::string("mw_enqueue: ") + mw_error(on_.context));
        if (what_.rows == APART)
            sorted = {apart_.at(), nullptr};
    } else if (who == MERGE) {
        need(what_.calls->merge(storage_[who].at(), &bytes, &rows_, count_, on_.stream),
             "cub::DeviceMergeSort");
    } else {
        need(what_.calls->radix(storage_[who].at(), &bytes, &rows_, count_, on_.stream,
                                &sorted),
             "cub::DeviceRadixSort");
    }
    return sorted;
}

void bout::trial(contestant who, bool check_it)
{
    float elapsed = 0;

    if (!runs_[who])
        return;
    restore(who);
    need(cudaEventRecord(on_.first, on_.stream), "an event");

    const arrays sorted = run(who);

    need(cudaEventRecord(on_.last, on_.stream), "an event");
    need(cudaEventSynchronize(on_.last), who == OURS ? "our sort" : "CUB's sort");
    need(cudaEventElapsedTime(&elapsed, on_.first, on_.last), "a time");
    times_[who].push_back(elapsed);
    if (check_it)
        check(who, sorted);
}

void bout::wrong(contestant who, const std::string &message)
{
    static const char *const names[CONTESTANTS] = {"ours", "CUB merge sort",
                                                   "CUB radix sort"};

    got_.message += std::string(names[who]) + " is wrong: " + message + ". ";
    got_.status = std::max(got_.status, 1);
    runs_[who] = false;
    if (who == OURS)
        got_.verdict = "WRONG";
}

void bout::check(contestant who, const arrays &sorted)
{
    const bool argsort = what_.rows == ARGSORT && who == OURS;
    faults found = {};
    char text[200];

    need(cudaMemsetAsync(bitmap_.at(), 0, bitmap_.bytes(), on_.stream), "a check");
    need(cudaMemsetAsync(on_.found, 0, sizeof found, on_.stream), "a check");
    need((argsort ? what_.calls->check_argsort : what_.calls->check)(
             &sorted, &all_, static_cast<uint32_t *>(bitmap_.at()), on_.found, on_.stream),
         "a check");
    need(cudaMemcpyAsync(&found, on_.found, sizeof found, cudaMemcpyDeviceToHost,
                         on_.stream),
         "a check");
    need(cudaStreamSynchronize(on_.stream), "a check");
    if (found.strangers | found.doubles | found.changed | found.descents | found.unstable |
        found.touched) {
        snprintf(text, sizeof text,
                 "%llu rows from nowhere, %llu doubled, %llu changed, %llu descents, "
                 "%llu ties swapped, %llu input keys changed",
                 found.strangers, found.doubles, found.changed, found.descents,
                 found.unstable, found.touched);
        wrong(who, text);
    } else if (!elements_.intact() || !values_.intact() || !apart_.intact() ||
               !storage_[who].intact()) {
        wrong(who, "it wrote past the end of an array or of its workspace");
    }
}

void bout::conclude()
{
    for (int who = 0; who < CONTESTANTS; who++) {
        std::vector<double> &times = times_[who];

        if (!runs_[who] || times.size() <= WARM_UPS)
            continue;
        times.erase(times.begin(), times.begin() + WARM_UPS);
        std::sort(times.begin(), times.end());
        got_.ms[who] = (times[times.size() / 2] + times[(times.size() - 1) / 2]) / 2;
    }
}

} // namespace

stage::stage()
{
    mw_options options = MW_OPTIONS_INIT;

    need(cudaSetDevice(0), "the device");
    need(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
    need(cudaEventCreate(&first), "an event");
    need(cudaEventCreate(&last), "an event");
    need(cudaMalloc(&found, sizeof *found), "device memory");
    if (mw_open(&context, "cuda", &options) != MW_OK)
        throw std::runtime_error(std::string("mw_open: ") + mw_error(context));
    version = mw_version();
}

stage::~stage()
{
    mw_close(context);
    cudaFree(found);
    cudaEventDestroy(last);
    cudaEventDestroy(first);
    cudaStreamDestroy(stream);
}

void measure(stage *on, const kind &what, const numbers &all, int trials, bool rivals,
             outcome *got)
{
    try {
        bout one(on, what, all, rivals, got);

        for (int trial = 0; trial < WARM_UPS + trials; trial++)
            for (int who = 0; who < CONTESTANTS; who++)
                one.trial(static_cast<contestant>(who),
                          trial == 0 || trial == WARM_UPS + trials - 1);
        one.conclude();
    } catch (const std::exception &error) {
        got->verdict = "FAILED";
        got->message += error.what();
        got->status = 2;
    }
}
