/*
 * primitives.h - random jobs with lists, ranks and segments, made of the cases of
 * anything.h, and what their results must be.
 */
#ifndef MW_TESTS_PRIMITIVES_H
#define MW_TESTS_PRIMITIVES_H

#include "anything.h"

#define UNTOUCHED UINT64_MAX

struct primitive {
    struct case_of_rows c;
    mw_operation operation;
    int is_judged; /* by the order; otherwise each row must be there once, ... */
    int is_bag;    /* ... or, of bare keys, each key as often as before */

    uint32_t list_count;  /* MERGE, SPLIT: list i is rows list_first[i] ... of the input, */
    uint64_t *list_first; /*   list_rows[i] of them */
    uint64_t *list_rows;
    uint64_t total; /* rows of all lists */

    int has_segments;
    int has_overlaps; /* then only what lies outside of segments is judged */
    mw_type segment_type;
    uint64_t segment_count;
    uint64_t *segments; /* begin and count of each, 0 if it is not valid */
    struct array begins, ends;

    uint64_t first, last; /* SELECT */

    uint64_t rank_count; /* SPLIT */
    struct array ranks, cuts;

    uint64_t result_count;
    uint64_t *source;   /* the input's row of each row of the result, or UNTOUCHED */
    uint64_t *position; /* and what positions say */
    uint64_t *merged;   /* SPLIT: the list of each row of all lists merged */
};

/* The names of operations. */
extern const char *const primitive_names[MW_CHECK + 1];

/* A random job of at most `most` rows, of one operation or of any (-1); 0: no memory. */
int primitive_make(struct primitive *p, uint64_t seed, uint64_t most, int operation);
void primitive_free(struct primitive *p);
void primitive_print(const struct primitive *p);

/* Where column `i` of the result goes; NULL: nowhere. */
static inline struct array *target_of(struct case_of_rows *c, uint32_t i)
{
    return c->place[i] == NOWHERE ? NULL : c->place[i] == IN_PLACE ? &c->in[i] : &c->out[i];
}

/* What is wrong with the result, or NULL; `before` holds the columns as they were. */
const char *primitive_judge(struct primitive *p, unsigned char *const before[MOST_COLUMNS]);

/* Lists and ranks, and what they must give; 0 if there is no memory. */
int make_lists(struct primitive *p);
int make_ranks(struct primitive *p);
int judge_lists(struct primitive *p);

/* `count` disjoint pieces of the input, in any order, with gaps or without. */
int make_pieces(struct primitive *p, uint64_t count, uint64_t *first, uint64_t *rows);

/* Sort `count` rows of the input stably; equal bare keys by their bits if `by_bits`. */
int oracle_sort(const struct case_of_rows *c, uint64_t *rows, uint64_t count, int by_bits);

#endif
