/*
 * rows.h - sort rows on a device: which arrays travel through the passes, and where each
 * of them lies after each pass. No launches: see passes.h.
 *
 * An order of fields is a number, the code, cut into words of up to 8 bytes. Rows are
 * sorted by one word after the other, the last word first, each time stably. In a sort by
 * one word there are three ways:
 *
 *   keyed   The word is one number of 4 or 8 bytes that can be told from its code, and at
 *           most 16 more bytes of the row travel: keys become codes in the first pass and
 *           numbers again in the last, and the other bytes follow by place.
 *   whole   At most 16 bytes travel, and any word: rows travel as they are, and each pass
 *           makes the codes of the rows that it loads.
 *   wide    Longer rows: codes travel with the 4-byte numbers of their rows. The columns
 *           are gathered at the end.
 *
 * A pass reads one side and writes another: the caller's input, A, B, or the caller's
 * output. A is the output's memory where there is one, B is workspace.
 */
#ifndef MW_ROWS_H
#define MW_ROWS_H

#include "plan_parts.h"
#include "request.h"

enum rows_side { ROWS_IN, ROWS_A, ROWS_B, ROWS_OUT, ROWS_SIDES };

enum {
    ROWS_MOST_CARRIED = 16,                    /* bytes of a row besides the key */
    ROWS_MOST_COLUMNS = ROWS_MOST_CARRIED + 8, /* that travel: each has a byte at least */
    ROWS_MOST_SEGMENTS = ROWS_MOST_COLUMNS,
    ROWS_WORD = 8 /* bytes of a word of the code */
};

enum rows_way { ROWS_KEYED, ROWS_WHOLE, ROWS_WIDE };

/* What does not depend on where the arrays are, nor on how long. */
struct rows_shape {
    enum rows_way way;
    uint64_t code_bytes;  /* of the whole order */
    uint32_t words;       /* of the code */
    uint64_t temp_bytes;  /* of a row, in temporary arrays ... */
    uint32_t temp_arrays; /* ... of this number */
};

/* A column that travels. */
struct rows_column {
    uint32_t bytes;
    char *at[ROWS_SIDES]; /* NULL: not there */
};

/* Some bytes of a column's values: 1, 2, 4 or 8, aligned. */
struct rows_segment {
    uint32_t column;
    uint32_t offset; /* in a value */
    uint32_t bytes;
    uint32_t before; /* bytes of the column's segments before it, where they are apart */
};

/* A sort by one word. */
struct rows {
    enum rows_way way;
    uint64_t count;
    struct plan_keys keys;
    struct code code; /* keyed, or wide by one number: of that number */
    int has_parts;    /* the codes of ROWS_IN are made of `part`; whole: of every side */
    int apart[ROWS_SIDES];        /* segments have arrays of their own, not the columns */
    struct rows_segment key;      /* keyed, or wide by one number: where that is */
    struct rows_column codes;     /* wide: arrays of codes */
    struct rows_column positions; /* of 4 bytes; `bytes` are those of the output, 0: none */
    void *more_positions;         /* wide: 8-byte positions for the caller, too; or NULL */
    const unsigned *order;        /* codes are those of these rows; NULL: of all in turn */
    const unsigned *condition;    /* a word; nothing is done if it is 0. NULL: none */
    char *flag;                   /* wide: room for such a word */
    char *spare;                  /* wide: room for a column, after the sort */
    uint32_t column_count;
    uint32_t segment_count;
    uint32_t part_count;
    /* Of the arrays below only as many elements are set as these counts say. */
    struct rows_column column[ROWS_MOST_COLUMNS];
    struct rows_segment segment[ROWS_MOST_SEGMENTS]; /* besides the key */
    struct code_part part[TILE_MOST_PARTS]; /* whole: `at` is set for each side, ... */
    uint32_t part_column[TILE_MOST_PARTS];  /* ... the place in this column that travels */
    uint32_t part_offset[TILE_MOST_PARTS];
};

/* Is the whole order one number of 4 or 8 bytes? */
int rows_is_number(const struct request_order *order);

/* Is it, and can the number be computed from its code? */
int rows_is_key(const struct request_order *order);

/* Choose the way. MW_UNSUPPORTED for orders by an expression. */
mw_status rows_shape(struct rows_shape *shape, const struct request *request,
                     struct error *error);

/* The keys of the sort by word `word`. */
struct plan_keys rows_keys(const struct rows_shape *shape, uint32_t word);

/* The shape of sorting rows that are given by their numbers: only these travel. */
void rows_by_number(struct rows_shape *shape);

/* Bytes of the temporary arrays for `count` rows. */
uint64_t rows_temp_bytes(const struct rows_shape *shape, uint64_t count);

/*
 * The sort by word `word`; `turn` counts the sorts made before, and `last` tells the last
 * one. `rounds` is that of its plan; `temp` are the temporary arrays.
 */
void rows_make(struct rows *rows, const struct rows_shape *shape,
               const struct request *request, uint32_t word, uint32_t turn, int last,
               uint32_t rounds, char *temp);

/* What the kernels get in a pass from one side to another, and where its keys go. */
void rows_carry(const struct rows *rows, enum rows_side from, enum rows_side to,
                struct tile_carry *carry, void **out);

/* The side that pass `pass` of `rounds` + 1 passes writes. */
static inline enum rows_side rows_side(uint32_t pass, uint32_t rounds)
{
    return pass == rounds ? ROWS_OUT : (rounds - pass) % 2 ? ROWS_B : ROWS_A;
}

#endif
