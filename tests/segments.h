/*
 * segments.h - a random sort of segments (segments.c).
 */
#ifndef MW_TESTS_SEGMENTS_H
#define MW_TESTS_SEGMENTS_H

#include "multiway_insight.h"

#include <stdint.h>

enum { GUARD = 64, MOST_COLUMNS = 4, MOST_FIELDS = 3 };

/* An array on both sides, with guards. */
struct array {
    unsigned char *here; /* with guards */
    unsigned char *before;
    uint64_t bytes; /* without */
    uint64_t shift;
    void *there;
};

static inline void *array_at(const struct array *a)
{
    return a->here + GUARD + a->shift;
}

static inline uint64_t array_room(const struct array *a)
{
    return a->bytes + a->shift + 2 * GUARD;
}

static inline int number_bytes(mw_type type)
{
    return (int)mw_type_size(type);
}

struct one_case {
    uint64_t count;
    uint32_t columns; /* with the elements */
    uint32_t bytes[MOST_COLUMNS];
    struct array in[MOST_COLUMNS], out[MOST_COLUMNS], positions, begins, ends, workspace;
    int place[MOST_COLUMNS]; /* 0: in place, 1: out, 2: nowhere */
    mw_field fields[MOST_FIELDS];
    mw_order order;
    char declarations[64]; /* of an expression */
    mw_type position_type, segment_type;
    int has_positions, overlap;
    int is_lone; /* one segment of bare keys */
    uint64_t segments;
    uint64_t *segment_begin, *segment_end; /* valid ones, or empty */
};

/* A random number below n, which continues the numbers of the last case made. */
uint64_t below(uint64_t n);

/* Random bytes, `shift` bytes after a guard. */
void array_make(struct array *a, uint64_t bytes, uint64_t shift);

/* Make the case of a seed, of at most `most` rows. */
void make_case(struct one_case *c, uint64_t seed, uint64_t most);

/* The comparison of an order of one's own. */
int less_of_bytes(const void *a, const void *b);

#endif
