/*
 * tally.cuh - what the kernels of engine tally share: an array of keys as vectors of 16
 * bytes.
 *
 * Vectors lie at multiples of 16 bytes. The array may begin and end inside one, since keys
 * are aligned to their own size only.
 */
enum {
    KEY_BYTES = KEY_BITS / 8,
    VECTOR_KEYS = TALLY_VECTOR / KEY_BYTES,
    WORD_KEYS = 4 / KEY_BYTES,
    VECTOR_WORDS = 4,
    CODES = (int)TALLY_CODES(KEY_BITS)
};

typedef struct {
    ALIGNED(16) wide low;
    wide high;
} vector;

CELL(vector_cell, vector);

/* Key k of the array is key skipped + k of the vectors from `at` on. */
struct vectors {
    wide at; /* address */
    wide skipped;
};

DEVICE struct vectors vectors_of(const void *keys)
{
    const wide address = (wide)keys;
    const struct vectors all = {address & ~(wide)(TALLY_VECTOR - 1),
                                address % TALLY_VECTOR / KEY_BYTES};

    return all;
}

DEVICE unsigned word_of(vector v, int i)
{
    return (unsigned)((i < 2 ? v.low : v.high) >> (i % 2 * 32));
}

/* Key i of a vector. */
DEVICE unsigned bits_of(vector v, int i)
{
    return word_of(v, i / WORD_KEYS) >> (i % WORD_KEYS * KEY_BITS) & (CODES - 1);
}
