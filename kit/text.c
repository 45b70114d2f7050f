/*
 * text.c - numbers from text, and keys to text.
 */
#include "kit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int parse_digits(const char **text, uint64_t *value)
{
    const char *p = *text;

    for (*value = 0; *p >= '0' && *p <= '9'; p++) {
        const uint64_t digit = (uint64_t)(*p - '0');

        if (*value > (UINT64_MAX - digit) / 10)
            return -1;
        *value = *value * 10 + digit;
    }
    if (p == *text)
        return -1;
    *text = p;
    return 0;
}

static int multiply(uint64_t *value, uint64_t factor)
{
    if (factor && *value > UINT64_MAX / factor)
        return -1;
    *value *= factor;
    return 0;
}

/* Digits, then a power (`2^20`) or a suffix (`20M`) or nothing. */
static int parse_term(const char **text, uint64_t *value)
{
    static const char suffixes[] = "kMGT";
    const char *suffix;
    uint64_t number;
    uint64_t exponent;

    if (parse_digits(text, &number))
        return -1;
    *value = number;
    if (**text == '^') {
        ++*text;
        if (parse_digits(text, &exponent) || (exponent >= 64 && number > 1))
            return -1;
        *value = exponent && number < 2 ? number : 1;
        for (uint64_t i = 0; number > 1 && i < exponent; i++) {
            if (multiply(value, number))
                return -1;
        }
        return 0;
    }
    suffix = **text ? strchr(suffixes, **text) : NULL;
    if (!suffix)
        return 0;
    ++*text;
    for (const char *s = suffixes; s <= suffix; s++) {
        if (multiply(value, 1000))
            return -1;
    }
    return 0;
}

int kit_parse_count(const char *text, uint64_t *count)
{
    uint64_t total;

    if (parse_term(&text, &total))
        return -1;
    while (*text) {
        const char sign = *text++;
        uint64_t term;

        if ((sign != '+' && sign != '-') || parse_term(&text, &term))
            return -1;
        if (sign == '+' ? term > UINT64_MAX - total : term > total)
            return -1;
        total = sign == '+' ? total + term : total - term;
    }
    *count = total;
    return 0;
}

static void float_text(float value, char text[KIT_KEY_TEXT])
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        snprintf(text, KIT_KEY_TEXT, "nan:0x%08" PRIx32, bits);
    else
        snprintf(text, KIT_KEY_TEXT, "%.9g", (double)value);
}

static void double_text(double value, char text[KIT_KEY_TEXT])
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        snprintf(text, KIT_KEY_TEXT, "nan:0x%016" PRIx64, bits);
    else
        snprintf(text, KIT_KEY_TEXT, "%.17g", value);
}

void kit_key_text(mw_type type, const void *key, char text[KIT_KEY_TEXT])
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } value;

    memcpy(&value, key, mw_type_size(type));
    switch (type) {
    case MW_I8:
        snprintf(text, KIT_KEY_TEXT, "%" PRId8, value.i8);
        break;
    case MW_U8:
        snprintf(text, KIT_KEY_TEXT, "%" PRIu8, value.u8);
        break;
    case MW_I16:
        snprintf(text, KIT_KEY_TEXT, "%" PRId16, value.i16);
        break;
    case MW_U16:
        snprintf(text, KIT_KEY_TEXT, "%" PRIu16, value.u16);
        break;
    case MW_I32:
        snprintf(text, KIT_KEY_TEXT, "%" PRId32, value.i32);
        break;
    case MW_U32:
        snprintf(text, KIT_KEY_TEXT, "%" PRIu32, value.u32);
        break;
    case MW_I64:
        snprintf(text, KIT_KEY_TEXT, "%" PRId64, value.i64);
        break;
    case MW_U64:
        snprintf(text, KIT_KEY_TEXT, "%" PRIu64, value.u64);
        break;
    case MW_F32:
        float_text(value.f32, text);
        break;
    case MW_F64:
        double_text(value.f64, text);
        break;
    case MW_BYTES: /* no key has this type */
        break;
    }
}
