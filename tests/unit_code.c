/*
 * unit_code.c - keys become unsigned numbers of the documented order, and come
 * back bit by bit. Built once per width: KEY_BITS is 8, 16, 32 or 64.
 *
 * The order is judged by the kit, which has its own definition of it. Codes are
 * a bijection, so it suffices that neighbouring codes stand for neighbouring
 * keys: all of them for narrow keys; for wide ones every STEP-th code, and all
 * pairs of keys near the places where something changes.
 */
#include "base/base.h"
#include "kit.h"

#include "tap.h"

#if KEY_BITS == 8
typedef uint8_t key;
#elif KEY_BITS == 16
typedef uint16_t key;
#elif KEY_BITS == 32
typedef uint32_t key;
#else
typedef uint64_t key;
#endif

#define CODE_FUNCTION static inline
#include "base/code.inl"

static const key most = (key) ~(key)0;

#if KEY_BITS < 32
#define STEP 1
#elif KEY_BITS == 32
#define STEP 509
#else
#define STEP UINT64_C(2199023255579)
#endif

static key enter(key bits, struct code code)
{
    return code_enter(bits, code.is_float, (key)code.flip);
}

static key leave(key rank, struct code code)
{
    return code_leave(rank, code.is_float, (key)code.flip);
}

static int in_order(mw_type type, mw_direction direction, key a, key b)
{
    return kit_compare(type, direction, &a, &b) < 0;
}

/*
 * From end to end: every code comes back and is a key's, neighbouring codes are
 * neighbouring keys', and every key comes back with all its bits.
 */
static int walk(mw_type type, mw_direction direction, struct code code)
{
    for (key at = 0;; at = most - at > STEP ? (key)(at + STEP) : most) {
        const key bits = leave(at, code);

        if (enter(bits, code) != at || leave(enter(at, code), code) != at ||
            (at != most && !in_order(type, direction, bits, leave((key)(at + 1), code)))) {
            tap_note("at %llx", (unsigned long long)at);
            return 0;
        }
        if (at == most)
            return 1;
    }
}

enum { MOST_SPECIAL = 16 * 8 * 8 };

/* Keys around every power of two, with every mix of sign and exponent ends. */
static size_t special_keys(key *keys)
{
    static const int reach = 3;
    size_t count = 0;

    for (int bit = 0; bit < KEY_BITS; bit++) {
        const key power = (key)((key)1 << bit);
        const key centres[2] = {power, (key)(0 - power)};

        for (int i = 0; i < 2; i++) {
            for (int near = -reach; near <= reach; near++)
                keys[count++] = (key)(centres[i] + (key)near);
        }
    }
    for (int near = -reach; near <= reach; near++) {
        keys[count++] = (key)(code_lowest() + (key)near);
        keys[count++] = (key)((code_lowest() & most >> 1) + (key)near);
        keys[count++] = (key)(code_negatives() + (key)near);
    }
    return count;
}

/* Do the codes of two keys compare as the keys do? */
static int compares(mw_type type, mw_direction direction, struct code code, key x, key y)
{
    const key a = enter(x, code);
    const key b = enter(y, code);
    const int want = kit_compare(type, direction, &x, &y);

    if (((a > b) - (a < b)) == ((want > 0) - (want < 0)) && leave(a, code) == x)
        return 1;
    tap_note("keys %llx and %llx have codes %llx and %llx", (unsigned long long)x,
             (unsigned long long)y, (unsigned long long)a, (unsigned long long)b);
    return 0;
}

/* All pairs of special keys, and random ones, half of which differ in few low bits. */
static int compare_pairs(mw_type type, mw_direction direction, struct code code)
{
    key keys[MOST_SPECIAL];
    const size_t count = special_keys(keys);
    int right = 1;

    for (size_t i = 0; i < count * count; i++)
        right = right && compares(type, direction, code, keys[i / count], keys[i % count]);
    for (uint64_t i = 0; i < 500000; i++) {
        const key x = (key)kit_mix(2 * i + 1);
        const key y = (key)(i % 2 ? kit_mix(2 * i + 2) : x ^ kit_mix(i) % 16);

        right = right && compares(type, direction, code, x, y);
    }
    return right;
}

/* The first key descending is the last ascending, and so on through all. */
static int mirrored(struct code up, struct code down)
{
    for (uint64_t i = 0; i < 100000; i++) {
        const key bits = KEY_BITS <= 16 ? (key)i : (key)kit_mix(i);

        const key both = (key)(enter(bits, up) + enter(bits, down));

        if (both != most)
            return 0;
    }
    return 1;
}

/* Quickly coded and then mended, a float has the code it should have; the same way back. */
static int mended(key bits, struct code code)
{
    const key flip = (key)code.flip;
    const key plain = enter(bits, code);
    const key quick = code_enter_most(bits, flip);
    const int nan = bits > code_lowest(); /* with the sign set */

    if (code_mend(quick, flip) != plain || code_mend(plain, flip) != quick ||
        code_leave_most(quick, flip) != bits || code_to_mend(quick, flip) != nan ||
        code_to_mend(plain, flip) != nan || (!nan && quick != plain)) {
        tap_note("key %llx has code %llx, quickly %llx", (unsigned long long)bits,
                 (unsigned long long)plain, (unsigned long long)quick);
        return 0;
    }
    return 1;
}

/* From end to end, at all borders, and random ones. */
static int all_mended(struct code code)
{
    key keys[MOST_SPECIAL];
    const size_t count = special_keys(keys);
    int passed = 1;

    for (size_t i = 0; i < count; i++)
        passed &= mended(keys[i], code);
    for (uint64_t i = 0; i < 500000; i++)
        passed &= mended((key)kit_mix(i), code);
    for (key bits = 0; most - bits > STEP; bits = (key)(bits + STEP))
        passed &= mended(bits, code);
    return passed;
}

/* What the header says about floats, spelled out. */
static void test_floats(struct tap *tap)
{
#if KEY_BITS == 32 || KEY_BITS == 64
#define PATTERN(narrow, wide) (key)(KEY_BITS == 32 ? narrow##u : wide##u)
    static const struct {
        key bits;
        const char *name;
    } rows[] = {
        {PATTERN(0xff800000, 0xfff0000000000000), "-infinity"          },
        {PATTERN(0xff7fffff, 0xffefffffffffffff), "the least number"   },
        {PATTERN(0xbf800000, 0xbff0000000000000), "-1"                 },
        {PATTERN(0x80800000, 0x8010000000000000), "the last normal"    },
        {PATTERN(0x807fffff, 0x800fffffffffffff), "the first denormal" },
        {PATTERN(0x80000001, 0x8000000000000001), "the last negative"  },
        {PATTERN(0x80000000, 0x8000000000000000), "-0"                 },
        {PATTERN(0x00000000, 0x0000000000000000), "+0"                 },
        {PATTERN(0x00000001, 0x0000000000000001), "the first positive" },
        {PATTERN(0x3f800000, 0x3ff0000000000000), "1"                  },
        {PATTERN(0x7f7fffff, 0x7fefffffffffffff), "the greatest number"},
        {PATTERN(0x7f800000, 0x7ff0000000000000), "infinity"           },
        {PATTERN(0x7f800001, 0x7ff0000000000001), "the first NaN"      },
        {PATTERN(0x7fc00000, 0x7ff8000000000000), "a quiet NaN"        },
        {PATTERN(0x7fffffff, 0x7fffffffffffffff), "the last NaN of +"  },
        {PATTERN(0xff800001, 0xfff0000000000001), "the first NaN of -" },
        {PATTERN(0xffc00000, 0xfff8000000000000), "a quiet NaN of -"   },
        {PATTERN(0xffffffff, 0xffffffffffffffff), "the last NaN of -"  },
    };
#undef PATTERN
    const struct type_row *const row = type_row(KEY_BITS == 32 ? MW_F32 : MW_F64);
    const struct code up = type_code(row, MW_ASCENDING);
    const struct code down = type_code(row, MW_DESCENDING);

    tap_case(tap, enter(rows[0].bits, up) == 0, "nothing is before %s", rows[0].name);
    for (size_t i = 1; i < COUNT_OF(rows); i++)
        tap_case(tap, enter(rows[i - 1].bits, up) < enter(rows[i].bits, up),
                 "%s is before %s", rows[i - 1].name, rows[i].name);
    tap_case(tap, enter(most, up) == most, "nothing is after the last NaN");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        tap_case(tap, mended(rows[i].bits, up) && mended(rows[i].bits, down),
                 "%s, the quick way", rows[i].name);
#else
    (void)tap;
#endif
}

int main(void)
{
    static const char *const way[] = {"ascending", "descending"};
    struct tap tap = {0, 0};

    for (int t = 0; t < MW_TYPE_COUNT; t++) {
        const mw_type type = (mw_type)t;
        const struct type_row *const row = type_row(type);

        if (row->size * 8 != KEY_BITS)
            continue;
        for (int d = 0; d < 2; d++) {
            const mw_direction direction = (mw_direction)d;
            const struct code code = type_code(row, direction);

            tap_case(&tap, walk(type, direction, code), "%s %s: codes and keys in order",
                     row->name, way[d]);
            tap_case(&tap, compare_pairs(type, direction, code), "%s %s: pairs in order",
                     row->name, way[d]);
            if (code.is_float)
                tap_case(&tap, all_mended(code), "%s %s: quick codes can be mended",
                         row->name, way[d]);
        }
        tap_case(&tap,
                 mirrored(type_code(row, MW_ASCENDING), type_code(row, MW_DESCENDING)),
                 "%s: descending is the reverse", row->name);
    }
    test_floats(&tap);
    return tap_end(&tap);
}
