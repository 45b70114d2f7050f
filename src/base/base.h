/*
 * base.h - what all other files use: statuses with messages, TRY, the types.
 */
#ifndef MW_BASE_H
#define MW_BASE_H

#include "multiway_insight.h"

/* Leave for `done`, the function's only label, unless `call` came to MW_OK. */
#define TRY(call)            \
    do {                     \
        status = (call);     \
        if (status != MW_OK) \
            goto done;       \
    } while (0)

/* The message that explains a failing status; each handle has one. */
struct error {
    char text[512];
};

/* Set the message, printf-style, and return `status`: `return fail(w, MW_..., "...")`. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
mw_status
fail(struct error *error, mw_status status, const char *format, ...);

/* How a key's bits become an unsigned number of the same order: see code.inl. */
enum code_kind { CODE_UNSIGNED, CODE_SIGNED, CODE_FLOAT };

/*
 * One code: rank floats if `is_float`, then exclusive-or with `flip`. Of 2-byte floats,
 * of which there are two types, `is_float` holds the bits of -infinity.
 */
struct code {
    uint64_t flip;
    int is_float;
};

/* One row of types.def. */
struct type_row {
    const char *name;
    size_t size; /* bytes */
    enum code_kind kind;
    uint64_t lowest; /* the bits of -infinity; 0: not a float */
};

/* The row of `type`, or NULL if there is no such type. */
const struct type_row *type_row(mw_type type);

/* The code that makes keys of this row sort in this direction as unsigned numbers. */
struct code type_code(const struct type_row *row, mw_direction direction);

/* Add one line's traffic to a sum. */
void traffic_add(mw_traffic *sum, const mw_traffic *t);

#endif
