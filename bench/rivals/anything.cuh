/*
 * anything.cuh - what the files of multiway-anything share: the numbers that fill an
 * input, the rows that are sorted, and the calls that each sort of rows offers.
 *
 * Every row is a function of its position in the input, so a result is checked against
 * that function and not against a copy that a faulty sort might have reached.
 */
#ifndef MW_BENCH_RIVALS_ANYTHING_CUH
#define MW_BENCH_RIVALS_ANYTHING_CUH

#include "multiway.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/* ---- Numbers by shape ------------------------------------------------------ */

enum shape_name {
    RANDOM,   /* all bits random */
    SORTED,   /* the position */
    REVERSED, /* the same, descending */
    EQUAL,    /* one number */
    FEW,      /* 16 numbers */
    SAWTOOTH, /* the position modulo 256 */
    ZIPF,     /* skewed: as many numbers below 2^k as from 2^k to 2^(k+1) */
    TIES,     /* the top 2 bits and the low 10 random, the others 0 */
    RUNS,     /* sqrt(count) sorted runs */
    HALFMAX,  /* every second number, at random, is the greatest of its type */
    SHAPE_COUNT
};

struct numbers {
    shape_name shape;
    bool low;        /* byte strings: the number is in the last 8 bytes, not the first */
    uint64_t count;  /* of rows */
    uint64_t run;    /* RUNS: length of a run */
    uint64_t levels; /* ZIPF: powers of two up to the count */
};

/* A bijection of 64 bits; each bit of the result depends on all. */
__host__ __device__ inline uint64_t mix(uint64_t bits)
{
    bits += 0x9e3779b97f4a7c15ull;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
    return bits ^ bits >> 31;
}

/* The number at `position`, of `width` bits and at most `greatest`. */
__device__ inline uint64_t number_at(const numbers &all, uint64_t position, int width,
                                     uint64_t greatest)
{
    const uint64_t random = mix(position);
    const uint64_t step = (UINT64_MAX >> (65 - width)) / (all.run ? all.run : 1);

    switch (all.shape) {
    case SORTED:
        return position;
    case REVERSED:
        return all.count - 1 - position;
    case EQUAL:
        return 0x5bd1e995;
    case FEW:
        return random % 16;
    case SAWTOOTH:
        return position % 256;
    case ZIPF: {
        const uint64_t power = UINT64_C(1) << (random >> 32) % all.levels;

        return power | (mix(random) & (power - 1));
    }
    case TIES:
        return random >> 62 << (width - 2) | (random & 1023);
    case RUNS:
        return position % all.run * step + random % step;
    case HALFMAX:
        return random & 1 ? greatest : mix(random) >> (64 - width) & greatest;
    default:
        return random >> (64 - width);
    }
}

/* ---- Rows -------------------------------------------------------------------- */

struct none {
};

struct record16 {
    uint64_t key, row;
};

struct record32 {
    uint64_t key, row, hash[2];
};

/* The key is the first 10 bytes, as memcmp compares them; word 3 is the row. */
struct record100 {
    uint32_t words[25];
};

__host__ __device__ inline uint32_t reversed_bytes(uint32_t word)
{
    return word >> 24 | (word >> 8 & 0xff00) | (word << 8 & 0xff0000) | word << 24;
}

/* A value has its row in the low 32 bits; the others depend on it. */
template <typename V> __device__ V value_of(uint64_t row)
{
    return static_cast<V>(row | mix(row) >> 32 << 32);
}

template <typename E> __device__ E make(const numbers &all, uint64_t row);

template <> __device__ inline uint32_t make(const numbers &all, uint64_t row)
{
    return static_cast<uint32_t>(number_at(all, row, 32, UINT32_MAX));
}

template <> __device__ inline uint64_t make(const numbers &all, uint64_t row)
{
    return number_at(all, row, 64, UINT64_MAX);
}

template <> __device__ inline int64_t make(const numbers &all, uint64_t row)
{
    return static_cast<int64_t>(number_at(all, row, 64, INT64_MAX));
}

template <> __device__ inline record16 make(const numbers &all, uint64_t row)
{
    return {make<uint64_t>(all, row), value_of<uint64_t>(row)};
}

template <> __device__ inline record32 make(const numbers &all, uint64_t row)
{
    return {
        make<uint64_t>(all, row),
        value_of<uint64_t>(row),
        {mix(row + (UINT64_C(1) << 40)), mix(row + (UINT64_C(2) << 40))}
    };
}

/* Two bytes of the key are not the number's: random if it is, and 0 otherwise. */
template <> __device__ inline record100 make(const numbers &all, uint64_t row)
{
    const uint64_t number = make<uint64_t>(all, row);
    const uint32_t high = static_cast<uint32_t>(number >> 32);
    const uint32_t hash = static_cast<uint32_t>(mix(row + (UINT64_C(1) << 40)));
    record100 made;

    if (all.low) {
        made.words[0] = reversed_bytes(high) << 16;
        made.words[1] = reversed_bytes(static_cast<uint32_t>(number >> 16));
        made.words[2] = reversed_bytes(static_cast<uint32_t>(number)) >> 16;
    } else {
        made.words[0] = reversed_bytes(high);
        made.words[1] = reversed_bytes(static_cast<uint32_t>(number));
        made.words[2] = all.shape == RANDOM ? hash & 0xffff : 0;
    }
    made.words[2] |= hash & 0xffff0000;
    made.words[3] = static_cast<uint32_t>(row);
    for (int i = 4; i < 25; i++)
        made.words[i] = hash * (2 * i + 1) ^ static_cast<uint32_t>(row) << i % 8;
    return made;
}

__device__ inline uint64_t row_in(const record16 &record)
{
    return static_cast<uint32_t>(record.row);
}

__device__ inline uint64_t row_in(const record32 &record)
{
    return static_cast<uint32_t>(record.row);
}

__device__ inline uint64_t row_in(const record100 &record)
{
    return record.words[3];
}

/* The first 8 bytes of a key as a number, which radix sort takes. */
__host__ __device__ inline uint64_t prefix_of(const record32 &record)
{
    return record.key;
}

__host__ __device__ inline uint64_t prefix_of(const record100 &record)
{
    return (uint64_t)reversed_bytes(record.words[0]) << 32 |
           reversed_bytes(record.words[1]);
}

/* The comparison of CUB's merge sort. */
struct row_less {
    template <typename T> __host__ __device__ bool operator()(const T &a, const T &b) const
    {
        return a < b;
    }

    __host__ __device__ bool operator()(const record16 &a, const record16 &b) const
    {
        return a.key < b.key;
    }

    __host__ __device__ bool operator()(const record32 &a, const record32 &b) const
    {
        return a.key < b.key;
    }

    __host__ __device__ bool operator()(const record100 &a, const record100 &b) const
    {
        const uint64_t a_prefix = prefix_of(a);
        const uint64_t b_prefix = prefix_of(b);

        if (a_prefix != b_prefix)
            return a_prefix < b_prefix;
        return reversed_bytes(a.words[2]) >> 16 < reversed_bytes(b.words[2]) >> 16;
    }
};

/* ---- What can be done with rows of one kind ------------------------------------ */

/* Device memory of an input or a result; `values` is NULL for records. */
struct arrays {
    void *elements;
    void *values;
};

/* What a check counts; a right result has none of them. */
struct faults {
    unsigned long long strangers; /* rows that name a position outside the input */
    unsigned long long doubles;   /* rows that name a position again */
    unsigned long long changed;   /* rows with a byte that their position did not have */
    unsigned long long descents;  /* keys less than their predecessor */
    unsigned long long unstable;  /* equal keys in another order than in the input */
    unsigned long long touched;   /* argsort: input keys that changed */
};

/*
 * The calls for rows of one sort of element and value, all enqueued on `stream`. `merge`
 * and `radix` follow CUB: without storage they set `bytes` and do nothing else.
 */
struct row_calls {
    uint32_t element_bytes;
    uint32_t value_bytes; /* 0: the elements are records, which have their row in them */
    cudaError_t (*fill)(void *elements, const numbers *all, cudaStream_t stream);
    cudaError_t (*fill_values)(void *values, uint64_t count, cudaStream_t stream);
    cudaError_t (*merge)(void *storage, size_t *bytes, const arrays *rows, uint32_t count,
                         cudaStream_t stream);
    /* Sets `sorted` to where the result will be. NULL: a radix sort cannot do it. */
    cudaError_t (*radix)(void *storage, size_t *bytes, const arrays *rows, uint32_t count,
                         cudaStream_t stream, arrays *sorted);
    /* Count faults; `bitmap` has a bit for each row, `result` is device memory, both 0. */
    cudaError_t (*check)(const arrays *rows, const numbers *all, uint32_t *bitmap,
                         faults *result, cudaStream_t stream);
    /* The same of positions, in `values`, and of the input, in `elements`. */
    cudaError_t (*check_argsort)(const arrays *rows, const numbers *all, uint32_t *bitmap,
                                 faults *result, cudaStream_t stream);
};

#endif
