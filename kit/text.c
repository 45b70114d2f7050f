/*
 * text.c - numbers from text, keys to text, and a clock.
 */
#define _POSIX_C_SOURCE 200809L

#include "kit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

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

/* Digits, then a power (`2^20`), a suffix (`20M`) or nothing. */
static int parse_term(const char **text, uint64_t *value)
{
    static const char suffixes[] = "kMGT";
    uint64_t factor = 1000;
    uint64_t times = 0;
    const char *suffix;

    if (parse_digits(text, value))
        return -1;
    suffix = **text ? strchr(suffixes, **text) : NULL;
    if (suffix) {
        ++*text;
        times = (uint64_t)(suffix - suffixes) + 1;
    } else if (**text == '^') {
        ++*text;
        if (parse_digits(text, &times))
            return -1;
        factor = *value;
        *value = 1;
        if (factor < 2) /* whose powers end here, however many there are */
            times = times > 0;
    }
    for (; times > 0; times--) {
        if (factor && *value > UINT64_MAX / factor)
            return -1;
        *value *= factor;
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

void kit_key_text(mw_type type, const void *key, char text[KIT_KEY_TEXT])
{
    const uint64_t bits = kit_key_bits(type, key);
    const int width = 8 * (int)mw_type_size(type);
    const char *const name = mw_type_name(type);
    const uint64_t sign = UINT64_C(1) << (width - 1);

    if (*name == 'u') {
        snprintf(text, KIT_KEY_TEXT, "%" PRIu64, bits);
    } else if (*name == 'i') {
        snprintf(text, KIT_KEY_TEXT, "%" PRId64, (int64_t)((bits ^ sign) - sign));
    } else {
        const double number = kit_float_value(type, key);

        if (isnan(number))
            snprintf(text, KIT_KEY_TEXT, "nan:0x%0*" PRIx64, width / 4, bits);
        else
            snprintf(text, KIT_KEY_TEXT, "%.*g",
                     width == 64   ? 17
                     : width == 32 ? 9
                                   : 5,
                     number);
    }
}

double kit_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
