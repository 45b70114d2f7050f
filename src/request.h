/*
 * request.h - a job after it was checked: what the backends get.
 */
#ifndef MW_REQUEST_H
#define MW_REQUEST_H

#include "base/base.h"
#include "base/field.h"

enum { REQUEST_MOST_FIELDS = 16, REQUEST_MOST_BYTES = 4096 };

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
    struct request_field field[REQUEST_MOST_FIELDS]; /* last: only some are set */
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
    void *positions;         /* or NULL */
    uint32_t position_bytes; /* 4 or 8; 0: none are wanted */
    int in_place;            /* `in` and `out` are the same for every column */
    uint64_t *cuts;          /* MW_CHECK: where the answer goes */
    mw_table in;             /* the caller's; see request_column() */
    mw_table out;
    uint32_t column_size; /* bytes from one mw_column of the caller to the next */
    struct request_order order;
};

/*
 * Column `number` of a request: 0 is the elements. `in` and `out` are NULL where the
 * job was read without its data.
 */
struct request_column request_column(const struct request *request, uint32_t number);

/* Check `order` and fill in type and code, or the request's own order. */
mw_status order_read(const mw_order *order, struct request *request, struct error *error);

/*
 * Check everything about a job that needs no device. Without `with_data` its data
 * pointers are ignored: they may not exist yet.
 */
mw_status job_read(const mw_job *job, int with_data, struct request *request,
                   struct error *error);

#endif
