/*
 * request.h - a job after it was checked: what the backends get.
 */
#ifndef MW_REQUEST_H
#define MW_REQUEST_H

#include "base/base.h"
#include "base/field.h"

enum {
    REQUEST_MOST_FIELDS = 16,
    REQUEST_MOST_BYTES = 4096,      /* of an element or a value */
    REQUEST_MOST_COLUMNS = 1 << 16, /* every two of them are compared */
    REQUEST_MOST_LISTS = 100000,
};

/* A field of an order: `bytes` bytes at `offset` of each value of `column`. */
struct request_field {
    uint32_t column; /* 0: the elements; c: value column c - 1 */
    uint32_t offset;
    uint32_t bytes; /* of a number 1, 2, 4 or 8 */
    int is_string;  /* compared as memcmp does; code.flip says whether it descends */
    struct field_code code; /* of a number; of a string only flip: 0 or all ones */
};

/* How rows compare: by fields, the first that differs decides, or by an expression. */
struct request_order {
    uint32_t element_bytes;
    uint32_t field_count; /* 0: by an expression */
    const char *less;
    const char *declarations;
    int (*less_on_host)(const void *a, const void *b);
    /* Last: only some are set. Sorts of segments add one. */
    struct request_field field[REQUEST_MOST_FIELDS + 1];
};

/* One column of a request: of the elements or of values that travel with them. */
struct request_column {
    const void *in;
    void *out; /* may be `in`; NULL: not wanted */
    uint32_t bytes;
};

struct request {
    /* Bare keys: elements of a built-in type, sorted in place, and nothing else. */
    const struct type_row *type; /* of the keys; NULL: no bare keys */
    struct code code;            /* makes them unsigned numbers of the same order */
    void *keys;                  /* sorted in place */
    uint64_t count;              /* rows of `in`; MERGE, SPLIT: of all lists together */

    /* Everything else, and not set for bare keys. */
    mw_operation operation;
    uint32_t column_count;   /* with the elements, which are column 0 */
    uint64_t row_bytes;      /* of one element and its values */
    uint64_t result_count;   /* rows of `out` and positions: count; SELECT: last - first, */
                             /*   times segments; SPLIT, CHECK: 0 */
    void *positions;         /* or NULL */
    uint32_t position_bytes; /* 4 or 8; 0: none are wanted */
    int in_place;            /* `in` and `out` are the same for every column */
    int only_positions;      /* argsort: no element or value is wanted */
    int with_data;           /* 0: read by mw_prepare or mw_get_plan */
    mw_table in; /* the caller's; see request_column(); MERGE, SPLIT: the first */
    mw_table out;
    uint32_t column_size; /* bytes from one mw_column of the caller to the next */
    const struct type_row *element_type; /* elements are of a built-in type, aligned as */
                                         /*   it is, and field 0 is all; NULL: others */

    /* MERGE, SPLIT: lists. Without any there is nothing to do, and no columns are known. */
    uint32_t list_count; /* else 1 */
    uint32_t table_size; /* bytes from one mw_table of the caller to the next */
    const char *lists;   /* the first; see request_list() */

    /* SORT, SELECT: segments; NULL: none. */
    const void *segment_begins, *segment_ends;
    uint32_t segment_bytes; /* of each number in them, 4 or 8 */
    int segment_signed;
    uint64_t segment_count;

    uint64_t first, last; /* SELECT: ranks; without segments at most count */

    const uint64_t *ranks; /* SPLIT: any numbers; above count they count as count */
    uint64_t rank_count;
    uint64_t *cuts; /* SPLIT: rank_count rows of list_count numbers; CHECK: one; NULL */

    struct request_order order;
};

/*
 * Column `number` of a request: 0 is the elements. `in` and `out` are NULL where the
 * job was read without its data.
 */
struct request_column request_column(const struct request *request, uint32_t number);

/* MERGE, SPLIT: list `number` of a request; its elements are NULL without the data. */
mw_table request_list(const struct request *request, uint32_t number);

/* Where column `column` of list `list` is: 0 is the elements. NULL without the data. */
const void *request_list_column(const struct request *request, uint32_t list,
                                uint32_t column);

/* Does the request have segments? There may be none of them. */
static inline int request_has_segments(const struct request *request)
{
    return request->segment_begins != NULL;
}

/*
 * Check `order`, and fill in element_type, and type and code if bare keys can be sorted by
 * it. The request's own order is filled in too, but not by an order of mw_order_of where
 * `is_lean` says that only bare keys are to be sorted.
 */
mw_status order_read(const mw_order *order, int is_lean, struct request *request,
                     struct error *error);

/* MW_BAD_ARGUMENT unless elements of `type`, if it is not NULL, are aligned as it is. */
mw_status request_check_aligned(const struct type_row *type, const void *elements,
                                struct error *error);

/* Check that all arrays exist, and that what is written overlaps nothing else. */
mw_status request_check_data(const struct request *request, struct error *error);

/* Read a table; its columns are checked where it is known what they are for. */
mw_status job_read_table(const mw_job *job, const void *theirs, const char *name,
                         mw_table *table, struct error *error);
mw_status job_read_column(const mw_job *job, const mw_table *table, uint32_t number,
                          mw_column *column, struct error *error);

/* Read the tables of MERGE or SPLIT, all but their columns; add up their counts. */
mw_status job_read_lists(const mw_job *job, struct request *request, struct error *error);

/* Do all lists have the columns of the first? */
mw_status job_check_lists(const mw_job *job, struct request *request, struct error *error);

/* Read segments, ranks and cuts, and find how many rows the result has. */
mw_status job_read_ranges(const mw_job *job, struct request *request, struct error *error);

/* Let a selection without segments be that of the first last - first ranks. */
void job_widen_selection(const mw_job *job, struct request *request);

/*
 * Check everything about a job that needs no device. Without `with_data` its data
 * pointers are ignored: they may not exist yet.
 */
mw_status job_read(const mw_job *job, int with_data, struct request *request,
                   struct error *error);

#endif
