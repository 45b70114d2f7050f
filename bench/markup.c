/*
 * markup.c - text that may hold anything, as text.
 */
#include "markup.h"

#include "bench.h"

#include <math.h>

#define UNKNOWN_LETTER "\xef\xbf\xbd"
#define ELLIPSIS "\xe2\x80\xa6"

/* How many bytes follow a first byte, and the least number that needs as many. */
static int letter_tail(unsigned char first, uint32_t *bits, uint32_t *least)
{
    if (first < 0x80) {
        *bits = first;
        *least = 0;
        return 0;
    }
    if (first >= 0xc0 && first < 0xe0) {
        *bits = first & 0x1f;
        *least = 0x80;
        return 1;
    }
    if (first >= 0xe0 && first < 0xf0) {
        *bits = first & 0x0f;
        *least = 0x800;
        return 2;
    }
    *bits = first & 0x07;
    *least = 0x10000;
    return first >= 0xf0 && first < 0xf8 ? 3 : -1;
}

/* May an XML document hold this letter? Those beyond ASCII that may not are few. */
static int letter_allowed(uint32_t letter)
{
    if (letter < 0xa0)
        return letter >= ' ' && letter < 0x7f;
    return letter <= 0x10ffff && !(letter >= 0xd800 && letter <= 0xdfff) &&
           !(letter >= 0xfdd0 && letter <= 0xfdef) && (letter & 0xfffe) != 0xfffe;
}

/* The bytes of the letter that `text` begins with; `*good` if it can be written. */
static int letter_bytes(const char *text, int *good)
{
    uint32_t letter;
    uint32_t least;
    const int tail = letter_tail((unsigned char)*text, &letter, &least);

    *good = 0;
    for (int i = 1; i <= tail; i++) {
        const unsigned char next = (unsigned char)text[i];

        if (next < 0x80 || next >= 0xc0)
            return 1;
        letter = letter << 6 | (next & 0x3f);
    }
    *good = tail >= 0 && letter >= least && letter_allowed(letter);
    return *good ? tail + 1 : 1;
}

static void write_letter(FILE *to, const char *letter, int bytes, int good)
{
    if (!good)
        fputs(UNKNOWN_LETTER, to);
    else if (*letter == '<')
        fputs("&lt;", to);
    else if (*letter == '>')
        fputs("&gt;", to);
    else if (*letter == '&')
        fputs("&amp;", to);
    else if (*letter == '"')
        fputs("&quot;", to);
    else
        fwrite(letter, 1, (size_t)bytes, to);
}

int markup_length(const char *text, int most)
{
    int length = 0;
    int good;

    for (; *text && length < most; length++)
        text += letter_bytes(text, &good);
    return length;
}

void markup_short(FILE *to, const char *text, int most)
{
    const int cut = markup_length(text, most + 1) > most;

    for (int i = 0; *text && i < most - cut; i++) {
        int good;
        const int bytes = letter_bytes(text, &good);

        write_letter(to, text, bytes, good);
        text += bytes;
    }
    if (cut)
        fputs(ELLIPSIS, to);
}

void markup_text(FILE *to, const char *text)
{
    markup_short(to, text, INT32_MAX - 1);
}

void markup_count(FILE *to, uint64_t count)
{
    char text[COUNT_TEXT];

    count_text(count, text);
    if (text[1] == '^')
        fprintf(to, "2<sup>%s</sup>", text + 2);
    else
        fputs(text, to);
}

const char *figure_text(double value, int decimals, char text[FIGURE_TEXT])
{
    if (!isfinite(value) || value <= 0)
        snprintf(text, FIGURE_TEXT, DASH);
    else if (value >= 10 * pow(10, -decimals) && value < 1e7)
        snprintf(text, FIGURE_TEXT, "%.*f", decimals, value);
    else
        snprintf(text, FIGURE_TEXT, "%.3g", value);
    return text;
}
