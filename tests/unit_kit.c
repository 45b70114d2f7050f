/*
 * unit_kit.c - the kit's order and fingerprint are what they claim, and numbers,
 * shapes and keys are read and written as documented.
 */
#include "kit.h"

#include "tap.h"

/* Each type's keys, ascending. */
static const uint32_t floats[] = {0xff800000, 0xff7fffff, 0xbf800000, 0x80000001,
                                  0x80000000, 0x00000000, 0x00000001, 0x3f800000,
                                  0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000,
                                  0x7fffffff, 0xff800001, 0xffc00000, 0xffffffff};
static const uint64_t doubles[] = {
    0xfff0000000000000, 0xffefffffffffffff, 0xbff0000000000000, 0x8000000000000001,
    0x8000000000000000, 0x0000000000000000, 0x0000000000000001, 0x3ff0000000000000,
    0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000,
    0x7fffffffffffffff, 0xfff0000000000001, 0xfff8000000000000, 0xffffffffffffffff};
static const uint16_t halves[] = {0xfc00, 0xfbff, 0xbc00, 0x8001, 0x8000, 0,
                                  1,      0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00,
                                  0x7fff, 0xfc01, 0xfe00, 0xffff};
static const uint16_t brains[] = {0xff80, 0xff7f, 0xbf80, 0x8001, 0x8000, 0,
                                  1,      0x3f80, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0,
                                  0x7fff, 0xff81, 0xffc0, 0xffff};
static const int8_t i8[] = {-128, -127, -1, 0, 1, 127};
static const uint8_t u8[] = {0, 1, 127, 128, 255};
static const int16_t i16[] = {INT16_MIN, -256, -1, 0, 255, 256, INT16_MAX};
static const uint16_t u16[] = {0, 255, 256, 32768, 65535};
static const int32_t i32[] = {INT32_MIN, -65536, -1, 0, 65535, INT32_MAX};
static const uint32_t u32[] = {0, 65535, 65536, 0x80000000, UINT32_MAX};
static const int64_t i64[] = {INT64_MIN, INT32_MIN, -1, 0, UINT32_MAX, INT64_MAX};
static const uint64_t u64[] = {0, UINT32_MAX, INT64_MAX, 0x8000000000000000, UINT64_MAX};
/* clang-format off */
#define TABLE(array) array, sizeof array / sizeof array[0]
static const struct {
    mw_type type;
    const void *keys;
    size_t count;
} tables[] = {
    {MW_I8,   TABLE(i8)     },
    {MW_U8,   TABLE(u8)     },
    {MW_I16,  TABLE(i16)    },
    {MW_U16,  TABLE(u16)    },
    {MW_I32,  TABLE(i32)    },
    {MW_U32,  TABLE(u32)    },
    {MW_I64,  TABLE(i64)    },
    {MW_U64,  TABLE(u64)    },
    {MW_F32,  TABLE(floats) },
    {MW_F64,  TABLE(doubles)},
    {MW_F16,  TABLE(halves) },
    {MW_BF16, TABLE(brains) }
};
/* clang-format on */
#undef TABLE

/* Every pair is compared both ways, in both directions. */
static void test_order(struct tap *tap)
{
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        const size_t size = mw_type_size(tables[t].type);
        const char *const keys = tables[t].keys;
        int passed = 1;

        for (size_t i = 0; i < tables[t].count; i++) {
            for (size_t j = 0; j < tables[t].count; j++) {
                const int want = (i > j) - (i < j);
                const char *const a = keys + i * size;
                const char *const b = keys + j * size;

                passed &= kit_compare(tables[t].type, MW_ASCENDING, a, b) == want;
                passed &= kit_compare(tables[t].type, MW_DESCENDING, a, b) == -want;
            }
        }
        tap_ok(tap, passed, "order", mw_type_name(tables[t].type));
    }
}

static struct kit_fingerprint print_of(mw_type type, const void *keys, uint64_t count)
{
    struct kit_fingerprint print = {0, 0};

    kit_fingerprint_add(&print, type, keys, count);
    return print;
}

/* A hundred keys; one bit of one key changes, one key goes missing or is misplaced. */
static void test_hundred(struct tap *tap)
{
    for (int t = 0; t < MW_TYPE_COUNT; t++) {
        const mw_type type = (mw_type)t;
        const size_t size = mw_type_size(type);
        struct kit_fingerprint sorted;
        struct kit_fingerprint pieces = {0, 0};
        char keys[100 * sizeof(uint64_t)];
        int passed;

        kit_fill(type, "sorted", 0, keys, 100);
        sorted = print_of(type, keys, 100);
        passed = !kit_fingerprint_equal(sorted, print_of(type, keys + size, 99));
        kit_fingerprint_add(&pieces, type, keys + 30 * size, 70);
        kit_fingerprint_add(&pieces, type, keys, 30);
        passed &= kit_fingerprint_equal(sorted, pieces);
        keys[50 * size] ^= 1;
        passed &= !kit_fingerprint_equal(sorted, print_of(type, keys, 100));
        keys[50 * size] ^= 1;
        memcpy(keys + 60 * size, keys, size);
        passed &= kit_first_disorder(type, MW_ASCENDING, keys, 100) == 60 &&
                  kit_first_disorder(type, MW_DESCENDING, keys, 100) == 1;
        for (uint64_t count = 0; count <= 60; count++)
            passed &= kit_first_disorder(type, MW_ASCENDING, keys, count) == count;
        kit_fill(type, "permutation", 0, keys, 100);
        passed &= kit_fingerprint_equal(sorted, print_of(type, keys, 100));
        memset(keys, 0, sizeof keys);
        passed &=
            !kit_fingerprint_equal(print_of(type, keys, 100), print_of(type, keys, 99));
        tap_ok(tap, passed, "fingerprint and first disorder", mw_type_name(type));
    }
}

/* Rows of any length: each byte counts, the order of rows does not. */
static void test_rows(struct tap *tap)
{
    static char rows[4096 * 3];

    for (uint32_t bytes = 1; bytes <= 4096;
         bytes = bytes < 20 ? bytes + 1 : 2 * bytes + 1) {
        struct kit_fingerprint one = {0, 0}, turned = {0, 0}, changed = {0, 0};

        kit_fill(MW_U8, "random", bytes, rows, 3 * bytes);
        kit_fingerprint_add_rows(&one, bytes, rows, 3);
        for (uint64_t i = 3; i-- > 0;)
            kit_fingerprint_add_rows(&turned, bytes, rows + i * bytes, 1);
        rows[2 * bytes - 1] ^= 1;
        kit_fingerprint_add_rows(&changed, bytes, rows, 3);
        tap_case(tap,
                 kit_fingerprint_equal(one, turned) && !kit_fingerprint_equal(one, changed),
                 "fingerprint of rows of %u bytes", bytes);
    }
}

static void test_numbers(struct tap *tap)
{
    /* clang-format off */
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0}, {"1000000", 1000000}, {"1M", 1000000}, {"3k", 3000}, {"10G", 10000000000},
        {"2^20", 1048576}, {"2^31+12345", 2147495993}, {"2^20-1", 1048575},
        {"1k+1k-1", 1999}, {"10^3", 1000}, {"7^0", 1}, {"0^3", 0}, {"1^1000000000000", 1},
        {"18446744073709551615", UINT64_MAX},
    };
    static const char *const bad[] = {
        "18446744073709551616", "2^64", "3^63", "20000000T", "2^63+2^63", "1-2", "", "-1",
        " 1", "1 ", "1K", "1kk", "2^", "^2", "1+", "0x10", "1e6"};
    /* clang-format on */
    uint64_t value;

    for (size_t i = 0; i < COUNT_OF(good); i++)
        tap_ok(tap, !kit_parse_count(good[i].text, &value) && value == good[i].value,
               "count", good[i].text);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        tap_ok(tap, kit_parse_count(bad[i], &value), "no count", bad[i]);
}

static void test_shapes(struct tap *tap)
{
    /* clang-format off */
    static const char *const good[] = {
        "random", "few", "few:3", "blocks", "interleaved", "swaps:0", "sawtooth:1M",
        "conflict:17,256", "conflict:1,32", "conflict:64,1024,worst"};
    static const char *const bad[] = {
        "swaps", "sawtooth", "sawtooth:0", "few:0", "few:", "few:x", "random:1", "rand",
        "randomly", "", "conflict", "conflict:", "conflict:17", "conflict:17,",
        "conflict:,256", "conflict:17,256,", "conflict:17,256,best",
        "conflict:17,256,worst,worst", "conflict:0,256", "conflict:65,256",
        "conflict:17,16", "conflict:17,96", "conflict:17,2048",
        "conflict:00000000000000000000000000000000017,256"};
    /* clang-format on */
    struct kit_shape shape;

    for (size_t i = 0; i < COUNT_OF(good); i++)
        tap_ok(tap, !kit_shape_parse(good[i], &shape), "shape", good[i]);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        tap_ok(tap, kit_shape_parse(bad[i], &shape) != NULL, "no shape", bad[i]);
}

/* clang-format off */
static void test_keys(struct tap *tap)
{
    static const struct {
        mw_type type;
        uint64_t bits;
        const char *text;
    } keys[] = {
        {MW_F32,  0x80000000,         "-0"                  },
        {MW_F32,  0x3e800000,         "0.25"                },
        {MW_F32,  0xff800000,         "-inf"                },
        {MW_F32,  0xffc00001,         "nan:0xffc00001"      },
        {MW_F64,  0x3fb999999999999a, "0.10000000000000001" },
        {MW_F16,  0xc580,             "-5.5"                },
        {MW_F16,  0x0001,             "5.9605e-08"          },
        {MW_F16,  0xfc00,             "-inf"                },
        {MW_BF16, 0x3e20,             "0.15625"             },
        {MW_BF16, 0x7fc1,             "nan:0x7fc1"          },
        {MW_I8,   0xfb,               "-5"                  },
        {MW_I64,  UINT64_MAX,         "-1"                  },
        {MW_U64,  UINT64_MAX,         "18446744073709551615"},
    };

    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        char text[KIT_KEY_TEXT];

        kit_key_text(keys[i].type, &keys[i].bits, text);
        tap_ok(tap, strcmp(text, keys[i].text) == 0, "key as text", keys[i].text);
    }
}

/* The first shape of a list, and how long it is. */
static void test_lists(struct tap *tap)
{
    static const struct {
        const char *list;
        size_t span;
    } rows[] = {
        {"random", 6}, {"random,sorted", 6}, {"random,,sorted", 6}, {"random,", 6},
        {",random", 0}, {"", 0}, {"few:3,conflict:17,256", 5}, {"conflict:17,256", 15},
        {"conflict:17,256,few:3", 15}, {"conflict:17,256,worst", 21},
        {"conflict:17,256,worst,random", 21}, {"conflict:17,256,worse", 15},
        {"conflict:17,256,conflict:8,8", 15},
    };
    /* clang-format on */

    for (size_t i = 0; i < COUNT_OF(rows); i++)
        tap_ok(tap, kit_shape_span(rows[i].list) == rows[i].span, "list", rows[i].list);
}

int main(void)
{
    struct tap tap = {0, 0};

    test_order(&tap);
    test_hundred(&tap);
    test_rows(&tap);
    test_numbers(&tap);
    test_shapes(&tap);
    test_keys(&tap);
    test_lists(&tap);
    return tap_end(&tap);
}
