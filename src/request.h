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
    uint64_t count;

    /* Everything else, and not set for bare keys. */
    mw_operation operation;
    uint32_t column_count;   /* with the elements, which are column 0 */
    uint64_t row_bytes;      /* of one element and its values */
    void *positions;         /* or NULL */
    uint32_t position_bytes; /* 4 or 8; 0: none are wanted */
    int in_place;            /* `in` and `out` are the same for every column */
    int only_positions;      /* argsort: no element or value is wanted */
    int with_data;           /* 0: read by mw_prepare or mw_get_plan */
    uint64_t *cuts;          /* MW_CHECK: where the answer goes */
    mw_table in;             /* the caller's; see request_column() */
    mw_table out;
    uint32_t column_size; /* bytes from one mw_column of the caller to the next */
    const struct type_row *element_type; /* elements are of a built-in type, aligned as */
                                         /*   it is, and field 0 is all; NULL: others */
    struct request_order order;
};

/*
 * Column `number` of a request: 0 is the elements. `in` and `out` are NULL where the
 * job was read without its data.
 */
struct request_column request_column(const struct request *request, uint32_t number);

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

/*
 * Check everything about a job that needs no device. Without `with_data` its data
 * pointers are ignored: they may not exist yet.
 */
mw_status job_read(const mw_job *job, int with_data, struct request *request,
                   struct error *error);

#endif
