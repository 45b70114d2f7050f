/*
 * simt_sim.h - the words of simt.h for a C compiler: calls into the simulator.
 *
 * Every use of a word is a site of its own, a constant with its source line and kind of
 * access. A CELL is wrapped in a struct, so that an access without a word, which the
 * ledger would miss, does not compile.
 */
#ifndef MW_SIMT_SIM_H
#define MW_SIMT_SIM_H

#include "simt_calls.h"

#ifdef __FILE_NAME__
#define SIMT_FILE __FILE_NAME__
#else
#define SIMT_FILE __FILE__
#endif

/* Words may be nested, so the names that a word declares contain a unique number. */
#define SIMT_SITE_AS(number, word, bytes, access, open)                                 \
    (__extension__({                                                                    \
        static const struct simt_site simt_site_##number = {SIMT_FILE, __LINE__, word,  \
                                                            bytes,     access,   open}; \
        &simt_site_##number;                                                            \
    }))
#define SIMT_SITE_NUMBER(number, word, bytes, access, open) \
    SIMT_SITE_AS(number, word, bytes, access, open)
#define SIMT_ACCESS(word, bytes, access, open) \
    SIMT_SITE_NUMBER(__COUNTER__, word, bytes, access, open)
#define SIMT_SITE(word) SIMT_ACCESS(word, 0, MW_ACCESS_PLAIN, 0)

#if defined(TILE_ROWS) && defined(TILE_PLACES)
#define SIMT_KERNEL_OF(name, bits, rows, items) \
    simt_##name##_##bits##_##rows##x##items##_places
#elif defined(TILE_ROWS) && defined(TILE_LARGE)
#define SIMT_KERNEL_OF(name, bits, rows, items) \
    simt_##name##_##bits##_##rows##x##items##_large
#elif defined(TILE_ROWS) || defined(LESS_THREADS)
#define SIMT_KERNEL_OF(name, bits, rows, items) simt_##name##_##bits##_##rows##x##items
#else
#define SIMT_KERNEL_OF(name, bits) simt_##name##_##bits
#endif

#if defined(TILE_ROWS) || defined(LESS_THREADS)
#define SIMT_KERNEL_AS(name, bits, rows, items) SIMT_KERNEL_OF(name, bits, rows, items)
#endif
#if defined(TILE_ROWS)
#define SIMT_KERNEL(name, bits) SIMT_KERNEL_AS(name, bits, TILE_ROWS, TILE_ITEMS)
#elif defined(LESS_THREADS)
#define SIMT_KERNEL(name, bits) SIMT_KERNEL_AS(name, bits, LESS_THREADS, LESS_ITEMS)
#else
#define SIMT_KERNEL(name, bits) SIMT_KERNEL_OF(name, bits)
#endif

/*
 * The kernel, and the struct by which the simulator starts it: simt_heap_merge_32 and so
 * on; for engine tile with the geometry, simt_tile_merge_32_256x32, followed by _places
 * if its items have places and by _large with TILE_LARGE; and simt_less_merge_128_128x27.
 */
#define KERNEL(name, args_t)                                     \
    static void name(const args_t args);                         \
    static void name##_fibre(const void *args)                   \
    {                                                            \
        name(*(const args_t *)args);                             \
    }                                                            \
    extern const struct simt_kernel SIMT_KERNEL(name, KEY_BITS); \
    const struct simt_kernel SIMT_KERNEL(name, KEY_BITS) = {     \
        #name, name##_fibre, sizeof(args_t), name##_threads};    \
    static void name(__attribute__((unused)) const args_t args)

/*
 * The entries of a program are an array of its kernels in the order of kernels.def, with
 * 0 for those of other programs: SIMT_PROGRAM names it, simt_heap_32 and so on.
 */
#define ENTRIES_BEGIN                                      \
    extern const struct simt_kernel *const SIMT_PROGRAM[]; \
    const struct simt_kernel *const SIMT_PROGRAM[] = {
#define ENTRY(name, args_t) &SIMT_KERNEL(name, KEY_BITS),
#define NO_ENTRY 0,
#define ENTRIES_END \
    }               \
    ;

#if defined(TILE_LISTS)
#define SIMT_PROGRAM SIMT_KERNEL(lists, KEY_BITS)
#elif defined(TILE_ROWS)
#define SIMT_PROGRAM SIMT_KERNEL(tile, KEY_BITS)
#elif defined(LESS_THREADS)
#define SIMT_PROGRAM SIMT_KERNEL(less, KEY_BITS)
#elif defined(ROWS_PROGRAM)
#define SIMT_PROGRAM SIMT_KERNEL(rows, KEY_BITS)
#elif defined(PAIR_PROGRAM)
#define SIMT_PROGRAM SIMT_KERNEL(pair, KEY_BITS)
#elif defined(TALLY_PROGRAM)
#define SIMT_PROGRAM SIMT_KERNEL(tally, KEY_BITS)
#else
#define SIMT_PROGRAM SIMT_KERNEL(heap, KEY_BITS)
#endif

#define DEVICE static inline __attribute__((unused))
#define APART DEVICE
#define SHARED(type, name) type *const name = (type *)simt_here->shared

#define THREAD (+simt_here->thread)
#define BLOCK (+simt_here->block)
#define LANE (+simt_here->lane)
#define THREADS (+simt_here->threads)
#define BLOCKS (+simt_here->blocks)

/* The sizes a GPU moves in one access; larger cells would be split there. */
#define CELL(name, type)                                                          \
    typedef struct {                                                              \
        type simt_value;                                                          \
    } name;                                                                       \
    _Static_assert(sizeof(name) == 1 || sizeof(name) == 2 || sizeof(name) == 4 || \
                       sizeof(name) == 8 || sizeof(name) == 16,                   \
                   #name " is no cell: 1, 2, 4, 8 or 16 bytes")

/* The comma makes the result a value: nothing can be assigned to a LOAD. */
#define SIMT_READ(p, access, open)                                          \
    ((void)0, ((__typeof__((p) + 0))simt_touch(                             \
                   SIMT_ACCESS(SIMT_LOAD, sizeof *(p), access, open), (p))) \
                  ->simt_value)

/* The value is computed first: accesses in it come before this one. */
#define SIMT_WRITE(p, v, access, open)                                 \
    ((void)__extension__({                                             \
        const __typeof__((p)->simt_value) simt_new = (v);              \
        ((__typeof__((p) + 0))simt_touch(                              \
             SIMT_ACCESS(SIMT_STORE, sizeof *(p), access, open), (p))) \
            ->simt_value = simt_new;                                   \
    }))

#define LOAD(p) SIMT_READ(p, MW_ACCESS_PLAIN, 0)
#define STORE(p, v) SIMT_WRITE(p, v, MW_ACCESS_PLAIN, 0)
#define LOAD_AS(kind, p) SIMT_READ(p, MW_ACCESS_##kind, 0)
#define STORE_AS(kind, p, v) SIMT_WRITE(p, v, MW_ACCESS_##kind, 0)
#define LOAD_EVICT(kind, p) SIMT_READ(p, MW_ACCESS_##kind, 0)
#define STORE_EVICT(kind, p, v) SIMT_WRITE(p, v, MW_ACCESS_##kind, 0)
#define LOAD_KEPT(kind, p) SIMT_READ(p, MW_ACCESS_##kind, 0)

/* Copies are made at once. */
#define COPY(kind, to, from) STORE_AS(VALUE, to, LOAD_AS(kind, from))
#define COPIES_WAIT() ((void)0)

#define SIMT_AGREE_WIDE(p) \
    _Static_assert(sizeof *(p) == 8, #p ": POST and PEEK need a cell of 8 bytes")
#define POST(kind, p, v)                       \
    ((void)__extension__({                     \
        SIMT_AGREE_WIDE(p);                    \
        SIMT_WRITE(p, v, MW_ACCESS_##kind, 1); \
    }))
#define PEEK(kind, p)                      \
    (__extension__({                       \
        SIMT_AGREE_WIDE(p);                \
        SIMT_READ(p, MW_ACCESS_##kind, 1); \
    }))

/* The value is computed first, as of a store. */
#define ADD(kind, p, v)                                                                   \
    (__extension__({                                                                      \
        const __typeof__((p)->simt_value) simt_more = (v);                                \
        __typeof__((p) + 0) const simt_cell = (__typeof__((p) + 0))simt_touch(            \
            SIMT_ACCESS(SIMT_ADD, sizeof *(p), MW_ACCESS_##kind, sizeof *(p) == 8), (p)); \
        const __typeof__((p)->simt_value) simt_old = simt_cell->simt_value;               \
                                                                                          \
        simt_cell->simt_value = simt_old + simt_more;                                     \
        simt_old;                                                                         \
    }))
#define RAISE(kind, p, v)                                                      \
    ((void)__extension__({                                                     \
        const __typeof__((p)->simt_value) simt_more = (v);                     \
        __typeof__((p) + 0) const simt_cell = (__typeof__((p) + 0))simt_touch( \
            SIMT_ACCESS(SIMT_ADD, sizeof *(p), MW_ACCESS_##kind, 1), (p));     \
                                                                               \
        SIMT_AGREE_WIDE(p);                                                    \
        if (simt_cell->simt_value < simt_more)                                 \
            simt_cell->simt_value = simt_more;                                 \
    }))
#define FENCE() ((void)0)

/* No other thread runs between the two accesses. */
#define POST_BITS(kind, p, bits) POST(kind, p, PEEK(kind, p) | (bits))

/* Blocks run one after the other, so waiting for a later one would not help. */
#define PAUSE() ((void)0)

#define BARRIER() simt_meet(SIMT_SITE(SIMT_BARRIER))
#define WARP_BARRIER() simt_meet(SIMT_SITE(SIMT_WARP_BARRIER))

/* Values of any type are passed as bits; narrow ones are promoted, as in CUDA. */
#define SIMT_SHUFFLE_AS(number, v, lane)                                       \
    (__extension__({                                                           \
        __typeof__((v) + 0) simt_value_##number = (v);                         \
        uint64_t simt_bits_##number = 0;                                       \
                                                                               \
        __builtin_memcpy(&simt_bits_##number, &simt_value_##number,            \
                         sizeof simt_value_##number);                          \
        simt_bits_##number =                                                   \
            simt_shuffle(SIMT_SITE(SIMT_SHUFFLE), simt_bits_##number, (lane)); \
        __builtin_memcpy(&simt_value_##number, &simt_bits_##number,            \
                         sizeof simt_value_##number);                          \
        simt_value_##number;                                                   \
    }))
#define SIMT_SHUFFLE_NUMBER(number, v, lane) SIMT_SHUFFLE_AS(number, v, lane)
#define SHUFFLE(v, lane) SIMT_SHUFFLE_NUMBER(__COUNTER__, v, lane)
#define SHUFFLE_XOR(v, mask) SHUFFLE(v, LANE ^ (mask))
#define BALLOT(p) simt_ballot(SIMT_SITE(SIMT_BALLOT), !!(p))

#define SUM(v) simt_sum(SIMT_SITE(SIMT_SHUFFLE), (v))
#define GREATEST(v) simt_greatest(SIMT_SITE(SIMT_SHUFFLE), (v))
#define LOWEST_BIT(m) __builtin_ctz(m)
#define HIGHEST_BIT(m) (31 - __builtin_clz(m))
#define BITS(m) __builtin_popcount(m)

/* A shared address is the offset in the block's shared memory. */
#define SHARED_ADDRESS(p) ((int)((const char *)(p) - (const char *)simt_here->shared))
#define SHARED_CELL(type, a) ((type *)((char *)simt_here->shared + (a)))

#define ALIGNED(bytes) _Alignas(bytes)
#define AGREE(condition) _Static_assert(condition, #condition)
#define QUOTIENT(a, b) ((a) / (b))
#define OPAQUE(p) (p)
#define HELD(a) (a)
#define UNROLL
#define NO_UNROLL

#endif
