/*
 * anything.h - random jobs for anything.c: orders, columns, data and where results go.
 */
#ifndef MW_TESTS_ANYTHING_H
#define MW_TESTS_ANYTHING_H

#include "kit.h"

enum { MOST_COLUMNS = 6, GUARD = 64, GUARD_BYTE = 0xa5 }; /* columns with the elements */

/* An array between two guards: GUARD + shift bytes before it and GUARD after. */
struct array {
    unsigned char *room; /* host memory */
    void *there;         /* device memory of the same size, where a case uses it */
    uint64_t bytes;
    uint32_t shift; /* away from good alignment */
};

/* Where a column of the result goes. */
enum place { NOWHERE, IN_PLACE, ELSEWHERE };

struct case_of_rows {
    uint64_t seed;
    mw_order order;
    mw_field fields[16];
    const char *own; /* the name of an order of one's own; NULL: by fields */
    int is_order;    /*   which may be none */
    int is_bare;     /* elements are of a built-in type */
    int has_numbers; /* the last column numbers the rows */
    uint64_t count;
    uint32_t columns; /* with the elements */
    uint32_t bytes[MOST_COLUMNS];
    uint32_t row_bytes;
    enum place place[MOST_COLUMNS];
    int with_out; /* job.out is not NULL */
    int has_positions;
    mw_type position_type;
    int enqueued;      /* mw_enqueue on device memory, not mw_run */
    const char *shape; /* of the data */
    struct array in[MOST_COLUMNS], out[MOST_COLUMNS], positions;
};

/* Random numbers of a case. */
uint64_t roll(struct case_of_rows *c, uint64_t sides);

/* A case of at most `most` rows; 0 if there is no memory. */
int case_make(struct case_of_rows *c, uint64_t seed, uint64_t most);
void case_free(struct case_of_rows *c);
void case_print(const struct case_of_rows *c);

/* An array's first byte, in host memory; a value in it. */
static inline unsigned char *array_at(const struct array *array)
{
    return array->room + GUARD + array->shift;
}

int array_make(struct array *array, uint64_t bytes, uint32_t shift);
uint64_t array_room(const struct array *array);
int array_guarded(const struct array *array);

/* A value of the input. */
static inline unsigned char *value_at(const struct case_of_rows *c, uint32_t column,
                                      uint64_t row)
{
    return array_at(&c->in[column]) + row * c->bytes[column];
}

/* Put the rows in the order that `positions` says; number them, where they have numbers. */
void case_arrange(struct case_of_rows *c, const uint64_t *positions);
void case_number(struct case_of_rows *c);

/* Does row `a` of the input precede row `b`? */
int case_less(const struct case_of_rows *c, uint64_t a, uint64_t b);

/* Equal bare keys that nothing tells apart go by their bits. */
int case_less_bits(const struct case_of_rows *c, uint64_t a, uint64_t b);

/* The stable order of the input, `count` positions; equal bare keys go by their bits. */
void case_sort(const struct case_of_rows *c, uint64_t *order);

#endif
