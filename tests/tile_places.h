/*
 * tile_places.h - keys for kernels that say of each key where it was, and what is
 * expected of them: for tests of engine tile's kernels with places. fill() the bench,
 * launch, fetch, and ask if result_is() what you worked out.
 */
#ifndef MW_TESTS_TILE_PLACES_H
#define MW_TESTS_TILE_PLACES_H

#include "kit.h"
#include "sim/sim.h"

#include "sim_kernels/placed.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

enum kind { EQUAL, GREATEST_ONLY, FEW, RANDOM, SORTED, REVERSED, SAWTOOTH, KINDS };

static const char *const kind_names[KINDS] = {"all equal", "all the greatest", "few values",
                                              "random",    "sorted",           "reversed",
                                              "sawtooth"};

/* The room of a bench. */
enum { MOST_KEYS = 1 << 15, MOST_CUTS = 1 << 12 };

/* A program on its device; what it is given, and what it gave. */
struct bench {
    struct device *device;
    struct error error;
    const struct placed *program;
    uint64_t *keys; /* the array, one key in 64 bits each */
    void *narrow;   /* keys as the device has them, ... */
    void *samples;  /* ... and samples of its result */
    unsigned short *places;
    wide *cuts;
};

/* A key and where it was. */
struct origin {
    uint64_t key;
    uint64_t place;
};

static inline size_t size_of(const struct bench *b)
{
    return (size_t)b->program->bits / 8;
}

static inline uint64_t tile_of(const struct bench *b)
{
    return (uint64_t)b->program->rows * (uint64_t)b->program->items;
}

/* Key `i` of `count`, of so many bits. */
static inline uint64_t key_of(enum kind kind, int bits, uint64_t i, uint64_t count)
{
    const uint64_t top = UINT64_MAX >> (64 - bits);
    const uint64_t values = top < count ? top + 1 : count;
    const uint64_t few = top - kit_mix(i) % 3; /* the greatest one among them */
    const uint64_t by_kind[KINDS] = {[EQUAL] = 5,
                                     [GREATEST_ONLY] = top,
                                     [FEW] = few,
                                     [RANDOM] = kit_mix(i) & top,
                                     [SORTED] = i * values / count,
                                     [REVERSED] = (count - 1 - i) * values / count,
                                     [SAWTOOTH] = i % 37};

    return by_kind[kind];
}

/* For qsort: origins by key, equal ones by place. */
static inline int compare(const void *a, const void *b)
{
    const struct origin *const x = a;
    const struct origin *const y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Keys of a kind, those of each `run` sorted if it is not 0. */
static inline void fill(struct bench *b, enum kind kind, uint64_t count, uint64_t run)
{
    struct origin *const sorted = malloc(count * sizeof *sorted);

    for (uint64_t i = 0; i < count; i++)
        sorted[i] = (struct origin){key_of(kind, b->program->bits, i, count), i};
    for (uint64_t first = 0; run && first < count; first += run)
        qsort(sorted + first, count - first < run ? count - first : run, sizeof *sorted,
              compare);
    for (uint64_t i = 0; i < count; i++) { /* little-endian: the low bytes come first */
        b->keys[i] = sorted[i].key;
        memcpy((char *)b->narrow + i * size_of(b), &b->keys[i], size_of(b));
        if (i % TILE_SAMPLE == 0)
            memcpy((char *)b->samples + i / TILE_SAMPLE * size_of(b), &b->keys[i],
                   size_of(b));
    }
    free(sorted);
}

/* Are they, in order, what stands at `first` of the result? */
static inline int result_is(const struct bench *b, uint64_t first,
                            const struct origin *expected, uint64_t count)
{
    const size_t size = size_of(b);

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t at = first + i;
        const struct origin *const e = &expected[i];

        if (b->places[at] != e->place ||
            memcmp((char *)b->narrow + at * size, &e->key, size) != 0 ||
            (at % TILE_SAMPLE == 0 &&
             memcmp((char *)b->samples + at / TILE_SAMPLE * size, &e->key, size) != 0)) {
            tap_note("key %llu has place %u, not %llu, or is another",
                     (unsigned long long)at, b->places[at], (unsigned long long)e->place);
            return 0;
        }
    }
    return 1;
}

#endif
