/*
 * compare.h - compare two rows of a request, by its fields or by the caller's function.
 */
#ifndef MW_CPU_COMPARE_H
#define MW_CPU_COMPARE_H

#include "request.h"

/* A request's order with the arrays that it reads. */
struct comparison {
    const struct request_order *order;
    const unsigned char *elements;
    const void *map;    /* NULL, or the numbers of the rows that are compared, ... */
    uint32_t map_bytes; /* ... of 4 or 8 bytes each */
    struct {
        const unsigned char *first; /* the field of row 0 */
        uint32_t step;              /* bytes from row to row */
    } field[REQUEST_MOST_FIELDS];   /* only those of the order are set */
};

/* Compare rows of `in`, counted from row `first` on. */
struct comparison comparison_of(const struct request *request, uint64_t first);

/* Compare rows of a list of the request, which request_list returned. */
void comparison_of_list(const struct request *request, const mw_table *list,
                        struct comparison *c);

/* Number `i` of an array of numbers of 4 or 8 bytes. */
static inline uint64_t number_at(const void *numbers, uint32_t bytes, uint64_t i)
{
    return bytes == 4 ? ((const uint32_t *)numbers)[i] : ((const uint64_t *)numbers)[i];
}

/* Does row `a` precede row `b`? Fields before number `from` are known to be equal. */
int comparison_less(const struct comparison *c, uint64_t a, uint64_t b, uint32_t from);

/* The same for rows of two lists. */
int comparison_between(const struct comparison *c, uint64_t a, const struct comparison *d,
                       uint64_t b, uint32_t from);

/*
 * The first fields of a row as a number: rows whose numbers differ are in their order. The
 * fields' codes fill it from the top, the last of them cut off; 0 if there are no fields.
 */
uint64_t comparison_code(const struct comparison *c, uint64_t row);

/* The same of a row whose only field is a number, which is at `at`. */
uint64_t comparison_number(const struct request_field *field, const unsigned char *at);

/* The same of rows [first, first + count). */
void comparison_codes(const struct comparison *c, uint64_t first, uint32_t count,
                      uint64_t *codes);

/* Is the only field a number of `bytes` whose code is itself, but for flipped bits? */
int comparison_is_plain(const struct comparison *c, uint32_t bytes);

/* The least and the greatest of these numbers, of rows [first, last). */
void comparison_range(const struct comparison *c, uint64_t first, uint64_t last,
                      uint64_t *least, uint64_t *most);

/* The bits of all fields together. */
uint64_t comparison_bits(const struct comparison *c);

/* How many fields, from the first on, the top `bits` of that number hold completely. */
uint32_t comparison_covered(const struct comparison *c, unsigned bits);

#endif
