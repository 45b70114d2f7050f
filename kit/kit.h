/*
 * kit.h - what cli, bench and tests share: inputs by shape, a second definition of
 * orders, a fingerprint, a clock, numbers as text. Nothing here sorts, so results
 * are judged independently of the library.
 */
#ifndef MW_KIT_H
#define MW_KIT_H

#include "multiway_insight.h"

#include <string.h>

/* ---- Inputs by shape ----------------------------------------------------- */

/* `few:16` is the row "few" with parameter 16; all zero is `random`. */
struct kit_shape {
    int row;
    uint64_t parameter;
    uint64_t threads; /* `conflict` has these two as well */
    int worst;
};

struct kit_shape_text {
    const char *usage; /* such as "few[:n]" */
    const char *about; /* one line */
};

/* The shape in row `row`; NULL after the last row. */
const struct kit_shape_text *kit_shape_text(int row);

/* Read `name[:parameter]`. Returns NULL, or what is wrong: "unknown shape". */
const char *kit_shape_parse(const char *text, struct kit_shape *shape);

/*
 * The length of the first shape in a list with commas. A number or `worst` after a
 * comma belongs to the shape before it: `conflict:17,256,worst,random` has two.
 */
size_t kit_shape_span(const char *list);

/* A bijection of 0 ... count - 1, computed and not stored. */
struct kit_shuffle {
    uint64_t count;
    uint64_t mask; /* the smallest 2^bits - 1 that covers them */
    int shift;
    uint64_t factor[4];
    uint64_t offset[4];
};

/* A position that swaps have touched, and the rank of the key now there. */
struct kit_touched {
    uint64_t position;
    uint64_t rank;
};

/*
 * An input: `count` keys that depend on type, count, shape and seed alone. Each key
 * is computed by itself, so a long input needs no memory (except 32 bytes per swap of
 * `swaps:s`, and 192 E bytes of `conflict:E,T`).
 */
struct kit_input {
    mw_type type;
    uint64_t count;
    uint64_t seed;
    struct kit_shape shape;
    uint64_t repeat; /* ranks that share a value, where the type has too few */
    uint64_t lowest; /* the bits of rank 0's value */
    struct kit_shuffle shuffle;
    struct kit_touched *touched; /* by position */
    uint64_t touched_count;
    uint16_t *table; /* conflict: the order within a run, and where keys came from */
};

/* MW_OK, MW_BAD_ARGUMENT or MW_NO_MEMORY; close the input either way. */
mw_status kit_input_open(struct kit_input *input, mw_type type, uint64_t count,
                         struct kit_shape shape, uint64_t seed);
void kit_input_close(struct kit_input *input);

/* Write `count` keys, from position `first` on, to `keys`. */
void kit_input_fill(const struct kit_input *input, uint64_t first, uint64_t count,
                    void *keys);

/* All of an input at once; the shape as text. */
mw_status kit_fill(mw_type type, const char *shape, uint64_t seed, void *keys,
                   uint64_t count);

/* ---- Is it sorted, and are they the same? -------------------------------- */

/* Below 0, 0 or above 0: `a` comes before, is, or comes after `b`. */
int kit_compare(mw_type type, mw_direction direction, const void *a, const void *b);

/* The first position whose key should stand before its left neighbour, else `count`. */
uint64_t kit_first_disorder(mw_type type, mw_direction direction, const void *keys,
                            uint64_t count);

/* The same, of two elements or values by a field of theirs; any alignment. */
int kit_compare_field(const mw_field *field, const void *a, const void *b);

/* The flags that a field of this type may have: any of these bits. */
uint32_t kit_field_flags(mw_type type);

/* The bits of a key, at the low end of 64: machines are little-endian. */
static inline uint64_t kit_key_bits(mw_type type, const void *key)
{
    uint64_t bits = 0;

    switch (type) {
    case MW_I8:
    case MW_U8:
        return *(const uint8_t *)key;
    case MW_I16:
    case MW_U16:
    case MW_F16:
    case MW_BF16:
        memcpy(&bits, key, 2);
        return bits;
    case MW_I32:
    case MW_U32:
    case MW_F32:
        memcpy(&bits, key, 4);
        return bits;
    default:
        memcpy(&bits, key, 8);
        return bits;
    }
}

/* The value of a float of any size: a double holds them all. */
double kit_float_value(mw_type type, const void *key);

/* Depends on the bits of all keys, not on their positions. Start from all zero. */
struct kit_fingerprint {
    uint64_t count;
    uint64_t sum; /* of each key's mixed bits */
};

void kit_fingerprint_add(struct kit_fingerprint *print, mw_type type, const void *keys,
                         uint64_t count);
void kit_fingerprint_add_rows(struct kit_fingerprint *print, uint32_t row_bytes,
                              const void *rows, uint64_t count);
int kit_fingerprint_equal(struct kit_fingerprint a, struct kit_fingerprint b);

/* A bijection of 64 bits; each bit of the result depends on all. */
uint64_t kit_mix(uint64_t bits);

/* ---- Jobs that sort keys --------------------------------------------------- */

/* mw_prepare, mw_enqueue and mw_get_plan for keys of one type, sorted in place. */
mw_status kit_sort_workspace(mw_context *context, mw_type type, uint64_t count,
                             uint64_t *bytes);
mw_status kit_sort_device(mw_context *context, mw_type type, mw_direction direction,
                          void *keys, uint64_t count, void *workspace,
                          uint64_t workspace_bytes, void *stream);
mw_status kit_get_plan(mw_context *context, mw_type type, uint64_t count, mw_plan *plan);

/* ---- Time and text ------------------------------------------------------- */

/* Seconds of a clock that never goes back. */
double kit_seconds(void);

/*
 * Read a count: `1000000`, `1M` (k, M, G, T: powers of 1000), `2^20`, and sums and
 * differences such as `2^20-1`. Returns 0, or -1 if `text` is no count or too large.
 */
int kit_parse_count(const char *text, uint64_t *count);

/* Write one key for a reader: `-5`, `0.25`, `-0`, `inf`, `nan:0x7fc00000`. */
enum { KIT_KEY_TEXT = 40 };
void kit_key_text(mw_type type, const void *key, char text[KIT_KEY_TEXT]);

#endif
