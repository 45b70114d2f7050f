/*
 * lists.h - cut sorted lists exactly, and merge them.
 *
 * Rows of all lists have one order: by the request's order, then by list, then by place
 * in the list. A cut at a rank is therefore unique. Comparisons decide where a cut goes,
 * but never how many rows lie before it, and cuts at ascending ranks never cross: so lists
 * that are not sorted, or an inconsistent comparison, neither lose nor duplicate a row.
 */
#ifndef MW_CPU_LISTS_H
#define MW_CPU_LISTS_H

#include "cpu/compare.h"
#include "cpu/cpu.h"
#include "cpu/pool.h"

/* A list, and the number of its first row if all lists are concatenated. */
struct list_at {
    mw_table table;
    uint64_t first;
};

/* All lists of a request. */
struct lists {
    const struct request *request;
    struct list_at *at;
    uint32_t count;
    uint32_t covered_fields; /* whose values a code holds completely */
    int is_complete;         /* that is all fields: rows of equal codes are equal */
    int is_number;           /* there is one field, a number in the elements */
};

/* Read all lists into `at`, which has room for them. */
struct lists lists_read(const struct request *request, struct list_at *at);

/* The code of a row (compare.h). */
uint64_t lists_code(const struct lists *lists, uint32_t list, uint64_t row);

/* A row of a list, with its code. */
struct list_row {
    uint64_t code;
    uint64_t row;
    uint32_t list;
};

/* Does `a` precede `b` in the order of all rows? */
int lists_precede(const struct lists *lists, const struct list_row *a,
                  const struct list_row *b);

/* Memory for lists_cut: in each array a number for each list. */
struct list_room {
    uint64_t *high;
    uint64_t *middle;
    uint32_t *active;
};

enum { LIST_ROOM_BYTES = 20 }; /* for each list */

/* Lay out that memory for `count` lists. */
struct list_room list_room(void *memory, uint32_t count);

/*
 * Cut windows of all lists: find where the first `target` rows of windows [low[i],
 * room->high[i]) of the lists, merged, end. The result replaces `low`.
 */
void lists_cut(const struct lists *lists, uint64_t *low, struct list_room room,
               uint64_t target);

/* Scratch memory of SPLIT or MERGE by `threads` threads; it serves smaller ones as well. */
uint64_t lists_scratch_bytes(const struct request *request, unsigned threads);

void lists_split(struct pool *pool, const struct request *request, void *scratch);
void lists_merge(struct pool *pool, const struct request *request, void *scratch);

#endif
