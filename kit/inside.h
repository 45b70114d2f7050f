/*
 * inside.h - what the files of the kit share among themselves.
 */
#ifndef MW_KIT_INSIDE_H
#define MW_KIT_INSIDE_H

#include "kit.h"

/* Sixty-four random bits for position `i` of the input with that seed. */
uint64_t random_at(uint64_t seed, uint64_t i);

/* Keys made of 64 random bits. */
uint64_t special_number(mw_type type, uint64_t random);  /* any finite number */
uint64_t special_extreme(mw_type type, uint64_t random); /* ends of the range, 0, 1, -1 */
uint64_t special_float(mw_type type, uint64_t random);   /* NaNs, infinities ... */

void shuffle_open(struct kit_shuffle *shuffle, uint64_t count, uint64_t seed);
uint64_t shuffle_at(const struct kit_shuffle *shuffle, uint64_t i);

/* Play the swaps of a `swaps:s` input; the rank that then stands at a position. */
mw_status swaps_open(struct kit_input *input);
uint64_t swaps_at(const struct kit_input *input, uint64_t position);

/*
 * `conflict:E,THREADS[,worst]`: what is wrong with the text after the colon, or NULL; the
 * tables; the rank that stands at a position.
 */
const char *conflict_parse(const char *text, struct kit_shape *shape);
mw_status conflict_open(struct kit_input *input);
uint64_t conflict_at(const struct kit_input *input, uint64_t position);

#endif
