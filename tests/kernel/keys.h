/*
 * keys.h - the keys of the kernel tests: kinds of sorted lists that are hard to cut and
 * to merge, and what tests do with keys. A key is kept in 64 bits here, whatever the
 * width the device has it in.
 */
#ifndef MW_TESTS_KEYS_H
#define MW_TESTS_KEYS_H

#include "fixture.h"

enum kind {
#define KIND(name, text, key) name,
#include "keys.def"
#undef KIND
    KINDS,
    FIRST_TO_CUT = EQUAL
};

extern const char *const kind_names[KINDS];

/* Key `i` of list `list`, where groups of `ways` lists are merged. */
uint64_t key_of(enum kind kind, int bits, uint64_t list, uint64_t ways, uint64_t i);

/* `count` keys of a kind in lists of `run` keys, each list sorted. */
void fill_lists(uint64_t *keys, enum kind kind, int bits, uint64_t count, uint64_t run,
                int ways);

/* Sort each `run` keys; the last run may be short. */
void sort_each(uint64_t *keys, uint64_t count, uint64_t run);

void shuffle(struct fixture *f, uint64_t *keys, uint64_t count);

/* An array on the device with these keys. */
void *device_keys(struct fixture *f, const uint64_t *keys, uint64_t count, int bits);

/* Does the device have these keys, or every 32nd of them? If not, says in a note where the
 * first other one is. */
int same_keys(const void *device, const uint64_t *keys, uint64_t count, int bits);
int same_samples(const void *device, const uint64_t *keys, uint64_t count, int bits);

/*
 * The round `r` of engine tile over these keys, in lists of r.run: count, run, piece,
 * number and ways are given, the rest is added, with arrays for all that it reads and
 * writes. A piece that is not given is that of tiles of `tile` keys, `items` a row.
 */
struct tile_round round_of(struct fixture *f, const uint64_t *keys, int bits,
                           struct tile_round r, uint64_t tile, uint64_t items);

/* Cuts of a round, of r->ways cells each. */
static inline uint64_t cuts_of(const struct tile_round *r)
{
    return (uint64_t)r->groups * (r->pieces + 1);
}

#endif
