/*
 * launch_tally.h - what host and kernels of engine tally must agree on. Included by
 * launch.h.
 */

enum {
    tally_count_threads = 1024,
    tally_sum_threads = 512,
    tally_write_threads = 256,
    TALLY_VECTOR = 16,         /* bytes that a thread loads or stores at once */
    TALLY_DIGITS = 256,        /* values of a byte */
    TALLY_CARRY = 0x4000,      /* keys that leave a 16-bit counter at once */
    TALLY_MOST_CARRIES = 4096, /* of a block of tally_count */
    TALLY_MOST_WRITTEN = 16,   /* vectors that a thread of tally_write stores */
    TALLY_NEAR = 64,           /* codes of an entry of a table (TALLY_STARTS), ... */
    TALLY_FAR = 2048           /* ... and of the other */
};

/* Codes of a key of `bits` bits. */
#define TALLY_CODES(bits) (1u << (bits))

/* Keys that a block of tally_count may count: its carries and its totals hold no more. */
#define TALLY_MOST_KEYS(bits) \
    ((wide)((bits) == 8 ? 1u << 31 : TALLY_CARRY * (TALLY_MOST_CARRIES - 1u)))

/*
 * Shared memory of tally_count. 1-byte keys: a counter of 4 bytes for each value and lane.
 * 2-byte keys: one of 2 bytes for each value, carries, their number, and carries of each
 * digit.
 */
#define TALLY_SHARED(bits)                 \
    ((bits) == 8 ? TALLY_DIGITS * WARP * 4 \
                 : 65536 * 2 + TALLY_MOST_CARRIES * 2 + TALLY_DIGITS * 4 + 16)

/*
 * That of tally_sum: for each group of 64 threads a sum of each digit, with one more cell
 * after 16 of them, and two sums; sums of 8 warps; and carries.
 */
#define TALLY_SUM_PITCH (TALLY_DIGITS + TALLY_DIGITS / 16)
#define TALLY_SUM_SHARED \
    (tally_sum_threads / 64 * (TALLY_SUM_PITCH + 2) * 8 + 8 * 8 + TALLY_DIGITS * 4)

/*
 * Bytes of a digit's total. Of 2-byte keys its upper half counts the row's keys of lesser
 * digits, so that a block of tally_sum needs no other digits than its own.
 */
#define TALLY_TOTAL_BYTES(bits) ((bits) == 8 ? 4 : 8)

/*
 * Cells of `starts`: one for each code, and one more at TALLY_CODES. Those of every
 * TALLY_NEAR codes follow again at TALLY_NEAR_AT, those of every TALLY_FAR codes at
 * TALLY_FAR_AT: a search reads neighbours only.
 */
#define TALLY_NEAR_AT(bits) (TALLY_CODES(bits) + 16)
#define TALLY_FAR_AT(bits) (TALLY_NEAR_AT(bits) + TALLY_CODES(bits) / TALLY_NEAR)
#define TALLY_STARTS(bits) (TALLY_FAR_AT(bits) + TALLY_CODES(bits) / TALLY_FAR + 1)

/*
 * What the blocks of tally_count write, each a row of every array. Codes are those of
 * key_code; a code's digit is its upper byte, or of 1-byte keys the code itself.
 */
struct tally_rows {
    void *totals;            /* keys of each digit: see TALLY_TOTAL_BYTES */
    unsigned short *counts;  /* 2-byte keys: keys of each code, less its carries */
    unsigned short *carries; /* 2-byte keys: codes, each stands for TALLY_CARRY keys ... */
    unsigned *carry_count;   /* ... and how many of them a row has */
    wide rows;
};

/* Count the keys: `rows.rows` blocks share them. */
struct tally_count_args {
    const void *keys;
    wide count;
    struct tally_rows rows;
    struct key_code leave; /* from a code to the caller's bits */
};

/*
 * Add the rows up: starts[code] is the number of keys with lesser codes, and starts[codes]
 * is that of all keys. One block for 1-byte keys, one for each digit of 2-byte keys.
 */
struct tally_sum_args {
    struct tally_rows rows;
    wide *starts;
};

/* Write the keys. Each warp writes 32 * `vectors` vectors of 16 bytes of the array. */
struct tally_write_args {
    void *keys;
    const wide *starts;
    wide count;
    unsigned vectors; /* of each lane */
    unsigned unused;
    struct key_code leave;
};
