/*
 * primitives.cuh - what the files of multiway-primitives share: a contest between our job
 * and a rival, and how rows are made and checked.
 */
#ifndef MW_BENCH_RIVALS_PRIMITIVES_CUH
#define MW_BENCH_RIVALS_PRIMITIVES_CUH

#include "memory.cuh"
#include "multiway.h"

#include <deque>
#include <memory>
#include <vector>

/* A bijection of 64 bits; each bit of the result depends on all. */
__host__ __device__ inline uint64_t mix(uint64_t bits)
{
    bits += 0x9e3779b97f4a7c15ull;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
    return bits ^ bits >> 31;
}

enum { THREADS = 256 };

/* A grid that a loop over `work` strides through. */
inline unsigned blocks_for(uint64_t work)
{
    return static_cast<unsigned>(std::min<uint64_t>((work + THREADS - 1) / THREADS, 4096));
}

__device__ inline uint64_t first_index()
{
    return (uint64_t)blockIdx.x * THREADS + threadIdx.x;
}

__device__ inline uint64_t grid_stride()
{
    return (uint64_t)gridDim.x * THREADS;
}

/* A job that this version or device cannot serve. */
struct unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/* What all contests share. Throws where there is no GPU. */
struct stage {
    stage();
    ~stage();
    stage(const stage &) = delete;

    mw_context *context = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t first = nullptr, last = nullptr;
};

/*
 * Copy to device memory, and wait. Not by cudaMemcpy: from pageable memory it may return
 * before all has arrived, and the stage's stream does not wait for the default stream.
 */
template <typename T> void upload(stage *on, T *to, const std::vector<T> &from)
{
    need(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice,
                         on->stream),
         "an upload");
    need(cudaStreamSynchronize(on->stream), "an upload");
}

enum side { OURS, RIVAL, SIDES };

/* One case: a job of ours, and a rival that does the same or a time to compare with. */
class contest
{
  public:
    explicit contest(stage *on) : on_(*on)
    {
    }

    virtual ~contest() = default;
    contest(const contest &) = delete;

    virtual void clear(side who) = 0;        /* overwrite the result before; not timed */
    virtual std::string check(side who) = 0; /* what is wrong with the result, or "" */

    virtual void run_rival()
    {
    }

    void run_ours();
    bool intact() const; /* the guards after all arrays */

    std::string against = "-"; /* the rival */
    bool rival_runs = false;
    double anchor = 0; /* ms to compare with where no rival runs; 0: none */

  protected:
    template <typename T> T *array(uint64_t count)
    {
        arrays_.emplace_back();
        arrays_.back().allocate(count * sizeof(T));
        return static_cast<T *>(arrays_.back().at());
    }

    void prepare(const mw_job &job); /* plan it; the workspace serves all that were */
    void enqueue(const mw_job &job);

    stage &on_;
    mw_job job_ = MW_JOB_INIT;
    mw_table out_ = {};

  private:
    std::deque<memory> arrays_;
    memory workspace_;
    uint64_t workspace_bytes_ = 0;
};

/* ---- Rows ---------------------------------------------------------------------------- */

enum key_shape { RANDOM, EQUAL, BIT, SORTED, FEW, SHAPES };
extern const char *const shape_names[SHAPES];

/* Write keys that are functions of their position; floats are no NaNs. */
void fill_keys(stage *on, mw_type type, key_shape shape, void *keys, uint64_t count);

/* Write 0, 1, ... as numbers of 4 or 8 bytes. */
void fill_numbers(stage *on, void *numbers, uint32_t bytes, uint64_t count);

/* A result: keys, and values or positions that name the row each came from. */
struct result {
    mw_type type;
    uint64_t count;
    const void *source;               /* the input's keys */
    const void *keys;                 /* the result's */
    const uint32_t *values = nullptr; /* row numbers of `value_words` words; NULL: none */
    uint32_t value_words = 1;
    const uint32_t *owners = nullptr; /* the segment of each row; NULL: all rows are one */
    const uint32_t *begins = nullptr; /* values count from these, each segment's first */
    bool stable = false;              /* equal keys must be in the order of the input */
};

/* A sum over mixed keys and their segments, of the input before anything ran. */
uint64_t sum_of(stage *on, const result &input);

/*
 * Compare with the input, whose sum was `sum`: order within each segment, the same keys in
 * each segment, each row number once and with its key, ties. Returns what is wrong or "".
 */
std::string check_rows(stage *on, const result &got, uint64_t sum);

/* ---- The operations --------------------------------------------------------------------
 */

/* A list of kinds, default counts, and a maker of contests. */
struct operation {
    const char *name;
    std::vector<std::string> kinds;
    std::vector<uint64_t> counts;
    std::unique_ptr<contest> (*make)(stage *on, const std::string &kind, uint64_t count);
};

operation merge_operation();
operation split_operation();
operation select_operation();
operation segments_operation();

/* Each row of a matrix with i64 positions: sorted, i32, or the 64 greatest, f32. */
std::unique_ptr<contest> make_row_sort(stage *on, uint64_t rows, uint64_t columns);
std::unique_ptr<contest> make_row_top(stage *on, uint64_t rows, uint64_t columns);

/* Lengths of `lists` lists of `count` keys in all: equal, or by a Zipf law. */
std::vector<uint64_t> list_lengths(uint64_t count, uint32_t lists, bool zipf);

/* Sort each list of random keys, U32 or U64, for itself; not by our library. */
void fill_lists(stage *on, mw_type type, key_shape shape, void *keys,
                const std::vector<uint64_t> &lengths);

#endif
