/*
 * lanes_256.inl - rows and chains in 256-bit registers: eight 32-bit ranks or
 * four 64-bit ranks at a time. Needs AVX2; AVX-512VL adds 64-bit minima.
 *
 * A chain merges two sorted lists by bitonic networks: it holds the LANES
 * largest ranks loaded so far, loads the next LANES from the list with the
 * smaller head, and stores the smaller half of the two. One chain is bound by
 * latency, so merge.inl runs four of them side by side.
 */
#include <immintrin.h>

#define LANES (256 / KEY_BITS)

typedef rank lanes __attribute__((vector_size(32)));

#define SHUFFLE(a, b, ...) ((lanes)__builtin_shufflevector(a, b, __VA_ARGS__))

static inline lanes lanes_load(const rank *from)
{
    return (lanes)_mm256_loadu_si256((const __m256i *)(const void *)from);
}

static inline void lanes_store(rank *to, lanes values)
{
    _mm256_storeu_si256((__m256i *)(void *)to, (__m256i)values);
}

/* Put the smaller of each lane into *low, the larger into *high. */
static inline void exchange(lanes *low, lanes *high)
{
    const __m256i a = (__m256i)*low;
    const __m256i b = (__m256i)*high;
#if KEY_BITS == 32 && defined(__AVX512VL__)
    *low = (lanes)_mm256_min_epu32(a, b);
    *high = (lanes)_mm256_max_epu32(a, b);
#elif KEY_BITS == 32
    *low = (lanes)_mm256_min_epi32(a, b);
    *high = (lanes)_mm256_max_epi32(a, b);
#elif defined(__AVX512VL__)
    *low = (lanes)_mm256_min_epu64(a, b);
    *high = (lanes)_mm256_max_epu64(a, b);
#else
    const __m256i swap = _mm256_cmpgt_epi64(a, b);

    *low = (lanes)_mm256_blendv_epi8(a, b, swap);
    *high = (lanes)_mm256_blendv_epi8(b, a, swap);
#endif
}

/* UNPACK interleaves two vectors within 128 bits, HALVES joins equal halves. */
#if KEY_BITS == 32
#define REVERSED(a) SHUFFLE(a, a, 7, 6, 5, 4, 3, 2, 1, 0)
#define UNPACK_LOW(a, b) SHUFFLE(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define UNPACK_HIGH(a, b) SHUFFLE(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define HALVES_LOW(a, b) SHUFFLE(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HALVES_HIGH(a, b) SHUFFLE(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define REVERSED(a) SHUFFLE(a, a, 3, 2, 1, 0)
#define UNPACK_LOW(a, b) SHUFFLE(a, b, 0, 4, 2, 6)
#define UNPACK_HIGH(a, b) SHUFFLE(a, b, 1, 5, 3, 7)
#define HALVES_LOW(a, b) SHUFFLE(a, b, 0, 1, 4, 5)
#define HALVES_HIGH(a, b) SHUFFLE(a, b, 2, 3, 6, 7)
#endif

static inline void unpack(lanes *a, lanes *b)
{
    const lanes low = UNPACK_LOW(*a, *b);

    *b = UNPACK_HIGH(*a, *b);
    *a = low;
}

static inline void trade_halves(lanes *a, lanes *b)
{
    const lanes low = HALVES_LOW(*a, *b);

    *b = HALVES_HIGH(*a, *b);
    *a = low;
}

/*
 * Merge `*high`, which descends, with `*low`, which ascends; both ascend then.
 * After the first exchange each is bitonic on its own. Every stage gathers the
 * partners of both into one pair of registers, so that one exchange serves
 * both, and only the last two steps put the ranks back in their places.
 */
static inline void lanes_merge(lanes *low, lanes *high)
{
    exchange(low, high);
    trade_halves(low, high);
    exchange(low, high);
    for (int reach = LANES / 4; reach > 0; reach /= 2) {
        unpack(low, high);
        exchange(low, high);
    }
    unpack(low, high);
    trade_halves(low, high);
}

struct chain {
    const rank *a; /* forward: the heads; backward: the ends */
    const rank *b; /*   in no particular order: equal ranks are the same rank */
    rank *out;
    lanes held; /* loaded but not stored, in the order opposite to memory's */
};

/* From the front: store the LANES smallest of what is held and `*block`. */
static inline void forward_store(struct chain *c, const rank *block)
{
    lanes low = lanes_load(block);
    lanes high = c->held;

    lanes_merge(&low, &high);
    lanes_store(c->out, low);
    c->out += LANES;
    c->held = REVERSED(high);
}

static inline void forward_start(struct chain *c, const rank *a, const rank *b, rank *out)
{
    c->a = a + LANES;
    c->b = b + LANES;
    c->out = out;
    c->held = REVERSED(lanes_load(a));
    forward_store(c, b);
}

/* Swap the two pointers if `number` is 1. */
static inline void swap_if(size_t number, const rank **a, const rank **b)
{
    const uintptr_t swapped = ((uintptr_t)*a ^ (uintptr_t)*b) & -(uintptr_t)number;

    *a = (const rank *)((uintptr_t)*a ^ swapped);
    *b = (const rank *)((uintptr_t)*b ^ swapped);
}

static inline void forward_step(struct chain *c)
{
    swap_if(choice(*c->b < *c->a), &c->a, &c->b);
    forward_store(c, c->a);
    c->a += LANES;
}
